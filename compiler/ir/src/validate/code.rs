//! Control flow, phis and dominance.

use super::{FunctionChecker, Rule};
use crate::analysis::{Cfg, Dominance};
use crate::body::{Fault, Owner};
use crate::ids::{BlockId, InstrId};
use crate::instr::{InstrKind, Jump, PhiSrc};
use crate::value::Ty;
use slotmap::SecondaryMap;
use std::sync::Arc;

impl FunctionChecker<'_> {
    /// Checks links and counts; true if the other checks can walk over the body.
    pub(super) fn check_structure(&mut self) -> bool {
        let broken = self.body.check_structure();
        let walkable = broken.iter().all(|b| b.fault == Fault::Count);
        for b in broken {
            let rule = match b.fault {
                Fault::Tree => Rule::Tree,
                Fault::List => Rule::InstrList,
                Fault::Stale => Rule::StaleOperand,
                Fault::Count => Rule::UseCount,
            };
            match b.instr {
                Some(id) if walkable => self.report_instr(rule, id, b.message),
                instr => {
                    self.report(rule, b.block, &b.message);
                    self.out.last_mut().into_iter().for_each(|v| (v.cf, v.instr) = (b.cf, instr));
                }
            }
        }
        walkable
    }

    pub(super) fn check_code(&mut self) {
        let body = self.body;
        self.check_jumps();
        let cfg = Arc::new(Cfg::new(body));
        let dominance = Dominance::of(&cfg);
        let mut positions: SecondaryMap<InstrId, u32> = SecondaryMap::with_capacity(body.instr_capacity());
        for (i, id) in body.all_instrs().enumerate() {
            positions.insert(id, i as u32);
        }
        // A scratch mark per block makes comparing sources with predecessors linear.
        let mut marks: SecondaryMap<BlockId, InstrId> = SecondaryMap::with_capacity(body.num_blocks() + 1);
        for &block in cfg.blocks() {
            let mut phis_end = false;
            for id in body.instrs(block) {
                if let InstrKind::Phi(srcs) = &body[id].kind {
                    let placed = !phis_end && !cfg.preds(block).is_empty();
                    self.expect(
                        placed,
                        Rule::PhiPlace,
                        id,
                        "a phi must be first in a block with predecessors",
                    );
                    self.check_phi(id, srcs, cfg.preds(block), &mut marks);
                    for s in srcs {
                        let there = cfg.try_index(s.pred).is_none()
                            || body.get(s.value).is_none()
                            || dominance.dominates(body.block_of(s.value), s.pred);
                        self.expect(
                            there,
                            Rule::Dominance,
                            id,
                            "a source is not defined where its edge starts",
                        );
                    }
                    continue;
                }
                phis_end = true;
                let mut there = true;
                body[id].visit_operands(|v| {
                    let def = body.block_of(v);
                    there &= if def == block {
                        positions[v] < positions[id]
                    } else {
                        dominance.dominates(def, block)
                    };
                });
                self.expect(there, Rule::Dominance, id, "an operand is not defined on all paths to its use");
            }
            if let Some(n) = body.next_cf(block).and_then(|cf| body.as_if(cf)) {
                let cond = n.cond();
                self.expect(
                    self.ty(cond) == Ty::BOOL,
                    Rule::Condition,
                    cond,
                    "the condition of an if must be one boolean",
                );
                let there = dominance.dominates(body.block_of(cond), block);
                self.expect(
                    there,
                    Rule::Dominance,
                    cond,
                    "the condition is not defined on all paths to its if",
                );
            }
        }
    }

    fn check_phi(
        &mut self,
        id: InstrId,
        srcs: &[PhiSrc],
        preds: &[BlockId],
        marks: &mut SecondaryMap<BlockId, InstrId>,
    ) {
        let mut ok = srcs.len() == preds.len();
        for &p in preds {
            marks.insert(p, id);
        }
        // Taking the mark off finds sources that come twice.
        for s in srcs {
            ok &= marks.get(s.pred) == Some(&id) && marks.remove(s.pred).is_some();
        }
        self.expect(ok, Rule::PhiSources, id, "a phi needs exactly one source for each predecessor");
        let ty = self.body[id].ty;
        let same = srcs.iter().all(|s| self.ty(s.value) == ty);
        self.expect(same, Rule::PhiShape, id, "sources of a phi must have its shape");
    }

    fn check_jumps(&mut self) {
        let body = self.body;
        // The number of loops around, kept along the walk.
        let mut loops = 0u32;
        for step in body.walk_cf() {
            match step {
                crate::body::Walk::Loop(_) => loops += 1,
                crate::body::Walk::EndLoop(_) => loops = loops.saturating_sub(1),
                crate::body::Walk::Block(block) => {
                    for id in body.instrs(block) {
                        let Some(jump) = body[id].as_jump() else { continue };
                        let last = body.next(id).is_none() && body.next_cf(block).is_none();
                        self.expect(last, Rule::JumpPlace, id, "code follows a jump");
                        let inside = loops > 0 || matches!(jump, Jump::Return | Jump::Halt);
                        self.expect(inside, Rule::JumpLoop, id, "no loop is around this jump");
                    }
                    debug_assert!(body.owner(block) != Owner::Detached, "detached blocks are not walked");
                }
                _ => {}
            }
        }
    }
}
