//! Turns clip distances between two stages into plain varyings.
//!
//! Requires and preserves form `variables`; runs before
//! [`lower_clip_distance_arrays`](crate::gl::lower_clip_distance_arrays). Preserves control flow. The array moves
//! from its built-in slot to consecutive locations from `location` on, one per element, as outputs or with `inputs` as
//! inputs. Run it on both stages with the same location: a tessellation or geometry shader reads
//! `gl_in[i].gl_ClipDistance`, a tessellation control shader reads back its own outputs, and transform feedback
//! captures the array as a whole. Only the last stage before rasterisation clips. Derefs stay as they are, so any
//! indexing works. Distances without derefs stay. With `cull`, the same for cull distances.
//!
//! Source: interfaces of built-in blocks in the Vulkan specification ("Interface Matching").
//!
//! ```foil-example (location=3, inputs=true)
//! foil 1
//! shader geometry "t" {
//!   form variables
//!   in float[3][2] clip location=clip_dist0
//!   out float c location=0
//!   entry fn main {
//!     %i = deref_var &clip
//!     32x1 %0 = const 0
//!     %1 = deref_array %i[%0]
//!     %2 = deref_array %1[%0]
//!     32x1 %3 = load_deref %2
//!     %c = deref_var &c
//!     store_deref %c, %3
//!   }
//! }
//! =>
//! foil 1
//! shader geometry "t" {
//!   form variables
//!   in float[3][2] clip location=3
//!   out float c location=0
//!   entry fn main {
//!     %i = deref_var &clip
//!     32x1 %0 = const 0
//!     %1 = deref_array %i[%0]
//!     %2 = deref_array %1[%0]
//!     32x1 %3 = load_deref %2
//!     %c = deref_var &c
//!     store_deref %c, %3
//!   }
//! }
//! ```

use crate::gl::lower_clip_distance_arrays::find;
use crate::util::distances::{NO_LOCATION, expect_free, expect_separate, slot_and_name};
use crate::util::outputs::is_used;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{Diagnostic, Form, Modes, Shader};

pass_options! {
    /// See the [module documentation](self).
    pub struct ClipDistancesToLocations {
        /// First location; required.
        location: u32 = NO_LOCATION,
        /// Cull distances instead of clip distances.
        cull: bool = false,
        /// Inputs instead of outputs.
        inputs: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "clip_distances_to_locations",
    "turns clip distances between two stages into varyings",
    include_str!("clip_distances_to_locations.rs"),
)
.takes(&[Form::Variables])
.options(<ClipDistancesToLocations as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for ClipDistancesToLocations {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let mode = if self.inputs { Modes::IN } else { Modes::OUT };
        expect_separate(shader, mode)?;
        let slot = slot_and_name(self.cull).0;
        let Some(d) = find(shader, mode, slot)?.filter(|d| is_used(shader, d.var)) else {
            return Ok(Changes::NONE);
        };
        let locations = expect_free(shader, mode, self.location, d.len)?;
        shader.vars[d.var].location = locations.first().copied();
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}
