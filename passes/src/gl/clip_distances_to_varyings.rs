//! Copies clip distances to plain varyings, for fragment shaders that read them.
//!
//! Requires and preserves form `variables`; runs before
//! [`lower_clip_distance_arrays`](crate::gl::lower_clip_distance_arrays). Preserves control flow. In Metal
//! clip distances are outputs that only the clipper reads. The last stage before rasterisation gets vectors
//! of four floats at `location` (two of them for more than four distances) in addition to `gl_ClipDistance`,
//! written at the exits of the shader or before each emitted vertex, so the order and location of the
//! original stores do not matter. Run
//! [`clip_distances_from_varyings`](crate::gl::clip_distances_from_varyings) with the same location on the
//! fragment shader. Distances without derefs stay. With `cull`, the same for cull distances; run it before
//! [`cull_distances_to_varyings`](crate::gl::cull_distances_to_varyings), which removes them.
//!
//! Source: Mesa's KosmicKrisp, which stores both in the same way.
//!
//! ```foil-example (location=7)
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   out float[1] clip location=clip_dist0
//!   entry fn main {
//!     %c = deref_var &clip
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.0
//!     %2 = deref_array %c[%0]
//!     store_deref %2, %1
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   out float[1] clip location=clip_dist0
//!   out vec4 clip_distances0 location=7
//!   entry fn main {
//!     %c = deref_var &clip
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.0
//!     %2 = deref_array %c[%0]
//!     store_deref %2, %1
//!     %3 = deref_var &clip
//!     32x1 %4 = const 0
//!     %5 = deref_array %3[%4]
//!     32x1 %6 = load_deref %5
//!     32x1 %7 = const 0.0
//!     32x4 %8 = vec4 %6, %7, %7, %7
//!     %9 = deref_var &clip_distances0
//!     store_deref %9, %8
//!   }
//! }
//! ```

use crate::util::distances::{NO_LOCATION, add_varyings, mirror, named, slot_and_name};
use crate::{Changes, Context, Pass, PassInfo, pass_options};
use airfoil_ir::{Diagnostic, Form, Modes, Shader, Stage};

pass_options! {
    /// See the [module documentation](self).
    pub struct ClipDistancesToVaryings {
        /// First location of the varyings; required.
        location: u32 = NO_LOCATION,
        /// Cull distances instead of clip distances.
        cull: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "clip_distances_to_varyings",
    "copies clip distances to varyings for fragment shaders to read",
    include_str!("clip_distances_to_varyings.rs"),
)
.takes(&[Form::Variables])
.options(<ClipDistancesToVaryings as crate::PassOptions>::OPTIONS);

impl Pass for ClipDistancesToVaryings {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if !matches!(shader.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry) {
            return Ok(Changes::NONE);
        }
        let (slot, name) = slot_and_name(self.cull);
        let Some(d) = named(shader, Modes::OUT, slot)? else { return Ok(Changes::NONE) };
        let way = (shader.vars[d.var].interpolation, shader.vars[d.var].sampling);
        let varyings = add_varyings(shader, (Modes::OUT, name), self.location, d.len, way)?;
        mirror(shader, d, &varyings, 0.0, |_, value| value);
        Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
    }
}
