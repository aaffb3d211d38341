//! Remainders.
//!
//! `a = m * 2^k` in units of the last bit of `b = n`; the remainder is `m * (2^k mod n) mod n`, where the power comes from
//! squaring: ten products modulo `n` instead of a division of two thousand steps (Knuth, "The Art of Computer
//! Programming" 2, section 4.6.3). Products are reduced by the reciprocal of `n`.

use super::code::V;
use super::div::reciprocal;
use super::format::{FIRST_NAN, Format, INF, NAN, Parts, Round, SIGN, magnitude, pack, unpack};
use super::wide::Wide;

/// Arithmetic modulo a number of 53 bits.
struct Modulus<'c> {
    n: V<'c>,
    /// See [`reciprocal`].
    reciprocal: V<'c>,
}

impl<'c> Modulus<'c> {
    /// `x` below `2 n`, reduced.
    fn reduce_once(&self, x: V<'c>) -> V<'c> {
        x.uge(self.n).select(x - self.n, x)
    }

    /// The product of numbers below 2^53.
    fn mul(&self, a: V<'c>, b: V<'c>) -> V<'c> {
        // Shifted to the top, so that the high word has its bits: below 2^64.
        let high = Wide::product(a << 11, b << 11).high;
        // With 9 fraction bits; reduced so that it is not too large, and at most 1 too small without them.
        let quotient = high.umul_high(self.reciprocal);
        let quotient = (quotient - quotient.umin(8)) >> 9;
        self.reduce_once(a * b - quotient * self.n)
    }
}

/// `a - b * trunc(a / b)`, exactly; the sign is that of `a`.
pub(crate) fn rem<'c>(a: V<'c>, b: V<'c>) -> V<'c> {
    let (ma, mb) = (magnitude(a), magnitude(b));
    let (pa, pb) = (unpack(Format::F64, ma), unpack(Format::F64, mb));
    let modulus = Modulus { n: pb.significand >> 11, reciprocal: reciprocal(pb.significand) };
    let k = (pa.exponent - pb.exponent).imax(0);
    // The power by the highest bits of k is a plain one: below 2^33.
    const STEPS: u64 = 6;
    let mut power = a.imm(1) << (k >> STEPS);
    for bit in (0..STEPS).rev() {
        let square = modulus.mul(power, power);
        let doubled = modulus.reduce_once(square << 1);
        power = ((k >> bit) & 1).ine(0).select(doubled, square);
    }
    let remainder = modulus.mul(modulus.reduce_once(pa.significand >> 11), power);
    let up = pb.exponent.imm(63) - remainder.msb();
    let parts = Parts { significand: remainder << up, exponent: pb.exponent + 11 - up };
    // Nothing is rounded: a multiple of the units of `b` is a float.
    let result = remainder.ieq(0).select(a.imm(0), pack(Format::F64, Round::Zero, parts)) | (a & SIGN);
    let result = ma.ult(mb).select(a, result);
    let invalid = ma.uge(INF) | mb.ieq(0) | mb.uge(FIRST_NAN);
    invalid.select(a.imm(NAN), result)
}
