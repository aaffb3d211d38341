//! Computes the value of every leaf at every load, as a graph of symbolic values. One walk over the tree.
//! Stores inside a side of an `if` or a loop are logged, so that leaving the side restores the previous
//! values.

use super::leaves::{Component, Leaves};
use airfoil_ir::{BlockId, Body, CfId, Dense, InstrId, IntrinsicOp, Jump, Scratch, Walk};
use smallvec::SmallVec;

/// A symbolic value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Undefined.
    Undef,
    /// The value from an unreachable predecessor; in phis only.
    Never,
    /// The result of an existing instruction.
    Instr(InstrId),
    /// A node of the graph.
    Node(u32),
}

/// A component of a symbolic value.
pub type Comp = (Value, u8);

/// A value that is created only if needed.
#[derive(Clone, Debug)]
pub enum Node {
    /// Phi.
    Phi {
        /// Block of the phi.
        block: BlockId,
        /// The leaf.
        leaf: u32,
        /// Sources.
        srcs: SmallVec<[(BlockId, Value); 2]>,
    },
    /// A vector of components, created before an instruction.
    Vector {
        /// The leaf.
        leaf: u32,
        /// Components of other values.
        comps: [Comp; 4],
        /// The store that it replaces.
        at: InstrId,
    },
    /// A vector with one dynamically indexed component replaced, created before an instruction.
    Insert {
        /// The leaf.
        leaf: u32,
        /// The previous vector.
        old: Value,
        /// The new component.
        new: Value,
        /// Index of the component.
        index: InstrId,
        /// The store that it replaces.
        at: InstrId,
    },
    /// A dynamically indexed component of a vector, created before an instruction.
    Extract {
        /// The vector.
        from: Value,
        /// The leaf that holds the vector.
        leaf: u32,
        /// Index of the component.
        component: Component,
        /// The load that it replaces.
        at: InstrId,
    },
}

/// Result of [`compute`].
#[derive(Debug)]
pub struct Values {
    /// The graph. Operands precede their node, except for loop phis.
    pub nodes: Scratch<Node>,
    /// The value of each load.
    pub loads: Scratch<(InstrId, Value)>,
    /// The stores.
    pub stores: Scratch<InstrId>,
    /// The replacement of a redundant phi, or the phi itself.
    forward: Vec<Option<Value>>,
}

impl Values {
    /// A value after folding phis.
    pub fn resolve(&self, mut v: Value) -> Value {
        while let Value::Node(n) = v {
            match self.forward.get(n as usize).copied().flatten() {
                Some(to) => v = to,
                None => break,
            }
        }
        v
    }
}

enum Frame {
    If {
        log: usize,
        then: Option<(usize, usize)>,
        reached: bool,
    },
    Loop {
        log: usize,
        leaves: (usize, usize),
        phis: u32,
        live: bool,
        left: bool,
        breaks: Vec<BlockId>,
        values: Vec<Value>,
    },
}

struct Walker<'a> {
    body: &'a Body,
    leaves: &'a Leaves,
    now: Scratch<Value>,
    log: Scratch<(u32, Value)>,
    frames: Vec<Frame>,
    /// Stacks of leaves and values of `then` sides, and of leaves of loops.
    sides: Scratch<(u32, Value)>,
    loop_leaves: Scratch<u32>,
    /// A mark per leaf to skip duplicates.
    stamp: Scratch<u32>,
    next_stamp: u32,
    position: Scratch<u32>,
    reached: bool,
    stores: Stores,
    out: Values,
    read: Dense<u32>,
}

/// Computes the value of each load.
pub fn compute(body: &Body, leaves: &Leaves) -> Values {
    let n = leaves.tys.len();
    let mut w = Walker {
        body,
        leaves,
        now: Scratch::filled(Value::Undef, n),
        log: Scratch::new(),
        frames: Vec::with_capacity(body.num_cfs().min(8)),
        sides: Scratch::new(),
        loop_leaves: Scratch::new(),
        stamp: Scratch::filled(0, n),
        next_stamp: 0,
        position: Scratch::filled(0, n),
        reached: true,
        stores: Stores::default(),
        out: Values {
            nodes: Scratch::new(),
            loads: Scratch::new(),
            stores: Scratch::new(),
            forward: Vec::new(),
        },
        read: Dense::new(body.instr_capacity()),
    };
    // Accesses are in program order, so those of a block or loop are a range of the list.
    let mut access = 0;
    if body.num_cfs() > 0 {
        w.stores = Stores::new(body, leaves);
    }
    let mut loops = std::mem::take(&mut w.stores.loops).into_iter();
    for step in body.walk_cf() {
        match step {
            Walk::Block(b) => w.block(b, &mut access),
            Walk::If(_) => {
                let log = w.log.len();
                w.frames.push(Frame::If { log, then: None, reached: w.reached });
            }
            Walk::Else(_) => w.end_then(),
            Walk::EndIf(cf) => w.end_if(cf),
            Walk::Loop(cf) => w.start_loop(cf, loops.next().unwrap_or((0, 0))),
            Walk::EndLoop(cf) => w.end_loop(cf),
        }
    }
    let mut out = w.out;
    fold_phis(&mut out);
    out
}

/// The stores in program order.
#[derive(Default)]
struct Stores {
    /// The leaf of each store.
    leaves: Vec<u32>,
    /// The stores inside each loop, in the order in which loops start.
    loops: Vec<(u32, u32)>,
    /// For a leaf whose first access is a store to all of it, with all other accesses in the rest of the same region: that
    /// store. A loop around it never reads a store of an earlier iteration. Otherwise [`u32::MAX`].
    born: Vec<u32>,
}

impl Stores {
    fn new(body: &Body, leaves: &Leaves) -> Stores {
        let mut stores = Stores::default();
        if !body.walk_cf().any(|s| matches!(s, Walk::Loop(_))) {
            return stores;
        }
        // The first access of each leaf: the region, and the store if it is one.
        let mut first = vec![(u32::MAX, u32::MAX); leaves.tys.len()];
        let mut last = vec![0; leaves.tys.len()];
        // The end of each region in accesses, and the regions and loops around the position.
        let (mut ends, mut around, mut open) = (vec![0], vec![0], Vec::new());
        let mut at = 0;
        for step in body.walk_cf() {
            match step {
                Walk::Block(b) => {
                    let in_block = |a: &&super::leaves::LeafAccess| body.block_of(a.instr) == b;
                    while let Some(a) = leaves.accesses.get(at).filter(in_block) {
                        stores.access(body, leaves, a, around.last().copied().unwrap_or(0), &mut first);
                        if let Some(leaf) = a.leaf {
                            last[leaf as usize] = at;
                        }
                        at += 1;
                    }
                }
                Walk::If(_) | Walk::Loop(_) => {
                    if matches!(step, Walk::Loop(_)) {
                        open.push(stores.loops.len());
                        let start = stores.leaves.len() as u32;
                        stores.loops.push((start, start));
                    }
                    around.push(ends.len() as u32);
                    ends.push(0);
                }
                Walk::Else(_) | Walk::EndIf(_) | Walk::EndLoop(_) => {
                    if let Some(region) = around.pop() {
                        ends[region as usize] = at;
                    }
                    if matches!(step, Walk::Else(_)) {
                        around.push(ends.len() as u32);
                        ends.push(0);
                    } else if matches!(step, Walk::EndLoop(_))
                        && let Some(i) = open.pop()
                    {
                        stores.loops[i].1 = stores.leaves.len() as u32;
                    }
                }
            }
        }
        ends[0] = at;
        let born = |(&(region, store), &last): (&(u32, u32), &usize)| match ends.get(region as usize) {
            Some(&end) if last < end => store,
            _ => u32::MAX,
        };
        stores.born = first.iter().zip(&last).map(born).collect();
        stores
    }

    fn access(
        &mut self,
        body: &Body,
        leaves: &Leaves,
        a: &super::leaves::LeafAccess,
        region: u32,
        first: &mut [(u32, u32)],
    ) {
        let Some(leaf) = a.leaf else { return };
        let store = body[a.instr].as_intrinsic().filter(|i| i.op == IntrinsicOp::store_deref);
        let known = &mut first[leaf as usize];
        if known.0 == u32::MAX {
            let full = leaves.tys[leaf as usize].full_mask();
            let whole =
                a.component == Component::All && store.is_some_and(|i| i.write_mask() as u8 & full == full);
            *known = (region, if whole { self.leaves.len() as u32 } else { u32::MAX });
        }
        if store.is_some() {
            self.leaves.push(leaf);
        }
    }
}

impl Walker<'_> {
    fn node(&mut self, node: Node) -> Value {
        self.out.nodes.push(node);
        Value::Node(self.out.nodes.len() as u32 - 1)
    }

    fn assign(&mut self, leaf: u32, value: Value) {
        let old = std::mem::replace(&mut self.now[leaf as usize], value);
        if !self.frames.is_empty() && old != value {
            self.log.push((leaf, old));
        }
    }

    /// The value of a store operand; looks through loads that are removed.
    fn operand(&self, id: InstrId) -> Value {
        match self.read.get(id).checked_sub(1) {
            Some(i) => self.out.loads[i as usize].1,
            None => Value::Instr(id),
        }
    }

    /// Component `c` of a value.
    fn component(&self, value: Value, c: u8) -> Comp {
        match value {
            Value::Node(n) => match &self.out.nodes[n as usize] {
                Node::Vector { comps, .. } => comps[c as usize],
                _ => (value, c),
            },
            _ => (value, c),
        }
    }

    fn block(&mut self, block: BlockId, access: &mut usize) {
        while let Some(a) = self.leaves.accesses.get(*access) {
            if self.body.block_of(a.instr) != block {
                break;
            }
            *access += 1;
            let Some(i) = self.body[a.instr].as_intrinsic() else { continue };
            if i.op == IntrinsicOp::store_deref {
                self.out.stores.push(a.instr);
                if let Some(leaf) = a.leaf.filter(|_| self.reached) {
                    let value = self.operand(i.src(1));
                    self.store(a.instr, leaf, a.component, value, i.write_mask() as u8);
                }
            } else {
                let value = match a.leaf.filter(|_| self.reached) {
                    Some(leaf) => self.load(a.instr, leaf, a.component),
                    None => Value::Undef,
                };
                self.out.loads.push((a.instr, value));
                self.read.set(a.instr, self.out.loads.len() as u32);
            }
        }
        match self.body.jump(block) {
            None => {}
            Some(jump) => {
                if matches!(jump, Jump::Break | Jump::Continue) {
                    self.leave(block, jump);
                }
                self.reached = false;
            }
        }
    }

    fn load(&mut self, at: InstrId, leaf: u32, component: Component) -> Value {
        let from = self.now[leaf as usize];
        let comps = self.leaves.tys[leaf as usize].comps;
        match component {
            Component::All => from,
            _ if from == Value::Undef => Value::Undef,
            Component::Const(_) if comps == 1 => from,
            Component::Const(c) => {
                let (from, c) = self.component(from, c);
                let scalar = match from {
                    Value::Instr(v) => self.body[v].ty.comps == 1,
                    Value::Undef | Value::Never => true,
                    Value::Node(n) => match self.out.nodes[n as usize] {
                        Node::Extract { .. } => true,
                        Node::Phi { leaf, .. } | Node::Vector { leaf, .. } | Node::Insert { leaf, .. } => {
                            self.leaves.tys[leaf as usize].comps == 1
                        }
                    },
                };
                if scalar {
                    from
                } else {
                    self.node(Node::Extract { from, leaf, component: Component::Const(c), at })
                }
            }
            Component::Dynamic(_) => self.node(Node::Extract { from, leaf, component, at }),
        }
    }

    fn store(&mut self, at: InstrId, leaf: u32, component: Component, value: Value, mask: u8) {
        // A store of an out-of-range component has no effect.
        if mask == 0 {
            return;
        }
        let comps = self.leaves.tys[leaf as usize].comps;
        let full = (1u8 << comps) - 1;
        let old = self.now[leaf as usize];
        let new = match component {
            Component::All if mask & full == full => value,
            Component::All => {
                let of = |c: u8| {
                    if mask & (1 << c) != 0 { self.component(value, c) } else { self.component(old, c) }
                };
                let all = [of(0), of(1), of(2), of(3)];
                self.vector(leaf, all, at)
            }
            Component::Const(_) if comps == 1 => value,
            Component::Const(k) => {
                let of = |c: u8| if c == k { self.component(value, 0) } else { self.component(old, c) };
                let all = [of(0), of(1), of(2), of(3)];
                self.vector(leaf, all, at)
            }
            Component::Dynamic(index) => self.node(Node::Insert { leaf, old, new: value, index, at }),
        };
        self.assign(leaf, new);
    }

    fn vector(&mut self, leaf: u32, mut comps: [Comp; 4], at: InstrId) -> Value {
        let n = self.leaves.tys[leaf as usize].comps as usize;
        comps[n..].fill((Value::Undef, 0));
        self.node(Node::Vector { leaf, comps, at })
    }

    // ---- ifs ----

    /// Undoes the log down to `mark` and pushes the discarded values to `sides`.
    fn undo(&mut self, mark: usize, keep: bool) -> (usize, usize) {
        let start = self.sides.len();
        self.next_stamp += 1;
        let stamp = self.next_stamp;
        while self.log.len() > mark {
            let Some((leaf, old)) = self.log.pop() else { break };
            if keep && self.stamp[leaf as usize] != stamp {
                self.stamp[leaf as usize] = stamp;
                self.sides.push((leaf, self.now[leaf as usize]));
            }
            self.now[leaf as usize] = old;
        }
        (start, self.sides.len())
    }

    fn end_then(&mut self) {
        let Some(&Frame::If { log, reached: before, .. }) = self.frames.last() else { return };
        let reached = self.reached;
        let range = self.undo(log, reached);
        if let Some(Frame::If { then, .. }) = self.frames.last_mut() {
            *then = reached.then_some(range);
        }
        self.reached = before;
    }

    fn end_if(&mut self, cf: CfId) {
        let Some(Frame::If { log, then, .. }) = self.frames.pop() else { return };
        let else_reached = self.reached;
        let els = match (then, else_reached) {
            // Only `else` continues: its values hold.
            (None, true) => {
                if self.frames.is_empty() {
                    self.log.truncate(log);
                }
                return;
            }
            (_, reached) => self.undo(log, reached),
        };
        if let (Some(n), Some(then)) = (self.body.as_if(cf), then) {
            self.reached = true;
            if else_reached {
                self.join(then, els, n.next(), n.then().last, n.els().last);
            } else {
                for i in then.0..then.1 {
                    let (leaf, value) = self.sides[i];
                    self.assign(leaf, value);
                }
            }
        }
        self.sides.truncate(then.map_or(els.0, |t| t.0));
    }

    /// Merges the values of the two sides of an `if`.
    fn join(
        &mut self,
        then: (usize, usize),
        els: (usize, usize),
        next: BlockId,
        then_end: BlockId,
        else_end: BlockId,
    ) {
        self.next_stamp += 1;
        let stamp = self.next_stamp;
        for i in els.0..els.1 {
            let leaf = self.sides[i].0 as usize;
            self.stamp[leaf] = stamp;
            self.position[leaf] = i as u32;
        }
        for i in then.0..then.1 {
            let (leaf, a) = self.sides[i];
            let mut b = self.now[leaf as usize];
            if self.stamp[leaf as usize] == stamp {
                b = self.sides[self.position[leaf as usize] as usize].1;
                self.stamp[leaf as usize] = 0;
            }
            self.choose(leaf, next, (then_end, a), (else_end, b));
        }
        for i in els.0..els.1 {
            let (leaf, b) = self.sides[i];
            if self.stamp[leaf as usize] == stamp {
                let a = self.now[leaf as usize];
                self.choose(leaf, next, (then_end, a), (else_end, b));
            }
        }
    }

    fn choose(&mut self, leaf: u32, block: BlockId, a: (BlockId, Value), b: (BlockId, Value)) {
        let value = if a.1 == b.1 {
            a.1
        } else {
            self.node(Node::Phi { block, leaf, srcs: SmallVec::from_buf([a, b]) })
        };
        self.assign(leaf, value);
    }

    // ---- loops ----

    fn start_loop(&mut self, cf: CfId, stores: (u32, u32)) {
        let Some(n) = self.body.as_loop(cf) else { return };
        let first = self.loop_leaves.len();
        self.next_stamp += 1;
        for &leaf in &self.stores.leaves[stores.0 as usize..stores.1 as usize] {
            let born = self.stores.born[leaf as usize];
            let inside = born != u32::MAX && born >= stores.0;
            if !inside && self.stamp[leaf as usize] != self.next_stamp {
                self.stamp[leaf as usize] = self.next_stamp;
                self.loop_leaves.push(leaf);
            }
        }
        let leaves = (first, self.loop_leaves.len());
        let (log, phis) = (self.log.len(), self.out.nodes.len() as u32);
        let (breaks, values, live) = (Vec::new(), Vec::new(), self.reached);
        self.frames.push(Frame::Loop { log, leaves, phis, live, left: false, breaks, values });
        if !self.reached {
            return;
        }
        for i in leaves.0..leaves.1 {
            let leaf = self.loop_leaves[i];
            let entry = (n.prev(), self.now[leaf as usize]);
            let srcs = std::iter::once(entry).collect();
            let phi = self.node(Node::Phi { block: n.body().first, leaf, srcs });
            self.assign(leaf, phi);
        }
    }

    /// Adds an edge from `block` to the start of the innermost loop or to the code after it. Even if `block`
    /// is unreachable the edge exists, and phis have a source for it.
    fn leave(&mut self, block: BlockId, jump: Jump) {
        let reached = self.reached;
        for frame in self.frames.iter_mut().rev() {
            let Frame::Loop { leaves, phis, live, left, breaks, values, .. } = frame else { continue };
            if !*live {
                return;
            }
            let now = |l: &u32| if reached { self.now[*l as usize] } else { Value::Never };
            let list = &self.loop_leaves[leaves.0..leaves.1];
            if jump == Jump::Break {
                breaks.push(block);
                values.extend(list.iter().map(now));
                *left |= reached;
            } else {
                for (i, l) in list.iter().enumerate() {
                    if let Node::Phi { srcs, .. } = &mut self.out.nodes[*phis as usize + i] {
                        srcs.push((block, now(l)));
                    }
                }
            }
            return;
        }
    }

    fn end_loop(&mut self, cf: CfId) {
        let Some(n) = self.body.as_loop(cf) else { return };
        if self.body.jump(n.body().last).is_none() {
            self.leave(n.body().last, Jump::Continue);
        }
        let Some(Frame::Loop { log, leaves, left, breaks, values, .. }) = self.frames.pop() else { return };
        self.undo(log, false);
        self.reached = left;
        let count = leaves.1 - leaves.0;
        for i in 0..if self.reached { count } else { 0 } {
            let leaf = self.loop_leaves[leaves.0 + i];
            let srcs = breaks.iter().enumerate().map(|(k, &b)| (b, values[k * count + i]));
            let mut reached = srcs.clone().map(|s| s.1).filter(|&v| v != Value::Never);
            let first = reached.next().unwrap_or(Value::Undef);
            let value = if reached.all(|v| v == first) {
                first
            } else {
                let srcs = srcs.collect();
                self.node(Node::Phi { block: n.next(), leaf, srcs })
            };
            self.assign(leaf, value);
        }
        self.loop_leaves.truncate(leaves.0);
    }
}

/// Lists of the phis that use each node, linked so that two lists join in one step.
struct PhiUsers {
    head: Vec<u32>,
    tail: Vec<u32>,
    /// Using phi and next entry.
    entries: Vec<(u32, u32)>,
}

const END: u32 = u32::MAX;

impl PhiUsers {
    fn new(nodes: &[Node]) -> PhiUsers {
        let mut users =
            PhiUsers { head: vec![END; nodes.len()], tail: vec![END; nodes.len()], entries: Vec::new() };
        for (i, node) in nodes.iter().enumerate() {
            let Node::Phi { srcs, .. } = node else { continue };
            for &(_, v) in srcs {
                if let Value::Node(n) = v {
                    users.entries.push((i as u32, END));
                    let entry = users.entries.len() as u32 - 1;
                    users.append(n as usize, entry, entry);
                }
            }
        }
        users
    }

    fn append(&mut self, node: usize, first: u32, last: u32) {
        match self.tail[node] {
            END => self.head[node] = first,
            tail => self.entries[tail as usize].1 = first,
        }
        self.tail[node] = last;
    }

    /// Adds the users of `from` to those of `to`.
    fn merge(&mut self, from: usize, to: usize) {
        if self.head[from] != END {
            self.append(to, self.head[from], self.tail[from]);
        }
    }

    /// Queues the users that are not in the queue.
    fn queue(&self, node: usize, queue: &mut Vec<u32>, queued: &mut [bool]) {
        let (mut at, last) = (self.head[node], self.tail[node]);
        while at != END {
            let user = self.entries[at as usize].0;
            if !std::mem::replace(&mut queued[user as usize], true) {
                queue.push(user);
            }
            at = if at == last { END } else { self.entries[at as usize].1 };
        }
    }
}

/// Folds phis whose sources are one value and the phi itself, until there are none left.
fn fold_phis(out: &mut Values) {
    let is_phi = |n: &Node| matches!(n, Node::Phi { .. });
    let mut queue: Vec<u32> =
        (0..out.nodes.len() as u32).rev().filter(|&i| is_phi(&out.nodes[i as usize])).collect();
    if queue.is_empty() {
        return;
    }
    out.forward = vec![None; out.nodes.len()];
    let mut users = PhiUsers::new(&out.nodes);
    let mut queued = vec![true; out.nodes.len()];
    while let Some(i) = queue.pop() {
        let i = i as usize;
        queued[i] = false;
        let Node::Phi { srcs, .. } = &out.nodes[i] else { continue };
        if out.forward[i].is_some() {
            continue;
        }
        let mut only = None;
        let mut trivial = true;
        let own = Value::Node(i as u32);
        let srcs = srcs.iter().map(|&(_, v)| out.resolve(v));
        for v in srcs.filter(|&v| v != own && v != Value::Never) {
            trivial &= only.is_none_or(|o| o == v);
            only = Some(v);
        }
        if trivial {
            let value = only.unwrap_or(Value::Undef);
            out.forward[i] = Some(value);
            users.queue(i, &mut queue, &mut queued);
            if let Value::Node(n) = value {
                users.merge(i, n as usize);
            }
        }
    }
}
