//! Square roots.
//!
//! The reciprocal of the root comes from a parabola and four steps of Newton's method, two of them in 32 bits. The
//! resulting root has 54 bits, the last of which may be 1 too small: the exact remainder decides this.

use super::code::V;
use super::format::{FIRST_NAN, Format, INF, NAN, unpack};

/// A step of Newton's method for `1 / sqrt(a)`: `y (3 - a y^2) / 2`. `y` has two bits before the point; products have two
/// more than their factors, so the sum has four.
fn step<'c>(a: V<'c>, y: V<'c>) -> V<'c> {
    let three = a.imm(3 << (a.bits() - 4));
    y.umul_high(three - a.umul_high(y.umul_high(y))) << 3
}

/// `sqrt(a * 2^60)` for `a` from 2^62 on: at most 8 below, at most 4 above.
fn root(a: V<'_>) -> V<'_> {
    // 1/sqrt(x) on [1/4, 1) with an error of 2^-5.3, with two bits before the point.
    const PARABOLA: [u64; 3] = [0xaaef_d15d, 0xd245_ce91, 0x68e0_0548];
    let high = (a >> 32).to(32);
    let slope = high.imm(PARABOLA[1]) - high.umul_high(PARABOLA[2]);
    let start = high.imm(PARABOLA[0]) - high.umul_high(slope);
    let y = (0..2).fold(start, |y, _| step(high, y)).to(64) << 32;
    a.umul_high((0..2).fold(y, |y, _| step(a, y)))
}

/// `sqrt(a)`.
pub(crate) fn sqrt(a: V<'_>) -> V<'_> {
    // The sign does not matter here: negative numbers have no root.
    let parts = unpack(Format::F64, a);
    // 1/4 to 1 times an even power of two.
    let s = parts.significand >> (parts.exponent & 1);
    let root = (root(s) - 32) >> 8;
    // (root + 1)^2 <= s: how far the square is from s, where the higher bits do not matter.
    let short = ((s << 44) - root * root).uge((root << 1) | 1);
    let root = root + short.bit(64);
    // No root ends with a one at the 54th bit (its square would be longer than 53 bits): never a tie.
    let exponent = (parts.exponent + Format::F64.bias()) >> 1;
    let result = ((exponent - 1).to(64) << 52) + ((root + 1) >> 1);

    let keeps = (a << 1).ieq(0) | a.ieq(INF);
    keeps.select(a, a.uge(FIRST_NAN).select(a.imm(NAN), result))
}
