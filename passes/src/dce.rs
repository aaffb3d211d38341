//! Removes instructions whose value nobody uses and which have no effect of their own.
//!
//! Takes any form, leaves it. Keeps all that depends on control flow. One backward walk: operands of a dead
//! instruction that become unused stand before it, so the walk meets them later. Cycles of dead phis are
//! left by such a walk and are found by a second one that marks what is needed; it runs only if there are
//! loop phis. After: NIR's `nir_opt_dce`; Cytron et al. 1991, section 7.1.
//!
//! ```foil-example
//! ```

use crate::{Context, Pass, PassInfo, Progress, each_body};
use airfoil_ir::analysis::Keeps;
use airfoil_ir::{Body, Diagnostic, Shader};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct Dce;

static INFO: PassInfo = PassInfo::new("dce", "removes unused instructions", include_str!("dce.rs"))
    .keeps(Keeps::CONTROL_FLOW.union(Keeps::DIVERGENCE));

impl Pass for Dce {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Progress, Diagnostic> {
        Ok(each_body(shader, |body| Progress::from(remove_unused(body))))
    }
}

/// Removes unused instructions; true if there was one.
fn remove_unused(body: &mut Body) -> bool {
    let before = body.num_instrs();
    let mut block = Some(body.root().last);
    while let Some(b) = block {
        let mut next = body.last_instr(b);
        while let Some(id) = next {
            next = body.prev(id);
            if body.is_unused(id) && body[id].can_eliminate() {
                body.remove(id);
            }
        }
        block = body.prev_block(b);
    }
    body.num_instrs() != before
}
