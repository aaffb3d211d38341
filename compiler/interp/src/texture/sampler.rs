//! State of samplers and views, as in OpenGL 4.6 section 8.10 and Vulkan's `VkSamplerCreateInfo`.

use super::format::Format;

/// Addressing of coordinates outside the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image repeats.
    #[default]
    Repeat,
    /// The image repeats, every other time mirrored.
    MirroredRepeat,
    /// The texel at the edge.
    ClampToEdge,
    /// The border colour.
    ClampToBorder,
    /// Mirrored once, then the texel at the edge.
    MirrorClampToEdge,
    /// OpenGL's `GL_CLAMP`: the coordinate is clamped to the image, so that linear filters reach the border half way.
    Clamp,
}

/// How texels are chosen or mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest.
    #[default]
    Nearest,
    /// The mean of the neighbours, by distance.
    Linear,
}

/// How levels are chosen or mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mip {
    /// Only the base level.
    #[default]
    None,
    /// The nearest level.
    Nearest,
    /// The mean of two levels.
    Linear,
}

/// A comparison `reference op texel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Compare {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

impl Compare {
    /// All, by Vulkan's names in small letters.
    pub const NAMES: &'static [(&'static str, Compare)] = &[
        ("never", Compare::Never),
        ("less", Compare::Less),
        ("equal", Compare::Equal),
        ("less_or_equal", Compare::LessEqual),
        ("greater", Compare::Greater),
        ("not_equal", Compare::NotEqual),
        ("greater_or_equal", Compare::GreaterEqual),
        ("always", Compare::Always),
    ];

    /// That of a name.
    pub fn from_name(name: &str) -> Option<Compare> {
        Compare::NAMES.iter().find(|n| n.0 == name).map(|n| n.1)
    }

    /// Whether the comparison is true.
    pub fn test(self, reference: f64, texel: f64) -> bool {
        match self {
            Compare::Never => false,
            Compare::Less => reference < texel,
            Compare::Equal => reference == texel,
            Compare::LessEqual => reference <= texel,
            Compare::Greater => reference > texel,
            Compare::NotEqual => reference != texel,
            Compare::GreaterEqual => reference >= texel,
            Compare::Always => true,
        }
    }
}

/// A sampler.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampler {
    /// Wrapping along s, t and r.
    pub wrap: [Wrap; 3],
    /// Filter where the image is magnified.
    pub mag: Filter,
    /// Filter where it is minified.
    pub min: Filter,
    /// Use of levels.
    pub mip: Mip,
    /// Added to the level.
    pub lod_bias: f64,
    /// Lowest level of detail.
    pub min_lod: f64,
    /// Highest level of detail.
    pub max_lod: f64,
    /// Most samples along a stretched footprint; 1 = isotropic.
    pub max_anisotropy: f64,
    /// Comparison of depths; without it shadow lookups give the depth.
    pub compare: Option<Compare>,
    /// Border of float images.
    pub border: [f64; 4],
    /// Border of integer images.
    pub border_int: [i64; 4],
    /// Filters reach across the edges of cube faces.
    pub seamless: bool,
    /// Coordinates are in texels.
    pub unnormalized: bool,
}

impl Default for Sampler {
    /// Repeats, nearest texel of the base level.
    fn default() -> Sampler {
        Sampler {
            wrap: [Wrap::Repeat; 3],
            mag: Filter::Nearest,
            min: Filter::Nearest,
            mip: Mip::None,
            lod_bias: 0.0,
            min_lod: -1000.0,
            max_lod: 1000.0,
            max_anisotropy: 1.0,
            compare: None,
            border: [0.0; 4],
            border_int: [0; 4],
            seamless: true,
            unnormalized: false,
        }
    }
}

/// Where a component of a view comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Channel {
    Red,
    Green,
    Blue,
    Alpha,
    Zero,
    One,
}

/// Which part of an image a texture shows, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// First level.
    pub base_level: u32,
    /// Number of levels; those that the image does not have do not count.
    pub levels: u32,
    /// First layer; a cube has six layers.
    pub base_layer: u32,
    /// Number of layers.
    pub layers: u32,
    /// Where components come from.
    pub swizzle: [Channel; 4],
    /// Another format of the same size.
    pub format: Option<Format>,
}

impl Default for View {
    /// The whole image as it is.
    fn default() -> View {
        View {
            base_level: 0,
            levels: u32::MAX,
            base_layer: 0,
            layers: u32::MAX,
            swizzle: [Channel::Red, Channel::Green, Channel::Blue, Channel::Alpha],
            format: None,
        }
    }
}
