//! Built-in functions.
//!
//! * `pure`, `component`, `integer`: functions of their arguments only, shared with constant folding.
//! * `texture`, `image`: resources. `memory`: atomics. `barrier`: synchronisation.
//! * `fragment`, `subgroup`: what other invocations or the rasteriser supply.
//!
//! Every function is named in the one match of `Lowerer::builtin`.

mod barrier;
mod component;
mod fragment;
mod image;
mod integer;
mod memory;
pub(in crate::lower) mod pure;
mod subgroup;
#[cfg(test)]
mod tests;
mod texture;

use super::{Columns, Lowerer, MALFORMED, Res, UNSUPPORTED, Value, error, fail};
use crate::builtin::{Builtin, BuiltinVar};
use crate::hir::{ExprId, ExprKind, Memory};
use crate::types::{Base, Opaque, Type};
use airfoil_ir::{Access, AluFlags, Index, InstrId, Intrinsic, IntrinsicOp, Scope, TexOp, Ty};
use pure::{Arg, Results, pure};
use smallvec::SmallVec;

/// Positions of `out` parameters of the functions in `pure`.
fn outs_of(f: Builtin) -> &'static [usize] {
    match f {
        Builtin::Modf | Builtin::Frexp => &[1],
        Builtin::UaddCarry | Builtin::UsubBorrow => &[2],
        Builtin::UmulExtended | Builtin::ImulExtended => &[2, 3],
        _ => &[],
    }
}

/// Component type of the `out` parameters of a function.
fn out_base(f: Builtin, args: &[Arg]) -> Option<Base> {
    if f == Builtin::Frexp { Some(Base::Int) } else { args.first()?.ty.base() }
}

/// A value of a scalar, vector or matrix type from its columns.
fn value_of(ty: Type, columns: Columns) -> Value {
    match (ty, &columns[..]) {
        (Type::Matrix { .. }, _) => Value::Matrix(columns),
        (_, &[v, ..]) => Value::Ssa(v),
        (_, []) => Value::Void,
    }
}

/// The call of a built-in function that is the expression `id`.
pub(in crate::lower) fn call(l: &mut Lowerer<'_, '_>, id: ExprId, f: Builtin, args: &[ExprId]) -> Res<Value> {
    l.builtin(id, f, args)
}

impl Lowerer<'_, '_> {
    /// The call of a built-in function that is the expression `id`.
    fn builtin(&mut self, id: ExprId, f: Builtin, args: &[ExprId]) -> Res<Value> {
        use Builtin as B;
        let ty = self.m.unit[id].ty;
        match f {
            B::Radians
            | B::Degrees
            | B::Sin
            | B::Cos
            | B::Tan
            | B::Asin
            | B::Acos
            | B::Atan
            | B::Atan2
            | B::Sinh
            | B::Cosh
            | B::Tanh
            | B::Asinh
            | B::Acosh
            | B::Atanh
            | B::Pow
            | B::Exp
            | B::Log
            | B::Exp2
            | B::Log2
            | B::Sqrt
            | B::InverseSqrt
            | B::Abs
            | B::Sign
            | B::Floor
            | B::Trunc
            | B::Round
            | B::RoundEven
            | B::Ceil
            | B::Fract
            | B::Mod
            | B::Modf
            | B::Min
            | B::Max
            | B::Clamp
            | B::Mix
            | B::MixBool
            | B::Step
            | B::Smoothstep
            | B::IsNan
            | B::IsInf
            | B::Fma
            | B::Frexp
            | B::Ldexp
            | B::Min3
            | B::Max3
            | B::Mid3
            | B::BitCast
            | B::PackUnorm2x16
            | B::PackSnorm2x16
            | B::PackUnorm4x8
            | B::PackSnorm4x8
            | B::PackHalf2x16
            | B::UnpackUnorm2x16
            | B::UnpackSnorm2x16
            | B::UnpackUnorm4x8
            | B::UnpackSnorm4x8
            | B::UnpackHalf2x16
            | B::Length
            | B::Distance
            | B::Dot
            | B::Cross
            | B::Normalize
            | B::Faceforward
            | B::Reflect
            | B::Refract
            | B::MatrixCompMult
            | B::OuterProduct
            | B::Transpose
            | B::Determinant
            | B::Inverse
            | B::LessThan
            | B::LessThanEqual
            | B::GreaterThan
            | B::GreaterThanEqual
            | B::Equal
            | B::NotEqual
            | B::Any
            | B::All
            | B::Not
            | B::UaddCarry
            | B::UsubBorrow
            | B::UmulExtended
            | B::ImulExtended
            | B::BitfieldExtract
            | B::BitfieldInsert
            | B::BitfieldReverse
            | B::BitCount
            | B::FindLsb
            | B::FindMsb
            | B::CountLeadingZeros
            | B::CountTrailingZeros
            | B::AbsoluteDifference
            | B::AddSaturate
            | B::SubtractSaturate
            | B::Average
            | B::AverageRounded
            | B::Multiply32x16
            | B::DotInteger
            | B::DotPacked4x8
            | B::DotAccSat
            | B::DotPacked4x8AccSat
            | B::Noise
            | B::Expect => self.pure_call(id, f, args),
            B::Ftransform => self.ftransform(),
            B::Texture(call) => self.texture(id, call, args),
            B::TextureSize => self.texture_size(args),
            B::TextureQueryLod => self.texture_query_lod(args),
            B::TextureQueryLevels => self.texture_query(TexOp::QueryLevels, args),
            B::TextureSamples => self.texture_query(TexOp::Samples, args),
            B::TextureSamplesIdentical => self.texture_samples_identical(args),
            B::ImageLoad => self.image_load(args, ty),
            B::ImageStore => self.image_store(args),
            B::ImageSize => self.image_size(args, ty),
            B::ImageSamples => self.image_samples(args),
            B::ImageAtomic(op) => self.image_atomic(op, args, ty),
            B::SubpassLoad => self.subpass_load(id, args),
            B::Atomic(op) => self.atomic(op, args, ty),
            B::AtomicCounter(op) => self.atomic_counter(op, args),
            B::Barrier
            | B::MemoryBarrier(_)
            | B::GroupMemoryBarrier
            | B::SubgroupBarrier
            | B::SubgroupMemoryBarrier(_) => self.barrier(f),
            B::ControlBarrier | B::ScopedMemoryBarrier => self.scoped_barrier(f, args),
            B::Derivative(which, precision) => self.derivative(id, which, precision, args),
            B::InterpolateAtCentroid | B::InterpolateAtSample | B::InterpolateAtOffset => {
                self.interpolate(f, args, ty)
            }
            B::HelperInvocation => {
                let v = self.b.intrinsic(IntrinsicOp::is_helper_invocation, Ty::BOOL, &[]);
                Ok(Value::Ssa(v))
            }
            B::EmitVertex | B::EmitStreamVertex => self.stream_op(IntrinsicOp::emit_vertex, args),
            B::EndPrimitive | B::EndStreamPrimitive => self.stream_op(IntrinsicOp::end_primitive, args),
            B::ShaderClock { realtime } => self.shader_clock(realtime, ty),
            // A promise that nothing makes use of; its operand may have effects.
            B::Assume => {
                self.ssas(args)?;
                Ok(Value::Void)
            }
            B::SubgroupElect
            | B::SubgroupAll
            | B::SubgroupAny
            | B::SubgroupAllEqual
            | B::SubgroupBroadcast
            | B::SubgroupBroadcastFirst
            | B::SubgroupBallot
            | B::SubgroupInverseBallot
            | B::SubgroupBallotBitExtract
            | B::SubgroupBallotBitCount
            | B::SubgroupBallotInclusiveBitCount
            | B::SubgroupBallotExclusiveBitCount
            | B::SubgroupBallotFindLsb
            | B::SubgroupBallotFindMsb
            | B::SubgroupShuffle
            | B::SubgroupShuffleXor
            | B::SubgroupShuffleUp
            | B::SubgroupShuffleDown
            | B::SubgroupQuadBroadcast
            | B::SubgroupQuadSwapHorizontal
            | B::SubgroupQuadSwapVertical
            | B::SubgroupQuadSwapDiagonal
            | B::SubgroupQuadAll
            | B::SubgroupQuadAny => self.subgroup(f, args, ty),
            B::SubgroupRotate | B::SubgroupClusteredRotate => self.subgroup_rotate(args),
            B::SubgroupReduce(op) => self.subgroup_reduce(IntrinsicOp::reduce, op, args),
            B::SubgroupClustered(op) => self.subgroup_reduce(IntrinsicOp::reduce, op, args),
            B::SubgroupInclusive(op) => self.subgroup_reduce(IntrinsicOp::inclusive_scan, op, args),
            B::SubgroupExclusive(op) => self.subgroup_reduce(IntrinsicOp::exclusive_scan, op, args),
        }
    }

    /// A function of `pure`.
    fn pure_call(&mut self, id: ExprId, f: Builtin, args: &[ExprId]) -> Res<Value> {
        let ty = self.m.unit[id].ty;
        let outs = outs_of(f);
        let mut places = SmallVec::<[_; 2]>::new();
        let mut values: SmallVec<[Arg; 4]> = SmallVec::new();
        for (i, &arg) in args.iter().enumerate() {
            let arg_ty = self.m.unit[arg].ty;
            let value = if outs.contains(&i) {
                places.push((i, self.place(arg)?));
                Columns::new()
            } else if arg_ty.is_matrix() {
                self.columns(arg)?
            } else {
                SmallVec::from_slice(&[self.ssa(arg)?])
            };
            values.push(Arg { ty: arg_ty, value });
        }
        let Some(Results { value, outs }) = self.hinted(id, |l| pure(&mut l.b, f, &values, ty)) else {
            return fail(MALFORMED, format!("{f:?} does not take these arguments"));
        };
        for (i, value) in outs {
            let Some((_, place)) = places.iter().find(|&&(at, _)| at == i) else { continue };
            let value = match (out_base(f, &values), place.ty.base()) {
                (Some(from), Some(to)) => self.convert_ssa(value, from, to),
                _ => value,
            };
            self.store(place, Value::Ssa(value))?;
        }
        Ok(value_of(ty, value))
    }

    // ---- arguments ----

    /// Scalars and vectors, evaluated from left to right.
    fn ssas(&mut self, args: &[ExprId]) -> Res<SmallVec<[InstrId; 4]>> {
        args.iter().map(|&a| self.ssa(a)).collect()
    }

    /// A constant integer.
    fn const_arg(&mut self, args: &[ExprId], i: usize, what: &str) -> Res<u32> {
        let arg = arg(args, i)?;
        let v = self.ssa(arg)?;
        match self.b.scalar_const(v) {
            Some(bits) => Ok(bits as u32),
            None => fail(MALFORMED, format!("{what} is no constant")),
        }
    }

    /// The opaque type of an argument.
    fn opaque_type(&self, arg: ExprId) -> Res<Opaque> {
        let ty = self.m.unit[arg].ty;
        ty.as_opaque().ok_or_else(|| error(MALFORMED, "an argument is not opaque"))
    }

    /// Memory qualifiers of the variable and members that an expression names.
    fn memory_qualifiers(&self, mut expr: ExprId) -> Access {
        let unit = self.m.unit;
        let mut memory = Memory::empty();
        memory.set(Memory::NON_UNIFORM, self.m.survey.is_non_uniform(expr));
        loop {
            match unit[expr].kind {
                ExprKind::Var(var) => {
                    memory |= unit[var].qualifiers.memory;
                    break;
                }
                ExprKind::Index(base, _) | ExprKind::NonUniform(base) => expr = base,
                ExprKind::Field(base, field) => {
                    let of = unit.types.as_struct(unit.types.without_arrays(unit[base].ty));
                    memory |= of
                        .and_then(|s| s.fields.get(field as usize))
                        .map_or(Memory::empty(), |f| f.qualifiers.memory);
                    expr = base;
                }
                _ => break,
            }
        }
        [
            (Memory::COHERENT, Access::COHERENT),
            (Memory::VOLATILE, Access::VOLATILE),
            (Memory::RESTRICT, Access::RESTRICT),
            (Memory::READONLY, Access::NON_WRITEABLE),
            (Memory::WRITEONLY, Access::NON_READABLE),
            (Memory::NON_UNIFORM, Access::NON_UNIFORM),
        ]
        .into_iter()
        .filter(|&(from, _)| memory.contains(from))
        .fold(Access::empty(), |access, (_, to)| access | to)
    }

    // ---- small ones ----

    /// `ftransform()`: the product is exact, so that all shaders that transform so get the same position, as the
    /// fixed functions would (GLSL 1.20 section 8.4).
    fn ftransform(&mut self) -> Res<Value> {
        let matrix = self.builtin_var(BuiltinVar::ModelViewProjectionMatrix)?;
        let vertex = self.builtin_var(BuiltinVar::Vertex)?;
        let (matrix, vertex) = (self.load(&matrix)?, self.load(&vertex)?);
        let (Value::Matrix(columns), Value::Ssa(vertex)) = (matrix, vertex) else {
            return fail(MALFORMED, "ftransform needs a matrix and a vector");
        };
        let flags = self.b.flags;
        self.b.flags |= AluFlags::EXACT;
        let product = self.b.matrix_times_vector(&columns, vertex);
        self.b.flags = flags;
        product.map(Value::Ssa).ok_or_else(|| error(MALFORMED, "a matrix without columns"))
    }

    /// `EmitVertex`, `EndPrimitive` and their forms for a stream.
    fn stream_op(&mut self, op: IntrinsicOp, args: &[ExprId]) -> Res<Value> {
        let stream = if args.is_empty() { 0 } else { self.const_arg(args, 0, "the stream")? };
        if stream > 3 {
            return fail(UNSUPPORTED, format!("there is no vertex stream {stream}"));
        }
        self.b.insert_intrinsic(Intrinsic::new(op, &[]).with(Index::Stream, stream), Ty::NONE);
        Ok(Value::Void)
    }

    fn shader_clock(&mut self, realtime: bool, ty: Type) -> Res<Value> {
        let scope = if realtime { Scope::Device } else { Scope::Subgroup };
        let clock = Intrinsic::new(IntrinsicOp::shader_clock, &[]).with(Index::MemoryScope, scope);
        let v = self.b.insert_intrinsic(clock, Ty::new(2, 32));
        let v = integer::bit_cast(&mut self.b, v, ty);
        v.map(Value::Ssa).ok_or_else(|| error(MALFORMED, "a clock has 64 bits"))
    }
}

/// Argument `i`.
fn arg(args: &[ExprId], i: usize) -> Res<ExprId> {
    args.get(i).copied().ok_or_else(|| error(MALFORMED, "a built-in function has too few arguments"))
}

/// Value `i`.
fn operand(values: &[InstrId], i: usize) -> Res<InstrId> {
    values.get(i).copied().ok_or_else(|| error(MALFORMED, "a built-in function has too few arguments"))
}
