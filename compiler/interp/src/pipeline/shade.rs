//! Fragments of primitives in quads, shaded once per pixel or once per sample.

use super::fetch::{self, Fetched};
use super::place::{Distances, place};
use super::samples;
use super::write::{Covered, Writer};
use super::{Draw, Pipeline, Stages, State, Stream, Target};
use crate::fault::Fault;
use crate::resources::Resources;
use crate::run::{Fragment, FragmentBatch, FragmentOutput, InitialColor, Primitive, Quad, variables};
use crate::values::{System, Values};
use airfoil_ir::{Modes, Shader, Slot, SystemValue};
use smallvec::SmallVec;

/// Quads that are shaded together.
const BATCH: usize = 512;

impl<P: Stages> Pipeline<'_, P> {
    pub(super) fn rasterise(
        &mut self,
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        stream: &Stream,
        target: &mut Target,
    ) -> Result<(), Fault> {
        let last = self.last().map(|p| Distances::of(p.shader())).unwrap_or_default();
        let Some(fragment) = &mut self.fragment else { return Ok(()) };
        let Some(positions) = samples::positions(target.samples) else {
            return Err(Fault::unsupported(format!("there are no pixels of {} samples", target.samples)));
        };
        let shading = Shading::of(fragment.shader());
        let per_sample = target.samples > 1 && samples::runs_per_sample(fragment.shader());
        let fetched = fetch::outputs(fragment.shader());
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
            let writer = Writer { state, placed: &placed, early, declared: &declared, positions };
            let (system, fetched) = (&draw.system, &fetched);
            let mut painter = Painter { program: fragment, resources, system, writer, per_sample, fetched };
            painter.paint(&shading, target)?;
        }
        Ok(())
    }
}

/// Properties of a fragment shader that decide which invocations must be executed.
struct Shading {
    /// Executing more or fewer fragments shows.
    effects: bool,
    /// The only slots on which the colour depends, if it does not depend on the position in the primitive otherwise.
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
            // Values that no vertex has come from the position, or are undefined.
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
    writer: Writer<'a>,
    /// The shader runs once per sample.
    per_sample: bool,
    /// Outputs whose initial values the shader reads.
    fetched: &'a [Fetched],
}

/// Quads to be shaded, and the samples that each of their fragments is written to.
#[derive(Default)]
struct Waiting<'a> {
    quads: Vec<Quad<'a>>,
    covered: Vec<[u32; 4]>,
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

impl<'a, P: Stages> Painter<'a, P> {
    fn paint(&mut self, shading: &Shading, target: &mut Target) -> Result<(), Fault> {
        let placed = self.writer.placed;
        let constant = shading.is_constant(&placed.primitive);
        let bounds = placed.area.bounds();
        let mut waiting = Waiting::default();
        let mut same: Option<FragmentOutput> = None;
        for y in (bounds.y0 & !1..bounds.y1).step_by(2) {
            for x in (bounds.x0 & !1..bounds.x1).step_by(2) {
                let here = [0, 1, 2, 3].map(|k| self.writer.coverage(pixel([x, y], k), target));
                if here == [0; 4] {
                    continue;
                }
                if let Some(outcome) = &same {
                    for (k, samples) in here.into_iter().enumerate() {
                        let covered = Covered { pixel: pixel([x, y], k), samples };
                        self.writer.write(outcome, covered, target);
                    }
                    continue;
                }
                let wanted = |k: usize| {
                    let (x, y) = pixel([x, y], k);
                    here[k] != 0 && target.wants(x, y)
                };
                if !shading.effects && !constant && !(0..4).any(wanted) {
                    continue;
                }
                self.quads([x, y], here, target, &mut waiting);
                if constant || waiting.quads.len() >= BATCH {
                    let first = self.run(&mut waiting, target)?;
                    same = first.filter(|_| constant);
                }
            }
        }
        self.run(&mut waiting, target)?;
        Ok(())
    }

    /// Adds the invocations of a quad: one per pixel, or one for each sample that any of the pixels has.
    fn quads(&self, at: [i32; 2], here: [u32; 4], target: &Target, to: &mut Waiting<'a>) {
        let primitive = &self.writer.placed.primitive;
        let mut add = |covered: [u32; 4], sample: Option<u32>| {
            let fragments = std::array::from_fn(|k| self.fragment(pixel(at, k), covered[k], sample, target));
            to.quads.push(Quad { primitive, pixel: at, fragments });
            to.covered.push(covered);
        };
        if !self.per_sample {
            return add(here, None);
        }
        let any = here.iter().fold(0, |all, mask| all | mask);
        for n in (0..u32::BITS).filter(|n| any >> n & 1 != 0) {
            add(here.map(|mask| mask & 1 << n), Some(n));
        }
    }

    /// Executes the quads that wait and writes their colours; returns the outputs of the first covered fragment.
    fn run(
        &mut self,
        waiting: &mut Waiting<'a>,
        target: &mut Target,
    ) -> Result<Option<FragmentOutput>, Fault> {
        let Waiting { quads, covered } = std::mem::take(waiting);
        if quads.is_empty() {
            return Ok(None);
        }
        let positions: SmallVec<[[f32; 2]; 16]> =
            self.writer.positions.iter().map(|&p| samples::place(p).map(|x| x as f32)).collect();
        let batch =
            FragmentBatch { quads: &quads, sample_positions: &positions, system: self.system.clone() };
        let outcomes = self.program.fragment(self.resources, &batch)?;
        let mut first = None;
        for ((quad, covered), outcomes) in quads.iter().zip(covered).zip(outcomes) {
            for (k, outcome) in outcomes.into_iter().enumerate().filter(|(k, _)| covered[*k] != 0) {
                let covered = Covered { pixel: pixel(quad.pixel, k), samples: covered[k] };
                self.writer.write(&outcome, covered, target);
                first.get_or_insert(outcome);
            }
        }
        Ok(first)
    }

    /// An invocation for a pixel, or for one of its samples, with the samples that it covers.
    fn fragment(&self, (x, y): (i32, i32), covered: u32, sample: Option<u32>, target: &Target) -> Fragment {
        let Writer { state, placed, positions, .. } = self.writer;
        let info = &self.program.shader().info;
        let at = sample.and_then(|n| positions.get(n as usize)).map_or([0.5; 2], |&p| samples::place(p));
        let (cx, cy) = (f64::from(x) + at[0], f64::from(y) + at[1]);
        let turned = info.origin_upper_left != state.y_down;
        let seen = if turned { f64::from(target.height) - cy } else { cy };
        let centre = if info.pixel_center_integer { 0.5 } else { 0.0 };
        let inverse_w = placed.inverse_w.at(cx, cy);
        let mut system = System::new();
        if let Some(([px, py], size)) = placed.point {
            // OpenGL 4.6 section 14.4.1: t increases downward, whichever way the window does.
            let s = 0.5 + (cx - px) / size;
            let t = 0.5 + (cy - py) / size * if state.y_down { 1.0 } else { -1.0 };
            let bits = |x: f64| u64::from((x as f32).to_bits());
            system.set(SystemValue::point_coord, [bits(s), bits(t), 0, 0]);
        }
        let depth = self.writer.depth((x, y), at);
        Fragment {
            coord: [(cx - centre) as f32, (seen - centre) as f32, depth as f32, inverse_w as f32],
            helper: covered == 0,
            coverage: covered,
            sample,
            centroid: match sample {
                Some(_) => at.map(|x| x as f32 - 0.5),
                None => samples::centroid(covered, positions),
            },
            system,
            colors: self.colors((x, y), sample, target),
        }
    }

    /// The colours of the attachments at a pixel; none outside of the target.
    fn colors(&self, (x, y): (i32, i32), sample: Option<u32>, target: &Target) -> Vec<InitialColor> {
        if self.fetched.is_empty() {
            return Vec::new();
        }
        let at = u32::try_from(x).ok().zip(u32::try_from(y).ok());
        let first = at.and_then(|(x, y)| target.index(x, y, self.writer.placed.layer));
        let Some(first) = first else { return Vec::new() };
        let texel = first + sample.unwrap_or(0) as usize;
        let color = |f: &Fetched| {
            let color = *target.colors.get(f.attachment)?.get(texel)?;
            Some(InitialColor { slot: f.slot, color, is_written: f.is_written })
        };
        self.fetched.iter().filter_map(color).collect()
    }
}
