//! Reads depths from shadow textures whose samplers do not compare.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. `disabled` is the mask of the textures, by
//! binding in set 0, whose `GL_TEXTURE_COMPARE_MODE` is `GL_NONE`: a lookup returns the depth instead of the result of
//! a comparison (OpenGL 4.6 section 8.23; the result is undefined in core profiles). The texture becomes one without
//! comparison. An array of textures has one bit. Gathers return four depths.
//!
//! Source: the texture compare modes of ANGLE's Metal backend.
//!
//! ```foil-example (disabled=1)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(2d float32 shadow) map set=0 binding=0
//!   out float color location=0
//!   fn main {
//!     32x1 %z = const 0
//!     %0 = deref_var &map
//!     32x2 %1 = load_point_coord
//!     32x1 %2 = tex 2d float32 shadow texture=%0 sampler=%0 coord=%1 comparator=%z
//!     store_output %2, %z io=0 mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(2d float32) map set=0 binding=0
//!   out float color location=0
//!   fn main {
//!     32x1 %z = const 0
//!     %0 = deref_var &map
//!     32x2 %1 = load_point_coord
//!     32x4 %2 = tex 2d float32 texture=%0 sampler=%0 coord=%1
//!     32x1 %3 = mov %2.x
//!     store_output %3, %z io=0 mask=x src_type=float32
//!   }
//! }
//! ```

use crate::util::rewrite::rewrite_tex;
use crate::util::textures::{self, Bits};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{Alu, AluOp, Diagnostic, Form, ImageType, InstrKind, Shader, Src, TexOp, TexSrc, Ty};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerShadowCompare {
        /// Mask of the textures whose samplers do not compare.
        disabled: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_shadow_compare",
    "reads depths from shadow textures whose samplers do not compare",
    include_str!("lower_shadow_compare.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerShadowCompare as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerShadowCompare {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if self.disabled == 0 {
            return Ok(Changes::NONE);
        }
        let bits = Bits::of(shader);
        let plain = |image: &ImageType| image.shadow.then_some(ImageType { shadow: false, ..*image });
        let is_wanted = |id| bits.of_var(id) & self.disabled != 0;
        if !textures::retype_vars(shader, is_wanted, plain) {
            return Ok(Changes::NONE);
        }
        let _ = rewrite_tex(shader, |b, id, mut tex| {
            if !tex.shadow || bits.of_tex(b.body, &tex) & self.disabled == 0 {
                return false;
            }
            tex.shadow = false;
            let _ = textures::remove_src(&mut tex, TexSrc::Comparator);
            if tex.op.is_query() || tex.op == TexOp::Tg4 || tex.residency {
                b.body.set_kind(id, InstrKind::Tex(tex));
                return true;
            }
            let ty = Ty::new(4, tex.dest_type.bits());
            let depth = b.tex(*tex, ty);
            b.body.set_kind(id, InstrKind::Alu(Alu::new(AluOp::mov, 1, &[Src::comp(depth, 0)])));
            true
        });
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

/// Mask of the textures that a shader compares depths with.
pub fn compared(shader: &Shader) -> u32 {
    let bits = Bits::of(shader);
    let of = |body: &airfoil_ir::Body| {
        let shadows = body.entries().filter_map(|(_, instr)| instr.as_tex()).filter(|tex| tex.shadow);
        shadows.fold(0, |mask, tex| mask | bits.of_tex(body, tex))
    };
    shader.functions.values().fold(0, |mask, f| mask | of(&f.body))
}
