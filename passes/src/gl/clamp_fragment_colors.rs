//! Clamps the colors of fragments to 0 to 1.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. With `GL_CLAMP_FRAGMENT_COLOR` all
//! colors that are floats are clamped, also those of attachments that hold floats, and before the alpha test (OpenGL 4.6
//! compatibility profile, chapter 15). Attachments of normalised values clamp in Metal, too, but only after the
//! alpha test.
//!
//! Source: NIR's `nir_lower_clamp_color_outputs`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     32x4 %2 = fsat! %1
//!     store_output %2, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::util::colors::{color_store, saturate, stores_floats};
use crate::{Changes, Context, Pass, PassInfo, Results, each_body};
use airfoil_ir::{Body, Diagnostic, Form, Shader, Stage};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct ClampFragmentColors;

static INFO: PassInfo = PassInfo::new(
    "clamp_fragment_colors",
    "clamps the colors of fragments to 0 to 1",
    include_str!("clamp_fragment_colors.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl Pass for ClampFragmentColors {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Changes::NONE);
        }
        let is_color = |body: &Body, id| color_store(body, id).is_some() && stores_floats(body, id);
        Ok(each_body(shader, |body| saturate(body, is_color)))
    }
}
