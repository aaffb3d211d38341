//! Images: texels of a format in levels, layers and samples.

use super::format::{Color, Format};
use super::sampler::{Channel, View};
use crate::fault::Fault;
use airfoil_ir::Dim;

/// Most bytes of one image.
const MAX_BYTES: u64 = 1 << 30;

/// An image.
///
/// A level's bytes hold its texels by layer, z, y, x and sample, the last fastest. The layers of a cube are its faces
/// (+x, -x, +y, -y, +z, -z), six for each cube.
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::{Color, Format, Image};
/// use airfoil_ir::Dim;
///
/// // A cube of 4x4 texels with all levels.
/// let mut image = Image::new(Dim::Cube, Format::Rgba8, [4, 4, 1], 6, 3, 1)?;
/// assert_eq!([0, 1, 2].map(|level| image.level_size(level)[0]), [4, 2, 1]);
/// // The last face of level 1 follows five of four texels each.
/// image.set(1, 5, [1, 0, 0], 0, Color::Float([1.0, 0.5, 0.0, 1.0]));
/// assert_eq!(image.bytes(1)[(5 * 4 + 1) * 4..][..4], [255, 128, 0, 255]);
/// assert_eq!(image.get(1, 5, [2, 0, 0], 0), None);
/// // More levels than the size allows are refused.
/// assert!(Image::new(Dim::D2, Format::Rgba8, [4, 4, 1], 1, 4, 1).is_err());
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Shape: a line (also of texel buffers), a plane, a block or cubes. Layers come on top of it.
    pub dim: Dim,
    /// Format.
    pub format: Format,
    size: [u32; 3],
    layers: u32,
    samples: u32,
    levels: Vec<Vec<u8>>,
}

impl Image {
    /// An image of zeros. Sizes that the shape does not have must be 1; cubes have a multiple of six layers.
    ///
    /// # Errors
    /// The parts do not fit together, or take too much memory.
    pub fn new(
        dim: Dim,
        format: Format,
        size: [u32; 3],
        layers: u32,
        levels: u32,
        samples: u32,
    ) -> Result<Image, Fault> {
        let [w, h, d] = size;
        let flat = match dim {
            Dim::D1 | Dim::Buffer => h == 1 && d == 1,
            Dim::D3 => layers == 1,
            Dim::Cube => w == h && d == 1 && layers.is_multiple_of(6),
            _ => d == 1,
        };
        let longest = w.max(h).max(d);
        if !flat || w == 0 || h == 0 || d == 0 || layers == 0 || samples == 0 || levels == 0 {
            return Err(Fault::unsupported(format!(
                "an image {dim} cannot have the size {w}x{h}x{d} with {layers} layers, {levels} levels and {samples} samples"
            )));
        }
        if levels > 32 - longest.leading_zeros() {
            return Err(Fault::unsupported(format!("an image of {w}x{h}x{d} has no {levels} levels")));
        }
        let mut image = Image { dim, format, size, layers, samples, levels: Vec::new() };
        let bytes = |n: u32| {
            let [w, h, d] = image.level_size(n).map(u64::from);
            [w, h, d, u64::from(layers), u64::from(samples), format.bytes() as u64]
                .iter()
                .fold(1u64, |a, &b| a.saturating_mul(b))
        };
        let sizes: Vec<u64> = (0..levels).map(bytes).collect();
        if sizes.iter().fold(0u64, |a, &b| a.saturating_add(b)) > MAX_BYTES {
            return Err(Fault::unsupported(format!("an image of {w}x{h}x{d} takes too much memory")));
        }
        image.levels = sizes.iter().map(|&n| vec![0; n as usize]).collect();
        Ok(image)
    }

    /// Width, height and depth of a level.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|n| n.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Number of levels.
    pub fn num_levels(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Number of layers, faces of cubes included.
    pub fn num_layers(&self) -> u32 {
        self.layers
    }

    /// Number of samples.
    pub fn num_samples(&self) -> u32 {
        self.samples
    }

    /// The bytes of a level.
    pub fn bytes(&self, level: u32) -> &[u8] {
        self.levels.get(level as usize).map_or(&[], |l| l)
    }

    /// The bytes of a level.
    pub fn bytes_mut(&mut self, level: u32) -> &mut [u8] {
        self.levels.get_mut(level as usize).map_or(&mut [], |l| l)
    }

    fn at(&self, level: u32, layer: u32, [x, y, z]: [u32; 3], sample: u32) -> Option<std::ops::Range<usize>> {
        let [w, h, d] = self.level_size(level);
        let inside = level < self.num_levels()
            && layer < self.layers
            && x < w
            && y < h
            && z < d
            && sample < self.samples;
        if !inside {
            return None;
        }
        let n = [(z, d), (y, h), (x, w), (sample, self.samples)]
            .iter()
            .fold(layer as usize, |n, &(i, len)| n * len as usize + i as usize);
        let bytes = self.format.bytes();
        Some(n * bytes..(n + 1) * bytes)
    }

    /// The bytes of a texel; `None` if there is none.
    pub fn texel(&self, level: u32, layer: u32, place: [u32; 3], sample: u32) -> Option<&[u8]> {
        let at = self.at(level, layer, place, sample)?;
        self.levels.get(level as usize)?.get(at)
    }

    /// The bytes of a texel; `None` if there is none.
    pub fn texel_mut(&mut self, level: u32, layer: u32, place: [u32; 3], sample: u32) -> Option<&mut [u8]> {
        let at = self.at(level, layer, place, sample)?;
        self.levels.get_mut(level as usize)?.get_mut(at)
    }

    /// Writes a texel; where there is none nothing happens.
    pub fn set(&mut self, level: u32, layer: u32, place: [u32; 3], sample: u32, color: Color) {
        let format = self.format;
        if let Some(texel) = self.texel_mut(level, layer, place, sample) {
            format.write(texel, color);
        }
    }

    /// Reads a texel.
    pub fn get(&self, level: u32, layer: u32, place: [u32; 3], sample: u32) -> Option<Color> {
        Some(self.format.read(self.texel(level, layer, place, sample)?))
    }

    /// Sets all texels of a level.
    pub fn fill(&mut self, level: u32, color: Color) {
        let format = self.format;
        self.bytes_mut(level).chunks_exact_mut(format.bytes()).for_each(|t| format.write(t, color));
    }
}

/// An image through a view.
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::{Color, Format, Image, View, Viewed};
///
/// let mut image = Image::new(airfoil_ir::Dim::D2, Format::R32f, [8, 8, 1], 4, 4, 1)?;
/// image.set(1, 2, [3, 0, 0], 0, Color::Float([0.5; 4]));
/// let view = View { base_level: 1, base_layer: 2, format: Some(Format::R32ui), ..View::default() };
/// let seen = Viewed { image: &image, view: &view };
/// // The counts are those of the rest of the image.
/// assert_eq!((seen.levels(), seen.layers(), seen.size(0)), (3, 2, [4, 4, 1]));
/// assert_eq!(seen.texel(0, 0, [3, 0, 0], 0), Some(Color::Int([0x3f00_0000, 0, 0, 1])));
/// assert_eq!(seen.texel(0, 0, [-1, 0, 0], 0), None);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Viewed<'a> {
    /// The image.
    pub image: &'a Image,
    /// The view.
    pub view: &'a View,
}

impl Viewed<'_> {
    /// Format of the texels.
    pub fn format(&self) -> Format {
        self.view.format.filter(|f| f.bytes() == self.image.format.bytes()).unwrap_or(self.image.format)
    }

    /// Number of levels.
    pub fn levels(&self) -> u32 {
        self.view.levels.min(self.image.num_levels().saturating_sub(self.view.base_level)).max(1)
    }

    /// Number of layers.
    pub fn layers(&self) -> u32 {
        self.view.layers.min(self.image.num_layers().saturating_sub(self.view.base_layer)).max(1)
    }

    /// Width, height and depth of a level.
    pub fn size(&self, level: u32) -> [u32; 3] {
        self.image.level_size(self.view.base_level.saturating_add(level))
    }

    /// A texel with its components swizzled by the view; `None` outside.
    pub fn texel(&self, level: u32, layer: u32, place: [i64; 3], sample: u32) -> Option<Color> {
        if level >= self.levels() || layer >= self.layers() {
            return None;
        }
        let [x, y, z] = place.map(|i| u32::try_from(i).ok());
        let (level, layer) = (self.view.base_level + level, self.view.base_layer + layer);
        let texel = self.image.texel(level, layer, [x?, y?, z?], sample)?;
        Some(self.swizzle(self.format().read(texel)))
    }

    pub(crate) fn swizzle(&self, color: Color) -> Color {
        if self.view.swizzle == [Channel::Red, Channel::Green, Channel::Blue, Channel::Alpha] {
            return color;
        }
        match color {
            Color::Float(f) => Color::Float(self.view.swizzle.map(|c| match c {
                Channel::Zero => 0.0,
                Channel::One => 1.0,
                c => f[c as usize],
            })),
            Color::Int(i) => Color::Int(self.view.swizzle.map(|c| match c {
                Channel::Zero => 0,
                Channel::One => 1,
                c => i[c as usize],
            })),
        }
    }
}
