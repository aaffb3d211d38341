//! Functions whose results depend on their arguments only, on nothing but a [`Builder`].
//!
//! The lowering of calls and the folding of constant expressions both run them: what a function gives for constants is
//! what it gives at run time, bit for bit.

use super::{component, integer};
use crate::builtin::Builtin;
use crate::operators::value_bits;
use crate::types::{Base, Type};
use airfoil_ir::{AluOp, Builder, Columns, InstrId};
use smallvec::{SmallVec, smallvec};
use std::f64::consts::PI;

/// An argument of a call.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Arg {
    /// Type.
    pub ty: Type,
    /// The scalar or vector, or the columns of a matrix. Nothing for an `out` parameter.
    pub value: Columns,
}

impl Arg {
    /// The scalar or vector.
    pub(super) fn ssa(&self) -> Option<InstrId> {
        if let [v] = self.value[..] { Some(v) } else { None }
    }
}

/// What a call gives.
#[derive(Clone, Debug, Default)]
pub(in crate::lower) struct Results {
    /// The scalar or vector, or the columns of a matrix; nothing for `void`.
    pub value: Columns,
    /// Values of `out` parameters by their positions.
    pub outs: SmallVec<[(usize, InstrId); 2]>,
}

impl From<InstrId> for Results {
    fn from(value: InstrId) -> Results {
        Results { value: smallvec![value], outs: SmallVec::new() }
    }
}

impl From<Columns> for Results {
    fn from(value: Columns) -> Results {
        Results { value, outs: SmallVec::new() }
    }
}

/// The results of a function; `None` if it is not one of the functions of this kind, or the arguments do not fit.
pub(in crate::lower) fn pure(b: &mut Builder<'_>, f: Builtin, args: &[Arg], result: Type) -> Option<Results> {
    if let Some(value) = per_component(b, f, args, result) {
        return Some(value.into());
    }
    let base = args.first().and_then(|a| a.ty.base());
    let arg = |i: usize| args.get(i).and_then(Arg::ssa);
    let matrix = |i: usize| args.get(i).map(|a| &a.value[..]);
    let signed = base.is_some_and(Base::is_signed);
    let value = match f {
        Builtin::Radians | Builtin::Degrees => {
            let v = arg(0)?;
            let scale = b.imm_float_like(v, if f == Builtin::Radians { PI / 180.0 } else { 180.0 / PI });
            b.fmul(v, scale)
        }
        Builtin::Modf => {
            let (fraction, whole) = b.modf(arg(0)?);
            return Some(Results { value: smallvec![fraction], outs: smallvec![(1, whole)] });
        }
        Builtin::Frexp => {
            let v = arg(0)?;
            let significand = b.alu(AluOp::frexp_sig, &[v]);
            let exponent = b.alu(AluOp::frexp_exp, &[v]);
            return Some(Results { value: smallvec![significand], outs: smallvec![(1, exponent)] });
        }
        Builtin::Clamp => {
            let (v, low, high) = (arg(0)?, arg(1)?, arg(2)?);
            if base?.is_float() {
                b.alu(AluOp::fclamp, &[v, low, high])
            } else if signed {
                let v = b.imax(v, low);
                b.imin(v, high)
            } else {
                let v = b.umax(v, low);
                b.umin(v, high)
            }
        }
        Builtin::MixBool => {
            let (x, y, choice) = (arg(0)?, arg(1)?, arg(2)?);
            b.bcsel(choice, y, x)
        }
        Builtin::Step => b.step(arg(0)?, arg(1)?),
        Builtin::Smoothstep => b.smooth_step(arg(0)?, arg(1)?, arg(2)?),
        Builtin::IsNan => b.is_nan(arg(0)?),
        Builtin::IsInf => b.is_inf(arg(0)?),
        Builtin::Min3 | Builtin::Max3 | Builtin::Mid3 => {
            let (x, y, z) = (arg(0)?, arg(1)?, arg(2)?);
            let (min, max) =
                (component::operation(Builtin::Min, base?)?.0, component::operation(Builtin::Max, base?)?.0);
            let (outer, inner) = if f == Builtin::Min3 { (min, min) } else { (max, max) };
            let pair = b.alu(inner, &[x, y]);
            if f == Builtin::Mid3 {
                // max(min(x, y), min(max(x, y), z))
                let upper = b.alu(min, &[pair, z]);
                let lower = b.alu(min, &[x, y]);
                b.alu(max, &[lower, upper])
            } else {
                b.alu(outer, &[pair, z])
            }
        }
        Builtin::BitCast => integer::bit_cast(b, arg(0)?, result)?,
        Builtin::Length => b.length(arg(0)?),
        Builtin::Distance => {
            let d = b.fsub(arg(0)?, arg(1)?);
            b.length(d)
        }
        Builtin::Dot => b.fdot(arg(0)?, arg(1)?),
        Builtin::Cross => b.cross(arg(0)?, arg(1)?),
        Builtin::Normalize => b.normalize(arg(0)?),
        Builtin::Faceforward => b.face_forward(arg(0)?, arg(1)?, arg(2)?),
        Builtin::Reflect => b.reflect(arg(0)?, arg(1)?),
        Builtin::Refract => b.refract(arg(0)?, arg(1)?, arg(2)?),
        Builtin::MatrixCompMult => {
            let columns: Columns = matrix(0)?.iter().zip(matrix(1)?).map(|(&x, &y)| b.fmul(x, y)).collect();
            return Some(columns.into());
        }
        Builtin::OuterProduct => return Some(b.outer_product(arg(0)?, arg(1)?).into()),
        Builtin::Transpose => return Some(b.transpose(matrix(0)?).into()),
        Builtin::Determinant => b.determinant(matrix(0)?)?,
        Builtin::Inverse => return b.inverse(matrix(0)?).map(Results::from),
        Builtin::Any => b.any(arg(0)?),
        Builtin::All => b.all(arg(0)?),
        Builtin::UaddCarry | Builtin::UsubBorrow => {
            let (x, y) = (arg(0)?, arg(1)?);
            let (low, high) = if f == Builtin::UaddCarry {
                (AluOp::iadd, AluOp::uadd_carry)
            } else {
                (AluOp::isub, AluOp::usub_borrow)
            };
            let (value, carry) = (b.alu(low, &[x, y]), b.alu(high, &[x, y]));
            return Some(Results { value: smallvec![value], outs: smallvec![(2, carry)] });
        }
        Builtin::UmulExtended | Builtin::ImulExtended => {
            let (x, y) = (arg(0)?, arg(1)?);
            let high = if f == Builtin::UmulExtended { AluOp::umul_high } else { AluOp::imul_high };
            let (high, low) = (b.alu(high, &[x, y]), b.imul(x, y));
            return Some(Results { value: Columns::new(), outs: smallvec![(2, high), (3, low)] });
        }
        Builtin::CountLeadingZeros => {
            // The position of the highest bit is -1 for 0.
            let v = arg(0)?;
            let top = b.imm_u32(u32::from(b.ty(v).bits) - 1);
            let highest = b.alu(AluOp::ufind_msb, &[v]);
            b.isub(top, highest)
        }
        Builtin::CountTrailingZeros => {
            // The position of the lowest bit is -1 for 0, the largest unsigned number.
            let v = arg(0)?;
            let width = b.imm_u32(u32::from(b.ty(v).bits));
            let lowest = b.alu(AluOp::find_lsb, &[v]);
            b.umin(lowest, width)
        }
        Builtin::AbsoluteDifference => {
            let (x, y) = (arg(0)?, arg(1)?);
            let (low, high) =
                if signed { (b.imin(x, y), b.imax(x, y)) } else { (b.umin(x, y), b.umax(x, y)) };
            b.isub(high, low)
        }
        Builtin::Multiply32x16 => {
            let (x, y) = (arg(0)?, arg(1)?);
            let y = integer::low_16(b, y, signed);
            b.imul(x, y)
        }
        Builtin::DotInteger | Builtin::DotPacked4x8 | Builtin::DotAccSat | Builtin::DotPacked4x8AccSat => {
            integer::dot(b, f, args, result)?
        }
        // Noise is deprecated and may be constant 0, as it is everywhere (GLSL 4.60 section 8.16).
        Builtin::Noise => b.zero(super::super::shape_of(result)?),
        Builtin::Expect => arg(0)?,
        _ => return None,
    };
    Some(fit(b, value, result).into())
}

/// A function that is one operation.
fn per_component(b: &mut Builder<'_>, f: Builtin, args: &[Arg], result: Type) -> Option<InstrId> {
    let (op, swap) = component::operation(f, args.first()?.ty.base()?)?;
    let mut values: SmallVec<[InstrId; 4]> = SmallVec::new();
    for (a, row) in args.iter().zip(op.info().operands) {
        let value = a.ssa()?;
        // Exponents, offsets and counts have 32 bits whatever the other operands have.
        let narrow = row.bits == 32 && b.ty(value).bits < 32 && a.ty.base().is_some_and(Base::is_integer);
        values.push(if narrow { b.convert(AluOp::i2i, value, 32) } else { value });
    }
    if values.len() != op.num_operands() {
        return None;
    }
    if swap {
        values.swap(0, 1);
    }
    let value = b.alu(op, &values);
    Some(fit(b, value, result))
}

/// An integer result in the width of the type that the overload gives.
fn fit(b: &mut Builder<'_>, value: InstrId, result: Type) -> InstrId {
    match result.base() {
        Some(base) if base.is_integer() && value_bits(base) != b.ty(value).bits => {
            b.convert(AluOp::i2i, value, value_bits(base))
        }
        _ => value,
    }
}
