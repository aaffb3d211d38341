//! Removes clip and cull distances from the interface of a shader.
//!
//! Requires and preserves form `variables`; does not apply to the compact array of
//! [`lower_clip_distance_arrays`](crate::gl::lower_clip_distance_arrays). Preserves control flow. The last step of
//! an emulation, after passes that copy the distances elsewhere. Variables at `clip_dist0` and `cull_dist0` without
//! derefs are removed; the others become invocation-wide variables that are zero at first, since elements that the
//! shader does not write must neither clip nor cull. Inputs that no stage writes read as zero.
//!
//! Source: clip and cull distances of SPIR-V, which a module declares by capabilities that a device may lack.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   out float[1] clip location=clip_dist0
//!   out float[1] cull location=cull_dist0
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
//!   shader_temp float[1] clip = zero
//!   entry fn main {
//!     %c = deref_var &clip
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.0
//!     %2 = deref_array %c[%0]
//!     store_deref %2, %1
//!   }
//! }
//! ```

use crate::util::distances::expect_separate;
use crate::util::outputs::{is_named, make_own};
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{Constant, Diagnostic, Form, Modes, Shader, Slot, VarId};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct RemoveDistances;

static INFO: PassInfo = PassInfo::new(
    "remove_distances",
    "removes clip and cull distances from the interface",
    include_str!("remove_distances.rs"),
)
.takes(&[Form::Variables])
.results(Results::All);

impl Pass for RemoveDistances {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        expect_separate(shader, Modes::IN | Modes::OUT)?;
        let is_distance = |slot| matches!(slot, Some(Slot::CLIP_DIST0 | Slot::CULL_DIST0));
        let found: Vec<VarId> = shader
            .vars
            .iter()
            .filter(|(_, v)| matches!(v.mode, Modes::IN | Modes::OUT) && is_distance(v.location))
            .map(|(id, _)| id)
            .collect();
        for &var in &found {
            if !is_named(shader, var) {
                shader.vars.remove(var);
                continue;
            }
            make_own(shader, var)?;
            let initializer = &mut shader.vars[var].initializer;
            initializer.get_or_insert(Constant::Zero);
        }
        Ok(if found.is_empty() { Changes::NONE } else { Changes::ALL_BUT_CONTROL_FLOW })
    }
}
