//! The number of the draw becomes a value of the driver's.
//!
//! Takes the forms `slots` and `target` and leaves the one that it took. Keeps control flow. Metal has neither draws of several nor a number of them:
//! `gl_DrawID` (GLSL 4.60 section 7.1.1, Vulkan's `DrawIndex`) is the first word of the block [`draw`](crate::util::driver_values), which the driver writes for each draw.
//! With `base_vertex` so is `gl_BaseVertex`, the second word: OpenGL has zero there for draws without the parameter (`glDrawArrays`), where Metal
//! and Vulkan have the first vertex. `gl_VertexID` counts from the first vertex in all three and stays Metal's.
//! After: Mesa's lowering of system values to uniforms in its drivers (`nir_lower_system_values` with `is_indexed_draw`).
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
use crate::{Context, Pass, PassInfo, Progress, Results, pass_options};
use airfoil_ir::analysis::Keeps;
use airfoil_ir::{Body, Builder, Diagnostic, Form, InstrId, IntrinsicOp, Replacements, Shader};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerDrawParameters {
        /// The base vertex is the driver's too.
        base_vertex: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_draw_parameters",
    "the number of the draw becomes a value of the driver's",
    include_str!("lower_draw_parameters.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerDrawParameters as crate::PassOptions>::OPTIONS)
.keeps(Keeps::CONTROL_FLOW)
// The values come from elsewhere.
.results(Results::All);

impl Pass for LowerDrawParameters {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Progress, Diagnostic> {
        if !self.concerns(shader) {
            return Ok(Progress::None);
        }
        let block = DRAW.declare(shader);
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            let reads: Vec<(InstrId, u32)> =
                body.all_instrs().filter_map(|id| Some((id, self.word(body, id)?))).collect();
            let mut replacements = Replacements::default();
            for &(id, word) in &reads {
                let [value] = load(&mut Builder::before(body, id), block, [word]);
                replacements.insert(id, value);
            }
            body.replace_all(&replacements);
            reads.into_iter().for_each(|(id, _)| body.remove(id));
        }
        Ok(Progress::Made)
    }
}

impl LowerDrawParameters {
    /// Whether a shader reads what the pass lowers.
    pub fn concerns(&self, shader: &Shader) -> bool {
        let reads = |body: &Body| body.all_instrs().any(|id| self.word(body, id).is_some());
        shader.functions.values().any(|f| reads(&f.body))
    }

    /// The word of the block that an instruction reads.
    fn word(&self, body: &Body, id: InstrId) -> Option<u32> {
        match body[id].as_intrinsic()?.op {
            IntrinsicOp::load_draw_id => Some(0),
            IntrinsicOp::load_base_vertex if self.base_vertex => Some(1),
            _ => None,
        }
    }
}
