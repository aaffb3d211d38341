//! Operations on phis for passes that change control flow.

use airfoil_ir::{Alu, AluOp, BlockId, Body, Cursor, InstrId, InstrKind};

/// The bits of a condition that is constant.
pub(crate) fn constant_condition(body: &Body, cond: InstrId) -> Option<bool> {
    Some(body[cond].as_const()?[0] & 1 != 0)
}

/// A plain copy of a value; `None` for derefs, which cannot be copied.
pub(crate) fn copy_of(body: &Body, value: InstrId) -> Option<InstrKind> {
    if body[value].as_deref().is_some() {
        return None;
    }
    Some(InstrKind::Alu(Alu::new(AluOp::mov, body[value].ty.comps, &[value.into()])))
}

/// Replaces phis of a block by other instructions, where `f` returns one. Remaining phis come first.
pub(crate) fn rewrite_phis(
    body: &mut Body,
    block: BlockId,
    mut f: impl FnMut(&Body, InstrId) -> Option<InstrKind>,
) -> bool {
    let mut rewritten: Vec<InstrId> = Vec::new();
    let mut next = body.first_instr(block);
    while let Some(id) = next.filter(|&id| body[id].as_phi().is_some()) {
        next = body.next(id);
        if let Some(kind) = f(body, id) {
            body.set_kind(id, kind);
            rewritten.push(id);
        }
    }
    let at = next.map_or(Cursor::BlockEnd(block), Cursor::Before);
    for &id in &rewritten {
        body.move_to(id, at);
    }
    !rewritten.is_empty()
}

/// Turns the phis of a block with one predecessor into copies, so that edits need not walk the body for them.
pub(crate) fn copy_single_phis(body: &mut Body, block: BlockId) -> bool {
    rewrite_phis(body, block, |body, phi| match body[phi].as_phi()? {
        [only] if only.value != phi => copy_of(body, only.value),
        _ => None,
    })
}

/// Replaces an `if` with a constant condition by the side that runs. Linear in the code that is removed or
/// moved.
pub(crate) fn flatten_constant_if(body: &mut Body, cf: airfoil_ir::CfId, taken: bool) {
    let Some(n) = body.as_if(cf) else { return };
    let (keep, next) = (if taken { n.then() } else { n.els() }, n.next());
    rewrite_phis(body, next, |body, phi| {
        let src = body[phi].as_phi()?.iter().find(|s| s.pred == keep.last)?;
        copy_of(body, src.value)
    });
    body.flatten_if(cf, taken);
}
