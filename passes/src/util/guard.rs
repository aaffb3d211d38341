//! Conditional execution of instructions.

use airfoil_ir::{Body, Builder, Cursor, Instr, InstrId, InstrKind, PhiSrc};
use smallvec::SmallVec;

/// Moves instructions, which follow each other in a block, into an `if`; otherwise their results are zero. Returns the
/// position after the results.
pub(crate) fn guard(body: &mut Body, ids: &[InstrId], inside: InstrId) -> Option<Cursor> {
    let mut b = Builder::before(body, *ids.first()?);
    let types: SmallVec<[_; 4]> = ids.iter().map(|&id| b.ty(id)).collect();
    let zeros: SmallVec<[_; 4]> = types.iter().map(|&ty| (ty.comps != 0).then(|| b.zero(ty))).collect();
    let cf = b.push_if(inside);
    let mut results: SmallVec<[(InstrId, InstrId, InstrId); 4]> = SmallVec::new();
    for (&id, zero) in ids.iter().zip(zeros) {
        let Some(zero) = zero else {
            let at = b.cursor;
            b.body.move_to(id, at);
            b.cursor = Cursor::After(id);
            continue;
        };
        let instr = b.body[id].clone();
        let value = b.insert(Instr::new(instr.kind, instr.ty).at(instr.loc));
        results.push((id, value, zero));
    }
    let node = body.as_if(cf)?;
    let (then, els, next) = (node.then().last, node.els().last, node.next());
    for (id, value, zero) in results {
        let at = body.after_phis(next);
        body.move_to(id, at);
        let srcs = [PhiSrc { pred: then, value }, PhiSrc { pred: els, value: zero }];
        body.set_kind(id, InstrKind::Phi(srcs.into_iter().collect()));
    }
    Some(body.after_phis(next))
}
