//! Quotients.
//!
//! The reciprocal of the divisor comes from a line and four steps of Newton's method, three of them in 32 bits; each
//! doubles the number of correct bits. The resulting quotient has 55 or 56 bits, the last of which may be 1 too small:
//! the exact remainder decides this, and whether the quotient is exact.

use super::code::V;
use super::format::{FIRST_NAN, Format, INF, NAN, ONE, SIGN, magnitude, pack_nearly_normal, unpack};

/// `2^126 / d` for `d` with the highest bit set: at most 6 below, at most 1 above for all `d` whose low 11
/// bits are zero (the first step's error is 1/17, whose repeated squares are 2^-32; the rest is truncation of
/// the products).
pub(super) fn reciprocal(d: V<'_>) -> V<'_> {
    // With one bit before the point: the line 48/17 - 32/17 d, which is best on [1/2, 1).
    const START: u64 = 0x6969_6969;
    const SLOPE: u64 = 0xf0f0_f0f1;
    let high = (d >> 32).to(32);
    let mut x = high.imm(START) - high.umul_high(SLOPE);
    for _ in 0..3 {
        // x (2 - d x)
        x = x.umul_high(-high.umul_high(x)) << 1;
    }
    let x = x.to(64) << 32;
    x.umul_high(-d.umul_high(x))
}

/// `a / b`.
pub(crate) fn div<'c>(a: V<'c>, b: V<'c>) -> V<'c> {
    let (ma, mb) = (magnitude(a), magnitude(b));
    let (pa, pb) = (unpack(Format::F64, ma), unpack(Format::F64, mb));
    // With 62 fraction bits, then 55; the subtraction ensures that it is not too large.
    let quotient = (pa.significand.umul_high(reciprocal(pb.significand)) - 8) >> 7;
    // The remainder of the significands as integers is below 2^54, so the higher bits of the products do not matter.
    let divisor = pb.significand >> 11;
    let remainder = (pa.significand << 44) - quotient * divisor;
    let short = remainder.uge(divisor);
    let exact = short.select(remainder - divisor, remainder).ieq(0);
    let quotient = ((quotient + short.bit(64)) << 8) | (!exact).bit(64);
    let result = pack_nearly_normal(pa.exponent - pb.exponent + Format::F64.bias(), quotient);

    let (zero, infinite) = (ma.ieq(0) | mb.ieq(INF), ma.ieq(INF) | mb.ieq(0));
    let result = infinite.select(a.imm(INF), zero.select(a.imm(0), result)) | ((a ^ b) & SIGN);
    // Of a zero and an infinity of either kind the operand order decides; two of one kind have no quotient.
    let invalid = ma.umax(mb).uge(FIRST_NAN) | zero & infinite;
    invalid.select(a.imm(NAN), result)
}

/// `1 / a`.
pub(crate) fn reciprocal_of(a: V<'_>) -> V<'_> {
    div(a.imm(ONE), a)
}
