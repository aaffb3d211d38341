//! A texture lookup: face, level of detail and levels, down to the filter of each level.
//!
//! OpenGL 4.6 sections 8.14 to 8.17 and 8.23, Vulkan chapter "Image Operations".

use super::cube;
use super::filter::{Lookup, Place};
use super::format::Color;
use super::image::Viewed;
use super::sampler::{Filter, Mip, Sampler};
use airfoil_ir::Dim;

/// How the level is found.
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::{Format, Image, Level, Mip, Request, Sampler, View, Viewed, query_lod};
/// # use airfoil_ir::Dim;
///
/// let image = Image::new(Dim::D2, Format::R8, [16, 16, 1], 1, 3, 1)?;
/// let sampler = Sampler { mip: Mip::Linear, ..Sampler::default() };
/// let lod = |level| {
/// #   let (dim, coord) = (Dim::D2, [0.0; 3]);
///     let at = Request { dim, coord, layer: None, level, min_lod: None, offset: [0; 3], reference: None };
///     query_lod(&Viewed { image: &image, view: &View::default() }, &sampler, &at)
/// };
/// // Four texels to the next pixel along x, eight along y: the larger one counts.
/// let (dx, dy) = ([4.0 / 16.0, 0.0, 0.0], [0.0, 8.0 / 16.0, 0.0]);
/// // The level that is accessed is one that exists.
/// assert_eq!(lod(Level::Gradient { dx, dy, bias: 0.0 }), [2.0, 3.0]);
/// assert_eq!(lod(Level::Gradient { dx, dy, bias: -1.5 }), [1.5, 1.5]);
/// assert_eq!(lod(Level::Given(0.25)), [0.25, 0.25]);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Level {
    /// From changes of the coordinates along x and y, with a bias.
    Gradient {
        /// Change to the neighbour along x.
        dx: [f64; 3],
        /// Change to the neighbour along y.
        dy: [f64; 3],
        /// Added to the level.
        bias: f64,
    },
    /// Given.
    Given(f64),
}

/// Operands of a lookup.
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::{Color, Format, Image, Level, Request, Sampler, View, Viewed, sample};
///
/// // Four layers of a line of four texels. The bytes count up.
/// let mut image = Image::new(airfoil_ir::Dim::D1, Format::R8ui, [4, 1, 1], 4, 1, 1)?;
/// (0..).zip(image.bytes_mut(0)).for_each(|(n, byte)| *byte = n);
/// let (dim, level, coord) = (image.dim, Level::Given(0.0), [0.6, 0.0, 0.0]);
/// let first = Request { dim, coord, layer: Some(0.0), level, min_lod: None, offset: [0; 3], reference: None };
/// let red = |at: Request| sample(&Viewed { image: &image, view: &View::default() }, &Sampler::default(), &at);
/// assert_eq!(red(first), Color::Int([2, 0, 0, 1]));
/// // Layers are rounded and clamped; offsets wrap as coordinates do.
/// assert_eq!(red(Request { layer: Some(1.6), ..first }), Color::Int([10, 0, 0, 1]));
/// assert_eq!(red(Request { layer: Some(99.0), offset: [3, 0, 0], ..first }), Color::Int([13, 0, 0, 1]));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Shape of the texture.
    pub dim: Dim,
    /// Coordinates.
    pub coord: [f64; 3],
    /// Layer, not rounded yet.
    pub layer: Option<f64>,
    /// Level of detail.
    pub level: Level,
    /// Lowest level of detail.
    pub min_lod: Option<f64>,
    /// Offset in texels.
    pub offset: [i64; 3],
    /// The reference that texels are compared with.
    pub reference: Option<f64>,
}

/// Levels and layers with the coordinates on them.
struct Found {
    /// Coordinates, 0 to 1 unless they are in texels; derivatives alike.
    coord: [f64; 3],
    layer: u32,
    face: Option<usize>,
    level: Level,
}

fn find(v: &Viewed<'_>, q: &Request) -> Found {
    let cube = q.dim == Dim::Cube;
    let layers = if cube { v.layers() / 6 } else { v.layers() };
    let layer = q.layer.map_or(0, |l| l.round_ties_even().clamp(0.0, f64::from(layers.max(1) - 1)) as u32);
    if !cube {
        return Found { coord: q.coord, layer, face: None, level: q.level };
    }
    let r = q.coord.map(|c| if c.is_finite() { c } else { 0.0 });
    let face = cube::face(r);
    let [s, t] = cube::project(face, r);
    let level = match q.level {
        Level::Gradient { dx, dy, bias } => {
            let flat = |d| {
                let [s, t] = cube::gradient(face, r, d);
                [s, t, 0.0]
            };
            Level::Gradient { dx: flat(dx), dy: flat(dy), bias }
        }
        given => given,
    };
    Found { coord: [s, t, 0.0], layer: layer * 6 + face as u32, face: Some(face), level }
}

/// Level of detail before and after clamping, and how far and how often a stretched footprint is sampled.
struct Detail {
    computed: f64,
    clamped: f64,
    stretch: Option<([f64; 3], u32)>,
}

fn detail(v: &Viewed<'_>, s: &Sampler, level: Level, min_lod: Option<f64>) -> Detail {
    let size = v.size(0).map(f64::from);
    let mut stretch = None;
    let (base, bias) = match level {
        Level::Given(lod) => (lod, 0.0),
        Level::Gradient { dx, dy, bias } => {
            let length = |d: [f64; 3]| {
                let sum: f64 = d.iter().zip(size).map(|(d, n)| (d * n) * (d * n)).sum();
                sum.sqrt()
            };
            let (x, y) = (length(dx), length(dy));
            let (long, short, along) = if x > y { (x, y, dx) } else { (y, x, dy) };
            let times = if s.max_anisotropy > 1.0 && long > 0.0 {
                (long / short.max(1e-30)).ceil().clamp(1.0, s.max_anisotropy.floor().min(16.0))
            } else {
                1.0
            };
            if times > 1.0 {
                stretch = Some((along, times as u32));
            }
            ((long / times).log2(), bias)
        }
    };
    let computed = base + (s.lod_bias + bias).clamp(-64.0, 64.0);
    let computed = if computed.is_nan() { 0.0 } else { computed };
    let low = min_lod.unwrap_or(f64::NEG_INFINITY).max(s.min_lod);
    let clamped = if computed < low { low } else { computed };
    Detail { computed, clamped: clamped.min(s.max_lod.max(low)), stretch }
}

/// Nearest level; a half is rounded to the finer one.
fn nearest(lod: f64, last: u32) -> u32 {
    ((lod + 0.5).ceil() - 1.0).clamp(0.0, f64::from(last)) as u32
}

/// The two levels around a level of detail, and the share of the second.
fn two(lod: f64, last: u32) -> (u32, u32, f64) {
    let lod = lod.clamp(0.0, f64::from(last));
    let low = lod.floor();
    (low as u32, (low as u32 + 1).min(last), lod - low)
}

fn unnormalized(s: &Sampler, dim: Dim) -> bool {
    s.unnormalized || dim == Dim::Rect
}

/// Samples the texture.
pub fn sample(v: &Viewed<'_>, s: &Sampler, q: &Request) -> Color {
    let found = find(v, q);
    let lookup = |filter| Lookup { v, s, dim: q.dim, filter, reference: q.reference, offset: q.offset };
    let place = |coord, level| Place {
        coord,
        normalized: !unnormalized(s, q.dim),
        level,
        layer: found.layer,
        face: found.face,
    };
    if unnormalized(s, q.dim) {
        return lookup(s.mag).one(&place(found.coord, 0));
    }
    let d = detail(v, s, found.level, q.min_lod);
    let last = v.levels() - 1;
    if d.clamped <= 0.0 {
        return lookup(s.mag).one(&place(found.coord, 0));
    }
    let lookup = lookup(s.min);
    let levels = |coord| match s.mip {
        Mip::None => lookup.one(&place(coord, 0)),
        Mip::Nearest => lookup.one(&place(coord, nearest(d.clamped, last))),
        Mip::Linear => {
            let (low, high, share) = two(d.clamped, last);
            let a = lookup.one(&place(coord, low));
            if share == 0.0 || low == high { a } else { mix(a, lookup.one(&place(coord, high)), share) }
        }
    };
    match d.stretch {
        Some((along, times)) if s.min == Filter::Linear => {
            // EXT_texture_filter_anisotropic: the mean over the longer axis of the footprint.
            let mut sum = [0.0; 4];
            for i in 1..=times {
                let step = f64::from(i) / f64::from(times + 1) - 0.5;
                let coord = std::array::from_fn(|c| found.coord[c] + along[c] * step);
                match levels(coord) {
                    Color::Float(f) => sum.iter_mut().zip(f).for_each(|(s, f)| *s += f / f64::from(times)),
                    integers => return integers,
                }
            }
            Color::Float(sum)
        }
        _ => levels(found.coord),
    }
}

fn mix(a: Color, b: Color, share: f64) -> Color {
    match (a, b) {
        (Color::Float(a), Color::Float(b)) => {
            Color::Float(std::array::from_fn(|c| a[c] * (1.0 - share) + b[c] * share))
        }
        (a, _) => a,
    }
}

/// One component of the four texels that a linear filter of the base level mixes, or the comparisons of all four.
///
/// `offsets` has an offset for each of them.
pub fn gather(
    v: &Viewed<'_>,
    s: &Sampler,
    q: &Request,
    component: usize,
    offsets: Option<[[i8; 2]; 4]>,
) -> Color {
    let found = find(v, q);
    let place = Place {
        coord: found.coord,
        normalized: !unnormalized(s, q.dim),
        level: 0,
        layer: found.layer,
        face: found.face,
    };
    let lookup = |offset| Lookup { v, s, dim: q.dim, filter: Filter::Linear, reference: q.reference, offset };
    // Counter-clockwise from the lower left: (i0, j1), (i1, j1), (i1, j0), (i0, j0).
    const ORDER: [usize; 4] = [2, 3, 1, 0];
    let four: [Color; 4] = match offsets {
        Some(o) => o.map(|[x, y]| lookup([i64::from(x), i64::from(y), 0]).four(&place)[0]),
        None => {
            let four = lookup(q.offset).four(&place);
            ORDER.map(|i| four[i])
        }
    };
    if let Color::Int(_) = four[0] {
        return Color::Int(four.map(|t| if let Color::Int(i) = t { i[component & 3] } else { 0 }));
    }
    let component = if q.reference.is_some() { 0 } else { component & 3 };
    Color::Float(four.map(|t| if let Color::Float(f) = t { f[component] } else { 0.0 }))
}

/// The result of `textureQueryLod`: the levels that are accessed, and the level of detail as computed.
pub fn query_lod(v: &Viewed<'_>, s: &Sampler, q: &Request) -> [f64; 2] {
    let found = find(v, q);
    let d = detail(v, s, found.level, q.min_lod);
    let last = v.levels() - 1;
    let accessed = match s.mip {
        Mip::None => 0.0,
        _ if d.clamped <= 0.0 => 0.0,
        Mip::Nearest => f64::from(nearest(d.clamped, last)),
        Mip::Linear => d.clamped.clamp(0.0, f64::from(last)),
    };
    [accessed, d.computed.clamp(-1000.0, 1000.0)]
}
