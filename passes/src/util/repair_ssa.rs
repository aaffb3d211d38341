//! Inserts the phis that are missing after edges have been added. A new edge (a `break` that was a `return`)
//! can create a path to a use that bypasses the definition. Such uses get phis of the value and of undefined
//! values; the program cannot read the latter if the edit was correct. Phis are created only in blocks that
//! the definition does not dominate. Derefs, which phis cannot choose between, are rebuilt before their
//! users. Source: Braun et al. 2013, with all blocks known.

use airfoil_ir::analysis::Dominance;
use airfoil_ir::{BlockId, Body, CfId, Cursor, DerefKind, Instr, InstrId, InstrKind, PhiSrc};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A use whose definition does not dominate it.
enum Use {
    Operand(InstrId),
    Source { phi: InstrId, pred: BlockId },
    Condition(CfId),
}

/// Repairs all uses; returns whether there was a broken one.
pub(crate) fn repair(body: &mut Body) -> bool {
    let dominance = Dominance::new(body);
    let broken = broken_uses(body, &dominance);
    if broken.is_empty() {
        return false;
    }
    let mut repair = Repair { dominance, starts: FxHashMap::default() };
    for (value, at, user) in broken {
        match user {
            Use::Operand(id) => {
                let new = repair.value_for(body, value, at, Cursor::Before(id));
                body.map_operands(id, |v| if v == value { new } else { v });
            }
            Use::Condition(cf) => {
                let new = repair.at_end(body, value, at);
                body.map_condition(cf, |_| new);
            }
            Use::Source { phi, pred } => {
                let new = repair.at_end(body, value, pred);
                body.edit(phi, |i| {
                    if let InstrKind::Phi(srcs) = &mut i.kind {
                        srcs.iter_mut().filter(|s| s.pred == pred).for_each(|s| s.value = new);
                    }
                });
            }
        }
    }
    true
}

fn broken_uses(body: &Body, dominance: &Dominance) -> Vec<(InstrId, BlockId, Use)> {
    let mut broken = Vec::new();
    for b in body.blocks() {
        for id in body.instrs(b) {
            if let Some(srcs) = body[id].as_phi() {
                for s in srcs.iter().filter(|s| !dominance.dominates(body.block_of(s.value), s.pred)) {
                    broken.push((s.value, b, Use::Source { phi: id, pred: s.pred }));
                }
            } else {
                let mut seen = SmallVec::<[InstrId; 4]>::new();
                body[id].visit_operands(|v| {
                    let def = body.block_of(v);
                    if def != b && !dominance.dominates(def, b) && !seen.contains(&v) {
                        seen.push(v);
                        broken.push((v, b, Use::Operand(id)));
                    }
                });
            }
        }
        if let Some((cf, n)) = body.next_cf(b).and_then(|cf| Some((cf, body.as_if(cf)?)))
            && !dominance.dominates(body.block_of(n.cond()), b)
        {
            broken.push((n.cond(), b, Use::Condition(cf)));
        }
    }
    broken
}

struct Repair {
    dominance: Dominance,
    /// Values available at the start of blocks.
    starts: FxHashMap<(InstrId, BlockId), InstrId>,
}

impl Repair {
    /// The value that a user at `at` in `block` must read for `value`.
    fn value_for(&mut self, body: &mut Body, value: InstrId, block: BlockId, at: Cursor) -> InstrId {
        if body[value].as_deref().is_some() {
            self.deref_again(body, value, block, at)
        } else {
            self.at_end(body, value, block)
        }
    }

    /// Rebuilds a chain of derefs at a location.
    fn deref_again(&mut self, body: &mut Body, deref: InstrId, block: BlockId, at: Cursor) -> InstrId {
        let mut chain = vec![deref];
        let mut top = deref;
        while let Some(parent) = body[top].as_deref().and_then(|d| d.parent()) {
            if body[parent].as_deref().is_none() || self.dominance.dominates(body.block_of(parent), block) {
                break;
            }
            chain.push(parent);
            top = parent;
        }
        let mut made: Option<(InstrId, InstrId)> = None;
        for &old in chain.iter().rev() {
            let Some(mut new) = body[old].as_deref().copied() else { continue };
            if let DerefKind::Array { index, .. } | DerefKind::PtrAsArray { index, .. } = &mut new.kind {
                *index = self.at_end(body, *index, block);
            }
            let mut instr = Instr::new(InstrKind::Deref(new), body[old].ty).at(body[old].loc);
            if let Some((from, to)) = made {
                instr.map_operands(|v| if v == from { to } else { v });
            }
            made = Some((old, body.insert(at, instr)));
        }
        made.map_or(deref, |(_, new)| new)
    }

    /// The value at the end of a block.
    fn at_end(&mut self, body: &mut Body, value: InstrId, block: BlockId) -> InstrId {
        let def = body.block_of(value);
        let mut phis: Vec<(InstrId, BlockId)> = Vec::new();
        let result = self.find(body, value, def, block, &mut phis);
        while let Some((phi, at)) = phis.pop() {
            let preds: SmallVec<[BlockId; 4]> = self.dominance.cfg().preds(at).into();
            for pred in preds {
                let from = self.find(body, value, def, pred, &mut phis);
                body.add_phi_src(phi, PhiSrc { pred, value: from });
            }
        }
        result
    }

    /// The value at the end of a block; phis created on the way do not have sources yet.
    fn find(
        &mut self,
        body: &mut Body,
        value: InstrId,
        def: BlockId,
        mut block: BlockId,
        phis: &mut Vec<(InstrId, BlockId)>,
    ) -> InstrId {
        let mut passed = SmallVec::<[BlockId; 8]>::new();
        let found = loop {
            if self.dominance.dominates(def, block) {
                break value;
            }
            if let Some(&known) = self.starts.get(&(value, block)) {
                break known;
            }
            passed.push(block);
            match *self.dominance.cfg().preds(block) {
                [] => {
                    break body
                        .insert(Cursor::BlockStart(block), Instr::new(InstrKind::Undef, body[value].ty));
                }
                [only] => block = only,
                _ => {
                    let phi = Instr::new(InstrKind::Phi(SmallVec::new()), body[value].ty);
                    let phi = body.insert(Cursor::BlockStart(block), phi);
                    phis.push((phi, block));
                    break phi;
                }
            }
        };
        for b in passed {
            self.starts.insert((value, b), found);
        }
        found
    }
}
