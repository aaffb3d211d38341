//! Atomic operations on buffers and workgroup memory.

use super::FunctionEmitter;
use super::calls::{Effect, suffix};
use super::memory::is_float;
use crate::module::{TypeId, Value};
use crate::select::errors;
use crate::select::types::{Class, DEVICE, scalar_type};
use airfoil_ir::{AtomicOp, InstrId, Intrinsic, Named, Ty};
use smallvec::SmallVec;

impl FunctionEmitter<'_> {
    // ---- atomic operations ----

    /// Calls an atomic function. All are relaxed, the only order that Metal has before 3.2; barriers do the ordering.
    #[allow(clippy::too_many_arguments)] // the parts of an atomic operation
    pub(crate) fn atomic(
        &mut self,
        id: InstrId,
        i: &Intrinsic,
        ptr: Value,
        space: u32,
        compare: Option<InstrId>,
        data: InstrId,
        ty: Ty,
    ) {
        let op = i.atomic_op();
        let bits = self.bits(data);
        let class = if is_float(op) { Class::Float } else { Class::Int };
        let elem = scalar_type(class, bits);
        let wanted = self.b.module.pointer(elem, space);
        let ptr = self.b.bitcast(ptr, wanted);
        let air = self.options.target.air();
        let wide = bits == 64;
        let supported = match op {
            AtomicOp::Umin | AtomicOp::Umax if wide => self.body[id].uses() == 0,
            _ if wide => false,
            AtomicOp::Fmin | AtomicOp::Fmax => false,
            AtomicOp::Fadd => space == DEVICE && air >= crate::target::AirVersion::new(2, 5),
            _ => bits == 32,
        };
        if !supported {
            let what = if wide { "64-bit " } else { "" };
            let message = format!("{what}atomic `{}` on this memory does not exist in Metal", op.name());
            return self.error_value(id, errors::OPERATION, message);
        }
        let order = self.b.module.i32(0);
        // Who sees the effect: 2 the device, 1 the threadgroup.
        let scope = self.b.module.i32(if space == DEVICE { 2 } else { 1 });
        let flags = self.options.target.atomics_have_flags().then(|| self.b.module.i32(0));
        let volatile = self.b.module.bool(flags.is_none());
        let global = space == DEVICE;
        let mut args: SmallVec<[Value; 8]> = smallvec::smallvec![ptr];
        let cas = compare.is_some() || op == AtomicOp::Cmpxchg;
        if cas {
            let compare = compare.unwrap_or(data);
            let slot = self.scratch_memory(elem);
            let value = self.scalar(compare, class);
            self.b.store(value, slot, u32::from(bits / 8));
            args.push(slot);
        }
        if op != AtomicOp::Load {
            let value = self.scalar(data, class);
            args.push(value);
        }
        args.push(order);
        if cas {
            args.push(order);
        }
        args.push(scope);
        args.extend(flags);
        args.push(volatile);
        let name = atomic_word(if cas { AtomicOp::Cmpxchg } else { op });
        let ret = if op == AtomicOp::Store || wide { TypeId::VOID } else { elem };
        let key = ((op.number() as u64) << 40)
            | (u64::from(cas) << 39)
            | (u64::from(global) << 38)
            | elem.index() as u64;
        let base = if global { "air.atomic.global." } else { "air.atomic.local." };
        let value = self.air(base, key, ret, &args, Effect::Any, |m| format!("{name}.{}", suffix(m, elem)));
        if ret == TypeId::VOID {
            if !ty.is_none() {
                self.set_undef(id);
            }
            return;
        }
        self.set(id, value, class);
    }

    /// One word of memory for functions that want an address.
    pub(crate) fn scratch_memory(&mut self, ty: TypeId) -> Value {
        match self.state.scratch.get(&ty) {
            Some(&ptr) => ptr,
            None => {
                let ptr = self.b.module.pointer(ty, 0);
                self.b.module.undef(ptr)
            }
        }
    }

    /// Makes scratch memory; called at the start of the function, so that every block can use it.
    pub(crate) fn reserve_scratch(&mut self, ty: TypeId) {
        if !self.state.scratch.contains_key(&ty) {
            let bytes = self.b.module.types().bits(ty) / 8;
            let ptr = self.b.alloca(ty, bytes.max(1));
            self.state.scratch.insert(ty, ptr);
        }
    }
}

/// Word of an operation in function names, with the sign where there is one.
fn atomic_word(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Iadd => "add.u",
        AtomicOp::Imin => "min.s",
        AtomicOp::Umin => "min.u",
        AtomicOp::Imax => "max.s",
        AtomicOp::Umax => "max.u",
        AtomicOp::Iand => "and.u",
        AtomicOp::Ior => "or.u",
        AtomicOp::Ixor => "xor.u",
        AtomicOp::Xchg => "xchg",
        AtomicOp::Fadd => "add",
        AtomicOp::Fmin => "min",
        AtomicOp::Fmax => "max",
        AtomicOp::Cmpxchg => "cmpxchg.weak",
        AtomicOp::Load => "load",
        AtomicOp::Store => "store",
    }
}
