//! Lowers a tessellation evaluation shader to a kernel that writes its outputs to a buffer.
//!
//! Accepts forms `slots` and `target`. Metal's tessellator feeds post-tessellation vertex functions only, and
//! only the rasteriser consumes their results. If a geometry shader follows, or patches are divided into
//! lines or points, tessellation is done in software: it writes a point for each vertex of the resulting
//! primitives (`stage_tess_points`: the coordinates in the patch and the patch index, 16 bytes), and this
//! kernel writes the vertex record with the same index in `stage_vertices`.
//! [`stage_buffer`](crate::stages::stage_buffer) defines the layouts.
//!
//! The grid is one-dimensional (`global_size`); invocations outside of it return at once. Inputs are read as
//! in [`tess_eval_inputs_from_buffers`](crate::stages::tess_eval_inputs_from_buffers), with the same options:
//!
//! * `vertices`, `patches`: slots of the input records; if empty, the slots that the shader declares or
//!   reads.
//! * `patch_vertices`: number of vertices of a patch, `gl_PatchVerticesIn`.
//! * `outputs`: slots of the output records; if empty, the slots that the shader declares or writes.
//!   `primitive_id` among them receives the patch index, which a geometry shader reads as `gl_PrimitiveIDIn`
//!   (GLSL 4.60 section 7.1.4).
//!
//! Linear.
//!
//! Source: the software tessellation of Mesa's drivers for Apple GPUs, which calls evaluation shaders in this
//! way.
//!
//! ```foil-example
//! foil 1
//! shader tess_eval "t" {
//!   form slots
//!   input_primitive isolines
//!   out vec4 pos location=position
//!   fn main {
//!     32x1 %0 = const 0
//!     32x3 %1 = load_tess_coord
//!     32x4 %2 = vec4 %1.x, %1.y, %1.z, %1.x
//!     store_output %2, %0 io=position mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   ssbo Records { vec4[stride=16] data @0 } stage_control_points set=65535 binding=1 access=restrict|non_writeable
//!   ssbo Records stage_patches set=65535 binding=2 access=restrict|non_writeable
//!   ssbo Records stage_tess_points set=65535 binding=4 access=restrict|non_writeable
//!   ssbo Records stage_vertices set=65535 binding=0 access=restrict
//!
//!   fn main {
//!   b0:
//!     32x3 %0 = load_global_invocation_id
//!     32x3 %1 = load_global_size
//!     32x1 %2 = mov %0.x
//!     32x1 %3 = mov %1.x
//!     1x1 %4 = uge %2, %3
//!     if %4 {
//!     b1:
//!       return
//!     }
//!   b2:
//!     32x1 %5 = const 16
//!     32x1 %6 = imul %2, %5
//!     %7 = deref_var &stage_tess_points
//!     32x4 %8 = load_ssbo %7, %6 align=16
//!     32x1 %9 = mov %8.w
//!     32x1 %10 = const 3
//!     32x1 %11 = imul %9, %10
//!     32x1 %12 = const 32
//!     32x1 %13 = imul %9, %12
//!     32x1 %14 = const 16
//!     32x1 %15 = imul %2, %14
//!     32x1 %16 = const 0
//!     32x3 %17 = mov %8.xyz
//!     32x4 %18 = vec4 %17.x, %17.y, %17.z, %17.x
//!     %19 = deref_var &stage_vertices
//!     store_ssbo %18, %19, %15 mask=xyzw align=16
//!   }
//! }
//! ```

use crate::stages::stage_buffer::{New, Part, RecordLayout, Records, StageBuffer, only_function, rewrite};
use crate::stages::tess_eval_inputs_from_buffers::{InputBuffers, Inputs, patch_inputs};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, Body, Builder, Cursor, Diagnostic, Form, InstrId, Intrinsic, IntrinsicOp, Jump, Modes, Primitive,
    Shader, Slot, Stage, SystemValue, Ty,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct TessEvalToKernel {
        /// Slots of input vertex records.
        vertices: RecordLayout = RecordLayout::default(),
        /// Slots of patch records.
        patches: RecordLayout = RecordLayout::default(),
        /// Slots of output records.
        outputs: RecordLayout = RecordLayout::default(),
        /// Number of vertices of a patch.
        patch_vertices: u32 = 3,
    }
}

static INFO: PassInfo = PassInfo::new(
    "tess_eval_to_kernel",
    "lowers a tessellation evaluation shader to a kernel that writes its outputs to a buffer",
    include_str!("tess_eval_to_kernel.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<TessEvalToKernel as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for TessEvalToKernel {
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
        let entry = only_function(shader)?;
        let number = RecordLayout::new([Slot::PRIMITIVE_ID]);
        let written = RecordLayout::of(shader, Modes::OUT, Part::Vertex).union(&number);
        let outputs = self.outputs.or_declared(shader, Modes::OUT, Part::Vertex);
        let with_number = outputs.offset(Slot::PRIMITIVE_ID).is_some();
        let mut patches = if self.patches.is_empty() { patch_inputs(shader) } else { self.patches.clone() };
        if with_number {
            patches = patches.union(&number);
        }
        let inputs = InputBuffers::declare(shader, &self.vertices, &patches);
        let points = Point::declare(shader);
        let outputs = Records::declare(shader, StageBuffer::Vertices, outputs, Access::empty());
        let body = &mut shader.functions[entry].body;
        let old: Vec<InstrId> = body.all_instrs().collect();
        let vertex = Vertex::begin(body, &points, inputs, outputs, &written, self.patch_vertices);
        rewrite(body, &old, |b, i, ty| vertex.replace(b, i, ty))?;
        Point::finish(shader);
        Ok(Changes::ALL)
    }
}

/// The point of a tessellator that an invocation evaluates.
pub(super) struct Point {
    /// Index of the invocation.
    pub index: InstrId,
    /// Coordinates in the patch, and in the fourth component the patch index.
    coordinates: InstrId,
    /// The records of the patch.
    pub inputs: Inputs,
}

impl Point {
    /// Declares the buffer of points.
    pub fn declare(shader: &mut Shader) -> Records {
        let point = RecordLayout::new([Slot::POSITION]);
        Records::declare(shader, StageBuffer::TessPoints, point, Access::NON_WRITEABLE)
    }

    /// Reads the point of the invocation; returns from invocations without a point.
    pub fn begin(b: &mut Builder, points: &Records, inputs: InputBuffers, patch_vertices: u32) -> Point {
        let at = b.load_system_value(SystemValue::global_invocation_id);
        let size = b.load_system_value(SystemValue::global_size);
        let (index, count) = (b.channel(at, 0), b.channel(size, 0));
        let outside = b.uge(index, count);
        let cf = b.push_if(outside);
        b.jump(Jump::Return);
        b.pop(cf);
        let base = points.base(b, index);
        let coordinates = points.load_slot(b, base, Slot::POSITION, Ty::new(4, 32));
        let patch = b.channel(coordinates, 3);
        Point { index, coordinates, inputs: Inputs::of(b, inputs, patch, patch_vertices) }
    }

    /// Replaces an instruction that reads the point or an input.
    pub fn replace(&self, b: &mut Builder, i: &Intrinsic, ty: Ty) -> Result<New, Diagnostic> {
        match i.op.system_value() {
            Some(SystemValue::tess_coord) => Ok(New::Value(b.swizzle(self.coordinates, &[0, 1, 2]))),
            Some(SystemValue::patch_id) => Ok(New::Value(b.channel(self.coordinates, 3))),
            _ => self.inputs.replace(b, i, ty),
        }
    }

    /// Turns the shader, whose inputs and outputs are replaced, into a kernel.
    pub fn finish(shader: &mut Shader) {
        shader.stage = Stage::Compute;
        let info = &mut shader.info;
        // The driver chooses it when it launches the kernel.
        (info.workgroup_size, info.input_primitive, info.point_mode) = (None, Primitive::None, false);
        shader.vars.retain(|_, v| !v.mode.intersects(Modes::IN | Modes::OUT));
    }
}

/// The vertex that an invocation computes.
struct Vertex {
    point: Point,
    outputs: Records,
    /// Byte offset of its record.
    base: InstrId,
}

impl Vertex {
    /// Reads the point of the invocation, and finds its record.
    fn begin(
        body: &mut Body,
        points: &Records,
        inputs: InputBuffers,
        outputs: Records,
        written: &RecordLayout,
        patch_vertices: u32,
    ) -> Vertex {
        let entry = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(entry));
        let point = Point::begin(&mut b, points, inputs, patch_vertices);
        let base = outputs.base(&mut b, point.index);
        outputs.clear(&mut b, base, written);
        if outputs.layout().offset(Slot::PRIMITIVE_ID).is_some() {
            let number = point.inputs.of_patch(&mut b, Slot::PRIMITIVE_ID, Ty::B32);
            outputs.store_slot(&mut b, base, Slot::PRIMITIVE_ID, number);
        }
        Vertex { point, outputs, base }
    }

    fn replace(&self, b: &mut Builder, i: &Intrinsic, ty: Ty) -> Result<New, Diagnostic> {
        match i.op {
            IntrinsicOp::store_output => {
                self.outputs.store(b, self.base, i)?;
                Ok(New::Nothing)
            }
            IntrinsicOp::load_output => Ok(New::Value(self.outputs.load(b, self.base, i, ty)?)),
            _ => self.point.replace(b, i, ty),
        }
    }
}
