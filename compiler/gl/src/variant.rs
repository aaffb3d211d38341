//! Variants: the function of one stage for a key.

use crate::budget::Budget;
use crate::program::{Program, StageCode, plan_options};
use crate::state::{PointSize, StateFlags, StateKey, StateMask};
use airfoil::air::compile::{Layouts, emit};
use airfoil::air::library::library;
use airfoil::air::lowerings::Lowerings;
use airfoil::air::plan::{pipeline, registry};
use airfoil::air::select::Records;
use airfoil::debug;
use airfoil::ir::{Diagnostic, Form, Shader, Stage};
use airfoil::passes::gl::lower_clip_disable::LowerClipDisable;
use airfoil::passes::gl::lower_clip_space::LowerClipSpace;
use airfoil::passes::gl::lower_frag_color::LowerFragColor;
use airfoil::passes::gl::lower_point_size::LowerPointSize;
use airfoil::passes::gl::lower_window_origin::LowerWindowOrigin;
use airfoil::passes::gl::lower_xfb::LowerXfb;
use airfoil::passes::stages::lower_stages::LowerStages;
use airfoil::passes::stages::match_interfaces::MatchInterfaces;
use airfoil::passes::{Pass, PassStep, Pipeline};
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
        let key_of = |code: &&StageCode| code.stage == stage;
        let watched = self.code().iter().find(key_of).map_or(&None, |code| &code.key);
        let watched = std::slice::from_ref(watched);
        let Lowered { code, layouts } = debug::timed("variant", watched, || self.lower(stage, key, budget))?;
        let shader = code.shader();
        budget.check(shader.num_instrs())?;
        let air = self.device().air();
        let emit = || emit(std::slice::from_ref(shader), layouts, air);
        let selected = debug::timed("select", watched, emit)?;
        debug::selected(watched, std::slice::from_ref(shader), &selected);
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

    fn lower(&self, stage: Stage, key: &StateKey, budget: &Budget) -> Result<Lowered<'_>, Errors> {
        budget.check(0)?;
        let found = self.code().iter().position(|code| code.stage == stage);
        let Some(n) = found else {
            let message = format!("the program does not have a {stage} shader");
            return Err(Diagnostic::error("E0952", message).into());
        };
        if self.needs_stages() && stage != Stage::Fragment {
            return self.lower_stages(n, key, budget);
        }
        let code = &self.code()[n];
        let steps = state_steps(self, stage, key)?;
        if steps.is_empty() {
            return Ok(Lowered { code: Code::Shared(&code.shader), layouts: Layouts::default() });
        }
        let captures = key.flags.contains(StateFlags::CAPTURE);
        let cleanup = if captures { full_cleanup(self) } else { CLEANUP.clone() };
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
    fn lower_stages(&self, n: usize, key: &StateKey, budget: &Budget) -> Result<Lowered<'_>, Errors> {
        let before: Vec<_> = self.code().iter().filter(|c| c.stage != Stage::Fragment).collect();
        let mut plan = Pipeline::default();
        for code in &before {
            for (_, step) in state_steps(self, code.stage, key)? {
                plan = plan.pass(vec![code.stage], step);
            }
        }
        let stages = LowerStages {
            patch_vertices: u32::from(key.masked(StateMask::all()).patch_vertices),
            index_bits: u32::from(key.index_bits),
            first_provokes: key.flags.contains(StateFlags::FIRST_PROVOKES),
            ..plan_options(self.device()).stages
        };
        let plan = plan.program_pass(stages).program_pass(MatchInterfaces::default());
        let plan = plan.cleaned_up_by(full_cleanup(self));
        let keys: Vec<_> = before.iter().map(|c| c.key.clone()).collect();
        debug::plan("a variant", &keys, &plan);
        let mut shaders: Vec<Shader> = before.iter().map(|c| c.shader.clone()).collect();
        let mut manager = budget.manager();
        let _ = manager.run_program(&plan, &mut shaders)?;
        let layouts = Layouts { stages: manager.take_buffers(), ..Layouts::default() };
        Ok(Lowered { code: Code::Own(Box::new(shaders.swap_remove(n))), layouts: layouts.of(n) })
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

/// The clean-up after passes that add a few operations to optimised code.
static CLEANUP: LazyLock<Arc<Pipeline>> = LazyLock::new(|| {
    // A test parses it.
    let text = "copy_prop, constant_folding, dce, dead_cf, gather_info";
    Arc::new(Pipeline::parse_with(text, registry()).unwrap_or_default())
});

/// The clean-up of a link.
fn full_cleanup(program: &Program) -> Arc<Pipeline> {
    pipeline(program.device().options().level, Form::Slots).clone()
}

/// Whether a stage is the last one before rasterisation.
pub(crate) fn is_last_vertex_stage(program: &Program, stage: Stage) -> bool {
    program.last_vertex_stage().is_some_and(|code| code.stage == stage)
}

/// The passes for the state that a stage's code depends on, with the fields that choose them.
pub(crate) fn state_steps(
    program: &Program,
    stage: Stage,
    key: &StateKey,
) -> Result<Vec<(StateMask, PassStep)>, Errors> {
    let mut steps = Vec::new();
    let mut add = |fields, pass: Box<dyn Pass>| steps.push((fields, PassStep::new(pass)));
    let has = |flag| key.flags.contains(flag);
    if is_last_vertex_stage(program, stage) {
        // Transform feedback captures the values that the shader wrote, before other state changes them (OpenGL 4.6 section 13.3).
        if has(StateFlags::CAPTURE) {
            let captures = program.captures().clone()?;
            if !captures.is_empty() {
                add(StateMask::CAPTURE, Box::new(LowerXfb { captures }));
            }
        }
        let points = key.point_size != PointSize::None;
        add(StateMask::POINT_SIZE, Box::new(LowerPointSize { points, ..LowerPointSize::default() }));
        if program.clip_distances() != 0 {
            let enabled = u32::from(key.clip_enable);
            add(StateMask::CLIP_ENABLE, Box::new(LowerClipDisable { enabled }));
        }
        let (flip_y, half_z) = (has(StateFlags::FLIP_Y), has(StateFlags::HALF_Z));
        if flip_y || half_z {
            let pass = LowerClipSpace { flip_y, half_z };
            add(StateMask::FLIP_Y | StateMask::HALF_Z, Box::new(pass));
        }
    }
    if stage == Stage::Fragment {
        if key.color_attachments > 1 {
            let pass = LowerFragColor { attachments: u32::from(key.color_attachments) };
            add(StateMask::COLOR_ATTACHMENTS, Box::new(pass));
        }
        let (y, front_face) = (has(StateFlags::FLIP_WINDOW), has(StateFlags::FLIP_FACE));
        if y || front_face {
            let pass = LowerWindowOrigin { y, height: 0, front_face };
            add(StateMask::FLIP_WINDOW | StateMask::FLIP_FACE, Box::new(pass));
        }
    }
    Ok(steps)
}
