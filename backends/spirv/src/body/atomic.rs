//! Atomics.

use super::{Code, Want};
use crate::errors::*;
use crate::module::Class;
use crate::types::class_of;
use airfoil_ir::{AtomicOp, InstrId, Intrinsic, IntrinsicOp, Modes, Scalar, Scope, Semantics, Type};
use smallvec::SmallVec;
use spirv::{Capability, Op};

/// The memory operands of an atomic: a pointer and the scalar that it points to.
pub(super) struct AtomicMemory {
    pub pointer: u32,
    pub scalar: Scalar,
    pub modes: Modes,
}

impl Code<'_, '_, '_> {
    pub(super) fn deref_atomic(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        let p = self.pointer(i.src(0))?;
        self.note_access(i.src(0), p.id, i.access())?;
        let Type::Vector { scalar, comps: 1 } = self.shader.types[p.ty] else {
            return fail(MEMORY, "an atomic on something else than a number");
        };
        let modes = self.body[i.src(0)].as_deref().map_or(Modes::empty(), |d| d.modes);
        let want = Want::Exactly(class_of(scalar));
        let data = self.value(i.src(i.srcs().len() - 1), want)?;
        let compare =
            if i.op == IntrinsicOp::deref_atomic_swap { Some(self.value(i.src(1), want)?) } else { None };
        self.atomic(id, i, &AtomicMemory { pointer: p.id, scalar, modes }, compare, data)
    }

    /// Writes the atomic of an intrinsic on memory.
    pub(super) fn atomic(
        &mut self,
        id: InstrId,
        i: &Intrinsic,
        memory: &AtomicMemory,
        compare: Option<u32>,
        data: u32,
    ) -> Res<()> {
        let scalar = memory.scalar;
        if scalar.bits() == 64 && !scalar.is_float() {
            self.w.m.require(Capability::Int64Atomics)?;
        }
        // A scope of nothing is a demand of nothing: GLSL without a memory model reaches the device.
        let scope = match i.memory_scope() {
            Scope::None => Scope::Device,
            scope => scope,
        };
        let scope = self.scope(scope)?;
        let modes = if i.memory_modes().is_empty() { memory.modes } else { i.memory_modes() };
        let semantics = self.semantics(i.semantics(), modes, i.access())?;
        let t = self.w.m.scalar(class_of(scalar), scalar.bits())?;
        let mut words: SmallVec<[u32; 6]> = SmallVec::from_slice(&[memory.pointer, scope, semantics]);
        if let Some(compare) = compare {
            if scalar.is_float() {
                return fail(
                    OPERATION,
                    "an atomic compare and exchange of floats is not supported in SPIR-V",
                );
            }
            // A failed exchange writes nothing, so it releases nothing.
            let unequal = self.semantics(i.semantics() - Semantics::RELEASE, modes, i.access())?;
            words.extend([unequal, data, compare]);
            let v = self.op(Op::AtomicCompareExchange, t, &words);
            self.define(id, v);
            return Ok(());
        }
        let op = match i.atomic_op() {
            AtomicOp::Store => {
                words.push(data);
                self.effect(Op::AtomicStore, &words);
                if self.body[id].uses() > 0 {
                    let undef = self.w.m.undef(t);
                    self.define(id, undef);
                }
                return Ok(());
            }
            AtomicOp::Load => {
                let v = self.op(Op::AtomicLoad, t, &words);
                self.define(id, v);
                return Ok(());
            }
            AtomicOp::Iadd => Op::AtomicIAdd,
            AtomicOp::Imin => Op::AtomicSMin,
            AtomicOp::Umin => Op::AtomicUMin,
            AtomicOp::Imax => Op::AtomicSMax,
            AtomicOp::Umax => Op::AtomicUMax,
            AtomicOp::Iand => Op::AtomicAnd,
            AtomicOp::Ior => Op::AtomicOr,
            AtomicOp::Ixor => Op::AtomicXor,
            AtomicOp::Xchg => Op::AtomicExchange,
            AtomicOp::Fadd => {
                self.w.m.require(match scalar.bits() {
                    16 => Capability::AtomicFloat16AddEXT,
                    64 => Capability::AtomicFloat64AddEXT,
                    _ => Capability::AtomicFloat32AddEXT,
                })?;
                Op::AtomicFAddEXT
            }
            AtomicOp::Fmin | AtomicOp::Fmax => {
                self.w.m.require(match scalar.bits() {
                    16 => Capability::AtomicFloat16MinMaxEXT,
                    64 => Capability::AtomicFloat64MinMaxEXT,
                    _ => Capability::AtomicFloat32MinMaxEXT,
                })?;
                if i.atomic_op() == AtomicOp::Fmin { Op::AtomicFMinEXT } else { Op::AtomicFMaxEXT }
            }
            AtomicOp::Cmpxchg => {
                return fail(OPERATION, "a compare and exchange without the value to compare");
            }
        };
        let integer =
            !matches!(i.atomic_op(), AtomicOp::Fadd | AtomicOp::Fmin | AtomicOp::Fmax | AtomicOp::Xchg);
        if integer && class_of(scalar) == Class::Float {
            return fail(
                OPERATION,
                format!("an atomic `{}` on floats is not supported in SPIR-V", i.atomic_op()),
            );
        }
        words.push(data);
        let v = self.op(op, t, &words);
        self.define(id, v);
        Ok(())
    }
}
