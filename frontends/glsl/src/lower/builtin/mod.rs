//! Built-in functions.
//!
//! The row of a function names its [`Lowering`]; `Lowerer::builtin` is the one match on it. Functions of their arguments only
//! carry their code in the row (`crate::builtin::pure`), the others are lowered here:
//!
//! * `texture`, `image`: resources. `memory`: atomics. `barrier`: synchronisation.
//! * `fragment`, `subgroup`: values of other invocations or of the rasteriser.

mod barrier;
mod fragment;
mod image;
mod memory;
mod subgroup;
#[cfg(test)]
mod tests;
mod texture;

use super::{Columns, Lowerer, MALFORMED, Res, UNSUPPORTED, Value, error, fail, shape_of};
use crate::builtin::op::Lowering;
use crate::builtin::pure::{Arg, Call, Pure, Results};
use crate::builtin::{Builtin, BuiltinVar, reinterpret};
use crate::hir::{ExprId, ExprKind, Memory};
use crate::types::{Opaque, Type};
use airfoil_ir::{Access, AluFlags, Index, InstrId, Intrinsic, IntrinsicOp, Scope, Ty};
use smallvec::SmallVec;

/// A value of a scalar, vector or matrix type from its columns.
fn value_of(ty: Type, columns: Columns) -> Value {
    match (ty, &columns[..]) {
        (Type::Matrix { .. }, _) => Value::Matrix(columns),
        (_, &[v, ..]) => Value::Ssa(v),
        (_, []) => Value::Void,
    }
}

impl Lowerer<'_, '_> {
    /// A call of a built-in function: the expression `id`.
    pub(in crate::lower) fn builtin(&mut self, id: ExprId, builtin: &Builtin, args: &[ExprId]) -> Res<Value> {
        let ty = self.m.unit[id].ty;
        match builtin.lowering {
            Lowering::Pure(pure) => self.pure(id, &pure, args),
            Lowering::Noise => self.noise(args, ty),
            Lowering::Ftransform => self.ftransform(),
            Lowering::Texture(call) => self.texture(id, call, args),
            Lowering::TextureQuery(query) => self.texture_query(query, args),
            Lowering::Image(op) => self.image_function(op, args, ty),
            Lowering::SubpassLoad => self.subpass_load(id, args),
            Lowering::Atomic(op) => self.atomic(op, args, ty),
            Lowering::AtomicCounter(op) => self.atomic_counter(op, args),
            Lowering::Barrier(barrier) => self.barrier(barrier),
            Lowering::ControlBarrier => self.scoped_barrier(true, args),
            Lowering::ScopedMemoryBarrier => self.scoped_barrier(false, args),
            Lowering::Derivative(which, precision) => self.derivative(id, which, precision, args),
            Lowering::Interpolate(at) => self.interpolate(at, args, ty),
            Lowering::EmitVertex => self.stream_op(IntrinsicOp::emit_vertex, args),
            Lowering::EndPrimitive => self.stream_op(IntrinsicOp::end_primitive, args),
            Lowering::ShaderClock { realtime } => self.shader_clock(realtime, ty),
            Lowering::Assume => self.assume(args),
            Lowering::Intrinsic(op) => self.intrinsic(op, args),
            Lowering::SubgroupBallot => self.ballot(args, ty),
            Lowering::SubgroupAllEqual => self.all_equal(args),
            Lowering::SubgroupRotate => self.subgroup_rotate(args),
            Lowering::SubgroupReduce(op, reduction) => self.subgroup_reduce(op, reduction, args),
        }
    }

    /// A function of its arguments only.
    fn pure(&mut self, id: ExprId, pure: &Pure, args: &[ExprId]) -> Res<Value> {
        let ty = self.m.unit[id].ty;
        let first_out = args.len().saturating_sub(pure.outs());
        let mut places = SmallVec::<[_; 2]>::new();
        let mut values: SmallVec<[Arg; 4]> = SmallVec::new();
        for (i, &arg) in args.iter().enumerate() {
            let arg_ty = self.m.unit[arg].ty;
            let value = if i >= first_out {
                places.push(self.place(arg)?);
                Columns::new()
            } else if arg_ty.is_matrix() {
                self.columns(arg)?
            } else {
                SmallVec::from_slice(&[self.ssa(arg)?])
            };
            values.push(Arg { ty: arg_ty, value });
        }
        let call = Call { args: &values, result: ty };
        let Some(Results { value, outs }) = self.hinted(id, |l| pure.build(&mut l.b, call)) else {
            return fail(MALFORMED, "a built-in function does not take these arguments");
        };
        for (place, (from, value)) in places.into_iter().zip(outs) {
            let value = match place.ty.base() {
                Some(to) => self.convert_ssa(value, from, to),
                None => value,
            };
            self.store(&place, Value::Ssa(value))?;
        }
        Ok(value_of(ty, value))
    }

    /// Noise is deprecated and may be constant 0, as it is everywhere (GLSL 4.60 section 8.16).
    fn noise(&mut self, args: &[ExprId], ty: Type) -> Res<Value> {
        self.ssas(args)?;
        let Some(shape) = shape_of(ty) else { return fail(MALFORMED, "noise is a scalar or vector") };
        Ok(Value::Ssa(self.b.zero(shape)))
    }

    /// A promise that is not used; its operand may have effects.
    fn assume(&mut self, args: &[ExprId]) -> Res<Value> {
        self.ssas(args)?;
        Ok(Value::Void)
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
            None => fail(MALFORMED, format!("{what} must be a constant")),
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
            return fail(UNSUPPORTED, format!("vertex stream {stream} is not supported"));
        }
        self.b.insert_intrinsic(Intrinsic::new(op, &[]).with(Index::Stream, stream), Ty::NONE);
        Ok(Value::Void)
    }

    fn shader_clock(&mut self, realtime: bool, ty: Type) -> Res<Value> {
        let scope = if realtime { Scope::Device } else { Scope::Subgroup };
        let clock = Intrinsic::new(IntrinsicOp::shader_clock, &[]).with(Index::MemoryScope, scope);
        let v = self.b.insert_intrinsic(clock, Ty::new(2, 32));
        let v = shape_of(ty).and_then(|shape| reinterpret(&mut self.b, v, shape));
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
