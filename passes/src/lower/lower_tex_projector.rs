//! Lowers projective texture operations to divisions.
//!
//! Accepts any form. Preserves control flow. The coordinates (except the layer) and the comparison reference
//! are divided by the projector (OpenGL 4.6 section 8.14.1, GLSL 4.60 section 8.9: `textureProj`);
//! derivatives and offsets are not. Metal does not have projective texture operations.
//!
//! Source: `lower_txp` of NIR's `nir_lower_tex`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   uniform sampled(2d float32 shadow) map set=0 binding=0
//!   fn main {
//!     %0 = deref_var &map
//!     32x2 %1 = undef
//!     32x1 %2 = undef
//!     32x1 %3 = undef
//!     32x1 %4 = tex 2d float32 shadow texture=%0 sampler=%0 coord=%1 projector=%2 comparator=%3
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   uniform sampled(2d float32 shadow) map set=0 binding=0
//!   fn main {
//!     %0 = deref_var &map
//!     32x2 %1 = undef
//!     32x1 %2 = undef
//!     32x1 %3 = undef
//!     32x2 %5 = fdiv %1, %2.xx
//!     32x1 %6 = fdiv %3, %2
//!     32x1 %4 = tex 2d float32 shadow texture=%0 sampler=%0 coord=%5 comparator=%6
//!   }
//! }
//! ```

use crate::util::rewrite::rewrite_tex;
use crate::util::textures::{remove_src, with_tail};
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{AluOp, Builder, Diagnostic, InstrKind, Shader, Tex, TexSrc};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerTexProjector;

static INFO: PassInfo = PassInfo::new(
    "lower_tex_projector",
    "lowers projective texture operations to divisions",
    include_str!("lower_tex_projector.rs"),
);

impl Pass for LowerTexProjector {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(rewrite_tex(shader, |b, id, mut tex| {
            if tex.src(TexSrc::Projector).is_none() {
                return false;
            }
            divide(b, &mut tex);
            b.body.set_kind(id, InstrKind::Tex(tex));
            true
        }))
    }
}

/// Divides by the projector and removes it.
pub(crate) fn divide(b: &mut Builder<'_>, tex: &mut Tex) {
    let Some(q) = remove_src(tex, TexSrc::Projector) else { return };
    if let Some(coord) = tex.src(TexSrc::Coord) {
        let n = tex.dim.coord_comps();
        let plain = b.swizzle(coord, &[0, 1, 2, 3][..usize::from(n)]);
        let quotient = b.alu(AluOp::fdiv, &[plain, q]);
        let coord = with_tail(b, quotient, coord, n);
        tex.set_src(TexSrc::Coord, coord);
    }
    if let Some(reference) = tex.src(TexSrc::Comparator) {
        let quotient = b.alu(AluOp::fdiv, &[reference, q]);
        tex.set_src(TexSrc::Comparator, quotient);
    }
}
