//! Local variables as SSA values, constructed while code is built.
//!
//! For variables that are only loaded and stored whole. Values are symbolic: where paths merge, a local that differs gets a *node*;
//! before a loop, every local that the loop stores to gets one. A node becomes a phi when a load needs it, so phis that nothing
//! reads are never inserted. The sources of phis are added at the end of the function. Values that leave a region get a phi even if
//! there is one source, so that each use sees a definition in its own region or around it.
//!
//! Source: Braun et al. 2013, "Simple and Efficient Construction of Static Single Assignment Form"; Brandis and Mössenböck 1994,
//! "Single-Pass Generation of Static Single-Assignment Form for Structured Languages". The pass `vars_to_ssa` does the same for
//! variables of a finished body.

use crate::body::{Body, Cursor};
use crate::ids::{BlockId, InstrId};
use crate::instr::{Instr, InstrKind, Jump, PhiSrc};
use crate::value::Ty;
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

/// A range of [`LocalValues::sides`] or [`LocalValues::loop_locals`].
type Range = (usize, usize);

#[derive(Debug)]
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

/// The state of [`LocalValues`] around an inlined function, for [`LocalValues::leave_function`].
///
/// # Examples
/// ```
/// use airfoil_ir::{Body, Builder, LocalValues, OuterLocals, Ty};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let mut locals = LocalValues::default();
/// let x = locals.add(Ty::B32);
/// let seven = b.imm_u32(7);
/// // The code of a function with a parameter that is stored back to `x` at its end.
/// let outer: OuterLocals = locals.enter();
/// let parameter = locals.add(Ty::B32);
/// locals.store(parameter, seven);
/// let result = locals.load(b.body, parameter);
/// locals.store(x, result);
/// locals.leave_function(outer);
/// assert_eq!(locals.load(b.body, x), seven);
/// ```
#[derive(Debug)]
pub struct OuterLocals {
    /// The first local of the inlined function.
    first_local: u32,
    /// Length of the log before it.
    log: usize,
}

/// The locals of the function that is built.
///
/// The caller reports loads, stores and control flow in the order in which it builds them.
///
/// # Examples
/// ```
/// use airfoil_ir::*;
/// let mut shader = Shader::new("t", Stage::Fragment);
/// let main = shader.add_function(Function::new("main"));
/// shader.entry = Some(main);
/// let mut b = shader.builder(main).unwrap();
/// let mut locals = LocalValues::default();
/// // x = 1; if (c) { x = 2; } y = x;
/// let x = locals.add(Ty::B32);
/// let one = b.imm_u32(1);
/// locals.store(x, one);
/// let c = b.intrinsic(IntrinsicOp::load_helper_invocation, Ty::BOOL, &[]);
/// let cf = b.push_if(c);
/// locals.start_if();
/// let two = b.imm_u32(2);
/// locals.store(x, two);
/// locals.start_else(Some(b.block()));
/// b.push_else(cf);
/// let end = b.block();
/// b.pop(cf);
/// locals.end_if(Some(end), b.block());
/// let y = locals.load(b.body, x);
/// locals.finish(b.body);
/// assert!(b.body[y].as_phi().is_some_and(|srcs| srcs.len() == 2));
/// # assert!(airfoil_ir::validate::validate(&shader).is_empty());
/// ```
#[derive(Debug, Default)]
pub struct LocalValues {
    /// Shape of each local.
    tys: Vec<Ty>,
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
}

impl LocalValues {
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
        (self.next_stamp, self.unreached) = (0, false);
    }

    /// Adds a local, whose value is undefined; returns its index.
    pub fn add(&mut self, shape: Ty) -> u32 {
        self.tys.push(shape);
        self.now.push(Value::Undef);
        self.stamp.push((0, 0));
        self.tys.len() as u32 - 1
    }

    /// Starts a function within the one that is read.
    pub fn enter(&mut self) -> OuterLocals {
        OuterLocals { first_local: self.tys.len() as u32, log: self.log.len() }
    }

    /// Ends a function within another, whose locals nothing refers to afterwards.
    pub fn leave_function(&mut self, outer: OuterLocals) {
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
        self.value(body, value, self.tys[local as usize])
    }

    /// Sets the current value.
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
            let shape = self.tys[node.local as usize];
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

    /// Starts an `if`.
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

    /// Whether the innermost construct is an `if` in its `else` region.
    pub fn is_in_else(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::If { in_else: true, .. }))
    }

    /// Ends `else`, as for [`LocalValues::start_else`]; `next` is the block after the `if`.
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

    /// Starts a loop between the block before it and its first block. `stored` are the locals to which it stores and whose values it
    /// passes on to its next iteration or to the code after it; any order, repeated or not.
    pub fn start_loop(&mut self, prev: BlockId, header: BlockId, stored: impl IntoIterator<Item = u32>) {
        let first = self.loop_locals.len();
        self.next_stamp += 1;
        for local in stored {
            let stamp = &mut self.stamp[local as usize].0;
            if *stamp != self.next_stamp {
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

    /// Whether control reaches the current position.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Function, IntrinsicOp, Shader, Stage};

    /// `x = 1; if (c) { x = 2; } else { return; } y = x;`, or with the sides swapped.
    fn one_side_returns(then_returns: bool) {
        let mut shader = Shader::new("t", Stage::Fragment);
        let main = shader.add_function(Function::new("main"));
        shader.entry = Some(main);
        let mut b = shader.builder(main).unwrap();
        let mut locals = LocalValues::default();
        let x = locals.add(Ty::B32);
        let one = b.imm_u32(1);
        locals.store(x, one);
        let c = b.intrinsic(IntrinsicOp::load_helper_invocation, Ty::BOOL, &[]);
        let mut two = one;
        let mut side = |b: &mut Builder<'_>, locals: &mut LocalValues, returns: bool| {
            if returns {
                locals.leave(b.block(), Jump::Return);
                b.jump(Jump::Return);
                return None;
            }
            two = b.imm_u32(2);
            locals.store(x, two);
            Some(b.block())
        };
        let cf = b.push_if(c);
        locals.start_if();
        let end = side(&mut b, &mut locals, then_returns);
        locals.start_else(end);
        b.push_else(cf);
        let end = side(&mut b, &mut locals, !then_returns);
        b.pop(cf);
        locals.end_if(end, b.block());
        let y = locals.load(b.body, x);
        locals.finish(b.body);
        let is_two = y == two || b.body[y].as_phi().is_some_and(|srcs| srcs.iter().all(|s| s.value == two));
        assert!(is_two, "{:?}", b.body[y]);
        assert!(crate::validate::validate(&shader).is_empty());
    }

    #[test]
    fn values_come_from_the_side_that_does_not_jump() {
        one_side_returns(false);
        one_side_returns(true);
    }

    /// `x = 1; if (c) { f(); } y = x;` with the code of `f` in place of the call, which stores to `x` and to a local of its own.
    #[test]
    fn stores_of_an_inlined_function_end_with_the_side() {
        let mut body = Body::new();
        let mut b = Builder::at_end(&mut body);
        let mut locals = LocalValues::default();
        let x = locals.add(Ty::B32);
        let (one, c) = (b.imm_u32(1), b.undef(Ty::BOOL));
        locals.store(x, one);
        let cf = b.push_if(c);
        locals.start_if();
        let outer = locals.enter();
        let own = locals.add(Ty::B32);
        let two = b.imm_u32(2);
        locals.store(own, two);
        locals.store(x, two);
        locals.leave_function(outer);
        let end = b.block();
        locals.start_else(Some(end));
        b.push_else(cf);
        assert_eq!(locals.load(b.body, x), one);
        let end = b.block();
        b.pop(cf);
        locals.end_if(Some(end), b.block());
        let y = locals.load(b.body, x);
        locals.finish(b.body);
        let values: Vec<_> = b.body[y].as_phi().unwrap().iter().map(|s| s.value).collect();
        assert_eq!(values, [two, one]);
    }
}
