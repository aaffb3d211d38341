//! Replaces `gl_FrontFacing` in the fragments of primitives that Metal gives another face.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. Fragments of points and lines are front
//! facing (OpenGL 4.6 section 14.6.1), also if [`expand_lines`](crate::gl::expand_lines) made triangles of them. With
//! `slot` the face is that of the polygon whose points or edges are drawn: an unsigned integer at this generic location, which
//! [`expand_polygons`](crate::gl::expand_polygons) writes. Run it after
//! [`lower_two_sided_colors`](crate::gl::lower_two_sided_colors), and instead of the inversion of faces by
//! [`lower_window_origin`](crate::gl::lower_window_origin).
//!
//! Source: the OpenGL specification.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out float color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     1x1 %1 = load_front_face
//!     32x1 %2 = b2f %1
//!     store_output %2, %0 io=0 mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out float color location=0
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     1x1 %1 = const true
//!     32x1 %2 = b2f %1
//!     store_output %2, %0 io=0 mask=x src_type=float32
//!   }
//! }
//! ```

use crate::util::distances::NO_LOCATION;
use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Diagnostic, Form, Index, Interpolation, Intrinsic, IntrinsicOp, IoSemantics, Modes, Scalar, Shader, Slot,
    Stage, Ty, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerFrontFace {
        /// Generic location of the face of the polygon; without it all fragments are front facing.
        slot: u32 = NO_LOCATION,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_front_face",
    "replaces the face in fragments of points and lines",
    include_str!("lower_front_face.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerFrontFace as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerFrontFace {
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
        let slot = Slot::generic(self.slot);
        let changes = replace_intrinsics(
            shader,
            |_, _, i| i.op == IntrinsicOp::load_front_face,
            |b, _, _| {
                let Some(slot) = slot else { return Replacement::Value(b.imm_bool(true)) };
                let zero = b.imm_u32(0);
                let face = Intrinsic::new(IntrinsicOp::load_input, &[zero])
                    .with(Index::Io, IoSemantics::new(slot))
                    .with(Index::DestType, Scalar::Uint32);
                let face = b.insert_intrinsic(face, Ty::B32);
                Replacement::Value(b.ine(face, zero))
            },
        );
        let Some(slot) = slot.filter(|_| changes.is_progress()) else { return Ok(changes) };
        let ty = shader.types.vector(Scalar::Uint32, 1);
        let mut var = Variable::new("face", ty, Modes::IN);
        (var.location, var.interpolation) = (Some(slot), Interpolation::Flat);
        shader.add_var(var);
        Ok(changes | Changes::VARIABLES)
    }
}
