//! Lowers cull distances to flags in plain varyings, which the fragment shader tests.
//!
//! Requires and preserves form `variables`; runs before
//! [`lower_clip_distance_arrays`](crate::gl::lower_clip_distance_arrays). Preserves control flow. Metal does
//! not have cull distances. For each of them, the last stage before rasterisation writes 0.0 if it is
//! negative and 1.0 otherwise, NaN included, to linear (`noperspective`) vectors of four floats at `location`
//! (two of them for more than four distances), at its exits or before each emitted vertex. `gl_CullDistance`
//! ceases to be an output. Run [`cull_distances_to_discard`](crate::gl::cull_distances_to_discard) with the
//! same location on the fragment shader. Flags rather than distances, since a primitive is culled only if one
//! distance is negative at all its vertices (OpenGL 4.6 section 13.5): then its flag is exactly 0.0
//! everywhere. Distances without derefs stay.
//!
//! Source: cull distances in Mesa's driver for Apple GPUs, Asahi.
//!
//! ```foil-example (location=7)
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   out float[1] cull location=cull_dist0
//!   entry fn main {
//!     %c = deref_var &cull
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
//!   shader_temp float[1] cull
//!   out vec4 cull_flags0 location=7 noperspective
//!   entry fn main {
//!     %c = deref_var &cull
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.0
//!     %2 = deref_array %c[%0]
//!     store_deref %2, %1
//!     %3 = deref_var &cull
//!     32x1 %4 = const 0
//!     %5 = deref_array %3[%4]
//!     32x1 %6 = load_deref %5
//!     32x1 %7 = const 0.0
//!     32x1 %8 = const 1.0
//!     1x1 %9 = flt %6, %7
//!     32x1 %10 = bcsel %9, %7, %8
//!     32x1 %11 = const 1.0
//!     32x4 %12 = vec4 %10, %11, %11, %11
//!     %13 = deref_var &cull_flags0
//!     store_deref %13, %12
//!   }
//! }
//! ```

use crate::util::distances::{FLAGS, NO_LOCATION, add_varyings, mirror, named};
use crate::util::outputs::make_own;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{Diagnostic, Form, Modes, Shader, Slot, Stage};

pass_options! {
    /// See the [module documentation](self).
    pub struct CullDistancesToVaryings {
        /// First location of the varyings; required.
        location: u32 = NO_LOCATION,
    }
}

static INFO: PassInfo = PassInfo::new(
    "cull_distances_to_varyings",
    "lowers cull distances to flags in varyings for fragment shaders",
    include_str!("cull_distances_to_varyings.rs"),
)
.takes(&[Form::Variables])
.options(<CullDistancesToVaryings as crate::PassOptions>::OPTIONS)
.results(Results::Outputs(&[Slot::CULL_DIST0, Slot::CULL_DIST1]));

impl Pass for CullDistancesToVaryings {
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
        let Some(d) = named(shader, Modes::OUT, Slot::CULL_DIST0)? else { return Ok(Changes::NONE) };
        let varyings = add_varyings(shader, (Modes::OUT, "cull_flags"), self.location, d.len, FLAGS)?;
        mirror(shader, d, &varyings, 1.0, |b, distance| {
            let (zero, one) = (b.imm_f32(0.0), b.imm_f32(1.0));
            let outside = b.flt(distance, zero);
            b.bcsel(outside, zero, one)
        });
        make_own(shader, d.var)?;
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}
