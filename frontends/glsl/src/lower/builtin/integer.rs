//! Functions on integers and bits that are several operations.

use super::pure::Arg;
use crate::builtin::Builtin;
use crate::lower::shape_of;
use crate::types::{Base, Type};
use airfoil_ir::{AluOp, Builder, InstrId, Ty};

/// The same bits as another number of components of another width, the lowest first.
pub(super) fn bit_cast(b: &mut Builder<'_>, v: InstrId, result: Type) -> Option<InstrId> {
    let (from, to) = (b.ty(v), shape_of(result)?);
    if from == to {
        return Some(v);
    }
    if u32::from(from.comps) * u32::from(from.bits) != u32::from(to.comps) * u32::from(to.bits) {
        return None;
    }
    let op = match ((from.comps, from.bits), (to.comps, to.bits)) {
        ((2, 32), (1, 64)) => AluOp::pack_64_2x32,
        ((1, 64), (2, 32)) => AluOp::unpack_64_2x32,
        ((4, 16), (1, 64)) => AluOp::pack_64_4x16,
        ((1, 64), (4, 16)) => AluOp::unpack_64_4x16,
        ((2, 16), (1, 32)) => AluOp::pack_32_2x16,
        ((1, 32), (2, 16)) => AluOp::unpack_32_2x16,
        ((4, 8), (1, 32)) => AluOp::pack_32_4x8,
        ((1, 32), (4, 8)) => AluOp::unpack_32_4x8,
        ((2, 8), (1, 16)) => {
            let wide = b.convert(AluOp::u2u, v, 16);
            let (low, high) = (b.channel(wide, 0), b.channel(wide, 1));
            let eight = b.imm_u32(8);
            let high = b.ishl(high, eight);
            return Some(b.ior(low, high));
        }
        ((1, 16), (2, 8)) => {
            let eight = b.imm_u32(8);
            let high = b.ushr(v, eight);
            let both = b.vec(&[v, high]);
            return Some(b.convert(AluOp::u2u, both, 8));
        }
        // Vectors of 64-bit numbers as vectors of twice as many.
        ((2, 64), (4, 32)) => {
            let halves = [0, 1].map(|c| {
                let x = b.channel(v, c);
                b.alu(AluOp::unpack_64_2x32, &[x])
            });
            let lanes = [0, 1, 2, 3].map(|i| b.channel(halves[i / 2], i % 2));
            return Some(b.vec(&lanes));
        }
        ((4, 32), (2, 64)) => {
            let words = [[0, 1], [2, 3]].map(|lanes| {
                let x = b.swizzle(v, &lanes);
                b.alu(AluOp::pack_64_2x32, &[x])
            });
            return Some(b.vec(&words));
        }
        _ => return None,
    };
    Some(b.alu(op, &[v]))
}

/// The low 16 bits of each component, extended to the whole width.
pub(super) fn low_16(b: &mut Builder<'_>, v: InstrId, signed: bool) -> InstrId {
    let half = b.convert(AluOp::u2u, v, 16);
    b.convert(if signed { AluOp::i2i } else { AluOp::u2u }, half, 32)
}

/// Dot products of integers (GL_EXT_integer_dot_product): products and sum have the width of the result. A sum with an
/// accumulator saturates.
pub(super) fn dot(b: &mut Builder<'_>, f: Builtin, args: &[Arg], result: Type) -> Option<InstrId> {
    let bits = shape_of(result)?.bits;
    let operand = |b: &mut Builder<'_>, i: usize| {
        let arg = args.get(i)?;
        let mut v = arg.ssa()?;
        if matches!(f, Builtin::DotPacked4x8 | Builtin::DotPacked4x8AccSat) && b.ty(v) == Ty::B32 {
            v = b.alu(AluOp::unpack_32_4x8, &[v]);
        }
        let signed = arg.ty.base().is_some_and(Base::is_signed);
        let same = b.ty(v).bits == bits;
        Some(if same { v } else { b.convert(if signed { AluOp::i2i } else { AluOp::u2u }, v, bits) })
    };
    let (x, y) = (operand(b, 0)?, operand(b, 1)?);
    let products = b.imul(x, y);
    let mut sum = b.channel(products, 0);
    for c in 1..usize::from(b.ty(products).comps) {
        let term = b.channel(products, c);
        sum = b.iadd(sum, term);
    }
    if !matches!(f, Builtin::DotAccSat | Builtin::DotPacked4x8AccSat) {
        return Some(sum);
    }
    let signed = result.base().is_some_and(Base::is_signed);
    let add = if signed { AluOp::iadd_sat } else { AluOp::uadd_sat };
    Some(b.alu(add, &[sum, args.get(2)?.ssa()?]))
}
