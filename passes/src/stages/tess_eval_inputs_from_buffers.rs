//! Lowers inputs of tessellation evaluation shaders to buffer reads, for Metal's post-tessellation vertex
//! functions.
//!
//! Accepts forms `slots` and `target`; the stage does not change. Inputs are read from the records that the
//! [control kernel](crate::stages::tess_control_to_kernel) wrote, by patch index (`patch_id`; one draw counts
//! the patches of all instances); [`stage_buffer`](crate::stages::stage_buffer) defines their layout. Without
//! a control shader the vertex records are those of the vertex kernel, and the application fills the patch
//! records. `gl_TessLevelOuter`, `gl_TessLevelInner` and `gl_PrimitiveID` are in the patch record.
//!
//! * `vertices`, `patches`: slots of the records; if empty, the slots that the shader declares or reads.
//!   Patch records always contain both levels.
//! * `patch_vertices`: number of vertices of a patch, `gl_PatchVerticesIn`.
//!
//! Metal tessellates triangles and quads only: isolines and points are not supported. Linear.
//!
//! Source: SPIRV-Cross's handling of evaluation shaders that read raw buffers.
//!
//! ```foil-example (patch_vertices=4)
//! foil 1
//! shader tess_eval "t" {
//!   form slots
//!   input_primitive triangles
//!   in vec4[] p location=0
//!   out vec4 pos location=position
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1
//!     32x4 %2 = load_per_vertex_input %1, %0 io=0 dest_type=float32
//!     store_output %2, %0 io=position mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader tess_eval "t" {
//!   form slots
//!   input_primitive triangles
//!   out vec4 pos location=position
//!   ssbo Records { vec4[stride=16] data @0 } stage_control_points set=65535 binding=1 access=restrict|non_writeable
//!   ssbo Records stage_patches set=65535 binding=2 access=restrict|non_writeable
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = load_patch_id
//!     32x1 %1 = const 4
//!     32x1 %2 = imul %0, %1
//!     32x1 %3 = const 32
//!     32x1 %4 = imul %0, %3
//!     32x1 %5 = const 0
//!     32x1 %6 = const 1
//!     32x1 %7 = iadd %2, %6
//!     32x1 %8 = const 16
//!     32x1 %9 = imul %7, %8
//!     %10 = deref_var &stage_control_points
//!     32x4 %11 = load_ssbo %10, %9 align=16
//!     store_output %11, %5 io=position mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::stages::stage_buffer::{New, Part, RecordLayout, Records, StageBuffer, only_function, rewrite};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, Builder, Cursor, Diagnostic, Form, InstrId, Intrinsic, IntrinsicOp, Modes, Primitive, Shader,
    Slot, Stage, SystemValue, Ty,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct TessEvalInputsFromBuffers {
        /// Slots of vertex records.
        vertices: RecordLayout = RecordLayout::default(),
        /// Slots of patch records.
        patches: RecordLayout = RecordLayout::default(),
        /// Number of vertices of a patch.
        patch_vertices: u32 = 3,
    }
}

static INFO: PassInfo = PassInfo::new(
    "tess_eval_inputs_from_buffers",
    "lowers inputs of tessellation evaluation shaders to reads of buffers",
    include_str!("tess_eval_inputs_from_buffers.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<TessEvalInputsFromBuffers as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for TessEvalInputsFromBuffers {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::TessEval {
            return Ok(Changes::NONE);
        }
        if shader.info.input_primitive == Primitive::Isolines {
            return Err(no_isolines());
        }
        if shader.info.point_mode {
            let message = "`point_mode` tessellation is not supported on Metal";
            return Err(Diagnostic::error("E0343", message));
        }
        let entry = only_function(shader)?;
        let body = &shader.functions[entry].body;
        let old: Vec<InstrId> =
            body.entries().filter(|(_, i)| is_read(i.as_intrinsic())).map(|(id, _)| id).collect();
        let declared = shader.vars.values().any(|v| v.mode == Modes::IN);
        if old.is_empty() && !declared {
            return Ok(Changes::NONE);
        }
        let buffers = InputBuffers::declare(shader, &self.vertices, &self.patches);
        let body = &mut shader.functions[entry].body;
        let start = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(start));
        let patch = b.load_system_value(SystemValue::patch_id);
        let inputs = Inputs::of(&mut b, buffers, patch, self.patch_vertices);
        rewrite(body, &old, |b, i, ty| inputs.replace(b, i, ty))?;
        shader.vars.retain(|_, v| v.mode != Modes::IN);
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

/// The error for isolines.
pub fn no_isolines() -> Diagnostic {
    Diagnostic::error("E0343", "`isolines` tessellation is not supported on Metal")
        .help("supported domains: `triangles` and `quads`")
}

/// All per-patch slots that an evaluation shader declares or reads, including the patch index and levels.
pub fn patch_inputs(shader: &Shader) -> RecordLayout {
    let number = |f: &airfoil_ir::Function| {
        f.body
            .entries()
            .any(|(_, i)| i.as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_primitive_id))
    };
    let declared = RecordLayout::of(shader, Modes::IN, Part::Patch).with_levels();
    match shader.functions.values().any(number) {
        true => declared.union(&RecordLayout::new([Slot::PRIMITIVE_ID])),
        false => declared,
    }
}

/// Whether an intrinsic reads values in the buffers, or the size of patches.
fn is_read(i: Option<&Intrinsic>) -> bool {
    use IntrinsicOp as Op;
    i.is_some_and(|i| {
        matches!(
            i.op,
            Op::load_per_vertex_input
                | Op::load_input
                | Op::load_tess_level_outer
                | Op::load_tess_level_inner
                | Op::load_primitive_id
                | Op::load_patch_vertices_in
        )
    })
}

/// The buffers that an evaluation shader reads.
pub(crate) struct InputBuffers {
    vertices: Records,
    patches: Records,
}

impl InputBuffers {
    /// Declares both. An empty layout is replaced by the slots that the shader declares or reads.
    pub(crate) fn declare(
        shader: &mut Shader,
        vertices: &RecordLayout,
        patches: &RecordLayout,
    ) -> InputBuffers {
        let vertices = vertices.or_declared(shader, Modes::IN, Part::Vertex);
        let patches = if patches.is_empty() { patch_inputs(shader) } else { patches.clone() };
        let access = Access::NON_WRITEABLE;
        let vertices = Records::declare(shader, StageBuffer::ControlPoints, vertices, access);
        let patches = Records::declare(shader, StageBuffer::Patches, patches.with_levels(), access);
        InputBuffers { vertices, patches }
    }
}

/// Locations of the inputs of a patch.
pub(crate) struct Inputs {
    patch_vertices: u32,
    buffers: InputBuffers,
    /// Index of the first record of its vertices.
    first: InstrId,
    /// Byte offset of its record.
    base: InstrId,
}

impl Inputs {
    /// The inputs of the patch with the given index.
    pub(crate) fn of(b: &mut Builder, buffers: InputBuffers, patch: InstrId, patch_vertices: u32) -> Inputs {
        let size = b.imm_u32(patch_vertices);
        let first = b.imul(patch, size);
        let base = buffers.patches.base(b, patch);
        Inputs { patch_vertices, buffers, first, base }
    }

    /// Reads a per-patch value.
    pub(crate) fn of_patch(&self, b: &mut Builder, slot: Slot, ty: Ty) -> InstrId {
        self.buffers.patches.load_slot(b, self.base, slot, ty)
    }

    /// Replaces an instruction that reads an input.
    pub(crate) fn replace(&self, b: &mut Builder, i: &Intrinsic, ty: Ty) -> Result<New, Diagnostic> {
        use IntrinsicOp as Op;
        let InputBuffers { vertices, patches } = &self.buffers;
        Ok(New::Value(match i.op {
            Op::load_per_vertex_input => {
                let index = b.iadd(self.first, i.src(0));
                let base = vertices.base(b, index);
                vertices.load(b, base, i, ty)?
            }
            Op::load_input => patches.load(b, self.base, i, ty)?,
            Op::load_tess_level_outer => self.of_patch(b, Slot::TESS_LEVEL_OUTER, ty),
            Op::load_tess_level_inner => self.of_patch(b, Slot::TESS_LEVEL_INNER, ty),
            Op::load_primitive_id => self.of_patch(b, Slot::PRIMITIVE_ID, ty),
            Op::load_patch_vertices_in => b.imm_u32(self.patch_vertices),
            _ => return Ok(New::Same),
        }))
    }
}
