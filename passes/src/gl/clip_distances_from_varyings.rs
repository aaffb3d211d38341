//! Lowers reads of clip distances in fragment shaders to reads of plain varyings.
//!
//! Requires and preserves form `variables`; runs before
//! [`lower_clip_distance_arrays`](crate::gl::lower_clip_distance_arrays). Preserves control flow. The
//! counterpart of [`clip_distances_to_varyings`](crate::gl::clip_distances_to_varyings), with the same
//! `location`. `gl_ClipDistance` becomes an invocation-wide array that is filled from the varyings at the
//! start, so any indexing works; later passes promote it to values. Distances interpolated at an explicit
//! position, and references to them in calls, are not supported. With `cull`, the same for cull distances.
//!
//! Source: NIR's `nir_lower_clip_fs`, which reads distances in the same way.
//!
//! ```foil-example (location=7)
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in float[1] clip location=clip_dist0
//!   out float c location=0
//!   entry fn main {
//!     %i = deref_var &clip
//!     32x1 %0 = const 0
//!     %1 = deref_array %i[%0]
//!     32x1 %2 = load_deref %1
//!     %c = deref_var &c
//!     store_deref %c, %2
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   shader_temp float[1] clip
//!   out float c location=0
//!   in vec4 clip_distances0 location=7
//!   entry fn main {
//!     %a = deref_var &clip
//!     %v = deref_var &clip_distances0
//!     32x4 %3 = load_deref %v
//!     32x1 %4 = mov %3.x
//!     32x1 %5 = const 0
//!     %6 = deref_array %a[%5]
//!     store_deref %6, %4
//!     %i = deref_var &clip
//!     32x1 %0 = const 0
//!     %1 = deref_array %i[%0]
//!     32x1 %2 = load_deref %1
//!     %c = deref_var &c
//!     store_deref %c, %2
//!   }
//! }
//! ```

use crate::util::distances::{NO_LOCATION, add_varyings, named, slot_and_name};
use crate::util::outputs::make_own;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{Builder, Cursor, Diagnostic, Form, Modes, Shader, Stage, Ty};

pass_options! {
    /// See the [module documentation](self).
    pub struct ClipDistancesFromVaryings {
        /// First location of the varyings; required.
        location: u32 = NO_LOCATION,
        /// Cull distances instead of clip distances.
        cull: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "clip_distances_from_varyings",
    "lowers reads of clip distances in fragment shaders to varyings",
    include_str!("clip_distances_from_varyings.rs"),
)
.takes(&[Form::Variables])
.options(<ClipDistancesFromVaryings as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for ClipDistancesFromVaryings {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Changes::NONE);
        }
        let (slot, name) = slot_and_name(self.cull);
        let Some(d) = named(shader, Modes::IN, slot)? else { return Ok(Changes::NONE) };
        let way = (shader.vars[d.var].interpolation, shader.vars[d.var].sampling);
        let varyings = add_varyings(shader, (Modes::IN, name), self.location, d.len, way)?;
        make_own(shader, d.var)?;
        let Shader { types, vars, functions, entry, .. } = shader;
        let Some(function) = entry.and_then(|e| functions.get_mut(e)) else {
            return Ok(Changes::ALL_BUT_CONTROL_FLOW);
        };
        let start = Cursor::BlockStart(function.body.entry());
        let mut b = Builder::at(&mut function.body, start);
        let array = b.deref_var(vars, d.var);
        for (k, &varying) in (0u32..).zip(&varyings) {
            let deref = b.deref_var(vars, varying);
            let vector = b.load_deref(deref, Ty::new(4, 32));
            for i in 4 * k..d.len.min(4 * k + 4) {
                let value = b.channel(vector, (i % 4) as usize);
                let element = b.deref_array_imm(types, array, i);
                b.store_deref(element, value);
            }
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}
