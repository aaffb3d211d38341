//! Folds operations whose operands are constants.
//!
//! Accepts any form. Preserves control flow. Covers ALU operations, selects with a constant condition,
//! conversions, conditional discards with a constant condition, subgroup and quad operations whose result is
//! the same constant in all invocations, and derivatives of finite constants. A single walk in program order,
//! so results become operands of later operations. Values come from the operation table (`AluOp::eval`):
//! correctly rounded, denormals preserved.
//!
//! Source: NIR's `nir_opt_constant_folding`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x1 %1 = const 1.5
//! %2 = fadd %1, %1
//! store_output %2, %0 io=0 mask=x
//! =>
//! 32x1 %0 = const 0
//! 32x1 %1 = const 1.5
//! 32x1 %2 = const 3.0
//! store_output %2, %0 io=0 mask=x
//! ```

use crate::util::conversions::alu_of_conversion;
use crate::util::rewrite::{Edit, edit_each};
use crate::{Changes, Context, Pass, PassInfo, each_body};
use airfoil_ir::alu::f64_from_bits;
use airfoil_ir::{
    Alu, AluOp, Body, Diagnostic, Instr, InstrKind, Intrinsic, IntrinsicOp, Lanes, MAX_COMPONENTS, ReduceOp,
    Shader, Src, Swizzle, Ty,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct ConstantFolding;

static INFO: PassInfo =
    PassInfo::new("constant_folding", "folds operations on constants", include_str!("constant_folding.rs"))
        .reads(Changes::VALUES.union(Changes::MEMORY));

impl Pass for ConstantFolding {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| (Changes::VALUES | Changes::MEMORY).when(edit_each(body, fold))))
    }
}

pub(super) fn fold(body: &Body, instr: &Instr) -> Edit {
    match &instr.kind {
        InstrKind::Alu(alu) => fold_alu(body, alu, instr.ty).map_or(Edit::Keep, Edit::To),
        InstrKind::Intrinsic(i) => fold_intrinsic(body, i, instr.ty),
        _ => Edit::Keep,
    }
}

/// The lanes that a constant operand reads; `None` if it is not constant.
fn constant_lanes(body: &Body, src: Src, lanes: usize) -> Option<Lanes> {
    let value = body[src.value].as_const()?;
    let mut read = [0; MAX_COMPONENTS];
    for (lane, out) in read.iter_mut().enumerate().take(lanes) {
        *out = value[src.swizzle.get(lane)];
    }
    Some(read)
}

/// The instruction that replaces an ALU operation with suitable operands.
pub(crate) fn fold_alu(body: &Body, alu: &Alu, ty: Ty) -> Option<InstrKind> {
    let info = alu.op.info();
    if alu.op == AluOp::bcsel
        && let Some(taken) = fold_select(body, alu, ty)
    {
        // The chosen operand may be constant itself.
        let folded = if let InstrKind::Alu(taken) = &taken { fold_alu(body, taken, ty) } else { None };
        return Some(folded.unwrap_or(taken));
    }
    let mut values = [[0; MAX_COMPONENTS]; 4];
    let mut bits = 0;
    for (i, src) in alu.srcs().enumerate() {
        values[i] = constant_lanes(body, src, info.operand_comps(i, ty.comps) as usize)?;
        if info.operands[i].bits == 0 {
            bits = u32::from(body[src.value].ty.bits);
        }
    }
    if matches!(
        alu.op,
        AluOp::fddx
            | AluOp::fddy
            | AluOp::fddx_fine
            | AluOp::fddy_fine
            | AluOp::fddx_coarse
            | AluOp::fddy_coarse
    ) {
        // Infinity minus infinity is NaN: only finite constants have derivative zero.
        let finite = |&raw: &u64| f64_from_bits(raw, bits).is_finite();
        return values[0][..ty.comps as usize].iter().all(finite).then_some(InstrKind::Const([0; 4]));
    }
    alu.op.eval(bits, ty, &values[..alu.op.num_operands()]).map(InstrKind::Const)
}

/// A select with a constant condition: a move, or a vector if the lanes differ.
fn fold_select(body: &Body, alu: &Alu, ty: Ty) -> Option<InstrKind> {
    let lanes = ty.comps as usize;
    let chosen = constant_lanes(body, alu.src(0), lanes)?;
    let pick = |lane: usize| alu.src(if chosen[lane] & 1 != 0 { 1 } else { 2 });
    let (op, srcs) = if (1..lanes).all(|l| pick(l).value == pick(0).value) {
        let swizzle = (0..lanes).fold(Swizzle::IDENTITY, |s, l| s.with(l, pick(l).swizzle.get(l)));
        (AluOp::mov, smallvec::SmallVec::<[Src; 4]>::from_slice(&[Src { value: pick(0).value, swizzle }]))
    } else {
        let op = [AluOp::vec2, AluOp::vec3, AluOp::vec4][lanes - 2];
        (op, (0..lanes).map(|l| Src::comp(pick(l).value, pick(l).swizzle.get(l))).collect())
    };
    Some(InstrKind::Alu(Alu::new(op, ty.comps, &srcs)))
}

fn fold_intrinsic(body: &Body, i: &Intrinsic, ty: Ty) -> Edit {
    use IntrinsicOp as Op;
    let Some(&first) = i.srcs().first() else { return Edit::Keep };
    let Some(&lanes) = body[first].as_const() else { return Edit::Keep };
    let is_true = lanes[0] & 1 != 0;
    let unconditional = |op| {
        if is_true { Edit::To(InstrKind::Intrinsic(Intrinsic::new(op, &[]))) } else { Edit::Remove }
    };
    match i.op {
        Op::discard_if => unconditional(Op::discard),
        Op::demote_if => unconditional(Op::demote),
        Op::terminate_if => unconditional(Op::terminate),
        Op::vote_any | Op::vote_all | Op::quad_vote_any | Op::quad_vote_all => {
            Edit::To(InstrKind::Const(lanes))
        }
        Op::vote_ieq => Edit::To(InstrKind::Const([1, 0, 0, 0])),
        Op::read_first_invocation
        | Op::quad_swap_horizontal
        | Op::quad_swap_vertical
        | Op::quad_swap_diagonal => Edit::To(InstrKind::Const(lanes)),
        // Invocations selected by an operand may be inactive, but then the result is undefined.
        Op::read_invocation
        | Op::shuffle
        | Op::shuffle_xor
        | Op::shuffle_up
        | Op::shuffle_down
        | Op::quad_broadcast => Edit::To(InstrKind::Const(lanes)),
        Op::reduce | Op::inclusive_scan if keeps_equal_values(i.reduce_op()) => {
            Edit::To(InstrKind::Const(lanes))
        }
        Op::convert_alu_types => fold_conversion(i, body[first].ty, ty, lanes),
        _ => Edit::Keep,
    }
}

/// Whether combining equal integers yields the same integer.
fn keeps_equal_values(op: ReduceOp) -> bool {
    matches!(
        op,
        ReduceOp::Imin | ReduceOp::Umin | ReduceOp::Imax | ReduceOp::Umax | ReduceOp::Iand | ReduceOp::Ior
    )
}

fn fold_conversion(i: &Intrinsic, from: Ty, to: Ty, lanes: Lanes) -> Edit {
    if i.src_type() == i.dest_type() {
        return Edit::To(InstrKind::Const(lanes));
    }
    let op = alu_of_conversion(i.src_type(), i.dest_type(), i.rounding(), i.saturate());
    match op.and_then(|op| op.eval(u32::from(from.bits), to, &[lanes])) {
        Some(result) => Edit::To(InstrKind::Const(result)),
        None => Edit::Keep,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_ir::{Builder, InstrId};

    #[test]
    fn derivatives_fold_only_for_finite_constants() {
        let mut body = Body::new();
        let mut b = Builder::at_end(&mut body);
        let (one, inf) = (b.imm_f32(1.0), b.imm_f32(f32::INFINITY));
        let mut ddx = |v: InstrId| {
            let alu = Alu::new(AluOp::fddx, 1, &[v.into()]);
            b.insert(Instr::new(InstrKind::Alu(alu), Ty::B32))
        };
        let (of_one, of_inf) = (ddx(one), ddx(inf));
        assert!(edit_each(&mut body, fold));
        assert_eq!(body[of_one].as_const(), Some(&[0; 4]));
        assert_eq!(body[of_inf].as_const(), None);
    }
}
