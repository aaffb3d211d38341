//! Sums.

use super::code::V;
use super::format::{FIRST_NAN, Format, INF, NAN, Round, SIGN, magnitude, round, shift_right_sticky};

/// Zeros below a significand while adding. Bits shifted out of the smaller number are kept there, the last
/// one sticky; one bit above is left for the carry.
const GUARD: u64 = 10;

/// The significand with its guard bits, and the exponent as stored but at least 1, in 32 bits.
fn significand(magnitude: V<'_>) -> (V<'_>, V<'_>) {
    let field = (magnitude >> 52).to(32);
    let hidden = field.ine(0).select(magnitude.imm(1 << (52 + GUARD)), 0);
    (((magnitude & ((1 << 52) - 1)) << GUARD) | hidden, field.imax(1))
}

/// `a + b`.
pub(crate) fn add<'c>(a: V<'c>, b: V<'c>) -> V<'c> {
    let (ma, mb) = (magnitude(a), magnitude(b));
    let swap = ma.ult(mb);
    let (x, mx, my) = (swap.select(b, a), swap.select(mb, ma), swap.select(ma, mb));
    let ((sx, ex), (sy, ey)) = (significand(mx), significand(my));
    let sy = shift_right_sticky(sy, (ex - ey).umin(63));
    // All ones where the signs differ: the smaller number is subtracted then.
    let differ = (a ^ b).sar(63);
    let sum = sx + ((sy ^ differ) - differ);
    // A sum of normal numbers has its highest bit at 62 and gets it to 63, with the exponent one more; but a shift beyond
    // the lowest exponent would leave the subnormal numbers.
    let up = (ex.imm(63) - sum.msb()).umin(ex);
    let result = round(Format::F64, Round::Nearest, ex - up, sum << up) | (x & SIGN);
    // Zeros add to a zero with their sign if it is the same, differences of equal numbers are +0.
    let result = sum.ieq(0).select(a & b & SIGN, result);
    let invalid = my.uge(INF) & differ.ine(0) | mx.uge(FIRST_NAN);
    mx.uge(INF).select(invalid.select(a.imm(NAN), x), result)
}

/// `a - b`.
pub(crate) fn sub<'c>(a: V<'c>, b: V<'c>) -> V<'c> {
    add(a, b ^ SIGN)
}
