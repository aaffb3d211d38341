//! Values that are used outside the region of their definition.
//!
//! A jump that crosses loops becomes flags, which adds paths on which a value may not have been computed;
//! and a malformed module may use values that do not dominate the use. Uses outside the region of a
//! value's definition go through a variable, which is right in every case; `vars_to_ssa` turns it into values
//! again. Constants and derefs are copied instead.

use crate::state::Reader;
use airfoil_ir::*;
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use smallvec::{SmallVec, smallvec};

/// The regions of the blocks, numbered in the order of the text.
struct Regions {
    of: SecondaryMap<BlockId, u32>,
    /// The last region inside each one, or itself.
    last: SmallVec<[u32; 32]>,
}

impl Regions {
    fn new(body: &Body) -> Regions {
        let mut of = SecondaryMap::with_capacity(body.num_blocks());
        let (mut last, mut open): (SmallVec<[u32; 32]>, SmallVec<[u32; 16]>) = (smallvec![0], smallvec![0]);
        for step in body.walk_cf() {
            if matches!(step, Walk::Else(_) | Walk::EndIf(_) | Walk::EndLoop(_))
                && let Some(done) = open.pop()
            {
                last[done as usize] = last.len() as u32 - 1;
            }
            match step {
                Walk::Block(b) => _ = of.insert(b, open.last().copied().unwrap_or(0)),
                Walk::If(_) | Walk::Else(_) | Walk::Loop(_) => {
                    open.push(last.len() as u32);
                    last.push(0);
                }
                Walk::EndIf(_) | Walk::EndLoop(_) => {}
            }
        }
        last[0] = last.len() as u32 - 1;
        Regions { of, last }
    }

    /// Whether a value defined in a block can be seen from another, whatever the jumps: the region of the first is that of
    /// the second or around it.
    fn is_visible(&self, from: BlockId, at: BlockId) -> bool {
        let (from, at) = (self.of[from], self.of[at]);
        from <= at && at <= self.last[from as usize]
    }
}

/// The variable of a value, written after its definition.
fn variable_of(
    body: &mut Body,
    r: &mut Reader<'_>,
    func: FuncId,
    vars: &mut FxHashMap<InstrId, VarId>,
    value: InstrId,
) -> VarId {
    if let Some(&var) = vars.get(&value) {
        return var;
    }
    let shape = body[value].ty;
    let scalar = if shape.bits == 1 { Scalar::Bool } else { Scalar::int(shape.bits, false) };
    let ty = r.shader.types.vector(scalar, shape.comps);
    let var = r.shader.add_local(func, "", ty);
    let at = match body[value].kind {
        InstrKind::Phi(_) => body.after_phis(body.block_of(value)),
        _ => Cursor::After(value),
    };
    let mut b = Builder::at(body, at);
    let deref = b.deref_var(&r.shader.vars, var);
    b.store_deref(deref, value);
    vars.insert(value, var);
    var
}

/// A value that dominates `user`, created before it.
fn bring(
    body: &mut Body,
    regions: &Regions,
    r: &mut Reader<'_>,
    func: FuncId,
    vars: &mut FxHashMap<InstrId, VarId>,
    value: InstrId,
    at: Cursor,
) -> InstrId {
    let block = body.block_at(at);
    // A way through derefs, from the end to the first step that can be seen.
    let mut chain = Vec::new();
    let mut start = value;
    while !regions.is_visible(body.block_of(start), block) {
        match body[start].as_deref() {
            Some(d) => {
                chain.push(start);
                match d.parent() {
                    Some(parent) => start = parent,
                    None => break,
                }
            }
            None => break,
        }
    }
    let mut made = start;
    if chain.last() != Some(&start) && !regions.is_visible(body.block_of(start), block) {
        made = match body[start].kind {
            InstrKind::Const(_) | InstrKind::Undef => {
                let copy = body[start].clone();
                body.insert(at, copy)
            }
            _ => {
                let var = variable_of(body, r, func, vars, start);
                let shape = body[start].ty;
                let mut b = Builder::at(body, at);
                let deref = b.deref_var(&r.shader.vars, var);
                b.load_deref(deref, shape)
            }
        };
    }
    for &link in chain.iter().rev() {
        let mut copy = body[link].clone();
        if let InstrKind::Deref(d) = &mut copy.kind {
            match &mut d.kind {
                DerefKind::Var(_) => {}
                DerefKind::Array { parent, index } | DerefKind::PtrAsArray { parent, index } => {
                    *parent = made;
                    *index = bring_index(body, regions, r, func, vars, *index, at);
                }
                DerefKind::ArrayWildcard { parent }
                | DerefKind::Struct { parent, .. }
                | DerefKind::Cast { parent, .. } => *parent = made,
            }
        }
        made = body.insert(at, copy);
    }
    made
}

/// As [`bring`] for an index, which is never a deref, so there is no further recursion.
fn bring_index(
    body: &mut Body,
    regions: &Regions,
    r: &mut Reader<'_>,
    func: FuncId,
    vars: &mut FxHashMap<InstrId, VarId>,
    index: InstrId,
    at: Cursor,
) -> InstrId {
    if regions.is_visible(body.block_of(index), body.block_at(at)) || body[index].as_deref().is_some() {
        return index;
    }
    bring(body, regions, r, func, vars, index, at)
}

/// Makes a definition dominate every use in `body`.
pub(crate) fn repair(body: &mut Body, r: &mut Reader<'_>, func: FuncId) {
    if body.num_cfs() == 0 {
        return;
    }
    // Nothing below adds blocks.
    let regions = Regions::new(body);
    let mut users: Vec<InstrId> = Vec::new();
    let mut phis: Vec<InstrId> = Vec::new();
    let mut conditions: Vec<BlockId> = Vec::new();
    for block in body.blocks() {
        for id in body.instrs(block) {
            if let Some(srcs) = body[id].as_phi() {
                if srcs.iter().any(|s| !regions.is_visible(body.block_of(s.value), s.pred)) {
                    phis.push(id);
                }
                continue;
            }
            let mut hidden = false;
            body[id].visit_operands(|v| {
                let from = body.block_of(v);
                hidden |= from != block && !regions.is_visible(from, block);
            });
            if hidden {
                users.push(id);
            }
        }
        let cond = body.next_cf(block).and_then(|cf| body.as_if(cf)).map(If::cond);
        if cond.is_some_and(|c| !regions.is_visible(body.block_of(c), block)) {
            conditions.push(block);
        }
    }
    let mut vars = FxHashMap::default();
    for id in users {
        let block = body.block_of(id);
        let mut hidden = SmallVec::<[InstrId; 4]>::new();
        body[id].visit_operands(|v| hidden.push(v));
        for old in hidden {
            if !regions.is_visible(body.block_of(old), block) {
                let new = bring(body, &regions, r, func, &mut vars, old, Cursor::Before(id));
                body.map_operands(id, |v| if v == old { new } else { v });
            }
        }
    }
    // The sources of a phi are used at the ends of its predecessors.
    for id in phis {
        let mut srcs: SmallVec<[PhiSrc; 2]> = body[id].as_phi().unwrap_or_default().iter().copied().collect();
        for src in &mut srcs {
            if !regions.is_visible(body.block_of(src.value), src.pred) {
                let at = body.before_jump(src.pred);
                src.value = bring(body, &regions, r, func, &mut vars, src.value, at);
            }
        }
        body.set_kind(id, InstrKind::Phi(srcs));
    }
    for block in conditions {
        let Some(cf) = body.next_cf(block) else { continue };
        let Some(cond) = body.as_if(cf).map(If::cond) else { continue };
        let new = bring(body, &regions, r, func, &mut vars, cond, Cursor::BlockEnd(block));
        body.map_condition(cf, |_| new);
    }
}
