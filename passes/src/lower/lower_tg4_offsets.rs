//! Splits gathers with four offsets into four gathers with one offset each.
//!
//! Accepts any form. Preserves control flow. Each gather returns, as its last component, the texel at the
//! footprint's origin `i0 j0` plus its offset (GLSL 4.60 section 8.9.4, `textureGatherOffsets`). Metal's
//! gathers take one offset. A residency code becomes that of the first gather whose texels are not all in memory, else of
//! the last one.
//!
//! Source: `lower_tg4_offsets` of NIR's `nir_lower_tex`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   uniform sampled(2d float32) map set=0 binding=0
//!   fn main {
//!     %0 = deref_var &map
//!     32x2 %1 = undef
//!     32x4 %2 = tg4 2d float32 texture=%0 sampler=%0 coord=%1 offsets=(0, 1)(1, 2)(2, 3)(3, 4)
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   uniform sampled(2d float32) map set=0 binding=0
//!   fn main {
//!     %0 = deref_var &map
//!     32x2 %1 = undef
//!     32x2 %3 = const 0, 1
//!     32x4 %4 = tg4 2d float32 texture=%0 sampler=%0 coord=%1 offset=%3
//!     32x2 %5 = const 1, 2
//!     32x4 %6 = tg4 2d float32 texture=%0 sampler=%0 coord=%1 offset=%5
//!     32x2 %7 = const 2, 3
//!     32x4 %8 = tg4 2d float32 texture=%0 sampler=%0 coord=%1 offset=%7
//!     32x2 %9 = const 3, 4
//!     32x4 %10 = tg4 2d float32 texture=%0 sampler=%0 coord=%1 offset=%9
//!     32x4 %2 = vec4 %4.w, %6.w, %8.w, %10.w
//!   }
//! }
//! ```

use crate::util::rewrite::rewrite_tex;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{Alu, AluOp, Builder, Diagnostic, InstrKind, IntrinsicOp, Shader, Src, Tex, TexSrc, Ty};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerTg4Offsets;

static INFO: PassInfo = PassInfo::new(
    "lower_tg4_offsets",
    "splits gathers with four offsets into four gathers",
    include_str!("lower_tg4_offsets.rs"),
);

impl Pass for LowerTg4Offsets {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(rewrite_tex(shader, |b, id, mut tex| {
            let Some(offsets) = tex.offsets.take() else { return false };
            let ty = b.ty(id);
            let texels = offsets.map(|[x, y]| {
                let lanes = [x, y].map(|o| u64::from(i32::from(o) as u32));
                let offset = b.constant(Ty::new(2, 32), [lanes[0], lanes[1], 0, 0]);
                let mut one = Tex::clone(&tex);
                one.set_src(TexSrc::Offset, offset);
                b.tex(one, ty)
            });
            let all = if tex.residency {
                let [first, middle @ .., last] = texels;
                let is_resident =
                    |b: &mut Builder<'_>, code| b.intrinsic(IntrinsicOp::is_resident, Ty::BOOL, &[code]);
                let code = middle.into_iter().fold(first, |code, next| {
                    let resident = is_resident(b, code);
                    b.bcsel(resident, next, code)
                });
                Alu::new(AluOp::bcsel, 1, &[is_resident(b, code), last, code].map(Src::from))
            } else {
                Alu::new(AluOp::vec4, 4, &texels.map(|texel| Src::comp(texel, 3)))
            };
            b.body.set_kind(id, InstrKind::Alu(all));
            true
        }))
    }
}
