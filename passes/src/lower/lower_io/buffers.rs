//! Accesses to buffers, workgroup memory, push constants and uniforms by byte offset.

use super::{Chain, Lowering, from_memory, memory_ty, to_memory, with_indices_of};
use airfoil_ir::{
    Access, Align, AluOp, Body, Builder, DerefKind, Diagnostic, Index, InstrId, Intrinsic, IntrinsicOp,
    Modes, Ty, Type, TypeId, Variable, bit_mask,
};
use smallvec::SmallVec;

/// Maximum alignment to record: nothing is wider than 16 bytes, except vectors of 64 bits.
const MAX_ALIGN: u32 = 16;

/// A location in a buffer.
struct Target {
    /// The block, if the operations have one.
    block: Option<InstrId>,
    /// Constant part of the offset; only the low 32 bits matter without an address.
    constant: u64,
    /// Dynamic part of the offset; with an address, the 64-bit address plus dynamic offsets.
    dynamic: Option<InstrId>,
    /// Whether `dynamic` is an address.
    address: bool,
    /// A power of two that divides `dynamic`.
    align: u32,
    /// Bytes between the components, which is more than their size in columns of row-major matrices.
    stride: u32,
    /// Type of the target.
    ty: TypeId,
}

impl Target {
    /// The location `bytes` further on.
    fn offset(&self, b: &mut Builder, bytes: u32) -> InstrId {
        let bits = if self.address { 64 } else { 32 };
        let constant = self.constant.wrapping_add(u64::from(bytes)) & bit_mask(bits);
        match self.dynamic {
            None => b.imm_u32(constant as u32),
            Some(d) if constant == 0 => d,
            Some(d) => {
                let c = b.imm(bits as u8, constant);
                b.iadd(d, c)
            }
        }
    }

    /// Alignment of an access to components of `bits` bits.
    fn align(&self, bytes: u32, bits: u8) -> Align {
        if self.address {
            // Nothing is known about the address itself, but accesses are aligned to their scalars (SPIR-V
            // 2.16.1).
            return Align { mul: u16::from(bits / 8), offset: 0 };
        }
        let mul = self.align.min(MAX_ALIGN);
        Align {
            mul: mul as u16,
            offset: (self.constant.wrapping_add(u64::from(bytes)) % u64::from(mul)) as u16,
        }
    }

    fn add(&mut self, b: &mut Builder, index: InstrId, stride: u32) {
        if let Some(c) = b.scalar_const(index) {
            let signed = i64::from(c as i32).wrapping_mul(i64::from(stride));
            self.constant = self.constant.wrapping_add(signed as u64);
            return;
        }
        let index = if self.address { b.convert(AluOp::i2i, index, 64) } else { index };
        let part = if stride == 1 {
            index
        } else {
            let s = b.imm(b.ty(index).bits, u64::from(stride));
            b.imul(index, s)
        };
        self.dynamic = Some(match self.dynamic {
            Some(d) => b.iadd(d, part),
            None => part,
        });
        if stride != 0 {
            self.align = self.align.min(1 << stride.trailing_zeros().min(4));
        }
    }
}

impl Lowering<'_> {
    /// Lowers an access to a buffer; returns the value that replaces its result.
    pub(super) fn buffer_access(
        &mut self,
        body: &mut Body,
        id: InstrId,
        i: Intrinsic,
        v: &Variable,
        chain: &Chain,
    ) -> Result<Option<InstrId>, Diagnostic> {
        let ty = body[id].ty;
        let mut b = Builder::before(body, id);
        let target = self.target(&mut b, v, chain)?;
        let access = v.access | i.access();
        match i.op {
            IntrinsicOp::load_deref => Ok(Some(self.load(&mut b, v.mode, &target, access, ty))),
            IntrinsicOp::store_deref => {
                self.store(&mut b, v, &target, access, i.src(1), i.write_mask())?;
                Ok(None)
            }
            IntrinsicOp::deref_atomic | IntrinsicOp::deref_atomic_swap => {
                self.atomic(&mut b, v, &target, access, i, ty).map(Some)
            }
            IntrinsicOp::deref_buffer_array_length => self.length(&mut b, v, &target, access).map(Some),
            _ => {
                Err(self.error("E0314", format!("`{}` is not supported on buffer `{}`", i.op.name(), v.name)))
            }
        }
    }

    /// The location that a deref chain refers to.
    fn target(&mut self, b: &mut Builder, v: &Variable, chain: &Chain) -> Result<Target, Diagnostic> {
        let mut t = Target {
            block: None,
            constant: if v.mode.intersects(Modes::SHARED | Modes::UNIFORM) { v.offset.into() } else { 0 },
            dynamic: None,
            address: v.mode == Modes::GLOBAL,
            align: MAX_ALIGN,
            stride: 0,
            ty: v.ty,
        };
        let has_block = v.mode.intersects(Modes::UBO | Modes::SSBO);
        // Indices into arrays of blocks select the block, not an offset.
        let is_array = |ty: TypeId, types: &airfoil_ir::Types| matches!(types[ty], Type::Array { .. });
        let mut steps = chain.iter().copied();
        let mut at = steps.next();
        if t.address {
            t.dynamic = at.and_then(|cast| b.body[cast].as_deref()).and_then(airfoil_ir::Deref::parent);
        }
        if has_block {
            while is_array(t.ty, self.types) {
                let Some(next) = steps.next() else { break };
                at = Some(next);
                t.ty = self.types.element(t.ty).unwrap_or(t.ty);
            }
            t.block = at;
        }
        for step in steps {
            let Some(d) = b.body[step].as_deref().copied() else { continue };
            match (d.kind, &self.types[t.ty]) {
                (DerefKind::Struct { field, .. }, Type::Struct(s)) => {
                    let offset = self.layouts.member(self.types, s, field as usize);
                    t.constant = t.constant.wrapping_add(offset.into());
                }
                (DerefKind::Array { index, .. }, Type::Array { .. }) => {
                    let stride = self.layouts.stride(self.types, t.ty);
                    t.add(b, index, stride);
                }
                (DerefKind::Array { index, .. }, &Type::Matrix { scalar, stride, row_major, .. }) => {
                    let bytes = Ty::new(1, scalar.bits()).bytes();
                    if row_major && stride != 0 {
                        t.add(b, index, bytes);
                        t.stride = stride;
                    } else {
                        let stride = self.layouts.stride(self.types, t.ty);
                        t.add(b, index, stride);
                    }
                }
                (DerefKind::Array { index, .. }, &Type::Vector { scalar, .. }) => {
                    let bytes = Ty::new(1, scalar.bits()).bytes();
                    t.add(b, index, if t.stride != 0 { t.stride } else { bytes });
                    t.stride = 0;
                }
                _ => {
                    return Err(self.error(
                        "E0311",
                        format!("the access to buffer `{}` does not match its type", v.name),
                    ));
                }
            }
            t.ty = d.ty;
        }
        Ok(t)
    }

    fn load(&mut self, b: &mut Builder, mode: Modes, t: &Target, access: Access, ty: Ty) -> InstrId {
        let shape = memory_ty(ty);
        let value = if t.stride != 0 && ty.comps > 1 {
            let scalars: SmallVec<[InstrId; 4]> = (0..u32::from(ty.comps))
                .map(|c| load_at(b, mode, t, access, c * t.stride, shape.with_comps(1)))
                .collect();
            b.vec(&scalars)
        } else {
            load_at(b, mode, t, access, 0, shape)
        };
        from_memory(b, value, ty)
    }

    fn store(
        &mut self,
        b: &mut Builder,
        v: &Variable,
        t: &Target,
        access: Access,
        value: InstrId,
        mask: u32,
    ) -> Result<(), Diagnostic> {
        let op = match v.mode {
            Modes::SSBO => IntrinsicOp::store_ssbo,
            Modes::SHARED => IntrinsicOp::store_shared,
            Modes::GLOBAL => IntrinsicOp::store_global,
            _ => return Err(self.error("E0315", format!("`{}` cannot be written", v.name))),
        };
        let value = to_memory(b, value);
        let comps = b.ty(value).comps as usize;
        if t.stride == 0 || comps == 1 {
            store_at(b, op, t, access, value, 0, mask);
            return Ok(());
        }
        for c in (0..comps).filter(|c| mask & (1 << c) != 0) {
            let scalar = b.channel(value, c);
            store_at(b, op, t, access, scalar, c as u32 * t.stride, 1);
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        b: &mut Builder,
        v: &Variable,
        t: &Target,
        access: Access,
        i: Intrinsic,
        ty: Ty,
    ) -> Result<InstrId, Diagnostic> {
        let swap = i.op == IntrinsicOp::deref_atomic_swap;
        let op = match (v.mode, swap) {
            (Modes::SSBO, false) => IntrinsicOp::ssbo_atomic,
            (Modes::SSBO, true) => IntrinsicOp::ssbo_atomic_swap,
            (Modes::SHARED, false) => IntrinsicOp::shared_atomic,
            (Modes::SHARED, true) => IntrinsicOp::shared_atomic_swap,
            (Modes::GLOBAL, false) => IntrinsicOp::global_atomic,
            (Modes::GLOBAL, true) => IntrinsicOp::global_atomic_swap,
            _ => return Err(self.error("E0315", format!("`{}` cannot be written", v.name))),
        };
        let mut srcs = SmallVec::<[InstrId; 4]>::new();
        srcs.extend(t.block);
        srcs.push(t.offset(b, 0));
        srcs.extend_from_slice(&i.srcs()[1..]);
        let indices = [Index::Atomic, Index::MemoryScope, Index::Semantics];
        let mut new = with_indices_of(Intrinsic::new(op, &srcs), &i, &indices);
        if v.mode != Modes::SHARED {
            new.set(Index::Access, access);
        }
        Ok(b.insert_intrinsic(new, ty))
    }

    /// Length of the run-time array that is `t`, or its last member.
    fn length(
        &mut self,
        b: &mut Builder,
        v: &Variable,
        t: &Target,
        access: Access,
    ) -> Result<InstrId, Diagnostic> {
        let (mut at, mut ty) = (t.constant as u32, t.ty);
        if let Type::Struct(s) = &self.types[ty]
            && let Some(last) = s.members.len().checked_sub(1)
        {
            at = at.wrapping_add(self.layouts.member(self.types, s, last));
            ty = s.members[last].ty;
        }
        let stride = match self.types[ty] {
            Type::Array { .. } => self.layouts.stride(self.types, ty),
            _ => 0,
        };
        let (Some(block), true, None) = (t.block, stride != 0, t.dynamic) else {
            return Err(self.error("E0316", format!("buffer `{}`: expected a run-time array", v.name)));
        };
        let size = Intrinsic::new(IntrinsicOp::get_ssbo_size, &[block]).with(Index::Access, access);
        let size = b.insert_intrinsic(size, Ty::B32);
        let rest = if at == 0 {
            size
        } else {
            // A buffer that ends before the array has zero elements.
            let at = b.imm_u32(at);
            b.alu(AluOp::usub_sat, &[size, at])
        };
        let stride = b.imm_u32(stride);
        Ok(b.alu(AluOp::udiv, &[rest, stride]))
    }
}

fn load_at(b: &mut Builder, mode: Modes, t: &Target, access: Access, bytes: u32, ty: Ty) -> InstrId {
    let op = match mode {
        Modes::UBO => IntrinsicOp::load_ubo,
        Modes::SSBO => IntrinsicOp::load_ssbo,
        Modes::SHARED => IntrinsicOp::load_shared,
        Modes::PUSH_CONST => IntrinsicOp::load_push_constant,
        Modes::GLOBAL => IntrinsicOp::load_global,
        _ => IntrinsicOp::load_uniform,
    };
    let mut srcs = SmallVec::<[InstrId; 2]>::new();
    srcs.extend(t.block);
    srcs.push(t.offset(b, bytes));
    let mut load = Intrinsic::new(op, &srcs).with(Index::Align, t.align(bytes, ty.bits));
    if t.block.is_some() || t.address {
        load.set(Index::Access, access);
    }
    b.insert_intrinsic(load, ty)
}

fn store_at(
    b: &mut Builder,
    op: IntrinsicOp,
    t: &Target,
    access: Access,
    value: InstrId,
    bytes: u32,
    mask: u32,
) {
    let mut srcs = SmallVec::<[InstrId; 3]>::new();
    srcs.push(value);
    srcs.extend(t.block);
    srcs.push(t.offset(b, bytes));
    let align = t.align(bytes, b.ty(value).bits);
    let mut store = Intrinsic::new(op, &srcs).with(Index::WriteMask, mask).with(Index::Align, align);
    if t.block.is_some() || t.address {
        store.set(Index::Access, access);
    }
    b.insert_intrinsic(store, Ty::NONE);
}
