//! Replaces texture coordinates of points by the position in the point.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. With `GL_POINT_SPRITE` and
//! `GL_COORD_REPLACE`, the coordinates `gl_TexCoord[i]` of the units in the mask `coords` are (s, t, 0, 1) in the fragments
//! of points (OpenGL 4.6 compatibility profile, section 14.4). With `lower_left` t grows upwards
//! (`GL_POINT_SPRITE_COORD_ORIGIN`), also in `gl_PointCoord`. A driver sets the options for points only. Run it before
//! [`lower_window_origin`](crate::gl::lower_window_origin), which mirrors `gl_PointCoord` for images that are upside down.
//!
//! Source: NIR's `nir_lower_texcoord_replace`.
//!
//! ```foil-example (coords=1)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   in vec4 coord location=tex0
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = load_barycentric_pixel
//!     32x4 %2 = load_interpolated_input %1, %0 io=tex0 dest_type=float32
//!     store_output %2, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = load_barycentric_pixel
//!     32x2 %2 = load_point_coord
//!     32x1 %3 = const 0
//!     32x1 %4 = const 1.0
//!     32x4 %5 = vec4 %2.x, %2.y, %3, %4
//!     store_output %5, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::stages::interface::reach;
use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Builder, Diagnostic, Form, InstrId, Intrinsic, IntrinsicOp, Modes, Shader, Slot, Src, Stage, SystemValue,
    Ty,
};
use smallvec::SmallVec;

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerPointSprites {
        /// Mask of the texture coordinates that are replaced.
        coords: u32 = 0,
        /// The origin of points is the lower left corner.
        lower_left: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_point_sprites",
    "replaces texture coordinates of points by the position in the point",
    include_str!("lower_point_sprites.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerPointSprites as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerPointSprites {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment || (self.coords == 0 && !self.lower_left) {
            return Ok(Changes::NONE);
        }
        let input = |op| matches!(op, IntrinsicOp::load_input | IntrinsicOp::load_interpolated_input);
        let mut changes = replace_intrinsics(
            shader,
            |body, _, i| match i.op {
                IntrinsicOp::load_point_coord => self.lower_left,
                op => input(op) && reach(body, i).into_iter().any(|slot| self.replaces(slot)),
            },
            |b, id, i| match i.op {
                IntrinsicOp::load_point_coord => Replacement::Value(self.point_coord(b)),
                _ => self.coord(b, b.ty(id), &i),
            },
        );
        if !changes.is_progress() {
            return Ok(changes);
        }
        // Inputs that nothing reads any more, which the stage before need not write.
        let whole = |v: &airfoil_ir::Variable| {
            let slots = (0..shader.types.num_slots(v.ty)).map(|n| v.location.and_then(|l| l.offset(n)));
            v.mode == Modes::IN && slots.into_iter().all(|s| s.is_some_and(|s| self.replaces(s)))
        };
        let unread: Vec<_> = shader.vars.iter().filter(|(_, v)| whole(v)).map(|(id, _)| id).collect();
        for id in unread {
            shader.vars.remove(id);
            changes |= Changes::VARIABLES;
        }
        Ok(if self.lower_left { changes | Changes::AGAIN } else { changes })
    }
}

impl LowerPointSprites {
    fn replaces(&self, slot: Slot) -> bool {
        (Slot::TEX0..=Slot::TEX7).contains(&slot) && self.coords >> (slot.0 - Slot::TEX0.0) & 1 != 0
    }

    /// The position in the point.
    fn point_coord(&self, b: &mut Builder<'_>) -> InstrId {
        let coord = b.load_system_value(SystemValue::point_coord);
        if !self.lower_left {
            return coord;
        }
        let (y, one) = (b.channel(coord, 1), b.imm_f32(1.0));
        let y = b.fsub(one, y);
        b.vec_srcs(&[Src::comp(coord, 0), y.into()])
    }

    /// The value of a read of texture coordinates.
    fn coord(&self, b: &mut Builder<'_>, ty: Ty, i: &Intrinsic) -> Replacement {
        let point = self.point_coord(b);
        let (zero, one) = (b.imm_f32(0.0), b.imm_f32(1.0));
        let all = [Src::comp(point, 0), Src::comp(point, 1), zero.into(), one.into()];
        let first = i.component() as usize;
        let lanes: SmallVec<[Src; 4]> =
            (first..first + usize::from(ty.comps)).map(|c| all[c.min(3)]).collect();
        let sprite = b.vec_srcs(&lanes);
        let slots = reach(b.body, i);
        if slots.iter().all(|&slot| self.replaces(slot)) {
            return Replacement::Value(sprite);
        }
        let offset = i.src(i.srcs().len() - 1);
        let mut value = b.insert_intrinsic(*i, ty);
        for (n, _) in (0u32..).zip(&slots).filter(|(_, slot)| self.replaces(**slot)) {
            let n = b.imm_u32(n);
            let here = b.ieq(offset, n);
            value = b.bcsel(here, sprite, value);
        }
        Replacement::Value(value)
    }
}
