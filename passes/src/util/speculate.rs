//! Whether an instruction may be executed on more paths than before: by `if` conversion, hoisting out of loops, sinking and
//! global code motion.

use airfoil_ir::{Body, DerefKind, InstrId, InstrKind, Intrinsic, IntrinsicOp, Modes};

/// Whether the execution of an instruction where it was not executed before costs nothing but time: it has no effects,
/// other invocations take no part in it, and the location that it reads always exists. `shared_size` is that of
/// [`StageInfo`](airfoil_ir::StageInfo).
///
/// Its value must be the same there, too: its operands dominate the location, and
/// [`may_pass`](super::dependence::may_pass) holds for all instructions in between.
///
/// Phis and jumps belong to their blocks, and lookups of textures stay: an implicit level of detail depends on the quad.
pub fn may_be_speculated(body: &Body, id: InstrId, shared_size: u32) -> bool {
    let instr = &body[id];
    if instr.is_convergent() {
        return false;
    }
    match &instr.kind {
        InstrKind::Const(_) | InstrKind::Undef | InstrKind::Deref(_) | InstrKind::Alu(_) => true,
        InstrKind::Intrinsic(i) => {
            let pure = instr.can_eliminate() && instr.can_reorder();
            match i.op {
                IntrinsicOp::load_deref => instr.can_eliminate() && is_safe_load(body, i),
                IntrinsicOp::load_shared => {
                    let bytes = u64::from(instr.ty.comps) * u64::from(instr.ty.bits.max(8)) / 8;
                    let offset = body[i.src(0)].as_const().map(|lanes| lanes[0]);
                    let exists = offset.is_some_and(|o| o + bytes <= u64::from(shared_size));
                    instr.can_eliminate() && exists
                }
                IntrinsicOp::load_param | IntrinsicOp::convert_alu_types | IntrinsicOp::convert_air => true,
                op if op.system_value().is_some() => true,
                op if op.info().operands.is_empty() => pure,
                _ => pure && is_safe_load(body, i),
            }
        }
        InstrKind::Tex(_) | InstrKind::Phi(_) | InstrKind::Jump(_) | InstrKind::Call(_) => false,
    }
}

/// Whether the location of a load always exists.
fn is_safe_load(body: &Body, i: &Intrinsic) -> bool {
    use IntrinsicOp as Op;
    let is_const = |v: InstrId| body[v].as_const().is_some();
    match i.op {
        Op::load_deref => {
            let exists = Modes::all().difference(Modes::SSBO | Modes::GLOBAL | Modes::UBO);
            let safe_mode = body[i.src(0)].as_deref().is_some_and(|d| exists.contains(d.modes));
            safe_mode && is_fixed_place(body, i.src(0))
        }
        Op::load_input | Op::load_interpolated_input | Op::load_push_constant | Op::load_uniform => {
            i.srcs().last().is_some_and(|&offset| is_const(offset))
        }
        _ => false,
    }
}

/// Whether a deref names a variable or a part of it with constant indices.
fn is_fixed_place(body: &Body, mut deref: InstrId) -> bool {
    loop {
        match body[deref].as_deref().map(|d| d.kind) {
            Some(DerefKind::Var(_)) => return true,
            Some(DerefKind::Struct { parent, .. }) => deref = parent,
            Some(DerefKind::Array { parent, index }) if body[index].as_const().is_some() => deref = parent,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_ir::text;

    #[test]
    fn effects_and_locations_decide() {
        let shader = text::parse(
            r#"foil 1
shader fragment "t" {
  form variables
  in vec4 a location=0
  ssbo B { uint x @0 } b set=0 binding=0
  fn main {
    function_temp float[4] t
  b0:
    32x1 %0 = const 1
    %1 = deref_var &t
    %2 = deref_array %1[%0]
    32x1 %3 = load_deref %2
    %4 = deref_var &b
    %5 = deref_struct %4.0
    32x1 %6 = load_deref %5
    %7 = deref_array %1[%6]
    32x1 %8 = load_deref %7
    32x1 %9 = fadd %3, %8
    32x1 %10 = fddx %9
    store_deref %2, %10
    %11 = deref_var &a
    32x4 %12 = load_deref %11
  }
}
"#,
        )
        .expect("a shader");
        let body = shader.entry_body().expect("a body");
        let kept: Vec<String> = body
            .all_instrs()
            .filter(|&id| !may_be_speculated(body, id, 0))
            .map(|id| text::print_instr(&shader, body, id))
            .collect();
        let expected = ["load_deref %5", "load_deref %7", "fddx %9", "store_deref %2, %10"];
        assert_eq!(kept.len(), expected.len(), "{kept:?}");
        kept.iter().zip(expected).for_each(|(found, expected)| assert!(found.contains(expected), "{found}"));
    }
}
