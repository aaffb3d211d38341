//! Float behaviour that the specifications leave open: denormal numbers, rounding, the bits of NaN.
//!
//! By default results follow the table of operations: IEEE 754 with denormals, rounded to nearest. The other choices
//! go over operands and results of the rows that read and make floats; moves keep their bits in all of them.

use airfoil_ir::alu::{AluProps, AluType, Base, Rounding, f64_from_bits, f64_to_bits, round_f64};
use airfoil_ir::{AluOp, Lanes, MAX_COMPONENTS, Ty};

/// Choices for floats.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Config, FloatMode, Program, Resources, System, run::Vertex};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader vertex "divide" {
/// #   out float o location=0
/// #   fn main {
/// #     32x1 %a = const 2.0
/// #     32x1 %b = const 3.0
/// #     %r = fdiv %a, %b
/// #     store_deref &o, %r
/// #   }
/// # }"#).unwrap();
/// // The shader divides 2.0 by 3.0.
/// let quotient = |floats| -> Result<u32, airfoil_interp::Fault> {
///     let mut program = Program::new(&shader, Config { floats, ..Config::default() })?;
///     let out = program.vertex(&mut Resources::new(), &System::new(), &[Vertex::default()])?;
///     Ok(out[0].iter().next().unwrap().2[0])
/// };
/// assert_eq!(quotient(FloatMode::default())?, 0x3f2a_aaab);
/// assert_eq!(quotient(FloatMode { toward_zero: true, ..FloatMode::default() })?, 0x3f2a_aaaa);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatMode {
    /// Denormal operands and results are zero, for floats of 16, 32 and 64 bits
    /// (SPIR-V DenormFlushToZero).
    pub flush: [bool; 3],
    /// Sums, products, quotients, roots and conversions of floats of 16 and 32 bits are rounded toward zero
    /// (SPIR-V RoundingModeRTZ). They are computed with 53 bits first.
    pub toward_zero: bool,
    /// Every NaN result is the positive quiet one without payload.
    pub canonical_nan: bool,
    /// Widths of floats (16, 32, 64 as a mask) that compilers may assume to be finite: results of operations that are not
    /// exact are undefined if they or a float operand of such a width are infinite or NaN.
    pub finite: u8,
    /// Rounded results of operations that are not exact are moved by a few units in the last place, and zeros get the other sign
    /// where the width is assumed to be finite, so that dependences on rounding and on the sign of zero show.
    pub perturb: bool,
    /// Every NaN that an operation computes is negative (true) or positive, with an uncommon payload, so that
    /// dependences on its bits show.
    pub perturb_nan: Option<bool>,
}

impl FloatMode {
    /// Whether the table alone determines the results.
    pub(crate) fn is_plain(&self) -> bool {
        *self == FloatMode::default()
    }

    fn flushes(&self, bits: u32) -> bool {
        match bits {
            16 => self.flush[0],
            32 => self.flush[1],
            64 => self.flush[2],
            _ => false,
        }
    }

    /// The bits of a result.
    fn result(&self, raw: u64, bits: u32) -> u64 {
        let raw = self.tidy(raw, bits);
        let Some(negative) = self.perturb_nan.filter(|_| f64_from_bits(raw, bits).is_nan()) else {
            return raw;
        };
        let positive = match bits {
            16 => 0x7f5a,
            32 => 0x7fda_5a5a,
            _ => 0x7ffa_5a5a_5a5a_5a5a,
        };
        positive | u64::from(negative) << (bits - 1)
    }

    fn tidy(&self, raw: u64, bits: u32) -> u64 {
        let (exponent, sign) = match bits {
            16 => (0x7c00, 1 << 15),
            32 => (0x7f80_0000, 1 << 31),
            _ => (0x7ff0_0000_0000_0000, 1 << 63),
        };
        if raw & exponent == 0 && self.flushes(bits) {
            return raw & sign;
        }
        if self.canonical_nan && f64_from_bits(raw, bits).is_nan() {
            return exponent | (exponent >> 1 & !exponent);
        }
        raw
    }

    /// Applies the liberties of operations that are not exact; the result is a mask of undefined lanes.
    #[allow(clippy::needless_range_loop, reason = "the lane is an index into several arrays")]
    pub(crate) fn loosen(&self, op: AluOp, bits: u32, ty: Ty, srcs: &[Lanes], out: &mut Lanes) -> u8 {
        let info = op.info();
        let result_bits = u32::from(ty.bits);
        let float = info.result.base == Base::Float;
        let assumed = |bits: u32| u32::from(self.finite) & bits != 0;
        let special = |raw: u64, bits: u32| assumed(bits) && !f64_from_bits(raw, bits).is_finite();
        let mut undef = 0;
        if self.finite != 0 {
            for lane in 0..usize::from(ty.comps) {
                let operand = |(s, row): (&Lanes, &AluType)| {
                    let width = if row.bits == 0 { bits } else { u32::from(row.bits) };
                    let lanes = if row.comps == 0 { lane..lane + 1 } else { 0..usize::from(row.comps) };
                    row.base == Base::Float && s[lanes].iter().any(|&raw| special(raw, width))
                };
                let is =
                    (float && special(out[lane], result_bits)) || srcs.iter().zip(info.operands).any(operand);
                undef |= u8::from(is) << lane;
            }
        }
        let moves = AluProps::SIGN_ONLY | AluProps::IDEMPOTENT;
        let picks = matches!(op, AluOp::fmin | AluOp::fmax | AluOp::fclamp | AluOp::b2f);
        if self.perturb && float && !info.props.intersects(moves) && !picks {
            let step = if result_bits == 16 { 2f64.powi(-9) } else { 2f64.powi(-21) };
            for raw in out.iter_mut().take(usize::from(ty.comps)) {
                let x = f64_from_bits(*raw, result_bits);
                if x == 0.0 && assumed(result_bits) {
                    *raw ^= 1 << (result_bits - 1);
                }
                if x.fract() == 0.0 && x.abs() < 1e6 {
                    continue;
                }
                let up = (*raw ^ (*raw >> 7) ^ (*raw >> 13)).count_ones() & 1 == 0;
                *raw = f64_to_bits(x * if up { 1.0 + step } else { 1.0 - step }, result_bits);
            }
        }
        undef
    }

    /// Evaluates a row in this mode.
    pub(crate) fn eval(&self, op: AluOp, bits: u32, ty: Ty, srcs: &[Lanes]) -> Option<Lanes> {
        let info = op.info();
        let moves = info.props.contains(AluProps::SIGN_ONLY);
        let result_bits = u32::from(ty.bits);
        let mut operands = [[0; MAX_COMPONENTS]; MAX_COMPONENTS];
        for ((o, s), row) in operands.iter_mut().zip(srcs).zip(info.operands) {
            *o = *s;
            let width = if row.bits == 0 { bits } else { u32::from(row.bits) };
            if row.base == Base::Float && !moves {
                o.iter_mut().for_each(|x| *x = self.tidy(*x, width));
            }
        }
        let operands = &operands[..srcs.len()];
        let float = info.result.base == Base::Float;
        let rounded = self.toward_zero && float && result_bits < 64 && info.props.contains(AluProps::ROUNDED);
        let mut out = if rounded {
            // The same row on floats of 64 bits leaves the rounding to us.
            let wide: [Lanes; MAX_COMPONENTS] = std::array::from_fn(|i| {
                let Some(s) = operands.get(i) else { return [0; 4] };
                let from_float = info.operands[i].base == Base::Float;
                s.map(|x| if from_float { f64_to_bits(f64_from_bits(x, bits), 64) } else { x })
            });
            let sized = info.operands[0].base == Base::Float;
            let out = op.eval(if sized { 64 } else { bits }, ty.with_bits(64), &wide[..srcs.len()])?;
            out.map(|x| f64_to_bits(round_f64(f64::from_bits(x), result_bits, Rounding::Rtz), result_bits))
        } else {
            op.eval(bits, ty, operands)?
        };
        if float && !moves {
            out.iter_mut().for_each(|x| *x = self.result(*x, result_bits));
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(mode: FloatMode, op: AluOp, a: f32, b: f32) -> u32 {
        let lanes = |x: f32| [u64::from(x.to_bits()), 0, 0, 0];
        mode.eval(op, 32, Ty::B32, &[lanes(a), lanes(b)]).expect("evaluates")[0] as u32
    }

    #[test]
    fn denormals_are_flushed_on_both_sides() {
        let flush = FloatMode { flush: [false, true, false], ..FloatMode::default() };
        let small = f32::MIN_POSITIVE / 2.0;
        assert_eq!(eval(FloatMode::default(), AluOp::fadd, small, 0.0), small.to_bits());
        assert_eq!(eval(flush, AluOp::fadd, small, 0.0), 0);
        assert_eq!(eval(flush, AluOp::fmul, -f32::MIN_POSITIVE, 0.5), 1 << 31);
        assert_eq!(eval(flush, AluOp::fmul, small, 1e30), 0);
        assert_eq!(eval(flush, AluOp::fadd, f32::MIN_POSITIVE, 0.0), f32::MIN_POSITIVE.to_bits());
    }

    #[test]
    fn rounding_toward_zero_drops_what_is_beyond() {
        let mode = FloatMode { toward_zero: true, ..FloatMode::default() };
        let third = eval(mode, AluOp::fdiv, 2.0, 3.0);
        assert_eq!(third, eval(FloatMode::default(), AluOp::fdiv, 2.0, 3.0) - 1);
        assert_eq!(f32::from_bits(eval(mode, AluOp::fadd, 1.0, 1.9 * f32::EPSILON)), 1.0 + f32::EPSILON);
        assert_eq!(f32::from_bits(eval(mode, AluOp::fmul, f32::MAX, 2.0)), f32::MAX);
    }

    #[test]
    fn nan_gets_its_plain_form() {
        let mode = FloatMode { canonical_nan: true, ..FloatMode::default() };
        let odd = f32::from_bits(0xffc1_2345);
        assert_eq!(eval(mode, AluOp::fadd, odd, 1.0), 0x7fc0_0000);
        assert_eq!(eval(mode, AluOp::fadd, 1.0, 1.0), 2f32.to_bits());
    }

    #[test]
    fn nan_gets_other_bits() {
        for odd in [0xffc1_2345, 0x7fc0_0000, 0x7f80_0001] {
            let nan = f32::from_bits(odd);
            let plain = eval(FloatMode::default(), AluOp::fadd, nan, 1.0);
            for negative in [false, true] {
                let mode = FloatMode { perturb_nan: Some(negative), ..FloatMode::default() };
                let other = eval(mode, AluOp::fadd, nan, 1.0);
                assert!(f32::from_bits(other).is_nan() && other != plain && (other >> 31 == 1) == negative);
                let moved = |mode| eval(mode, AluOp::fneg, nan, 1.0);
                assert_eq!(moved(mode), moved(FloatMode::default()));
                assert_eq!(eval(mode, AluOp::fadd, 1.0, f32::INFINITY), f32::INFINITY.to_bits());
            }
        }
    }
}
