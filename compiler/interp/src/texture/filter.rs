//! One level of one layer or face: the nearest texel, or the mean of the two, four or eight around a location.

use super::cube;
use super::format::{Color, Encoding};
use super::image::Viewed;
use super::sampler::{Filter, Sampler, Wrap};
use super::wrap::{coordinate, floor, wrap};
use airfoil_ir::Dim;

/// How texels are looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookup<'a> {
    pub(crate) v: &'a Viewed<'a>,
    pub(crate) s: &'a Sampler,
    pub(crate) dim: Dim,
    pub(crate) filter: Filter,
    pub(crate) reference: Option<f64>,
    pub(crate) offset: [i64; 3],
}

/// A location in a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) coord: [f64; 3],
    pub(crate) normalized: bool,
    pub(crate) level: u32,
    pub(crate) layer: u32,
    pub(crate) face: Option<usize>,
}

impl Lookup<'_> {
    fn dims(&self) -> usize {
        match self.dim {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D3 => 3,
            _ => 2,
        }
    }

    fn wraps(&self) -> [Wrap; 3] {
        // OpenGL 4.6 section 8.14.1: seamless cubes have wrapping of their own; others clamp at the least.
        if self.dim == Dim::Cube { [Wrap::ClampToEdge; 3] } else { self.s.wrap }
    }

    /// Coordinates in texels.
    fn texels(&self, place: &Place) -> ([f64; 3], [i64; 3]) {
        let size = self.v.size(place.level).map(i64::from);
        let mut u = [0.0; 3];
        for (c, u) in u.iter_mut().enumerate().take(self.dims()) {
            let scale = if place.normalized { size[c] as f64 } else { 1.0 };
            *u = coordinate(self.wraps()[c], place.coord[c] * scale, size[c]);
        }
        (u, size)
    }

    /// A texel, wrapped, compared if there is a comparison; `None` beyond the corner of a seamless cube.
    fn texel(&self, place: &Place, at: [i64; 3], size: [i64; 3]) -> Option<Color> {
        let mut layer = place.layer;
        let mut to = [0; 3];
        let mut border = false;
        if let (Some(face), true) = (place.face, self.s.seamless) {
            let (other, x, y) = cube::neighbour(face, at[0], at[1], size[0])?;
            layer = layer - face as u32 + other as u32;
            to = [x, y, 0];
        } else {
            for c in 0..self.dims() {
                match wrap(self.wraps()[c], at[c], size[c]) {
                    Some(i) => to[c] = i,
                    None => border = true,
                }
            }
        }
        let integer = self.v.format().is_integer();
        let outside = || match integer {
            true => self.v.swizzle(Color::Int(self.s.border_int)),
            false => self.v.swizzle(Color::Float(self.s.border)),
        };
        let texel = if border { None } else { self.v.texel(place.level, layer, to, 0) };
        Some(self.compared(texel.unwrap_or_else(outside)))
    }

    fn compared(&self, texel: Color) -> Color {
        let (Some(reference), Some(compare), Color::Float([depth, ..])) =
            (self.reference, self.s.compare, texel)
        else {
            return texel;
        };
        // OpenGL 4.6 section 8.23.1: the reference is clamped where the depth is normalised.
        let normalised = self.v.format().info().encoding == Encoding::Unorm;
        let reference = if normalised { reference.clamp(0.0, 1.0) } else { reference };
        let is = if compare.test(reference, depth) { 1.0 } else { 0.0 };
        Color::Float([is, is, is, is])
    }

    /// The value at a location.
    pub(crate) fn one(&self, place: &Place) -> Color {
        let (u, size) = self.texels(place);
        let n = self.dims();
        if self.filter == Filter::Nearest || self.v.format().is_integer() {
            let mut at = [0; 3];
            for c in 0..n {
                at[c] = floor(u[c]) + self.offset[c];
                // A face coordinate of 1 is on the last texel, not on the next face; `GL_CLAMP` clamps to texels here.
                if place.face.is_some() || self.wraps()[c] == Wrap::Clamp {
                    at[c] = at[c].clamp(0, size[c] - 1);
                }
            }
            return self.texel(place, at, size).unwrap_or(Color::Float([0.0; 4]));
        }
        let mut low = [0; 3];
        let mut share = [0.0; 3];
        for c in 0..n {
            let at = u[c] - 0.5;
            low[c] = floor(at) + self.offset[c];
            share[c] = at - at.floor();
        }
        if place.face.is_some() {
            return mean_of_four(&self.quad(place, low, size), share);
        }
        let mut sum = [0.0; 4];
        for corner in 0..1 << n {
            let mut weight = 1.0;
            let mut at = [0; 3];
            for c in 0..n {
                let high = corner >> c & 1;
                at[c] = low[c] + high;
                weight *= if high == 1 { share[c] } else { 1.0 - share[c] };
            }
            if weight == 0.0 {
                continue;
            }
            if let Some(Color::Float(f)) = self.texel(place, at, size) {
                sum.iter_mut().zip(f).for_each(|(s, f)| *s += weight * f);
            }
        }
        Color::Float(sum)
    }

    /// The four texels from `low` to the right and up; a texel beyond a corner is the mean of the others.
    fn quad(&self, place: &Place, low: [i64; 3], size: [i64; 3]) -> [Color; 4] {
        let four: [Option<Color>; 4] = std::array::from_fn(|i| {
            self.texel(place, [low[0] + (i & 1) as i64, low[1] + (i >> 1) as i64, 0], size)
        });
        let mut sum = [0.0; 4];
        for t in four.iter().flatten() {
            if let Color::Float(f) = t {
                sum.iter_mut().zip(f).for_each(|(s, f)| *s += f / 3.0);
            }
        }
        four.map(|t| t.unwrap_or(Color::Float(sum)))
    }

    /// The four texels that a linear filter mixes: (i0, j0), (i1, j0), (i0, j1), (i1, j1).
    pub(crate) fn four(&self, place: &Place) -> [Color; 4] {
        let (u, size) = self.texels(place);
        let low = std::array::from_fn(|c| floor(u[c] - 0.5) + self.offset[c]);
        self.quad(place, low, size)
    }
}

fn mean_of_four(four: &[Color; 4], share: [f64; 3]) -> Color {
    let mut sum = [0.0; 4];
    for (i, t) in four.iter().enumerate() {
        let x = if i & 1 == 1 { share[0] } else { 1.0 - share[0] };
        let y = if i >> 1 == 1 { share[1] } else { 1.0 - share[1] };
        if let Color::Float(f) = t
            && x * y != 0.0
        {
            sum.iter_mut().zip(f).for_each(|(s, f)| *s += x * y * f);
        }
    }
    Color::Float(sum)
}
