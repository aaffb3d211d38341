//! Facts about the code of a program that the passes for state require, and that make keys canonical.

use crate::budget::Budget;
use crate::code::StageCode;
use crate::expand::{self, Drawn, Varyings};
use crate::log::Log;
use crate::state::{
    Attachment, BlendEquation, CaptureStep, FogMode, FormatKind, InlinedUniform, LogicOp, PointSize,
    StateFlags, StateKey, VertexFormat,
};
use airfoil::air::compile::lower;
use airfoil::air::plan::{PlanOptions, metal_plan};
use airfoil::ir::{InstrId, IntrinsicOp, Modes, Primitive, Scalar, Shader, Slot, Stage, Type};
use airfoil::passes::gl::lower_depth_modes::moded;
use airfoil::passes::gl::lower_external_images::planar;
use airfoil::passes::gl::lower_gl_clamp::clampable;
use airfoil::passes::gl::lower_inlined_uniforms::words_read;
use airfoil::passes::gl::lower_nonseamless_cubes::cubes;
use airfoil::passes::gl::lower_shadow_compare::compared;
use airfoil::passes::gl::lower_vertex_buffers::attributes;
use airfoil::passes::gl::lower_vertex_formats::convertible;
use airfoil::passes::stages::geometry_to_capture::output_size;
use airfoil::passes::stages::interface::{Interface, Piece};
use airfoil::passes::stages::match_inputs::reads;
use airfoil::passes::stages::match_interfaces::outputs;
use airfoil::passes::stages::tess_eval_to_capture::tessellated_size;

/// Facts about the code of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Mask of the clip distances that the last stage before rasterisation writes.
    pub clip_distances: u8,
    /// It writes `gl_ClipVertex`.
    pub clip_vertex: bool,
    /// It writes a point size.
    pub point_size: bool,
    /// It may write buffers or images.
    pub effects: bool,
    /// It, if a kernel captures its primitives: a tessellation or geometry stage, or the vertex stage of a program with captures.
    pub captured_stage: Option<Stage>,
    /// Vertices of the primitives that it emits, which kernels capture.
    pub captured_vertices: Option<u32>,
    /// The primitives that it passes to rasterisation.
    pub drawn: Drawn,
    /// Its interface to the fragment stage.
    pub varyings: Varyings,
    /// The program has stages that Metal lacks.
    pub has_lacking_stages: bool,
    /// Draws add a geometry stage, since Metal does not draw the primitives of the tessellator.
    pub needs_geometry: bool,
    /// It writes the fog coordinate, or is unknown.
    pub fog: bool,
    /// Mask of the back colors that it writes; all if it is unknown.
    pub back_colors: u32,
    /// Its outputs, if the fragment shader reads inputs that it does not write, which state can replace.
    pub replaced: Option<Interface>,
    /// Mask of the texture coordinates that the fragment shader reads.
    pub coordinates_read: u8,
    /// The fragment shader reads the position in the point.
    pub point_coord: bool,
    /// Types of the colors that the fragment shader writes.
    pub colors: [Option<Attachment>; 8],
    /// It writes `gl_FragColor`.
    pub frag_color: bool,
    /// Facts about each stage.
    pub stages: Vec<StageFacts>,
}

/// Facts about the code of a stage.
#[derive(Clone, Debug)]
pub(crate) struct StageFacts {
    stage: Stage,
    /// Masks of the textures whose coordinates wrap.
    clampable: [u32; 3],
    /// Mask of the textures that are compared with.
    compared: u32,
    /// Mask of the textures whose depth texture mode it depends on; `None` without lookups that depend on one.
    moded: Option<u32>,
    /// Mask of the textures that can be external images.
    planar: u32,
    /// Mask of the cube maps.
    cubes: u32,
    /// Words of the default uniform block that it reads.
    uniforms: Vec<u32>,
    /// Attributes that it reads as floats.
    floats: u32,
    /// Attributes that it reads.
    attributes: u32,
}

impl StageFacts {
    fn of(code: &StageCode, default_block: Option<u32>) -> StageFacts {
        StageFacts {
            stage: code.stage,
            clampable: clampable(&code.shader),
            compared: compared(&code.shader),
            moded: moded(&code.shader),
            planar: planar(&code.shader),
            cubes: cubes(&code.shader),
            uniforms: default_block.map_or_else(Vec::new, |binding| words_read(&code.shader, binding)),
            floats: convertible(&code.shader),
            attributes: attributes(&code.shader),
        }
    }
}

/// Whether Metal lacks a stage.
pub(crate) fn is_lacking(stage: Stage) -> bool {
    matches!(stage, Stage::TessControl | Stage::TessEval | Stage::Geometry)
}

/// Whether Metal does not draw the primitives that the tessellator makes: isolines and points.
pub(crate) fn is_undrawn<'s>(mut shaders: impl Iterator<Item = &'s Shader> + Clone) -> bool {
    let is_undrawn = |s: &Shader| s.info.point_mode || s.info.input_primitive == Primitive::Isolines;
    let has_geometry = shaders.clone().any(|s| s.stage == Stage::Geometry);
    !has_geometry && shaders.find(|s| s.stage == Stage::TessEval).is_some_and(is_undrawn)
}

/// The last stage before rasterisation.
pub(crate) fn last_vertex_stage(stages: &[StageCode]) -> Option<&StageCode> {
    let before = |s: Stage| matches!(s, Stage::Vertex | Stage::TessEval | Stage::Geometry | Stage::Mesh);
    stages.iter().rfind(|code| before(code.stage))
}

fn has(shader: &Shader, mode: Modes, slot: Slot) -> bool {
    shader.vars.values().any(|v| v.mode == mode && v.location == Some(slot))
}

/// Whether a shader writes `gl_ClipVertex`.
pub(crate) fn writes_clip_vertex(shader: &Shader) -> bool {
    has(shader, Modes::OUT, Slot::CLIP_VERTEX)
}

/// The index of texture coordinates.
fn coordinate(slot: Slot) -> Option<u8> {
    (Slot::TEX0..=Slot::TEX7).contains(&slot).then(|| slot.0 - Slot::TEX0.0)
}

/// Whether state can replace an input of the fragment shader, after a stage with these outputs: texture coordinates by the position
/// in a point, colors by back colors.
fn is_replaced(slot: Slot, previous: &Interface) -> bool {
    let back = match slot {
        Slot::COLOR0 => Slot::BACK_COLOR0,
        Slot::COLOR1 => Slot::BACK_COLOR1,
        _ => return coordinate(slot).is_some(),
    };
    previous.0.iter().any(|p| p.slot == back)
}

/// The inputs of a fragment shader that state can replace and the stage before does not write.
fn missing(fragment: &Shader, previous: &Interface) -> Vec<Piece> {
    let is_missing = |p: &Piece| is_replaced(p.slot, previous) && !previous.has(p);
    reads(fragment).into_iter().filter(is_missing).collect()
}

/// The fragment shader in the form `target`, if it reads inputs that state can replace and the stage before does not write: they
/// stay inputs. The others match.
pub(crate) fn fragment_with_replaced_inputs(
    shaders: &[Shader],
    options: &PlanOptions,
    budget: &Budget,
) -> Result<Option<Shader>, Log> {
    let before = |s: &&Shader| matches!(s.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry);
    let fragment = shaders.iter().find(|s| s.stage == Stage::Fragment);
    let (Some(last), Some(fragment)) = (shaders.iter().rfind(before), fragment) else { return Ok(None) };
    let mut previous = outputs(last);
    let missing = missing(fragment, &previous);
    if missing.is_empty() {
        return Ok(None);
    }
    previous.0.retain(|p| missing.iter().all(|m| m.slot != p.slot));
    previous.0.extend(missing);
    let options = PlanOptions { previous, ..options.clone() };
    let mut shaders = vec![fragment.clone()];
    let plan = metal_plan(&shaders, &options);
    let _ = lower(&mut shaders, &plan, &options, &mut budget.manager())?;
    Ok(shaders.pop())
}

/// Resets the state that changes the outputs of vertices.
fn reset_outputs(key: &mut StateKey) {
    let outputs = StateFlags::FLIP_Y | StateFlags::HALF_Z | StateFlags::CLAMP_VERTEX_COLORS;
    key.flags.remove(outputs | StateFlags::DYNAMIC_CLIP);
    (key.clip_enable, key.clip_planes, key.point_size) = (0, 0, PointSize::None);
}

impl Facts {
    /// Whether the last stage before rasterisation is a geometry shader.
    pub(crate) fn has_geometry(&self) -> bool {
        self.captured_stage == Some(Stage::Geometry)
    }

    pub(crate) fn of(stages: &[StageCode], default_block: Option<u32>, has_captures: bool) -> Facts {
        let mut facts = Facts { fog: true, back_colors: 3, ..Facts::default() };
        facts.stages = stages.iter().map(|code| StageFacts::of(code, default_block)).collect();
        let fragment = stages.iter().find(|code| code.stage == Stage::Fragment);
        if let Some(fragment) = fragment {
            facts.read_fragment(&fragment.shader);
        }
        let Some(last) = last_vertex_stage(stages) else { return facts };
        let shader = &last.shader;
        let count = shader.info.clip_distances.min(8);
        facts.clip_distances = ((1_u16 << count) - 1) as u8;
        let writes = |slot| has(shader, Modes::OUT, slot);
        facts.clip_vertex = writes_clip_vertex(shader);
        facts.point_size = writes(Slot::POINT_SIZE);
        facts.effects = shader.gathered.as_ref().is_none_or(|gathered| gathered.writes_memory);
        facts.captured_vertices = match last.stage {
            Stage::TessEval => Some(tessellated_size(shader)),
            Stage::Geometry => output_size(shader.info.output_primitive),
            _ => None,
        };
        let is_captured = match last.stage {
            Stage::TessEval | Stage::Geometry => true,
            stage => stage == Stage::Vertex && has_captures,
        };
        facts.captured_stage = is_captured.then_some(last.stage);
        facts.drawn = Drawn::of(shader);
        facts.varyings = Varyings::of(shader, fragment.map(|code| &code.shader));
        facts.needs_geometry = is_undrawn(stages.iter().map(|code| &code.shader));
        facts.has_lacking_stages = stages.iter().any(|code| is_lacking(code.stage));
        facts.fog = writes(Slot::FOG);
        facts.back_colors = u32::from(writes(Slot::BACK_COLOR0)) | u32::from(writes(Slot::BACK_COLOR1)) << 1;
        if let Some(fragment) = fragment {
            let written = outputs(shader);
            if !missing(&fragment.shader, &written).is_empty() {
                facts.replaced = Some(written);
            }
        }
        facts
    }

    fn read_fragment(&mut self, shader: &Shader) {
        for piece in reads(shader) {
            self.coordinates_read |= coordinate(piece.slot).map_or(0, |n| 1 << n);
        }
        for v in shader.vars.values().filter(|v| v.mode == Modes::OUT) {
            let Some(location) = v.location else { continue };
            self.frag_color |= location == Slot::FRAG_COLOR;
            let first = if location == Slot::FRAG_COLOR { Some(0) } else { location.as_generic() };
            let Some(first) = first else { continue };
            let kind = match shader.types[shader.types.without_arrays(v.ty)] {
                Type::Vector { scalar: Scalar::Int32, .. } => Attachment::Int,
                Type::Vector { scalar: Scalar::Uint32, .. } => Attachment::Uint,
                Type::Vector { scalar: Scalar::Float32, .. } => Attachment::Float,
                // Not converted.
                _ => Attachment::AsWritten,
            };
            for n in first..first + shader.types.num_slots(v.ty) {
                if let Some(color) = self.colors.get_mut(n as usize) {
                    *color = Some(kind);
                }
            }
        }
        let Some(body) = shader.entry_body() else { return };
        let reads =
            |id: InstrId| body[id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_point_coord);
        self.point_coord = body.all_instrs().any(reads);
    }

    /// Whether a stage reads words of the default uniform block that can be inlined.
    pub(crate) fn reads_uniforms(&self, stage: Stage) -> bool {
        self.stages.iter().any(|facts| facts.stage == stage && !facts.uniforms.is_empty())
    }

    /// Whether the vertex stage reads attributes.
    pub(crate) fn reads_attributes(&self) -> bool {
        self.stages.iter().any(|facts| facts.attributes != 0)
    }

    /// Whether a stage reads cube maps, whose faces wrap if they are not seamless.
    pub(crate) fn reads_cubes(&self, stage: Stage) -> bool {
        self.stages.iter().any(|facts| facts.stage == stage && facts.cubes != 0)
    }

    /// Whether a stage reads textures that can be external images.
    pub(crate) fn reads_planar(&self, stage: Stage) -> bool {
        self.stages.iter().any(|facts| facts.stage == stage && facts.planar != 0)
    }

    /// Whether a stage has lookups whose components depend on the mode of a depth texture.
    pub(crate) fn has_depth_modes(&self, stage: Stage) -> bool {
        self.stages.iter().any(|facts| facts.stage == stage && facts.moded.is_some())
    }

    /// Resets values of a key that mean the same as others for the program.
    pub(crate) fn canonical(&self, stage: Option<Stage>, key: &mut StateKey) {
        self.canonical_by_stage(stage, key);
        if self.captured_stage.is_none() {
            key.capture_step = CaptureStep::None;
        }
        let is_kernel = key.capture_step != CaptureStep::None;
        if is_kernel {
            // It has the outputs as the shader writes them.
            reset_outputs(key);
            key.flags.remove(StateFlags::CAPTURE);
        }
        // Mesh functions emit primitives, which Metal drops; the kernel that writes has the effects of a shader that is not drawn.
        let has_effects = key.capture_step == CaptureStep::Write && self.effects;
        let is_discarded = match self.captured_stage {
            Some(Stage::Geometry) => has_effects,
            Some(_) => !is_kernel,
            None => true,
        };
        if !is_discarded {
            key.flags.remove(StateFlags::RASTERIZER_DISCARD);
        }
        expand::canonical(self, stage, key);
        // The values that affect outputs only do not matter if there are none.
        if key.flags.contains(StateFlags::RASTERIZER_DISCARD) {
            reset_outputs(key);
            // A function without effects does nothing.
            let captures = is_kernel || key.flags.contains(StateFlags::CAPTURE);
            if stage.is_some_and(|stage| stage != Stage::Fragment) && !captures && !self.effects {
                *key = StateKey { flags: StateFlags::RASTERIZER_DISCARD, ..StateKey::default() };
            }
        }
        if key.flags.contains(StateFlags::DYNAMIC_CLIP) {
            key.clip_enable = 0;
        }
        if key.point_size == PointSize::Clamped && !self.point_size {
            key.point_size = PointSize::Shader;
        }
        if key.point_size == PointSize::Shader && self.drawn != Drawn::OfDraw {
            key.point_size = PointSize::None;
        }
        if key.fog == FogMode::None || !self.fog {
            key.flags.remove(StateFlags::FOG_DEPTH);
        }
        key.coord_replace &= self.coordinates_read;
        if key.coord_replace == 0 && !self.point_coord {
            key.flags.remove(StateFlags::POINT_LOWER_LEFT);
        }
        let count = usize::from(key.color_attachments.clamp(1, 8));
        for (n, kind) in key.attachments.iter_mut().enumerate() {
            let color = if self.frag_color && n < count { Some(Attachment::Float) } else { self.colors[n] };
            // Values of 8 bits are floats without a logic operation.
            let reads = key.logic_op != LogicOp::Copy || (key.blend != BlendEquation::None && n == 0);
            let combines = reads && color == Some(Attachment::Float);
            if *kind == Attachment::Unorm8 && !combines {
                *kind = Attachment::Float;
            }
            *kind = match (color, *kind) {
                (None, _) => Attachment::AsWritten,
                (Some(written), kind) if kind == written => Attachment::AsWritten,
                // Values of other widths are not converted.
                (Some(Attachment::AsWritten), kind) if kind != Attachment::None => Attachment::AsWritten,
                (_, kind) => kind,
            };
        }
        while key.color_attachments > 1
            && key.attachments[usize::from(key.color_attachments - 1).min(7)] == Attachment::None
        {
            key.color_attachments -= 1;
            key.attachments[usize::from(key.color_attachments).min(7)] = Attachment::AsWritten;
        }
        let combines = |n: usize| {
            let float = (self.frag_color && n < count).then_some(Attachment::Float);
            match float.or(self.colors[n]) {
                Some(Attachment::Int | Attachment::Uint) => true,
                Some(Attachment::Float) => key.attachments[n] == Attachment::Unorm8,
                _ => false,
            }
        };
        if !(0..8).any(combines) {
            key.logic_op = LogicOp::Copy;
        }
        self.canonical_attributes(stage, key);
    }

    /// Resets the formats of attributes that the vertex stage does not read.
    fn canonical_attributes(&self, stage: Option<Stage>, key: &mut StateKey) {
        let stages = || self.stages.iter().filter(|facts| stage.is_none_or(|stage| stage == facts.stage));
        let floats = stages().fold(0, |all, facts| all | facts.floats);
        let mut attributes = stages().fold(0, |all, facts| all | facts.attributes);
        let is_vertex = stage.is_none_or(|stage| stage == Stage::Vertex);
        if is_vertex && key.flags.contains(StateFlags::EDGE_FLAGS) {
            attributes |= 1 << StateKey::EDGE_FLAG_LOCATION;
        }
        key.pulled &= attributes;
        key.instanced &= key.pulled;
        key.unaligned &= key.pulled;
        for (n, format) in key.vertex_formats.iter_mut().enumerate() {
            let is_pulled = key.pulled >> n & 1 != 0;
            if !is_pulled {
                format.kind = format.kind.in_descriptor();
            }
            if !is_pulled && (floats >> n & 1 == 0 || format.kind == FormatKind::Native) {
                *format = VertexFormat::default();
            } else if usize::from(format.components) == (VertexFormat { components: 0, ..*format }).count() {
                format.components = 0;
            }
        }
    }

    /// Resets the parts of fields that the stages, or one of them, do not read.
    fn canonical_by_stage(&self, stage: Option<Stage>, key: &mut StateKey) {
        let stages = || self.stages.iter().filter(|facts| stage.is_none_or(|stage| stage == facts.stage));
        // The faces of cube maps that are not seamless wrap, too.
        let wrapped = |facts: &StageFacts, n: usize| {
            facts.clampable[n] | if n < 2 { facts.cubes & key.nonseamless } else { 0 }
        };
        for (n, mask) in key.gl_clamp.iter_mut().enumerate() {
            *mask &= stages().fold(0, |all, facts| all | wrapped(facts, n));
        }
        key.compare_off &= stages().fold(0, |all, facts| all | facts.compared);
        let moded = stages().fold(0, |all, facts| all | facts.moded.unwrap_or(0));
        let [intensity, alpha, red] = key.depth_modes.map(|mask| mask & moded);
        key.depth_modes = [intensity, alpha & !intensity, red & !(intensity | alpha)];
        let planar = stages().fold(0, |all, facts| all | facts.planar);
        let [two, three] = key.external_planes.map(|mask| mask & planar);
        key.external_planes = [two & !three, three];
        key.nonseamless &= stages().fold(0, |all, facts| all | facts.cubes);
        let is_read = |offset| stages().any(|facts| facts.uniforms.binary_search(&offset).is_ok());
        let used = &key.inlined[..usize::from(key.inlined_count.min(4))];
        let mut words: Vec<InlinedUniform> = used.iter().copied().filter(|w| is_read(w.offset)).collect();
        words.sort_by_key(|w| w.offset);
        words.dedup_by_key(|w| w.offset);
        key.inlined = [InlinedUniform::default(); 4];
        key.inlined[..words.len()].copy_from_slice(&words);
        key.inlined_count = words.len() as u8;
    }
}
