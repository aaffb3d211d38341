//! Programs: linked, optimised, immutable.

use crate::budget::Budget;
use crate::code::{StageCode, Stored};
use crate::default_state::{awaits_state, lower_default_state, without_clip_vertex};
use crate::depends::Depends;
use crate::device::Device;
use crate::expand;
use crate::facts::{self, Facts, is_lacking, is_undrawn};
use crate::link_options::LinkOptions;
use crate::log::Log;
use crate::shader::ShaderObject;
use crate::source::Source;
use crate::state::StateKey;
use airfoil::air::compile::{emit, lower};
use airfoil::air::lowerings::{Captures, Lowerings};
use airfoil::air::plan::{PlanOptions, metal_plan, optimize_plan, pipeline};
use airfoil::air::select::Selected;
use airfoil::debug::{self, Key};
use airfoil::glsl::link::Reflection as GlReflection;
use airfoil::ir::{Diagnostic, Form, Shader, Stage};
use airfoil::passes::gl::lower_distances::LowerDistances;
use airfoil::passes::stages::geometry_to_capture::CaptureStep;
use airfoil::passes::stages::lower_stages::LowerStages;
use airfoil::transform_feedback::captures;
use airfoil::{Errors, Reflection};
use std::sync::OnceLock;

/// A linked program. It is immutable: drivers share it among contexts and make [variants](Program::variant) on any thread.
#[derive(Debug)]
pub struct Program {
    pub(crate) device: Device,
    /// The objects; restored programs and pipelines do not have them.
    pub(crate) objects: Option<Vec<ShaderObject>>,
    /// The sources of a restored separable program.
    pub(crate) sources: Vec<Source>,
    pub(crate) options: LinkOptions,
    pub(crate) reflection: GlReflection,
    pub(crate) log: Log,
    pub(crate) captures: Result<Captures, Errors>,
    pub(crate) stages: Vec<Stage>,
    /// The code; that of a cached program is decoded when it is needed first.
    pub(crate) code: OnceLock<Code>,
    pub(crate) stored: Option<Stored>,
    /// The fields that each stage depends on, as far as they were asked for.
    pub(crate) depends: Depends,
    pub(crate) identity: OnceLock<[u8; 32]>,
    /// Its functions in [`Device::recent`]; only a link has put some there.
    pub(crate) serial: Option<u64>,
}

/// The code of a program.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub stages: Vec<StageCode>,
    /// Facts about it that passes for state require.
    pub facts: Facts,
    /// The reason why it cannot be decoded.
    pub fault: Option<Diagnostic>,
}

impl Code {
    pub fn of(stages: Vec<StageCode>, reflection: &GlReflection) -> Code {
        let has_captures = !reflection.transform_feedback.varyings.is_empty();
        let facts = Facts::of(&stages, reflection.default_block.map(|b| b.0), has_captures);
        Code { stages, facts, fault: None }
    }
}

impl Program {
    pub(crate) fn new(
        device: &Device,
        objects: Option<Vec<ShaderObject>>,
        options: LinkOptions,
        linked: airfoil::glsl::Program,
        keys: Vec<Key>,
        log: Log,
        budget: &Budget,
    ) -> Result<Program, Log> {
        let mut shaders = linked.shaders;
        let captures = captures(&linked.reflection.transform_feedback);
        let mut plan_options = plan_options(device);
        let is_undrawn = is_undrawn(shaders.iter());
        let plan = optimize_plan(&shaders, &plan_options);
        debug::plan("the link", &keys, &plan);
        let mut manager = budget.manager();
        let _ = debug::timed("optimize", &keys, || manager.run_program(&plan, &mut shaders))?;
        debug::slowest(&keys, &manager);
        let stages: Vec<Stage> = shaders.iter().map(|s| s.stage).collect();
        // The functions of the default state: they check Metal's limits, and their reflection has the indices of resources.
        let is_lowered = needs_stages(&stages);
        if is_lowered {
            // Variants lower these stages from here on.
            let lowerings = std::mem::take(&mut plan_options.lowerings);
            let plan = lowerings.steps(&shaders, &plan_options.stages);
            let plan = plan.cleaned_up_by(pipeline(plan_options.level, Form::Slots).clone());
            let _ = budget.manager().run_program(&plan, &mut shaders)?;
        }
        let mut lowered = shaders.clone();
        if is_lowered {
            without_clip_vertex(&mut lowered)?;
        }
        // Draws have a geometry stage, too, whose limits are checked here.
        let last = lowered.iter().rposition(|s| s.stage == Stage::TessEval);
        let added = last.filter(|_| is_undrawn).map(|last| last + 1);
        if let Some(at) = added {
            let geometry = expand::default_geometry(
                &lowered[at - 1],
                lowered.iter().find(|s| s.stage == Stage::Fragment),
            )?;
            lowered.insert(at, geometry);
        }
        let plan = metal_plan(&lowered, &plan_options);
        debug::plan("the target", &keys, &plan);
        let mut manager = budget.manager();
        let layouts =
            debug::timed("lower", &keys, || lower(&mut lowered, &plan, &plan_options, &mut manager))?;
        lowered.iter().try_for_each(|shader| budget.check_shader(shader))?;
        let awaits = lowered.iter().any(awaits_state);
        let mut selected = match awaits {
            true => {
                let mut lowered = lowered.clone();
                lower_default_state(&mut lowered)?;
                emit(&lowered, layouts, device.air())?
            }
            false => emit(&lowered, layouts, device.air())?,
        };
        if let Some(at) = added {
            lowered.remove(at);
            selected.remove(at);
        }
        let replaced = facts::fragment_with_replaced_inputs(&shaders, &plan_options, budget)?;
        // Metal's own stages keep what was lowered. The others are lowered with the state, which precedes it.
        for (shader, lowered) in shaders.iter_mut().zip(lowered) {
            if !is_lowered || shader.stage == Stage::Fragment {
                *shader = lowered;
            }
        }
        let is_replaced = replaced.is_some();
        if let Some(fragment) = replaced
            && let Some(shader) = shaders.iter_mut().find(|s| s.stage == Stage::Fragment)
        {
            *shader = fragment;
        }
        // Each variant begins with a copy.
        shaders.iter_mut().for_each(Shader::compact);
        let mut keys = keys.into_iter();
        let serial = device.recent().serial();
        let code = |((stage, shader), s): ((Stage, Shader), Selected)| {
            let reflection = s.reflection.clone();
            let key = keys.next().flatten();
            // Variants with the default state have the same code, unless it is lowered for them.
            if !awaits && !is_lowered && !is_replaced && key.is_none() {
                device.recent().keep(serial, stage, s);
            }
            StageCode { stage, shader, reflection, key }
        };
        let code: Vec<StageCode> = stages.iter().copied().zip(shaders).zip(selected).map(code).collect();
        Ok(Program {
            device: device.clone(),
            objects,
            sources: Vec::new(),
            options,
            captures,
            code: Code::of(code, &linked.reflection).into(),
            stored: None,
            reflection: linked.reflection,
            log,
            stages,
            depends: Depends::default(),
            identity: OnceLock::new(),
            serial: Some(serial),
        })
    }

    /// The device that linked it.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The shader objects that were linked; a [restored](Device::restore) program and a [pipeline](Device::pipeline) do not have
    /// them.
    pub fn objects(&self) -> Option<&[ShaderObject]> {
        self.objects.as_deref()
    }

    /// The options that it was linked with.
    pub fn link_options(&self) -> &LinkOptions {
        &self.options
    }

    /// The warnings of the link.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The reflection of the linker.
    pub fn reflection(&self) -> &GlReflection {
        &self.reflection
    }

    /// The stages, in order of the pipeline.
    pub fn stages(&self) -> impl Iterator<Item = Stage> + '_ {
        self.stages.iter().copied()
    }

    /// The arguments of a stage's function: the Metal index of each resource. They are those of the default state; other states
    /// only add blocks of the driver.
    pub fn arguments(&self, stage: Stage) -> Option<&Reflection> {
        self.code().iter().find(|s| s.stage == stage).map(|s| &s.reflection)
    }

    /// The views that the program declares (`num_views` of GL_OVR_multiview), or 1: the draw framebuffer must have as many. Draws
    /// have as many instances per instance; see `docs/gl-driver.md`.
    ///
    /// ```
    /// use airfoil_gl::{Device, LinkOptions, Stage};
    ///
    /// let device = Device::default();
    /// let vertex = "#version 330\n#extension GL_OVR_multiview2 : require\nlayout(num_views = 2) in;
    ///     void main() { gl_Position = vec4(gl_ViewID_OVR); }";
    /// let vertex = device.compile("vertex", Stage::Vertex, &[vertex]);
    /// let program = device.link(&[&vertex], &LinkOptions::default())?;
    /// assert_eq!(program.views(), 2);
    /// # Ok::<(), airfoil_gl::Log>(())
    /// ```
    pub fn views(&self) -> u32 {
        self.reflection.stages.iter().find_map(|s| s.num_views).unwrap_or(1)
    }

    /// The code, or the reason why there is none.
    pub(crate) fn loaded(&self) -> &Code {
        self.code.get_or_init(|| match self.stored.as_ref().map(Stored::decode) {
            Some(Ok(stages)) => Code::of(stages, &self.reflection),
            Some(Err(fault)) => Code { fault: Some(fault), ..Code::default() },
            None => Code::default(),
        })
    }

    pub(crate) fn code(&self) -> &[StageCode] {
        &self.loaded().stages
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.loaded().facts
    }

    pub(crate) fn captures(&self) -> &Result<Captures, Errors> {
        &self.captures
    }

    /// The last stage before rasterisation.
    pub(crate) fn last_vertex_stage(&self) -> Option<&StageCode> {
        facts::last_vertex_stage(self.code())
    }

    /// Whether a stage is the last one before rasterisation.
    pub(crate) fn is_last_vertex_stage(&self, stage: Stage) -> bool {
        self.last_vertex_stage().is_some_and(|code| code.stage == stage)
    }

    /// Mask of the clip distances that it writes.
    pub(crate) fn clip_distances(&self) -> u8 {
        self.facts().clip_distances
    }

    /// The stages that a draw with a key has, in order of the pipeline: those of the program, and a [geometry stage](Stage::Geometry)
    /// if the key asks for lines or polygons that Metal does not rasterise, or the program tessellates to isolines or points.
    /// [`Program::variant`] makes its function, too: a mesh function, before which the vertex stage is a kernel.
    pub fn draw_stages(&self, key: &StateKey) -> impl Iterator<Item = Stage> + '_ {
        let mut key = *key;
        self.facts().canonical(None, &mut key);
        let is_added = self.adds_geometry(&key);
        let (before, after): (Vec<_>, Vec<_>) = self.stages().partition(|&s| s != Stage::Fragment);
        before.into_iter().chain(is_added.then_some(Stage::Geometry)).chain(after)
    }

    /// Whether a draw with a key, which is canonical, adds a geometry stage.
    pub(crate) fn adds_geometry(&self, key: &StateKey) -> bool {
        let facts = self.facts();
        (key.expands() || (facts.needs_geometry && key.capture_step == CaptureStep::None))
            && !facts.has_geometry()
    }

    /// Whether it has stages that Metal lacks.
    pub(crate) fn needs_stages(&self) -> bool {
        self.stages().any(is_lacking)
    }
}

fn needs_stages(stages: &[Stage]) -> bool {
    stages.iter().copied().any(is_lacking)
}

/// The choices of a link, which no state affects.
pub(crate) fn plan_options(device: &Device) -> PlanOptions {
    let options = device.options();
    PlanOptions {
        level: options.level,
        distances: LowerDistances { keep_clip_vertex: true, ..LowerDistances::default() },
        lowerings: Lowerings {
            robust: options.workarounds.robust,
            flat_1d_textures: options.workarounds.flat_1d_textures,
            driver_base_vertex: true,
            // A separable fragment shader does not know the views, and is not drawn with alone; a module of SPIR-V declares none.
            view_mask: 1,
            ..Lowerings::default()
        },
        stages: LowerStages { first_provokes: false, ..LowerStages::default() },
        ..PlanOptions::default()
    }
}
