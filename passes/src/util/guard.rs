//! Conditional execution of an instruction.

use airfoil_ir::{Body, Builder, Cursor, Instr, InstrId, InstrKind, PhiSrc};

/// Moves an instruction into an `if`; otherwise its result is zero.
pub(crate) fn guard(body: &mut Body, id: InstrId, inside: InstrId) {
    let instr = body[id].clone();
    let mut b = Builder::before(body, id);
    let zero = (instr.ty.comps != 0).then(|| b.zero(instr.ty));
    let cf = b.push_if(inside);
    let at = b.cursor;
    let Some(zero) = zero else { return body.move_to(id, at) };
    let value = b.insert(Instr::new(instr.kind, instr.ty).at(instr.loc));
    let Some(node) = body.as_if(cf) else { return };
    let (then, els, next) = (node.then().last, node.els().last, node.next());
    body.move_to(id, Cursor::BlockStart(next));
    let srcs = [PhiSrc { pred: then, value }, PhiSrc { pred: els, value: zero }];
    body.set_kind(id, InstrKind::Phi(srcs.into_iter().collect()));
}
