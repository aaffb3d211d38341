//! Turns invocation-wide variables that only the entry function uses into locals.
//!
//! Accepts any form. Preserves control flow. Applies to variables of mode `shader_temp` whose derefs are all
//! in the entry function and are not arguments of calls. Only the entry function qualifies: it runs once,
//! while another function would find the value that its previous call left in the variable. Run it after
//! inlining, before [`vars_to_ssa`](crate::vars::vars_to_ssa), which handles locals only.
//!
//! Source: NIR's `nir_lower_global_vars_to_local`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   shader_temp float a
//!   entry fn main {
//!     %0 = deref_var &a
//!     32x1 %1 = const 1.0
//!     store_deref %0, %1
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!
//!   fn main {
//!     function_temp float a
//!   b0:
//!     %0 = deref_var &a
//!     32x1 %1 = const 1.0
//!     store_deref %0, %1 mask=x
//!   }
//! }
//! ```

use crate::util::deref_path;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{Body, Dense, DerefKind, Diagnostic, FuncId, InstrId, InstrKind, Modes, Shader, VarId};
use slotmap::SecondaryMap;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct GlobalToLocal;

static INFO: PassInfo = PassInfo::new(
    "global_to_local",
    "turns invocation-wide variables used by the entry function only into locals",
    include_str!("global_to_local.rs"),
)
.reads(Changes::ALL.difference(Changes::INFO));

impl Pass for GlobalToLocal {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let Some(entry) = shader.entry else { return Ok(Changes::NONE) };
        if !shader.vars.values().any(|v| v.mode == Modes::SHADER_TEMP) {
            return Ok(Changes::NONE);
        }
        let local = local_vars(shader, entry);
        let mut progress = Changes::NONE;
        for (id, v) in &mut shader.vars {
            if v.mode == Modes::SHADER_TEMP && local.get(id) == Some(&true) {
                v.mode = Modes::FUNCTION_TEMP;
                v.function = Some(entry);
                progress = Changes::VARIABLES | Changes::MEMORY;
            }
        }
        if progress.is_progress()
            && let Some(body) = shader.entry_body_mut()
        {
            update_modes(body, &local);
        }
        Ok(progress)
    }
}

/// For each variable: true if only the entry function uses it, and not in calls or casts.
fn local_vars(shader: &Shader, entry: FuncId) -> SecondaryMap<VarId, bool> {
    let mut local = SecondaryMap::new();
    for (f, function) in &shader.functions {
        let body = &function.body;
        let mut refuse = |id: InstrId| {
            if body[id].as_deref().is_some()
                && let Some(var) = deref_path::root_var(body, id)
            {
                local.insert(var, false);
            }
        };
        for id in body.all_instrs() {
            match &body[id].kind {
                InstrKind::Deref(d) => match d.kind {
                    DerefKind::Cast { parent, .. } | DerefKind::PtrAsArray { parent, .. } => refuse(parent),
                    _ => {}
                },
                InstrKind::Call(_) => body[id].visit_operands(&mut refuse),
                _ => {}
            }
        }
        for id in body.all_instrs() {
            if let Some(DerefKind::Var(var)) = body[id].as_deref().map(|d| d.kind) {
                let ok = f == entry && local.get(var) != Some(&false);
                local.insert(var, ok);
            }
        }
    }
    local
}

/// Updates the mode of the derefs of variables that became local.
fn update_modes(body: &mut Body, local: &SecondaryMap<VarId, bool>) {
    let ids: Vec<InstrId> = body.all_instrs().filter(|&id| body[id].as_deref().is_some()).collect();
    let mut changed: Dense<bool> = Dense::new(body.instr_capacity());
    for id in ids {
        let Some(d) = body[id].as_deref() else { continue };
        let below = match d.kind {
            DerefKind::Var(var) => local.get(var) == Some(&true),
            _ => d.parent().is_some_and(|p| changed.get(p)),
        };
        if below && d.modes == Modes::SHADER_TEMP {
            changed.set(id, true);
            body.edit(id, |i| {
                if let InstrKind::Deref(d) = &mut i.kind {
                    d.modes = Modes::FUNCTION_TEMP;
                }
            });
        }
    }
}
