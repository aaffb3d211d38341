//! GLSL.std.450.

use crate::alu::Operands;
use crate::error::*;
use crate::state::{FunctionTranslator, Val};
use airfoil_ir::*;
use std::f64::consts::PI;

/// Instructions that are one operation of the IR.
fn alu_of(n: u32) -> Option<AluOp> {
    use AluOp as A;
    Some(match n {
        1 => A::fround,
        2 => A::fround_even,
        3 => A::ftrunc,
        4 => A::fabs,
        5 => A::iabs,
        6 => A::fsign,
        7 => A::isign,
        8 => A::ffloor,
        9 => A::fceil,
        10 => A::ffract,
        13 => A::fsin,
        14 => A::fcos,
        15 => A::ftan,
        16 => A::fasin,
        17 => A::facos,
        18 => A::fatan,
        19 => A::fsinh,
        20 => A::fcosh,
        21 => A::ftanh,
        22 => A::fasinh,
        23 => A::facosh,
        24 => A::fatanh,
        25 => A::fatan2,
        26 => A::fpow,
        27 => A::fexp,
        28 => A::flog,
        29 => A::fexp2,
        30 => A::flog2,
        31 => A::fsqrt,
        32 => A::frsq,
        37 | 79 => A::fmin,
        38 => A::umin,
        39 => A::imin,
        40 | 80 => A::fmax,
        41 => A::umax,
        42 => A::imax,
        43 | 81 => A::fclamp,
        46 => A::flrp,
        50 => A::ffma,
        54 => A::pack_snorm_4x8,
        55 => A::pack_unorm_4x8,
        56 => A::pack_snorm_2x16,
        57 => A::pack_unorm_2x16,
        58 => A::pack_half_2x16,
        59 => A::pack_64_2x32,
        60 => A::unpack_snorm_2x16,
        61 => A::unpack_unorm_2x16,
        62 => A::unpack_half_2x16,
        63 => A::unpack_snorm_4x8,
        64 => A::unpack_unorm_4x8,
        65 => A::unpack_64_2x32,
        _ => return None,
    })
}

/// Whether an instruction packs numbers into bits or unpacks them: all bits of one side matter.
pub(crate) fn is_packing(n: u32) -> bool {
    (54..=65).contains(&n)
}

const RADIANS: u32 = 11;
const DEGREES: u32 = 12;
const DETERMINANT: u32 = 33;
const MATRIX_INVERSE: u32 = 34;
const MODF: u32 = 35;
const MODF_STRUCT: u32 = 36;
const U_CLAMP: u32 = 44;
const S_CLAMP: u32 = 45;
const STEP: u32 = 48;
const SMOOTH_STEP: u32 = 49;
const FREXP: u32 = 51;
const FREXP_STRUCT: u32 = 52;
const LDEXP: u32 = 53;
const LENGTH: u32 = 66;
const DISTANCE: u32 = 67;
const CROSS: u32 = 68;
const NORMALIZE: u32 = 69;
const FACE_FORWARD: u32 = 70;
const REFLECT: u32 = 71;
const REFRACT: u32 = 72;
const FIND_I_LSB: u32 = 73;
const FIND_S_MSB: u32 = 74;
const FIND_U_MSB: u32 = 75;
const INTERPOLATE_AT_CENTROID: u32 = 76;
const INTERPOLATE_AT_SAMPLE: u32 = 77;
const INTERPOLATE_AT_OFFSET: u32 = 78;

#[cold]
fn not_square() -> Box<Diagnostic> {
    error(TYPE, "the matrix is not square")
}

impl FunctionTranslator<'_, '_> {
    /// Operand `i` as scalar or vector.
    fn arg(&mut self, i: usize) -> Res<InstrId> {
        self.ssa(self.inst.word(5 + i)?)
    }

    /// Operand `i` as scalar or vector of floats.
    fn float_arg(&mut self, i: usize) -> Res<InstrId> {
        let v = self.arg(i)?;
        if self.b.ty(v).bits < 16 {
            return fail(TYPE, "an operand is not a float");
        }
        Ok(v)
    }

    /// The first operands, which must be floats of one shape.
    fn float_args<const N: usize>(&mut self) -> Res<[InstrId; N]> {
        let mut args = [self.float_arg(0)?; N];
        for i in 1..N {
            args[i] = self.float_arg(i)?;
            if self.b.ty(args[i]) != self.b.ty(args[0]) {
                return fail(TYPE, "the operands have different shapes");
            }
        }
        Ok(args)
    }

    /// One instruction of the set.
    pub fn glsl(&mut self) -> Res<()> {
        let n = self.inst.word(4)?;
        if let Some(op) = alu_of(n) {
            let mut operands = Operands::new();
            for i in 0..op.num_operands() {
                operands.push(self.src(self.inst.word(5 + i)?)?);
            }
            let v = self.checked_srcs(op, &operands)?;
            return self.set_ssa(v);
        }
        let value = match n {
            RADIANS | DEGREES => {
                let v = self.float_arg(0)?;
                let scale = self.b.imm_float_like(v, if n == RADIANS { PI / 180.0 } else { 180.0 / PI });
                self.b.fmul(v, scale)
            }
            DETERMINANT => {
                let m = self.columns(self.inst.word(5)?)?;
                self.b.determinant(&m).ok_or_else(not_square)?
            }
            MATRIX_INVERSE => {
                let m = self.columns(self.inst.word(5)?)?;
                let m = self.b.inverse(&m).ok_or_else(not_square)?;
                return self.set_columns(&m);
            }
            MODF | MODF_STRUCT => {
                let v = self.float_arg(0)?;
                let (part, whole) = self.b.modf(v);
                if n == MODF_STRUCT {
                    return self.set_parts(&[Val::Ssa(part), Val::Ssa(whole)]);
                }
                self.store_arg(1, whole)?;
                part
            }
            FREXP | FREXP_STRUCT => {
                let v = self.float_arg(0)?;
                let sig = self.b.alu(AluOp::frexp_sig, &[v]);
                let exp = self.b.alu(AluOp::frexp_exp, &[v]);
                if n == FREXP_STRUCT {
                    let part = self.r.part(self.result_type()?, 1)?;
                    let exp = self.in_width(exp, self.r.shape(part)?.bits);
                    return self.set_parts(&[Val::Ssa(sig), Val::Ssa(exp)]);
                }
                self.store_arg(1, exp)?;
                sig
            }
            LDEXP => {
                let (v, e) = (self.float_arg(0)?, self.arg(1)?);
                let e = self.exponent(e)?;
                self.checked_alu(AluOp::fldexp, &[v, e])?
            }
            U_CLAMP | S_CLAMP => {
                let (max, min) =
                    if n == U_CLAMP { (AluOp::umax, AluOp::umin) } else { (AluOp::imax, AluOp::imin) };
                let (v, low, high) = (self.arg(0)?, self.arg(1)?, self.arg(2)?);
                let v = self.checked_alu(max, &[v, low])?;
                self.checked_alu(min, &[v, high])?
            }
            STEP => {
                let [edge, x] = self.float_args()?;
                self.b.step(edge, x)
            }
            SMOOTH_STEP => {
                let [low, high, x] = self.float_args()?;
                self.b.smooth_step(low, high, x)
            }
            LENGTH => {
                let v = self.float_arg(0)?;
                self.b.length(v)
            }
            DISTANCE => {
                let [a, b] = self.float_args()?;
                let d = self.b.fsub(a, b);
                self.b.length(d)
            }
            CROSS => {
                let [a, b] = self.float_args()?;
                if self.b.ty(a).comps != 3 {
                    return fail(TYPE, "a cross product needs two vectors of three components");
                }
                self.b.cross(a, b)
            }
            NORMALIZE => {
                let v = self.float_arg(0)?;
                self.b.normalize(v)
            }
            FACE_FORWARD => {
                let [n, i, r] = self.float_args()?;
                self.b.face_forward(n, i, r)
            }
            REFLECT => {
                let [i, n] = self.float_args()?;
                self.b.reflect(i, n)
            }
            REFRACT => {
                let [i, n] = self.float_args()?;
                let eta = self.float_arg(2)?;
                if self.b.ty(eta).comps != 1 {
                    return fail(TYPE, "the ratio of refraction must be a scalar");
                }
                self.b.refract(i, n, eta)
            }
            FIND_I_LSB | FIND_S_MSB | FIND_U_MSB => {
                let op = match n {
                    FIND_I_LSB => AluOp::find_lsb,
                    FIND_S_MSB => AluOp::ifind_msb,
                    _ => AluOp::ufind_msb,
                };
                let v = self.arg(0)?;
                let v = self.checked_alu(op, &[v])?;
                self.fit_result(v, true)?
            }
            INTERPOLATE_AT_CENTROID | INTERPOLATE_AT_SAMPLE | INTERPOLATE_AT_OFFSET => self.interpolate(n)?,
            _ => bail!(UNSUPPORTED, "instruction {n} of GLSL.std.450 is not supported"),
        };
        self.set_ssa(value)
    }

    /// An exponent of `Ldexp` in 32 bits. Wider ones are clamped: far below these bounds every result is zero or infinite.
    fn exponent(&mut self, e: InstrId) -> Res<InstrId> {
        let ty = self.b.ty(e);
        let mut e = e;
        if ty.bits > 32 {
            let max = self.b.constant(ty, [i32::MAX as u64; MAX_COMPONENTS]);
            let min = self.b.constant(ty, [i64::from(i32::MIN) as u64; MAX_COMPONENTS]);
            e = self.checked_alu(AluOp::imin, &[e, max])?;
            e = self.checked_alu(AluOp::imax, &[e, min])?;
        }
        Ok(self.in_width(e, 32))
    }

    fn in_width(&mut self, v: InstrId, bits: u8) -> InstrId {
        if self.b.ty(v).bits == bits { v } else { self.b.convert(AluOp::i2i, v, bits) }
    }

    /// Writes a second result through the pointer that is operand `i`.
    fn store_arg(&mut self, i: usize, v: InstrId) -> Res<()> {
        let ptr = self.pointer(self.inst.word(5 + i)?)?;
        let shape = self.r.shape(ptr.ty)?;
        let v = if matches!(self.r.scalar(ptr.ty)?, Scalar::Float16 | Scalar::Float32 | Scalar::Float64) {
            v
        } else {
            self.in_width(v, shape.bits)
        };
        if self.b.ty(v) != shape {
            return fail(TYPE, "the second result does not fit the pointer");
        }
        self.store(&ptr, Val::Ssa(v))
    }

    fn interpolate(&mut self, n: u32) -> Res<InstrId> {
        let ptr = self.pointer(self.inst.word(5)?)?;
        let mut deref = self.deref_of(&ptr)?;
        let mut shape = self.r.shape(ptr.ty)?;
        // A component is taken from the interpolated vector.
        let mut component = None;
        if let Some(&Deref { kind: DerefKind::Array { parent, index }, .. }) = self.b.body[deref].as_deref()
            && let Some((ty, _)) = self.b.pointee(parent)
            && let Type::Vector { scalar, comps } = self.r.shader.types[ty]
        {
            deref = parent;
            shape = Ty::new(comps, scalar.bits());
            component = Some(index);
        }
        if self.b.pointee(deref).is_none_or(|(_, modes)| modes != Modes::IN) {
            return fail(TYPE, "only inputs can be interpolated");
        }
        self.check_stage(IntrinsicOp::interp_deref_at_centroid)?;
        let v = match n {
            INTERPOLATE_AT_CENTROID => {
                self.b.intrinsic(IntrinsicOp::interp_deref_at_centroid, shape, &[deref])
            }
            INTERPOLATE_AT_SAMPLE => {
                let sample = self.int32(self.inst.word(6)?)?;
                self.b.intrinsic(IntrinsicOp::interp_deref_at_sample, shape, &[deref, sample])
            }
            _ => {
                let offset = self.arg(1)?;
                let ty = self.b.ty(offset);
                let offset = match (ty.comps, ty.bits) {
                    (2, 32) => offset,
                    (2, 16) => self.b.convert(AluOp::f2f, offset, 32),
                    _ => return fail(TYPE, "the offset needs two floats"),
                };
                self.b.intrinsic(IntrinsicOp::interp_deref_at_offset, shape, &[deref, offset])
            }
        };
        Ok(match component {
            Some(index) => self.b.vector_extract_dynamic(v, index),
            None => v,
        })
    }
}
