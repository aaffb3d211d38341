//! Lowers reads of input attachments to texel fetches at the fragment's pixel.
//!
//! Requires and preserves form `variables`. Preserves control flow. The front ends read an input attachment
//! (`subpassLoad`, `OpImageRead` of `SubpassData`) by `txf` or `txf_ms` of dimension `subpass` or
//! `subpass_ms`, whose coordinates are relative to the fragment. This pass adds `frag_coord`, and the
//! attachment's variable becomes a 2D texture, multisampled or not. Its set, binding and input-attachment
//! index are preserved. A target with access to tile memory would not run this pass.
//!
//! Source: NIR's `nir_lower_input_attachments`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   uniform texture(subpass float32) color set=0 binding=1
//!   fn main {
//!     %0 = deref_var &color
//!     32x2 %1 = const 0, 0
//!     32x1 %2 = const 0
//!     32x4 %3 = txf subpass float32 texture=%0 coord=%1 lod=%2
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   uniform texture(2d float32) color set=0 binding=1
//!   fn main {
//!     %0 = deref_var &color
//!     32x1 %2 = const 0
//!     32x4 %4 = load_frag_coord
//!     32x2 %5 = mov %4.xy
//!     32x2 %6 = f2i %5
//!     32x4 %3 = txf 2d float32 texture=%0 coord=%6 lod=%2
//!   }
//! }
//! ```

use crate::util::rewrite::rewrite_tex;
use crate::util::textures;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{
    AluOp, Body, Builder, Diagnostic, Dim, Form, ImageType, InstrId, InstrKind, Shader, Stage, SystemValue,
    TexSrc,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerInputAttachments;

static INFO: PassInfo = PassInfo::new(
    "lower_input_attachments",
    "lowers input attachments to textures fetched at the fragment's pixel",
    include_str!("lower_input_attachments.rs"),
)
.takes(&[Form::Variables]);

impl Pass for LowerInputAttachments {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if !textures::any_of(shader, |image| attachment(image).is_some()) {
            return Ok(Changes::NONE);
        }
        if shader.stage != Stage::Fragment {
            let message = format!(
                "input attachments are not supported in the {} stage, only in the fragment stage",
                shader.stage
            );
            return Err(Diagnostic::error("E0832", message));
        }
        textures::retype(shader, attachment);
        let _ = rewrite_tex(shader, |b, id, mut tex| {
            let (Some(dim), Some(coord)) = (texture_dim(tex.dim), tex.src(TexSrc::Coord)) else {
                return false;
            };
            tex.dim = dim;
            tex.set_src(TexSrc::Coord, pixel(b, coord));
            b.body.set_kind(id, InstrKind::Tex(tex));
            if b.body.is_unused(coord) {
                b.body.remove(coord);
            }
            true
        });
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

/// The dimension of the texture that replaces an input attachment.
fn texture_dim(dim: Dim) -> Option<Dim> {
    match dim {
        Dim::Subpass => Some(Dim::D2),
        Dim::SubpassMs => Some(Dim::Ms),
        _ => None,
    }
}

/// The type of the texture that replaces an input attachment.
fn attachment(image: &ImageType) -> Option<ImageType> {
    texture_dim(image.dim).map(|dim| ImageType { dim, ..*image })
}

/// The pixel of the fragment plus relative coordinates.
fn pixel(b: &mut Builder<'_>, coord: InstrId) -> InstrId {
    let fragment = b.load_system_value(SystemValue::frag_coord);
    let xy = b.swizzle(fragment, &[0, 1]);
    let pixel = b.convert(AluOp::f2i, xy, 32);
    if is_zero(b.body, coord) { pixel } else { b.iadd(pixel, coord) }
}

fn is_zero(body: &Body, value: InstrId) -> bool {
    let comps = usize::from(body[value].ty.comps);
    matches!(body[value].kind, InstrKind::Const(lanes) if lanes.iter().take(comps).all(|&l| l == 0))
}
