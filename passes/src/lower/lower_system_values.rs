//! Lowers reads of built-in variables to system-value intrinsics.
//!
//! Requires and preserves form `variables`. Preserves control flow. A read of a component or of an array
//! element (`gl_SampleMaskIn[0]`, tessellation levels) reads the whole value and extracts the component. The
//! workgroup size is a constant if the shader declares it. Requires that copies of built-in variables have
//! been lowered (`lower_var_copies`).
//!
//! Source: NIR's `nir_lower_system_values`.
//!
//! ```foil-example
//! foil 1
//! shader vertex "example" {
//!   form variables
//!   system_value int index builtin=vertex_id
//!   fn main {
//!     %0 = deref_var &index
//!     32x1 %1 = load_deref %0
//!     %2 = iadd %1, %1
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "example" {
//!   form variables
//!   system_value int index builtin=vertex_id
//!   fn main {
//!     32x1 %1 = load_vertex_id
//!     %2 = iadd %1, %1
//!   }
//! }
//! ```

use crate::util::deref_path::root_var;
use crate::util::phis::copy_of;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{
    Body, Builder, DerefKind, Diagnostic, Form, InstrId, InstrKind, Intrinsic, IntrinsicOp, Modes, Shader,
    StageInfo, SystemValue, VarId, Variable,
};
use slotmap::SlotMap;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerSystemValues;

static INFO: PassInfo = PassInfo::new(
    "lower_system_values",
    "lowers reads of built-in variables to system-value intrinsics",
    include_str!("lower_system_values.rs"),
)
.takes(&[Form::Variables]);

impl Pass for LowerSystemValues {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let mut progress = Changes::NONE;
        if !shader.vars.values().any(|v| v.mode == Modes::SYSTEM_VALUE) {
            return Ok(progress);
        }
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            let reads: Vec<(InstrId, VarId)> = body
                .all_instrs()
                .filter_map(|id| {
                    let i = body[id].as_intrinsic()?;
                    let mut derefs = i.srcs().iter().filter_map(|&s| Some((s, body[s].as_deref()?.modes)));
                    let (deref, _) = derefs.find(|(_, modes)| modes.contains(Modes::SYSTEM_VALUE))?;
                    Some((id, root_var(body, deref)?))
                })
                .collect();
            for (id, var) in reads {
                lower_read(body, id, var, &shader.vars, &shader.info)?;
                progress = Changes::ALL_BUT_CONTROL_FLOW;
            }
        }
        Ok(progress)
    }
}

fn lower_read(
    body: &mut Body,
    id: InstrId,
    var: VarId,
    vars: &SlotMap<VarId, Variable>,
    info: &StageInfo,
) -> Result<(), Diagnostic> {
    let variable = &vars[var];
    let refuse = |why: &str| {
        let message = format!("built-in variable `{}` {why}", variable.name);
        Err(Diagnostic::error("E0831", message))
    };
    let load = match body[id].as_intrinsic() {
        Some(i) if i.op == IntrinsicOp::load_deref => *i,
        Some(i) if i.op == IntrinsicOp::copy_deref => {
            return refuse("cannot be copied as a whole").map_err(|e| e.help("run lower_var_copies first"));
        }
        _ => return refuse("can only be read"),
    };
    let Some(sv) = variable.system_value else { return refuse("does not name a system value") };
    let (ty, deref) = (body[id].ty, load.src(0));
    let whole = sv.ty();
    let kind = match body[deref].as_deref().map(|d| d.kind) {
        Some(DerefKind::Var(_)) if ty == whole => Some(value_kind(sv, info)),
        // One element: a component of the value, or the value itself if the array has one element.
        Some(DerefKind::Array { parent, index }) if ty == whole.with_comps(1) => {
            if !matches!(body[parent].as_deref().map(|d| d.kind), Some(DerefKind::Var(_))) {
                return refuse("is accessed in a way that its system value does not support");
            }
            if whole.comps == 1 {
                Some(value_kind(sv, info))
            } else {
                let mut b = Builder::before(body, id);
                let value = b.load_system_value(sv);
                let element = b.vector_extract_dynamic(value, index);
                body.set_kind(value, value_kind(sv, info));
                copy_of(body, element)
            }
        }
        _ => None,
    };
    let Some(kind) = kind else {
        return refuse(&format!("is read as {ty}, but its system value is {whole}"));
    };
    body.set_kind(id, kind);
    remove_unused_chain(body, deref);
    Ok(())
}

/// The intrinsic that reads a system value.
fn value_kind(sv: SystemValue, info: &StageInfo) -> InstrKind {
    if let (SystemValue::workgroup_size, Some([x, y, z])) = (sv, info.workgroup_size) {
        return InstrKind::Const([x.into(), y.into(), z.into(), 0]);
    }
    InstrKind::Intrinsic(Intrinsic::new(sv.load_op(), &[]))
}

fn remove_unused_chain(body: &mut Body, deref: InstrId) {
    let mut next = Some(deref);
    while let Some(id) = next.filter(|&id| body.is_unused(id)) {
        next = body[id].as_deref().and_then(|d| d.parent());
        body.remove(id);
    }
}
