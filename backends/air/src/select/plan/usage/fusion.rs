//! Operations that their only use can take over: the product of a sum, the two shifts of a funnel shift, the comparisons that
//! choose a component of a vector.

use super::Usage;
use airfoil_ir::{Alu, AluOp, Body, InstrId, Src, Ty};
use smallvec::SmallVec;

/// The operation of an operand that the instruction of a value can take over: its only use, of the same shape and in the same block.
pub(crate) fn operand(body: &Body, user: InstrId, src: Src) -> Option<&Alu> {
    let (instr, ty) = (&body[src.value], body[user].ty);
    let alone = instr.uses() == 1 && instr.ty == ty && src.swizzle.is_identity(usize::from(ty.comps));
    let alu = instr.as_alu().filter(|_| alone)?;
    (body.block_of(src.value) == body.block_of(user)).then_some(alu)
}

/// The position of the operand of a sum that is a product; neither must be exact.
pub(crate) fn product(body: &Body, id: InstrId, sum: &Alu) -> Option<usize> {
    if sum.op != AluOp::fadd || sum.is_exact() {
        return None;
    }
    (0..2).find(|&i| operand(body, id, sum.src(i)).is_some_and(|a| a.op == AluOp::fmul && !a.is_exact()))
}

/// A funnel shift: the positions of the left and of the right shift in `ior`.
pub(crate) fn funnel(body: &Body, id: InstrId, or: &Alu) -> Option<[usize; 2]> {
    if or.op != AluOp::ior || !matches!(body[id].ty.bits, 16 | 32) {
        return None;
    }
    let shift = |i: usize| operand(body, id, or.src(i));
    let left = (0..2).find(|&i| shift(i).is_some_and(|a| a.op == AluOp::ishl))?;
    let right = 1 - left;
    let (l, r) = (shift(left)?, shift(right).filter(|a| a.op == AluOp::ushr)?);
    let lanes = usize::from(body[id].ty.comps);
    let constant = |src: Src, lane: usize| Some(body[src.value].as_const()?[src.swizzle.get(lane)]);
    let width = u64::from(body[id].ty.bits);
    let complements = (0..lanes).all(|lane| {
        let amounts = constant(l.src(1), lane).zip(constant(r.src(1), lane));
        amounts.is_some_and(|(a, b)| a != 0 && b != 0 && a < width && b < width && a + b == width)
    });
    (complements && or.src(0).value != or.src(1).value).then_some([left, right])
}

/// A component of a vector at a dynamic index; the last one if the index is out of range.
pub(crate) struct Component {
    pub(crate) vector: InstrId,
    pub(crate) index: Src,
    /// The selections and comparisons below the outermost selection, and its comparison.
    inner: SmallVec<[InstrId; 8]>,
}

/// The component that a chain of selections chooses: `i == 0 ? v.x : i == 1 ? v.y : v.z`.
pub(crate) fn component(body: &Body, id: InstrId, select: &Alu) -> Option<Component> {
    // The index that a condition compares with a constant.
    let compared = |cond: Src| {
        let alu = body[cond.value].as_alu().filter(|a| a.op == AluOp::ieq)?;
        let (index, number) = (alu.src(0), alu.src(1));
        let scalars = body[cond.value].ty == Ty::BOOL && body[index.value].ty.bits == 32;
        let number = body[number.value].as_const().filter(|_| scalars)?[number.swizzle.get(0)];
        Some((index.value, index.swizzle.get(0), number))
    };
    if select.op != AluOp::bcsel || body[id].ty.comps != 1 {
        return None;
    }
    let (index, lane, first) = compared(select.src(0)).filter(|c| c.2 == 0)?;
    let vector = select.src(1).value;
    let n = usize::from(body[vector].ty.comps);
    let is_lane = |src: Src, at: usize| src.value == vector && src.swizzle.get(0) == at;
    if n < 2 || !is_lane(select.src(1), first as usize) {
        return None;
    }
    let index_src = body[select.src(0).value].as_alu()?.src(0);
    let mut inner: SmallVec<[InstrId; 8]> = smallvec::smallvec![select.src(0).value];
    let mut rest = select.src(2);
    for at in 1..n {
        if at == n - 1 {
            return is_lane(rest, at).then_some(Component { vector, index: index_src, inner });
        }
        let next =
            body[rest.value].as_alu().filter(|a| a.op == AluOp::bcsel && body[rest.value].uses() == 1)?;
        let same = body[rest.value].ty.comps == 1 && compared(next.src(0)) == Some((index, lane, at as u64));
        if !same || !is_lane(next.src(1), at) {
            return None;
        }
        inner.extend([rest.value, next.src(0).value]);
        rest = next.src(2);
    }
    None
}

impl Usage {
    /// Records the operands that an instruction can absorb.
    pub(super) fn fuse(&mut self, body: &Body, id: InstrId, alu: &Alu) {
        if let Some(i) = product(body, id, alu) {
            self.cells[alu.src(i).value.index()].fused = true;
        }
        if alu.op == AluOp::bcsel {
            self.fuse_component(body, id, alu);
        }
        for i in funnel(body, id, alu).into_iter().flatten() {
            self.cells[alu.src(i).value.index()].fused = true;
        }
    }

    /// Records the selections and comparisons that a chain of selections absorbs.
    fn fuse_component(&mut self, body: &Body, id: InstrId, alu: &Alu) {
        let Some(component) = component(body, id, alu) else { return };
        for value in component.inner.into_iter().filter(|&v| body[v].uses() == 1) {
            self.cells[value.index()].fused = true;
        }
    }

    /// Whether the only use of a value can take it over.
    pub(crate) fn is_fused(&self, value: InstrId) -> bool {
        self.cells[value.index()].fused
    }
}
