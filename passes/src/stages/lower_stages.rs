//! Lowers stages that Metal lacks: the shaders of a program become kernels and functions that meet in buffers.
//!
//! | stage | becomes |
//! |---|---|
//! | vertex, before tessellation or geometry | a kernel ([`VertexOutputsToBuffer`]) |
//! | geometry | a mesh function ([`GeometryToMesh`]) |
//! | tessellation control | a kernel ([`TessControlToKernel`]) |
//! | tessellation evaluation | a post-tessellation vertex function ([`TessEvalInputsFromBuffers`]) |
//! | tessellation evaluation, before geometry | a kernel ([`TessEvalToKernel`]) on the output of a software tessellator |
//! | geometry, for transform feedback | kernels that count and write primitives ([`GeometryToCapture`]) |
//! | tessellation evaluation as last stage, for transform feedback | a kernel on the output of a software tessellator ([`TessEvalToCapture`]) |
//!
//! Runs over all shaders of a program, in the forms `slots` or `target`, and gives both ends of each interface one
//! layout of records. A shader that is compiled alone gets the layout that it declares itself, or that of the options.
//! [`write_outputs`](mod@super::write_outputs) runs before them, so that records hold no undefined values. The passes run after
//! those of the optimisation level; the code they add requires these once more.
//!
//! ```foil-example
//! foil 1
//! shader vertex "v" {
//!   form slots
//!   entry fn main {
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "v" {
//!   form slots
//!   entry fn main {
//!   }
//! }
//! ```

use super::geometry_to_capture::{CaptureStep, GeometryToCapture};
use super::geometry_to_mesh::{GeometryToMesh, input_size};
use super::stage_buffer::{BufferLayout, Part, RecordLayout, StageBuffer};
use super::tess_control_to_kernel::TessControlToKernel;
use super::tess_eval_inputs_from_buffers::{self, TessEvalInputsFromBuffers};
use super::tess_eval_to_capture::TessEvalToCapture;
use super::tess_eval_to_kernel::TessEvalToKernel;
use super::vertex_outputs_to_buffer::VertexOutputsToBuffer;
use super::write_outputs::{self, WriteOutputs};
use crate::gl::lower_xfb::Captures;
use crate::{Pass, PassInfo, ProgramPass, ProgramSteps, Results, pass_options};
use airfoil_ir::{Diagnostic, Form, Intrinsic, IntrinsicOp, Modes, Primitive, Shader, Slot, Stage};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerStages {
        /// Vertices of an input patch (`GL_PATCH_VERTICES`, `patchControlPoints`).
        patch_vertices: u32 = 3,
        /// A vertex shader that is compiled alone has a tessellation stage after it.
        vertex_kernel: bool = false,
        /// An evaluation shader that is compiled alone has a geometry shader after it, or a geometry shader tessellation before it.
        tessellated_geometry: bool = false,
        /// Bits of the indices of draws whose vertex stage is a kernel: 16 or 32; 0 for draws without indices.
        index_bits: u32 = 0,
        /// Slots of the records per vertex that the stage before wrote, if that is compiled apart.
        vertices: RecordLayout = RecordLayout::default(),
        /// Slots of the records per control point.
        points: RecordLayout = RecordLayout::default(),
        /// Slots of the records per patch.
        patches: RecordLayout = RecordLayout::default(),
        /// The first vertex of a primitive that a geometry shader emits provokes (Vulkan, `GL_FIRST_VERTEX_CONVENTION`), otherwise the last.
        first_provokes: bool = true,
        /// The last stage becomes a kernel for transform feedback: `count` or `write`.
        capture: CaptureStep = CaptureStep::None,
        /// The components that it captures.
        captures: Captures = Captures::default(),
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_stages",
    "lowers tessellation and geometry stages to kernels and mesh functions",
    include_str!("lower_stages.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl ProgramPass for LowerStages {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn steps(&self, shaders: &[Shader]) -> Result<ProgramSteps, Diagnostic> {
        let lacking = |s: &Shader| matches!(s.stage, Stage::TessControl | Stage::TessEval | Stage::Geometry);
        if !(self.vertex_kernel || self.tessellated_geometry || shaders.iter().any(lacking)) {
            return Ok(ProgramSteps::default());
        }
        choose(shaders, self)
    }
}

/// The error for counts of other stages.
pub fn only_geometry_is_counted() -> Diagnostic {
    Diagnostic::error("E0345", "only primitives of geometry shaders are counted")
        .help("the count of other primitives is known: it is that of the draw or of the tessellator")
}

/// No slots would mean the layout that a stage has by itself: an interface of nothing gets the position.
fn at_least_one(layout: RecordLayout) -> RecordLayout {
    if layout.is_empty() { RecordLayout::new([Slot::POSITION]) } else { layout }
}

/// Whether a geometry shader asks for the number of its primitive.
fn reads_number(geometry: &Shader) -> bool {
    let number = |i: &Intrinsic| {
        i.op == IntrinsicOp::load_primitive_id
            || (i.op == IntrinsicOp::load_input && i.io().location == Slot::PRIMITIVE_ID)
    };
    let mut functions = geometry.functions.values();
    functions.any(|f| f.body.entries().any(|(_, i)| i.as_intrinsic().is_some_and(number)))
}

/// The passes and the layouts of the buffers.
fn choose(shaders: &[Shader], options: &LowerStages) -> Result<ProgramSteps, Diagnostic> {
    let find = |stage| shaders.iter().find(|s| s.stage == stage);
    let (vertex, control, evaluation) =
        (find(Stage::Vertex), find(Stage::TessControl), find(Stage::TessEval));
    let geometry = find(Stage::Geometry);
    let tessellated =
        options.tessellated_geometry || (control.or(evaluation).is_some() && geometry.is_some());
    let layout = |shader: Option<&Shader>, mode, part| {
        shader.map_or_else(RecordLayout::default, |s| RecordLayout::of(s, mode, part))
    };
    let inner = control.or(evaluation).or(geometry);
    let outs = layout(vertex, Modes::OUT, Part::Vertex);
    let ins = layout(inner, Modes::IN, Part::Vertex);
    // Nothing reads more of a vertex than the next stage, if that is there.
    let vertices = at_least_one(if inner.is_some() { ins } else { outs });
    let given = |known: &RecordLayout, own: RecordLayout| if known.is_empty() { own } else { known.clone() };
    let vertices = if tessellated && control.is_none() && vertex.is_none() {
        vertices
    } else {
        given(&options.vertices, vertices)
    };
    // Inputs of a geometry shader: from the vertex stage, or after tessellation from the evaluation stage.
    let mut made = match (tessellated, geometry) {
        (false, _) => vertices.clone(),
        (true, Some(_)) if evaluation.is_none() && !options.vertices.is_empty() => options.vertices.clone(),
        (true, Some(_)) => at_least_one(layout(geometry, Modes::IN, Part::Vertex)),
        (true, None) => at_least_one(layout(evaluation, Modes::OUT, Part::Vertex)),
    };
    let number = RecordLayout::new([Slot::PRIMITIVE_ID]);
    // Alone neither end knows whether the other one has it.
    let numbered = tessellated && (options.tessellated_geometry || geometry.is_some_and(reads_number));
    if numbered {
        made = made.union(&number);
    }
    let points = match control {
        Some(_) => {
            layout(control, Modes::OUT, Part::Vertex).union(&layout(evaluation, Modes::IN, Part::Vertex))
        }
        None => vertices.clone(),
    };
    let points = given(&options.points, at_least_one(points));
    let inputs = evaluation.map(tess_eval_inputs_from_buffers::patch_inputs).unwrap_or_default();
    let mut patches = layout(control, Modes::OUT, Part::Patch).union(&inputs).with_levels();
    if numbered {
        patches = patches.union(&number);
    }
    let patches = given(&options.patches, patches);
    let patch_size = control.map_or(options.patch_vertices, |c| c.info.patch_vertices_out.max(1));
    let quads = evaluation.is_some_and(|e| e.info.input_primitive == Primitive::Quads);
    let isolines = evaluation.is_some_and(|e| e.info.input_primitive == Primitive::Isolines);
    // The stage that is captured.
    let captured = match options.capture {
        CaptureStep::None => None,
        _ if geometry.is_some() => Some(Stage::Geometry),
        CaptureStep::Count => return Err(only_geometry_is_counted()),
        CaptureStep::Write => evaluation.map(|_| Stage::TessEval),
    };
    if isolines && !tessellated && captured.is_none() {
        return Err(tess_eval_inputs_from_buffers::no_isolines());
    }
    let per_primitive = geometry.and_then(|g| input_size(g.info.input_primitive));
    // Vertices of a patch, or of an input primitive of a geometry shader.
    let taken = per_primitive.filter(|_| !tessellated).unwrap_or(options.patch_vertices);
    use StageBuffer::{ControlPoints, Patches, TessPoints, Vertices};
    let mut steps = ProgramSteps { passes: Vec::new(), buffers: vec![Vec::new(); shaders.len()] };
    for (at, shader) in shaders.iter().enumerate() {
        // After the vertex stage, or after tessellation.
        let late = matches!(shader.stage, Stage::TessEval | Stage::Geometry);
        let shared = |buffer| {
            let (layout, per_patch) = match buffer {
                Vertices if late => (made.clone(), per_primitive.unwrap_or(1)),
                Vertices => (vertices.clone(), taken),
                ControlPoints => (points.clone(), patch_size),
                // A place and a number have no slots.
                TessPoints => (RecordLayout::default(), 1),
                _ => (patches.clone(), 1),
            };
            BufferLayout { buffer, layout, per_patch }
        };
        let is_captured = captured == Some(shader.stage);
        let has_outputs = matches!(shader.stage, Stage::Vertex | Stage::TessEval) && !is_captured;
        if has_outputs && write_outputs::applies(shader) {
            steps.passes.push((at, Box::new(WriteOutputs)));
        }
        let (pass, buffers): (Box<dyn Pass>, &[StageBuffer]) = match shader.stage {
            Stage::Vertex => {
                let (slots, index_bits) = (vertices.clone(), options.index_bits);
                (Box::new(VertexOutputsToBuffer { slots, index_bits }), &[Vertices])
            }
            Stage::TessControl => (
                Box::new(TessControlToKernel {
                    inputs: vertices.clone(),
                    outputs: points.clone(),
                    patches: patches.clone(),
                    patch_vertices: options.patch_vertices,
                    quads,
                }),
                &[Vertices, ControlPoints, Patches],
            ),
            Stage::TessEval if is_captured => (
                Box::new(TessEvalToCapture {
                    vertices: points.clone(),
                    patches: patches.clone(),
                    patch_vertices: patch_size,
                    captures: options.captures.clone(),
                }),
                &[ControlPoints, Patches, TessPoints],
            ),
            Stage::TessEval if tessellated => (
                Box::new(TessEvalToKernel {
                    vertices: points.clone(),
                    patches: patches.clone(),
                    outputs: made.clone(),
                    patch_vertices: patch_size,
                }),
                &[ControlPoints, Patches, TessPoints, Vertices],
            ),
            Stage::TessEval => (
                Box::new(TessEvalInputsFromBuffers {
                    vertices: points.clone(),
                    patches: patches.clone(),
                    patch_vertices: patch_size,
                }),
                &[ControlPoints, Patches],
            ),
            Stage::Geometry if is_captured => (
                Box::new(GeometryToCapture {
                    slots: made.clone(),
                    first_provokes: options.first_provokes,
                    step: options.capture,
                    captures: options.captures.clone(),
                }),
                &[Vertices],
            ),
            Stage::Geometry => {
                let first_provokes = options.first_provokes;
                (Box::new(GeometryToMesh { slots: made.clone(), first_provokes }), &[Vertices])
            }
            _ => continue,
        };
        steps.passes.push((at, pass));
        steps.buffers[at] = buffers.iter().map(|&buffer| shared(buffer)).collect();
    }
    Ok(steps)
}
