//! Code of the built-in functions that are too long for their row in `function`.

use super::pure::{Call, Results};
use crate::shapes::shape_of;
use crate::types::Base;
use airfoil_ir::{AluOp, Builder, Columns, InstrId, Ty};
use smallvec::smallvec;

// ---- common functions ----

pub(super) fn modf(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let (fraction, whole) = b.modf(call.ssa(0)?);
    Some(Results { value: smallvec![fraction], outs: smallvec![(call.base()?, whole)] })
}

pub(super) fn frexp(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let v = call.ssa(0)?;
    let significand = b.alu(AluOp::frexp_sig, &[v]);
    let exponent = b.alu(AluOp::frexp_exp, &[v]);
    Some(Results { value: smallvec![significand], outs: smallvec![(Base::Int, exponent)] })
}

pub(super) fn clamp(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let (v, low, high) = (call.ssa(0)?, call.ssa(1)?, call.ssa(2)?);
    let value = if call.base()?.is_float() {
        b.alu(AluOp::fclamp, &[v, low, high])
    } else {
        let (min, max) = min_max(call)?;
        let v = b.alu(max, &[v, low]);
        b.alu(min, &[v, high])
    };
    Some(value.into())
}

/// The operations `min` and `max` on the base type of the call.
fn min_max(call: Call<'_>) -> Option<(AluOp, AluOp)> {
    let base = call.base()?;
    Some(if base.is_float() {
        (AluOp::fmin, AluOp::fmax)
    } else if base.is_signed() {
        (AluOp::imin, AluOp::imax)
    } else {
        (AluOp::umin, AluOp::umax)
    })
}

pub(super) fn min3(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let (min, _) = min_max(call)?;
    let pair = b.alu(min, &[call.ssa(0)?, call.ssa(1)?]);
    Some(b.alu(min, &[pair, call.ssa(2)?]).into())
}

pub(super) fn max3(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let (_, max) = min_max(call)?;
    let pair = b.alu(max, &[call.ssa(0)?, call.ssa(1)?]);
    Some(b.alu(max, &[pair, call.ssa(2)?]).into())
}

/// `max(min(x, y), min(max(x, y), z))`.
pub(super) fn mid3(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let (x, y, z) = (call.ssa(0)?, call.ssa(1)?, call.ssa(2)?);
    let (min, max) = min_max(call)?;
    let pair = b.alu(max, &[x, y]);
    let upper = b.alu(min, &[pair, z]);
    let lower = b.alu(min, &[x, y]);
    Some(b.alu(max, &[lower, upper]).into())
}

pub(super) fn distance(b: &mut Builder<'_>, x: InstrId, y: InstrId) -> InstrId {
    let d = b.fsub(x, y);
    b.length(d)
}

/// A multiple of an angle.
pub(super) fn scale(b: &mut Builder<'_>, v: InstrId, by: f64) -> InstrId {
    let by = b.imm_float_like(v, by);
    b.fmul(v, by)
}

// ---- matrices ----

pub(super) fn matrix_comp_mult(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let columns: Columns =
        call.columns(0)?.iter().zip(call.columns(1)?).map(|(&x, &y)| b.fmul(x, y)).collect();
    Some(columns.into())
}

pub(super) fn outer_product(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    Some(b.outer_product(call.ssa(0)?, call.ssa(1)?).into())
}

pub(super) fn transpose(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    Some(b.transpose(call.columns(0)?).into())
}

pub(super) fn determinant(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    b.determinant(call.columns(0)?).map(Results::from)
}

pub(super) fn inverse(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    b.inverse(call.columns(0)?).map(Results::from)
}

// ---- integers ----

/// The low word as result, the carry or borrow as `out` parameter.
fn with_carry(b: &mut Builder<'_>, call: Call<'_>, low: AluOp, carry: AluOp) -> Option<Results> {
    let operands = [call.ssa(0)?, call.ssa(1)?];
    let (value, carry) = (b.alu(low, &operands), b.alu(carry, &operands));
    Some(Results { value: smallvec![value], outs: smallvec![(Base::Uint, carry)] })
}

pub(super) fn uadd_carry(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    with_carry(b, call, AluOp::iadd, AluOp::uadd_carry)
}

pub(super) fn usub_borrow(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    with_carry(b, call, AluOp::isub, AluOp::usub_borrow)
}

/// High and low word of a product, both as `out` parameters.
pub(super) fn mul_extended(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let (x, y) = (call.ssa(0)?, call.ssa(1)?);
    let high = if call.is_signed(0) { AluOp::imul_high } else { AluOp::umul_high };
    let (high, low) = (b.alu(high, &[x, y]), b.imul(x, y));
    let base = call.base()?;
    Some(Results { value: Columns::new(), outs: smallvec![(base, high), (base, low)] })
}

pub(super) fn count_leading_zeros(b: &mut Builder<'_>, v: InstrId) -> InstrId {
    // The index of the highest bit is -1 for 0.
    let top = b.imm_u32(u32::from(b.ty(v).bits) - 1);
    let highest = b.alu(AluOp::ufind_msb, &[v]);
    b.isub(top, highest)
}

pub(super) fn count_trailing_zeros(b: &mut Builder<'_>, v: InstrId) -> InstrId {
    // The index of the lowest bit is -1 for 0, the largest unsigned number.
    let width = b.imm_u32(u32::from(b.ty(v).bits));
    let lowest = b.alu(AluOp::find_lsb, &[v]);
    b.umin(lowest, width)
}

pub(super) fn absolute_difference(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let operands = [call.ssa(0)?, call.ssa(1)?];
    let (min, max) = min_max(call)?;
    let (low, high) = (b.alu(min, &operands), b.alu(max, &operands));
    Some(b.isub(high, low).into())
}

pub(super) fn multiply_32x16(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let (x, y) = (call.ssa(0)?, call.ssa(1)?);
    // Only the low 16 bits of the second factor count.
    let half = b.convert(AluOp::u2u, y, 16);
    let y = b.convert(if call.is_signed(0) { AluOp::i2i } else { AluOp::u2u }, half, 32);
    Some(b.imul(x, y).into())
}

/// The products and the sum of an integer dot product have the width of the result (GL_EXT_integer_dot_product).
fn sum_of_products(b: &mut Builder<'_>, call: Call<'_>, packed: bool) -> Option<InstrId> {
    let bits = shape_of(call.result)?.bits;
    let operand = |b: &mut Builder<'_>, i: usize| {
        let mut v = call.ssa(i)?;
        if packed {
            v = b.alu(AluOp::unpack_32_4x8, &[v]);
        }
        let op = if call.is_signed(i) { AluOp::i2i } else { AluOp::u2u };
        Some(if b.ty(v).bits == bits { v } else { b.convert(op, v, bits) })
    };
    let (x, y) = (operand(b, 0)?, operand(b, 1)?);
    let products = b.imul(x, y);
    let mut sum = b.channel(products, 0);
    for c in 1..usize::from(b.ty(products).comps) {
        let term = b.channel(products, c);
        sum = b.iadd(sum, term);
    }
    Some(sum)
}

/// Adds the accumulator, the third argument, with saturation.
fn accumulate(b: &mut Builder<'_>, call: Call<'_>, sum: InstrId) -> Option<Results> {
    let signed = call.result.base().is_some_and(Base::is_signed);
    let add = if signed { AluOp::iadd_sat } else { AluOp::uadd_sat };
    Some(b.alu(add, &[sum, call.ssa(2)?]).into())
}

pub(super) fn dot(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    sum_of_products(b, call, false).map(Results::from)
}

pub(super) fn dot_packed(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    sum_of_products(b, call, true).map(Results::from)
}

pub(super) fn dot_acc_sat(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let sum = sum_of_products(b, call, false)?;
    accumulate(b, call, sum)
}

pub(super) fn dot_packed_acc_sat(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    let sum = sum_of_products(b, call, true)?;
    accumulate(b, call, sum)
}

// ---- bits ----

pub(super) fn bit_cast(b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
    reinterpret(b, call.ssa(0)?, shape_of(call.result)?).map(Results::from)
}

/// The same bits as another number of components of another width, the lowest first.
pub(crate) fn reinterpret(b: &mut Builder<'_>, v: InstrId, to: Ty) -> Option<InstrId> {
    let from = b.ty(v);
    if from == to {
        return Some(v);
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
        _ => return None,
    };
    Some(b.alu(op, &[v]))
}
