//! Clamps texture coordinates as the wrap mode `GL_CLAMP` does.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. `s`, `t` and `r` are masks of the textures,
//! by binding in set 0, whose samplers have the wrap mode `GL_CLAMP` in that direction: their coordinates are clamped to 0 to
//! 1 (OpenGL 4.6 compatibility profile, chapter 8). The sampler of Metal clamps to the border if it filters linearly,
//! otherwise to the edge. An array of textures has one bit. Layers of arrayed textures, cube maps and fetches stay as
//! they are. Run it after [`lower_tex_rect`](crate::lower::lower_tex_rect), which normalises coordinates.
//!
//! Source: `saturate_s`, `saturate_t` and `saturate_r` of NIR's `nir_lower_tex`.
//!
//! ```foil-example (s=1)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(2d float32) map set=0 binding=0
//!   fn main {
//!     %0 = deref_var &map
//!     32x2 %1 = load_point_coord
//!     32x4 %2 = tex 2d float32 texture=%0 sampler=%0 coord=%1
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(2d float32) map set=0 binding=0
//!   fn main {
//!     %0 = deref_var &map
//!     32x2 %1 = load_point_coord
//!     32x1 %2 = mov %1.x
//!     32x1 %3 = fsat %2
//!     32x2 %4 = vec2 %3, %1.y
//!     32x4 %5 = tex 2d float32 texture=%0 sampler=%0 coord=%4
//!   }
//! }
//! ```

use crate::util::rewrite::rewrite_tex;
use crate::util::textures::Bits;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{Diagnostic, Dim, Form, InstrKind, Shader, Src, Tex, TexSrc};
use smallvec::SmallVec;

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerGlClamp {
        /// Mask of the textures whose first coordinate is clamped.
        s: u32 = 0,
        /// Mask of the textures whose second coordinate is clamped.
        t: u32 = 0,
        /// Mask of the textures whose third coordinate is clamped.
        r: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_gl_clamp",
    "clamps texture coordinates as the wrap mode GL_CLAMP does",
    include_str!("lower_gl_clamp.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerGlClamp as crate::PassOptions>::OPTIONS)
.results(Results::All);

/// Coordinates of a texture that wrap.
fn wrapped(tex: &Tex) -> usize {
    match tex.dim {
        _ if tex.op.is_fetch() || tex.op.is_query() => 0,
        Dim::D1 => 1,
        Dim::D2 => 2,
        Dim::D3 => 3,
        _ => 0,
    }
}

impl Pass for LowerGlClamp {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let masks = [self.s, self.t, self.r];
        if masks == [0; 3] {
            return Ok(Changes::NONE);
        }
        let bits = Bits::of(shader);
        let changes = rewrite_tex(shader, |b, id, mut tex| {
            let count = wrapped(&tex);
            let bit = bits.of_tex(b.body, &tex);
            let clamps = |c: usize| c < count && masks[c.min(2)] & bit != 0;
            let Some(coord) = tex.src(TexSrc::Coord).filter(|_| (0..count).any(clamps)) else { return false };
            let mut lanes: SmallVec<[Src; 4]> = SmallVec::new();
            for c in 0..usize::from(b.ty(coord).comps) {
                lanes.push(if clamps(c) {
                    let value = b.channel(coord, c);
                    b.fsat(value).into()
                } else {
                    Src::comp(coord, c)
                });
            }
            let clamped = b.vec_srcs(&lanes);
            tex.set_src(TexSrc::Coord, clamped);
            b.body.set_kind(id, InstrKind::Tex(tex));
            true
        });
        Ok((changes | Changes::AGAIN).when(changes.is_progress()))
    }
}

/// Masks of the textures whose coordinates a shader can clamp, by direction.
pub fn clampable(shader: &Shader) -> [u32; 3] {
    let bits = Bits::of(shader);
    let mut masks = [0; 3];
    for function in shader.functions.values() {
        let body = &function.body;
        for tex in body.entries().filter_map(|(_, instr)| instr.as_tex()) {
            let bit = bits.of_tex(body, tex);
            masks[..wrapped(tex)].iter_mut().for_each(|mask| *mask |= bit);
        }
    }
    masks
}
