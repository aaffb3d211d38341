//! Triangles to quads of fragments, one sample a pixel.
//!
//! Corners are snapped to 1/256 of a pixel and coverage is exact, with the rule of top and left edges: neighbours never
//! shade a pixel twice (Vulkan 1.3, "Basic Polygon Rasterization"). There is no clipping against planes other than
//! the framebuffer's; triangles behind the eye are refused.

use airfoil_interp::run::{Fragment, Primitive, Quad};
use airfoil_interp::{System, Values};
use airfoil_ir::{Slot, SystemValue};

/// Where pixels are.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Width and height of the framebuffer.
    pub size: [u32; 2],
    /// Corner and size of the viewport.
    pub viewport: [f64; 4],
    /// Depths of 0 and 1.
    pub depth: [f64; 2],
}

/// A triangle in the window.
#[derive(Clone, Debug)]
pub struct Triangle {
    /// For the fragment shader.
    pub primitive: Primitive,
    corners: [[i64; 2]; 3],
    depth: [f64; 3],
    inverse_w: [f64; 3],
}

const SUBPIXELS: f64 = 256.0;

impl Triangle {
    /// Sets a triangle up; `None` if it covers nothing or a corner has no position.
    ///
    /// # Errors
    /// A corner at or behind the eye, or far away.
    pub fn new(vertices: &[Values; 3], number: u64, window: &Window) -> Result<Option<Triangle>, String> {
        let (mut corners, mut depth, mut inverse_w) = ([[0i64; 2]; 3], [0.0; 3], [0.0; 3]);
        let mut places = Vec::with_capacity(3);
        for (n, v) in vertices.iter().enumerate() {
            // A position that was never written may be anywhere.
            let Some(position) = v.floats(Slot::POSITION) else { return Ok(None) };
            let [x, y, z, w] = position.map(f64::from);
            if w.is_nan() || w <= 0.0 {
                return Err("triangles behind the eye are not clipped".into());
            }
            let [left, top, width, height] = window.viewport;
            let place = [(x / w + 1.0) / 2.0 * width + left, (y / w + 1.0) / 2.0 * height + top];
            if place.iter().any(|p| p.is_nan() || p.abs() > 1e6) {
                return Err("a vertex is too far away".into());
            }
            corners[n] = place.map(|p| (p * SUBPIXELS).round() as i64);
            depth[n] = window.depth[0] + (window.depth[1] - window.depth[0]) * (z / w);
            inverse_w[n] = 1.0 / w;
            places.push(corners[n].map(|p| p as f64 / SUBPIXELS));
        }
        let area = edge(corners[0], corners[1], corners[2]);
        if area == 0 {
            return Ok(None);
        }
        let mut system = System::new();
        // The front is counter-clockwise; y points down.
        system.set(SystemValue::front_face, [u64::from(area < 0), 0, 0, 0]);
        system.set(SystemValue::primitive_id, [number, 0, 0, 0]);
        let primitive = Primitive {
            vertices: vertices.to_vec(),
            window: places,
            inverse_w: inverse_w.to_vec(),
            provoking: 0,
            values: Values::new(),
            system,
        };
        Ok(Some(Triangle { primitive, corners, depth, inverse_w }))
    }

    /// Weights of the corners at the centre of a pixel, before the division by their sum; inside none is negative.
    fn weights(&self, [x, y]: [i64; 2]) -> ([i64; 3], bool) {
        let centre = [x, y].map(|p| p * SUBPIXELS as i64 + SUBPIXELS as i64 / 2);
        let [a, b, c] = self.corners;
        let sign = edge(a, b, c).signum();
        let sides = [(b, c), (c, a), (a, b)];
        let weights = sides.map(|(from, to)| edge(from, to, centre) * sign);
        let covered = weights.iter().zip(sides).all(|(w, (from, to))| {
            let [dx, dy] = [(to[0] - from[0]) * sign, (to[1] - from[1]) * sign];
            // Clockwise with y down: the inside is to the right; left edges go up, top edges to the right.
            let top_left = dy < 0 || dy == 0 && dx > 0;
            *w > 0 || *w == 0 && top_left
        });
        (weights, covered)
    }

    /// Largest change of depth from a pixel to the next, for biases.
    pub fn slope(&self) -> f64 {
        let at = |p| self.depth_at(self.weights(p).0);
        let middle = at([0, 0]);
        (at([1, 0]) - middle).abs().max((at([0, 1]) - middle).abs())
    }

    /// Largest depth of a corner.
    pub fn max_depth(&self) -> f64 {
        self.depth.iter().fold(f64::MIN, |a, &b| a.max(b))
    }

    fn depth_at(&self, weights: [i64; 3]) -> f64 {
        mix(self.depth, weights)
    }

    /// All quads with a covered pixel, row after row; `bias` is added to depths.
    pub fn quads(&self, window: &Window, bias: f64) -> Vec<Quad<'_>> {
        let bound = |axis: usize| {
            let all = self.corners.map(|c| c[axis]);
            let least = all.iter().min().map_or(0, |n| n.div_euclid(SUBPIXELS as i64)).max(0);
            let most = all.iter().max().map_or(0, |n| n.div_euclid(SUBPIXELS as i64) + 1);
            (least & !1, most.min(i64::from(window.size[axis])))
        };
        let (left, right) = bound(0);
        let (top, bottom) = bound(1);
        let mut quads = Vec::new();
        for y in (top..bottom).step_by(2) {
            for x in (left..right).step_by(2) {
                let pixels: [[i64; 2]; 4] =
                    std::array::from_fn(|k| [x + (k as i64 & 1), y + (k as i64 >> 1)]);
                let weights = pixels.map(|p| self.weights(p));
                let visible = |k: usize| {
                    weights[k].1
                        && pixels[k][0] < i64::from(window.size[0])
                        && pixels[k][1] < i64::from(window.size[1])
                };
                if !(0..4).any(visible) {
                    continue;
                }
                let fragments = std::array::from_fn(|k| {
                    let depth = self.depth_at(weights[k].0) + bias;
                    let w = mix(self.inverse_w, weights[k].0);
                    let [px, py] = pixels[k].map(|p| p as f32 + 0.5);
                    let covered = visible(k);
                    Fragment {
                        coord: [px, py, depth as f32, w as f32],
                        helper: !covered,
                        coverage: u32::from(covered),
                        ..Fragment::default()
                    }
                });
                quads.push(Quad { primitive: &self.primitive, pixel: [x as i32, y as i32], fragments });
            }
        }
        quads
    }
}

/// A mean with weights.
fn mix(values: [f64; 3], weights: [i64; 3]) -> f64 {
    let sum: i64 = weights.iter().sum();
    if values[0] == values[1] && values[1] == values[2] {
        return values[0];
    }
    values.iter().zip(weights).map(|(v, w)| v * w as f64).sum::<f64>() / sum as f64
}

/// Twice the signed area.
fn edge(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(x: f32, y: f32, z: f32) -> Values {
        let mut v = Values::new();
        v.set_floats(Slot::POSITION, [x, y, z, 1.0]);
        v
    }

    #[test]
    fn two_triangles_of_a_square_cover_each_pixel_once() {
        let window = Window { size: [7, 5], viewport: [0.0, 0.0, 7.0, 5.0], depth: [0.0, 1.0] };
        let [a, b, c, d] =
            [(-1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (1.0, -1.0)].map(|(x, y)| vertex(x, y, 0.25));
        let mut count = [[0; 7]; 5];
        for corners in [[a, b.clone(), c.clone()], [b, d, c]] {
            let t = Triangle::new(&corners, 0, &window).unwrap().unwrap();
            for quad in t.quads(&window, 0.0) {
                for (k, f) in quad.fragments.iter().enumerate().filter(|(_, f)| !f.helper) {
                    assert_eq!(f.coord[2], 0.25);
                    let [x, y] = [quad.pixel[0] as usize + (k & 1), quad.pixel[1] as usize + (k >> 1)];
                    assert_eq!(f.coord[..2], [x as f32 + 0.5, y as f32 + 0.5]);
                    count[y][x] += 1;
                }
            }
        }
        assert_eq!(count, [[1; 7]; 5]);
    }

    #[test]
    fn depth_is_linear_and_edges_on_centres_belong_to_one() {
        let window = Window { size: [4, 4], viewport: [0.0, 0.0, 4.0, 4.0], depth: [0.0, 1.0] };
        let t = Triangle::new(
            &[vertex(-1.0, -1.0, 0.0), vertex(3.0, -1.0, 1.0), vertex(-1.0, 3.0, 0.0)],
            0,
            &window,
        );
        let t = t.unwrap().unwrap();
        let first = &t.quads(&window, 0.0)[0].fragments;
        assert_eq!((first[0].coord[2], first[1].coord[2]), (0.0625, 0.1875));
        assert_eq!((t.slope(), t.max_depth()), (0.125, 1.0));
        let flat = [vertex(0.0, 0.0, 0.0), vertex(0.5, 0.0, 0.0), vertex(1.0, 0.0, 0.0)];
        assert!(Triangle::new(&flat, 0, &window).unwrap().is_none());
        let mut behind = vertex(0.0, 0.0, 0.0);
        behind.set_floats(Slot::POSITION, [0.0, 0.0, 0.0, -1.0]);
        assert!(Triangle::new(&[behind, vertex(1.0, 0.0, 0.0), vertex(0.0, 1.0, 0.0)], 0, &window).is_err());
    }
}
