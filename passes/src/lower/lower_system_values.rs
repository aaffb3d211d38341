//! Lowers reads of built-in variables to system-value intrinsics.
//!
//! Requires and preserves form `variables`. Preserves control flow. A read of a component or of an array
//! element (`gl_SampleMaskIn[0]`, tessellation levels) reads the whole value and extracts the component. The
//! workgroup size is a constant if the shader declares it. Requires that copies of built-in variables have
//! been lowered (`lower_var_copies`).
//!
//! Derivatives in groups of 2 x 2 invocations (`quad_groups`): the position of an invocation in the workgroup is computed
//! from its index, so that four invocations that follow each other are a group. The invocation with index `i` is
//! the one at `(i & 1, i >> 1 & 1)` of group `i / 4`, and groups are counted x first.
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
        let quad_groups = std::mem::take(&mut shader.info.quad_groups);
        if quad_groups {
            progress = Changes::ALL_BUT_CONTROL_FLOW;
        } else if !shader.vars.values().any(|v| v.mode == Modes::SYSTEM_VALUE) {
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
            if quad_groups {
                count_by_groups(body, &shader.info);
            }
        }
        Ok(progress)
    }
}

/// Replaces the position of an invocation, which follows from its index line by line, by one that follows from its index
/// group by group.
fn count_by_groups(body: &mut Body, info: &StageInfo) {
    use IntrinsicOp as Op;
    let reads: Vec<(InstrId, Op)> = body
        .all_instrs()
        .filter_map(|id| Some((id, body[id].as_intrinsic()?.op)))
        .filter(|(_, op)| {
            let positions = [
                Op::load_local_invocation_id,
                Op::load_local_invocation_index,
                Op::load_global_invocation_id,
            ];
            positions.contains(op)
        })
        .collect();
    for (id, op) in reads {
        let mut b = Builder::before(body, id);
        let size = match info.fixed_workgroup_size() {
            Some(size) => size.map(|n| b.imm_u32(n)),
            None => {
                let size = b.load_system_value(SystemValue::workgroup_size);
                [0, 1, 2].map(|c| b.channel(size, c))
            }
        };
        let index = b.load_system_value(SystemValue::local_invocation_index);
        let [one, two] = [1, 2].map(|n| b.imm_u32(n));
        let (quad, odd, upper) = (b.ushr(index, two), b.iand(index, one), b.ushr(index, one));
        let lower = b.iand(upper, one);
        let [across, down] = [0, 1].map(|c| b.ushr(size[c], one));
        let (row, column) = (b.udiv(quad, across), b.umod(quad, across));
        let (layer, row) = (b.udiv(row, down), b.umod(row, down));
        let (x, y) = (b.ishl(column, one), b.ishl(row, one));
        let (x, y) = (b.iadd(x, odd), b.iadd(y, lower));
        let value = if op == Op::load_local_invocation_index {
            let plane = b.imul(size[1], layer);
            let line = b.iadd(y, plane);
            let before = b.imul(size[0], line);
            b.iadd(x, before)
        } else if op == Op::load_local_invocation_id {
            b.vec(&[x, y, layer])
        } else {
            let group = b.load_system_value(SystemValue::workgroup_id);
            let size = b.vec(&size);
            let (first, local) = (b.imul(group, size), b.vec(&[x, y, layer]));
            b.iadd(first, local)
        };
        if let Some(kind) = copy_of(body, value) {
            body.set_kind(id, kind);
        }
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
    if let (SystemValue::workgroup_size, Some([x, y, z])) = (sv, info.fixed_workgroup_size()) {
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
