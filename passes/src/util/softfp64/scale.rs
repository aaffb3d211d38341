//! Exponents: `ldexp`, `frexp`.

use super::code::V;
use super::format::{Format, INF, SIGN, magnitude, or_nan, unpack};

const MIN_NORMAL: u64 = 1 << 52;

/// Zero, infinity or NaN.
fn has_no_parts(magnitude: V<'_>) -> V<'_> {
    (magnitude - 1).uge(INF - 1)
}

/// `a * 2^by`; results below the normal numbers flush to zero with the sign of `a`.
pub(crate) fn ldexp<'c>(a: V<'c>, by: V<'c>) -> V<'c> {
    const FAR: u64 = 2200;
    let m = magnitude(a);
    let parts = unpack(Format::F64, m);
    let exponent = parts.exponent + by.imax(-(FAR as i64) as u64 & 0xffff_ffff).imin(FAR);
    let field = (exponent.imax(1).imin(Format::F64.max_exponent()) - 1).to(64);
    let scaled = ((field << 52) + (parts.significand >> 11)).umin(INF);
    let scaled = exponent.ilt(1).select(a.imm(0), scaled);
    // The largest number below the normal ones is a tie and is rounded up.
    let top = exponent.ieq(0) & parts.significand.ieq(!0 << 11);
    let scaled = top.select(a.imm(MIN_NORMAL), scaled) | (a & SIGN);
    or_nan(m, has_no_parts(m).select(a, scaled))
}

/// The significand in [1/2, 1) with the sign of `a`; zero, infinity and NaN stay.
pub(crate) fn frexp_significand(a: V<'_>) -> V<'_> {
    let m = magnitude(a);
    let parts = unpack(Format::F64, m);
    let half = (Format::F64.bias() - 2) << 52;
    let significand = ((parts.significand >> 11) + half) | (a & SIGN);
    or_nan(m, has_no_parts(m).select(a, significand))
}

/// The exponent for that; 0 for zero, infinity and NaN.
pub(crate) fn frexp_exponent(a: V<'_>) -> V<'_> {
    let m = magnitude(a);
    let exponent = unpack(Format::F64, m).exponent;
    has_no_parts(m).select(exponent.imm(0), exponent - (Format::F64.bias() - 1))
}
