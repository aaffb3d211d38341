//! Evaluation of instructions whose operands are known, for passes that follow the execution of code.

use airfoil_ir::{AluOp, Body, InstrId, InstrKind, Lanes, MAX_COMPONENTS};

/// The lanes of an instruction's value if `known` knows its operands, or enough of them; `None` for quad operations and all
/// that is not arithmetic.
pub(crate) fn evaluate(body: &Body, id: InstrId, known: impl Fn(InstrId) -> Option<Lanes>) -> Option<Lanes> {
    let ty = body[id].ty;
    let alu = match &body[id].kind {
        InstrKind::Const(lanes) => return Some(*lanes),
        InstrKind::Alu(alu) => alu,
        _ => return None,
    };
    let info = alu.op.info();
    let read = |i: usize| -> Option<Lanes> {
        let src = alu.src(i);
        let value = known(src.value)?;
        let mut lanes = [0; MAX_COMPONENTS];
        for (lane, out) in lanes.iter_mut().enumerate().take(info.operand_comps(i, ty.comps) as usize) {
            *out = value[src.swizzle.get(lane)];
        }
        Some(lanes)
    };
    if alu.op == AluOp::bcsel {
        let cond = read(0)?;
        let lanes = &cond[..ty.comps as usize];
        // One operand is enough if all lanes choose it.
        if lanes.iter().all(|&c| c & 1 == lanes[0] & 1) {
            return read(if lanes[0] & 1 != 0 { 1 } else { 2 });
        }
    }
    let mut values = [[0; MAX_COMPONENTS]; 4];
    let mut bits = 0;
    for (i, value) in values.iter_mut().enumerate().take(info.num_operands()) {
        *value = read(i)?;
        if info.operands[i].bits == 0 {
            bits = u32::from(body[alu.src(i).value].ty.bits);
        }
    }
    alu.op.eval(bits, ty, &values[..info.num_operands()])
}
