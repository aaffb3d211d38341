//! Reads `gl_DrawID` from a driver-supplied uniform block.
//!
//! Accepts forms `slots` and `target`. Preserves control flow. Metal has neither multi-draws nor a draw
//! index: `gl_DrawID` (GLSL 4.60 section 7.1.1, Vulkan's `DrawIndex`) becomes the first word of the block
//! [`draw`](crate::util::driver_values), which the driver writes for each draw. With `base_vertex`,
//! `gl_BaseVertex` is the second word: in OpenGL it is zero for draws without the parameter (`glDrawArrays`),
//! while in Metal and Vulkan it is the first vertex. `gl_VertexID` counts from the first vertex in all three
//! APIs and stays.
//!
//! Source: Mesa's lowering of system values to uniforms in its drivers (`nir_lower_system_values` with
//! `is_indexed_draw`).
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out uint v location=3
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = load_draw_id
//!     store_output %1, %0 io=(3) mask=x src_type=uint32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out uint v location=3
//!   ubo draw { uint draw_id @0, uint base_vertex @4 } draw set=65535 binding=17
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     %1 = deref_var &draw
//!     32x1 %2 = const 0
//!     32x1 %3 = load_ubo %1, %2 align=4
//!     store_output %3, %0 io=3 mask=x src_type=uint32
//!   }
//! }
//! ```

use crate::util::driver_values::{DRAW, load};
use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{Body, Diagnostic, Form, Instr, Intrinsic, IntrinsicOp, Shader, Ty};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerDrawParameters {
        /// Read the base vertex from the driver too.
        base_vertex: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_draw_parameters",
    "reads gl_DrawID from a driver-supplied buffer",
    include_str!("lower_draw_parameters.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerDrawParameters as crate::PassOptions>::OPTIONS)
// The values come from elsewhere.
.results(Results::All);

impl Pass for LowerDrawParameters {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if !self.concerns(shader) {
            return Ok(Changes::NONE);
        }
        let block = DRAW.declare(shader);
        let matches = |_: &Body, _: Ty, i: &Intrinsic| self.word(i.op).is_some();
        let changes = replace_intrinsics(shader, matches, |b, _, i| match self.word(i.op) {
            Some(word) => Replacement::Value(load(b, block, [word])[0]),
            None => Replacement::Keep,
        });
        Ok(changes | Changes::VARIABLES)
    }
}

impl LowerDrawParameters {
    /// Whether a shader reads a value that the pass lowers.
    pub fn concerns(&self, shader: &Shader) -> bool {
        let reads = |instr: &Instr| instr.as_intrinsic().is_some_and(|i| self.word(i.op).is_some());
        shader.functions.values().any(|f| f.body.entries().any(|(_, instr)| reads(instr)))
    }

    /// The word of the block that replaces an operation.
    fn word(&self, op: IntrinsicOp) -> Option<u32> {
        match op {
            IntrinsicOp::load_draw_id => Some(0),
            IntrinsicOp::load_base_vertex if self.base_vertex => Some(1),
            _ => None,
        }
    }
}
