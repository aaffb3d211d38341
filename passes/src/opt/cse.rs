//! Common subexpression elimination: replaces an instruction by an equal one that dominates it.
//!
//! Accepts any form. Preserves control flow. Covers ALU operations (operands of commutative ones in any
//! order), constants, undefined values, derefs, texture operations, phis of one block, intrinsics that depend
//! on their operands only, and reads of memory that nothing writes. A merged operation is exact if any of the
//! originals was, and keeps no-overflow and medium-precision flags only if all had them. Convergent
//! operations merge within a block only. A constant needed on two paths moves to the entry block.
//!
//! A single walk in program order with one hash table for all blocks. A table entry is valid only where its
//! block dominates. The structured tree usually answers that; entries from regions already left are replaced.
//!
//! Source: NIR's `nir_opt_cse`; Briggs, Cooper and Simpson 1997 (dominator-based value numbering).
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = load_instance_id
//! %3 = iadd %1, %2
//! %4 = iadd %2, %1
//! %5 = imul %3, %4
//! store_output %5, %0 io=0 mask=x
//! =>
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = load_instance_id
//! %3 = iadd %1, %2
//! %5 = imul %3, %3
//! store_output %5, %0 io=0 mask=x
//! ```

use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::analysis::{Analyses, DominatingScopes, InstrSet, Lookup, ScopeId};
use airfoil_ir::{BlockId, Body, Cursor, Dense, Diagnostic, InstrId, InstrKind, Shader, Walk};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct Cse;

static INFO: PassInfo = PassInfo::new("cse", "merges equal computations", include_str!("cse.rs"))
    .reads(Changes::CODE.difference(Changes::UNUSED));

impl Pass for Cse {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic> {
        let mut changes = Changes::NONE;
        for (id, function) in &mut shader.functions {
            changes |= join_equal(&mut function.body, context.analyses(id));
        }
        Ok(changes)
    }
}

/// Merges equal instructions.
fn join_equal(body: &mut Body, analyses: &mut Analyses) -> Changes {
    let mut joiner = Joiner {
        set: InstrSet::new(body.num_instrs()),
        scopes: DominatingScopes::new(),
        joined: Dense::default(),
        dead: Vec::new(),
        loop_phis: Vec::new(),
    };
    if body.num_cfs() == 0 {
        joiner.block(body, body.entry(), analyses);
    } else {
        let mut next = Some(Walk::Block(body.entry()));
        while let Some(step) = next {
            joiner.scopes.step(body, step);
            match step {
                Walk::Block(b) => joiner.block(body, b, analyses),
                Walk::If(cf) if !joiner.dead.is_empty() => {
                    body.map_condition(cf, |v| joiner.joined.get(v).unwrap_or(v));
                }
                _ => {}
            }
            next = body.next_step(step);
        }
    }
    joiner.finish(body)
}

struct Joiner {
    set: InstrSet,
    scopes: DominatingScopes,
    /// The replacement of each value.
    joined: Dense<Option<InstrId>>,
    dead: Vec<InstrId>,
    loop_phis: Vec<InstrId>,
}

impl Joiner {
    fn block(&mut self, body: &mut Body, b: BlockId, analyses: &mut Analyses) {
        let is_header = body.prev_cf(b).is_none();
        let mut next = body.first_instr(b);
        while let Some(id) = next {
            next = body.next(id);
            // Definitions precede their uses except in loop phis, which are mapped again at the end.
            if !self.dead.is_empty() {
                body.map_operands(id, |v| self.joined.get(v).unwrap_or(v));
            }
            if is_header && body[id].as_phi().is_some() {
                self.loop_phis.push(id);
            }
            let scope = self.scopes.current();
            let entry = match self.set.lookup(body, id) {
                Lookup::Unique => continue,
                Lookup::Vacant(slot) => {
                    self.set.insert(slot, id, scope);
                    continue;
                }
                Lookup::Occupied(entry) => entry,
            };
            let (first, its_scope) = self.set.get(entry);
            if !self.scopes.is_open(its_scope) {
                if matches!(body[id].kind, InstrKind::Const(_) | InstrKind::Undef) {
                    let start = body.entry();
                    body.move_to(first, Cursor::BlockStart(start));
                    self.set.replace(entry, first, ScopeId::ROOT);
                } else if !self.dominates(body, (first, its_scope), b, analyses) {
                    self.set.replace(entry, id, scope);
                    continue;
                }
            }
            join_flags(body, first, id);
            self.joined.set(id, Some(first));
            if let Some(names) = body.names_mut() {
                names.replace(id, first);
            }
            self.dead.push(id);
        }
    }

    /// Dominance not implied by open scopes: code before the only `break` of a loop dominates the code after it.
    fn dominates(
        &self,
        body: &Body,
        (first, its_scope): (InstrId, ScopeId),
        block: BlockId,
        analyses: &mut Analyses,
    ) -> bool {
        self.scopes.is_in_loop(its_scope) && analyses.dominance(body).dominates(body.block_of(first), block)
    }

    fn finish(self, body: &mut Body) -> Changes {
        if self.dead.is_empty() {
            return Changes::NONE;
        }
        // Operands are mapped before their user is reached, except in loop phis: these may have become equal.
        let mut changes = Changes::VALUES | Changes::MEMORY;
        for phi in self.loop_phis.into_iter().filter(|&phi| self.joined.get(phi).is_none()) {
            let mapped = body.map_operands(phi, |v| self.joined.get(v).unwrap_or(v));
            changes |= Changes::AGAIN.when(mapped);
        }
        // A merged phi may still use another value that was replaced.
        for &id in self.dead.iter().filter(|&&id| body[id].as_phi().is_some()).collect::<Vec<_>>() {
            body.set_kind(id, InstrKind::Undef);
        }
        for id in self.dead {
            body.remove(id);
        }
        changes
    }
}

/// Gives `first` the flags that hold for both.
pub(super) fn join_flags(body: &mut Body, first: InstrId, second: InstrId) {
    match (&body[first].kind, &body[second].kind) {
        (InstrKind::Alu(a), InstrKind::Alu(b)) if a.flags != b.flags => {
            let mut alu = *a;
            alu.flags = a.flags.join(b.flags);
            body.set_kind(first, InstrKind::Alu(alu));
        }
        (InstrKind::Tex(a), InstrKind::Tex(b)) if a.relaxed && !b.relaxed => {
            let kind = InstrKind::Tex(b.clone());
            body.set_kind(first, kind);
        }
        _ => {}
    }
}
