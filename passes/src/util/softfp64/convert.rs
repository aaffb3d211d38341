//! Conversions to and from other floats and integers.

use super::code::V;
use super::format::{FIRST_NAN, Format, INF, NAN, ONE, Parts, Round, SIGN, magnitude, pack, round, unpack};
use super::integral::{To, integral};
use airfoil_ir::alu::Rounding;

/// The 64-bit float `a` as a narrower one.
pub(crate) fn narrow(a: V<'_>, to: Format, mode: Rounding) -> V<'_> {
    let m = magnitude(a);
    let parts = unpack(Format::F64, m);
    let exponent = parts.exponent - (Format::F64.bias() - to.bias());
    let result = pack(to, Round::of(mode, || a.ilt(0)), Parts { exponent, ..parts });
    let result = m.ieq(0).select(a.imm(0), result);
    let result = m.uge(INF).select(a.imm(to.infinity()), result) | ((a & SIGN) >> u64::from(64 - to.bits));
    m.uge(FIRST_NAN).select(a.imm(to.nan()), result).to(to.bits)
}

/// A narrower float as one of 64 bits.
pub(crate) fn widen(a: V<'_>, from: Format) -> V<'_> {
    let a = a.to(64);
    let m = a & (from.sign() - 1);
    let parts = unpack(from, m);
    // Even the smallest is a normal number of 64 bits.
    let exponent = (parts.exponent + (Format::F64.bias() - from.bias() - 1)).to(64);
    let result = m.ieq(0).select(a.imm(0), (exponent << 52) + (parts.significand >> 11));
    let sign = (a & from.sign()) << u64::from(64 - from.bits);
    let result = m.uge(from.infinity()).select(a.imm(INF), result) | sign;
    m.uge(from.infinity() + 1).select(a.imm(NAN), result)
}

/// An integer as a 64-bit float.
pub(crate) fn from_int(a: V<'_>, signed: bool, mode: Rounding) -> V<'_> {
    let exact = a.bits() < 64;
    let a = if signed { a.sext(64) } else { a.to(64) };
    let magnitude = if signed {
        let negative = a.sar(63);
        (a ^ negative) - negative
    } else {
        a
    };
    let top = magnitude.msb();
    let significand = magnitude << (top.imm(63) - top);
    let field = top + (Format::F64.bias() - 1);
    let result = if exact {
        (field.to(64) << 52) + (significand >> 11)
    } else {
        let negative = || if signed { a.ilt(0) } else { a.imm(0).ine(0) };
        round(Format::F64, Round::of(mode, negative), field, significand)
    };
    let result = if signed { result | (a & SIGN) } else { result };
    magnitude.ieq(0).select(a.imm(0), result)
}

/// A 64-bit float as an integer of `bits` bits: rounded, then the nearest one in range; NaN gives 0.
pub(crate) fn to_int(a: V<'_>, signed: bool, bits: u8, mode: Rounding) -> V<'_> {
    let a = match mode {
        Rounding::Rtz => a,
        Rounding::Rte => integral(To::NearestEven, a),
        Rounding::Rtp => integral(To::Ceil, a),
        Rounding::Rtn => integral(To::Floor, a),
    };
    let m = magnitude(a);
    let field = (m >> 52).to(32);
    let bias = Format::F64.bias();
    // The highest bit is at `field - bias`, which is negative below 1 and too large from 2^64 on.
    let whole = ((m << 11) | 1 << 63) >> (field.imm(bias + 63) - field);
    let whole = field.ult(bias).select(m.imm(0), whole);
    let whole = field.uge(bias + 64).select(m.imm(u64::MAX), whole);
    let whole = m.uge(FIRST_NAN).select(m.imm(0), whole);
    if signed {
        let negative = a.sar(63);
        let limit = m.imm((1 << (bits - 1)) - 1) - negative;
        ((whole.umin(limit) ^ negative) - negative).to(bits)
    } else {
        let whole = a.ilt(0).select(m.imm(0), whole);
        whole.umin(u64::MAX >> (64 - bits)).to(bits)
    }
}

/// A truth as 1 or 0.
pub(crate) fn from_bool(a: V<'_>) -> V<'_> {
    a.select(a.code().imm(64, ONE), 0)
}
