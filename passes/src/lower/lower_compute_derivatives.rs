//! Lowers derivatives in compute shaders to quad swaps, since Metal kernels do not have derivatives.
//!
//! Accepts forms `slots` and `target`. Preserves control flow. Four consecutive invocations are a quad
//! (`GL_NV_compute_shader_derivatives`, `SPV_KHR_compute_shader_derivatives`: linear groups), like the quads
//! of a threadgroup in Metal: the invocation index modulo 4 is the position in the quad, with 0 and 1 above 2
//! and 3.
//!
//! * `fddx`, `fddx_fine`: the difference to the horizontal neighbour, right minus left; `fddy`, `fddy_fine`:
//!   lower row minus upper; the coarse variants: the same, of invocations 0 and 1 or 2.
//! * `tex` becomes `txd` with the derivatives of its coordinates. The bias of `txb` scales the derivatives by
//!   `2^bias`: the level of detail is the logarithm of their length (OpenGL 4.6 section 8.14.1). 1D textures
//!   stay; they have one level in Metal.
//!
//! All invocations of the quad must be active, which the extensions require. Queries of the level of detail
//! stay; the backend rejects them.
//!
//! ```foil-example
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 4 1 1
//!   fn main {
//!   b0:
//!     32x1 %0 = load_local_invocation_index
//!     32x1 %1 = u2f %0
//!     32x1 %2 = fddy_coarse %1
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 4 1 1
//!   fn main {
//!   b0:
//!     32x1 %0 = load_local_invocation_index
//!     32x1 %1 = u2f %0
//!     32x1 %2 = const 0
//!     32x1 %3 = quad_broadcast %1, %2
//!     32x1 %4 = const 2
//!     32x1 %5 = quad_broadcast %1, %4
//!     32x1 %6 = fsub %5, %3
//!     32x1 %7 = mov %6
//!   }
//! }
//! ```

use crate::util::rewrite::rewrite_where;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{
    Alu, AluOp, Builder, Diagnostic, Dim, Form, InstrId, InstrKind, IntrinsicOp, Shader, Src, Stage,
    SystemValue, Tex, TexOp, TexSrc,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerComputeDerivatives;

static INFO: PassInfo = PassInfo::new(
    "lower_compute_derivatives",
    "lowers compute-shader derivatives to quad swaps",
    include_str!("lower_compute_derivatives.rs"),
)
.takes(&[Form::Slots, Form::Target]);

impl Pass for LowerComputeDerivatives {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Compute {
            return Ok(Changes::NONE);
        }
        Ok(rewrite_where(shader, is_candidate, lower))
    }
}

/// A direction across the quad.
#[derive(Clone, Copy)]
enum Axis {
    X,
    Y,
}

/// Direction of a derivative, and whether the whole quad has one.
fn derivative(op: AluOp) -> Option<(Axis, bool)> {
    Some(match op {
        AluOp::fddx | AluOp::fddx_fine => (Axis::X, false),
        AluOp::fddx_coarse => (Axis::X, true),
        AluOp::fddy | AluOp::fddy_fine => (Axis::Y, false),
        AluOp::fddy_coarse => (Axis::Y, true),
        _ => return None,
    })
}

fn is_candidate(kind: &InstrKind) -> bool {
    match kind {
        InstrKind::Alu(alu) => derivative(alu.op).is_some(),
        InstrKind::Tex(_) => true,
        _ => false,
    }
}

fn lower(b: &mut Builder<'_>, id: InstrId) -> bool {
    let new = match &b.body[id].kind {
        InstrKind::Alu(alu) => {
            let Some((axis, coarse)) = derivative(alu.op) else { return false };
            let (alu, comps) = (*alu, b.ty(id).comps);
            b.flags = alu.flags;
            let lanes: SmallVec<[u8; 4]> =
                (0..comps).map(|l| alu.src(0).swizzle.get(usize::from(l)) as u8).collect();
            let value = b.swizzle(alu.src(0).value, &lanes);
            let change = if coarse { coarse_change(b, value, axis) } else { change(b, value, axis) };
            InstrKind::Alu(Alu::new(AluOp::mov, comps, &[Src::from(change)]))
        }
        InstrKind::Tex(tex) => {
            let tex = tex.clone();
            match explicit(b, &tex) {
                Some(tex) => InstrKind::Tex(tex),
                None => return false,
            }
        }
        _ => return false,
    };
    b.body.set_kind(id, new);
    true
}

/// The difference between the own row or column of the quad and the other one.
fn change(b: &mut Builder, value: InstrId, axis: Axis) -> InstrId {
    let (op, bit) = match axis {
        Axis::X => (IntrinsicOp::quad_swap_horizontal, 1),
        Axis::Y => (IntrinsicOp::quad_swap_vertical, 2),
    };
    let ty = b.ty(value);
    let other = b.intrinsic(op, ty, &[value]);
    let number = b.load_system_value(SystemValue::local_invocation_index);
    let bit = b.imm_u32(bit);
    let place = b.iand(number, bit);
    let zero = b.imm_u32(0);
    let first = b.ieq(place, zero);
    let to = b.bcsel(first, other, value);
    let from = b.bcsel(first, value, other);
    b.fsub(to, from)
}

/// The difference to the first invocation of the quad.
fn coarse_change(b: &mut Builder, value: InstrId, axis: Axis) -> InstrId {
    let ty = b.ty(value);
    let [from, to] = [0, if matches!(axis, Axis::X) { 1 } else { 2 }].map(|n| {
        let n = b.imm_u32(n);
        b.intrinsic(IntrinsicOp::quad_broadcast, ty, &[value, n])
    });
    b.fsub(to, from)
}

/// The lookup with explicit derivatives; `None` if its level does not depend on them.
fn explicit(b: &mut Builder, tex: &Tex) -> Option<Box<Tex>> {
    if !matches!(tex.op, TexOp::Tex | TexOp::Txb) || tex.dim == Dim::D1 {
        return None;
    }
    let coord = tex.src(TexSrc::Coord)?;
    let lanes: SmallVec<[u8; 4]> = (0..tex.dim.coord_comps()).collect();
    let mut at = b.swizzle(coord, &lanes);
    if let Some(divisor) = tex.src(TexSrc::Projector) {
        at = b.fdiv(at, divisor);
    }
    let scale = tex.src(TexSrc::Bias).map(|bias| b.alu(AluOp::fexp2, &[bias]));
    let mut new = Tex { op: TexOp::Txd, ..tex.clone() };
    new.srcs.retain(|(role, _)| *role != TexSrc::Bias);
    for (role, axis) in [(TexSrc::Ddx, Axis::X), (TexSrc::Ddy, Axis::Y)] {
        let change = change(b, at, axis);
        new.set_src(role, scale.map_or(change, |scale| b.fmul(change, scale)));
    }
    Some(Box::new(new))
}
