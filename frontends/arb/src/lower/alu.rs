//! The results of instructions.

use super::Lowerer;
use crate::op::{Form, Op};
use crate::unit::{Detail, Instruction, Select};
use airfoil_ir::{AluOp, InstrId, IntrinsicOp, Src, Ty};
use smallvec::SmallVec;

/// The largest float below 128, to which LIT clamps the exponent.
const BELOW_128: f32 = 127.999_99;

impl Lowerer<'_> {
    /// The result of an instruction: one component for all, or four. `None` if it has none.
    pub(super) fn compute(&mut self, i: &Instruction) -> Option<InstrId> {
        let scalar = matches!(i.op.info().form, Form::Scalar(_) | Form::Address);
        let operands: SmallVec<[InstrId; 3]> =
            i.operands.iter().map(|o| if scalar { self.scalar(o) } else { self.vector(o) }).collect();
        let x = *operands.first()?;
        let y = operands.get(1).copied().unwrap_or(x);
        let z = operands.get(2).copied().unwrap_or(x);
        Some(match i.op {
            Op::Abs => self.b.fabs(x),
            Op::Add => self.b.fadd(x, y),
            Op::Arl => {
                let floor = self.b.ffloor(x);
                self.b.convert(AluOp::f2i, floor, 32)
            }
            Op::Cmp => {
                let negative = self.is_negative(x);
                self.b.bcsel(negative, y, z)
            }
            Op::Cos => self.b.fcos(x),
            Op::Dp3 => self.dot3(x, y),
            Op::Dp4 => self.b.fdot(x, y),
            Op::Dph => {
                let (dot, w) = (self.dot3(x, y), self.b.channel(y, 3));
                self.b.fadd(dot, w)
            }
            Op::Dst => {
                let (one, product) = (self.b.imm_f32(1.0), self.b.fmul(x, y));
                let lanes = [one.into(), Src::comp(product, 1), Src::comp(x, 2), Src::comp(y, 3)];
                self.b.vec_srcs(&lanes)
            }
            Op::Ex2 => self.b.fexp2(x),
            Op::Exp => self.exponential_parts(x),
            Op::Flr => self.b.ffloor(x),
            Op::Frc => self.b.ffract(x),
            Op::Kil => {
                let negative = self.is_negative(x);
                let any = self.b.any(negative);
                self.b.intrinsic(IntrinsicOp::discard_if, Ty::NONE, &[any]);
                return None;
            }
            Op::Lg2 => self.b.flog2(x),
            Op::Lit => self.light(x),
            Op::Log => self.logarithm_parts(x),
            Op::Lrp => {
                let one = self.b.imm_f32(1.0);
                let rest = self.b.fsub(one, x);
                let (a, b) = (self.b.fmul(x, y), self.b.fmul(rest, z));
                self.b.fadd(a, b)
            }
            Op::Mad => {
                let product = self.b.fmul(x, y);
                self.b.fadd(product, z)
            }
            Op::Max => self.b.fmax(x, y),
            Op::Min => self.b.fmin(x, y),
            Op::Mov => x,
            Op::Mul => self.b.fmul(x, y),
            Op::Pow => self.b.fpow(x, y),
            Op::Rcp => self.b.frcp(x),
            Op::Rsq => {
                let magnitude = self.b.fabs(x);
                self.b.frsq(magnitude)
            }
            Op::Scs => {
                let (cos, sin) = (self.b.fcos(x), self.b.fsin(x));
                // The others are undefined.
                let (zero, one) = (self.b.imm_f32(0.0), self.b.imm_f32(1.0));
                self.b.vec(&[cos, sin, zero, one])
            }
            Op::Sge => {
                let holds = self.b.fge(x, y);
                self.b.convert(AluOp::b2f, holds, 32)
            }
            Op::Sin => self.b.fsin(x),
            Op::Slt => {
                let holds = self.b.flt(x, y);
                self.b.convert(AluOp::b2f, holds, 32)
            }
            Op::Sub => self.b.fsub(x, y),
            Op::Swz => self.extended_swizzle(x, i.detail),
            Op::Tex | Op::Txb | Op::Txp => self.lookup(i.op, x, i.detail)?,
            Op::Xpd => {
                let (x, y) = (self.b.resize(x, 3), self.b.resize(y, 3));
                let cross = self.b.cross(x, y);
                // The last component is undefined.
                let one = self.b.imm_f32(1.0);
                let lanes = [Src::comp(cross, 0), Src::comp(cross, 1), Src::comp(cross, 2), one.into()];
                self.b.vec_srcs(&lanes)
            }
        })
    }

    fn is_negative(&mut self, x: InstrId) -> InstrId {
        let zero = self.b.imm_f32(0.0);
        self.b.flt(x, zero)
    }

    fn dot3(&mut self, x: InstrId, y: InstrId) -> InstrId {
        let (x, y) = (self.b.resize(x, 3), self.b.resize(y, 3));
        self.b.fdot(x, y)
    }

    /// EXP: the power of the floor, the fraction, the power.
    fn exponential_parts(&mut self, x: InstrId) -> InstrId {
        let floor = self.b.ffloor(x);
        let power = self.b.fexp2(floor);
        let fraction = self.b.fsub(x, floor);
        let (all, one) = (self.b.fexp2(x), self.b.imm_f32(1.0));
        self.b.vec(&[power, fraction, all, one])
    }

    /// LOG: the exponent and significand, in [1, 2), of the magnitude, and its logarithm. For zero they are those of
    /// `NV_vertex_program`: negative infinity and 1.
    fn logarithm_parts(&mut self, x: InstrId) -> InstrId {
        let magnitude = self.b.fabs(x);
        let (zero, one, two) = (self.b.imm_f32(0.0), self.b.imm_f32(1.0), self.b.imm_f32(2.0));
        let is_zero = self.b.feq(magnitude, zero);
        let exponent = self.b.frexp_exp(magnitude);
        let exponent = self.b.convert(AluOp::i2f, exponent, 32);
        let exponent = self.b.fsub(exponent, one);
        let infinity = self.b.imm_f32(f32::NEG_INFINITY);
        let exponent = self.b.bcsel(is_zero, infinity, exponent);
        let significand = self.b.frexp_sig(magnitude);
        let significand = self.b.fmul(significand, two);
        let significand = self.b.bcsel(is_zero, one, significand);
        let logarithm = self.b.flog2(magnitude);
        self.b.vec(&[exponent, significand, logarithm, one])
    }

    /// LIT: coefficients of ambient, diffuse and specular light.
    fn light(&mut self, v: InstrId) -> InstrId {
        let (zero, one) = (self.b.imm_f32(0.0), self.b.imm_f32(1.0));
        let (diffuse, specular, exponent) =
            (self.b.channel(v, 0), self.b.channel(v, 1), self.b.channel(v, 3));
        let (low, high) = (self.b.imm_f32(-BELOW_128), self.b.imm_f32(BELOW_128));
        let diffuse = self.b.fmax(diffuse, zero);
        let specular = self.b.fmax(specular, zero);
        let exponent = self.b.fmax(exponent, low);
        let exponent = self.b.fmin(exponent, high);
        // The power of 0 to 0 is 1, which targets need not know.
        let is_zero = self.b.feq(exponent, zero);
        let power = self.b.fpow(specular, exponent);
        let power = self.b.bcsel(is_zero, one, power);
        let lit = self.b.flt(zero, diffuse);
        let power = self.b.bcsel(lit, power, zero);
        self.b.vec(&[one, diffuse, power, one])
    }

    fn extended_swizzle(&mut self, x: InstrId, detail: Detail) -> InstrId {
        let Detail::Swizzle(lanes) = detail else { return x };
        let lanes = lanes.map(|(select, negate)| match select {
            Select::Constant(one) => {
                let value = if one { 1.0 } else { 0.0 };
                self.b.imm_f32(if negate { -value } else { value })
            }
            Select::Component(c) => {
                let lane = self.b.channel(x, usize::from(c));
                if negate { self.b.fneg(lane) } else { lane }
            }
        });
        self.b.vec(&lanes)
    }
}
