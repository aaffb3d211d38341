//! Buffers and images of a script, and how a pipeline binds them.

use super::super::format::{Format as Texel, Kind};
use super::super::script::{Bind, Buffer, Element, Extent, Pipeline, Script, Use};
use super::super::types::Leaf;
use super::{ClearValues, Stop, fail, skip};
use airfoil_interp::texture::{Color, Format, Image, View};
use airfoil_interp::{Binding, Resources, Space};
use airfoil_ir::Dim;
use std::collections::BTreeMap;

/// Vulkan's names of formats that images have.
const FORMATS: &[(&str, Format)] = &[
    ("R8_UNORM", Format::R8),
    ("R8_SNORM", Format::R8Snorm),
    ("R8_UINT", Format::R8ui),
    ("R8_SINT", Format::R8i),
    ("R8G8_UNORM", Format::Rg8),
    ("R8G8_SNORM", Format::Rg8Snorm),
    ("R8G8B8A8_UNORM", Format::Rgba8),
    ("R8G8B8A8_SNORM", Format::Rgba8Snorm),
    ("R8G8B8A8_UINT", Format::Rgba8ui),
    ("R8G8B8A8_SINT", Format::Rgba8i),
    ("R8G8B8A8_SRGB", Format::Srgb8A8),
    ("B8G8R8A8_UNORM", Format::Bgra8),
    ("B8G8R8A8_SRGB", Format::Bgra8Srgb),
    ("A8B8G8R8_UNORM_PACK32", Format::Rgba8),
    ("A8B8G8R8_SNORM_PACK32", Format::Rgba8Snorm),
    ("A8B8G8R8_UINT_PACK32", Format::Rgba8ui),
    ("A8B8G8R8_SINT_PACK32", Format::Rgba8i),
    ("A2B10G10R10_UNORM_PACK32", Format::Rgb10A2),
    ("A2B10G10R10_UINT_PACK32", Format::Rgb10A2ui),
    ("R16_UNORM", Format::R16),
    ("R16_SNORM", Format::R16Snorm),
    ("R16_UINT", Format::R16ui),
    ("R16_SINT", Format::R16i),
    ("R16_SFLOAT", Format::R16f),
    ("R16G16_UNORM", Format::Rg16),
    ("R16G16_SNORM", Format::Rg16Snorm),
    ("R16G16_SFLOAT", Format::Rg16f),
    ("R16G16B16A16_UNORM", Format::Rgba16),
    ("R16G16B16A16_SNORM", Format::Rgba16Snorm),
    ("R16G16B16A16_UINT", Format::Rgba16ui),
    ("R16G16B16A16_SINT", Format::Rgba16i),
    ("R16G16B16A16_SFLOAT", Format::Rgba16f),
    ("R32_UINT", Format::R32ui),
    ("R32_SINT", Format::R32i),
    ("R32_SFLOAT", Format::R32f),
    ("R32G32_UINT", Format::Rg32ui),
    ("R32G32_SINT", Format::Rg32i),
    ("R32G32_SFLOAT", Format::Rg32f),
    ("R32G32B32_SFLOAT", Format::Rgb32f),
    ("R32G32B32A32_UINT", Format::Rgba32ui),
    ("R32G32B32A32_SINT", Format::Rgba32i),
    ("R32G32B32A32_SFLOAT", Format::Rgba32f),
    ("R64_UINT", Format::R64ui),
    ("R64_SINT", Format::R64i),
    ("B10G11R11_UFLOAT_PACK32", Format::R11fG11fB10f),
    ("R5G6B5_UNORM_PACK16", Format::Rgb565),
    ("A1R5G5B5_UNORM_PACK16", Format::Bgr5A1),
    ("D16_UNORM", Format::D16),
    ("X8_D24_UNORM_PACK32", Format::D24),
    ("D24_UNORM_S8_UINT", Format::D24),
    ("D32_SFLOAT", Format::D32f),
    ("D32_SFLOAT_S8_UINT", Format::D32f),
    ("D16_UNORM_S8_UINT", Format::D16),
    ("S8_UINT", Format::S8),
];

/// Where a buffer of the script is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Bytes.
    Buffer(usize),
    /// An image; with its own format, or else as floats.
    Image { image: usize, own: bool },
}

/// All that shaders reach.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) resources: Resources,
    pub(super) kept: Vec<Kept>,
    formats: Vec<Option<Texel>>,
    /// Stencil values that belong to the depths of an image.
    pub(super) stencils: BTreeMap<usize, Vec<u8>>,
}

/// A component as shaders read it.
pub(super) fn component(leaf: Leaf, raw: u64) -> f64 {
    let value = leaf.decode(raw).float();
    let most = |bits: u32| (u64::MAX >> (64 - bits)) as f64;
    match leaf.kind {
        Kind::Unorm | Kind::Srgb => value / most(leaf.bits),
        Kind::Snorm => (value / most(leaf.bits - 1)).max(-1.0),
        _ => value,
    }
}

/// A texel in the order red, green, blue, alpha.
pub(super) fn texel(format: &Texel, bytes: &[u8]) -> Color {
    let mut floats = [0.0, 0.0, 0.0, 1.0];
    let mut ints = [0, 0, 0, 1];
    for (at, name) in [b"RD", b"G ", b"B ", b"A "].iter().enumerate() {
        let Some(c) = format.components.iter().find(|c| name.contains(&c.name)) else { continue };
        let leaf = Leaf { bit: c.bit.into(), bits: c.bits, kind: c.kind };
        let raw = leaf.raw(bytes).unwrap_or(0);
        floats[at] = component(leaf, raw);
        ints[at] = leaf.decode(raw).int() as i64;
    }
    if format.is_integer() { Color::Int(ints) } else { Color::Float(floats) }
}

impl Store {
    pub(super) fn new(script: &Script) -> Result<Store, Stop> {
        let mut store = Store {
            resources: Resources::new(),
            kept: Vec::new(),
            formats: Vec::new(),
            stencils: BTreeMap::new(),
        };
        for (n, buffer) in script.buffers.iter().enumerate() {
            let kept = match extent(script, n, buffer) {
                Some(extent) => store.image(buffer, extent)?,
                None => Kept::Buffer(store.resources.add_buffer(buffer.bytes.clone())),
            };
            store.kept.push(kept);
            store.formats.push(buffer.format.clone());
        }
        for (_, sampler) in &script.samplers {
            store.resources.add_sampler(sampler.clone());
        }
        Ok(store)
    }

    fn image(&mut self, buffer: &Buffer, extent: Extent) -> Result<Kept, Stop> {
        let Some(texels) = &buffer.format else {
            return skip(format!("{} is an image without format", buffer.name));
        };
        let own = FORMATS.iter().find(|f| f.0 == texels.name).map(|f| f.1);
        if own.is_none() && texels.is_integer() {
            return skip(format!("format {}", texels.name));
        }
        let format = own.unwrap_or(Format::Rgba32f);
        let made = Image::new(extent.dim, format, extent.size, 1, extent.levels, extent.samples);
        let mut image = made.or_else(|e| fail(format!("{}: {e}", buffer.name)))?;
        if own.is_some() {
            let bytes = image.bytes_mut(0);
            let n = bytes.len().min(buffer.bytes.len());
            bytes[..n].copy_from_slice(&buffer.bytes[..n]);
        } else {
            let from = buffer.bytes.chunks_exact(texels.bytes as usize);
            for (to, from) in image.bytes_mut(0).chunks_exact_mut(format.bytes()).zip(from) {
                format.write(to, texel(texels, from));
            }
        }
        let depth_and_stencil = format.info().depth && texels.component(b'S').is_some();
        let image = self.resources.add_image(image);
        if depth_and_stencil {
            self.stencils.insert(image, Vec::new());
        }
        Ok(Kept::Image { image, own: own.is_some() })
    }

    /// The bytes of a buffer, or of the first level of an image that has its own format.
    pub(super) fn bytes(&self, buffer: usize) -> Option<&[u8]> {
        match self.kept[buffer] {
            Kept::Buffer(n) => Some(&self.resources.buffers[n].bytes),
            Kept::Image { image, own } => own.then(|| self.resources.images[image].bytes(0)),
        }
    }

    /// An image.
    pub(super) fn image_of(&self, buffer: usize) -> Option<&Image> {
        match self.kept[buffer] {
            Kept::Buffer(_) => None,
            Kept::Image { image, .. } => Some(&self.resources.images[image]),
        }
    }

    pub(super) fn copy(&mut self, from: usize, to: usize) -> Result<(), Stop> {
        match (self.kept[from], self.kept[to]) {
            (Kept::Buffer(a), Kept::Buffer(b)) => {
                self.resources.buffers[b] = self.resources.buffers[a].clone()
            }
            (Kept::Image { image: a, .. }, Kept::Image { image: b, .. }) => {
                self.resources.images[b] = self.resources.images[a].clone();
            }
            _ => return skip("copies between buffers and images"),
        }
        Ok(())
    }

    pub(super) fn write(&mut self, buffer: usize, at: u64, bytes: &[u8]) -> Result<(), Stop> {
        let Kept::Buffer(n) = self.kept[buffer] else { return skip("writes to images") };
        let range = at as usize..at as usize + bytes.len();
        match self.resources.buffers[n].bytes.get_mut(range) {
            Some(to) => to.copy_from_slice(bytes),
            None => return fail("a write past the end of its buffer"),
        }
        Ok(())
    }

    pub(super) fn clear(&mut self, pipeline: &Pipeline, values: &ClearValues) {
        for bind in &pipeline.binds {
            let color = match bind.usage {
                Use::Color(_) => values.color,
                Use::DepthStencil => [values.depth, 0.0, 0.0, 0.0],
                _ => continue,
            };
            for element in &bind.elements {
                let Kept::Image { image, .. } = self.kept[element.what] else { continue };
                if let Some(list) = self.stencils.get_mut(&image) {
                    let [w, h, _] = self.resources.images[image].level_size(bind.base_level);
                    let count = w as usize * h as usize * self.resources.images[image].num_samples() as usize;
                    *list = vec![values.stencil as u8; count];
                }
                let image = &mut self.resources.images[image];
                let stencil = image.format == Format::S8 && bind.usage == Use::DepthStencil;
                let color =
                    if stencil { Color::Int([values.stencil.into(), 0, 0, 0]) } else { Color::Float(color) };
                image.fill(bind.base_level, color);
            }
        }
    }

    /// Binds the resources of a pipeline, and nothing else.
    pub(super) fn bind(&mut self, pipeline: &Pipeline) -> Result<(), Stop> {
        self.resources.unbind_all();
        self.resources.push_constants.clear();
        for bind in &pipeline.binds {
            for (n, element) in bind.elements.iter().enumerate() {
                self.bind_element(bind, n as u32, element)?;
            }
        }
        Ok(())
    }

    fn bind_element(&mut self, bind: &Bind, n: u32, element: &Element) -> Result<(), Stop> {
        let (set, binding) = (bind.set, bind.binding);
        if bind.usage == Use::Sampler {
            self.resources.bind(Space::Texture, set, binding, n, Binding::Sampler(element.what));
            return Ok(());
        }
        let (offset, size) = (element.offset, element.range);
        let kept = self.kept[element.what];
        let view =
            View { base_level: bind.base_level, levels: bind.levels.unwrap_or(u32::MAX), ..View::default() };
        let (space, what) = match (bind.usage, kept) {
            (Use::Color(_) | Use::Resolve(_) | Use::DepthStencil | Use::Vertex(_) | Use::Index, _) => {
                return Ok(());
            }
            (Use::InputAttachment, _) => return skip("input attachments"),
            (Use::Kernel, _) => return skip("kernel arguments"),
            (Use::PushConstant, Kept::Buffer(buffer)) => {
                self.resources.push_constants = self.resources.buffers[buffer].bytes.clone();
                return Ok(());
            }
            (Use::Uniform, Kept::Buffer(buffer)) => {
                (Space::Uniform, Binding::Buffer { buffer, offset, size })
            }
            (Use::Storage, Kept::Buffer(buffer)) => {
                (Space::Storage, Binding::Buffer { buffer, offset, size })
            }
            (Use::UniformTexels | Use::StorageTexels, Kept::Buffer(buffer)) => {
                let name = self.formats[element.what].as_ref().map_or("", |f| &f.name);
                let Some((_, format)) = FORMATS.iter().find(|f| f.0 == name) else {
                    return self.bind_converted(bind, n, element, buffer);
                };
                let space = if bind.usage == Use::UniformTexels { Space::Texture } else { Space::Image };
                (space, Binding::TexelBuffer { buffer, offset, size, format: *format })
            }
            (Use::StorageImage, Kept::Image { image, own: true }) => {
                let level = bind.base_level;
                (Space::Image, Binding::Image { image, level, layer: None, format: None })
            }
            (Use::SampledImage, Kept::Image { image, .. }) => {
                (Space::Texture, Binding::Texture { image, view, sampler: None })
            }
            (Use::Combined, Kept::Image { image, .. }) => {
                (Space::Texture, Binding::Texture { image, view, sampler: element.sampler })
            }
            (usage, kept) => return skip(format!("{usage:?} of a {kept:?}")),
        };
        self.resources.bind(space, set, binding, n, what);
        Ok(())
    }

    /// Texels of a buffer in a format that images do not have, as floats. Only for reading.
    fn bind_converted(&mut self, bind: &Bind, n: u32, element: &Element, buffer: usize) -> Result<(), Stop> {
        let Some(format) = self.formats[element.what].clone() else { return skip("texels without format") };
        if bind.usage == Use::StorageTexels || format.is_integer() {
            return skip(format!("format {}", format.name));
        }
        let bytes = self.resources.buffers[buffer].bytes.get(element.offset as usize..).unwrap_or(&[]);
        let mut converted = Vec::new();
        for from in bytes.chunks_exact(format.bytes as usize) {
            let at = converted.len();
            converted.resize(at + Format::Rgba32f.bytes(), 0);
            Format::Rgba32f.write(&mut converted[at..], texel(&format, from));
        }
        let buffer = self.resources.add_buffer(converted);
        let what = Binding::TexelBuffer { buffer, offset: 0, size: None, format: Format::Rgba32f };
        self.resources.bind(Space::Texture, bind.set, bind.binding, n, what);
        Ok(())
    }
}

/// The shape of a buffer that is an image; framebuffers determine omitted sizes.
fn extent(script: &Script, number: usize, buffer: &Buffer) -> Option<Extent> {
    let is_image = |usage: Use| {
        matches!(
            usage,
            Use::Color(_)
                | Use::DepthStencil
                | Use::Resolve(_)
                | Use::StorageImage
                | Use::SampledImage
                | Use::Combined
                | Use::InputAttachment
        )
    };
    let binds = || {
        let of =
            |p: &'_ Pipeline| p.binds.clone().into_iter().map(|b| (p.framebuffer, b)).collect::<Vec<_>>();
        script.pipelines.iter().flat_map(of).filter(|(_, b)| b.elements.iter().any(|e| e.what == number))
    };
    let declared = buffer.extent.filter(|e| e.size[0] != 0);
    if declared.is_some() || !binds().any(|(_, b)| is_image(b.usage)) && buffer.extent.is_none() {
        return declared;
    }
    let attached = |usage: Use| matches!(usage, Use::Color(_) | Use::DepthStencil | Use::Resolve(_));
    let size =
        binds().find(|(_, b)| attached(b.usage)).map(|(size, b)| size.map(|n| n << b.base_level.min(14)));
    let [w, h] = size.unwrap_or(Pipeline::default().framebuffer);
    let rest = buffer.extent.unwrap_or(Extent { dim: Dim::D2, size: [0; 3], levels: 1, samples: 1 });
    Some(Extent { size: [w, h, 1], ..rest })
}
