//! Removes the outputs of vertices that are not rasterised.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. With `GL_RASTERIZER_DISCARD` only
//! transform feedback and other effects of the stages before rasterisation remain (OpenGL 4.6 section 14.1). Metal
//! requires a vertex function without result if rasterisation is disabled. Run it on the last stage before rasterisation,
//! after [`lower_xfb`](crate::gl::lower_xfb), which captures the outputs. Geometry shaders stay as they are: the mesh function
//! that replaces them emits primitives, which Metal drops.
//!
//! Source: the vertex functions without rasterisation of ANGLE and SPIRV-Cross (`disable_rasterization`).
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out vec4 position location=position
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=position mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!   }
//! }
//! ```

use crate::util::rewrite::{Edit, edit_each};
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{Diagnostic, Form, IntrinsicOp, Modes, Shader, Stage};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerRasterizerDiscard;

static INFO: PassInfo = PassInfo::new(
    "lower_rasterizer_discard",
    "removes the outputs of vertices that are not rasterised",
    include_str!("lower_rasterizer_discard.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl Pass for LowerRasterizerDiscard {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if !matches!(shader.stage, Stage::Vertex | Stage::TessEval) {
            return Ok(Changes::NONE);
        }
        let mut changes = Changes::NONE;
        for function in shader.functions.values_mut() {
            let is_store = |op| op == IntrinsicOp::store_output;
            let removed = edit_each(&mut function.body, |_, instr| match instr.as_intrinsic() {
                Some(i) if is_store(i.op) => Edit::Remove,
                _ => Edit::Keep,
            });
            changes |= Changes::INSTRUCTIONS.when(removed);
        }
        let outputs: Vec<_> =
            shader.vars.iter().filter(|(_, v)| v.mode == Modes::OUT).map(|(id, _)| id).collect();
        for &id in &outputs {
            shader.vars.remove(id);
            changes |= Changes::VARIABLES;
        }
        let info = &mut shader.info;
        if info.clip_distances != 0 || info.cull_distances != 0 {
            (info.clip_distances, info.cull_distances) = (0, 0);
            changes |= Changes::INFO;
        }
        Ok(changes)
    }
}
