//! Variants: the function of one stage for a key.

use crate::budget::Budget;
use crate::code::StageCode;
use crate::expand;
use crate::facts::is_undrawn;
use crate::facts::{Facts, writes_clip_vertex};
use crate::log::Log;
use crate::program::{Program, plan_options};
use crate::state::{
    Attachment, BlendEquation, CaptureStep, CompareFunc, FogMode, FormatKind, LineMode, LogicOp, PointSize,
    PolygonMode, StateFlags, StateKey, StateMask, VertexFormat,
};
use airfoil::air::compile::{Layouts, emit};
use airfoil::air::library::library;
use airfoil::air::lowerings::{Captures, Lowerings};
use airfoil::air::plan::{pipeline, registry};
use airfoil::air::select::Records;
use airfoil::debug;
use airfoil::ir::{Diagnostic, Form, Modes, Shader, Stage};
use airfoil::passes::gl::clamp_fragment_colors::ClampFragmentColors;
use airfoil::passes::gl::clamp_vertex_colors::ClampVertexColors;
use airfoil::passes::gl::drop_memory_writes::DropMemoryWrites;
use airfoil::passes::gl::lower_advanced_blend::LowerAdvancedBlend;
use airfoil::passes::gl::lower_alpha_test::LowerAlphaTest;
use airfoil::passes::gl::lower_attachments::LowerAttachments;
use airfoil::passes::gl::lower_clip_disable::LowerClipDisable;
use airfoil::passes::gl::lower_clip_planes::LowerClipPlanes;
use airfoil::passes::gl::lower_clip_space::LowerClipSpace;
use airfoil::passes::gl::lower_depth_modes::{LowerDepthModes, moded};
use airfoil::passes::gl::lower_external_images::LowerExternalImages;
use airfoil::passes::gl::lower_flat_colors::LowerFlatColors;
use airfoil::passes::gl::lower_fog::LowerFog;
use airfoil::passes::gl::lower_frag_color::LowerFragColor;
use airfoil::passes::gl::lower_front_face::LowerFrontFace;
use airfoil::passes::gl::lower_gl_clamp::LowerGlClamp;
use airfoil::passes::gl::lower_inlined_uniforms::{LowerInlinedUniforms, Words};
use airfoil::passes::gl::lower_line_fragments::LowerLineFragments;
use airfoil::passes::gl::lower_logic_op::LowerLogicOp;
use airfoil::passes::gl::lower_nonseamless_cubes::LowerNonseamlessCubes;
use airfoil::passes::gl::lower_point_size::LowerPointSize;
use airfoil::passes::gl::lower_point_sprites::LowerPointSprites;
use airfoil::passes::gl::lower_polygon_stipple::LowerPolygonStipple;
use airfoil::passes::gl::lower_rasterizer_discard::LowerRasterizerDiscard;
use airfoil::passes::gl::lower_sample_mask::LowerSampleMask;
use airfoil::passes::gl::lower_sample_shading::LowerSampleShading;
use airfoil::passes::gl::lower_shadow_compare::LowerShadowCompare;
use airfoil::passes::gl::lower_smooth_points::LowerSmoothPoints;
use airfoil::passes::gl::lower_two_sided_colors::LowerTwoSidedColors;
use airfoil::passes::gl::lower_vertex_buffers::LowerVertexBuffers;
use airfoil::passes::gl::lower_vertex_formats::LowerVertexFormats;
use airfoil::passes::gl::lower_window_origin::LowerWindowOrigin;
use airfoil::passes::gl::lower_xfb::LowerXfb;
use airfoil::passes::gl::write_edge_flag::WriteEdgeFlag;
use airfoil::passes::lower::lower_doubles::LowerDoubles;
use airfoil::passes::manager::Manager;
use airfoil::passes::stages::lower_stages::{LowerStages, only_geometry_is_counted};
use airfoil::passes::stages::match_inputs::MatchInputs;
use airfoil::passes::stages::match_interfaces::MatchInterfaces;
use airfoil::passes::stages::stage_buffer::{Part, RecordLayout};
use airfoil::passes::stages::vertex_outputs_to_buffer::VertexOutputsToBuffer;
use airfoil::passes::util::vertex_formats::VertexFormats;
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
        let emit = || emit(std::slice::from_ref(shader), layouts, air);
        let mut selected = debug::timed("select", watched, emit)?;
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

    fn lower(&self, stage: Stage, key: &StateKey, budget: &Budget) -> Result<Lowered<'_>, Errors> {
        budget.check(0)?;
        if let Some(fault) = &self.loaded().fault {
            return Err(fault.clone().into());
        }
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
        let cleanup = if captures || key.inlined_count != 0 { full_cleanup(self) } else { CLEANUP.clone() };
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
        let mut plan = Pipeline::default();
        for code in &before {
            for (_, step) in state_steps(self, code.stage, key)? {
                plan = plan.pass(vec![code.stage], step);
            }
        }
        let keys: Vec<_> = before.iter().map(|c| c.key.clone()).collect();
        let mut shaders: Vec<Shader> = before.iter().map(|c| c.shader.clone()).collect();
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
        if key.expands() || self.adds_geometry(key) {
            let captures = self.captures().as_ref().is_ok_and(|captures| !captures.is_empty());
            if captures && key.flags.contains(StateFlags::CAPTURE) {
                let message = "transform feedback together with lines or polygons that Metal does not rasterise is not supported";
                let help = "capture in a draw with RASTERIZER_DISCARD, then draw";
                return Err(Diagnostic::error("E0955", message).help(help).into());
            }
            debug::plan("the state of a variant", &keys, &plan);
            let _ = manager.run_program(&std::mem::take(&mut plan), &mut shaders)?;
            self.add_geometry(&mut shaders, &mut stages, key)?;
            if let Some(geometry) = shaders.iter().find(|s| s.stage == Stage::Geometry) {
                for step in expand::steps(geometry, self.facts(), key) {
                    plan = plan.pass(vec![Stage::Geometry], step);
                }
            }
        }
        let plan = plan.program_pass(stages).program_pass(MatchInterfaces::default());
        let plan = plan.cleaned_up_by(full_cleanup(self));
        debug::plan("a variant", &keys, &plan);
        let position = |shaders: &[Shader]| shaders.iter().position(|s| s.stage == stage);
        let Some(n) = position(&shaders) else {
            let message = format!("the program does not have a {stage} shader");
            return Err(Diagnostic::error("E0952", message).into());
        };
        let _ = manager.run_program(&plan, &mut shaders)?;
        let is_captured = key.capture_step == CaptureStep::Write && is_last_vertex_stage(self, stage);
        let captured = match before.get(n).filter(|_| is_captured) {
            Some(code) => self.records(&code.shader)?,
            None => Vec::new(),
        };
        let layouts = Layouts { stages: manager.take_buffers(), ..Layouts::default() }.of(n);
        let layouts = Layouts { captured: vec![captured], ..layouts };
        Ok(Lowered { code: Code::Own(Box::new(shaders.swap_remove(n))), layouts })
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

/// Removes the stores to `gl_ClipVertex`, which has no effect without enabled planes.
pub(crate) fn without_clip_vertex(shaders: &mut [Shader]) -> Result<(), Log> {
    lower_each(shaders, writes_clip_vertex, LowerClipPlanes::default)
}

/// Whether a shader has operations that only the passes for state lower.
pub(crate) fn awaits_state(shader: &Shader) -> bool {
    writes_clip_vertex(shader) || moded(shader).is_some()
}

/// Lowers the operations that await state for the default state.
pub(crate) fn lower_default_state(shaders: &mut [Shader]) -> Result<(), Log> {
    without_clip_vertex(shaders)?;
    lower_each(shaders, |shader| moded(shader).is_some(), LowerDepthModes::default)
}

/// Runs a pass on the shaders that satisfy a condition.
fn lower_each<P: Pass + 'static>(
    shaders: &mut [Shader],
    which: impl Fn(&Shader) -> bool,
    pass: impl Fn() -> P,
) -> Result<(), Log> {
    for shader in shaders.iter_mut().filter(|shader| which(shader)) {
        let plan = Pipeline::of_steps([PassStep::new(Box::new(pass()))]).cleaned_up_by(CLEANUP.clone());
        let _ = Manager::default().run(&plan, shader)?;
    }
    Ok(())
}

/// The passes for the state that a stage's code depends on, with the fields that choose them.
pub(crate) fn state_steps(
    program: &Program,
    stage: Stage,
    key: &StateKey,
) -> Result<Vec<(StateMask, PassStep)>, Errors> {
    let mut steps = Steps { list: Vec::new(), key };
    steps.resources(program, stage);
    if is_last_vertex_stage(program, stage) {
        steps.vertex(program)?;
    }
    if stage == Stage::Fragment {
        steps.fragment(program.facts());
    }
    Ok(steps.list)
}

struct Steps<'k> {
    list: Vec<(StateMask, PassStep)>,
    key: &'k StateKey,
}

impl Steps<'_> {
    fn has(&self, flag: StateFlags) -> bool {
        self.key.flags.contains(flag)
    }

    fn add(&mut self, fields: StateMask, pass: impl Pass + 'static) {
        self.list.push((fields, PassStep::new(Box::new(pass))));
    }

    /// Adds a pass for a flag.
    fn flag(&mut self, flag: StateFlags, pass: impl Pass + 'static) {
        if self.has(flag) {
            self.add(StateMask::from_bits_truncate(flag.bits().into()), pass);
        }
    }

    /// Attributes, uniforms and textures.
    fn resources(&mut self, program: &Program, stage: Stage) {
        let key = self.key;
        if stage == Stage::Vertex {
            let is_captured =
                key.capture_step != CaptureStep::None && program.facts().captured_stage.is_some();
            if self.has(StateFlags::EDGE_FLAGS) && is_last_vertex_stage(program, stage) && !is_captured {
                self.add(StateMask::EDGE_FLAGS, WriteEdgeFlag { location: StateKey::EDGE_FLAG_LOCATION });
            }
            self.attributes(program);
        }
        let inlined = &key.inlined[..usize::from(key.inlined_count.min(4))];
        if let Some((binding, _)) = program.reflection().default_block.filter(|_| !inlined.is_empty()) {
            let values = Words(inlined.iter().map(|w| (w.offset, w.value)).collect());
            self.add(StateMask::INLINED, LowerInlinedUniforms { binding, values });
        }
        if key.nonseamless != 0 {
            self.add(StateMask::NONSEAMLESS, LowerNonseamlessCubes { cubes: key.nonseamless });
        }
        let [s, t, r] = key.gl_clamp;
        if key.gl_clamp != [0; 3] {
            self.add(StateMask::GL_CLAMP, LowerGlClamp { s, t, r });
        }
        // After coordinates are clamped: those of chroma follow from them.
        if key.external_planes != [0; 2] {
            let [two, three] = key.external_planes;
            self.add(StateMask::EXTERNAL_PLANES, LowerExternalImages { two, three });
        }
        if key.compare_off != 0 {
            self.add(StateMask::COMPARE_OFF, LowerShadowCompare { disabled: key.compare_off });
        }
        if program.facts().has_depth_modes(stage) {
            let [intensity, alpha, red] = key.depth_modes;
            self.add(StateMask::DEPTH_MODES, LowerDepthModes { intensity, alpha, red });
        }
    }

    /// Attributes from buffers and with formats of the vertex descriptor.
    fn attributes(&mut self, program: &Program) {
        let key = self.key;
        let is_pulled = |n: u32| key.pulled >> n & 1 != 0;
        let all: Vec<(u32, VertexFormat)> = (0..).zip(key.vertex_formats).collect();
        let (pulled, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|f| is_pulled(f.0));
        let others: Vec<_> =
            others.into_iter().filter(|f| f.1.kind.in_descriptor() != FormatKind::Native).collect();
        let is_double = |f: &(u32, VertexFormat)| f.1.kind == FormatKind::Double;
        let has_doubles = pulled.iter().any(is_double) || others.iter().any(is_double);
        if !pulled.is_empty() {
            let pass = LowerVertexBuffers {
                formats: VertexFormats(pulled),
                instanced: key.instanced,
                unaligned: key.unaligned,
                robust: program.device().options().workarounds.robust,
            };
            self.add(StateMask::PULLED | StateMask::VERTEX_FORMATS, pass);
        }
        if !others.is_empty() {
            self.add(StateMask::VERTEX_FORMATS, LowerVertexFormats { formats: VertexFormats(others) });
        }
        if has_doubles {
            self.add(StateMask::VERTEX_FORMATS, LowerDoubles);
        }
    }

    /// The last stage before rasterisation.
    fn vertex(&mut self, program: &Program) -> Result<(), Errors> {
        let (key, facts) = (self.key, program.facts());
        if key.capture_step != CaptureStep::None && facts.captured_stage.is_some() {
            return self.captured_by_kernel(program);
        }
        // Transform feedback captures the values that the shader wrote, before other state changes them (OpenGL 4.6 section 13.3).
        if self.has(StateFlags::CAPTURE) && !program.needs_stages() {
            let captures = program.captures().clone()?;
            if !captures.is_empty() {
                self.add(StateMask::CAPTURE, LowerXfb { captures });
            }
        }
        let points = key.point_size != PointSize::None;
        let (state, clamp) = (key.point_size == PointSize::State, key.point_size == PointSize::Clamped);
        self.add(StateMask::POINT_SIZE, LowerPointSize { points, state, clamp });
        self.flag(StateFlags::SMOOTH_POINTS, LowerSmoothPoints);
        if key.clip_planes != 0 || facts.clip_vertex {
            self.add(StateMask::CLIP_PLANES, LowerClipPlanes { planes: key.clip_planes.into() });
        }
        if facts.clip_distances != 0 {
            let dynamic = self.has(StateFlags::DYNAMIC_CLIP);
            let enabled = if dynamic { 0xff } else { key.clip_enable.into() };
            let fields = StateMask::CLIP_ENABLE | StateMask::DYNAMIC_CLIP;
            self.add(fields, LowerClipDisable { enabled, dynamic });
        }
        self.flag(StateFlags::CLAMP_VERTEX_COLORS, ClampVertexColors);
        let (flip_y, half_z) = (self.has(StateFlags::FLIP_Y), self.has(StateFlags::HALF_Z));
        if flip_y || half_z {
            self.add(StateMask::FLIP_Y | StateMask::HALF_Z, LowerClipSpace { flip_y, half_z });
        }
        self.flag(StateFlags::RASTERIZER_DISCARD, LowerRasterizerDiscard);
        Ok(())
    }

    /// The last stage as a kernel for transform feedback. A geometry shader has its effects in one of its functions: in that
    /// which draws, or without rasterisation in the kernel that writes.
    fn captured_by_kernel(&mut self, program: &Program) -> Result<(), Errors> {
        let writes = self.key.capture_step == CaptureStep::Write;
        match program.facts().captured_stage {
            Some(Stage::Geometry) if !(writes && self.has(StateFlags::RASTERIZER_DISCARD)) => {
                self.add(StateMask::CAPTURE_STEP | StateMask::RASTERIZER_DISCARD, DropMemoryWrites);
            }
            Some(Stage::Vertex) if !writes => return Err(only_geometry_is_counted().into()),
            Some(Stage::Vertex) => {
                let captures = program.captures().clone()?;
                self.add(StateMask::CAPTURE_STEP, LowerXfb { captures });
                // No records are left for another stage.
                self.add(StateMask::CAPTURE_STEP, LowerRasterizerDiscard);
                let index_bits = self.key.index_bits.into();
                let pass = VertexOutputsToBuffer { index_bits, ..VertexOutputsToBuffer::default() };
                self.add(StateMask::CAPTURE_STEP | StateMask::INDEX_BITS, pass);
            }
            _ => {}
        }
        Ok(())
    }

    /// The fragment stage: inputs, then colors in the order of OpenGL, then window coordinates.
    fn fragment(&mut self, facts: &Facts) {
        let key = self.key;
        let colors = facts.back_colors;
        self.flag(StateFlags::TWO_SIDED_COLORS, LowerTwoSidedColors { colors });
        self.flag(StateFlags::FLAT_COLORS, LowerFlatColors);
        let expands = key.expands();
        if expands {
            let pass = match key.polygon_mode {
                PolygonMode::Native => LowerFrontFace::default(),
                PolygonMode::Lines | PolygonMode::Points => {
                    LowerFrontFace { slot: facts.varyings.face_slot() }
                }
            };
            self.add(StateMask::LINES | StateMask::POLYGON_MODE, pass);
        }
        let lower_left = self.has(StateFlags::POINT_LOWER_LEFT);
        if key.coord_replace != 0 || lower_left {
            let fields = StateMask::COORD_REPLACE | StateMask::POINT_LOWER_LEFT;
            self.add(fields, LowerPointSprites { coords: key.coord_replace.into(), lower_left });
        }
        if key.fog != FogMode::None {
            let depth = self.has(StateFlags::FOG_DEPTH) || !facts.fog;
            self.add(StateMask::FOG | StateMask::FOG_DEPTH, LowerFog { mode: key.fog, depth });
        }
        self.flag(StateFlags::CLAMP_FRAGMENT_COLORS, ClampFragmentColors);
        if key.has_line_fragments() {
            let (slot, stipple) = (facts.varyings.line_slot(), self.has(StateFlags::LINE_STIPPLE));
            let pass = LowerLineFragments { slot, stipple, smooth: key.lines == LineMode::Smooth };
            self.add(StateMask::LINES | StateMask::LINE_STIPPLE, pass);
        }
        self.flag(StateFlags::SMOOTH_POINTS, LowerSmoothPoints);
        if key.alpha_func != CompareFunc::Always {
            self.add(StateMask::ALPHA_FUNC, LowerAlphaTest { func: key.alpha_func });
        }
        self.flag(StateFlags::SAMPLE_SHADING, LowerSampleShading);
        self.flag(StateFlags::SAMPLE_MASK, LowerSampleMask);
        if key.color_attachments > 1 {
            let attachments = u32::from(key.color_attachments);
            self.add(StateMask::COLOR_ATTACHMENTS, LowerFragColor { attachments });
        }
        let of = |kind| {
            let is_it = |&(_, &found): &(u32, &Attachment)| found == kind;
            (0..).zip(&key.attachments).filter(is_it).fold(0, |mask, (n, _)| mask | 1 << n)
        };
        let unorm8: u32 = of(Attachment::Unorm8);
        if key.blend != BlendEquation::None {
            let clamp = unorm8 & 1 != 0;
            self.add(StateMask::BLEND, LowerAdvancedBlend { equation: key.blend, clamp });
        }
        if key.logic_op != LogicOp::Copy {
            self.add(StateMask::LOGIC_OP, LowerLogicOp { op: key.logic_op, unorm8 });
        }
        let attachments = LowerAttachments {
            missing: of(Attachment::None),
            float: of(Attachment::Float) | unorm8,
            int: of(Attachment::Int),
            uint: of(Attachment::Uint),
            depth: !self.has(StateFlags::NO_DEPTH),
            stencil: !self.has(StateFlags::NO_STENCIL),
            dual_source: !self.has(StateFlags::NO_DUAL_SOURCE),
        };
        if attachments != LowerAttachments::default() {
            let flags = StateMask::NO_DEPTH | StateMask::NO_STENCIL | StateMask::NO_DUAL_SOURCE;
            self.add(StateMask::ATTACHMENTS | flags, attachments);
        }
        self.flag(StateFlags::POLYGON_STIPPLE, LowerPolygonStipple);
        let (y, front_face) =
            (self.has(StateFlags::FLIP_WINDOW), self.has(StateFlags::FLIP_FACE) && !expands);
        if y || front_face {
            let pass = LowerWindowOrigin { y, height: 0, front_face };
            self.add(StateMask::FLIP_WINDOW | StateMask::FLIP_FACE, pass);
        }
        // Coordinates that state did not replace.
        if let Some(outputs) = &facts.coordinates {
            self.add(StateMask::empty(), MatchInputs { outputs: outputs.clone() });
        }
    }
}
