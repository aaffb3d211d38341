//! Stages that Metal lacks: the shaders of a pipeline become kernels and functions that meet in buffers.
//!
//! | stage | becomes |
//! |---|---|
//! | vertex, in front of tessellation or geometry | a kernel ([`VertexOutputsToBuffer`]) |
//! | geometry | a mesh function ([`GeometryToMesh`]) |
//! | tessellation control | a kernel ([`TessControlToKernel`]) |
//! | tessellation evaluation | a post-tessellation vertex function ([`TessEvalInputsFromBuffers`]) |
//! | tessellation evaluation, in front of geometry | a kernel ([`TessEvalToKernel`]) on what software tessellates |
//!
//! The ends of a pipeline's interfaces are given one layout of records here. A shader that comes alone gets the layout that it
//! declares itself. The passes run behind those of the optimisation level; what they add wants these once more.

use crate::select::{RecordSlot, Records};
use airfoil_ir::{Diagnostic, Intrinsic, IntrinsicOp, Modes, Primitive, Shader, Slot, Stage};
use airfoil_passes::stages::geometry_to_mesh::{GeometryToMesh, input_size};
pub use airfoil_passes::stages::stage_buffer;
use airfoil_passes::stages::stage_buffer::{Part, RecordLayout, StageBuffer};
use airfoil_passes::stages::tess_control_to_kernel::TessControlToKernel;
use airfoil_passes::stages::tess_eval_inputs_from_buffers::{self, TessEvalInputsFromBuffers};
use airfoil_passes::stages::tess_eval_to_kernel::TessEvalToKernel;
use airfoil_passes::stages::vertex_outputs_to_buffer::VertexOutputsToBuffer;
use airfoil_passes::{Manager, Pass, Pipeline};

/// What the pipeline says and no shader does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StageOptions {
    /// Vertices of a patch that comes in (`GL_PATCH_VERTICES`, `patchControlPoints`).
    pub patch_vertices: u32,
    /// A vertex shader that comes alone has a tessellation stage behind it.
    pub vertex_kernel: bool,
    /// An evaluation shader that comes alone has a geometry shader behind it, or a geometry shader tessellation in front of it.
    pub tessellated_geometry: bool,
    /// Bits of the indices of draws whose vertex stage is a kernel, 16 or 32; 0 = they have none.
    pub index_bits: u32,
    /// The first vertex of a primitive that a geometry shader makes provokes (Vulkan, `GL_FIRST_VERTEX_CONVENTION`), otherwise the last.
    pub first_provokes: bool,
}

impl Default for StageOptions {
    fn default() -> StageOptions {
        // The initial value of GL_PATCH_VERTICES (OpenGL 4.6 table 23.3).
        StageOptions {
            patch_vertices: 3,
            vertex_kernel: false,
            tessellated_geometry: false,
            index_bits: 0,
            first_provokes: true,
        }
    }
}

/// A buffer that a shader shares with another stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferLayout {
    /// Which one.
    pub buffer: StageBuffer,
    /// What its records hold.
    pub layout: RecordLayout,
    /// Records of a patch, or of a primitive that a geometry shader takes.
    pub per_patch: u32,
}

impl From<BufferLayout> for Records {
    fn from(from: BufferLayout) -> Records {
        let slots = from.layout.iter();
        Records {
            buffer: from.buffer.name(),
            bytes: from.layout.record_bytes(),
            per_patch: from.per_patch,
            slots: slots.map(|(slot, offset)| RecordSlot { slot: slot.to_string(), offset }).collect(),
        }
    }
}

/// The buffers that a shader shares with other stages; none if it stays as it was.
pub type Layouts = Vec<BufferLayout>;

/// No slots would mean the layout that a stage has by itself: an interface of nothing gets the position.
fn at_least_one(layout: RecordLayout) -> RecordLayout {
    if layout.is_empty() { RecordLayout::new([Slot::POSITION]) } else { layout }
}

/// Whether any of the shaders of a pipeline is changed by [`lower`].
pub fn concerns(shaders: &[Shader], options: &StageOptions) -> bool {
    let lacking = |s: &Shader| matches!(s.stage, Stage::TessControl | Stage::TessEval | Stage::Geometry);
    options.vertex_kernel || options.tessellated_geometry || shaders.iter().any(lacking)
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

/// Lowers the shaders of one pipeline, in the forms `slots` or `target`; gives the layouts of each.
///
/// # Errors
/// What Metal cannot express: isolines and points without a geometry shader behind them.
pub fn lower(shaders: &mut [Shader], options: &StageOptions) -> Result<Vec<Layouts>, Vec<Diagnostic>> {
    let find = |stage| shaders.iter().find(|s| s.stage == stage);
    let (vertex, control, evaluation) =
        (find(Stage::Vertex), find(Stage::TessControl), find(Stage::TessEval));
    if !concerns(shaders, options) {
        return Ok(vec![Vec::new(); shaders.len()]);
    }
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
    // What a geometry shader takes: of the vertex stage, or behind tessellation of the evaluation stage.
    let mut made = match (tessellated, geometry) {
        (false, _) => vertices.clone(),
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
    let points = at_least_one(points);
    let inputs = evaluation.map(tess_eval_inputs_from_buffers::patch_inputs).unwrap_or_default();
    let mut patches = layout(control, Modes::OUT, Part::Patch).union(&inputs).with_levels();
    if numbered {
        patches = patches.union(&number);
    }
    let patch_size = control.map_or(options.patch_vertices, |c| c.info.patch_vertices_out.max(1));
    let quads = evaluation.is_some_and(|e| e.info.input_primitive == Primitive::Quads);
    let isolines = evaluation.is_some_and(|e| e.info.input_primitive == Primitive::Isolines);
    if isolines && !tessellated {
        return Err(vec![tess_eval_inputs_from_buffers::no_isolines()]);
    }
    let per_primitive = geometry.and_then(|g| input_size(g.info.input_primitive));
    // Vertices of a patch, or of what a geometry shader takes.
    let taken = per_primitive.filter(|_| !tessellated).unwrap_or(options.patch_vertices);
    use StageBuffer::{ControlPoints, Patches, TessPoints, Vertices};
    let mut all = Vec::with_capacity(shaders.len());
    for shader in shaders {
        // Behind the vertex stage, or behind tessellation.
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
            Stage::Geometry => {
                let first_provokes = options.first_provokes;
                (Box::new(GeometryToMesh { slots: made.clone(), first_provokes }), &[Vertices])
            }
            _ => {
                all.push(Vec::new());
                continue;
            }
        };
        let _ = Manager::default().run(&Pipeline::of_pass(pass), shader)?;
        all.push(buffers.iter().map(|&buffer| shared(buffer)).collect());
    }
    Ok(all)
}
