//! Makes the components of lookups that compare depths, by the modes of their textures.
//!
//! Accepts any form. Preserves control flow. `intensity`, `alpha` and `red` are masks of the textures, by binding in set 0, whose
//! `GL_DEPTH_TEXTURE_MODE` is `GL_INTENSITY`, `GL_ALPHA` or `GL_RED`; the others have `GL_LUMINANCE`. The intrinsic
//! `depth_texture_mode` stands for the components until the state of a draw is known (OpenGL 4.6 compatibility section 8.17).
//! An array of textures has one bit.
//!
//! Source: `st_nir_lower_depth_textures` of Mesa's state tracker, which looks for lookups of old style likewise.
//!
//! ```foil-example (alpha=1)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(2d float32 shadow) map set=0 binding=0
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %z = const 0
//!     %0 = deref_var &map
//!     32x2 %1 = load_point_coord
//!     32x1 %2 = tex 2d float32 shadow texture=%0 sampler=%0 coord=%1 comparator=%z
//!     32x4 %3 = depth_texture_mode %2, %0
//!     store_output %3, %z io=0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(2d float32 shadow) map set=0 binding=0
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %z = const 0
//!     %0 = deref_var &map
//!     32x2 %1 = load_point_coord
//!     32x1 %2 = tex 2d float32 shadow texture=%0 sampler=%0 coord=%1 comparator=%z
//!     32x1 %3 = const 0
//!     32x4 %4 = vec4 %3.x, %3.x, %3.x, %2.x
//!     store_output %4, %z io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::util::deref_path::root_var;
use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::util::textures::{self, Bits};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{Body, DepthMode, Diagnostic, Intrinsic, IntrinsicOp, Shader, Ty};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerDepthModes {
        /// Mask of the textures with the mode `GL_INTENSITY`: (r, r, r, r).
        intensity: u32 = 0,
        /// Mask of the textures with the mode `GL_ALPHA`: (0, 0, 0, r).
        alpha: u32 = 0,
        /// Mask of the textures with the mode `GL_RED`: (r, 0, 0, 1).
        red: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_depth_modes",
    "makes the components of lookups that compare depths",
    include_str!("lower_depth_modes.rs"),
)
.options(<LowerDepthModes as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerDepthModes {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let bits = Bits::of(shader);
        let masks = [
            (self.intensity, DepthMode::Intensity),
            (self.alpha, DepthMode::Alpha),
            (self.red, DepthMode::Red),
        ];
        let is_mode = |_: &Body, _: Ty, i: &Intrinsic| i.op == IntrinsicOp::depth_texture_mode;
        Ok(replace_intrinsics(shader, is_mode, |b, _, i| {
            let (value, texture) = (i.src(0), i.src(1));
            let bit = root_var(b.body, texture).map_or(0, |var| bits.of_var(var));
            let mode = masks.iter().find(|(mask, _)| mask & bit != 0).map_or(DepthMode::Luminance, |m| m.1);
            Replacement::Value(b.depth_vector(value, texture, mode))
        }))
    }
}

/// Mask of the textures whose modes affect a shader; `None` if it has no lookup that the pass lowers. A texture without a bit
/// has the mode `GL_LUMINANCE`.
pub fn moded(shader: &Shader) -> Option<u32> {
    if !textures::any_of(shader, |image| image.shadow) {
        return None;
    }
    let bits = Bits::of(shader);
    let mut moded = None;
    for body in shader.functions.values().map(|f| &f.body) {
        let lookups = body.entries().filter_map(|(_, instr)| instr.as_intrinsic());
        for i in lookups.filter(|i| i.op == IntrinsicOp::depth_texture_mode) {
            let bit = root_var(body, i.src(1)).map_or(0, |var| bits.of_var(var));
            moded = Some(moded.unwrap_or(0) | bit);
        }
    }
    moded
}
