//! Lowers rectangle textures to 2D textures with normalised coordinates.
//!
//! Accepts any form. Preserves control flow. Coordinates and derivatives are divided by the size of the
//! texture (OpenGL 4.6 section 8.14: the coordinates of rectangle textures are not normalised); coordinates
//! of fetches, offsets and sizes stay in texels. In Metal only samplers declared in the shader support
//! unnormalised coordinates, not those bound by the application, so the sampler is one for normalised
//! coordinates. Storage images of this dimension become 2D too.
//!
//! Source: `lower_rect` of NIR's `nir_lower_tex`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   uniform sampled(rect float32) map set=0 binding=0
//!   fn main {
//!     %0 = deref_var &map
//!     32x2 %1 = undef
//!     32x4 %2 = tex rect float32 texture=%0 sampler=%0 coord=%1
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
//!     32x2 %3 = txs 2d int32 texture=%0
//!     32x2 %4 = i2f %3
//!     32x2 %5 = fdiv %1, %4
//!     32x4 %2 = tex 2d float32 texture=%0 sampler=%0 coord=%5
//!   }
//! }
//! ```

use crate::lower::lower_tex_projector::divide;
use crate::util::rewrite::{rewrite_intrinsics, rewrite_tex};
use crate::util::textures;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{
    AluOp, Builder, Diagnostic, Dim, ImageType, Index, InstrId, InstrKind, Scalar, Shader, Tex, TexOp,
    TexSrc, Ty,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerTexRect;

static INFO: PassInfo = PassInfo::new(
    "lower_tex_rect",
    "lowers rectangle textures to 2D textures",
    include_str!("lower_tex_rect.rs"),
);

impl Pass for LowerTexRect {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let flat =
            |image: &ImageType| (image.dim == Dim::Rect).then_some(ImageType { dim: Dim::D2, ..*image });
        if !textures::retype(shader, flat) {
            return Ok(Changes::NONE);
        }
        let _ = rewrite_tex(shader, |b, id, mut tex| {
            if tex.dim != Dim::Rect {
                return false;
            }
            normalise(b, &mut tex);
            b.body.set_kind(id, InstrKind::Tex(tex));
            true
        });
        let _ = rewrite_intrinsics(shader, |b, id, i| {
            let is_access = i.op.info().indices.contains(&Index::Dim) && i.dim() == Dim::Rect;
            if is_access {
                b.body.set_kind(id, InstrKind::Intrinsic(i.with(Index::Dim, Dim::D2)));
            }
            is_access
        });
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

fn normalise(b: &mut Builder<'_>, tex: &mut Tex) {
    tex.dim = Dim::D2;
    if tex.op.is_fetch() || (tex.op.is_query() && tex.op != TexOp::Lod) {
        return;
    }
    divide(b, tex);
    let Some(texture) = tex.src(TexSrc::Texture) else { return };
    let mut size = Tex::new(TexOp::Txs, Dim::D2, Scalar::Int32);
    (size.shadow, size.non_uniform) = (tex.shadow, tex.non_uniform);
    size.set_src(TexSrc::Texture, texture);
    let size = b.tex(size, Ty::new(2, 32));
    let mut floats: Option<(u8, InstrId)> = None;
    for role in [TexSrc::Coord, TexSrc::Ddx, TexSrc::Ddy] {
        let Some(value) = tex.src(role) else { continue };
        let bits = b.ty(value).bits;
        let divisor = match floats {
            Some((width, divisor)) if width == bits => divisor,
            _ => b.convert(AluOp::i2f, size, bits),
        };
        floats = Some((bits, divisor));
        let quotient = b.alu(AluOp::fdiv, &[value, divisor]);
        tex.set_src(role, quotient);
    }
}
