//! Removes instructions without side effects whose value is not used.
//!
//! Accepts any form. Preserves control flow. One backward walk: the operands of a dead instruction precede
//! it, so the walk reaches them later. Dead values that use each other around a loop survive that walk; they
//! are found by a mark phase, which runs only if loops have phis; `cycles=false` leaves it out.
//!
//! Source: NIR's `nir_opt_dce`; Cytron et al. 1991, section 7.1.
//!
//! ```foil-example
//! %0 = load_vertex_id
//! %1 = iadd %0, %0
//! %2 = imul %1, %0
//! 32x1 %3 = const 0
//! store_output %0, %3 io=0 mask=x
//! =>
//! %0 = load_vertex_id
//! 32x1 %3 = const 0
//! store_output %0, %3 io=0 mask=x
//! ```

use crate::{Changes, Context, Pass, PassInfo, each_body, pass_options};
use airfoil_ir::{Body, Dense, Diagnostic, InstrId, InstrKind, Scratch, Shader};

pass_options! {
    /// See the [module documentation](self).
    pub struct Dce {
        /// Values around a loop that only use each other are removed, too.
        cycles: bool = true,
    }
}

static INFO: PassInfo = PassInfo::new("dce", "removes unused instructions", include_str!("dce.rs"))
    .reads(Changes::CODE)
    .options(<Dce as crate::PassOptions>::OPTIONS);

impl Pass for Dce {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            let before = body.num_instrs();
            if remove_unused(body) && self.cycles {
                remove_unmarked(body);
            }
            Changes::UNUSED.when(body.num_instrs() != before)
        }))
    }
}

/// Removes unused instructions in one backward walk; returns whether phis of loops are left, which can use each other.
fn remove_unused(body: &mut Body) -> bool {
    let mut loop_phis = false;
    let mut block = Some(body.root().last);
    while let Some(b) = block {
        let mut next = body.last_instr(b);
        while let Some(id) = next {
            next = body.prev(id);
            if body.is_unused(id) && body[id].can_eliminate() {
                body.remove(id);
            }
        }
        loop_phis |= body.prev_cf(b).is_none()
            && body.first_instr(b).is_some_and(|i| body[i].as_phi().is_some())
            && matches!(body.owner(b), airfoil_ir::Owner::Loop(_));
        block = body.prev_block(b);
    }
    loop_phis
}

/// Marks the operands of instructions with effects and of conditions, and removes the rest.
fn remove_unmarked(body: &mut Body) {
    let mut live = Dense::<bool>::new(body.instr_capacity());
    let mut work: Scratch<InstrId> = Scratch::new();
    for b in body.blocks() {
        for id in body.instrs(b).filter(|&id| !body[id].can_eliminate()) {
            live.set(id, true);
            work.push(id);
        }
        if let Some(n) = body.next_cf(b).and_then(|cf| body.as_if(cf))
            && !live.get(n.cond())
        {
            live.set(n.cond(), true);
            work.push(n.cond());
        }
    }
    while let Some(id) = work.pop() {
        body[id].visit_operands(|v| {
            if !live.get(v) {
                live.set(v, true);
                work.push(v);
            }
        });
    }
    work.extend(body.all_instrs().filter(|&id| !live.get(id)));
    // Operands first: dead values use each other.
    for &id in &work {
        body.set_kind(id, InstrKind::Undef);
    }
    for &id in &work {
        body.remove(id);
    }
}
