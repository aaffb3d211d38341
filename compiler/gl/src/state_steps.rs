//! The passes for state.

use crate::facts::Facts;
use crate::program::Program;
use crate::state::{
    Attachment, BlendEquation, CaptureStep, CompareFunc, FogMode, FormatKind, LineMode, LogicOp, PointSize,
    PolygonMode, StateFlags, StateKey, StateMask, VertexFormat,
};
use airfoil::Errors;
use airfoil::ir::Stage;
use airfoil::passes::gl::clamp_fragment_colors::ClampFragmentColors;
use airfoil::passes::gl::clamp_vertex_colors::ClampVertexColors;
use airfoil::passes::gl::drop_memory_writes::DropMemoryWrites;
use airfoil::passes::gl::lower_advanced_blend::LowerAdvancedBlend;
use airfoil::passes::gl::lower_alpha_test::LowerAlphaTest;
use airfoil::passes::gl::lower_attachments::LowerAttachments;
use airfoil::passes::gl::lower_clip_disable::LowerClipDisable;
use airfoil::passes::gl::lower_clip_planes::LowerClipPlanes;
use airfoil::passes::gl::lower_clip_space::LowerClipSpace;
use airfoil::passes::gl::lower_depth_modes::LowerDepthModes;
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
use airfoil::passes::stages::lower_stages::only_geometry_is_counted;
use airfoil::passes::stages::match_inputs::MatchInputs;
use airfoil::passes::stages::vertex_outputs_to_buffer::VertexOutputsToBuffer;
use airfoil::passes::util::vertex_formats::VertexFormats;
use airfoil::passes::{Pass, PassStep};

/// The passes for the state that a stage's code depends on, with the fields that choose them.
pub(crate) fn state_steps(
    program: &Program,
    stage: Stage,
    key: &StateKey,
) -> Result<Vec<(StateMask, PassStep)>, Errors> {
    let mut steps = Steps { list: Vec::new(), key };
    steps.resources(program, stage);
    if program.is_last_vertex_stage(stage) {
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

    /// Whether the last stage before rasterisation is a kernel for transform feedback.
    fn is_captured(&self, facts: &Facts) -> bool {
        self.key.capture_step != CaptureStep::None && facts.captured_stage.is_some()
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
            let is_drawn = program.is_last_vertex_stage(stage) && !self.is_captured(program.facts());
            if self.has(StateFlags::EDGE_FLAGS) && is_drawn {
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
        let of = |is_pulled: bool| {
            let formats = (0..).zip(key.vertex_formats);
            formats.filter(move |&(n, _): &(u32, _)| (key.pulled >> n & 1 != 0) == is_pulled)
        };
        let pulled: Vec<(u32, VertexFormat)> = of(true).collect();
        let others: Vec<(u32, VertexFormat)> =
            of(false).filter(|f| f.1.kind.in_descriptor() != FormatKind::Native).collect();
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
        if self.is_captured(facts) {
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
        // Inputs that state did not replace.
        if let Some(outputs) = &facts.replaced {
            self.add(StateMask::empty(), MatchInputs { outputs: outputs.clone() });
        }
    }
}
