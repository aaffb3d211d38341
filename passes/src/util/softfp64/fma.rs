//! Products with a sum, rounded once.
//!
//! Both the product and the summand are numbers of 128 bits; the one of the lower exponent is shifted, and the sum is exact
//! but for a sticky bit far below the bits that rounding depends on.

use super::code::V;
use super::format::{FIRST_NAN, Format, INF, NAN, Parts, Round, SIGN, magnitude, pack, unpack};
use super::wide::Wide;

/// `a * b + c`.
pub(crate) fn fma<'c>(a: V<'c>, b: V<'c>, c: V<'c>) -> V<'c> {
    let [ma, mb, mc] = [a, b, c].map(magnitude);
    let [pa, pb, pc] = [ma, mb, mc].map(|m| unpack(Format::F64, m));
    let (big, small) = (ma.umax(mb), ma.umin(mb));
    let no_product = small.ieq(0);
    let no_summand = mc.ieq(0);
    let zero = a.imm(0);

    // Below 2^126, so that the sum has a bit for its sign. Both are in units of 2^(exponent - bias - 125). The exponent of
    // a zero must not be the higher one.
    const LOWEST: u64 = -5000i32 as u32 as u64;
    let product = Wide::product(pa.significand >> 1, no_product.select(zero, pb.significand >> 1));
    let summand = Wide { high: no_summand.select(zero, pc.significand >> 2), low: zero };
    let exponent = pa.exponent + pb.exponent - (Format::F64.bias() - 1);
    let exponent_p = no_product.select(exponent.imm(LOWEST), exponent);
    let exponent_c = no_summand.select(exponent.imm(LOWEST), pc.exponent);
    let exponent = exponent_p.imax(exponent_c);
    let product = product.shift_right_sticky((exponent - exponent_p).umin(127));
    let summand = summand.shift_right_sticky((exponent - exponent_c).umin(127));

    let sign_p = (a ^ b) & SIGN;
    let differ = (sign_p ^ c).sar(63);
    let sum = product.add(summand.negate_if(differ));
    let negative = sum.high.sar(63);
    let sum = sum.negate_if(negative);
    let sign = (sign_p ^ negative) & SIGN;

    // The highest bit of the sum to the top.
    let low_only = sum.high.ieq(0);
    let sum = Wide { high: low_only.select(sum.low, sum.high), low: low_only.select(zero, sum.low) };
    let exponent = low_only.select(exponent - 64, exponent);
    let up = exponent.imm(63) - sum.high.msb();
    let is_zero = sum.high.ieq(0);
    let sum = sum.shift_left(up);
    let significand = sum.high | sum.low.ine(0).bit(64);
    let parts = Parts { significand, exponent: exponent + 2 - up };
    let result = pack(Format::F64, Round::Nearest, parts) | sign;
    // As in a sum: the sign of two zeros if it is the same, +0 of equal numbers.
    let result = is_zero.select(sign_p & c & SIGN, result);

    let infinite = big.uge(INF);
    let result = mc.uge(INF).select(c, result);
    let result = infinite.select(sign_p | INF, result);
    let invalid = big.umax(mc).uge(FIRST_NAN) | infinite & (no_product | mc.uge(INF) & differ.ine(0));
    invalid.select(a.imm(NAN), result)
}
