//! Atomic operations on buffers and workgroup memory.

use super::FunctionEmitter;
use super::memory::is_float;
use crate::functions::{Air, NumberKind, Word};
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
        let ptr = self.bitcast(ptr, wanted);
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
        // Where the effect is visible: 2 the device, 1 the threadgroup.
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
        let ret = if op == AtomicOp::Store || wide { TypeId::VOID } else { elem };
        let base = atomic_function(if cas { AtomicOp::Cmpxchg } else { op }, global);
        let kind = match op {
            AtomicOp::Imin | AtomicOp::Imax => NumberKind::Signed,
            _ if class == Class::Float => NumberKind::Float,
            _ => NumberKind::Unsigned,
        };
        let function = base.with([Word::number(self.b.module, kind, elem)]);
        let value = self.air(function, ret, &args);
        if ret == TypeId::VOID {
            if !ty.is_none() {
                self.set_undef(id);
            }
            return;
        }
        self.set(id, value, class);
    }

    /// One word of memory for functions that require an address.
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

/// The function of an operation on device (`global`) or threadgroup memory.
fn atomic_function(op: AtomicOp, global: bool) -> Air {
    let (device, threadgroup) = match op {
        AtomicOp::Iadd | AtomicOp::Fadd => (Air::atomic_global_add, Air::atomic_local_add),
        AtomicOp::Imin | AtomicOp::Umin | AtomicOp::Fmin => (Air::atomic_global_min, Air::atomic_local_min),
        AtomicOp::Imax | AtomicOp::Umax | AtomicOp::Fmax => (Air::atomic_global_max, Air::atomic_local_max),
        AtomicOp::Iand => (Air::atomic_global_and, Air::atomic_local_and),
        AtomicOp::Ior => (Air::atomic_global_or, Air::atomic_local_or),
        AtomicOp::Ixor => (Air::atomic_global_xor, Air::atomic_local_xor),
        AtomicOp::Xchg => (Air::atomic_global_xchg, Air::atomic_local_xchg),
        AtomicOp::Cmpxchg => (Air::atomic_global_cmpxchg, Air::atomic_local_cmpxchg),
        AtomicOp::Load => (Air::atomic_global_load, Air::atomic_local_load),
        AtomicOp::Store => (Air::atomic_global_store, Air::atomic_local_store),
    };
    if global { device } else { threadgroup }
}
