//! Rounding to integral values.

use super::code::V;
use super::format::{Format, ONE, SIGN, magnitude, or_nan};

/// Which way.
#[derive(Clone, Copy)]
pub(crate) enum To {
    /// Down.
    Floor,
    /// Up.
    Ceil,
    /// Toward zero.
    Zero,
    /// To the nearest, ties to even.
    NearestEven,
    /// To the nearest, ties away from zero.
    NearestAway,
}

const HALF: u64 = ONE - (1 << 52);

/// `a` rounded to an integral value; large numbers, and infinities stay.
pub(crate) fn integral(to: To, a: V<'_>) -> V<'_> {
    let m = magnitude(a);
    let exponent = (m >> 52).to(32);
    // Below 1 all bits are fraction, and the next integral value is not one step of the last bit away.
    let below_one = m.ult(ONE);
    let fraction_bits = exponent.imm(Format::F64.bias() + 52) - exponent;
    let unit = a.imm(1) << fraction_bits;
    let mask = unit - 1;
    let truncated = below_one.select(a & SIGN, a & !mask);
    // Steps go into the exponent where they should.
    let step = below_one.select(a.imm(ONE), unit);
    let away = match to {
        To::Zero => None,
        To::Floor => Some(a.ilt(0) & a.ine(truncated)),
        To::Ceil => Some(!a.ilt(0) & a.ine(truncated)),
        To::NearestEven => {
            // The bit above the fraction; of 1 it is the exponent's last, which is one as the hidden bit is.
            let odd = (a >> fraction_bits) & 1;
            let up = (unit >> 1).ult((a & mask) + odd);
            Some(below_one.select(a.imm(HALF).ult(m), up))
        }
        To::NearestAway => Some(below_one.select(m.uge(HALF), (a & (unit >> 1)).ine(0))),
    };
    let rounded = match away {
        None => truncated,
        Some(away) => truncated + away.select(step, 0),
    };
    or_nan(m, exponent.uge(Format::F64.bias() + 52).select(a, rounded))
}
