//! Whole draws, before and after a pass that changes the results of a single shader on purpose.
//!
//! [`Results::All`](airfoil_passes::Results::All) means that a shader alone cannot be compared with its earlier state: a geometry shader becomes a mesh
//! shader, a vertex shader a kernel that writes records to a buffer. The pipeline around it must still make the same
//! primitives and the same image. [`Draws`] keeps all shaders of a program as they are between two passes, executes a
//! small draw with both, and compares the vertices of the primitives and the image. A stage that became a kernel or a
//! mesh shader is executed as such and converted back to the stage's interface ([`stage`]), so that programs in the
//! middle of a lowering can be executed too.

mod judge;
mod records;
mod scene;
mod stage;

use crate::Runs;
use airfoil_interp::pipeline::{Drawn, Pipeline, Target};
use airfoil_interp::{Binding, Config, Fault, FaultKind, Resources, Space, Tolerance, Values};
use airfoil_ir::{Shader, Slot, Stage};
use airfoil_passes::PassInfo;
use airfoil_passes::gl::lower_xfb::{BUFFER_BINDING, Captures};
use airfoil_passes::manager::Applied;
use airfoil_passes::stages::stage_buffer::SET;
use judge::Judge;
use scene::{NOT_DRAWN, Scene, View};
use stage::{Lowering, StageState};

/// The result of a draw.
#[derive(Debug)]
struct Image {
    drawn: Drawn,
    target: Target,
    resources: Resources,
}

/// The result of a comparison of draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All that could be executed agrees; the number of draws that were compared.
    Agrees(u64),
    /// The first difference.
    Differs(String),
}

/// Executes the draws of a program before and after passes.
#[derive(Debug)]
pub(crate) struct Draws {
    runs: Runs,
    stages: Vec<StageState>,
    /// The draws before the first of two passes that belong together.
    begun: Vec<Option<Image>>,
}

/// Seeds of draws; each has vertices of its own.
const SEEDS: u64 = 3;

impl Draws {
    /// The draws of a program of valid shaders.
    pub(crate) fn new(shaders: &[Shader], runs: &Runs) -> Draws {
        let stages = shaders.iter().cloned().map(StageState::new).collect();
        Draws { runs: runs.clone(), stages, begun: Vec::new() }
    }

    /// Follows a pass; compares draws if the results of the shader alone cannot be compared.
    pub(crate) fn applied(&mut self, applied: Applied<'_>, shader: &Shader) -> Verdict {
        let Some(state) = self.stages.get(applied.shader) else { return Verdict::Agrees(0) };
        let next = state.after(applied.step, shader);
        let stages: Vec<Stage> = self.stages.iter().map(|s| s.declared.stage).collect();
        let judge = Judge::of(applied.step, &state.shader, &stages);
        let lowerings = self.stages.iter().chain([&next]).map(|s| &s.lowering);
        let first_provokes = lowerings.filter_map(Lowering::first_provokes).next_back();
        let mut config = self.config(applied.info);
        // Without a mesh shader both conventions are right.
        let provokes = first_provokes.unwrap_or(true);
        let (upright, view) = match judge {
            Some(Judge::UpsideDown { same_winding }) => (View::Upright, View::UpsideDown { same_winding }),
            _ => (View::Plain, View::Plain),
        };
        // The program may use features that a draw does not support, or depend on undefined values.
        let before: Vec<Option<Image>> = match judge {
            None => Vec::new(),
            Some(Judge::Completes) => std::mem::take(&mut self.begun),
            Some(_) => (0..SEEDS).map(|seed| self.draw(seed, &config, provokes, upright).ok()).collect(),
        };
        self.stages[applied.shader] = next;
        let judge = match judge {
            None => return Verdict::Agrees(0),
            Some(Judge::Begins) => {
                self.begun = before;
                return Verdict::Agrees(0);
            }
            Some(judge) => judge,
        };
        let tolerance = if applied.info.rounds { Tolerance::default() } else { Tolerance::EXACT };
        // Lowering makes more instructions of one.
        config.max_steps = config.max_steps.saturating_mul(10);
        let mut compared = 0;
        for (seed, before) in (0..SEEDS).zip(before) {
            let Some(before) = before else { continue };
            let turned = first_provokes.is_some();
            let difference = match self.draw(seed, &config, provokes, view) {
                Ok(after) => match &judge {
                    Judge::Completes => image(&before, &after, tolerance),
                    Judge::UpsideDown { .. } => mirrored(&before, &after),
                    Judge::Captures(captures) => captured(&before, &after, captures)
                        .or_else(|| difference(&before, &after, tolerance, turned)),
                    Judge::Same | Judge::Begins => difference(&before, &after, tolerance, turned),
                },
                Err(fault) if fault.kind == FaultKind::Unsupported => continue,
                Err(fault) => Some(fault.to_string()),
            };
            if let Some(difference) = difference {
                return Verdict::Differs(format!("{difference} (draw of seed {seed})"));
            }
            compared += 1;
        }
        Verdict::Agrees(compared)
    }

    fn config(&self, info: &PassInfo) -> Config {
        Config {
            max_steps: self.runs.max_steps.saturating_mul(10),
            // Only accesses inside of bounds have the same results with and without checks.
            robust: !info.name.starts_with("lower_robust"),
            empty_unbound: true,
            report_undefined: true,
            ..Config::default()
        }
    }

    fn draw(&self, seed: u64, config: &Config, first_provokes: bool, view: View) -> Result<Image, Fault> {
        let mut programs = self.stages.iter().map(|s| s.prepare(config)).collect::<Result<Vec<_>, _>>()?;
        let declared: Vec<&Shader> = self.stages.iter().map(|s| &s.declared).collect();
        let scene = Scene::new(&declared, seed);
        let (mut target, mut resources) = (scene.target(view), scene.resources(&self.stages));
        let mut state = scene.state(view);
        state.first_provokes = first_provokes;
        if let [mesh] = &mut programs[..]
            && mesh.is_mesh()
        {
            let captured = mesh.meshes(&mut resources)?;
            let drawn = Drawn { primitives: 1, captured };
            return Ok(Image { drawn, target, resources });
        }
        let drawn = Pipeline::of(programs)?.draw(&mut resources, &scene.draw(), &state, &mut target)?;
        Ok(Image { drawn, target, resources })
    }
}

/// The first difference between two draws.
fn difference(before: &Image, after: &Image, tolerance: Tolerance, turned: bool) -> Option<String> {
    let (old, new) = (&before.drawn, &after.drawn);
    if old.primitives != new.primitives {
        return Some(format!("the draw made {} primitives, makes {}", old.primitives, new.primitives));
    }
    let arity = |drawn: &Drawn| drawn.captured.len() / (drawn.primitives.max(1) as usize);
    let size = arity(old);
    if size != arity(new) {
        return Some(format!("primitives had {size} vertices, have {}", arity(new)));
    }
    for (n, (old, new)) in old.captured.chunks(size.max(1)).zip(new.captured.chunks(size.max(1))).enumerate()
    {
        // A mesh begins primitives with the provoking vertex.
        let begun_at = |by: usize| {
            let mut pairs = old.iter().zip(new.iter().cycle().skip(by));
            pairs.find_map(|(a, b)| component(a, b, tolerance))
        };
        let first = begun_at(0);
        if first.is_some() && (!turned || (1..size).all(|by| begun_at(by).is_some())) {
            return first.map(|d| format!("primitive {n}: {d}"));
        }
    }
    // A primitive whose vertices have another order is interpolated with other rounding.
    image(before, after, if turned { Tolerance { relative: 1e-4 } } else { tolerance })
}

/// The first pixel that differs between two draws.
fn image(before: &Image, after: &Image, tolerance: Tolerance) -> Option<String> {
    if before.target.undefined != 0 {
        // Some pixels are undefined.
        return None;
    }
    for (n, (old, new)) in before.target.colors.iter().zip(&after.target.colors).enumerate() {
        let same = |a: &[u32; 4], b: &[u32; 4]| a.iter().zip(b).all(|(&a, &b)| tolerance.accepts_words(a, b));
        if let Some(at) = old.iter().zip(new).position(|(a, b)| !same(a, b)) {
            return Some(pixel(n, at, before.target.width, old[at], new[at]));
        }
    }
    None
}

fn pixel(color: usize, at: usize, width: u32, was: [u32; 4], is: [u32; 4]) -> String {
    let [was, is] = [was, is].map(|words| words.map(f32::from_bits));
    let (x, y) = (at % width as usize, at / width as usize);
    format!("colour {color} of pixel ({x}, {y}) was {was:?}, is {is:?}")
}

/// The first pixel of an image that differs from its place in an image that is upside down. Edges through the centres of
/// pixels cover others there, so that only pixels that both cover are compared.
fn mirrored(before: &Image, after: &Image) -> Option<String> {
    if before.target.undefined != 0 {
        return None;
    }
    // Values are interpolated with other rounding.
    let same = |(&a, &b): (&u32, &u32)| {
        let [x, y] = [a, b].map(f32::from_bits);
        Tolerance { relative: 1e-4 }.accepts_words(a, b) || (x - y).abs() < 1e-4
    };
    let width = before.target.width as usize;
    for (n, (old, new)) in before.target.colors.iter().zip(&after.target.colors).enumerate() {
        let rows = old.chunks(width).zip(new.chunks(width).rev());
        let pairs = rows.flat_map(|(old, new)| old.iter().zip(new));
        for (at, (old, new)) in pairs.enumerate() {
            let drawn = *old != NOT_DRAWN && *new != NOT_DRAWN;
            if drawn && !old.iter().zip(new).all(same) {
                return Some(pixel(n, at, before.target.width, *old, *new));
            }
        }
    }
    None
}

/// The first captured component that differs from the outputs of the vertices.
fn captured(before: &Image, after: &Image, captures: &Captures) -> Option<String> {
    for capture in captures.iter() {
        let binding = BUFFER_BINDING + capture.buffer;
        let found = after.resources.find(Space::Storage, "", Some(SET), Some(binding), 0);
        let Some(&Binding::Buffer { buffer, .. }) = found else { continue };
        let buffer = &after.resources.buffers[buffer].bytes;
        for (n, vertex) in before.drawn.captured.iter().enumerate() {
            for k in 0..capture.components {
                let Some(was) = vertex.get(capture.slot, capture.component + k) else { continue };
                let at = n * capture.stride as usize + (capture.offset + 4 * k) as usize;
                let bytes = buffer.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
                let word = bytes.map(u32::from_le_bytes);
                if word != Some(was) {
                    let found = word.map_or("nothing".to_owned(), |word| format!("{word:#x}"));
                    return Some(format!(
                        "component {} of {} of vertex {n} is {was:#x}, captured as {found}",
                        capture.component + k,
                        capture.slot
                    ));
                }
            }
        }
    }
    None
}

/// The first component of a vertex that differs. Values of the primitive as a whole are those of its provoking vertex.
fn component(old: &Values, new: &Values, tolerance: Tolerance) -> Option<String> {
    let of_primitive = [Slot::LAYER, Slot::VIEWPORT, Slot::PRIMITIVE_ID];
    for (slot, _, words, defined) in old.iter().filter(|v| !of_primitive.contains(&v.0)) {
        for c in (0..4).filter(|c| defined >> c & 1 != 0) {
            let (was, is) = (words[c as usize], new.get(slot, c));
            if !is.is_some_and(|is| tolerance.accepts_words(was, is)) {
                let is = is.map_or("undefined".to_owned(), |w| format!("{} ({w:#x})", f32::from_bits(w)));
                return Some(format!(
                    "{slot}, component {c}, was {} ({was:#x}), is {is}",
                    f32::from_bits(was)
                ));
            }
        }
    }
    None
}
