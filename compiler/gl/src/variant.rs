//! Variants: the function of one stage for a key.

use crate::budget::Budget;
use crate::code::StageCode;
use crate::default_state::CLEANUP;
use crate::expand;
use crate::facts::is_undrawn;
use crate::program::{Program, plan_options};
use crate::state::{CaptureStep, StateFlags, StateKey, StateMask};
use crate::state_steps::state_steps;
use airfoil::air::compile::{Layouts, emit};
use airfoil::air::library::library;
use airfoil::air::lowerings::{Captures, Lowerings};
use airfoil::air::plan::{pipeline, registry};
use airfoil::air::select::Records;
use airfoil::debug;
use airfoil::ir::{Diagnostic, Form, Modes, Shader, Stage};
use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;
use airfoil::passes::stages::lower_stages::LowerStages;
use airfoil::passes::stages::match_interfaces::MatchInterfaces;
use airfoil::passes::stages::stage_buffer::{Part, RecordLayout};
use airfoil::{Errors, Reflection};
use std::sync::{Arc, LazyLock};

/// The function of a stage for a state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Function {
    /// Stage of the source.
    pub stage: Stage,
    /// Name, for `newFunctionWithName:`.
    pub name: String,
    /// The library, for `newLibraryWithData:`.
    pub metallib: Vec<u8>,
    /// Metal index of each resource, inputs and outputs.
    pub reflection: Reflection,
}

impl Program {
    /// Makes the function of one stage for a state. Keys with the same [canonical form](Program::stage_canonical) give the same
    /// bytes, on any thread.
    ///
    /// # Errors
    /// A stage that the program lacks, state that the target cannot express, or an exceeded bound.
    pub fn variant(&self, stage: Stage, key: &StateKey, budget: &Budget) -> Result<Function, Errors> {
        let entry = self.function_key(stage, key);
        if let Some(function) = entry.as_ref().and_then(|entry| self.cached_function(stage, entry)) {
            budget.check(0)?;
            return Ok(function);
        }
        let function = self.new_variant(stage, key, budget)?;
        if let Some(entry) = entry {
            self.keep_function(&entry, &function);
        }
        Ok(function)
    }

    fn new_variant(&self, stage: Stage, key: &StateKey, budget: &Budget) -> Result<Function, Errors> {
        let key_of = |code: &&StageCode| code.stage == stage;
        let watched = self.code().iter().find(key_of).map_or(&None, |code| &code.key);
        let watched = std::slice::from_ref(watched);
        let Lowered { code, layouts } = debug::timed("variant", watched, || self.lower(stage, key, budget))?;
        let shader = code.shader();
        budget.check_shader(shader)?;
        let air = self.device().air();
        // The link has selected the code that is shared.
        let is_shared = matches!(code, Code::Shared(_)) && *watched == [None];
        let serial = self.serial.filter(|_| is_shared);
        let mut selected = match serial.and_then(|serial| self.device().recent().take(serial, stage)) {
            Some(selected) => vec![selected],
            None => {
                let emit = || emit(std::slice::from_ref(shader), layouts, air);
                debug::timed("select", watched, emit)?
            }
        };
        debug::selected(watched, std::slice::from_ref(shader), &mut selected);
        let metallib = library(&selected, air)?;
        budget.check(0)?;
        let reflection = selected.into_iter().next().map(|s| s.reflection).unwrap_or_default();
        Ok(Function { stage, name: reflection.entry.clone(), metallib, reflection })
    }

    /// The code of one stage for a state, as it is selected.
    ///
    /// # Errors
    /// As [`Program::variant`].
    pub fn variant_shader(&self, stage: Stage, key: &StateKey, budget: &Budget) -> Result<Shader, Errors> {
        Ok(self.lower(stage, key, budget)?.code.shader().clone())
    }

    /// Checks the budget, and that the code could be decoded.
    fn check_code(&self, budget: &Budget) -> Result<(), Errors> {
        budget.check(0)?;
        self.loaded().fault.as_ref().map_or(Ok(()), |fault| Err(fault.clone().into()))
    }

    fn lower(&self, stage: Stage, key: &StateKey, budget: &Budget) -> Result<Lowered<'_>, Errors> {
        self.check_code(budget)?;
        // Parts of the key that mean nothing here would leave traces, such as an unused block.
        let mut of_draw = *key;
        self.facts().canonical(None, &mut of_draw);
        let is_joined = (self.needs_stages() || of_draw.expands()) && stage != Stage::Fragment;
        if is_joined && self.draw_stages(&of_draw).any(|s| s == stage) {
            return self.lower_stages(stage, &of_draw, budget);
        }
        let mut key = *key;
        self.facts().canonical(Some(stage), &mut key);
        let key = &key;
        let Some(code) = self.code().iter().find(|code| code.stage == stage) else {
            let message = format!("the program does not have a {stage} shader");
            return Err(Diagnostic::error("E0952", message).into());
        };
        let steps = state_steps(self, stage, key)?;
        if steps.is_empty() {
            return Ok(Lowered { code: Code::Shared(&code.shader), layouts: Layouts::default() });
        }
        let is_kernel = key.capture_step == CaptureStep::Write && stage == Stage::Vertex;
        let captures = is_kernel || key.flags.contains(StateFlags::CAPTURE);
        let cleanup = if captures || key.inlined_count != 0 {
            full_cleanup(self)
        } else if steps.iter().all(|(fields, _)| ADDITIVE.contains(*fields)) {
            SWEEP.clone()
        } else {
            CLEANUP.clone()
        };
        let plan = Pipeline::of_steps(steps.into_iter().map(|s| s.1)).cleaned_up_by(cleanup);
        debug::plan("a variant", std::slice::from_ref(&code.key), &plan);
        let mut shader = code.shader.clone();
        let captured = if captures { self.records(&shader)? } else { Vec::new() };
        let layouts = Layouts { captured: vec![captured], ..Layouts::default() };
        let _ = budget.manager().run(&plan, &mut shader)?;
        Ok(Lowered { code: Code::Own(Box::new(shader)), layouts })
    }

    /// The layout of the buffers that transform feedback writes.
    fn records(&self, shader: &Shader) -> Result<Vec<Records>, Errors> {
        let lowerings = Lowerings { captures: self.captures().clone()?, ..Lowerings::default() };
        Ok(lowerings.records(std::slice::from_ref(shader), 0))
    }

    /// Stages that Metal lacks are lowered together: each end of their interfaces decides on the other.
    fn lower_stages(&self, stage: Stage, key: &StateKey, budget: &Budget) -> Result<Lowered<'_>, Errors> {
        let before: Vec<_> = self.code().iter().filter(|c| c.stage != Stage::Fragment).collect();
        let keys: Vec<_> = before.iter().map(|c| c.key.clone()).collect();
        let mut manager = budget.manager();
        // The stages before a tessellator that Metal lacks do not wait for a function that draws.
        let is_before = stage != Stage::TessEval
            && !self.adds_geometry(key)
            && is_undrawn(before.iter().map(|c| &c.shader));
        let capture = if is_before { CaptureStep::Write } else { key.capture_step };
        let mut stages = LowerStages {
            patch_vertices: u32::from(key.masked(StateMask::all()).patch_vertices),
            index_bits: u32::from(key.index_bits),
            first_provokes: key.flags.contains(StateFlags::FIRST_PROVOKES),
            capture,
            captures: match capture {
                CaptureStep::Write => self.captures().clone()?,
                CaptureStep::None | CaptureStep::Count => Captures::default(),
            },
            ..plan_options(self.device()).stages
        };
        let (mut shaders, plan) = self.with_state(&before, key, &mut stages, &mut manager)?;
        let plan = plan.program_pass(stages).program_pass(MatchInterfaces::default());
        let plan = plan.cleaned_up_by(full_cleanup(self));
        debug::plan("a variant", &keys, &plan);
        let position = |shaders: &[Shader]| shaders.iter().position(|s| s.stage == stage);
        let Some(n) = position(&shaders) else {
            let message = format!("the program does not have a {stage} shader");
            return Err(Diagnostic::error("E0952", message).into());
        };
        let _ = manager.run_program(&plan, &mut shaders)?;
        let is_captured = key.capture_step == CaptureStep::Write && self.is_last_vertex_stage(stage);
        let captured = match before.get(n).filter(|_| is_captured) {
            Some(code) => self.records(&code.shader)?,
            None => Vec::new(),
        };
        let layouts = Layouts { stages: manager.take_buffers(), ..Layouts::default() }.of(n);
        let layouts = Layouts { captured: vec![captured], ..layouts };
        Ok(Lowered { code: Code::Own(Box::new(shaders.swap_remove(n))), layouts })
    }

    /// Stages with a geometry stage that the draw adds, and the passes for the rest of the state.
    fn with_state(
        &self,
        before: &[&StageCode],
        key: &StateKey,
        stages: &mut LowerStages,
        manager: &mut Manager<'_>,
    ) -> Result<(Vec<Shader>, Pipeline), Errors> {
        let mut plan = Pipeline::default();
        for code in before {
            for (_, step) in state_steps(self, code.stage, key)? {
                plan = plan.pass(vec![code.stage], step);
            }
        }
        let mut shaders: Vec<Shader> = before.iter().map(|c| c.shader.clone()).collect();
        if !key.expands() && !self.adds_geometry(key) {
            return Ok((shaders, plan));
        }
        let captures = self.captures().as_ref().is_ok_and(|captures| !captures.is_empty());
        if captures && key.flags.contains(StateFlags::CAPTURE) {
            let message = "transform feedback together with lines or polygons that Metal does not rasterise is not supported";
            let help = "capture in a draw with RASTERIZER_DISCARD, then draw";
            return Err(Diagnostic::error("E0955", message).help(help).into());
        }
        let keys: Vec<_> = before.iter().map(|c| c.key.clone()).collect();
        debug::plan("the state of a variant", &keys, &plan);
        let _ = manager.run_program(&std::mem::take(&mut plan), &mut shaders)?;
        self.add_geometry(&mut shaders, stages, key)?;
        if let Some(geometry) = shaders.iter().find(|s| s.stage == Stage::Geometry) {
            for step in expand::steps(geometry, self.facts(), key) {
                plan = plan.pass(vec![Stage::Geometry], step);
            }
        }
        Ok((shaders, plan))
    }

    /// The stages of a draw for a state, for engines that have all stages of OpenGL, such as the interpreter. Stages that Metal has are
    /// those of [`Program::variant_shader`]; the others have the state, but have not become kernels and mesh functions.
    ///
    /// ```
    /// use airfoil_gl::{Budget, Device, LinkOptions, Stage, StateKey};
    ///
    /// let device = Device::default();
    /// let vertex = "#version 150\nin vec4 p; void main() { gl_Position = p; }";
    /// let geometry = "#version 150\nlayout(points) in; layout(points, max_vertices = 1) out;
    ///     void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }";
    /// let stages = [(Stage::Vertex, vertex), (Stage::Geometry, geometry)];
    /// let objects = stages.map(|(stage, text)| device.compile("shader", stage, &[text]));
    /// let program = device.link(&[&objects[0], &objects[1]], &LinkOptions::default())?;
    /// let shaders = program.draw_shaders(&StateKey::default(), &Budget::default())?;
    /// assert!(shaders.iter().map(|shader| shader.stage).eq([Stage::Vertex, Stage::Geometry]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Program::variant`].
    pub fn draw_shaders(&self, key: &StateKey, budget: &Budget) -> Result<Vec<Shader>, Errors> {
        let mut of_draw = *key;
        self.facts().canonical(None, &mut of_draw);
        let of_stage = |stage| self.variant_shader(stage, key, budget);
        if !self.needs_stages() && !of_draw.expands() {
            return self.stages().map(of_stage).collect();
        }
        self.check_code(budget)?;
        let before: Vec<_> = self.code().iter().filter(|c| c.stage != Stage::Fragment).collect();
        let mut manager = budget.manager();
        let (mut shaders, plan) =
            self.with_state(&before, &of_draw, &mut LowerStages::default(), &mut manager)?;
        let plan = plan.cleaned_up_by(CLEANUP.clone());
        let _ = manager.run_program(&plan, &mut shaders)?;
        if self.stages().any(|stage| stage == Stage::Fragment) {
            shaders.push(of_stage(Stage::Fragment)?);
        }
        Ok(shaders)
    }

    /// Adds a geometry shader to the stages of a draw, if the program does not have one.
    fn add_geometry(
        &self,
        shaders: &mut Vec<Shader>,
        stages: &mut LowerStages,
        key: &StateKey,
    ) -> Result<(), Errors> {
        let Some(last) = shaders.last().filter(|last| last.stage != Stage::Geometry) else { return Ok(()) };
        let geometry = expand::geometry(last, self.facts().drawn, &self.facts().varyings, key)?;
        if last.stage == Stage::Vertex {
            stages.vertices = RecordLayout::of(&geometry, Modes::IN, Part::Vertex);
        }
        shaders.push(geometry);
        Ok(())
    }
}

/// A lowered stage.
struct Lowered<'p> {
    code: Code<'p>,
    layouts: Layouts,
}

enum Code<'p> {
    Shared(&'p Shader),
    Own(Box<Shader>),
}

impl Code<'_> {
    fn shader(&self) -> &Shader {
        match self {
            Code::Shared(shader) => shader,
            Code::Own(shader) => shader,
        }
    }
}

/// State whose passes add operations to optimised code and leave at most the instructions unused that they replace. Moves are free
/// in AIR, and the builder folds constants.
const ADDITIVE: StateMask = StateMask::FLIP_Y
    .union(StateMask::HALF_Z)
    .union(StateMask::FLIP_WINDOW)
    .union(StateMask::FLIP_FACE)
    .union(StateMask::POINT_SIZE)
    .union(StateMask::CLIP_PLANES)
    .union(StateMask::CLAMP_VERTEX_COLORS)
    .union(StateMask::CLAMP_FRAGMENT_COLORS)
    .union(StateMask::ALPHA_FUNC)
    .union(StateMask::SAMPLE_MASK)
    .union(StateMask::SAMPLE_SHADING)
    .union(StateMask::POLYGON_STIPPLE);

/// The clean-up after the passes of that state.
static SWEEP: LazyLock<Arc<Pipeline>> = LazyLock::new(|| {
    // A test parses it.
    Arc::new(Pipeline::parse_with("dce{cycles=false}, gather_info", registry()).unwrap_or_default())
});

/// The clean-up of a link.
fn full_cleanup(program: &Program) -> Arc<Pipeline> {
    pipeline(program.device().options().level, Form::Slots).clone()
}
