//! Emulates clip and cull distances over the stages of a pipeline, for devices that have none.
//!
//! Runs over all shaders of a pipeline, in the form `variables` and in order of the stages; shaders in later forms stay
//! as they are. Afterwards no stage has clip or cull distances, and the interfaces of all stages still agree:
//!
//! * Distances that a tessellation or geometry shader reads become varyings on both sides
//!   ([`clip_distances_to_locations`](super::clip_distances_to_locations)). Only the last stage before rasterisation
//!   clips.
//! * Distances that the fragment shader reads become varyings as well
//!   ([`clip_distances_to_varyings`](super::clip_distances_to_varyings),
//!   [`clip_distances_from_varyings`](super::clip_distances_from_varyings)).
//! * In the form `exact`, clip distances become a discard in the fragment shader
//!   ([`clip_distances_to_discard`](super::clip_distances_to_discard)). The forms `points` and `whole_primitive` change
//!   the position instead ([`clip_distances_to_position`](super::clip_distances_to_position)); `whole_primitive` is
//!   **approximate**.
//! * After a geometry shader that emits points, or tessellation to points, the form is always `points`: each primitive has
//!   one vertex, so both kinds of distances are exact there without the fragment shader.
//! * Cull distances become flags and a discard ([`cull_distances_to_varyings`](super::cull_distances_to_varyings),
//!   [`cull_distances_to_discard`](super::cull_distances_to_discard)), except in the form `points`.
//! * Mesh shaders cull their primitives themselves, and write clip distances to varyings
//!   ([`mesh_distances`](super::mesh_distances)); only the form `exact` applies.
//! * Distances that transform feedback captures stay outputs at locations, in the first elements' order.
//! * [`remove_distances`](super::remove_distances) removes the rest.
//!
//! Added varyings take locations that are free on both sides, below `locations`. A stage before rasterisation without its
//! fragment shader, or the reverse, requires `location`: the first of the added varyings, which take four locations for
//! clip distances, two to test and two to read, then four for cull distances. For a fragment shader alone the counts of the
//! previous stage are options.
//!
//! Source: the passes that it runs.
//!
//! ```foil-example
//! foil 1
//! shader vertex "v" {
//!   form variables
//!   out float[1] distances location=clip_dist0
//!   entry fn main {
//!     %c = deref_var &distances
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.0
//!     %2 = deref_array %c[%0]
//!     store_deref %2, %1
//!   }
//! }
//! foil 1
//! shader fragment "f" {
//!   form variables
//!   entry fn main {
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "v" {
//!   form variables
//!   shader_temp float[1] distances = zero
//!   out vec4 clip_distances0 location=0
//!   entry fn main {
//!     %c = deref_var &distances
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.0
//!     %2 = deref_array %c[%0]
//!     store_deref %2, %1
//!     %3 = deref_var &distances
//!     32x1 %4 = const 0
//!     %5 = deref_array %3[%4]
//!     32x1 %6 = load_deref %5
//!     32x1 %7 = const 0.0
//!     32x4 %8 = vec4 %6, %7, %7, %7
//!     %9 = deref_var &clip_distances0
//!     store_deref %9, %8
//!   }
//! }
//! foil 1
//! shader fragment "f" {
//!   form variables
//!   in vec4 clip_distances0 location=0 centroid
//!   entry fn main {
//!     32x1 %0 = const 0
//!     %1 = deref_var &clip_distances0
//!     32x4 %2 = load_deref %1
//!     1x4 %3 = flt! %2, %0.xxxx
//!     1x1 %4 = mov! %3.x
//!     demote_if %4
//!   }
//! }
//! ```

use super::clip_distances_from_varyings::ClipDistancesFromVaryings;
use super::clip_distances_to_discard::ClipDistancesToDiscard;
use super::clip_distances_to_locations::ClipDistancesToLocations;
use super::clip_distances_to_position::{ClipDistancesToPosition, PositionMode};
use super::clip_distances_to_varyings::ClipDistancesToVaryings;
use super::cull_distances_to_discard::CullDistancesToDiscard;
use super::cull_distances_to_varyings::CullDistancesToVaryings;
use super::lower_clip_distance_arrays::{Distances, find};
use super::mesh_distances::MeshDistances;
use super::remove_distances::RemoveDistances;
use crate::pass::OptionValue;
use crate::util::distance_enables::NO_BINDING;
use crate::util::distances::{NO_LOCATION, covers, expect_separate, slot_and_name};
use crate::util::outputs::is_used;
use crate::{Pass, PassInfo, ProgramPass, ProgramSteps, Results, pass_options};
use airfoil_ir::{Diagnostic, Form, Modes, Primitive, Shader, Slot, Stage};

/// How clip distances are emulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceForm {
    /// Interpolated distances and a discard.
    #[default]
    Exact,
    /// Positions of points; exact for points.
    Points,
    /// Positions of lines and triangles; approximate.
    WholePrimitive,
}

impl OptionValue for DistanceForm {
    fn parse(text: &str) -> Result<DistanceForm, String> {
        match text {
            "exact" => Ok(DistanceForm::Exact),
            "points" => Ok(DistanceForm::Points),
            "whole_primitive" => Ok(DistanceForm::WholePrimitive),
            _ => Err(format!("expected exact, points or whole_primitive, found `{text}`")),
        }
    }

    fn text(&self) -> String {
        let text = match self {
            DistanceForm::Exact => "exact",
            DistanceForm::Points => "points",
            DistanceForm::WholePrimitive => "whole_primitive",
        };
        text.into()
    }
}

pass_options! {
    /// See the [module documentation](self).
    pub struct EmulateDistances {
        /// `exact`, or a change of the position: `points` (exact for points), `whole_primitive` (approximate).
        form: DistanceForm = DistanceForm::Exact,
        /// Mask of the clip distances that clip.
        enabled: u32 = 0xff,
        /// Descriptor set of a uniform block with the mask.
        set: u32 = 0,
        /// Binding of the uniform block with the mask; none if it is omitted.
        binding: u32 = NO_BINDING,
        /// Samples at which the distances are taken; 0 takes them at the centroid.
        samples: u32 = 0,
        /// First location of added varyings, for stages that are given alone.
        location: u32 = NO_LOCATION,
        /// Clip distances of the previous stage, for a fragment shader alone.
        clip_count: u32 = 0,
        /// Cull distances of the previous stage, for a fragment shader alone.
        cull_count: u32 = 0,
        /// Number of locations that the device has.
        locations: u32 = 32,
        /// Transform feedback captures clip distances.
        capture_clip: bool = false,
        /// Transform feedback captures cull distances.
        capture_cull: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "emulate_distances",
    "emulates clip and cull distances over the stages of a pipeline",
    include_str!("emulate_distances.rs"),
)
.results(Results::All);

impl ProgramPass for EmulateDistances {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn steps(&self, shaders: &[Shader]) -> Result<ProgramSteps, Diagnostic> {
        if shaders.iter().any(|s| s.form != Form::Variables) {
            return Ok(ProgramSteps::default());
        }
        let mut plan = Plan { options: self, shaders, steps: ProgramSteps::default(), taken: Vec::new() };
        for shader in shaders {
            expect_separate(shader, Modes::IN | Modes::OUT)?;
        }
        let mut order: Vec<usize> =
            (0..shaders.len()).filter(|&i| shaders[i].stage <= Stage::Fragment).collect();
        order.sort_by_key(|&i| shaders[i].stage);
        let at = |stage| order.iter().position(|&i| shaders[i].stage == stage).map(|n| order[n]);
        let before: Vec<usize> =
            order.iter().copied().filter(|&i| shaders[i].stage != Stage::Fragment).collect();
        for (n, &consumer) in before.iter().enumerate() {
            plan.connect(n.checked_sub(1).map(|n| before[n]), consumer)?;
        }
        let is_last = |i: &usize| shaders[*i].stage != Stage::TessControl;
        match shaders.iter().position(|s| s.stage == Stage::Mesh) {
            Some(mesh) => plan.rasterise_mesh(mesh, at(Stage::Fragment))?,
            None => plan.rasterise(before.last().copied().filter(is_last), at(Stage::Fragment))?,
        }
        for (i, shader) in shaders.iter().enumerate() {
            let is_distance = |slot| matches!(slot, Some(Slot::CLIP_DIST0 | Slot::CULL_DIST0));
            let has = |v: &airfoil_ir::Variable| {
                matches!(v.mode, Modes::IN | Modes::OUT) && is_distance(v.location)
            };
            if shader.vars.values().any(has) {
                plan.add(i, RemoveDistances);
            }
        }
        Ok(plan.steps)
    }
}

/// Clip or cull distances that the shader accesses.
fn named(shader: &Shader, mode: Modes, cull: bool) -> Result<Option<Distances>, Diagnostic> {
    Ok(find(shader, mode, slot_and_name(cull).0)?.filter(|d| is_used(shader, d.var)))
}

/// Whether the shader determines that all primitives are points.
fn makes_points(shader: &Shader) -> bool {
    match shader.stage {
        Stage::Geometry => shader.info.output_primitive == Primitive::Points,
        Stage::TessEval => shader.info.point_mode,
        _ => false,
    }
}

/// The steps while they are chosen.
struct Plan<'a> {
    options: &'a EmulateDistances,
    shaders: &'a [Shader],
    steps: ProgramSteps,
    /// Locations given to added varyings: first, count.
    taken: Vec<(u32, u32)>,
}

impl Plan<'_> {
    fn add(&mut self, shader: usize, pass: impl Pass + 'static) {
        self.steps.passes.push((shader, Box::new(pass)));
    }

    /// Locations that are free in the interface between two stages.
    fn free(&mut self, ends: [Option<usize>; 2], count: u32) -> Result<u32, Diagnostic> {
        let ends = || ends.into_iter().zip([Modes::OUT, Modes::IN]);
        let used = |location: u32| {
            let Some(slot) = Slot::generic(location) else { return true };
            let given = self.taken.iter().any(|&(first, n)| (first..first + n).contains(&location));
            let covered = |(end, mode): (Option<usize>, Modes)| {
                let shader = end.map(|i| &self.shaders[i]);
                shader.is_some_and(|s| s.vars.values().any(|v| v.mode == mode && covers(s, v, slot)))
            };
            given || ends().any(covered)
        };
        let last = self.options.locations.saturating_sub(count);
        let found = match self.options.locations < count {
            true => None,
            false => (0..=last).find(|&first| (first..first + count).all(|n| !used(n))),
        };
        let Some(first) = found else {
            let stages: Vec<String> =
                ends().filter_map(|(end, _)| Some(self.shaders[end?].stage.to_string())).collect();
            let message = format!(
                "no {count} consecutive locations below {} are free for clip or cull distances in the interface of the {} \
                 shader",
                self.options.locations,
                stages.join(" and the ")
            );
            return Err(Diagnostic::error("E0328", message));
        };
        self.taken.push((first, count));
        Ok(first)
    }

    /// Distances that a stage before rasterisation reads from the stage before it.
    fn connect(&mut self, producer: Option<usize>, consumer: usize) -> Result<(), Diagnostic> {
        for cull in [false, true] {
            let read = named(&self.shaders[consumer], Modes::IN, cull)?;
            let written = match producer {
                Some(p) => named(&self.shaders[p], Modes::OUT, cull)?,
                None => None,
            };
            // Invocations of a tessellation control shader read the outputs of each other.
            let control = producer.filter(|&p| self.shaders[p].stage == Stage::TessControl);
            if read.is_none() && (written.is_none() || control.is_none()) {
                continue;
            }
            let Some(producer) = producer else {
                let stage = self.shaders[consumer].stage;
                let message =
                    format!("the {stage} shader reads {} of a stage that is missing", slot_and_name(cull).0);
                return Err(Diagnostic::error("E0332", message).help("give all stages of the pipeline"));
            };
            let Some(written) = written else { continue };
            if let Some(read) = read.filter(|read| read.len != written.len) {
                let message = format!(
                    "expected {} elements of {} in the {} shader, as the {} shader writes, found {}",
                    written.len,
                    slot_and_name(cull).0,
                    self.shaders[consumer].stage,
                    self.shaders[producer].stage,
                    read.len
                );
                return Err(Diagnostic::error("E0327", message));
            }
            let location = self.free([Some(producer), Some(consumer)], written.len)?;
            self.add(producer, ClipDistancesToLocations { location, cull, inputs: false });
            if read.is_some() {
                self.add(consumer, ClipDistancesToLocations { location, cull, inputs: true });
            }
        }
        Ok(())
    }

    /// Distances of a mesh shader, and the fragment shader.
    fn rasterise_mesh(&mut self, mesh: usize, fragment: Option<usize>) -> Result<(), Diagnostic> {
        let &EmulateDistances { form, enabled, set, binding, samples, .. } = self.options;
        let mut pass = MeshDistances::default();
        let mut has = false;
        for cull in [false, true] {
            let Some(written) = named(&self.shaders[mesh], Modes::OUT, cull)? else { continue };
            has = true;
            let count = written.len;
            let reads = match fragment {
                Some(f) => named(&self.shaders[f], Modes::IN, cull)?.map(|d| d.len),
                None => Some(count).filter(|_| self.options.location != NO_LOCATION),
            };
            if let Some(reads) = reads {
                let location = self.location([Some(mesh), fragment], count.max(reads), cull, 2)?;
                *if cull { &mut pass.cull_read } else { &mut pass.clip_read } = location;
                if let Some(fragment) = fragment {
                    self.add(fragment, ClipDistancesFromVaryings { location, cull });
                }
            }
            if !cull && (0..count).any(|i| enabled >> i & 1 != 0) {
                let location = self.location([Some(mesh), fragment], count, cull, 0)?;
                pass.location = location;
                if let Some(fragment) = fragment {
                    let discard = ClipDistancesToDiscard { location, count, enabled, set, binding, samples };
                    self.add(fragment, discard);
                }
            }
        }
        if has && form != DistanceForm::Exact {
            let message =
                format!("distances of mesh shaders are not supported in the form `{}`", form.text());
            return Err(Diagnostic::error("E0332", message).help("use the form `exact`"));
        }
        if has {
            self.add(mesh, pass);
        }
        Ok(())
    }

    /// Distances of the last stage before rasterisation, and the fragment shader.
    fn rasterise(&mut self, last: Option<usize>, fragment: Option<usize>) -> Result<(), Diagnostic> {
        let options = self.options;
        let mut kinds = Vec::new();
        for cull in [false, true] {
            let count = match last {
                Some(last) => named(&self.shaders[last], Modes::OUT, cull)?.map_or(0, |d| d.len),
                None if cull => options.cull_count,
                None => options.clip_count,
            };
            let reads = match fragment {
                Some(f) => named(&self.shaders[f], Modes::IN, cull)?.map(|d| d.len),
                None => Some(count).filter(|_| options.location != NO_LOCATION),
            };
            if last.is_none() && count == 0 && reads.is_some_and(|n| n > 0) {
                return Err(missing(true, cull));
            }
            if count > 0 {
                kinds.push(Kind { cull, count, reads });
            }
        }
        for &Kind { cull, count, reads } in &kinds {
            let Some(reads) = reads else { continue };
            let location = self.location([last, fragment], count.max(reads), cull, 2)?;
            if let Some(last) = last {
                self.add(last, ClipDistancesToVaryings { location, cull });
            }
            if let Some(fragment) = fragment {
                self.add(fragment, ClipDistancesFromVaryings { location, cull });
            }
        }
        let &EmulateDistances { enabled, set, binding, samples, .. } = options;
        let mode = match options.form {
            _ if last.is_some_and(|last| makes_points(&self.shaders[last])) => PositionMode::Points,
            DistanceForm::Exact => PositionMode::Unset,
            DistanceForm::Points => PositionMode::Points,
            DistanceForm::WholePrimitive => PositionMode::WholePrimitive,
        };
        let moves =
            |kind: &Kind| mode == PositionMode::Points || mode == PositionMode::WholePrimitive && !kind.cull;
        if let Some(last) = last.filter(|_| kinds.iter().any(moves)) {
            self.add(last, ClipDistancesToPosition { mode, enabled, set, binding });
        }
        let clips = |cull: bool, n: u32| cull || (0..n).any(|i| enabled >> i & 1 != 0);
        for kind in kinds.iter().filter(|kind| !moves(kind) && clips(kind.cull, kind.count)) {
            let &Kind { cull, count, .. } = kind;
            let location = self.location([last, fragment], count, cull, 0)?;
            if let Some(last) = last {
                match cull {
                    false => self.add(last, ClipDistancesToVaryings { location, cull }),
                    true => self.add(last, CullDistancesToVaryings { location }),
                }
            }
            if let Some(fragment) = fragment {
                match cull {
                    false => self.add(
                        fragment,
                        ClipDistancesToDiscard { location, count, enabled, set, binding, samples },
                    ),
                    true => self.add(fragment, CullDistancesToDiscard { location, count }),
                }
            }
        }
        for kind in &kinds {
            let captured = if kind.cull { options.capture_cull } else { options.capture_clip };
            let Some(last) = last.filter(|_| captured) else { continue };
            if kind.cull && !moves(kind) {
                let message = "cull distances that transform feedback captures are not supported";
                return Err(Diagnostic::error("E0332", message).help("capture a varying with the same value"));
            }
            let location = self.free([Some(last), fragment], kind.count)?;
            self.add(last, ClipDistancesToLocations { location, cull: kind.cull, inputs: false });
        }
        Ok(())
    }

    /// Locations of vectors with `count` distances between the last stage before rasterisation and the fragment shader:
    /// free ones, or if one of them is not known, fixed ones `own` after the first of the kind.
    fn location(
        &mut self,
        ends: [Option<usize>; 2],
        count: u32,
        cull: bool,
        own: u32,
    ) -> Result<u32, Diagnostic> {
        match (ends, self.options.location) {
            ([Some(_), Some(_)], _) => self.free(ends, count.div_ceil(4)),
            (_, NO_LOCATION) => Err(missing(ends[0].is_none(), cull)),
            (_, first) => Ok(first.saturating_add(own + if cull { 4 } else { 0 })),
        }
    }
}

/// Distances of one kind that the last stage before rasterisation writes.
struct Kind {
    cull: bool,
    count: u32,
    /// The length of the array that the fragment shader reads, or may read.
    reads: Option<u32>,
}

/// The error for a stage without its counterpart.
fn missing(producer: bool, cull: bool) -> Diagnostic {
    let stage = if producer { "stage before the fragment shader" } else { "fragment shader" };
    let message = format!("{} require the {stage}", slot_and_name(cull).1.replace('_', " "));
    Diagnostic::error("E0332", message)
        .help("give all stages of the pipeline, or the first location of the varyings")
}
