//! Atomics, barriers and clocks.

use crate::error::*;
use crate::state::{FunctionTranslator, Kind, Ptr, PtrPlace, Val};
use airfoil_ir::*;
use spirv::{MemorySemantics, Op};

/// A memory or execution scope by its constant; unknown scopes are the widest.
fn scope_of(n: u32) -> Scope {
    match n {
        2 => Scope::Workgroup,
        3 => Scope::Subgroup,
        4 => Scope::Invocation,
        5 => Scope::QueueFamily,
        _ => Scope::Device,
    }
}

fn semantics_of(bits: MemorySemantics) -> Semantics {
    use MemorySemantics as M;
    let mut s = Semantics::empty();
    let both = bits.intersects(M::ACQUIRE_RELEASE | M::SEQUENTIALLY_CONSISTENT);
    s.set(Semantics::ACQUIRE, both || bits.contains(M::ACQUIRE));
    s.set(Semantics::RELEASE, both || bits.contains(M::RELEASE));
    s.set(Semantics::MAKE_AVAILABLE, bits.contains(M::MAKE_AVAILABLE));
    s.set(Semantics::MAKE_VISIBLE, bits.contains(M::MAKE_VISIBLE));
    s
}

fn modes_of(bits: MemorySemantics) -> Modes {
    use MemorySemantics as M;
    let mut modes = Modes::empty();
    modes.set(Modes::SSBO | Modes::GLOBAL, bits.intersects(M::UNIFORM_MEMORY | M::ATOMIC_COUNTER_MEMORY));
    modes.set(Modes::SHARED, bits.contains(M::WORKGROUP_MEMORY));
    modes.set(Modes::IMAGE, bits.contains(M::IMAGE_MEMORY));
    modes.set(Modes::OUT, bits.contains(M::OUTPUT_MEMORY));
    modes
}

impl FunctionTranslator<'_, '_> {
    fn scope(&self, i: usize) -> Res<Scope> {
        let id = self.inst.word(i)?;
        Ok(self.r.const_u32(id).map_or(Scope::Device, scope_of))
    }

    /// The access of an available or visible operation whose scope is word `i`.
    pub fn coherent_within(&self, i: usize) -> Res<Access> {
        Ok(match self.scope(i)? {
            Scope::None | Scope::Invocation => Access::empty(),
            Scope::Subgroup => Access::COHERENT | Access::SUBGROUP,
            Scope::Workgroup => Access::COHERENT | Access::WORKGROUP,
            Scope::QueueFamily => Access::COHERENT | Access::QUEUE_FAMILY,
            Scope::Device => Access::COHERENT,
        })
    }

    fn semantics(&self, i: usize) -> Res<MemorySemantics> {
        let id = self.inst.word(i)?;
        // Without a constant everything is ordered.
        Ok(MemorySemantics::from_bits_truncate(self.r.const_u32(id).unwrap_or(u32::MAX)))
    }

    /// OpReadClockKHR, to two 32-bit integers or one of 64 bits.
    pub fn read_clock(&mut self) -> Res<()> {
        let ty = self.result_type()?;
        let shape = self.r.shape(ty)?;
        let two = Ty::new(2, 32);
        if shape != two && shape != Ty::new(1, 64) {
            return fail(TYPE, "OpReadClockKHR returns two 32-bit integers or a 64-bit integer");
        }
        let clock = Intrinsic::new(IntrinsicOp::shader_clock, &[]).with(Index::MemoryScope, self.scope(3)?);
        let mut v = self.b.insert_intrinsic(clock, two);
        if shape != two {
            v = self.b.alu(AluOp::pack_64_2x32, &[v]);
        }
        self.set_ssa(v)
    }

    pub fn barrier(&mut self, op: Op) -> Res<()> {
        let control = op == Op::ControlBarrier;
        let first = if control { 2 } else { 1 };
        let execution = if control { self.scope(1)? } else { Scope::None };
        let memory = self.scope(first)?;
        let bits = self.semantics(first + 1)?;
        let (semantics, modes) = (semantics_of(bits), modes_of(bits));
        // Without order there is nothing to wait for in memory.
        let orders = semantics.intersects(Semantics::ACQUIRE | Semantics::RELEASE);
        if !control && !orders {
            return Ok(());
        }
        let barrier = Intrinsic::new(IntrinsicOp::barrier, &[])
            .with(Index::ExecutionScope, execution)
            .with(Index::MemoryScope, if orders { memory } else { Scope::None })
            .with(Index::MemoryModes, if orders { modes } else { Modes::empty() })
            .with(Index::Semantics, semantics);
        self.b.insert_intrinsic(barrier, Ty::NONE);
        Ok(())
    }

    /// Whether an operation is handled by [`FunctionTranslator::atomic`].
    pub fn is_atomic(&self, op: Op) -> bool {
        (Op::AtomicLoad as u32..=Op::AtomicXor as u32).contains(&(op as u32))
            || matches!(op, Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT)
    }

    pub fn atomic(&mut self, op: Op) -> Res<()> {
        let is_store = op == Op::AtomicStore;
        let first = if is_store { 1 } else { 3 };
        let ptr = self.pointer(self.inst.word(first)?)?;
        let shape = self.r.shape(ptr.ty)?;
        if shape.comps != 1 || shape.bits == 1 {
            return fail(TYPE, "an atomic needs a number in memory");
        }
        let (scope, bits) = (self.scope(first + 1)?, self.semantics(first + 2)?);
        if matches!(op, Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak) {
            let value = self.ssa_of(self.inst.word(7)?, shape)?;
            let compare = self.ssa_of(self.inst.word(8)?, shape)?;
            let v = self.emit_swap(&ptr, shape, compare, value, scope, bits)?;
            return self.set_ssa(v);
        }
        let atomic = match op {
            Op::AtomicLoad => AtomicOp::Load,
            Op::AtomicStore => AtomicOp::Store,
            Op::AtomicExchange => AtomicOp::Xchg,
            Op::AtomicIIncrement | Op::AtomicIDecrement | Op::AtomicIAdd | Op::AtomicISub => AtomicOp::Iadd,
            Op::AtomicSMin => AtomicOp::Imin,
            Op::AtomicUMin => AtomicOp::Umin,
            Op::AtomicSMax => AtomicOp::Imax,
            Op::AtomicUMax => AtomicOp::Umax,
            Op::AtomicAnd => AtomicOp::Iand,
            Op::AtomicOr => AtomicOp::Ior,
            Op::AtomicXor => AtomicOp::Ixor,
            Op::AtomicFAddEXT => AtomicOp::Fadd,
            Op::AtomicFMinEXT => AtomicOp::Fmin,
            Op::AtomicFMaxEXT => AtomicOp::Fmax,
            _ => bail!(UNSUPPORTED, "{} is not supported", self.inst.name()),
        };
        let data = match op {
            Op::AtomicLoad => self.b.imm(shape.bits, 0),
            Op::AtomicIIncrement => self.b.imm(shape.bits, 1),
            Op::AtomicIDecrement => self.b.imm(shape.bits, u64::MAX),
            _ => {
                let v = self.ssa_of(self.inst.word(first + 3)?, shape)?;
                if op == Op::AtomicISub { self.b.ineg(v) } else { v }
            }
        };
        let v = self.emit_atomic(&ptr, shape, atomic, data, scope, bits)?;
        if is_store { Ok(()) } else { self.set_ssa(v) }
    }

    fn with_order(&self, mut i: Intrinsic, ptr: &Ptr, scope: Scope, bits: MemorySemantics) -> Intrinsic {
        let volatile = bits.contains(MemorySemantics::VOLATILE);
        i.set(Index::Access, ptr.access | if volatile { Access::VOLATILE } else { Access::empty() });
        i.set(Index::MemoryScope, scope);
        let semantics = semantics_of(bits);
        i.set(Index::Semantics, semantics);
        if !semantics.is_empty() {
            i.set(Index::MemoryModes, modes_of(bits));
        }
        i
    }

    /// Type of the image that a deref refers to.
    fn image_type_of(&self, image: InstrId) -> Res<ImageType> {
        let ty = self.b.pointee(image).map(|(ty, _)| self.r.shader.types[ty].clone());
        match ty {
            Some(Type::Image(info)) => Ok(info),
            _ => fail(TYPE, "the texel belongs to no image"),
        }
    }

    fn emit_atomic(
        &mut self,
        ptr: &Ptr,
        shape: Ty,
        op: AtomicOp,
        data: InstrId,
        scope: Scope,
        bits: MemorySemantics,
    ) -> Res<InstrId> {
        let i = match ptr.place {
            PtrPlace::Either { .. } => {
                return self.of_either(ptr, |s, p| s.emit_atomic(p, shape, op, data, scope, bits));
            }
            PtrPlace::Texel { image, coord, sample } => {
                let info = self.image_type_of(image)?;
                Intrinsic::new(IntrinsicOp::image_atomic, &[image, coord, sample, data])
                    .with(Index::Dim, info.dim)
                    .with(Index::Array, info.arrayed)
                    .with(Index::Format, info.format)
            }
            _ => Intrinsic::new(IntrinsicOp::deref_atomic, &[self.memory_deref(ptr)?, data]),
        };
        let i = self.with_order(i.with(Index::Atomic, op), ptr, scope, bits);
        Ok(self.b.insert_intrinsic(i, shape))
    }

    fn emit_swap(
        &mut self,
        ptr: &Ptr,
        shape: Ty,
        compare: InstrId,
        data: InstrId,
        scope: Scope,
        bits: MemorySemantics,
    ) -> Res<InstrId> {
        let i = match ptr.place {
            PtrPlace::Either { .. } => {
                return self.of_either(ptr, |s, p| s.emit_swap(p, shape, compare, data, scope, bits));
            }
            PtrPlace::Texel { image, coord, sample } => {
                let info = self.image_type_of(image)?;
                let both = self.b.vec(&[compare, data]);
                Intrinsic::new(IntrinsicOp::image_atomic_swap, &[image, coord, sample, both])
                    .with(Index::Dim, info.dim)
                    .with(Index::Array, info.arrayed)
                    .with(Index::Format, info.format)
            }
            _ => Intrinsic::new(IntrinsicOp::deref_atomic_swap, &[self.memory_deref(ptr)?, compare, data]),
        };
        let i = self.with_order(i.with(Index::Atomic, AtomicOp::Cmpxchg), ptr, scope, bits);
        Ok(self.b.insert_intrinsic(i, shape))
    }

    /// An operation on the chosen one of two pointers: each side of an `if` has one and stores its result.
    fn of_either(&mut self, ptr: &Ptr, on: impl Fn(&mut Self, &Ptr) -> Res<InstrId>) -> Res<InstrId> {
        let PtrPlace::Either { cond, a, b, .. } = ptr.place else { return on(self, ptr) };
        let side = |p: Ptr| Ptr { access: p.access | ptr.access, ..p };
        let (a, b) = (side(self.r.pointers[a as usize]), side(self.r.pointers[b as usize]));
        let result = self.temp(ptr.ty, "")?;
        let cf = self.b.push_if(cond);
        let v = on(self, &a)?;
        self.store(&result, Val::Ssa(v))?;
        self.b.push_else(cf);
        let v = on(self, &b)?;
        self.store(&result, Val::Ssa(v))?;
        self.b.pop(cf);
        let v = self.load(&result)?;
        self.ssa_from(v, ptr.ty)
    }

    /// The deref of memory that atomics work on.
    fn memory_deref(&self, ptr: &Ptr) -> Res<InstrId> {
        if matches!(self.r.kind(ptr.ty), Kind::Bool) {
            return fail(TYPE, "atomics on booleans are not supported");
        }
        let deref = self.deref_of(ptr)?;
        self.check_writable(deref)?;
        Ok(deref)
    }
}
