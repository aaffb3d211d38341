//! Scalar and vector locals of a function as SSA values, constructed while the function is read.
//!
//! Applies to variables of storage class Function that are only loaded and stored whole, and to phis. Values are symbolic: where
//! paths merge, a local that differs gets a *node*; before a loop, every local that the loop stores to gets one. A node becomes a
//! phi when a load needs it, so phis that nothing reads are never inserted. The sources of phis are added at the end of the
//! function. Values that leave a region get a phi even if there is one source, so that each use sees a definition in its own
//! region or around it.
//!
//! Source: Braun et al. 2013, "Simple and Efficient Construction of Static Single Assignment Form"; Brandis and Mössenböck 1994,
//! "Single-Pass Generation of Static Single-Assignment Form for Structured Languages". The pass `vars_to_ssa` does the same for the
//! variables that remain.

use crate::state::TyIx;
use airfoil_ir::{BlockId, Body, Cursor, Instr, InstrId, InstrKind, Jump, PhiSrc, Ty};
use smallvec::SmallVec;

/// A symbolic value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// Undefined.
    Undef,
    /// The value from an unreachable predecessor; in sources only.
    Never,
    Instr(InstrId),
    Node(u32),
}

/// A phi that is inserted if a load needs it.
#[derive(Debug)]
struct Node {
    block: BlockId,
    local: u32,
    srcs: SmallVec<[(BlockId, Value); 2]>,
    made: Option<InstrId>,
}

/// A range of [`Locals::sides`] or [`Locals::loop_locals`].
type Range = (usize, usize);

enum Frame {
    If {
        log: usize,
        /// Values at the end of `then`, if that is reached.
        then: Option<Range>,
        /// The last block of `then`, unless it ends in a jump.
        then_end: Option<BlockId>,
        reached: bool,
        in_else: bool,
    },
    Loop {
        log: usize,
        locals: Range,
        /// The first node of the header.
        nodes: u32,
        live: bool,
        left: bool,
        /// The first of its breaks and of their values.
        breaks: (usize, usize),
    },
}

/// The stores of a function in the order of its plan.
#[derive(Default)]
pub(crate) struct Stores {
    /// The local of each store.
    pub locals: Vec<u32>,
    /// The stores inside each loop, in the order in which loops start.
    pub loops: Vec<(u32, u32)>,
    /// The first local of the function itself; others are those of its callers.
    pub first_local: u32,
    /// For a local of the function whose first access is a store, with all other accesses in the rest of the same region: that store. A loop
    /// around it never reads a store of an earlier iteration. Otherwise [`u32::MAX`].
    pub born: Vec<u32>,
}

/// A function around an inlined one.
pub(crate) struct Outer {
    stores: Stores,
    next_loop: usize,
    /// The first local of the inlined function.
    first_local: u32,
    /// Length of the log before it.
    log: usize,
}

/// The locals of the function that is read.
#[derive(Default)]
pub(crate) struct Locals {
    /// Type and shape of each local.
    tys: Vec<(TyIx, Ty)>,
    now: Vec<Value>,
    nodes: Vec<Node>,
    /// Phis whose sources are missing.
    pending: Vec<u32>,
    undefs: SmallVec<[(Ty, InstrId); 2]>,
    /// Values that stores in the open regions have replaced.
    log: Vec<(u32, Value)>,
    frames: Vec<Frame>,
    sides: Vec<(u32, Value)>,
    loop_locals: Vec<u32>,
    /// The breaks of the open loops. While a loop is open, none of those around it gets another.
    breaks: Vec<BlockId>,
    /// For each break, the values of all locals of its loop.
    break_values: Vec<Value>,
    /// A mark per local to skip duplicates, and its position in `sides`.
    stamp: Vec<(u32, u32)>,
    next_stamp: u32,
    unreached: bool,
    stores: Stores,
    next_loop: usize,
}

impl Locals {
    /// Forgets all locals, but keeps the memory.
    pub fn clear(&mut self) {
        self.tys.clear();
        self.now.clear();
        self.nodes.clear();
        self.pending.clear();
        self.undefs.clear();
        self.log.clear();
        self.frames.clear();
        self.sides.clear();
        self.loop_locals.clear();
        self.breaks.clear();
        self.break_values.clear();
        self.stamp.clear();
        (self.next_stamp, self.next_loop, self.unreached) = (0, 0, false);
        self.stores = Stores::default();
    }

    /// Adds a local.
    pub fn add(&mut self, ty: TyIx, shape: Ty) -> u32 {
        self.tys.push((ty, shape));
        self.now.push(Value::Undef);
        self.stamp.push((0, 0));
        self.tys.len() as u32 - 1
    }

    pub fn len(&self) -> usize {
        self.tys.len()
    }

    pub fn ty(&self, local: u32) -> TyIx {
        self.tys[local as usize].0
    }

    /// Sets the stores inside loops, which all locals must be known for.
    pub fn set_stores(&mut self, stores: Stores) {
        self.stores = stores;
    }

    /// Starts a function within the one that is read.
    pub fn enter(&mut self) -> Outer {
        let stores = std::mem::take(&mut self.stores);
        let next_loop = std::mem::take(&mut self.next_loop);
        Outer { stores, next_loop, first_local: self.tys.len() as u32, log: self.log.len() }
    }

    /// Ends a function within another, whose locals nothing refers to afterwards.
    pub fn leave_function(&mut self, outer: Outer) {
        (self.stores, self.next_loop) = (outer.stores, outer.next_loop);
        let mut kept = outer.log;
        for i in outer.log..self.log.len() {
            if self.log[i].0 < outer.first_local {
                self.log[kept] = self.log[i];
                kept += 1;
            }
        }
        self.log.truncate(kept);
    }

    /// The current value.
    pub fn load(&mut self, body: &mut Body, local: u32) -> InstrId {
        let value = if self.unreached { Value::Undef } else { self.now[local as usize] };
        self.value(body, value, self.tys[local as usize].1)
    }

    pub fn store(&mut self, local: u32, value: InstrId) {
        if !self.unreached {
            self.assign(local, Value::Instr(value));
        }
    }

    fn assign(&mut self, local: u32, value: Value) {
        let old = std::mem::replace(&mut self.now[local as usize], value);
        if !self.frames.is_empty() && old != value {
            self.log.push((local, old));
        }
    }

    fn node(&mut self, block: BlockId, local: u32, srcs: SmallVec<[(BlockId, Value); 2]>) -> Value {
        self.nodes.push(Node { block, local, srcs, made: None });
        Value::Node(self.nodes.len() as u32 - 1)
    }

    /// The instruction of a value.
    fn value(&mut self, body: &mut Body, value: Value, shape: Ty) -> InstrId {
        match value {
            Value::Instr(id) => id,
            Value::Node(n) => {
                let node = &mut self.nodes[n as usize];
                if let Some(id) = node.made {
                    return id;
                }
                let phi = Instr::new(InstrKind::Phi(SmallVec::new()), shape);
                let id = body.insert(Cursor::BlockStart(node.block), phi);
                node.made = Some(id);
                self.pending.push(n);
                id
            }
            Value::Undef | Value::Never => {
                if let Some(&(_, id)) = self.undefs.iter().find(|(ty, _)| *ty == shape) {
                    return id;
                }
                let start = Cursor::BlockStart(body.entry());
                let id = body.insert(start, Instr::new(InstrKind::Undef, shape));
                self.undefs.push((shape, id));
                id
            }
        }
    }

    /// Adds the sources of all phis.
    pub fn finish(&mut self, body: &mut Body) {
        while let Some(n) = self.pending.pop() {
            let node = &mut self.nodes[n as usize];
            let (Some(phi), srcs) = (node.made, std::mem::take(&mut node.srcs)) else { continue };
            let shape = self.tys[node.local as usize].1;
            let srcs = srcs.iter().map(|&(pred, v)| PhiSrc { pred, value: self.value(body, v, shape) });
            let kind = InstrKind::Phi(srcs.collect());
            body.set_kind(phi, kind);
        }
    }

    /// Restores the values before the stores since `log`; returns the values that they left, if `keep`.
    fn undo(&mut self, log: usize, keep: bool) -> Range {
        let start = self.sides.len();
        self.next_stamp += 1;
        for i in log..self.log.len() {
            let (local, old) = self.log[i];
            let stamp = &mut self.stamp[local as usize].0;
            if *stamp != self.next_stamp {
                *stamp = self.next_stamp;
                let value = std::mem::replace(&mut self.now[local as usize], old);
                if keep {
                    self.sides.push((local, value));
                }
            }
        }
        self.log.truncate(log);
        (start, self.sides.len())
    }

    // ---- ifs ----

    pub fn start_if(&mut self) {
        let (log, reached) = (self.log.len(), !self.unreached);
        self.frames.push(Frame::If { log, then: None, then_end: None, reached, in_else: false });
    }

    /// Ends `then`; `end` is its last block, unless that ends in a jump.
    pub fn start_else(&mut self, end: Option<BlockId>) {
        let Some(&Frame::If { log, reached: before, .. }) = self.frames.last() else { return };
        let reached = !self.unreached;
        let range = self.undo(log, reached);
        if let Some(Frame::If { then, then_end, in_else, .. }) = self.frames.last_mut() {
            (*then, *then_end, *in_else) = (reached.then_some(range), end, true);
        }
        self.unreached = !before;
    }

    pub fn is_in_else(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::If { in_else: true, .. }))
    }

    /// Ends `else`, as [`Locals::start_else`]; `next` is the block after the `if`.
    pub fn end_if(&mut self, end: Option<BlockId>, next: BlockId) {
        let Some(Frame::If { log, then, then_end, .. }) = self.frames.pop() else { return };
        let els = self.undo(log, !self.unreached);
        match (then, !self.unreached) {
            (Some(then), true) => {
                if let (Some(then_end), Some(end)) = (then_end, end) {
                    self.join(then, els, next, then_end, end);
                }
            }
            (None, true) => self.leave_side(els, next, (end, then_end)),
            (Some(then), false) => {
                self.unreached = false;
                self.leave_side(then, next, (then_end, end));
            }
            (None, false) => {}
        }
        self.sides.truncate(then.map_or(els.0, |t| t.0));
    }

    /// The values of the only side that is reached.
    fn leave_side(&mut self, side: Range, next: BlockId, (from, other): (Option<BlockId>, Option<BlockId>)) {
        for i in side.0..side.1 {
            let (local, value) = self.sides[i];
            let srcs = from.map(|b| (b, value)).into_iter().chain(other.map(|b| (b, Value::Never))).collect();
            let value = self.node(next, local, srcs);
            self.assign(local, value);
        }
    }

    /// Merges the values of the two sides of an `if`.
    fn join(&mut self, then: Range, els: Range, next: BlockId, then_end: BlockId, else_end: BlockId) {
        self.next_stamp += 1;
        let stamp = self.next_stamp;
        for i in els.0..els.1 {
            self.stamp[self.sides[i].0 as usize] = (stamp, i as u32);
        }
        for i in then.0..then.1 {
            let (local, a) = self.sides[i];
            let mut b = self.now[local as usize];
            let (marked, at) = self.stamp[local as usize];
            if marked == stamp {
                b = self.sides[at as usize].1;
                self.stamp[local as usize].0 = 0;
            }
            self.choose(local, next, (then_end, a), (else_end, b));
        }
        for i in els.0..els.1 {
            let (local, b) = self.sides[i];
            if self.stamp[local as usize].0 == stamp {
                let a = self.now[local as usize];
                self.choose(local, next, (then_end, a), (else_end, b));
            }
        }
    }

    fn choose(&mut self, local: u32, block: BlockId, a: (BlockId, Value), b: (BlockId, Value)) {
        let value = self.node(block, local, SmallVec::from_buf([a, b]));
        self.assign(local, value);
    }

    // ---- loops ----

    /// Starts a loop between the block before it and its first block.
    pub fn start_loop(&mut self, prev: BlockId, header: BlockId) {
        let range = self.stores.loops.get(self.next_loop).copied().unwrap_or((0, 0));
        self.next_loop += 1;
        let first = self.loop_locals.len();
        self.next_stamp += 1;
        for i in range.0..range.1 {
            let local = self.stores.locals[i as usize];
            let own = local.checked_sub(self.stores.first_local);
            let born = own.and_then(|own| self.stores.born.get(own as usize)).copied().unwrap_or(u32::MAX);
            let inside = born != u32::MAX && born >= range.0;
            let stamp = &mut self.stamp[local as usize].0;
            if !inside && *stamp != self.next_stamp {
                *stamp = self.next_stamp;
                self.loop_locals.push(local);
            }
        }
        let locals = (first, self.loop_locals.len());
        let (log, nodes, live) = (self.log.len(), self.nodes.len() as u32, !self.unreached);
        let breaks = (self.breaks.len(), self.break_values.len());
        self.frames.push(Frame::Loop { log, locals, nodes, live, left: false, breaks });
        for i in if live { locals.0..locals.1 } else { 0..0 } {
            let local = self.loop_locals[i];
            let entry = (prev, self.now[local as usize]);
            let node = self.node(header, local, std::iter::once(entry).collect());
            self.assign(local, node);
        }
    }

    /// Control leaves at the end of `block`, which has the jump or ends the body of a loop.
    pub fn leave(&mut self, block: BlockId, jump: Jump) {
        let reached = !std::mem::replace(&mut self.unreached, true);
        if !matches!(jump, Jump::Break | Jump::Continue) {
            return;
        }
        for frame in self.frames.iter_mut().rev() {
            let Frame::Loop { locals, nodes, live, left, .. } = frame else { continue };
            if !*live {
                return;
            }
            let now = |l: &u32| if reached { self.now[*l as usize] } else { Value::Never };
            let list = &self.loop_locals[locals.0..locals.1];
            if jump == Jump::Break {
                self.breaks.push(block);
                self.break_values.extend(list.iter().map(now));
                *left |= reached;
            } else {
                for (i, l) in list.iter().enumerate() {
                    self.nodes[*nodes as usize + i].srcs.push((block, now(l)));
                }
            }
            return;
        }
    }

    /// The code that follows is reached after all, as after an `if` whose `then` alone has jumped.
    pub fn set_reached(&mut self, reached: bool) {
        self.unreached = !reached;
    }

    pub fn is_reached(&self) -> bool {
        !self.unreached
    }

    /// Ends a loop; `next` is the block after it.
    pub fn end_loop(&mut self, next: BlockId) {
        let Some(Frame::Loop { log, locals, left, breaks: first, .. }) = self.frames.pop() else { return };
        let _ = self.undo(log, false);
        self.unreached = !left;
        let count = locals.1 - locals.0;
        for i in 0..if left { count } else { 0 } {
            let local = self.loop_locals[locals.0 + i];
            let values = self.break_values[first.1..].iter().skip(i).step_by(count);
            let srcs = self.breaks[first.0..].iter().copied().zip(values.copied()).collect();
            let value = self.node(next, local, srcs);
            self.assign(local, value);
        }
        self.loop_locals.truncate(locals.0);
        self.breaks.truncate(first.0);
        self.break_values.truncate(first.1);
    }
}
