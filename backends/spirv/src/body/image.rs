//! Storage images.

use super::atomic::AtomicMemory;
use super::{Code, Want};
use crate::errors::*;
use crate::types::{Layout, class_of};
use airfoil_ir::{
    Access, Dim, ImageFormat, ImageType, InstrId, Intrinsic, IntrinsicOp, Modes, Src, Ty, Type,
};
use smallvec::SmallVec;
use spirv::{Capability, ImageOperands, Op, StorageClass};

impl Code<'_, '_, '_> {
    /// The image that a deref points to.
    pub(super) fn image_at(&self, deref: InstrId) -> Res<ImageType> {
        match self.body[deref].as_deref().map(|d| &self.shader.types[d.ty]) {
            Some(Type::Image(image)) => Ok(*image),
            _ => fail(MEMORY, "an image operation on something else than an image"),
        }
    }

    /// The value of an image or sampler variable.
    pub(super) fn opaque(&mut self, deref: InstrId, non_uniform: bool) -> Res<u32> {
        let p = self.pointer(deref)?;
        let t = self.w.type_id(p.ty, Layout::Plain)?;
        if !non_uniform {
            return Ok(self.shared(Op::Load, t, &[p.id]));
        }
        self.non_uniform_deref(deref, p.id)?;
        let id = self.op(Op::Load, t, &[p.id]);
        self.mark_non_uniform(id)?;
        Ok(id)
    }

    /// The coordinate of a texel: cubes count faces in the last component.
    fn texel_coord(&mut self, image: &ImageType, coord: InstrId) -> Res<u32> {
        let comps =
            if image.dim == Dim::Cube { 3 } else { image.dim.coord_comps() + u8::from(image.arrayed) };
        self.first_components(coord, comps.min(self.ty(coord).comps), Want::Integer)
    }

    /// The optional operands of an access to a texel; `coherence` as for accesses to other memory.
    fn texel_operands(
        &mut self,
        i: &Intrinsic,
        image: &ImageType,
        coherence: ImageOperands,
        words: &mut SmallVec<[u32; 8]>,
    ) -> Res<()> {
        let mut bits = ImageOperands::NONE;
        let mut operands: SmallVec<[u32; 2]> = SmallVec::new();
        if image.dim.is_multisampled() {
            bits |= ImageOperands::SAMPLE;
            operands.push(self.value(i.src(2), Want::Integer)?);
        }
        if self.w.m.vulkan_memory_model {
            let access = self.stated_access(i.src(0), i.access());
            let scope = self.coherent_scope(access)?;
            bits.set(coherence, scope.is_some());
            bits.set(
                ImageOperands::NON_PRIVATE_TEXEL,
                scope.is_some() || access.contains(Access::NON_PRIVATE),
            );
            bits.set(ImageOperands::VOLATILE_TEXEL, access.contains(Access::VOLATILE));
            operands.extend(scope);
        }
        if !bits.is_empty() {
            words.push(bits.bits());
            words.extend(operands);
        }
        Ok(())
    }

    pub(super) fn image_load(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        let image = self.image_at(i.src(0))?;
        if image.format == ImageFormat::Unknown {
            self.w.m.require(Capability::StorageImageReadWithoutFormat)?;
        }
        let value = self.opaque(i.src(0), i.access().contains(Access::NON_UNIFORM))?;
        let coord = self.texel_coord(&image, i.src(1))?;
        let mut words: SmallVec<[u32; 8]> = SmallVec::from_slice(&[value, coord]);
        self.texel_operands(i, &image, ImageOperands::MAKE_TEXEL_VISIBLE, &mut words)?;
        let texel = Ty::new(4, image.sampled.bits());
        let t = self.w.m.value_type(class_of(image.sampled), texel)?;
        let read = self.op(Op::ImageRead, t, &words);
        let comps = self.ty(id).comps;
        let v = self.swizzled(read, class_of(image.sampled), texel, airfoil_ir::Swizzle::IDENTITY, comps)?;
        self.define(id, v);
        Ok(())
    }

    /// The code that a sparse read returns before the texel.
    pub(super) fn image_residency(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        let image = self.image_at(i.src(0))?;
        if image.format == ImageFormat::Unknown {
            self.w.m.require(Capability::StorageImageReadWithoutFormat)?;
        }
        let value = self.opaque(i.src(0), i.access().contains(Access::NON_UNIFORM))?;
        let coord = self.texel_coord(&image, i.src(1))?;
        let mut words: SmallVec<[u32; 8]> = SmallVec::from_slice(&[value, coord]);
        self.texel_operands(i, &image, ImageOperands::MAKE_TEXEL_VISIBLE, &mut words)?;
        let t = self.w.m.value_type(class_of(image.sampled), Ty::new(4, image.sampled.bits()))?;
        let code = self.sparse(Op::ImageSparseRead, t, &words, 0)?;
        self.define(id, code);
        Ok(())
    }

    pub(super) fn image_store(&mut self, i: &Intrinsic) -> Res<()> {
        let image = self.image_at(i.src(0))?;
        if image.format == ImageFormat::Unknown {
            self.w.m.require(Capability::StorageImageWriteWithoutFormat)?;
        }
        let value = self.opaque(i.src(0), i.access().contains(Access::NON_UNIFORM))?;
        let coord = self.texel_coord(&image, i.src(1))?;
        let texel = self.value(i.src(3), Want::Exactly(class_of(image.sampled)))?;
        let mut words: SmallVec<[u32; 8]> = SmallVec::from_slice(&[value, coord, texel]);
        self.texel_operands(i, &image, ImageOperands::MAKE_TEXEL_AVAILABLE, &mut words)?;
        self.effect(Op::ImageWrite, &words);
        Ok(())
    }

    pub(super) fn image_atomic(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        let image = self.image_at(i.src(0))?;
        let p = self.pointer(i.src(0))?;
        self.note_access(i.src(0), p.id, i.access())?;
        let class = class_of(image.sampled);
        let t = self.w.m.scalar(class, image.sampled.bits())?;
        let to = self.pointer_type(StorageClass::Image, t);
        let coord = self.texel_coord(&image, i.src(1))?;
        let sample = if image.dim.is_multisampled() {
            self.value(i.src(2), Want::Integer)?
        } else {
            self.w.m.uint(0)?
        };
        let pointer = self.op(Op::ImageTexelPointer, to, &[p.id, coord, sample]);
        if self.non_uniform.contains(&p.id) {
            self.mark_non_uniform(pointer)?;
        }
        let want = Want::Exactly(class);
        let (compare, data) = if i.op == IntrinsicOp::image_atomic_swap {
            let compare = self.src(Src::comp(i.src(3), 0), 1, want)?;
            (Some(compare), self.src(Src::comp(i.src(3), 1), 1, want)?)
        } else {
            (None, self.value(i.src(3), want)?)
        };
        let memory = AtomicMemory { pointer, scalar: image.sampled, modes: Modes::IMAGE };
        self.atomic(id, i, &memory, compare, data)
    }

    pub(super) fn image_query(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        self.w.m.require(Capability::ImageQuery)?;
        let value = self.opaque(i.src(0), i.access().contains(Access::NON_UNIFORM))?;
        let t = self.result_type(id)?;
        let op = if i.op == IntrinsicOp::image_size { Op::ImageQuerySize } else { Op::ImageQuerySamples };
        let v = self.op(op, t, &[value]);
        self.define(id, v);
        Ok(())
    }
}
