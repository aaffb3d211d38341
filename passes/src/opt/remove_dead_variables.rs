//! Removes variables that are never read, and the stores to them.
//!
//! Accepts any form. Preserves control flow. A variable without derefs is removed. A local or invocation-wide
//! variable whose derefs are unused or only stored or copied to is removed with these stores, copies and
//! derefs. By default this covers local, invocation-wide and workgroup variables only: inputs, outputs and
//! buffers are the shader's interface (after `lower_io` they have no derefs although they are used); before
//! `lower_io`, the option `modes` can add them. Volatile stores stay. A single walk over the instructions.
//!
//! Source: NIR's `nir_remove_dead_variables`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in vec4 unused location=0
//!   out float o location=0
//!   entry fn main {
//!     function_temp float a
//!     function_temp float b
//!     %0 = deref_var &a
//!     32x1 %1 = const 1.0
//!     store_deref %0, %1
//!     %2 = deref_var &o
//!     store_deref %2, %1
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in vec4 unused location=0
//!   out float o location=0
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = const 1.0
//!     %1 = deref_var &o
//!     store_deref %1, %0 mask=x
//!   }
//! }
//! ```

use crate::{Changes, Constructs, Context, Pass, PassInfo, pass_options};
use airfoil_ir::{
    Access, Body, Dense, DerefKind, Diagnostic, InstrId, InstrKind, IntrinsicOp, Modes, Shader, VarId,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct RemoveDeadVariables {
        /// Modes of the variables to consider.
        modes: Modes = Modes::FUNCTION_TEMP | Modes::SHADER_TEMP | Modes::SHARED,
    }
}

static INFO: PassInfo = PassInfo::new(
    "remove_dead_variables",
    "removes variables that are never read, and the stores to them",
    include_str!("remove_dead_variables.rs"),
)
.options(<RemoveDeadVariables as crate::PassOptions>::OPTIONS)
.reads(Changes::ALL.difference(Changes::INFO));

impl Pass for RemoveDeadVariables {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if !shader.vars.values().any(|v| self.modes.intersects(v.mode)) {
            return Ok(Changes::NONE);
        }
        let private = Modes::FUNCTION_TEMP | Modes::SHADER_TEMP;
        let before = shader.vars.len();
        let has_shared = shader.vars.values().any(|v| (self.modes - private).intersects(v.mode));
        if !has_shared && !Constructs::LOCAL_DEREF.found_in(shader) {
            shader.vars.retain(|_, v| !self.modes.intersects(v.mode));
            return Ok((Changes::VARIABLES | Changes::AGAIN).when(shader.vars.len() != before));
        }
        // Variables with a deref; for private ones, those used other than by stores.
        let mut live: Dense<bool, VarId> = Dense::new(shader.vars.capacity());
        for function in shader.functions.values() {
            mark(&function.body, private, &mut live);
        }
        let dead = |id: VarId| !live.get(id);
        let mut progress = Changes::NONE;
        for function in shader.functions.values_mut() {
            progress |= strip(&mut function.body, self.modes & private, dead);
        }
        shader.vars.retain(|id, v| !self.modes.intersects(v.mode) || live.get(id));
        Ok(progress | (Changes::VARIABLES | Changes::AGAIN).when(shader.vars.len() != before))
    }
}

/// Whether an operand of an instruction is the target of a store or copy that may be removed with its
/// variable.
fn is_plain_target(body: &Body, user: InstrId, operand: usize) -> bool {
    body[user].as_intrinsic().is_some_and(|i| {
        operand == 0
            && matches!(i.op, IntrinsicOp::store_deref | IntrinsicOp::copy_deref)
            && !i.access().contains(Access::VOLATILE)
            // The source must be removable too.
            && !i.src_access().contains(Access::VOLATILE)
    })
}

/// Marks live variables.
fn mark(body: &Body, private: Modes, live: &mut Dense<bool, VarId>) {
    // The variable of each deref, so that each chain is walked once.
    let mut roots: Dense<Option<VarId>> = Dense::new(body.instr_capacity());
    for (id, instr) in body.entries() {
        match &instr.kind {
            InstrKind::Alu(_) | InstrKind::Const(_) => {}
            InstrKind::Deref(d) => match d.kind {
                DerefKind::Var(var) => {
                    roots.set(id, Some(var));
                    if !private.contains(d.modes) {
                        live.set(var, true);
                    }
                }
                DerefKind::Struct { parent, .. }
                | DerefKind::Array { parent, .. }
                | DerefKind::ArrayWildcard { parent } => roots.set(id, roots.get(parent)),
                DerefKind::Cast { parent, .. } | DerefKind::PtrAsArray { parent, .. } => {
                    if let Some(var) = roots.get(parent) {
                        live.set(var, true);
                    }
                }
            },
            _ => {
                let mut operand = 0;
                body[id].visit_operands(|v| {
                    if let Some(var) = roots.get(v).filter(|_| !is_plain_target(body, id, operand)) {
                        live.set(var, true);
                    }
                    operand += 1;
                });
            }
        }
    }
}

/// Removes stores to dead variables and the derefs of them.
fn strip(body: &mut Body, modes: Modes, dead: impl Fn(VarId) -> bool) -> Changes {
    let mut gone: Dense<bool> = Dense::new(body.instr_capacity());
    let (mut stores, mut derefs) = (Vec::new(), Vec::new());
    for (id, instr) in body.entries() {
        match &instr.kind {
            InstrKind::Deref(d) => {
                let below = match d.kind {
                    DerefKind::Var(var) => modes.contains(d.modes) && dead(var),
                    _ => d.parent().is_some_and(|p| gone.get(p)),
                };
                if below {
                    gone.set(id, true);
                    derefs.push(id);
                }
            }
            InstrKind::Intrinsic(i)
                if matches!(i.op, IntrinsicOp::store_deref | IntrinsicOp::copy_deref)
                    && gone.get(i.src(0)) =>
            {
                stores.push(id);
            }
            _ => {}
        }
    }
    let progress = (Changes::MEMORY | Changes::AGAIN).when(!derefs.is_empty());
    stores.into_iter().for_each(|id| body.remove(id));
    derefs.into_iter().rev().for_each(|id| body.remove(id));
    progress
}
