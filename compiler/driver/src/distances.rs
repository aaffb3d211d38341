//! Clip and cull distances for devices that have none: from the shaders of a pipeline to shaders without them.
//!
//! ```
//! use airfoil::distances::{DistanceOptions, lower_distances};
//! use airfoil::{Captures, ReadOptions, SpirvOptions, steps, to_spirv};
//!
//! # fn example(vertex: &[u32], fragment: &[u32]) -> Result<(), airfoil::Errors> {
//! let options = ReadOptions::default();
//! let mut shaders = [steps::read_spirv(vertex, &options)?, steps::read_spirv(fragment, &options)?];
//! lower_distances(&mut shaders, &mut Captures::default(), &DistanceOptions::default())?;
//! let words = to_spirv(&shaders[0], &SpirvOptions::default())?;
//! # Ok(())
//! # }
//! ```

use crate::Errors;
use airfoil_air::lowerings::{Capture, Captures};
use airfoil_ir::{Diagnostic, InstrKind, Modes, Shader, Slot, Stage, VarId};
use airfoil_passes::Pipeline;
use airfoil_passes::gl::emulate_distances::EmulateDistances;
use airfoil_passes::manager::Manager;

pub use airfoil_passes::gl::emulate_distances::DistanceForm;

/// How clip and cull distances are emulated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DistanceOptions {
    /// The form: exact unless another one is chosen.
    pub form: DistanceForm,
    /// Mask of the clip distances that clip (`GL_CLIP_DISTANCE0` is bit 0). In Vulkan all do.
    pub enabled: u32,
    /// Descriptor set and binding of a uniform block of one word, a mask of the clip distances that clip.
    pub uniform: Option<(u32, u32)>,
    /// Samples of a pixel at which the exact form tests the distances; 0 tests them once, at the centroid.
    pub samples: u32,
    /// First location of added varyings, for stages that are given without the other side of their interface.
    pub location: Option<u32>,
    /// Clip and cull distances of the previous stage, for a fragment shader that is given alone.
    pub previous: (u32, u32),
    /// Locations that an interface has on the device.
    pub locations: u32,
}

impl Default for DistanceOptions {
    fn default() -> DistanceOptions {
        DistanceOptions {
            form: DistanceForm::Exact,
            enabled: 0xff,
            uniform: None,
            samples: 0,
            location: None,
            previous: (0, 0),
            locations: 32,
        }
    }
}

impl DistanceOptions {
    /// Selects the form.
    pub fn form(self, form: DistanceForm) -> DistanceOptions {
        DistanceOptions { form, ..self }
    }

    /// Sets the mask of the clip distances that clip.
    pub fn enabled(self, enabled: u32) -> DistanceOptions {
        DistanceOptions { enabled, ..self }
    }

    /// Sets the descriptor set and binding of the mask.
    pub fn uniform(self, uniform: Option<(u32, u32)>) -> DistanceOptions {
        DistanceOptions { uniform, ..self }
    }

    /// Sets the number of samples that are tested.
    pub fn samples(self, samples: u32) -> DistanceOptions {
        DistanceOptions { samples, ..self }
    }

    /// Sets the first location of added varyings.
    pub fn location(self, location: Option<u32>) -> DistanceOptions {
        DistanceOptions { location, ..self }
    }

    /// Sets the clip and cull distances of the previous stage.
    pub fn previous(self, previous: (u32, u32)) -> DistanceOptions {
        DistanceOptions { previous, ..self }
    }
}

/// Lowers the clip and cull distances of a pipeline. Afterwards no shader has them, and the interfaces of all stages still
/// agree. Captures of distances move with them.
///
/// # Errors
/// Shaders that are not in form `variables`, and constructs that cannot be lowered.
pub fn lower_distances(
    shaders: &mut [Shader],
    captures: &mut Captures,
    options: &DistanceOptions,
) -> Result<(), Errors> {
    let captured = captured_outputs(shaders, captures);
    let plan = distance_plan(shaders, captures, options)?;
    let _ = Manager::default().run_program(&plan, shaders)?;
    let location =
        |&(shader, var, slot): &(usize, VarId, Slot)| Some((slot, shaders[shader].vars.get(var)?.location?));
    let moved: Vec<(Slot, Slot)> = captured.iter().filter_map(location).collect();
    let list = captures.iter().flat_map(|capture| moved_capture(capture, &moved)).collect();
    *captures = Captures::new(list)
        .map_err(|message| Diagnostic::error("E0345", format!("transform feedback: {message}")))?;
    Ok(())
}

/// The plan of [`lower_distances`].
///
/// # Errors
/// Shaders that are not in form `variables`, or two of one stage.
pub fn distance_plan(
    shaders: &[Shader],
    captures: &Captures,
    options: &DistanceOptions,
) -> Result<Pipeline, Errors> {
    if let Some(shader) = shaders.iter().find(|s| s.form != airfoil_ir::Form::Variables) {
        let message =
            format!("clip and cull distances are lowered in form `variables`, found form `{}`", shader.form);
        return Err(Diagnostic::error("E0332", message).into());
    }
    let stages: Vec<Stage> = shaders.iter().map(|s| s.stage).collect();
    if let Some(n) = (1..stages.len()).find(|&n| stages[..n].contains(&stages[n])) {
        let message = format!("the pipeline has two {} shaders", stages[n]);
        return Err(Diagnostic::error("E0332", message).into());
    }
    let is_call = |shader: &Shader| {
        shader.functions.values().any(|f| f.body.entries().any(|(_, i)| matches!(i.kind, InstrKind::Call(_))))
    };
    // A mesh shader must have one exit.
    let is_mesh = shaders.iter().any(|s| s.stage == Stage::Mesh);
    let plan = match is_mesh || shaders.iter().any(is_call) {
        true => Pipeline::parse("lower_returns, inline_functions").map_err(|e| vec![e])?,
        false => Pipeline::default(),
    };
    let is_captured = |slots: [Slot; 2]| captures.iter().any(|c| slots.contains(&c.slot));
    let (set, binding) = options.uniform.unwrap_or((0, u32::MAX));
    Ok(plan.program_pass(EmulateDistances {
        form: options.form,
        enabled: options.enabled,
        set,
        binding,
        samples: options.samples,
        location: options.location.unwrap_or(u32::MAX),
        clip_count: options.previous.0,
        cull_count: options.previous.1,
        locations: options.locations,
        capture_clip: is_captured([Slot::CLIP_DIST0, Slot::CLIP_DIST1]),
        capture_cull: is_captured([Slot::CULL_DIST0, Slot::CULL_DIST1]),
    }))
}

/// The distances that are captured: shader, variable and slot.
fn captured_outputs(shaders: &[Shader], captures: &Captures) -> Vec<(usize, VarId, Slot)> {
    let Some((last, shader)) = shaders
        .iter()
        .enumerate()
        .filter(|(_, s)| s.stage < Stage::Fragment && s.stage != Stage::TessControl)
        .max_by_key(|(_, s)| s.stage)
    else {
        return Vec::new();
    };
    if captures.is_empty() {
        return Vec::new();
    }
    let distance = |(id, v): (VarId, &airfoil_ir::Variable)| {
        let slot = v.location.filter(|l| [Slot::CLIP_DIST0, Slot::CULL_DIST0].contains(l))?;
        (v.mode == Modes::OUT).then_some((last, id, slot))
    };
    shader.vars.iter().filter_map(distance).collect()
}

/// A capture after its output moved: one element per location.
fn moved_capture(capture: &Capture, moved: &[(Slot, Slot)]) -> Vec<Capture> {
    let vector = |from: Slot| capture.slot.0.checked_sub(from.0).filter(|&n| n < 2);
    let Some((from, to)) = moved.iter().find_map(|&(from, to)| Some((vector(from)?, to))) else {
        return vec![*capture];
    };
    let element = |n: u32| {
        let slot = to.offset(u32::from(from) * 4 + capture.component + n)?;
        Some(Capture { slot, component: 0, components: 1, offset: capture.offset + 4 * n, ..*capture })
    };
    (0..capture.components).filter_map(element).collect()
}
