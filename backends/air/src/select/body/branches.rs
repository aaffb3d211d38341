//! Ends of blocks: branches that go past empty blocks, `switch` for chains of comparisons, and the values of phis.

use super::FunctionEmitter;
use crate::module::{BinOp, BlockId as AirBlock, Op, Value, ValueKind};
use crate::select::types::{Class, scalar_type};
use airfoil_ir::{AluOp, BlockId, Cf, InstrId, InstrKind, Jump, PhiSrc};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// An edge of the control flow of the module.
#[derive(Clone)]
struct Edge {
    /// The blocks of the IR that it leads through: the one that it leaves, then blocks without code.
    path: SmallVec<[BlockId; 4]>,
    to: Destination,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Destination {
    Block(BlockId),
    /// The block that all returns lead to.
    Exit(AirBlock),
}

/// Maximum length of a path, so that long chains of blocks without code cost linear time.
const MAX_PATH: usize = 16;

/// Comparisons with constants that pay for a `switch`.
const MIN_CASES: usize = 3;

/// A side of a chain of comparisons of one value: the constants that select it, and its first block.
struct Case {
    constants: SmallVec<[u64; 2]>,
    /// The block that compares.
    from: BlockId,
    target: BlockId,
}

/// Constants that one condition compares with, at most: disjunctions of fall-through cases grow with each case, and each is
/// looked at.
const MAX_CONSTANTS: usize = 32;

type Cases = SmallVec<[Case; 4]>;

impl Edge {
    fn direct(from: BlockId, to: BlockId) -> Edge {
        Edge { path: smallvec![from], to: Destination::Block(to) }
    }

    /// The value that a phi at the end of the edge takes from it.
    fn value(&self, body: &airfoil_ir::Body, phi: InstrId) -> Option<InstrId> {
        let incoming = |srcs: &[PhiSrc], pred: BlockId| srcs.iter().find(|s| s.pred == pred).map(|s| s.value);
        let mut at = self.path.len() - 1;
        let mut value = incoming(body[phi].as_phi()?, self.path[at])?;
        // Phis of skipped blocks are replaced by their own incoming values.
        while at > 0 {
            if let Some(srcs) = body[value].as_phi().filter(|_| body.block_of(value) == self.path[at]) {
                value = incoming(srcs, self.path[at - 1])?;
            }
            at -= 1;
        }
        Some(value)
    }
}

impl FunctionEmitter<'_> {
    /// Ends a block that neither returns nor halts.
    pub(super) fn branch(&mut self, block: BlockId) {
        let body = self.body;
        match body.successors(block) {
            [Some(yes), Some(no)] => {
                let cond = match body.next_cf(block).map(|cf| body.cf(cf)) {
                    Some(Cf::If(n)) => n.cond(),
                    _ => return self.b.unreachable(),
                };
                if self.switch(block, cond) {
                    return;
                }
                let condition = self.scalar(cond, Class::Int);
                let (yes, mut other) = (self.skip_empty(block, yes), self.skip_empty(block, no));
                if yes.to == other.to {
                    if self.feed_alike(&yes, &other) {
                        return self.go_to(&yes);
                    }
                    // A phi takes one value from each predecessor.
                    other = Edge::direct(block, no);
                }
                let targets = [self.feed(&yes), self.feed(&other)];
                self.b.cond_br(condition, targets[0], targets[1]);
                self.note_latch(&yes);
                self.note_latch(&other);
            }
            [Some(next), None] | [None, Some(next)] => {
                let edge = self.skip_empty(block, next);
                self.go_to(&edge);
            }
            [None, None] => self.go_to_exit(),
        }
    }

    fn go_to(&mut self, edge: &Edge) {
        let target = self.feed(edge);
        self.b.br(target);
        self.note_latch(edge);
    }

    /// Records the branch just emitted if it leads back to the head of a loop.
    fn note_latch(&mut self, edge: &Edge) {
        if let Destination::Block(next) = edge.to
            && self.options.target.marks_progress()
            && self.is_open(next)
        {
            self.state.latches.extend(self.b.last().map(|branch| (branch, next)));
        }
    }

    /// Whether emission has come to a block, so that branches to it go back.
    fn is_open(&self, block: BlockId) -> bool {
        self.state.blocks.get(block).is_some_and(|b| b.opened)
    }

    // ---- empty blocks ----

    /// The edge from `from` to `next`, or to the first block with code that control always reaches from there.
    ///
    /// Values that pass through a block without code are defined before it, so that they are available in all of its
    /// predecessors.
    fn skip_empty(&mut self, from: BlockId, next: BlockId) -> Edge {
        let body = self.body;
        let mut edge = Edge::direct(from, next);
        let mut at = next;
        while edge.path.len() < MAX_PATH && self.is_empty(at) {
            let to = match body.successors(at) {
                [Some(next), None] | [None, Some(next)] => Destination::Block(next),
                [None, None] => match self.state.exit {
                    Some(exit) => Destination::Exit(exit),
                    None => break,
                },
                _ => break,
            };
            self.state.skipped.insert(at, ());
            edge.path.push(at);
            edge.to = to;
            match to {
                Destination::Block(next) => at = next,
                Destination::Exit(_) => break,
            }
        }
        edge
    }

    /// Whether a block has no code but phis whose values only go to phis of its successor, so that branches to it can go on.
    fn is_empty(&self, block: BlockId) -> bool {
        let body = self.body;
        let mut uses = 0;
        for id in body.instrs(block) {
            match body[id].kind {
                InstrKind::Phi(_) => uses += body[id].uses(),
                InstrKind::Jump(Jump::Halt) => return false,
                InstrKind::Jump(_) => {}
                _ => return false,
            }
        }
        let before_loop = body.jump(block).is_none()
            && body.next_cf(block).is_some_and(|cf| matches!(body.cf(cf), Cf::Loop(_)));
        if before_loop || self.head_of_loop(block) || self.has_names(block) {
            return false;
        }
        if uses != 0 {
            let ([Some(next), None] | [None, Some(next)]) = body.successors(block) else { return false };
            let passes = |phi: &InstrId| {
                let srcs = body[*phi].as_phi().unwrap_or_default();
                srcs.iter().any(|s| {
                    s.pred == block && body[s.value].as_phi().is_some() && body.block_of(s.value) == block
                })
            };
            uses -= body.phis(next).filter(passes).count() as u32;
        }
        uses == 0
    }

    // ---- phis ----

    /// Makes the values that the destination of an edge takes from here; the block of the module to branch to.
    fn feed(&mut self, edge: &Edge) -> AirBlock {
        let next = match edge.to {
            Destination::Block(next) => next,
            Destination::Exit(exit) => {
                self.feed_exit();
                return exit;
            }
        };
        let body = self.body;
        for phi in body.phis(next) {
            let Some(value) = edge.value(body, phi) else { continue };
            let (ty, class) = (body[phi].ty, self.usage.class(phi, body[phi].ty.bits));
            let value = self.whole(value, ty.comps, class);
            let Some(from) = self.b.current() else { continue };
            self.state.phis.push((phi.index() as u32, value, from));
        }
        self.target(next)
    }

    /// Whether the phis of the common destination of two edges take the same values from both.
    fn feed_alike(&self, a: &Edge, b: &Edge) -> bool {
        let Destination::Block(next) = a.to else { return true };
        let body = self.body;
        body.phis(next).all(|phi| a.value(body, phi) == b.value(body, phi))
    }

    // ---- switches ----

    /// Ends a block by a `switch` if it starts a chain of comparisons of one value with constants.
    fn switch(&mut self, block: BlockId, cond: InstrId) -> bool {
        let Some((value, cases, default)) = self.comparisons(block, cond) else { return false };
        if cases.iter().map(|c| c.constants.len()).sum::<usize>() < MIN_CASES {
            return false;
        }
        self.remove_comparison(cond);
        let selector = self.scalar(value, Class::Int);
        let ty = scalar_type(Class::Int, self.bits(value));
        let mut edges: SmallVec<[Edge; 8]> = SmallVec::new();
        let mut ends: FxHashMap<Destination, usize> = FxHashMap::default();
        let mut known: FxHashSet<u64> = FxHashSet::default();
        let mut list: SmallVec<[(Value, AirBlock); 8]> = SmallVec::new();
        for case in &cases {
            let edge = self.switch_edge(&edges, &ends, case.from, case.target);
            for &constant in &case.constants {
                // The first comparison that holds decides.
                if known.insert(constant) {
                    let number = self.b.module.int(ty, constant as i64);
                    list.push((number, self.feed(&edge)));
                }
            }
            ends.entry(edge.to).or_insert(edges.len());
            edges.push(edge);
        }
        let (from, to) = default;
        let edge = self.switch_edge(&edges, &ends, from, to);
        let default = self.feed(&edge);
        self.b.switch(selector, default, &list);
        true
    }

    /// An edge of a `switch`. Phis take one value from the `switch`, so that edges that differ in it end in blocks of their own.
    fn switch_edge(
        &mut self,
        edges: &[Edge],
        ends: &FxHashMap<Destination, usize>,
        from: BlockId,
        to: BlockId,
    ) -> Edge {
        let edge = self.skip_empty(from, to);
        let back = matches!(edge.to, Destination::Block(next) if self.is_open(next));
        match ends.get(&edge.to).map(|&n| &edges[n]) {
            _ if back => Edge::direct(from, to),
            Some(other) if !self.feed_alike(other, &edge) => Edge::direct(from, to),
            _ => edge,
        }
    }

    /// The value that a block and the first blocks of the `else` sides after it compare with constants, the cases, and the edge
    /// that is left if no comparison holds.
    fn comparisons(&self, block: BlockId, cond: InstrId) -> Option<(InstrId, Cases, (BlockId, BlockId))> {
        let body = self.body;
        let (value, _) = self.compared(cond, None)?;
        let mut cases = Cases::new();
        let (mut from, mut cond) = (block, cond);
        loop {
            let [Some(yes), Some(no)] = body.successors(from) else { return None };
            let (_, constants) = self.compared(cond, Some(value))?;
            cases.push(Case { constants, from, target: yes });
            let next = match body.next_cf(no).map(|cf| body.cf(cf)) {
                Some(Cf::If(n)) if body.jump(no).is_none() && !self.has_names(no) => n.cond(),
                _ => return Some((value, cases, (from, no))),
            };
            if self.compared(next, Some(value)).is_none() || !self.only_compares(no, next) {
                return Some((value, cases, (from, no)));
            }
            (from, cond) = (no, next);
        }
    }

    /// The scalar that a condition compares with constants, by `ieq` or a disjunction of some.
    fn compared(&self, cond: InstrId, with: Option<InstrId>) -> Option<(InstrId, SmallVec<[u64; 2]>)> {
        let body = self.body;
        let mut constants: SmallVec<[u64; 2]> = SmallVec::new();
        let mut with = with;
        let mut open: SmallVec<[InstrId; 4]> = smallvec![cond];
        while let Some(id) = open.pop() {
            if open.len() + constants.len() >= MAX_CONSTANTS {
                return None;
            }
            let alu = body[id].as_alu().filter(|a| matches!(a.op, AluOp::ieq | AluOp::ior))?;
            let (a, b) = (alu.src(0), alu.src(1));
            match alu.op {
                AluOp::ior => open.extend([b.value, a.value]),
                _ if self.bits(a.value) > 1 => {
                    let (value, constant) = match (self.constant_lanes(a.value), self.constant_lanes(b.value))
                    {
                        (None, Some(lanes)) => (a, lanes[b.swizzle.get(0)]),
                        (Some(lanes), None) => (b, lanes[a.swizzle.get(0)]),
                        _ => return None,
                    };
                    if body[value.value].ty.comps != 1 || with.is_some_and(|w| w != value.value) {
                        return None;
                    }
                    with = Some(value.value);
                    constants.push(constant);
                }
                _ => return None,
            }
        }
        with.map(|value| (value, constants))
    }

    /// Whether a block does nothing but compute its condition, which nothing else uses.
    fn only_compares(&self, block: BlockId, cond: InstrId) -> bool {
        let body = self.body;
        let mut all = body.instrs(block);
        all.all(|id| match &body[id].kind {
            InstrKind::Const(_) => true,
            InstrKind::Alu(alu) => {
                body[id].uses() == 1 && (id == cond || alu.op == AluOp::ieq || alu.op == AluOp::ior)
            }
            _ => false,
        })
    }

    /// Removes the comparisons that a `switch` replaces, as far as they are the last instructions and have no other use.
    fn remove_comparison(&mut self, cond: InstrId) {
        // Debug information refers to them already.
        if self.locations.is_some() {
            return;
        }
        let body = self.body;
        let mut open: SmallVec<[InstrId; 4]> = smallvec![cond];
        while let Some(id) = open.pop() {
            let Some(last) = self.b.last().filter(|&last| self.held_value(id) == Some(last)) else { return };
            let ValueKind::Inst(at) = last.kind() else { return };
            // Others may be reused.
            let compares =
                matches!(self.b.body().insts()[at as usize].op, Op::ICmp(_) | Op::Binary(BinOp::Or));
            if body[id].uses() != 1 || !compares {
                return;
            }
            self.b.remove_last();
            if let Some(alu) = body[id].as_alu().filter(|a| a.op == AluOp::ior) {
                open.extend(alu.srcs().map(|s| s.value));
            }
        }
    }
}
