//! Reads the colors of the compatibility profile without interpolation.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. With `glShadeModel(GL_FLAT)` the colors
//! `gl_Color` and `gl_SecondaryColor` of a fragment are those of the provoking vertex, unless the shader declares their
//! interpolation (`stated_colors`; OpenGL 4.6 compatibility profile, chapter 13). Other inputs are interpolated. The
//! provoking vertex of Metal is the first one; a driver rewrites indices for another one.
//!
//! Source: NIR's `nir_lower_flatshade`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   in vec4 gl_Color location=color0
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = load_barycentric_pixel
//!     32x4 %2 = load_interpolated_input %1, %0 io=color0 dest_type=float32
//!     store_output %2, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   in vec4 gl_Color location=color0 flat
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = load_barycentric_pixel
//!     32x4 %2 = load_input %0 io=color0 dest_type=float32
//!     store_output %2, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::util::rewrite::rewrite_intrinsics;
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    Diagnostic, Form, Index, InstrKind, Interpolation, Intrinsic, IntrinsicOp, Modes, Shader, Slot, Stage,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerFlatColors;

static INFO: PassInfo = PassInfo::new(
    "lower_flat_colors",
    "reads the colors of the compatibility profile without interpolation",
    include_str!("lower_flat_colors.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl Pass for LowerFlatColors {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Changes::NONE);
        }
        let stated = shader.info.stated_colors;
        let is_flat = |slot: Slot| match slot {
            Slot::COLOR0 | Slot::BACK_COLOR0 => stated & 1 == 0,
            Slot::COLOR1 | Slot::BACK_COLOR1 => stated & 2 == 0,
            _ => false,
        };
        let mut changes = rewrite_intrinsics(shader, |b, id, i| {
            if i.op != IntrinsicOp::load_interpolated_input || !is_flat(i.io().location) {
                return false;
            }
            let flat = Intrinsic::new(IntrinsicOp::load_input, &[i.src(1)])
                .with(Index::Io, i.io())
                .with(Index::Component, i.component())
                .with(Index::DestType, i.dest_type());
            b.body.set_kind(id, InstrKind::Intrinsic(flat));
            true
        });
        for v in shader.vars.values_mut().filter(|v| v.mode == Modes::IN) {
            if v.location.is_some_and(is_flat) && v.interpolation != Interpolation::Flat {
                v.interpolation = Interpolation::Flat;
                changes |= Changes::VARIABLES;
            }
        }
        Ok(changes)
    }
}
