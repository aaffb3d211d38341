//! Primitives in clip coordinates are transformed to the window: clipped, divided, culled, and given their colours.

use super::clip::{self, Corner};
use super::raster::{Area, Bounds, Plane, Point};
use super::{State, Target};
use crate::run::Primitive;
use crate::values::{System, Values};
use airfoil_ir::{Form, Modes, Shader, Slot, SystemValue, Variable};

/// A primitive in the window.
pub(super) struct Placed {
    pub(super) area: Area,
    pub(super) z: Plane,
    /// Added to depths.
    pub(super) bias: f64,
    pub(super) inverse_w: Plane,
    pub(super) layer: u32,
    pub(super) front: bool,
    /// Centre and size of a point.
    pub(super) point: Option<([f64; 2], f64)>,
    /// The part that the fragment shader sees.
    pub(super) primitive: Primitive,
}

/// How many distances the last stage before rasterisation writes.
#[derive(Clone, Copy, Default)]
pub(super) struct Distances {
    clip: u8,
    cull: u8,
    /// The cull distances have slots of their own, which they have until `lower_clip_distance_arrays`.
    apart: bool,
}

impl Distances {
    /// Those that a shader writes.
    pub(super) fn of(shader: &Shader) -> Distances {
        let info = &shader.info;
        if shader.form != Form::Variables || info.clip_distances != 0 || info.cull_distances != 0 {
            return Distances { clip: info.clip_distances, cull: info.cull_distances, apart: false };
        }
        let length = |slot| {
            let at = |v: &&Variable| v.mode == Modes::OUT && v.location == Some(slot);
            let var = shader.vars.values().find(at);
            var.and_then(|v| shader.types.num_elements(v.ty)).unwrap_or(0).min(8) as u8
        };
        Distances { clip: length(Slot::CLIP_DIST0), cull: length(Slot::CULL_DIST0), apart: true }
    }

    /// Clip distances of a vertex.
    fn clip<'v>(&self, v: &'v Values) -> impl Iterator<Item = f64> + use<'v> {
        distances(v, Slot::CLIP_DIST0, 0, self.clip)
    }

    /// Cull distances of a vertex.
    fn cull<'v>(&self, v: &'v Values) -> impl Iterator<Item = f64> + use<'v> {
        match self.apart {
            true => distances(v, Slot::CULL_DIST0, 0, self.cull),
            false => distances(v, Slot::CLIP_DIST0, self.clip, self.cull),
        }
    }
}

/// Elements of the array of distances that begins at a slot.
fn distances(v: &Values, first: Slot, from: u8, count: u8) -> impl Iterator<Item = f64> + use<'_> {
    (from..from.saturating_add(count).min(8)).map(move |i| {
        let slot = if i < 4 { first } else { Slot(first.0 + 1) };
        v.get(slot, u32::from(i % 4)).map_or(0.0, |w| f64::from(f32::from_bits(w)))
    })
}

fn corner(v: &Values, last: Distances, state: &State) -> Option<Corner> {
    let position = v.floats(Slot::POSITION)?.map(f64::from);
    let distances = if last.clip > 0 {
        let enabled = |i: &(usize, f64)| state.clip_distances >> i.0 & 1 != 0;
        last.clip(v).enumerate().filter(enabled).map(|(_, d)| d).collect()
    } else {
        let at = v.floats(Slot::CLIP_VERTEX).map_or(position, |c| c.map(f64::from));
        let dot = |p: &[f64; 4]| (0..4).map(|i| p[i] * at[i]).sum();
        state.clip_planes.iter().flatten().map(dot).collect()
    };
    Some(Corner { position, distances })
}

fn window(c: &Corner, state: &State) -> Point {
    let [x, y, z, w] = c.position;
    // Corners with negative w matter for interpolation only.
    let inverse_w = if w == 0.0 { 1e9 } else { 1.0 / w };
    let [vx, vy, width, height] = state.viewport;
    let [near, far] = state.depth_range;
    let depth = match state.clip_depth {
        clip::ClipDepth::MinusOneToOne => (z * inverse_w).mul_add(0.5, 0.5),
        clip::ClipDepth::ZeroToOne => z * inverse_w,
    };
    Point {
        x: vx + (x * inverse_w + 1.0) * 0.5 * width,
        y: vy + (y * inverse_w + 1.0) * 0.5 * height,
        z: near + depth * (far - near),
        inverse_w,
    }
}

/// Clips a primitive, transforms it to the window and finds its face; `None` if it is not visible.
pub(super) fn place(
    mut vertices: Vec<Values>,
    provoking: usize,
    number: u32,
    last: Distances,
    stated_colors: u8,
    state: &State,
    target: &Target,
) -> Option<Placed> {
    // Of lines and triangles with neighbours, these are left out where no geometry shader takes them.
    let mut provoking = provoking;
    match vertices.len() {
        4 => {
            vertices = vertices.drain(1..3).collect();
            provoking = provoking.saturating_sub(1);
        }
        6 => {
            vertices = vertices.into_iter().step_by(2).collect();
            provoking /= 2;
        }
        _ => {}
    }
    let culled = |i: usize| vertices.iter().all(|v| last.cull(v).nth(i).is_some_and(|d| d < 0.0));
    if (0..usize::from(last.cull)).any(culled) {
        return None;
    }
    let corners: Vec<Corner> = vertices.iter().map(|v| corner(v, last, state)).collect::<Option<_>>()?;
    let whole: Vec<Point> = corners.iter().map(|c| window(c, state)).collect();
    let [vx, vy, width, height] = state.viewport;
    // A negative size flips the image.
    let within = Bounds {
        x0: (vx.min(vx + width).floor() as i32).max(0),
        y0: (vy.min(vy + height).floor() as i32).max(0),
        x1: (vx.max(vx + width).ceil() as i32).min(target.width as i32),
        y1: (vy.max(vy + height).ceil() as i32).min(target.height as i32),
    };
    let depth = (!state.depth_clamp).then_some(state.clip_depth);
    let mut front = true;
    let mut sprite = None;
    // The corners of the clipped polygon may be too close together to determine the plane: the whole one is taken where it can be.
    let plane = |left: &[Point]| {
        Plane::through(if corners.iter().all(|c| c.position[3] > 0.0) { &whole } else { left }, |p| p.z)
    };
    let mut bias = 0.0;
    let (area, points) = match corners.as_slice() {
        [only] => {
            if !clip::point(only, depth) {
                return None;
            }
            let written = vertices[0].get(Slot::POINT_SIZE, 0).filter(|_| state.shader_point_size);
            let size = written.map_or(state.point_size, |w| f64::from(f32::from_bits(w)));
            sprite = Some(([whole[0].x, whole[0].y], size.clamp(1.0, 2048.0)));
            let square = if target.samples > 1 { Area::square } else { Area::point };
            (square(whole[0], size, within), vec![whole[0]])
        }
        [_, _] => {
            let points = clip::line(&corners, depth)?.map(|c| window(&c, state));
            let line = if target.samples > 1 { Area::wide_line } else { Area::line };
            (line(points[0], points[1], within), points.to_vec())
        }
        _ => {
            let left = clip::polygon(&corners, depth);
            if left.len() < 3 {
                return None;
            }
            let points: Vec<Point> = left.iter().map(|c| window(c, state)).collect();
            let twice: f64 = (0..points.len())
                .map(|i| (&points[i], &points[(i + 1) % points.len()]))
                .map(|(a, b)| a.x * b.y - b.x * a.y)
                .sum();
            let clockwise = (twice < 0.0) != state.y_down;
            front = clockwise == state.front_clockwise;
            if (front && state.cull_front) || (!front && state.cull_back) {
                return None;
            }
            if let Some(b) = state.depth_bias {
                let max = points.iter().map(|p| p.z).fold(f64::MIN, f64::max);
                bias = b.of(&plane(&points), max, target.depth_format);
            }
            let area = if state.fill_rectangle {
                Area::around(&points, within)
            } else {
                Area::polygon(&points, within)
            };
            (area, points)
        }
    };
    compatible_colors(&mut vertices, provoking, front, stated_colors, state);
    let shown = vertices.get(provoking)?;
    let layer = shown.get(Slot::LAYER, 0).unwrap_or(0);
    let viewport = shown.get(Slot::VIEWPORT, 0).unwrap_or(0);
    let system = System::new()
        .with(SystemValue::front_face, u64::from(front))
        .with(SystemValue::primitive_id, u64::from(shown.get(Slot::PRIMITIVE_ID, 0).unwrap_or(number)))
        .with(SystemValue::layer_id, u64::from(layer))
        .with(SystemValue::viewport_id, u64::from(viewport));
    Some(Placed {
        z: plane(&points),
        bias,
        inverse_w: Plane::through(&whole, |p| p.inverse_w),
        area,
        layer,
        front,
        point: sprite,
        primitive: Primitive {
            window: whole.iter().map(|p| [p.x, p.y]).collect(),
            inverse_w: whole.iter().map(|p| p.inverse_w).collect(),
            vertices,
            provoking,
            values: Values::new(),
            system,
        },
    })
}

/// Colours of the compatibility profile: the side's, clamped, flat unless the shader states an interpolation.
fn compatible_colors(vertices: &mut [Values], provoking: usize, front: bool, stated: u8, state: &State) {
    for (bit, shown, back) in [(1, Slot::COLOR0, Slot::BACK_COLOR0), (2, Slot::COLOR1, Slot::BACK_COLOR1)] {
        for v in vertices.iter_mut() {
            let side = if !front && state.two_sided { back } else { shown };
            let Some(mut color) = v.floats(side) else { continue };
            if state.clamp_colors {
                color = color.map(|x| x.clamp(0.0, 1.0));
            }
            v.set_floats(shown, color);
        }
        if state.flat_colors
            && stated & bit == 0
            && let Some(color) = vertices.get(provoking).and_then(|v| v.floats(shown))
        {
            vertices.iter_mut().for_each(|v| v.set_floats(shown, color));
        }
    }
}
