//! Selects the colors of the compatibility profile by the face of the primitive.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. With `GL_VERTEX_PROGRAM_TWO_SIDE`
//! the fragments of back faces get the colors `gl_BackColor` and `gl_BackSecondaryColor` of the vertex shader (OpenGL 4.6
//! compatibility profile, chapter 12). `colors` is the mask of the back colors that the stage before
//! writes: the others, which are undefined in OpenGL, stay front colors, since Metal rejects inputs that are not
//! written. Run it before [`lower_window_origin`](crate::gl::lower_window_origin), which inverts faces.
//!
//! Source: NIR's `nir_lower_two_sided_color`.
//!
//! ```foil-example (colors=1)
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
//!   in vec4 gl_Color location=color0
//!   out vec4 color location=0
//!   in vec4 gl_Color_back location=back_color0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = load_barycentric_pixel
//!     32x4 %2 = load_interpolated_input %1, %0 io=color0 dest_type=float32
//!     32x4 %3 = load_interpolated_input %1, %0 io=back_color0 dest_type=float32
//!     1x1 %4 = load_front_face
//!     32x4 %5 = bcsel %4.xxxx, %2, %3
//!     store_output %5, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Diagnostic, Form, Index, IntrinsicOp, IoSemantics, Modes, Shader, Slot, Stage, SystemValue,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerTwoSidedColors {
        /// Mask of the back colors that the stage before writes: bit 0 is the first color, bit 1 the secondary one.
        colors: u32 = 3,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_two_sided_colors",
    "selects the colors of the compatibility profile by the face of the primitive",
    include_str!("lower_two_sided_colors.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerTwoSidedColors as crate::PassOptions>::OPTIONS)
.results(Results::All);

/// The back color of a front color, and its bit.
fn back_of(slot: Slot) -> Option<(Slot, u32)> {
    match slot {
        Slot::COLOR0 => Some((Slot::BACK_COLOR0, 1)),
        Slot::COLOR1 => Some((Slot::BACK_COLOR1, 2)),
        _ => None,
    }
}

impl Pass for LowerTwoSidedColors {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Changes::NONE);
        }
        let back = |slot| back_of(slot).filter(|(_, bit)| self.colors & bit != 0).map(|(slot, _)| slot);
        let input = |op| matches!(op, IntrinsicOp::load_input | IntrinsicOp::load_interpolated_input);
        let changes = replace_intrinsics(
            shader,
            |_, _, i| input(i.op) && back(i.io().location).is_some(),
            |b, id, i| {
                let (Some(slot), ty) = (back(i.io().location), b.ty(id)) else { return Replacement::Keep };
                let front = b.insert_intrinsic(i, ty);
                let other = i.with(Index::Io, IoSemantics { location: slot, ..i.io() });
                let other = b.insert_intrinsic(other, ty);
                let face = b.load_system_value(SystemValue::front_face);
                Replacement::Value(b.bcsel(face, front, other))
            },
        );
        if !changes.is_progress() {
            return Ok(changes);
        }
        let fronts: Vec<_> = shader
            .vars
            .values()
            .filter(|v| v.mode == Modes::IN)
            .filter_map(|v| Some((v.clone(), back(v.location?)?)))
            .collect();
        for (front, slot) in fronts {
            let mut var = front.clone();
            (var.name, var.location) = (format!("{}_back", front.name).into(), Some(slot));
            shader.add_var(var);
        }
        Ok(changes | Changes::VARIABLES | Changes::AGAIN)
    }
}
