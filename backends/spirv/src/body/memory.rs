//! Derefs, loads, stores and copies.

use super::{Code, Want};
use crate::errors::*;
use crate::module::Class;
use crate::types::{Layout, class_of};
use airfoil_ir::{Access, Deref, DerefKind, InstrId, Intrinsic, Modes, Scalar, Scope, Src, Ty, Type, TypeId};
use smallvec::SmallVec;
use spirv::{Capability, MemoryAccess, Op, StorageClass};

const VISIBLE: MemoryAccess = MemoryAccess::MAKE_POINTER_VISIBLE;
const AVAILABLE: MemoryAccess = MemoryAccess::MAKE_POINTER_AVAILABLE;

/// A pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub id: u32,
    pub class: StorageClass,
    pub layout: Layout,
    /// The pointee.
    pub ty: TypeId,
}

/// The way from a variable or address to a deref.
struct Chain {
    base: u32,
    class: StorageClass,
    layout: Layout,
    indices: SmallVec<[u32; 8]>,
}

impl Code<'_, '_, '_> {
    fn deref_of(&self, deref: InstrId) -> Res<&Deref> {
        match self.body[deref].as_deref() {
            Some(d) => Ok(d),
            None => fail(MEMORY, "a pointer that is chosen at run time is not supported in SPIR-V"),
        }
    }

    /// Writes the access chain of a deref that an instruction uses.
    pub(super) fn deref(&mut self, id: InstrId) -> Res<()> {
        let d = self.deref_of(id)?;
        if d.modes == Modes::SPEC_CONST {
            return Ok(());
        }
        let pointer = self.pointer(id)?;
        self.define(id, pointer.id);
        Ok(())
    }

    /// A pointer to where a deref leads.
    pub(super) fn pointer(&mut self, deref: InstrId) -> Res<Pointer> {
        let ty = self.deref_of(deref)?.ty;
        let chain = self.chain(deref)?;
        let Chain { base, class, layout, indices } = chain;
        let mut pointer = Pointer { id: base, class, layout, ty };
        if !indices.is_empty() {
            let type_id = self.w.type_id(ty, layout)?;
            let type_id = self.pointer_type(class, type_id);
            let mut words: SmallVec<[u32; 8]> = SmallVec::from_slice(&[base]);
            words.extend_from_slice(&indices);
            pointer.id = self.shared(Op::AccessChain, type_id, &words);
        }
        Ok(pointer)
    }

    fn chain(&mut self, deref: InstrId) -> Res<Chain> {
        let mut steps: SmallVec<[InstrId; 8]> = SmallVec::new();
        let mut at = deref;
        let mut chain = loop {
            match self.deref_of(at)?.kind {
                DerefKind::Var(key) => {
                    let var = self.w.var(key)?;
                    let mut indices = SmallVec::new();
                    if var.single {
                        indices.push(self.w.m.uint(0)?);
                    }
                    break Chain { base: var.id, class: var.class, layout: var.layout, indices };
                }
                DerefKind::Cast { parent, .. } => {
                    break self.address(at, parent)?;
                }
                DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => {
                    steps.push(at);
                    at = parent;
                }
                DerefKind::ArrayWildcard { .. } => {
                    return fail(MEMORY, "a copy of all elements of an array remains");
                }
                DerefKind::PtrAsArray { .. } => {
                    return fail(MEMORY, "a step of elements from a pointer is not supported in SPIR-V");
                }
            }
        };
        for &step in steps.iter().rev() {
            let index = match self.deref_of(step)?.kind {
                DerefKind::Array { parent, index } => {
                    let id = self.value(index, Want::Integer)?;
                    if self.literal(index).is_none() {
                        let parent = *self.deref_of(parent)?;
                        self.dynamic_index(&parent)?;
                    }
                    id
                }
                DerefKind::Struct { field, .. } => self.w.m.uint(field)?,
                _ => return fail(MEMORY, "a pointer of this kind is not supported in SPIR-V"),
            };
            chain.indices.push(index);
        }
        Ok(chain)
    }

    /// The memory at an address.
    fn address(&mut self, cast: InstrId, parent: InstrId) -> Res<Chain> {
        let d = *self.deref_of(cast)?;
        if d.modes != Modes::GLOBAL || self.ty(parent).bits != 64 || self.body[parent].as_deref().is_some() {
            return fail(MEMORY, "another view of memory is not supported in SPIR-V");
        }
        let (class, layout) = self.w.storage(Modes::GLOBAL, d.ty)?;
        self.w.m.use_physical_addresses()?;
        self.w.narrow_memory(d.ty, class)?;
        let address = self.value(parent, Want::Exactly(Class::Uint))?;
        let type_id = self.w.type_id(d.ty, layout)?;
        let type_id = self.pointer_type(class, type_id);
        let base = self.shared(Op::ConvertUToPtr, type_id, &[address]);
        Ok(Chain { base, class, layout, indices: SmallVec::new() })
    }

    /// The capability for an index that is not constant into an array of resources.
    fn dynamic_index(&mut self, array: &Deref) -> Res<()> {
        use Capability as C;
        let types = &self.shader.types;
        let Type::Array { elem, .. } = types[array.ty] else { return Ok(()) };
        let capability = match (&types[types.without_arrays(elem)], array.modes) {
            (Type::Struct(s), Modes::UBO) if s.block => C::UniformBufferArrayDynamicIndexing,
            (Type::Struct(s), Modes::SSBO) if s.block => C::StorageBufferArrayDynamicIndexing,
            (Type::Image(i), _) => match i.dim {
                airfoil_ir::Dim::Buffer if i.storage => C::StorageTexelBufferArrayDynamicIndexing,
                airfoil_ir::Dim::Buffer => C::UniformTexelBufferArrayDynamicIndexing,
                airfoil_ir::Dim::Subpass | airfoil_ir::Dim::SubpassMs => {
                    C::InputAttachmentArrayDynamicIndexing
                }
                _ if i.storage => C::StorageImageArrayDynamicIndexing,
                _ => C::SampledImageArrayDynamicIndexing,
            },
            (Type::Sampler, _) => C::SampledImageArrayDynamicIndexing,
            _ => return Ok(()),
        };
        self.w.m.require(capability)
    }

    /// Records that the resource of a deref may differ between the invocations of a subgroup.
    pub(super) fn non_uniform_deref(&mut self, deref: InstrId, pointer: u32) -> Res<()> {
        use Capability as C;
        let mut at = deref;
        let mut found = None;
        loop {
            let d = self.deref_of(at)?;
            let types = &self.shader.types;
            if let Type::Array { elem, .. } = types[d.ty] {
                found = match (&types[types.without_arrays(elem)], d.modes) {
                    (Type::Struct(s), Modes::UBO) if s.block => Some(C::UniformBufferArrayNonUniformIndexing),
                    (Type::Struct(s), Modes::SSBO) if s.block => {
                        Some(C::StorageBufferArrayNonUniformIndexing)
                    }
                    (Type::Image(i), _) => Some(match i.dim {
                        airfoil_ir::Dim::Buffer if i.storage => C::StorageTexelBufferArrayNonUniformIndexing,
                        airfoil_ir::Dim::Buffer => C::UniformTexelBufferArrayNonUniformIndexing,
                        airfoil_ir::Dim::Subpass | airfoil_ir::Dim::SubpassMs => {
                            C::InputAttachmentArrayNonUniformIndexing
                        }
                        _ if i.storage => C::StorageImageArrayNonUniformIndexing,
                        _ => C::SampledImageArrayNonUniformIndexing,
                    }),
                    (Type::Sampler, _) => Some(C::SampledImageArrayNonUniformIndexing),
                    _ => found,
                };
            }
            match d.parent() {
                Some(parent) if self.body[parent].as_deref().is_some() => at = parent,
                _ => break,
            }
        }
        if let Some(capability) = found {
            self.w.m.require(capability)?;
            self.mark_non_uniform(pointer)?;
        }
        Ok(())
    }

    // ---- loads and stores ----

    /// The qualifiers of an access in the Vulkan memory model: those that memory of the model of GLSL has implicitly are
    /// stated.
    pub(super) fn stated_access(&self, deref: InstrId, access: Access) -> Access {
        if !self.w.m.vulkan_memory_model || self.shader.info.vulkan_memory_model {
            return access;
        }
        let mut at = deref;
        let declared = loop {
            let Some(d) = self.body[at].as_deref() else { break Access::empty() };
            match d.kind {
                DerefKind::Var(key) => break self.shader.vars[key].access,
                DerefKind::Cast { .. } => break Access::empty(),
                DerefKind::Array { parent, .. }
                | DerefKind::ArrayWildcard { parent }
                | DerefKind::Struct { parent, .. }
                | DerefKind::PtrAsArray { parent, .. } => at = parent,
            }
        };
        access | declared & (Access::COHERENT | Access::VOLATILE) | Access::NON_PRIVATE
    }

    /// The scope of the available and visible operations of an access, if it has them.
    pub(super) fn coherent_scope(&mut self, access: Access) -> Res<Option<u32>> {
        if !self.w.m.vulkan_memory_model || !access.contains(Access::COHERENT) {
            return Ok(None);
        }
        let scope = if access.contains(Access::SUBGROUP) {
            Scope::Subgroup
        } else if access.contains(Access::WORKGROUP) {
            Scope::Workgroup
        } else if access.contains(Access::QUEUE_FAMILY) {
            Scope::QueueFamily
        } else {
            Scope::Device
        };
        self.scope(scope).map(Some)
    }

    /// The optional operands of an access; `coherence` is the available operation of a store or the visible one of a load.
    fn memory_operands(
        &mut self,
        p: &Pointer,
        access: Access,
        coherence: MemoryAccess,
    ) -> Res<SmallVec<[u32; 3]>> {
        let mut bits = MemoryAccess::NONE;
        let mut operands = SmallVec::new();
        let seen_by_others = matches!(
            p.class,
            StorageClass::Uniform
                | StorageClass::StorageBuffer
                | StorageClass::PhysicalStorageBuffer
                | StorageClass::Workgroup
        );
        let mut scope = None;
        if self.w.m.vulkan_memory_model && seen_by_others {
            scope = self.coherent_scope(access)?;
            bits.set(
                MemoryAccess::NON_PRIVATE_POINTER,
                scope.is_some() || access.contains(Access::NON_PRIVATE),
            );
            bits.set(coherence, scope.is_some());
        }
        if access.contains(Access::VOLATILE) {
            bits |= MemoryAccess::VOLATILE;
        }
        if p.class == StorageClass::PhysicalStorageBuffer {
            bits |= MemoryAccess::ALIGNED;
        }
        if bits.is_empty() {
            return Ok(operands);
        }
        operands.push(bits.bits());
        if bits.contains(MemoryAccess::ALIGNED) {
            operands.push(self.least_alignment(p.ty));
        }
        operands.extend(scope);
        Ok(operands)
    }

    /// The alignment of the largest scalar of a type: every layout has it.
    fn least_alignment(&self, ty: TypeId) -> u32 {
        match &self.shader.types[ty] {
            Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => u32::from(scalar.bits()).max(8) / 8,
            Type::Array { elem, .. } => self.least_alignment(*elem),
            Type::Struct(s) => s.members.iter().map(|m| self.least_alignment(m.ty)).max().unwrap_or(1),
            Type::Image(_) | Type::Sampler => 8,
        }
    }

    /// The scalar and the components of the memory that a pointer of a load or store leads to.
    fn vector_at(&self, p: &Pointer) -> Res<(Scalar, u8)> {
        match self.shader.types[p.ty] {
            Type::Vector { scalar, comps } => Ok((scalar, comps)),
            _ => fail(MEMORY, "a load or store of something else than a scalar or vector"),
        }
    }

    pub(super) fn load(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        let deref = i.src(0);
        if let Deref { kind: DerefKind::Var(key), modes: Modes::SPEC_CONST, .. } = *self.deref_of(deref)? {
            let value = self.w.spec_constant(key)?;
            self.define(id, value);
            return Ok(());
        }
        let p = self.pointer(deref)?;
        if i.access().contains(Access::NON_UNIFORM) {
            self.non_uniform_deref(deref, p.id)?;
        }
        let (scalar, comps) = self.vector_at(&p)?;
        let type_id = self.w.type_id(p.ty, p.layout)?;
        let mut words: SmallVec<[u32; 3]> = SmallVec::from_slice(&[p.id]);
        let access = self.stated_access(deref, i.access());
        words.extend(self.memory_operands(&p, access, VISIBLE)?);
        let mut value = self.op(Op::Load, type_id, &words);
        if scalar == Scalar::Bool && p.layout != Layout::Plain {
            let zero = self.splat(Class::Uint, Ty::new(comps, 32), 0)?;
            let bools = self.value_type(Class::Bool, Ty::new(comps, 1))?;
            value = self.op(Op::INotEqual, bools, &[value, zero]);
        }
        self.define(id, value);
        Ok(())
    }

    /// A value as the memory holds it.
    fn in_memory(&mut self, value: u32, scalar: Scalar, comps: u8, layout: Layout) -> Res<u32> {
        if scalar != Scalar::Bool || layout == Layout::Plain {
            return Ok(value);
        }
        let ty = Ty::new(comps, 32);
        let (one, zero) = (self.splat(Class::Uint, ty, 1)?, self.splat(Class::Uint, ty, 0)?);
        let type_id = self.value_type(Class::Uint, ty)?;
        Ok(self.op(Op::Select, type_id, &[value, one, zero]))
    }

    pub(super) fn store(&mut self, i: &Intrinsic) -> Res<()> {
        let p = self.pointer(i.src(0))?;
        if i.access().contains(Access::NON_UNIFORM) {
            self.non_uniform_deref(i.src(0), p.id)?;
        }
        let (scalar, comps) = self.vector_at(&p)?;
        let want = Want::Exactly(class_of(scalar));
        let access = self.stated_access(i.src(0), i.access());
        let operands = self.memory_operands(&p, access, AVAILABLE)?;
        let mask = i.write_mask();
        if mask & 15 == u32::from(Ty::new(comps, 32).full_mask()) {
            let value = self.value(i.src(1), want)?;
            let value = self.in_memory(value, scalar, comps, p.layout)?;
            let mut words: SmallVec<[u32; 4]> = SmallVec::from_slice(&[p.id, value]);
            words.extend(operands);
            self.effect(Op::Store, &words);
            return Ok(());
        }
        let whole = self.chain(i.src(0))?;
        let element = self.scalar_type(scalar, p.layout)?;
        let element = self.pointer_type(p.class, element);
        for c in (0..usize::from(comps)).filter(|c| mask & (1 << c) != 0) {
            let value = self.src(Src::comp(i.src(1), c), 1, want)?;
            let value = self.in_memory(value, scalar, 1, p.layout)?;
            let mut chain: SmallVec<[u32; 8]> = SmallVec::from_slice(&[whole.base]);
            chain.extend_from_slice(&whole.indices);
            chain.push(self.w.m.uint(c as u32)?);
            let at = self.shared(Op::AccessChain, element, &chain);
            let mut words: SmallVec<[u32; 4]> = SmallVec::from_slice(&[at, value]);
            words.extend(operands.iter().copied());
            self.effect(Op::Store, &words);
        }
        Ok(())
    }

    fn scalar_type(&mut self, scalar: Scalar, layout: Layout) -> Res<u32> {
        if scalar == Scalar::Bool && layout != Layout::Plain {
            return self.w.m.scalar(Class::Uint, 32);
        }
        self.w.m.scalar(class_of(scalar), scalar.bits())
    }

    pub(super) fn copy(&mut self, i: &Intrinsic) -> Res<()> {
        let (to, from) = (self.pointer(i.src(0))?, self.pointer(i.src(1))?);
        let from_type = self.w.type_id(from.ty, from.layout)?;
        let mut words: SmallVec<[u32; 3]> = SmallVec::from_slice(&[from.id]);
        let access = self.stated_access(i.src(1), i.src_access());
        words.extend(self.memory_operands(&from, access, VISIBLE)?);
        let value = self.op(Op::Load, from_type, &words);
        let value = self.relayout(value, from.ty, from.layout, to.ty, to.layout)?;
        let mut words: SmallVec<[u32; 4]> = SmallVec::from_slice(&[to.id, value]);
        let access = self.stated_access(i.src(0), i.access());
        words.extend(self.memory_operands(&to, access, AVAILABLE)?);
        self.effect(Op::Store, &words);
        Ok(())
    }

    /// A composite as a value of a type with other offsets and strides.
    fn relayout(
        &mut self,
        value: u32,
        from: TypeId,
        from_layout: Layout,
        to: TypeId,
        to_layout: Layout,
    ) -> Res<u32> {
        let (have, want) = (self.w.type_id(from, from_layout)?, self.w.type_id(to, to_layout)?);
        if have == want {
            return Ok(value);
        }
        let shader = self.shader;
        let parts: SmallVec<[(TypeId, TypeId); 8]> = match (&shader.types[from], &shader.types[to]) {
            (&Type::Vector { scalar, comps }, &Type::Vector { scalar: other, .. }) => {
                return match (scalar, other) {
                    (Scalar::Bool, Scalar::Bool) if to_layout == Layout::Plain => {
                        let zero = self.splat(Class::Uint, Ty::new(comps, 32), 0)?;
                        let bools = self.value_type(Class::Bool, Ty::new(comps, 1))?;
                        Ok(self.op(Op::INotEqual, bools, &[value, zero]))
                    }
                    (Scalar::Bool, Scalar::Bool) => self.in_memory(value, scalar, comps, to_layout),
                    _ => Ok(self.op(Op::Bitcast, want, &[value])),
                };
            }
            (&Type::Array { elem, len, .. }, &Type::Array { elem: other, len: same, .. })
                if len == same && len != 0 =>
            {
                (0..len).map(|_| (elem, other)).collect()
            }
            (Type::Struct(a), Type::Struct(b)) if a.members.len() == b.members.len() => {
                a.members.iter().zip(&b.members).map(|(a, b)| (a.ty, b.ty)).collect()
            }
            _ => return fail(MEMORY, "a copy between memory of these types is not supported in SPIR-V"),
        };
        // Nested layouts are those of the members.
        let inner = |layout| if layout == Layout::BufferBlock { Layout::Explicit } else { layout };
        let mut ids: SmallVec<[u32; 8]> = SmallVec::new();
        for (i, (a, b)) in parts.into_iter().enumerate() {
            let part = self.w.type_id(a, inner(from_layout))?;
            let v = self.op(Op::CompositeExtract, part, &[value, i as u32]);
            ids.push(self.relayout(v, a, inner(from_layout), b, inner(to_layout))?);
        }
        Ok(self.op(Op::CompositeConstruct, want, &ids))
    }

    /// The length of the run-time array at the end of a block.
    pub(super) fn array_length(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        let DerefKind::Struct { parent, field } = self.deref_of(i.src(0))?.kind else {
            return fail(MEMORY, "the length of an array that is not a member of a block");
        };
        let block = self.pointer(parent)?;
        if i.access().contains(Access::NON_UNIFORM) {
            self.non_uniform_deref(parent, block.id)?;
        }
        let type_id = self.w.m.scalar(Class::Uint, 32)?;
        let value = self.op(Op::ArrayLength, type_id, &[block.id, field]);
        self.define(id, value);
        Ok(())
    }
}
