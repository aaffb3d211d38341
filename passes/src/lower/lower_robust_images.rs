//! Adds bounds checks to image accesses and texel fetches: out-of-range reads return zero, writes and atomic
//! operations have no effect.
//!
//! Accepts forms `slots` and `target`. Coordinates, levels and samples of image accesses and texel fetches
//! are compared with the size, and the access is moved into an `if`. Vulkan's `robustImageAccess` and robust
//! OpenGL contexts (4.6 section 6.4) require that; in Metal (Shading Language section 6.12) out-of-range
//! accesses are undefined. Buffers are handled by [`lower_robust_access`](crate::lower::lower_robust_access).
//! Linear.
//!
//! Source: the images of NIR's `nir_lower_robust_access`.
//!
//! ```foil-example
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 1 1 1
//!   image image(2d uint32 r32ui) img set=0 binding=0
//!   fn main {
//!     %0 = deref_var &img
//!     32x1 %1 = const 0
//!     32x3 %2 = load_global_invocation_id
//!     32x2 %3 = mov %2.xy
//!     32x4 %4 = const 1
//!     image_store %0, %3, %1, %4 dim=2d format=r32ui src_type=uint32
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 1 1 1
//!   image image(2d uint32 r32ui) img set=0 binding=0
//!   fn main {
//!   b0:
//!     %0 = deref_var &img
//!     32x1 %1 = const 0
//!     32x3 %2 = load_global_invocation_id
//!     32x2 %3 = mov %2.xy
//!     32x4 %4 = const 1
//!     32x1 %5 = const 0
//!     32x2 %6 = image_size %0, %5 dim=2d
//!     1x2 %7 = ult %3, %6
//!     1x1 %8 = ball2 %7
//!     if %8 {
//!     b1:
//!       image_store %0, %3, %1, %4 dim=2d format=r32ui src_type=uint32
//!     }
//!   b2:
//!   }
//! }
//! ```

use crate::util::guard::guard;
use crate::util::rewrite::rewrite_backward;
use crate::util::textures;
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    Body, Builder, Diagnostic, Dim, Form, Index, Instr, InstrId, InstrKind, Intrinsic, IntrinsicOp, Scalar,
    Shader, Tex, TexOp, TexSrc, Ty,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerRobustImages;

static INFO: PassInfo = PassInfo::new(
    "lower_robust_images",
    "adds bounds checks to image accesses and texel fetches",
    include_str!("lower_robust_images.rs"),
)
.takes(&[Form::Slots, Form::Target])
// Images of a seeded environment are unbounded.
.results(Results::All);

impl Pass for LowerRobustImages {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if !textures::any(shader) {
            return Ok(Changes::NONE);
        }
        // Backward: an `if` moves the code after it.
        Ok(rewrite_backward(shader, is_access, |b, id| {
            match b.body[id].kind.clone() {
                InstrKind::Intrinsic(i) => guard_image(b.body, id, &i),
                InstrKind::Tex(t) => guard_fetch(b.body, id, &t),
                _ => return false,
            }
            true
        }))
    }
}

/// Whether an instruction accesses texels by their coordinates.
fn is_access(_: &Body, instr: &Instr) -> bool {
    use IntrinsicOp as O;
    match &instr.kind {
        InstrKind::Intrinsic(i) => {
            matches!(i.op, O::image_load | O::image_store | O::image_atomic | O::image_atomic_swap)
        }
        InstrKind::Tex(t) => t.op.is_fetch(),
        _ => false,
    }
}

/// Whether each component of a coordinate is less than that of a size, as unsigned integers.
fn all_below(b: &mut Builder<'_>, place: InstrId, size: InstrId) -> InstrId {
    let below = b.ult(place, size);
    b.all(below)
}

fn guard_image(body: &mut Body, id: InstrId, i: &Intrinsic) {
    let (dim, arrayed, access) = (i.dim(), i.array(), i.access());
    let mut b = Builder::before(body, id);
    let sized = |op, srcs: &[InstrId]| {
        Intrinsic::new(op, srcs).with(Index::Dim, dim).with(Index::Array, arrayed).with(Index::Access, access)
    };
    let zero = b.imm_u32(0);
    let comps = if dim == Dim::Cube { 2 } else { dim.coord_comps() } + u8::from(arrayed);
    let mut size = b.insert_intrinsic(sized(IntrinsicOp::image_size, &[i.src(0), zero]), Ty::new(comps, 32));
    if dim == Dim::Cube {
        // Faces and layers form one index.
        let six = b.imm_u32(6);
        let layers = if arrayed { b.channel(size, 2) } else { b.imm_u32(1) };
        let faces = b.imul(layers, six);
        let [w, h] = [0, 1].map(|c| b.channel(size, c));
        size = b.vec(&[w, h, faces]);
    }
    let mut inside = all_below(&mut b, i.src(1), size);
    if dim.is_multisampled() {
        let samples = b.insert_intrinsic(sized(IntrinsicOp::image_samples, &[i.src(0)]), Ty::B32);
        let there = b.ult(i.src(2), samples);
        inside = b.iand(inside, there);
    }
    let _ = guard(body, &[id], inside);
}

fn guard_fetch(body: &mut Body, id: InstrId, t: &Tex) {
    let (Some(texture), Some(mut place)) = (t.src(TexSrc::Texture), t.src(TexSrc::Coord)) else { return };
    let mut b = Builder::before(body, id);
    let query = |op| {
        let mut q = Tex::new(op, t.dim, Scalar::Uint32);
        (q.arrayed, q.shadow, q.non_uniform) = (t.arrayed, t.shadow, t.non_uniform);
        q.set_src(TexSrc::Texture, texture);
        q
    };
    if let Some(offset) = t.src(TexSrc::Offset) {
        // The layer does not depend on it.
        let n = usize::from(t.dim.coord_comps());
        let lanes: Vec<InstrId> = (0..usize::from(t.coord_comps()))
            .map(|c| {
                let at = b.channel(place, c);
                if c < n {
                    let by = b.channel(offset, c);
                    b.iadd(at, by)
                } else {
                    at
                }
            })
            .collect();
        place = b.vec(&lanes);
    }
    let mut size = query(TexOp::Txs);
    let mut limits: Vec<InstrId> = Vec::new();
    if let Some(lod) = t.src(TexSrc::Lod) {
        size.set_src(TexSrc::Lod, lod);
        let levels = b.tex(query(TexOp::QueryLevels), Ty::B32);
        limits.push(b.ult(lod, levels));
    }
    if let Some(sample) = t.src(TexSrc::MsIndex) {
        let samples = b.tex(query(TexOp::Samples), Ty::B32);
        limits.push(b.ult(sample, samples));
    }
    let size = b.tex(size, Ty::new(t.coord_comps(), 32));
    let inside = all_below(&mut b, place, size);
    let inside = limits.into_iter().fold(inside, |all, one| b.iand(all, one));
    let _ = guard(body, &[id], inside);
}
