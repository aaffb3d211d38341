//! Lowers float images accessed by atomic operations to integer images.
//!
//! Accepts forms `slots` and `target`. Preserves control flow. Metal has atomic operations on textures of
//! 32-bit integers only; GLSL has them on images of format `r32f` as well (`imageAtomicExchange`, GLSL 4.60
//! section 8.12; add, min and max by extensions). Such an image, with all elements of its array, gets the
//! format `r32ui`, which holds the same bits. Loads return (0, 0, 1) in the other components, as format
//! `r32f` does. The reflection reports `uint`: the application binds a texture view of that format. Sums,
//! minima and maxima are left for [`lower_atomics`](crate::lower::lower_atomics), which lowers them to loops.
//! Images whose texels have a width other than 32 bits in the shader stay.
//!
//! ```foil-example
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 4 1 1
//!   image image(2d float32 r32f) t set=0 binding=0
//!   image image(2d float32 r32f) other set=0 binding=1
//!   fn main {
//!     %t = deref_var &t
//!     %o = deref_var &other
//!     32x2 %at = const 1, 2
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.5
//!     32x1 %2 = image_atomic %t, %at, %0, %1 op=xchg dim=2d format=r32f
//!     32x4 %3 = image_load %t, %at, %0 dim=2d format=r32f dest_type=float32
//!     image_store %o, %at, %0, %3 dim=2d format=r32f src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 4 1 1
//!   image image(2d uint32 r32ui) t set=0 binding=0
//!   image image(2d float32 r32f) other set=0 binding=1
//!   fn main {
//!   b0:
//!     %0 = deref_var &t
//!     %1 = deref_var &other
//!     32x2 %2 = const 1, 2
//!     32x1 %3 = const 0
//!     32x1 %4 = const 1.5
//!     32x1 %5 = image_atomic %0, %2, %3, %4 op=xchg dim=2d format=r32ui
//!     32x4 %6 = image_load %0, %2, %3 dim=2d format=r32ui dest_type=uint32
//!     32x1 %7 = const 0
//!     32x1 %8 = const 1.0
//!     32x4 %9 = vec4 %6.x, %7, %7, %8
//!     image_store %1, %2, %3, %9 dim=2d format=r32f src_type=float32
//!   }
//! }
//! ```

use crate::util::deref_path::root_var;
use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::util::textures::{self, retype_vars};
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    Body, Diagnostic, Form, ImageFormat, ImageType, Index, InstrKind, Intrinsic, IntrinsicOp, Scalar, Shader,
    Src, Ty, VarId,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerImageAtomics;

static INFO: PassInfo = PassInfo::new(
    "lower_image_atomics",
    "lowers float images with atomic operations to integer images",
    include_str!("lower_image_atomics.rs"),
)
.takes(&[Form::Slots, Form::Target])
// A seeded environment derives the contents of images from their format.
.results(Results::All);

impl Pass for LowerImageAtomics {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let is_float = |image: &ImageType| {
            image.storage && image.sampled == Scalar::Float32 && image.format == ImageFormat::R32f
        };
        if !textures::any_of(shader, is_float) {
            return Ok(Changes::NONE);
        }
        let found = accesses(shader);
        let mut wanted: Vec<VarId> = found.iter().filter(|a| a.atomic).map(|a| a.var).collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|&var| !found.iter().any(|a| a.var == var && a.narrow));
        let words =
            |image: &ImageType| ImageType { sampled: Scalar::Uint32, format: ImageFormat::R32ui, ..*image };
        let is_wanted = |var: VarId| wanted.binary_search(&var).is_ok();
        if !retype_vars(shader, is_wanted, |image| is_float(image).then(|| words(image))) {
            return Ok(Changes::NONE);
        }
        let matches = |body: &Body, _: Ty, i: &Intrinsic| image_of(body, i).is_some_and(is_wanted);
        let _ = replace_intrinsics(shader, matches, |b, id, mut i| {
            i.set(Index::Format, ImageFormat::R32ui);
            for index in [Index::SrcType, Index::DestType] {
                if i.op.info().indices.contains(&index) {
                    i.set(index, Scalar::Uint32);
                }
            }
            if i.op != IntrinsicOp::image_load {
                b.body.set_kind(id, InstrKind::Intrinsic(i));
                return Replacement::Keep;
            }
            let ty = b.ty(id);
            let texel = b.insert_intrinsic(i, ty);
            let (zero, one) = (b.imm_f32(0.0), b.imm_f32(1.0));
            let lanes = [Src::comp(texel, 0), zero.into(), zero.into(), one.into()];
            Replacement::Value(b.vec_srcs(&lanes[..usize::from(ty.comps)]))
        });
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

/// A use of an image by slot.
struct Access {
    var: VarId,
    atomic: bool,
    /// The texel is not a vector of 32-bit components.
    narrow: bool,
}

/// The image of an access.
fn image_of(body: &Body, i: &Intrinsic) -> Option<VarId> {
    i.op.info().indices.contains(&Index::Format).then(|| root_var(body, i.src(0))).flatten()
}

fn accesses(shader: &Shader) -> Vec<Access> {
    let mut list = Vec::new();
    for body in shader.functions.values().map(|f| &f.body) {
        for (_, instr) in body.entries() {
            let Some(i) = instr.as_intrinsic() else { continue };
            let Some(var) = image_of(body, i) else { continue };
            let bits = match i.op {
                IntrinsicOp::image_store => body[i.src(3)].ty.bits,
                _ => instr.ty.bits,
            };
            let atomic = matches!(i.op, IntrinsicOp::image_atomic | IntrinsicOp::image_atomic_swap);
            let float = matches!(shader.types[shader.types.without_arrays(shader.vars[var].ty)],
                airfoil_ir::Type::Image(image) if image.sampled == Scalar::Float32);
            list.push(Access { var, atomic: atomic && float, narrow: bits != 32 });
        }
    }
    list
}
