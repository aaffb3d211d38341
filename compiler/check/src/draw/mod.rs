//! Whole draws, before and after a pass that changes the results of a single shader on purpose.
//!
//! [`Results::All`] means that a shader alone cannot be compared with its earlier state: a geometry shader becomes a mesh
//! shader, a vertex shader a kernel that writes records to a buffer. The pipeline around it must still make the same
//! primitives and the same image. [`Draws`] keeps all shaders of a program as they are between two passes, executes a
//! small draw with both, and compares the vertices of the primitives and the image. A stage that became a kernel or a
//! mesh shader is executed as such and converted back to the stage's interface ([`stage`]), so that programs in the
//! middle of a lowering can be executed too.

mod records;
mod scene;
mod stage;

use crate::Runs;
use airfoil_interp::pipeline::{Drawn, Pipeline, Target};
use airfoil_interp::{Config, Fault, FaultKind, Tolerance, Values};
use airfoil_ir::{Shader, Slot};
use airfoil_passes::manager::Applied;
use airfoil_passes::{PassInfo, Results};
use scene::Scene;
use stage::{Lowering, StageState};

/// The result of a draw.
#[derive(Debug)]
struct Image {
    drawn: Drawn,
    target: Target,
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
}

/// Seeds of draws; each has vertices of its own.
const SEEDS: u64 = 3;

/// Whether the draw executes the result of a pass. The others need values that only a driver has.
fn is_executed(info: &PassInfo) -> bool {
    Lowering::is_by(info.name)
        || matches!(
            info.name,
            "lower_64bit_io"
                | "lower_robust_access"
                | "lower_robust_images"
                | "lower_image_atomics"
                | "clip_distances_from_varyings"
                | "mesh_outputs_to_shared"
        )
}

impl Draws {
    /// The draws of a program of valid shaders.
    pub(crate) fn new(shaders: &[Shader], runs: &Runs) -> Draws {
        Draws { runs: runs.clone(), stages: shaders.iter().cloned().map(StageState::new).collect() }
    }

    /// Follows a pass; compares draws if the results of the shader alone cannot be compared.
    pub(crate) fn applied(&mut self, applied: Applied<'_>, shader: &Shader) -> Verdict {
        let Some(state) = self.stages.get(applied.shader) else { return Verdict::Agrees(0) };
        let next = state.after(applied.step, shader);
        let judged = applied.info.results == Results::All && is_executed(applied.info);
        let lowerings = self.stages.iter().chain([&next]).map(|s| &s.lowering);
        let first_provokes = lowerings.filter_map(Lowering::first_provokes).next_back();
        let config = self.config(applied.info);
        // Without a mesh shader both conventions are right.
        let provokes = first_provokes.unwrap_or(true);
        let before: Vec<Result<Image, Fault>> = match judged {
            true => (0..SEEDS).map(|seed| self.draw(seed, &config, provokes)).collect(),
            false => Vec::new(),
        };
        self.stages[applied.shader] = next;
        let mut compared = 0;
        for (seed, before) in before.into_iter().enumerate() {
            // The program may use features that a draw does not support, or depend on undefined values.
            let Ok(before) = before else { continue };
            let tolerance = if applied.info.rounds { Tolerance::default() } else { Tolerance::EXACT };
            let difference = match self.draw(seed as u64, &config, provokes) {
                Ok(after) => difference(&before, &after, tolerance, first_provokes.is_some()),
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
            report_undefined: true,
            ..Config::default()
        }
    }

    fn draw(&self, seed: u64, config: &Config, first_provokes: bool) -> Result<Image, Fault> {
        let mut programs = self.stages.iter().map(|s| s.prepare(config)).collect::<Result<Vec<_>, _>>()?;
        let declared: Vec<&Shader> = self.stages.iter().map(|s| &s.declared).collect();
        let scene = Scene::new(&declared, seed);
        let (mut target, mut resources) = (scene.target(), scene.resources(&self.stages));
        let mut state = scene.state();
        state.first_provokes = first_provokes;
        if let [mesh] = &mut programs[..]
            && mesh.is_mesh()
        {
            let captured = mesh.meshes(&mut resources)?;
            let drawn = Drawn { primitives: 1, captured };
            return Ok(Image { drawn, target });
        }
        let drawn = Pipeline::of(programs)?.draw(&mut resources, &scene.draw(), &state, &mut target)?;
        Ok(Image { drawn, target })
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
    let tolerance = if turned { Tolerance { relative: 1e-4 } } else { tolerance };
    if before.target.undefined != 0 {
        // Some pixels are undefined.
        return None;
    }
    for (n, (old, new)) in before.target.colors.iter().zip(&after.target.colors).enumerate() {
        let same = |a: &[u32; 4], b: &[u32; 4]| a.iter().zip(b).all(|(&a, &b)| tolerance.accepts_words(a, b));
        if let Some(at) = old.iter().zip(new).position(|(a, b)| !same(a, b)) {
            let width = before.target.width as usize;
            let show = |words: [u32; 4]| words.map(f32::from_bits);
            let (x, y) = (at % width, at / width);
            return Some(format!(
                "colour {n} of pixel ({x}, {y}) was {:?}, is {:?}",
                show(old[at]),
                show(new[at])
            ));
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
