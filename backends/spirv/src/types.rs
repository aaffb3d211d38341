//! Types of variables as types of SPIR-V.

use crate::errors::*;
use crate::interface::Writer;
use crate::module::Class;
use crate::words::push;
use airfoil_ir::{Dim, ImageFormat, ImageType, Named, Precision, Scalar, StructType, Type, TypeId};
use smallvec::SmallVec;
use spirv::{Capability, Decoration, Op};

/// Whether offsets and strides are part of a type: memory that is visible to shaders only must not have them (SPIR-V
/// 2.16.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Layout {
    /// No offsets and strides.
    Plain,
    /// Offsets and strides; blocks are decorated with `Block`.
    Explicit,
    /// As `Explicit`, but a block is decorated with `BufferBlock`: storage buffers before SPIR-V 1.3.
    BufferBlock,
}

/// The class of a scalar type.
pub(crate) fn class_of(scalar: Scalar) -> Class {
    match scalar {
        Scalar::Bool => Class::Bool,
        Scalar::Any | Scalar::Float16 | Scalar::Float32 | Scalar::Float64 => Class::Float,
        Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64 => Class::Sint,
        Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64 => Class::Uint,
    }
}

impl Writer<'_, '_> {
    /// A scalar type in memory. Booleans have no defined bits, so with a layout they are integers.
    fn memory_scalar(&mut self, scalar: Scalar, layout: Layout) -> Res<u32> {
        match (scalar, layout) {
            (Scalar::Bool, Layout::Explicit | Layout::BufferBlock) => self.m.scalar(Class::Uint, 32),
            (Scalar::Any, _) => self.m.scalar(Class::Float, 32),
            _ => self.m.scalar(class_of(scalar), scalar.bits()),
        }
    }

    fn memory_vector(&mut self, scalar: Scalar, comps: u8, layout: Layout) -> Res<u32> {
        let scalar = self.memory_scalar(scalar, layout)?;
        Ok(if comps == 1 { scalar } else { self.m.declare(Op::TypeVector, &[scalar, u32::from(comps)], 0).0 })
    }

    /// The type of memory.
    pub fn type_id(&mut self, ty: TypeId, layout: Layout) -> Res<u32> {
        if let Some(&id) = self.types.get(&(ty, layout)) {
            return Ok(id);
        }
        let shader = self.shader;
        let id = match &shader.types[ty] {
            Type::Vector { scalar, comps } => self.memory_vector(*scalar, *comps, layout)?,
            Type::Matrix { scalar, cols, rows, .. } => {
                let column = self.memory_vector(*scalar, *rows, layout)?;
                self.m.declare(Op::TypeMatrix, &[column, u32::from(*cols)], 0).0
            }
            &Type::Array { elem, len, stride } => self.array_type(elem, len, stride, layout)?,
            Type::Struct(s) => self.struct_type(s, layout)?,
            Type::Image(image) => self.image_type(image)?,
            Type::Sampler => self.m.declare(Op::TypeSampler, &[], 0).0,
        };
        self.types.insert((ty, layout), id);
        Ok(id)
    }

    fn array_type(&mut self, elem: TypeId, len: u32, stride: u32, layout: Layout) -> Res<u32> {
        let elem_id = self.type_id(elem, layout)?;
        // Arrays of resources have no stride.
        let inner = &self.shader.types[self.shader.types.without_arrays(elem)];
        let resource = match inner {
            Type::Struct(s) => s.block,
            Type::Image(_) | Type::Sampler => true,
            Type::Vector { .. } | Type::Matrix { .. } | Type::Array { .. } => false,
        };
        let stride = match layout {
            Layout::Plain => 0,
            _ if stride == 0 && !resource => self.shader.types.size(elem),
            _ => stride,
        };
        let (id, new) = if len == 0 {
            if resource {
                self.m.require(Capability::RuntimeDescriptorArray)?;
            }
            self.m.declare(Op::TypeRuntimeArray, &[elem_id], stride)
        } else {
            let len = self.m.uint(len)?;
            self.m.declare(Op::TypeArray, &[elem_id, len], stride)
        };
        if new && stride != 0 {
            self.m.decorate(id, Decoration::ArrayStride, &[stride]);
        }
        Ok(id)
    }

    fn struct_type(&mut self, s: &StructType, layout: Layout) -> Res<u32> {
        let inner = if layout == Layout::Plain { Layout::Plain } else { Layout::Explicit };
        let mut words: SmallVec<[u32; 16]> = SmallVec::from_slice(&[0]);
        for m in &s.members {
            words.push(self.type_id(m.ty, inner)?);
        }
        if words.len() >= 0xffff {
            return fail(LIMIT, format!("the structure `{}` has too many members", s.name));
        }
        let id = self.m.id();
        words[0] = id;
        push(&mut self.m.globals, Op::TypeStruct, &words);
        self.m.name(id, &s.name);
        let mut end = 0u32;
        for (i, m) in s.members.iter().enumerate() {
            let i = i as u32;
            self.m.member_name(id, i, &m.name);
            if matches!(m.precision, Precision::Low | Precision::Medium) {
                self.m.decorate_member(id, i, Decoration::RelaxedPrecision, &[]);
            }
            if layout == Layout::Plain {
                continue;
            }
            let offset = m.offset.unwrap_or(end);
            end = offset.saturating_add(self.shader.types.size(m.ty));
            self.m.decorate_member(id, i, Decoration::Offset, &[offset]);
            if let Type::Matrix { scalar, cols, rows, stride, row_major } =
                self.shader.types[self.shader.types.without_arrays(m.ty)]
            {
                let (order, minor) =
                    if row_major { (Decoration::RowMajor, cols) } else { (Decoration::ColMajor, rows) };
                let stride =
                    if stride == 0 { u32::from(minor) * u32::from(scalar.bits()) / 8 } else { stride };
                self.m.decorate_member(id, i, order, &[]);
                self.m.decorate_member(id, i, Decoration::MatrixStride, &[stride]);
            }
        }
        match layout {
            Layout::BufferBlock if s.block => self.m.decorate(id, Decoration::BufferBlock, &[]),
            Layout::Explicit if s.block => self.m.decorate(id, Decoration::Block, &[]),
            _ => {}
        }
        Ok(id)
    }

    /// The type of an image with its sampler, if it has one.
    fn image_type(&mut self, image: &ImageType) -> Res<u32> {
        let id = self.bare_image_type(image)?;
        // Texel buffers have no sampler (SPIR-V 1.6, OpTypeSampledImage).
        let combined = image.combined && image.dim != Dim::Buffer;
        Ok(if combined { self.m.declare(Op::TypeSampledImage, &[id], 0).0 } else { id })
    }

    /// The type of an image without sampler.
    pub fn bare_image_type(&mut self, image: &ImageType) -> Res<u32> {
        use Capability as C;
        let storage = image.storage;
        let (dim, multisampled, capability) = match image.dim {
            Dim::D1 => (0, 0, Some(if storage { C::Image1D } else { C::Sampled1D })),
            Dim::D2 => (1, 0, None),
            Dim::D3 => (2, 0, None),
            Dim::Cube => {
                let arrays = if storage { C::ImageCubeArray } else { C::SampledCubeArray };
                (3, 0, image.arrayed.then_some(arrays))
            }
            Dim::Rect => (4, 0, Some(if storage { C::ImageRect } else { C::SampledRect })),
            Dim::Buffer => (5, 0, Some(if storage { C::ImageBuffer } else { C::SampledBuffer })),
            Dim::Ms => {
                if storage && image.arrayed {
                    self.m.require(C::ImageMSArray)?;
                }
                (1, 1, storage.then_some(C::StorageImageMultisample))
            }
            Dim::Subpass => (6, 0, Some(C::InputAttachment)),
            Dim::SubpassMs => (6, 1, Some(C::InputAttachment)),
        };
        if let Some(capability) = capability {
            self.m.require(capability)?;
        }
        if image.dim == Dim::Rect && self.m.target().is_vulkan() {
            return fail(TARGET, format!("rectangle textures are not supported on {}", self.m.target()));
        }
        let format = if storage { image.format } else { ImageFormat::Unknown };
        let basic = format <= ImageFormat::Rgba8Snorm
            || matches!(
                format,
                ImageFormat::Rgba32i | ImageFormat::Rgba16i | ImageFormat::Rgba8i | ImageFormat::R32i
            )
            || matches!(
                format,
                ImageFormat::Rgba32ui | ImageFormat::Rgba16ui | ImageFormat::Rgba8ui | ImageFormat::R32ui
            );
        if image.sampled.bits() == 64 {
            self.m.require(C::Int64)?;
            self.m.require(C::Int64ImageEXT)?;
        } else if !basic {
            self.m.require(C::StorageImageExtendedFormats)?;
        }
        if matches!(image.sampled.bits(), 8 | 16) {
            return fail(INTERFACE, format!("images of `{}` are not supported in SPIR-V", image.sampled));
        }
        let sampled_type = self.memory_scalar(image.sampled, Layout::Plain)?;
        let attachment = matches!(image.dim, Dim::Subpass | Dim::SubpassMs);
        let sampled = if storage || attachment { 2 } else { 1 };
        let words = [
            sampled_type,
            dim,
            u32::from(image.shadow),
            u32::from(image.arrayed),
            multisampled,
            sampled,
            // The values of the formats are SPIR-V's.
            format.number(),
        ];
        Ok(self.m.declare(Op::TypeImage, &words, 0).0)
    }
}
