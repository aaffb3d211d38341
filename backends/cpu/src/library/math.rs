//! Functions of floats.
//!
//! All are computed with 53 bits by the host's library and rounded once to the result's width; `fma` is exact. The error
//! of results is thus below 0.51 units in the last place, and sums, products, quotients and square roots are correctly
//! rounded. `air.fast_*` are the same functions: Metal's bounds for them are wider.

use crate::frame::Frame;
use airfoil_ir::alu::{fused, ldexp, max_num, min_num, unfused};

/// How a function of floats is computed, component by component.
#[derive(Clone, Copy)]
pub(crate) enum Math {
    /// Of one.
    One(fn(f64) -> f64),
    /// Of two.
    Two(fn(f64, f64) -> f64),
    /// Of three.
    Three(fn(f64, f64, f64) -> f64),
    /// `a * b + c` rounded once.
    Fma,
    /// `a * b + c` rounded twice.
    Mad,
    /// Of a float and an integer.
    WithInt(fn(f64, i64) -> f64),
    /// Sum of products; one result.
    Dot,
    /// Sine; the cosine is returned through a pointer.
    SinCos,
    /// Exponent as an integer.
    Exponent,
}

fn round_half_away(x: f64) -> f64 {
    x.round()
}

fn sign(x: f64) -> f64 {
    if x.is_nan() {
        0.0
    } else if x == 0.0 {
        x
    } else {
        1f64.copysign(x)
    }
}

/// Metal 3.2 section 6.5: the largest value below 1 is the most.
fn fract(x: f64) -> f64 {
    let f = x - x.floor();
    if f as f32 == 1.0 { f64::from(1f32.next_down()) } else { f }
}

fn saturate(x: f64) -> f64 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

fn clamp(x: f64, low: f64, high: f64) -> f64 {
    min_num(max_num(x, low), high)
}

fn median(a: f64, b: f64, c: f64) -> f64 {
    max_num(min_num(a, b), min_num(max_num(a, b), c))
}

fn powr(x: f64, y: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { x.powf(y) }
}

fn next_after(x: f64, y: f64) -> f64 {
    let (x, y) = (x as f32, y as f32);
    let next = if x.is_nan() || y.is_nan() {
        f32::NAN
    } else if x == y {
        y
    } else if y > x {
        x.next_up()
    } else {
        x.next_down()
    };
    f64::from(next)
}

/// IEEE remainder: the quotient rounds to the nearest even.
fn remainder(x: f64, y: f64) -> f64 {
    let r = x % y;
    let (abs, half) = (r.abs(), y.abs() / 2.0);
    let odd = ((x / y).trunc() % 2.0) != 0.0;
    if abs > half || (abs == half && odd) { r - y.abs().copysign(r) } else { r }
}

use std::f64::consts::PI;

/// Names after `air.` and `air.fast_`.
static TABLE: &[(&str, Math)] = &[
    ("acos", Math::One(f64::acos)),
    ("acosh", Math::One(f64::acosh)),
    ("acospi", Math::One(|x| x.acos() / PI)),
    ("asin", Math::One(f64::asin)),
    ("asinh", Math::One(f64::asinh)),
    ("asinpi", Math::One(|x| x.asin() / PI)),
    ("atan", Math::One(f64::atan)),
    ("atan2", Math::Two(f64::atan2)),
    ("atanh", Math::One(f64::atanh)),
    ("atanpi", Math::One(|x| x.atan() / PI)),
    ("cbrt", Math::One(f64::cbrt)),
    ("ceil", Math::One(f64::ceil)),
    ("clamp", Math::Three(clamp)),
    ("copysign", Math::Two(f64::copysign)),
    ("cos", Math::One(f64::cos)),
    ("cosh", Math::One(f64::cosh)),
    ("cospi", Math::One(|x| (x % 2.0 * PI).cos())),
    ("dot", Math::Dot),
    ("exp", Math::One(f64::exp)),
    ("exp10", Math::One(|x| 10f64.powf(x))),
    ("exp2", Math::One(f64::exp2)),
    ("expm1", Math::One(f64::exp_m1)),
    ("fabs", Math::One(f64::abs)),
    (
        "fdim",
        Math::Two(|x, y| {
            if x > y {
                x - y
            } else if x.is_nan() || y.is_nan() {
                f64::NAN
            } else {
                0.0
            }
        }),
    ),
    ("floor", Math::One(f64::floor)),
    ("fma", Math::Fma),
    ("fmax", Math::Two(max_num)),
    ("fmax3", Math::Three(|a, b, c| max_num(max_num(a, b), c))),
    ("fmedian3", Math::Three(median)),
    ("fmin", Math::Two(min_num)),
    ("fmin3", Math::Three(|a, b, c| min_num(min_num(a, b), c))),
    ("fmod", Math::Two(|x, y| x % y)),
    ("fract", Math::One(fract)),
    ("hypot", Math::Two(f64::hypot)),
    ("ilogb", Math::Exponent),
    ("ldexp", Math::WithInt(ldexp)),
    ("log", Math::One(f64::ln)),
    ("log10", Math::One(f64::log10)),
    ("log1p", Math::One(f64::ln_1p)),
    ("log2", Math::One(f64::log2)),
    ("mad", Math::Mad),
    ("mix", Math::Three(|x, y, a| x + (y - x) * a)),
    ("nextafter", Math::Two(next_after)),
    ("pow", Math::Two(f64::powf)),
    ("pown", Math::WithInt(|x, n| x.powi(n as i32))),
    ("powr", Math::Two(powr)),
    ("remainder", Math::Two(remainder)),
    ("rint", Math::One(f64::round_ties_even)),
    (
        "rootn",
        Math::WithInt(|x, n| {
            let root = x.abs().powf(1.0 / n as f64);
            if x < 0.0 && n % 2 == 0 { f64::NAN } else { root.copysign(x) }
        }),
    ),
    ("round", Math::One(round_half_away)),
    ("rsqrt", Math::One(|x| 1.0 / x.sqrt())),
    ("saturate", Math::One(saturate)),
    ("sign", Math::One(sign)),
    ("sin", Math::One(f64::sin)),
    ("sincos", Math::SinCos),
    ("sinh", Math::One(f64::sinh)),
    ("sinpi", Math::One(|x| (x % 2.0 * PI).sin())),
    (
        "smoothstep",
        Math::Three(|a, b, x| {
            let t = saturate((x - a) / (b - a));
            t * t * (3.0 - 2.0 * t)
        }),
    ),
    ("sqrt", Math::One(f64::sqrt)),
    ("step", Math::Two(|edge, x| if x < edge { 0.0 } else { 1.0 })),
    ("tan", Math::One(f64::tan)),
    ("tanh", Math::One(f64::tanh)),
    ("tanpi", Math::One(|x| (x % 2.0 * PI).tan())),
    ("trunc", Math::One(f64::trunc)),
];

impl Math {
    /// The function with a name.
    pub(crate) fn named(name: &str) -> Option<Math> {
        let name = name.strip_prefix("fast_").unwrap_or(name);
        TABLE.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    pub(crate) fn run(self, f: &Frame<'_>) {
        let lanes = f.ret_lanes();
        match self {
            Math::One(op) => (0..lanes).for_each(|c| f.set_float(c, op(f.float(0, c)))),
            Math::Two(op) => (0..lanes).for_each(|c| f.set_float(c, op(f.float(0, c), f.float(1, c)))),
            Math::Three(op) => {
                (0..lanes).for_each(|c| f.set_float(c, op(f.float(0, c), f.float(1, c), f.float(2, c))));
            }
            Math::Fma | Math::Mad => {
                let op = if matches!(self, Math::Fma) { fused } else { unfused };
                let bits = f.ret_bits();
                for c in 0..lanes {
                    f.set_float(c, op(f.float(0, c), f.float(1, c), f.float(2, c), bits));
                }
            }
            Math::WithInt(op) => {
                (0..lanes).for_each(|c| f.set_float(c, op(f.float(0, c), f.signed(1, c))));
            }
            Math::Dot => f.set_float(0, (0..f.lanes(0)).map(|c| f.float(0, c) * f.float(1, c)).sum()),
            Math::SinCos => {
                let bits = f.ret_bits();
                for c in 0..lanes {
                    let (sin, cos) = f.float(0, c).sin_cos();
                    let raw = airfoil_ir::alu::f64_to_bits(cos, bits).to_le_bytes();
                    let bytes = bits as usize / 8;
                    let to = f.bits(1, 0) as *mut u8;
                    // SAFETY: the second argument points at a value of the result's type in the caller's memory.
                    unsafe { std::ptr::copy_nonoverlapping(raw.as_ptr(), to.add(c * bytes), bytes) };
                    f.set_float(c, sin);
                }
            }
            Math::Exponent => {
                for c in 0..lanes {
                    let x = f.float(0, c);
                    let e = match x {
                        _ if x == 0.0 || x.is_nan() => i32::MIN,
                        _ if x.is_infinite() => i32::MAX,
                        _ => airfoil_ir::alu::frexp(x).1 - 1,
                    };
                    f.set(0, c, e as u64);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, x: f64) -> f64 {
        match Math::named(name) {
            Some(Math::One(f)) => f(x),
            _ => panic!("{name} is not a function of one operand"),
        }
    }

    #[test]
    fn names_are_sorted_and_found_once() {
        assert!(TABLE.windows(2).all(|w| w[0].0 < w[1].0));
        assert!(Math::named("fast_clamp").is_some() && Math::named("clump").is_none());
    }

    #[test]
    fn corner_cases() {
        assert_eq!(one("sign", f64::NAN), 0.0);
        assert_eq!(one("saturate", f64::NAN), 0.0);
        assert_eq!(one("round", -2.5), -3.0);
        assert_eq!(one("rint", 2.5), 2.0);
        assert!((one("sinpi", 0.5) - 1.0).abs() < 1e-15);
        assert_eq!(one("fract", f64::from(-1e-10f32)), f64::from(1f32.next_down()));
        assert_eq!(remainder(5.0, 3.0), -1.0);
        assert_eq!(remainder(4.5, 3.0), -1.5);
        assert_eq!(median(3.0, 1.0, 2.0), 2.0);
        assert_eq!(next_after(1.0, 2.0) as f32, 1f32.next_up());
    }
}
