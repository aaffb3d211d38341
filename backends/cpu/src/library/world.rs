//! The state that library functions access: textures, samplers, the pixel that is shaded.

use super::mesh::Made;
use crate::memory::Arena;
use airfoil_interp::texture::{Color, Format, Image, Sampler, View, Viewed, zero};
use airfoil_interp::{Binding, Resources};
use airfoil_ir::Dim;

/// The texture that a handle refers to.
#[derive(Clone, Debug)]
pub(crate) enum Texture {
    /// An image through a view.
    Image { image: usize, view: View },
    /// Texels of a buffer.
    Buffer { buffer: usize, offset: u64, size: Option<u64>, format: Format },
}

/// The world of one run.
pub(crate) struct World<'a> {
    pub(crate) memory: &'a Arena,
    pub(crate) images: &'a mut Vec<Image>,
    pub(crate) samplers: &'a [Sampler],
    textures: Vec<Texture>,
    sampler_handles: Vec<usize>,
    pub(crate) sample_positions: Vec<[f32; 2]>,
    /// The part of a mesh that the running threadgroup has produced.
    pub(crate) made: Made,
    /// Address and size of memory that is not a buffer: variables of the module, threadgroup memory.
    own: Vec<(usize, usize)>,
}

/// Handles below this are numbers; others are addresses of constant samplers.
const LARGEST_HANDLE: u64 = 1 << 16;

impl<'a> World<'a> {
    pub(crate) fn new(memory: &'a Arena, images: &'a mut Vec<Image>, samplers: &'a [Sampler]) -> World<'a> {
        World {
            memory,
            images,
            samplers,
            textures: Vec::new(),
            sampler_handles: Vec::new(),
            sample_positions: vec![[0.5, 0.5]],
            made: Made::default(),
            own: Vec::new(),
        }
    }

    /// Allows accesses of memory that is not a buffer.
    pub(crate) fn allow(&mut self, memory: impl Iterator<Item = (usize, usize)>) {
        self.own.extend(memory);
        self.own.sort_unstable();
    }

    /// Whether some bytes at an address are in such memory.
    pub(crate) fn is_own(&self, address: usize, bytes: usize) -> bool {
        let n = self.own.partition_point(|o| o.0 <= address);
        let found = n.checked_sub(1).and_then(|n| self.own.get(n));
        found.is_some_and(|&(at, size)| address - at + bytes <= size)
    }

    /// A handle for the bound resource; 0 if it is not a texture.
    pub(crate) fn add_texture(&mut self, binding: &Binding) -> u64 {
        self.textures.push(match *binding {
            Binding::Texture { image, ref view, .. } => Texture::Image { image, view: view.clone() },
            Binding::TexelBuffer { buffer, offset, size, format } => {
                Texture::Buffer { buffer, offset, size, format }
            }
            Binding::Image { image, level, layer, format } => {
                let (base_layer, layers) = layer.map_or((0, u32::MAX), |l| (l, 1));
                let view =
                    View { base_level: level, levels: 1, base_layer, layers, format, ..View::default() };
                Texture::Image { image, view }
            }
            Binding::Buffer { .. } | Binding::Sampler(_) => return 0,
        });
        self.textures.len() as u64
    }

    /// A handle for a sampler.
    pub(crate) fn add_sampler(&mut self, sampler: usize) -> u64 {
        self.sampler_handles.push(sampler);
        self.sampler_handles.len() as u64
    }

    pub(crate) fn texture(&self, handle: u64) -> Option<&Texture> {
        self.textures.get(usize::try_from(handle).ok()?.checked_sub(1)?)
    }

    /// The sampler that a handle refers to: bound, a literal word, or words in the module's constants.
    pub(crate) fn sampler(&self, handle: u64) -> Sampler {
        if handle == 0 {
            return Sampler::default();
        }
        if handle < LARGEST_HANDLE {
            let bound = self.sampler_handles.get(handle as usize - 1).and_then(|&n| self.samplers.get(n));
            return bound.cloned().unwrap_or_default();
        }
        const LITERAL: u64 = 1 << 63;
        if handle & LITERAL != 0 {
            // Levels that are not limited are written as zero here.
            const LODS: u64 = 0xffff_ffff << 24;
            const UNLIMITED: u64 = 0x7bff << 40;
            let word = if handle & LODS == 0 { handle | UNLIMITED } else { handle };
            return super::sampler::decode(word, 0);
        }
        // SAFETY: a handle that was not made here is the address of a constant of the module, of one word with the
        // highest bit set or of two words.
        unsafe {
            let words = handle as *const u64;
            let first = words.read_unaligned();
            let second = if first & LITERAL == 0 { words.add(1).read_unaligned() } else { 0 };
            super::sampler::decode(first, second)
        }
    }

    pub(crate) fn image(&self, texture: &Texture) -> Option<(&Image, View)> {
        match texture {
            Texture::Image { image, view } => Some((self.images.get(*image)?, view.clone())),
            Texture::Buffer { .. } => None,
        }
    }

    /// Number of texels of a buffer.
    pub(crate) fn texels(&self, texture: &Texture) -> u64 {
        match *texture {
            Texture::Buffer { buffer, offset, size, format } => {
                let rest = (self.memory.len(buffer) as u64).saturating_sub(offset);
                size.unwrap_or(rest).min(rest) / format.bytes() as u64
            }
            Texture::Image { .. } => 0,
        }
    }

    /// First byte of a texel of a buffer.
    fn texel_at(&self, texture: &Texture, at: i64) -> Option<(usize, usize, Format)> {
        let &Texture::Buffer { buffer, offset, format, .. } = texture else { return None };
        let at = u64::try_from(at).ok().filter(|&at| at < self.texels(texture))?;
        Some((buffer, (offset + at * format.bytes() as u64) as usize, format))
    }

    /// A texel; zero where there is none.
    pub(crate) fn read_texel(
        &self,
        texture: &Texture,
        at: [i64; 3],
        layer: i64,
        level: i64,
        sample: i64,
    ) -> Color {
        match texture {
            Texture::Buffer { format, .. } => {
                let found = self.texel_at(texture, at[0]);
                let texel = found.and_then(|(buffer, byte, format)| {
                    self.memory.with(buffer, byte, format.bytes(), |t| format.read(t))
                });
                texel.unwrap_or_else(|| zero(*format))
            }
            Texture::Image { image, view } => {
                let Some(image) = self.images.get(*image) else { return Color::Int([0; 4]) };
                let v = Viewed { image, view };
                let [at, [layer, ..]] = slice(image, view, at, layer);
                let number = |n: i64| u32::try_from(n).ok();
                let texel = number(level).zip(number(layer)).zip(number(sample)).and_then(
                    |((level, layer), sample)| {
                        if image.dim == Dim::D3 {
                            plain(&v, level, at)
                        } else {
                            v.texel(level, layer, at, sample)
                        }
                    },
                );
                texel.unwrap_or_else(|| zero(v.format()))
            }
        }
    }

    /// Calls `f` with the bytes of a texel, if there is one.
    pub(crate) fn with_texel(
        &mut self,
        texture: &Texture,
        at: [i64; 3],
        layer: i64,
        level: i64,
        sample: u32,
        f: impl FnOnce(Format, &mut [u8]),
    ) {
        if let Some((buffer, byte, format)) = self.texel_at(texture, at[0]) {
            self.memory.with(buffer, byte, format.bytes(), |t| f(format, t));
            return;
        }
        let Texture::Image { image, view } = texture else { return };
        let Some(image) = self.images.get_mut(*image) else { return };
        let format = Viewed { image, view }.format();
        let [at, [layer, ..]] = slice(image, view, at, layer);
        let [x, y, z] = at.map(|n| u32::try_from(n).ok());
        let (Some(x), Some(y), Some(z)) = (x, y, z) else { return };
        let (Ok(layer), Ok(level)) = (u32::try_from(layer), u32::try_from(level)) else { return };
        let flat = image.dim == Dim::D3;
        if level >= view.levels || (!flat && layer >= view.layers) {
            return;
        }
        let layer = if flat { 0 } else { view.base_layer + layer };
        if let Some(texel) = image.texel_mut(view.base_level + level, layer, [x, y, z], sample) {
            f(format, texel);
        }
    }
}

/// A slice of a block that is bound as a plane is a third coordinate.
fn slice(image: &Image, view: &View, mut at: [i64; 3], layer: i64) -> [[i64; 3]; 2] {
    if image.dim == Dim::D3 && view.layers == 1 {
        at[2] += i64::from(view.base_layer);
    }
    [at, [layer, 0, 0]]
}

/// A texel of a block, whatever layers the view has.
fn plain(v: &Viewed<'_>, level: u32, at: [i64; 3]) -> Option<Color> {
    let view = View { base_layer: 0, layers: u32::MAX, ..v.view.clone() };
    Viewed { image: v.image, view: &view }.texel(level, 0, at, 0)
}

/// Pointers for the arguments of an entry point, from the bindings of the caller.
pub(crate) fn buffer_pointer(
    memory: &Arena,
    resources: &Resources,
    binding: Option<&Binding>,
) -> Result<*mut u8, String> {
    match binding {
        None => Ok(memory.pointer(usize::MAX, 0)),
        Some(&Binding::Buffer { buffer, offset, .. }) => {
            if buffer >= resources.buffers.len() {
                return Err(format!("buffer {buffer} does not exist"));
            }
            Ok(memory.pointer(buffer, usize::try_from(offset).unwrap_or(usize::MAX)))
        }
        Some(_) => Err("the resource bound at a buffer's index is not a buffer".to_owned()),
    }
}
