//! Operations that their only use can take over: the product of a sum, the two shifts of a funnel shift.

use super::Usage;
use airfoil_ir::{Alu, AluOp, Body, InstrId, Src};

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

impl Usage {
    /// Notes the operands that an instruction can take over.
    pub(super) fn fuse(&mut self, body: &Body, id: InstrId, alu: &Alu) {
        if let Some(i) = product(body, id, alu) {
            self.cells[alu.src(i).value.index()].fused = true;
        }
        for i in funnel(body, id, alu).into_iter().flatten() {
            self.cells[alu.src(i).value.index()].fused = true;
        }
    }

    /// Whether the only use of a value can take it over.
    pub(crate) fn is_fused(&self, value: InstrId) -> bool {
        self.cells[value.index()].fused
    }
}
