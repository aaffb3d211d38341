//! Lowers clip and cull distances of a program where both ends of an interface change.
//!
//! Runs over all shaders of a program, in the form `variables` and in order of the stages; shaders in later forms stay
//! as they are. The last stage before rasterisation gets [`lower_clip_vertex`](super::lower_clip_vertex) if it writes
//! `gl_ClipVertex` or user clip planes are enabled. Distances that the fragment shader reads are passed on as
//! varyings ([`clip_distances_to_varyings`](super::clip_distances_to_varyings),
//! [`clip_distances_from_varyings`](super::clip_distances_from_varyings)). Cull distances become varyings and a discard
//! ([`cull_distances_to_varyings`](super::cull_distances_to_varyings),
//! [`cull_distances_to_discard`](super::cull_distances_to_discard)), since Metal has none. Added varyings take the
//! locations after those of the shaders.
//!
//! ```foil-example
//! foil 1
//! shader vertex "v" {
//!   form variables
//!   out float[1] distances location=cull_dist0
//!   entry fn main {
//!   }
//! }
//! foil 1
//! shader fragment "f" {
//!   form variables
//!   entry fn main {
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "v" {
//!   form variables
//!   out float[1] distances location=cull_dist0
//!   entry fn main {
//!   }
//! }
//! foil 1
//! shader fragment "f" {
//!   form variables
//!   in vec4 cull_flags0 location=0 noperspective
//!   entry fn main {
//!     32x1 %0 = const 0
//!     %1 = deref_var &cull_flags0
//!     32x4 %2 = load_deref %1
//!     32x4 %3 = fddx! %2
//!     32x4 %4 = fddy! %2
//!     1x4 %5 = feq! %3, %0.xxxx
//!     1x4 %6 = feq! %4, %0.xxxx
//!     1x4 %7 = feq! %2, %0.xxxx
//!     1x4 %8 = iand! %5, %6
//!     1x4 %9 = iand! %7, %8
//!     1x1 %10 = mov! %9.x
//!     demote_if %10
//!   }
//! }
//! ```

use super::clip_distances_from_varyings::ClipDistancesFromVaryings;
use super::clip_distances_to_varyings::ClipDistancesToVaryings;
use super::cull_distances_to_discard::CullDistancesToDiscard;
use super::cull_distances_to_varyings::CullDistancesToVaryings;
use super::lower_clip_vertex::{LowerClipVertex, NO_BINDING};
use crate::util::distances::slot_and_name;
use crate::{Pass, PassInfo, ProgramPass, ProgramSteps, Results, pass_options};
use airfoil_ir::{Diagnostic, Form, Modes, Shader, Slot, Stage, Type};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerDistances {
        /// Mask of the enabled user clip planes (bit 0 is `GL_CLIP_PLANE0`); without any, `gl_ClipVertex` has no effect.
        planes: u32 = 0,
        /// Binding of a uniform block with the planes, for shaders that do not have `gl_ClipPlane` themselves.
        binding: u32 = NO_BINDING,
        /// Keep `gl_ClipVertex` as an output, which `lower_clip_planes` lowers later.
        keep_clip_vertex: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_distances",
    "lowers gl_ClipVertex, user clip planes, cull distances and clip distances that fragments read",
    include_str!("lower_distances.rs"),
)
.results(Results::All);

impl ProgramPass for LowerDistances {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn steps(&self, shaders: &[Shader]) -> Result<ProgramSteps, Diagnostic> {
        let mut steps = ProgramSteps::default();
        let is_last = |s: &Shader| matches!(s.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry);
        let Some(last) = shaders.iter().rposition(is_last) else { return Ok(steps) };
        if shaders.iter().any(|s| s.form != Form::Variables) {
            return Ok(steps);
        }
        let has =
            |s: &Shader, mode, slot| s.vars.values().any(|v| v.mode == mode && v.location == Some(slot));
        let mut add = |shader: usize, pass: Box<dyn Pass>| steps.passes.push((shader, pass));
        let own = !self.keep_clip_vertex && has(&shaders[last], Modes::OUT, Slot::CLIP_VERTEX);
        if self.planes != 0 || own {
            add(last, Box::new(LowerClipVertex { planes: self.planes, binding: self.binding }));
        }
        let Some(fragment) = shaders.iter().position(|s| s.stage == Stage::Fragment) else {
            return Ok(steps);
        };
        let free = |shader: usize, mode| first_free(&shaders[shader], mode);
        let mut location = free(last, Modes::OUT).max(free(fragment, Modes::IN));
        for cull in [false, true] {
            if has(&shaders[fragment], Modes::IN, slot_and_name(cull).0) {
                add(last, Box::new(ClipDistancesToVaryings { location, cull }));
                add(fragment, Box::new(ClipDistancesFromVaryings { location, cull }));
                location += 2;
            }
        }
        if let Some(count) = cull_distances(&shaders[last]) {
            add(last, Box::new(CullDistancesToVaryings { location }));
            add(fragment, Box::new(CullDistancesToDiscard { location, count }));
        }
        Ok(steps)
    }
}

/// Number of cull distances that a shader writes.
fn cull_distances(shader: &Shader) -> Option<u32> {
    let var = shader.vars.values().find(|v| v.mode == Modes::OUT && v.location == Some(Slot::CULL_DIST0))?;
    match shader.types[var.ty] {
        Type::Array { len, .. } => Some(len),
        _ => None,
    }
}

/// The first location after all varyings of a shader.
fn first_free(shader: &Shader, mode: Modes) -> u32 {
    let end = |v: &airfoil_ir::Variable| {
        let location = v.location?.as_generic()?;
        let ty = match shader.types[v.ty] {
            Type::Array { elem, .. } if v.is_per_vertex(shader.stage) => elem,
            _ => v.ty,
        };
        Some(location + shader.types.num_slots(ty))
    };
    shader.vars.values().filter(|v| v.mode == mode).filter_map(end).max().unwrap_or(0)
}
