//! Lowers a tessellation evaluation shader to a kernel that captures its outputs, for transform feedback.
//!
//! Accepts forms `slots` and `target`. Only the rasteriser consumes what Metal's tessellator produces, so that transform feedback
//! takes the points of a software tessellator (`stage_tess_points`), as
//! [`tess_eval_to_kernel`](crate::stages::tess_eval_to_kernel) does: a point for each vertex of plain lists of primitives,
//! in their order. Isolines and `point_mode` are supported. The grid is one-dimensional (`global_size`), an invocation per point;
//! invocations outside of it return at once.
//!
//! Invocation `i` computes a vertex of primitive `first + i / vertices`, where primitives have one, two or three vertices and
//! `first` is the count of primitives that were written before the draw. Primitives below the limit are written as a whole, others
//! not at all (OpenGL 4.6 section 13.3.2). The buffers are those of
//! [`geometry_to_capture`](crate::stages::geometry_to_capture), without counts: the tessellator knows them. Other outputs
//! are dropped.
//!
//! `captures` is that of [`lower_xfb`](crate::gl::lower_xfb), `vertices`, `patches` and `patch_vertices` are those of
//! [`tess_eval_inputs_from_buffers`](crate::stages::tess_eval_inputs_from_buffers). Linear.
//!
//! Source: the software tessellation of Mesa's drivers for Apple GPUs.
//!
//! ```foil-example (captures=0.16.0.0.0.1)
//! foil 1
//! shader tess_eval "t" {
//!   form slots
//!   input_primitive triangles
//!   out float v location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x3 %1 = load_tess_coord
//!     32x1 %2 = mov %1.x
//!     store_output %2, %0 io=0 mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   ssbo Records { vec4[stride=16] data @0 } stage_control_points set=65535 binding=1 access=restrict|non_writeable
//!   ssbo Records stage_patches set=65535 binding=2 access=restrict|non_writeable
//!   ssbo Records stage_tess_points set=65535 binding=4 access=restrict|non_writeable
//!   ssbo xfb_counters { uint[stride=4] data @0 } xfb_counters set=65535 binding=25 access=restrict|non_writeable
//!   ssbo xfb_buffer_0 { uint[stride=4] data @0 } xfb_buffer_0 set=65535 binding=20 access=restrict
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
//!     32x1 %14 = const 0
//!     %15 = deref_var &xfb_counters
//!     32x1 %16 = load_ssbo %15, %14 align=4
//!     32x1 %17 = const 48
//!     %18 = deref_var &xfb_counters
//!     32x1 %19 = load_ssbo %18, %17 align=4
//!     32x1 %20 = const 3
//!     32x1 %21 = udiv %2, %20
//!     32x1 %22 = iadd %19, %21
//!     1x1 %23 = ult %22, %16
//!     32x1 %24 = imul %19, %20
//!     32x1 %25 = iadd %24, %2
//!     32x1 %26 = const 0
//!     32x3 %27 = mov %8.xyz
//!     32x1 %28 = mov %27.x
//!     if %23 {
//!     b3:
//!       32x1 %29 = const 16
//!       32x1 %30 = imul %25, %29
//!       32x1 %31 = const 0
//!       %32 = deref_var &xfb_buffer_0
//!       store_ssbo %28, %32, %30 mask=x align=4
//!     }
//!   b4:
//!   }
//! }
//! ```

use crate::gl::lower_xfb::{Captures, capture_store, declare_buffers, declare_words, placed, stores};
use crate::stages::geometry_to_capture::{COUNTERS, COUNTERS_BINDING, FIRST_WORD, LIMIT_WORD, load_word};
use crate::stages::stage_buffer::{New, RecordLayout, only_function, rewrite};
use crate::stages::tess_eval_inputs_from_buffers::InputBuffers;
use crate::stages::tess_eval_to_kernel::Point;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, AluOp, Builder, Cursor, Diagnostic, Form, InstrId, IntrinsicOp, Primitive, Shader, Stage,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct TessEvalToCapture {
        /// Slots of input vertex records.
        vertices: RecordLayout = RecordLayout::default(),
        /// Slots of patch records.
        patches: RecordLayout = RecordLayout::default(),
        /// Number of vertices of a patch.
        patch_vertices: u32 = 3,
        /// Captured components as `buffer.stride.offset.slot.component.components`, separated by `|`.
        captures: Captures = Captures::default(),
    }
}

static INFO: PassInfo = PassInfo::new(
    "tess_eval_to_capture",
    "lowers a tessellation evaluation shader to a kernel that captures its outputs",
    include_str!("tess_eval_to_capture.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<TessEvalToCapture as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for TessEvalToCapture {
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
        let captures = placed(&self.captures, shader)?;
        let body = &shader.functions[entry].body;
        let stores = stores(body, &captures)?;
        if body.entries().any(|(_, i)| i.as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_output)) {
            let message = "an output of a stage that is captured is read";
            return Err(
                Diagnostic::error("E0345", message).help("run lower_io_to_temporaries before lower_io")
            );
        }
        let inputs = InputBuffers::declare(shader, &self.vertices, &self.patches);
        let points = Point::declare(shader);
        let access = Access::RESTRICT | Access::NON_WRITEABLE;
        let counters = declare_words(shader, COUNTERS, COUNTERS_BINDING, access);
        let buffers = declare_buffers(shader, &captures);
        let arity = tessellated_size(shader);
        let body = &mut shader.functions[entry].body;
        let old: Vec<InstrId> = body.all_instrs().collect();
        let start = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(start));
        let point = Point::begin(&mut b, &points, inputs, self.patch_vertices);
        let [limit, first] = [LIMIT_WORD, FIRST_WORD].map(|word| {
            let offset = b.imm_u32(4 * word);
            load_word(&mut b, counters, offset)
        });
        let arity = b.imm_u32(arity);
        let in_draw = b.alu(AluOp::udiv, &[point.index, arity]);
        let primitive = b.iadd(first, in_draw);
        let inside = b.ult(primitive, limit);
        let before = b.imul(first, arity);
        let record = b.iadd(before, point.index);
        // Backward: an `if` moves the code after it, up to the next one.
        for id in stores.into_iter().rev() {
            let Some(&store) = body[id].as_intrinsic() else { continue };
            let mut b = Builder::before(body, id);
            let cf = b.push_if(inside);
            capture_store(&mut b, &captures, &buffers, &store, record);
            b.pop(cf);
        }
        rewrite(body, &old, |b, i, ty| match i.op {
            IntrinsicOp::store_output => Ok(New::Nothing),
            _ => point.replace(b, i, ty),
        })?;
        Point::finish(shader);
        (shader.info.clip_distances, shader.info.cull_distances) = (0, 0);
        Ok(Changes::ALL)
    }
}

/// Vertices of the primitives that the tessellator of an evaluation shader makes (OpenGL 4.6 section 11.2.2).
pub fn tessellated_size(shader: &Shader) -> u32 {
    match shader.info.input_primitive {
        _ if shader.info.point_mode => 1,
        Primitive::Isolines => 2,
        _ => 3,
    }
}
