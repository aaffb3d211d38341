//! Products.

use super::code::V;
use super::format::{FIRST_NAN, Format, INF, NAN, SIGN, magnitude, pack_nearly_normal, unpack};

/// `a * b`.
pub(crate) fn mul<'c>(a: V<'c>, b: V<'c>) -> V<'c> {
    let (ma, mb) = (magnitude(a), magnitude(b));
    let (pa, pb) = (unpack(Format::F64, ma), unpack(Format::F64, mb));
    let (sa, sb) = (pa.significand, pb.significand);
    // At least 2^62; the low half only decides whether the product is longer.
    let product = sa.umul_high(sb) | (sa * sb).ine(0).bit(64);
    let result = pack_nearly_normal(pa.exponent + pb.exponent - (Format::F64.bias() - 1), product);
    let (big, small) = (ma.umax(mb), ma.umin(mb));
    let zero = small.ieq(0);
    let sign = (a ^ b) & SIGN;
    let result = big.uge(INF).select(a.imm(INF), zero.select(a.imm(0), result)) | sign;
    let invalid = big.uge(FIRST_NAN) | big.uge(INF) & zero;
    invalid.select(a.imm(NAN), result)
}
