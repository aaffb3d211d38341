//! State of samplers and views, as in OpenGL 4.6 section 8.10 and Vulkan's `VkSamplerCreateInfo`.

use super::format::Format;

/// Addressing of coordinates outside the image.
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::*;
/// use airfoil_ir::Dim;
///
/// // Three texels in a line: 0, 1 and 2. Coordinates here are in texels.
/// let mut image = Image::new(Dim::D1, Format::R8ui, [3, 1, 1], 1, 1, 1)?;
/// image.bytes_mut(0).copy_from_slice(&[0, 1, 2]);
/// let row = |wrap| [-3.5, -1.5, 1.5, 3.5, 4.5].map(|x| {
///     let sampler = Sampler { wrap: [wrap; 3], border_int: [9; 4], ..Sampler::default() };
/// #   let (coord, level) = ([x / 3.0, 0.0, 0.0], Level::Given(0.0));
/// #   let q = Request { dim: Dim::D1, coord, layer: None, level, min_lod: None, offset: [0; 3], reference: None };
///     let color = sample(&Viewed { image: &image, view: &View::default() }, &sampler, &q);
///     if let Color::Int([red, ..]) = color { red } else { -1 }
/// });
/// assert_eq!(row(Wrap::Repeat), [2, 1, 1, 0, 1]);
/// assert_eq!(row(Wrap::MirroredRepeat), [2, 1, 1, 2, 1]);
/// assert_eq!(row(Wrap::MirrorClampToEdge), [2, 1, 1, 2, 2]);
/// assert_eq!(row(Wrap::ClampToBorder), [9, 9, 1, 9, 9]);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::{Color, Filter, Format, Image, Level, Request, Sampler, View, Viewed, sample};
/// use airfoil_ir::Dim;
///
/// // A black and a white texel, with their centres at 0.25 and 0.75.
/// let mut image = Image::new(Dim::D1, Format::R8, [2, 1, 1], 1, 1, 1)?;
/// image.bytes_mut(0)[1] = 255;
/// let red = |mag, x| {
///     let coord = [x, 0.0, 0.0];
/// #   let (layer, min_lod, reference) = (None, None, None);
///     let at = Request { dim: Dim::D1, coord, layer, level: Level::Given(0.0), min_lod, offset: [0; 3], reference };
///     let seen = Viewed { image: &image, view: &View::default() };
///     sample(&seen, &Sampler { mag, ..Sampler::default() }, &at)
/// };
/// assert_eq!(red(Filter::Nearest, 0.49), Color::Float([0.0, 0.0, 0.0, 1.0]));
/// assert_eq!(red(Filter::Linear, 0.375), Color::Float([0.25, 0.0, 0.0, 1.0]));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest.
    #[default]
    Nearest,
    /// The mean of the neighbours, by distance.
    Linear,
}

/// How levels are chosen or mixed.
///
/// # Examples
///
/// Three levels that hold their index:
///
/// ```
/// use airfoil_interp::texture::*;
/// # use airfoil_ir::Dim;
///
/// # let mut image = Image::new(Dim::D2, Format::R32f, [4, 4, 1], 1, 3, 1)?;
/// # let (dim, coord, level) = (Dim::D2, [0.5; 3], Level::Given(0.0));
/// # let middle = Request { dim, coord, layer: None, level, min_lod: None, offset: [0; 3], reference: None };
/// # (0..3).for_each(|level| image.fill(level, Color::Float([f64::from(level); 4])));
/// let red = |mip, lod| {
///     let sampler = Sampler { mip, ..Sampler::default() };
/// #   let texture = Viewed { image: &image, view: &View::default() };
///     let at = Request { level: Level::Given(lod), ..middle };
///     let Color::Float([red, ..]) = sample(&texture, &sampler, &at) else { unreachable!() };
///     red
/// };
/// assert_eq!([0.5, 0.75, 9.0].map(|lod| red(Mip::Linear, lod)), [0.5, 0.75, 2.0]);
/// // A half is rounded to the finer level.
/// assert_eq!([0.5, 0.75, 9.0].map(|lod| red(Mip::Nearest, lod)), [0.0, 1.0, 2.0]);
/// assert_eq!(red(Mip::None, 9.0), 0.0);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::Compare;
///
/// let less = Compare::from_name("less_or_equal").unwrap();
/// // The reference comes first.
/// assert!(less.test(0.25, 0.5) && !less.test(0.5, 0.25));
/// // NaN passes two of the eight.
/// let passes = Compare::NAMES.iter().filter(|(_, c)| c.test(f64::NAN, 0.5));
/// assert!(passes.map(|(name, _)| *name).eq(["not_equal", "always"]));
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::{Color, Compare, Format, Image, Level, Request, Sampler, View, Viewed, sample};
/// use airfoil_ir::Dim;
///
/// let mut image = Image::new(Dim::D2, Format::D32f, [1, 1, 1], 1, 1, 1)?;
/// image.fill(0, Color::Float([0.5; 4]));
/// let lit = |compare, reference| {
///     let sampler = Sampler { compare, ..Sampler::default() };
///     let seen = Viewed { image: &image, view: &View::default() };
///     let (layer, level, reference) = (None, Level::Given(0.0), Some(reference));
///     let at = Request { dim: Dim::D2, coord: [0.5; 3], layer, level, min_lod: None, offset: [0; 3], reference };
///     if let Color::Float([red, ..]) = sample(&seen, &sampler, &at) { red } else { f64::NAN }
/// };
/// assert_eq!([0.25, 0.75].map(|r| lit(Some(Compare::LessEqual), r)), [1.0, 0.0]);
/// assert_eq!(lit(None, 0.25), 0.5);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::Channel::{Green, One, Red, Zero};
/// use airfoil_interp::texture::{Color, Format, Image, View, Viewed};
///
/// // A luminance texture, as OpenGL swizzles one: red is intensity, green is alpha.
/// let mut image = Image::new(airfoil_ir::Dim::D2, Format::Rg8, [1, 1, 1], 1, 1, 1)?;
/// image.bytes_mut(0).copy_from_slice(&[255, 51]);
/// let texel = |swizzle| Viewed { image: &image, view: &View { swizzle, ..View::default() } }.texel(0, 0, [0; 3], 0);
/// assert_eq!(texel([Red, Red, Red, Green]), Some(Color::Float([1.0, 1.0, 1.0, 0.2])));
/// assert_eq!(texel([Zero, Green, One, One]), Some(Color::Float([0.0, 0.2, 1.0, 1.0])));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
///
/// # Examples
///
/// The second of two cubes in an image of twelve faces:
///
/// ```
/// use airfoil_interp::texture::{Color, Format, Image, Level, Request, Sampler, View, Viewed, sample};
/// use airfoil_ir::Dim;
///
/// let mut image = Image::new(Dim::Cube, Format::R8ui, [1, 1, 1], 12, 1, 1)?;
/// image.bytes_mut(0).copy_from_slice(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
/// let view = View { base_layer: 6, layers: 6, ..View::default() };
/// # let (level, offset) = (Level::Given(0.0), [0; 3]);
/// let down = [0.0, -1.0, 0.0];
/// let at = Request { dim: Dim::Cube, coord: down, layer: None, level, min_lod: None, offset, reference: None };
/// let color = sample(&Viewed { image: &image, view: &view }, &Sampler::default(), &at);
/// // Face 3 of the view is -y.
/// assert_eq!(color, Color::Int([9, 0, 0, 1]));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
