//! Changes clip space from one API's convention to another's: turns y around, halves the range of depth.
//!
//! Takes the form `variables` and leaves it. Changes the last value of `gl_Position` of a vertex, tessellation
//! evaluation or geometry shader: at the ends of the shader or before each vertex that is emitted. `flip_y` is
//! `y = -y`, for framebuffers whose first row is the upper one; `half_z` is `z = (z + w) / 2`, which makes
//! of OpenGL's depth -w..w the 0..w of Metal and Vulkan (OpenGL 4.6 section 13.5). Run it on the last
//! stage before rasterisation only, once, after all that computes clip distances from the position
//! and before [`lower_io_to_temporaries`](crate::lower_io_to_temporaries), since the position is read back. What
//! follows from a flip in the fragment stage is [`lower_window_origin`](crate::lower_window_origin)'s. The new operations are exact: programs that draw at equal positions still do. Keeps control flow, adds no block.
//! After: NIR's `nir_lower_clip_halfz`.
//!
//! ```foil-example (flip_y=true, half_z=true)
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   in vec4 a location=0
//!   out vec4 position location=position
//!   entry fn main {
//!     %a = deref_var &a
//!     32x4 %0 = load_deref %a
//!     %p = deref_var &position
//!     store_deref %p, %0
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   in vec4 a location=0
//!   out vec4 position location=position
//!   fn main {
//!     %0 = deref_var &a
//!     32x4 %1 = load_deref %0
//!     %2 = deref_var &position
//!     store_deref %2, %1 mask=xyzw
//!     %3 = deref_var &position
//!     32x4 %4 = load_deref %3
//!     32x1 %5 = mov! %4.y
//!     32x1 %6 = fneg! %5
//!     32x1 %7 = mov! %4.z
//!     32x1 %8 = mov! %4.w
//!     32x1 %9 = const 0.5
//!     32x1 %10 = fadd! %7, %8
//!     32x1 %11 = fmul! %10, %9
//!     32x4 %12 = vec4! %4.x, %6, %11, %4.w
//!     store_deref %3, %12 mask=yz
//!   }
//! }
//! ```

use crate::outputs::{at_output_points, expect_floats, is_named, output_at};
use crate::{Context, Pass, PassInfo, Progress, Results, pass_options};
use airfoil_ir::analysis::Keeps;
use airfoil_ir::{
    AluFlags, Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, Shader, Slot, Src, Stage, Ty,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerClipSpace {
        /// Turn y around.
        flip_y: bool = false,
        /// Make of depths from -w to w depths from 0 to w.
        half_z: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_clip_space",
    "changes positions to another convention of y and depth",
    include_str!("lower_clip_space.rs"),
)
.takes(&[Form::Variables])
.options(<LowerClipSpace as crate::PassOptions>::OPTIONS)
.keeps(Keeps::CONTROL_FLOW)
.results(Results::Outputs(&[Slot::POSITION]))
.not_idempotent();

impl Pass for LowerClipSpace {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Progress, Diagnostic> {
        if !self.flip_y && !self.half_z {
            return Ok(Progress::None);
        }
        match shader.stage {
            Stage::Vertex | Stage::TessEval | Stage::Geometry => {}
            Stage::Mesh => {
                let message = "positions of mesh shaders are not changed to another clip space yet";
                return Err(Diagnostic::error("E0325", message));
            }
            _ => return Ok(Progress::None),
        }
        let Some(var) = output_at(shader, Slot::POSITION).filter(|&v| is_named(shader, v)) else {
            return Ok(Progress::None);
        };
        expect_floats(shader, var, 4)?;
        Ok(at_output_points(shader, var, |b, deref| self.change(b, deref)).into())
    }
}

impl LowerClipSpace {
    fn change(&self, b: &mut Builder, deref: InstrId) {
        b.flags = AluFlags::EXACT;
        let old = b.load_deref(deref, Ty::new(4, 32));
        let mut lanes = [0, 1, 2, 3].map(|c| Src::comp(old, c));
        let mut mask = 0;
        if self.flip_y {
            let y = b.channel(old, 1);
            lanes[1] = b.fneg(y).into();
            mask |= 0b0010;
        }
        if self.half_z {
            let (z, w, half) = (b.channel(old, 2), b.channel(old, 3), b.imm_f32(0.5));
            let sum = b.fadd(z, w);
            lanes[2] = b.fmul(sum, half).into();
            mask |= 0b0100;
        }
        let new = b.vec_srcs(&lanes);
        // Only these components: the others may never have been written.
        let store = Intrinsic::new(IntrinsicOp::store_deref, &[deref, new]).with(Index::WriteMask, mask);
        b.insert_intrinsic(store, Ty::NONE);
    }
}
