//! Atomics on buffers, workgroup memory and atomic counters.

use super::barrier::{scope_of, semantics_of};
use super::{Lowerer, Res, arg, operand};
use crate::builtin::op::{Atomic, CounterOp};
use crate::hir::ExprId;
use crate::lower::{MALFORMED, UNSUPPORTED, Value, fail, shape_of};
use crate::types::{Base, Type};
use airfoil_ir::{Access, AtomicOp, Index, InstrId, Intrinsic, IntrinsicOp, Scope, Semantics, Ty};

/// The operation on numbers of a base type; `None` if there is none.
pub(super) fn atomic_of(op: Atomic, base: Base) -> Option<AtomicOp> {
    let by_kind = |float, signed, unsigned| {
        if base.is_float() {
            float
        } else if base.is_signed() {
            Some(signed)
        } else {
            Some(unsigned)
        }
    };
    match op {
        Atomic::Add => by_kind(Some(AtomicOp::Fadd), AtomicOp::Iadd, AtomicOp::Iadd),
        Atomic::Min => by_kind(Some(AtomicOp::Fmin), AtomicOp::Imin, AtomicOp::Umin),
        Atomic::Max => by_kind(Some(AtomicOp::Fmax), AtomicOp::Imax, AtomicOp::Umax),
        Atomic::And => by_kind(None, AtomicOp::Iand, AtomicOp::Iand),
        Atomic::Or => by_kind(None, AtomicOp::Ior, AtomicOp::Ior),
        Atomic::Xor => by_kind(None, AtomicOp::Ixor, AtomicOp::Ixor),
        Atomic::Exchange => Some(AtomicOp::Xchg),
        Atomic::CompSwap => Some(AtomicOp::Cmpxchg),
        Atomic::Load => Some(AtomicOp::Load),
        Atomic::Store => Some(AtomicOp::Store),
        Atomic::IncWrap | Atomic::DecWrap => None,
    }
}

/// Values that an operation takes besides the memory.
pub(super) fn values_of(op: Atomic) -> usize {
    match op {
        Atomic::Load => 0,
        Atomic::CompSwap => 2,
        _ => 1,
    }
}

impl Lowerer<'_, '_> {
    /// Scope and semantics after the operands of an atomic: `scope, storage, semantics`, and two more for a failed
    /// compare and exchange, which orders no more than a successful one. Without them nothing is ordered.
    pub(super) fn atomic_order(&mut self, rest: &[ExprId]) -> Res<(Scope, Semantics)> {
        if rest.is_empty() {
            return Ok((Scope::Device, Semantics::empty()));
        }
        let scope = scope_of(self.const_arg(rest, 0, "the scope")?);
        Ok((scope, semantics_of(self.const_arg(rest, 2, "the semantics")?)))
    }

    pub(super) fn atomic(&mut self, op: Atomic, args: &[ExprId], ty: Type) -> Res<Value> {
        let memory = arg(args, 0)?;
        let memory_ty = self.m.unit[memory].ty;
        let (Some(shape), Some(base)) = (shape_of(memory_ty), memory_ty.base()) else {
            return fail(MALFORMED, "an atomic needs a number in memory");
        };
        let Some(atomic) = atomic_of(op, base) else {
            return fail(UNSUPPORTED, format!("the atomic operation {op:?} is not supported on this type"));
        };
        let place = self.place(memory)?;
        let deref = self.deref(&place)?;
        let n = values_of(op);
        let Some((values, rest)) = args[1..].split_at_checked(n) else {
            return fail(MALFORMED, "an atomic has too few arguments");
        };
        let values = self.ssas(values)?;
        let order = self.atomic_order(rest)?;
        let access = place.access | self.memory_qualifiers(memory);
        let old = self.insert_deref_atomic(atomic, deref, shape, &values, access, order);
        Ok(if ty == Type::Void { Value::Void } else { Value::Ssa(old) })
    }

    fn insert_deref_atomic(
        &mut self,
        op: AtomicOp,
        deref: InstrId,
        shape: Ty,
        values: &[InstrId],
        access: Access,
        (scope, semantics): (Scope, Semantics),
    ) -> InstrId {
        let atomic = match *values {
            [compare, data] => Intrinsic::new(IntrinsicOp::deref_atomic_swap, &[deref, compare, data]),
            [data] => Intrinsic::new(IntrinsicOp::deref_atomic, &[deref, data]),
            _ => {
                let zero = self.b.imm(shape.bits, 0);
                Intrinsic::new(IntrinsicOp::deref_atomic, &[deref, zero])
            }
        };
        let atomic = atomic
            .with(Index::Atomic, op)
            .with(Index::Access, access)
            .with(Index::MemoryScope, scope)
            .with(Index::Semantics, semantics);
        self.b.insert_intrinsic(atomic, shape)
    }

    /// Atomic counters are numbers in a storage buffer (GLSL 4.60 section 8.10).
    pub(super) fn atomic_counter(&mut self, op: CounterOp, args: &[ExprId]) -> Res<Value> {
        let counter = self.opaque(arg(args, 0)?)?.0;
        let values = self.ssas(&args[1..])?;
        let one = |l: &mut Self| l.b.imm_u32(1);
        let (atomic, values): (_, smallvec::SmallVec<[InstrId; 2]>) = match op {
            CounterOp::Read => (AtomicOp::Load, values.into_iter().take(0).collect()),
            CounterOp::Increment => (AtomicOp::Iadd, [one(self)].into_iter().collect()),
            CounterOp::Decrement => {
                let minus = self.b.imm_u32(u32::MAX);
                (AtomicOp::Iadd, [minus].into_iter().collect())
            }
            CounterOp::Subtract => {
                let minus = self.b.ineg(operand(&values, 0)?);
                (AtomicOp::Iadd, [minus].into_iter().collect())
            }
            CounterOp::CompSwap => {
                (AtomicOp::Cmpxchg, [operand(&values, 0)?, operand(&values, 1)?].into_iter().collect())
            }
            _ => {
                let atomic = match op {
                    CounterOp::Min => AtomicOp::Umin,
                    CounterOp::Max => AtomicOp::Umax,
                    CounterOp::And => AtomicOp::Iand,
                    CounterOp::Or => AtomicOp::Ior,
                    CounterOp::Xor => AtomicOp::Ixor,
                    CounterOp::Exchange => AtomicOp::Xchg,
                    _ => AtomicOp::Iadd,
                };
                (atomic, [operand(&values, 0)?].into_iter().collect())
            }
        };
        let order = (Scope::Device, Semantics::empty());
        let old = self.insert_deref_atomic(atomic, counter, Ty::B32, &values, Access::empty(), order);
        // A decrement gives the new value, all others the old one.
        Ok(Value::Ssa(if op == CounterOp::Decrement {
            let one = one(self);
            self.b.isub(old, one)
        } else {
            old
        }))
    }
}
