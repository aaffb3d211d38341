//! Cull distances become flags in plain varyings, by which fragment shaders discard.
//!
//! Takes the form `variables`, before [`lower_clip_distance_arrays`](crate::gl::lower_clip_distance_arrays), and leaves it.
//! Keeps control flow. Metal has no cull distances. The last stage before rasterisation writes for each of them 0.0
//! if it is negative and else 1.0, NaN included, to linear (`noperspective`) vectors of four floats at `location` (two of
//! them for more than four distances), at its ends or before each vertex that is emitted. `gl_CullDistance` is no output any
//! more. The fragment shader gets [`cull_distances_to_discard`](crate::gl::cull_distances_to_discard) with the same
//! location. Flags, not distances, since a primitive goes only if one distance is negative at all its vertices
//! (OpenGL 4.6 section 13.5): then its flag is exactly 0.0 everywhere. Distances that no code names
//! are left alone. After: cull distances in Mesa's driver for Apple GPUs, Asahi.
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
use crate::{Context, Pass, PassInfo, Progress, Results, pass_options};
use airfoil_ir::analysis::Keeps;
use airfoil_ir::{Diagnostic, Form, Modes, Shader, Slot, Stage};

pass_options! {
    /// See the [module documentation](self).
    pub struct CullDistancesToVaryings {
        /// First location of the varyings; must be given.
        location: u32 = NO_LOCATION,
    }
}

static INFO: PassInfo = PassInfo::new(
    "cull_distances_to_varyings",
    "cull distances become flags in varyings, by which fragment shaders discard",
    include_str!("cull_distances_to_varyings.rs"),
)
.takes(&[Form::Variables])
.options(<CullDistancesToVaryings as crate::PassOptions>::OPTIONS)
.keeps(Keeps::CONTROL_FLOW)
.results(Results::Outputs(&[Slot::CULL_DIST0, Slot::CULL_DIST1]));

impl Pass for CullDistancesToVaryings {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Progress, Diagnostic> {
        if !matches!(shader.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry) {
            return Ok(Progress::None);
        }
        let Some(d) = named(shader, Modes::OUT, Slot::CULL_DIST0)? else { return Ok(Progress::None) };
        let varyings = add_varyings(shader, (Modes::OUT, "cull_flags"), self.location, d.len, FLAGS)?;
        mirror(shader, d, &varyings, 1.0, |b, distance| {
            let (zero, one) = (b.imm_f32(0.0), b.imm_f32(1.0));
            let outside = b.flt(distance, zero);
            b.bcsel(outside, zero, one)
        });
        make_own(shader, d.var)?;
        Ok(Progress::Made)
    }
}
