//! Clamps the colors of vertices to 0 to 1.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. With `GL_CLAMP_VERTEX_COLOR`, the initial
//! state of the compatibility profile, the front and back colors that the last stage before rasterisation writes are clamped
//! (OpenGL 4.6 compatibility profile, chapter 12). Run it after [`lower_xfb`](crate::gl::lower_xfb). Vertex,
//! tessellation evaluation and geometry shaders are changed; the colors of a geometry shader may be of any vertex.
//!
//! Source: NIR's `nir_lower_clamp_color_outputs`.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out vec4 color location=color0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=color0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out vec4 color location=color0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     32x4 %2 = fsat! %1
//!     store_output %2, %0 io=color0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::util::colors::{saturate, stores_floats};
use crate::util::outputs::{slot_store, written_slot};
use crate::{Changes, Context, Pass, PassInfo, Results, each_body};
use airfoil_ir::{Body, Diagnostic, Form, InstrId, Shader, Slot, Stage};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct ClampVertexColors;

static INFO: PassInfo = PassInfo::new(
    "clamp_vertex_colors",
    "clamps the colors of vertices to 0 to 1",
    include_str!("clamp_vertex_colors.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::Outputs(&[Slot::COLOR0, Slot::COLOR1, Slot::BACK_COLOR0, Slot::BACK_COLOR1]));

impl Pass for ClampVertexColors {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if !matches!(shader.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry) {
            return Ok(Changes::NONE);
        }
        Ok(each_body(shader, |body| saturate(body, |body, id| is_color(body, id) && stores_floats(body, id))))
    }
}

fn is_color(body: &Body, id: InstrId) -> bool {
    let slot = slot_store(body, id).and_then(|store| written_slot(body, store));
    slot.is_some_and(|slot| (Slot::COLOR0..=Slot::BACK_COLOR1).contains(&slot))
}
