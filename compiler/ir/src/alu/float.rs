//! Floats of 16, 32 and 64 bits as `f64`, and the rounding of results.
//!
//! Sums, products, quotients and square roots of 16- and 32-bit floats computed in `f64` and rounded once
//! more are correctly rounded, because 53 >= 2 * 24 + 2 (Figueroa, "When is double rounding innocuous?").

use crate::value::bit_mask;

/// Rounding mode of a conversion.
///
/// # Examples
///
/// ```
/// use airfoil_ir::alu::{Rounding, round_f64};
///
/// assert_eq!([0.5, 1.5, 2.5].map(|x| Rounding::Rte.integral(x)), [0.0, 2.0, 2.0]);
/// // A tenth is between two neighbouring floats.
/// let [below, above] = [Rounding::Rtn, Rounding::Rtp].map(|mode| round_f64(0.1, 32, mode) as f32);
/// assert_eq!(above.to_bits() - below.to_bits(), 1);
/// // Overflow toward zero gives the largest half.
/// assert_eq!(round_f64(70000.0, 16, Rounding::Rtz), 65504.0);
/// assert_eq!(round_f64(70000.0, 16, Rounding::Rte), f64::INFINITY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest, ties to even.
    Rte,
    /// Toward zero.
    Rtz,
    /// Toward positive infinity.
    Rtp,
    /// Toward negative infinity.
    Rtn,
}

impl Rounding {
    /// Integral value that `x` rounds to.
    pub fn integral(self, x: f64) -> f64 {
        match self {
            Rounding::Rte => x.round_ties_even(),
            Rounding::Rtz => x.trunc(),
            Rounding::Rtp => x.ceil(),
            Rounding::Rtn => x.floor(),
        }
    }
}

/// The float of `bits` (16, 32 or 64) bits held in `raw`.
pub fn f64_from_bits(raw: u64, bits: u32) -> f64 {
    match bits {
        16 => half::f16::from_bits(raw as u16).to_f64(),
        32 => f64::from(f32::from_bits(raw as u32)),
        _ => f64::from_bits(raw),
    }
}

/// Bits of `x` rounded to the nearest float of `bits` (16, 32 or 64) bits.
pub fn f64_to_bits(x: f64, bits: u32) -> u64 {
    match bits {
        16 => u64::from(half::f16::from_f32(round_to_odd(x)).to_bits()),
        32 => u64::from((x as f32).to_bits()),
        _ => x.to_bits(),
    }
}

/// `x` cut to 32 bits, the last of which is set if something was cut off. Rounding that to 16 bits is rounding `x` (Boldo and
/// Melquiond, "Emulation of FMA and correctly rounded sums"); `half::f16::from_f64` looks at the upper word of `x` only.
fn round_to_odd(x: f64) -> f32 {
    let near = x as f32;
    let error = f64::from(near) - x;
    if error == 0.0 || !error.is_finite() {
        return near;
    }
    let cut = if f64::from(near).abs() > x.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f32::from_bits(cut | 1)
}

/// `x` rounded to a float of `bits` bits in the given mode, as `f64`.
///
/// Overflow follows IEEE 754 section 7.4: toward zero and the mode away from the sign's infinity give the
/// largest finite number.
pub fn round_f64(x: f64, bits: u32, mode: Rounding) -> f64 {
    let near = f64_from_bits(f64_to_bits(x, bits), bits);
    if bits >= 64 || !x.is_finite() || near == x {
        return near;
    }
    let wrong_way = match mode {
        Rounding::Rte => false,
        Rounding::Rtz => near.abs() > x.abs(),
        Rounding::Rtp => near < x,
        Rounding::Rtn => near > x,
    };
    if !wrong_way {
        return near;
    }
    // Bits of a float of one sign are ordered like its magnitude, so the neighbour is one step away.
    // A result that rounded to zero has the sign of `x`, so the step never crosses zero.
    let grow = match mode {
        Rounding::Rtp => near >= 0.0,
        Rounding::Rtn => near <= 0.0,
        _ => false,
    };
    let raw = f64_to_bits(near, bits);
    f64_from_bits(if grow { raw + 1 } else { raw - 1 }, bits)
}

/// A signed or unsigned 128-bit integer rounded to a float of `bits` bits.
///
/// The conversion through `f64` rounds once only if the integer fits 53 bits; wider ones are rounded here.
pub fn int_to_float(x: i128, bits: u32, mode: Rounding) -> f64 {
    const EXACT: i128 = 1 << 53;
    if x.abs() <= EXACT {
        return round_f64(x as f64, bits, mode);
    }
    let mantissa: u32 = match bits {
        16 => 11,
        32 => 24,
        _ => 53,
    };
    let magnitude = x.unsigned_abs();
    let drop = (128 - magnitude.leading_zeros()) - mantissa;
    let (kept, rest) = (magnitude >> drop, magnitude & ((1 << drop) - 1));
    let half_way = 1u128 << (drop - 1);
    let up = match mode {
        Rounding::Rte => rest > half_way || (rest == half_way && kept & 1 == 1),
        Rounding::Rtz => false,
        Rounding::Rtp => rest != 0 && x > 0,
        Rounding::Rtn => rest != 0 && x < 0,
    };
    let rounded = ((kept + u128::from(up)) << drop) as f64;
    round_f64(if x < 0 { -rounded } else { rounded }, bits, mode)
}

/// Lowest and highest integer of `bits` bits.
fn int_range(signed: bool, bits: u32) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, i128::from(bit_mask(bits))) }
}

/// `x` rounded to an integer, then clamped to the integers of `bits` bits; NaN gives 0.
///
/// The plain (unsaturated) conversions use the same rule: out-of-range results are undefined in GLSL and
/// SPIR-V, and one rule for both leaves no freedom to constant folding.
pub fn float_to_int(x: f64, signed: bool, bits: u32, mode: Rounding) -> i128 {
    if x.is_nan() {
        return 0;
    }
    let (low, high) = int_range(signed, bits);
    // `as` saturates, and an f64 beyond i128 cannot be in range in any case.
    (mode.integral(x) as i128).clamp(low, high)
}

/// `x` clamped to the integers of `bits` bits.
pub fn saturate(x: i128, signed: bool, bits: u32) -> i128 {
    let (low, high) = int_range(signed, bits);
    x.clamp(low, high)
}

/// `a * b + c` rounded once to `bits` bits.
pub fn fused(a: f64, b: f64, c: f64, bits: u32) -> f64 {
    match bits {
        32 => f64::from((a as f32).mul_add(b as f32, c as f32)),
        _ => a.mul_add(b, c),
    }
}

/// `a * b` rounded to `bits` bits, plus `c`: the two roundings of separate operations.
pub fn unfused(a: f64, b: f64, c: f64, bits: u32) -> f64 {
    round_f64(a * b, bits, Rounding::Rte) + c
}

/// Smaller of two floats; a NaN operand loses (IEEE 754-2008 minNum, GLSL.std.450 NMin).
pub fn min_num(a: f64, b: f64) -> f64 {
    if a.is_nan() || b < a || (a == b && b.is_sign_negative()) { b } else { a }
}

/// Larger of two floats; a NaN operand loses (IEEE 754-2008 maxNum, GLSL.std.450 NMax).
pub fn max_num(a: f64, b: f64) -> f64 {
    if a.is_nan() || b > a || (a == b && a.is_sign_negative()) { b } else { a }
}

/// Significand in `[0.5, 1)` and exponent of `x`; zero, infinity and NaN keep themselves with exponent 0.
pub fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // Scale subnormals up first, so that the exponent field gives the magnitude.
    let (x, bias) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(64), -64) } else { (x, 0) };
    let raw = x.to_bits();
    let exponent = ((raw >> 52) & 0x7ff) as i32 - 1022;
    (f64::from_bits((raw & !(0x7ff << 52)) | (1022 << 52)), exponent + bias)
}

/// The least normal number of a width.
pub fn min_normal(bits: u32) -> f64 {
    match bits {
        16 => 2f64.powi(-14),
        32 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    }
}

/// `x * 2^e` without intermediate overflow; zero, infinity and NaN stay.
pub fn ldexp(x: f64, e: i64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    // From the smallest number to the largest it takes 2^2098, and three factors for that: 2^1024 is infinite.
    let e = e.clamp(-2200, 2200) as i32;
    let third = e / 3;
    x * 2f64.powi(third) * 2f64.powi(third) * 2f64.powi(e - 2 * third)
}
