//! Simplifies operations on undefined values.
//!
//! Accepts any form. Preserves control flow. A select with an undefined side becomes the other side; with an
//! undefined condition it becomes its second value. Undefined lanes of a vector may take any value, so the
//! vector becomes a move of another vector if the remaining lanes allow it. Moves and vectors of undefined
//! lanes only are undefined. Undefined lanes are not stored to memory. Arithmetic on undefined values stays:
//! its result must be the same value for all users, and properties visible to them (whether it is a NaN)
//! would depend on the choice. Stores to outputs stay, because whether an output is written is part of the
//! stage's interface.
//!
//! Source: NIR's `nir_opt_undef`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x3 %1 = load_input %0 io=0 dest_type=float32
//! 32x1 %2 = undef
//! %3 = vec4 %1.x, %1.y, %1.z, %2
//! store_output %3, %0 io=0 mask=xyzw
//! =>
//! 32x1 %0 = const 0
//! 32x3 %1 = load_input %0 io=0 dest_type=float32
//! 32x1 %2 = undef
//! %3 = mov %1.xyzz
//! store_output %3, %0 io=0 mask=xyzw
//! ```

use crate::util::rewrite::{Edit, edit_each};
use crate::{Changes, Constructs, Context, Pass, PassInfo, each_body};
use airfoil_ir::{
    Access, Alu, AluOp, Body, Diagnostic, Index, Instr, InstrGroup, InstrId, InstrKind, Intrinsic,
    IntrinsicOp, Modes, Shader, Src, Swizzle, Ty,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct OptUndef;

static INFO: PassInfo =
    PassInfo::new("opt_undef", "simplifies operations on undefined values", include_str!("opt_undef.rs"))
        .reads(Changes::VALUES.union(Changes::MEMORY))
        .needs(Constructs::UNDEF);

impl Pass for OptUndef {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            let changed = body.has(InstrGroup::Undef) && edit_each(body, simplify);
            (Changes::VALUES | Changes::MEMORY).when(changed)
        }))
    }
}

pub(super) fn simplify(body: &Body, instr: &Instr) -> Edit {
    let new = match &instr.kind {
        InstrKind::Alu(alu) => match alu.op {
            AluOp::bcsel => select(body, alu, instr.ty),
            AluOp::mov if is_undef(body, alu.src(0).value) => Some(InstrKind::Undef),
            AluOp::vec2 | AluOp::vec3 | AluOp::vec4 => vector(body, alu, instr.ty),
            _ => None,
        },
        InstrKind::Intrinsic(i) => match store_mask(body, i) {
            Some(0) => return Edit::Remove,
            Some(mask) => Some(InstrKind::Intrinsic(i.with(Index::WriteMask, mask))),
            None => None,
        },
        _ => None,
    };
    new.map_or(Edit::Keep, Edit::To)
}

fn is_undef(body: &Body, value: InstrId) -> bool {
    matches!(body[value].kind, InstrKind::Undef)
}

fn select(body: &Body, alu: &Alu, ty: Ty) -> Option<InstrKind> {
    let keep = match [0, 1, 2].map(|i| is_undef(body, alu.src(i).value)) {
        [_, true, _] => 2,
        [_, _, true] => 1,
        [true, _, _] => 2,
        _ => return None,
    };
    let kept = alu.src(keep);
    if is_undef(body, kept.value) {
        return Some(InstrKind::Undef);
    }
    Some(InstrKind::Alu(Alu::new(AluOp::mov, ty.comps, &[kept])))
}

fn vector(body: &Body, alu: &Alu, ty: Ty) -> Option<InstrKind> {
    let lanes = ty.comps as usize;
    let mut defined = alu.srcs().filter(|s| !is_undef(body, s.value));
    let Some(first) = defined.next() else { return Some(InstrKind::Undef) };
    if defined.any(|s| s.value != first.value) || alu.srcs().all(|s| s.value == first.value) {
        return None;
    }
    let highest = body[first.value].ty.comps as usize - 1;
    let lane = |i: usize| {
        let src = alu.src(i);
        // An undefined lane reads its own component: the swizzle may become the identity.
        if src.value == first.value { src.swizzle.get(0) } else { i.min(highest) }
    };
    let swizzle = (0..lanes).fold(Swizzle::IDENTITY, |s, i| s.with(i, lane(i)));
    let src = Src { value: first.value, swizzle };
    Some(InstrKind::Alu(Alu::new(AluOp::mov, ty.comps, &[src])))
}

/// The mask of a store without its undefined lanes, if it differs.
fn store_mask(body: &Body, store: &Intrinsic) -> Option<u32> {
    use IntrinsicOp as Op;
    let value = match store.op {
        Op::store_deref => {
            let modes = body[store.src(0)].as_deref()?.modes;
            if modes.intersects(Modes::OUT) {
                return None;
            }
            store.src(1)
        }
        Op::store_ssbo | Op::store_shared | Op::store_global => store.src(0),
        _ => return None,
    };
    if store.access().contains(Access::VOLATILE) {
        return None;
    }
    let mask = store.write_mask();
    let defined = match &body[value].kind {
        InstrKind::Undef => 0,
        InstrKind::Alu(alu) if matches!(alu.op, AluOp::vec2 | AluOp::vec3 | AluOp::vec4) => {
            alu.srcs().enumerate().fold(0, |m, (i, s)| m | (u32::from(!is_undef(body, s.value)) << i))
        }
        _ => return None,
    };
    (mask & defined != mask).then_some(mask & defined)
}
