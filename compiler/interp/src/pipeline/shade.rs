//! From primitives in clip coordinates to colours of pixels.

use super::clip::{self, Corner};
use super::depth;
use super::raster::{Area, Bounds, Plane, Point};
use super::{Draw, Pipeline, Stages, State, Stream, Target};
use crate::Fault;
use crate::resources::Resources;
use crate::run::{Fragment, FragmentBatch, FragmentOutput, Primitive, Quad, variables};
use crate::values::{System, Values};
use airfoil_ir::{Modes, Shader, Slot, SystemValue};

/// Quads that are shaded together.
const BATCH: usize = 512;

/// A primitive in the window.
struct Placed {
    area: Area,
    z: Plane,
    /// Added to depths.
    bias: f64,
    inverse_w: Plane,
    layer: u32,
    /// Centre and size of a point.
    point: Option<([f64; 2], f64)>,
    /// What the fragment shader sees of it.
    primitive: Primitive,
}

impl<P: Stages> Pipeline<'_, P> {
    pub(super) fn rasterise(
        &mut self,
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        stream: &Stream,
        target: &mut Target,
    ) -> Result<(), Fault> {
        let [clip, cull] =
            self.last().map_or([0; 2], |p| [p.shader().info.clip_distances, p.shader().info.cull_distances]);
        let last = Distances { clip, cull };
        let Some(fragment) = &mut self.fragment else { return Ok(()) };
        let shading = Shading::of(fragment.shader());
        let declared = declared_colors(fragment.shader(), target.colors.len() as u32);
        for (p, &number) in stream.primitives.iter().zip(&stream.numbers) {
            let corners = stream.corners(p);
            let stated = fragment.shader().info.stated_colors;
            let placed = place(corners, p.provoking, number, last, stated, state, target);
            let Some(placed) = placed else { continue };
            if placed.layer >= target.layers {
                continue;
            }
            let early = fragment.shader().info.early_fragment_tests;
            let mut painter = Painter {
                program: fragment,
                resources,
                system: &draw.system,
                state,
                placed: &placed,
                early,
                declared: &declared,
            };
            painter.paint(&shading, target)?;
        }
        Ok(())
    }
}

/// How many distances the last stage before rasterisation writes.
#[derive(Clone, Copy)]
struct Distances {
    clip: u8,
    cull: u8,
}

/// Elements of clip and cull distances that a shader writes.
fn distances(v: &Values, from: u8, count: u8) -> impl Iterator<Item = f64> + '_ {
    (from..from.saturating_add(count).min(8)).map(move |i| {
        let slot = if i < 4 { Slot::CLIP_DIST0 } else { Slot::CLIP_DIST1 };
        v.get(slot, u32::from(i % 4)).map_or(0.0, |w| f64::from(f32::from_bits(w)))
    })
}

fn corner(v: &Values, last: Distances, state: &State) -> Option<Corner> {
    let position = v.floats(Slot::POSITION)?.map(f64::from);
    let clip = last.clip;
    let distances = if clip > 0 {
        let enabled = |i: &(usize, f64)| state.clip_distances >> i.0 & 1 != 0;
        distances(v, 0, clip).enumerate().filter(enabled).map(|(_, d)| d).collect()
    } else {
        let at = v.floats(Slot::CLIP_VERTEX).map_or(position, |c| c.map(f64::from));
        let dot = |p: &[f64; 4]| (0..4).map(|i| p[i] * at[i]).sum();
        state.clip_planes.iter().flatten().map(dot).collect()
    };
    Some(Corner { position, distances })
}

fn window(c: &Corner, state: &State) -> Point {
    let [x, y, z, w] = c.position;
    // Corners behind the eye matter for interpolation only.
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

/// Clips a primitive, brings it to the window and finds its face; `None` if nothing of it is seen.
fn place(
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
    let culled = |i: usize| {
        vertices.iter().all(|v| distances(v, last.clip, last.cull).nth(i).is_some_and(|d| d < 0.0))
    };
    if (0..usize::from(last.cull)).any(culled) {
        return None;
    }
    let corners: Vec<Corner> = vertices.iter().map(|v| corner(v, last, state)).collect::<Option<_>>()?;
    let whole: Vec<Point> = corners.iter().map(|c| window(c, state)).collect();
    let [vx, vy, width, height] = state.viewport;
    let within = Bounds {
        x0: (vx.floor() as i32).max(0),
        y0: (vy.floor() as i32).max(0),
        x1: ((vx + width).ceil() as i32).min(target.width as i32),
        y1: ((vy + height).ceil() as i32).min(target.height as i32),
    };
    let depth = (!state.depth_clamp).then_some(state.clip_depth);
    let mut front = true;
    let mut sprite = None;
    // The corners of what is left may be too close together to tell the plane well: the whole one is taken where it can be.
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
            (Area::point(whole[0], size, within), vec![whole[0]])
        }
        [_, _] => {
            let points = clip::line(&corners, depth)?.map(|c| window(&c, state));
            (Area::line(points[0], points[1], within), points.to_vec())
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
            (Area::polygon(&points, within), points)
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

/// What a fragment shader does, as far as it matters for what must be executed.
struct Shading {
    /// Executing more or fewer fragments shows.
    effects: bool,
    /// Slots on which alone the colour depends, if it does not depend on the place in the primitive otherwise.
    depends: Option<Vec<Slot>>,
}

/// System values that all fragments of a primitive share.
const SHARED: &[SystemValue] = &[
    SystemValue::front_face,
    SystemValue::primitive_id,
    SystemValue::layer_id,
    SystemValue::viewport_id,
    SystemValue::instance_id,
];

impl Shading {
    fn of(shader: &Shader) -> Shading {
        let Some(g) = &shader.gathered else { return Shading { effects: true, depends: None } };
        let shared = SHARED.iter().fold(0u64, |m, &sv| m | 1 << sv as u32);
        let placeless = !g.writes_memory
            && !g.uses_subgroup
            && !g.uses_sample_shading
            && g.system_values_read & !shared == 0
            && g.outputs_read.is_empty();
        let slots = || g.inputs_read.iter().collect::<Vec<_>>();
        Shading { effects: g.writes_memory, depends: placeless.then(slots) }
    }

    /// Whether all fragments of a primitive give the same.
    fn is_constant(&self, p: &Primitive) -> bool {
        let same = |&slot: &Slot| {
            let at = |v: &Values| [0, 1, 2, 3].map(|c| v.get(slot, c));
            // What no vertex has comes from the place, or is undefined.
            let first = p.vertices.first().map(at);
            first.is_some_and(|f| f != [None; 4]) && p.vertices.iter().all(|v| Some(at(v)) == first)
        };
        self.depends.as_ref().is_some_and(|slots| slots.iter().all(same))
    }
}

/// Shades the fragments of one primitive.
struct Painter<'a, P> {
    program: &'a mut P,
    resources: &'a mut Resources,
    system: &'a System,
    state: &'a State,
    placed: &'a Placed,
    /// Depths are tested before the shader runs.
    early: bool,
    /// Components of the colours that the shader declares.
    declared: &'a [(Slot, u8)],
}

/// Slots and components of the colours that a fragment shader declares and the target has.
fn declared_colors(fragment: &Shader, colors: u32) -> Vec<(Slot, u8)> {
    let outputs = variables(fragment, Modes::OUT);
    outputs
        .iter()
        .filter(|o| o.index == 0 && o.comps <= 4)
        .flat_map(|o| {
            (0..o.num_slots).filter_map(|n| Some((o.slot.offset(n)?, 0xf >> (4 - o.comps) << o.component)))
        })
        .filter(|(slot, _)| *slot == Slot::FRAG_COLOR || slot.as_generic().is_some_and(|n| n < colors))
        .collect()
}

/// The pixel of a fragment of a quad.
fn pixel(quad: [i32; 2], k: usize) -> (i32, i32) {
    (quad[0] + k as i32 % 2, quad[1] + k as i32 / 2)
}

impl<P: Stages> Painter<'_, P> {
    fn paint(&mut self, shading: &Shading, target: &mut Target) -> Result<(), Fault> {
        let placed = self.placed;
        let constant = shading.is_constant(&placed.primitive);
        let bounds = placed.area.bounds();
        let mut quads: Vec<Quad<'_>> = Vec::new();
        let mut covered: Vec<[bool; 4]> = Vec::new();
        let mut same: Option<FragmentOutput> = None;
        for y in (bounds.y0 & !1..bounds.y1).step_by(2) {
            for x in (bounds.x0 & !1..bounds.x1).step_by(2) {
                let here: [bool; 4] = std::array::from_fn(|k| self.covers(pixel([x, y], k), target));
                if here == [false; 4] {
                    continue;
                }
                if let Some(outcome) = &same {
                    for k in (0..4).filter(|&k| here[k]) {
                        self.write(outcome, pixel([x, y], k), target);
                    }
                    continue;
                }
                let wanted = |k: usize| {
                    let (x, y) = pixel([x, y], k);
                    here[k] && target.wants(x, y)
                };
                if !shading.effects && !constant && !(0..4).any(wanted) {
                    continue;
                }
                let fragments =
                    std::array::from_fn(|k| self.fragment(pixel([x, y], k), here[k], target.height));
                quads.push(Quad { primitive: &placed.primitive, pixel: [x, y], fragments });
                covered.push(here);
                if constant || quads.len() >= BATCH {
                    let first = self.run(&quads, &covered, target)?;
                    same = first.filter(|_| constant);
                    quads.clear();
                    covered.clear();
                }
            }
        }
        if !quads.is_empty() {
            self.run(&quads, &covered, target)?;
        }
        Ok(())
    }

    fn covers(&self, (x, y): (i32, i32), target: &Target) -> bool {
        self.placed.area.covers(x, y) && (!self.early || self.passes(self.depth(x, y), (x, y), target))
    }

    /// Executes quads and writes their colours; gives what the first covered fragment made.
    fn run(
        &mut self,
        quads: &[Quad<'_>],
        covered: &[[bool; 4]],
        target: &mut Target,
    ) -> Result<Option<FragmentOutput>, Fault> {
        let batch = FragmentBatch { quads, sample_positions: &[[0.5, 0.5]], system: self.system.clone() };
        let mut first = None;
        for ((quad, covered), outcomes) in
            quads.iter().zip(covered).zip(self.program.fragment(self.resources, &batch)?)
        {
            for (k, outcome) in outcomes.into_iter().enumerate().filter(|(k, _)| covered[*k]) {
                self.write(&outcome, pixel(quad.pixel, k), target);
                first.get_or_insert(outcome);
            }
        }
        Ok(first)
    }

    /// Depth at the centre of a pixel.
    fn depth(&self, x: i32, y: i32) -> f64 {
        let [near, far] = self.state.depth_range;
        let z = self.placed.z.at(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let z = if self.state.depth_unrestricted { z } else { z.clamp(near.min(far), near.max(far)) };
        z + self.placed.bias
    }

    fn fragment(&self, (x, y): (i32, i32), covered: bool, height: u32) -> Fragment {
        let info = &self.program.shader().info;
        let (cx, cy) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
        let turned = info.origin_upper_left != self.state.y_down;
        let seen = if turned { f64::from(height) - cy } else { cy };
        let centre = if info.pixel_center_integer { 0.5 } else { 0.0 };
        let inverse_w = self.placed.inverse_w.at(cx, cy);
        let mut system = System::new();
        if let Some(([px, py], size)) = self.placed.point {
            // OpenGL 4.6 section 14.4.1: t goes down, whichever way the window does.
            let s = 0.5 + (cx - px) / size;
            let t = 0.5 + (cy - py) / size * if self.state.y_down { 1.0 } else { -1.0 };
            let bits = |x: f64| u64::from((x as f32).to_bits());
            system.set(SystemValue::point_coord, [bits(s), bits(t), 0, 0]);
        }
        Fragment {
            coord: [(cx - centre) as f32, (seen - centre) as f32, self.depth(x, y) as f32, inverse_w as f32],
            helper: !covered,
            coverage: u32::from(covered),
            sample: None,
            centroid: [0.0; 2],
            system,
        }
    }

    fn passes(&self, depth: f64, (x, y): (i32, i32), target: &Target) -> bool {
        let at = target.index(x as u32, y as u32, self.placed.layer);
        at.is_none_or(|at| depth::passes(depth, at, self.state, target))
    }

    fn write(&self, outcome: &FragmentOutput, (x, y): (i32, i32), target: &mut Target) {
        if outcome.discarded || outcome.outputs.get(Slot::SAMPLE_MASK, 0).is_some_and(|m| m & 1 == 0) {
            return;
        }
        let Some(at) = target.index(x as u32, y as u32, self.placed.layer) else { return };
        let own = outcome.outputs.get(Slot::DEPTH, 0).filter(|_| !self.early);
        let depth = own.map_or_else(|| self.depth(x, y), |w| f64::from(f32::from_bits(w)));
        if !depth::passes(depth, at, self.state, target) {
            return;
        }
        // Without a test nothing is written (OpenGL 4.6 section 17.3.4).
        if self.state.depth_test.is_some()
            && self.state.depth_write
            && let Some(old) = target.depth.as_mut().and_then(|d| d.get_mut(at))
        {
            *old = depth::kept(depth, self.state, target.depth_format);
        }
        if self.declared.iter().any(|&(slot, want)| outcome.outputs.defined(slot) & want != want) {
            target.undefined += 1;
        }
        for (n, pixels) in (0u32..).zip(&mut target.colors) {
            for (slot, source, words, mask) in outcome.outputs.iter() {
                if source != 0 || (slot != Slot::FRAG_COLOR && Some(slot) != Slot::generic(n)) {
                    continue;
                }
                for c in (0..4).filter(|c| mask >> c & 1 != 0) {
                    pixels[at][c] = words[c];
                }
            }
        }
    }
}
