//! Mesh functions: outputs of the vertices and primitives that exist.
//!
//! A vertex exists where its position is stored, a primitive where its indices are. Every other output must then be stored, too. Zeros
//! that are missing are stored by the invocation that stores the position, and only where they precede each store of the output to the
//! same vertex. Outputs whose other stores may be to this vertex from another invocation or an unknown location go through
//! [workgroup memory](super::mesh_shared).

use super::super::interface::{Piece, is_varying, leaves, leaves_of, reach};
use super::{clip_distances, store, written_components, written_in, zero};
use crate::util::outputs::slot_store;
use airfoil_ir::intrinsic::IntrinsicFlags;
use airfoil_ir::{
    Body, Builder, CfId, Cursor, InstrId, InstrKind, Intrinsic, IntrinsicOp, IoSemantics, Modes, Owner,
    Scalar, Shader, Slot,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Zeros to be stored to a vertex or primitive.
#[derive(Debug)]
pub struct Zeros {
    at: Cursor,
    /// The store of its position or indices.
    anchor: InstrId,
    pieces: Vec<Piece>,
}

/// Outputs of a mesh function that some path leaves unwritten.
#[derive(Debug, Default)]
pub struct Missing {
    /// Zeros whose location is known.
    pub zeros: Vec<Zeros>,
    /// Slots of the other outputs.
    pub others: BTreeSet<Slot>,
}

/// The outputs that some path of a mesh function leaves unwritten.
pub fn missing(shader: &Shader, body: &Body) -> Missing {
    let stores = Stores::of(body);
    let (primitive, vertex) = outputs(shader, &stores);
    let mut missing = Missing::default();
    for &(id, _) in &stores.list {
        let Some(anchor) = slot_store(body, id) else { continue };
        let pieces = match anchor.io().location {
            Slot::POSITION => &vertex,
            Slot::PRIMITIVE_INDICES => &primitive,
            _ => continue,
        };
        stores.missing_at(id, anchor.src(1), pieces, &mut missing);
    }
    let Missing { zeros, others } = &mut missing;
    zeros.iter_mut().for_each(|z| z.pieces.retain(|p| !others.contains(&p.slot)));
    zeros.retain(|z| !z.pieces.is_empty());
    missing
}

/// Stores the zeros.
pub fn write(body: &mut Body, zeros: &[Zeros]) {
    for Zeros { at, anchor, pieces } in zeros {
        let Some(like) = slot_store(body, *anchor).copied() else { continue };
        let mut b = Builder::at(body, *at);
        let index = if *at == Cursor::Before(*anchor) { like.src(1) } else { copy(&mut b, like.src(1)) };
        let offset = b.imm_u32(0);
        for piece in pieces {
            let zero = zero(&mut b, piece);
            let io = IoSemantics { per_primitive: like.io().per_primitive, ..IoSemantics::new(piece.slot) };
            let new = store(IntrinsicOp::store_per_vertex_output, &[zero, index, offset], io, piece);
            let _ = b.insert_intrinsic(new, airfoil_ir::Ty::NONE);
        }
    }
}

/// The outputs of primitives and of vertices that must be written: varyings, and others that some store writes.
fn outputs(shader: &Shader, stores: &Stores<'_>) -> (Vec<Piece>, Vec<Piece>) {
    let written: BTreeSet<(Slot, u8)> = stores.list.iter().flat_map(|(_, to)| to.iter().copied()).collect();
    let has = |p: &Piece| (p.component..p.component + p.comps).any(|c| written.contains(&(p.slot, c)));
    let anchors = [Slot::POSITION, Slot::PRIMITIVE_INDICES];
    let complete: BTreeSet<Slot> = shader
        .vars
        .values()
        .filter(|v| v.mode == Modes::OUT && v.complete)
        .flat_map(|v| leaves_of(shader, v))
        .map(|l| l.slot)
        .collect();
    let declared = leaves(shader, Modes::OUT)
        .into_iter()
        .filter(|l| !l.compact && !complete.contains(&l.slot) && !anchors.contains(&l.slot))
        .filter(|l| is_varying(l.slot) || has(&l.piece()));
    let (primitive, vertex): (Vec<_>, Vec<_>) = declared.partition(|l| l.per_primitive);
    let mut vertex: Vec<Piece> = vertex.iter().map(|l| l.piece()).collect();
    // All clip distances are one output, whose elements are written one by one.
    let clip = !complete.contains(&Slot::CLIP_DIST0);
    if clip && written.iter().any(|(slot, _)| matches!(*slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1)) {
        vertex.extend(clip_distances(shader).map(|(slot, component)| Piece {
            slot,
            component,
            comps: 1,
            scalar: Scalar::Float32,
        }));
    }
    (primitive.iter().map(|l| l.piece()).collect(), vertex)
}

/// The stores to outputs of a function, in order, with the components that they may write.
struct Stores<'a> {
    body: &'a Body,
    list: Vec<(InstrId, Vec<(Slot, u8)>)>,
    order: FxHashMap<InstrId, usize>,
}

impl<'a> Stores<'a> {
    fn of(body: &'a Body) -> Stores<'a> {
        let mut list = Vec::new();
        let mut order = FxHashMap::default();
        for (n, id) in body.all_instrs().enumerate() {
            let _ = order.insert(id, n);
            let Some(i) = slot_store(body, id) else { continue };
            let to =
                reach(body, i).into_iter().flat_map(|slot| written_components(i).map(move |c| (slot, c)));
            list.push((id, to.collect()));
        }
        Stores { body, list, order }
    }

    /// Adds the zeros that a vertex or primitive lacks; `anchor` stores its position or indices.
    fn missing_at(&self, anchor: InstrId, index: InstrId, pieces: &[Piece], missing: &mut Missing) {
        if pieces.is_empty() {
            return;
        }
        let written = self.written_with(anchor, index);
        let mut found: Vec<(Cursor, Vec<Piece>)> = Vec::new();
        for piece in pieces {
            let mut own = piece.component..piece.component + piece.comps;
            // Parts of a value are completed where they are selected.
            if own.any(|c| written.contains(&(piece.slot, c))) {
                continue;
            }
            let Some(at) = self.cursor(anchor, index, piece) else {
                let _ = missing.others.insert(piece.slot);
                continue;
            };
            match found.iter_mut().find(|(cursor, _)| *cursor == at) {
                Some((_, list)) => list.push(*piece),
                None => found.push((at, vec![*piece])),
            }
        }
        missing.zeros.extend(found.into_iter().map(|(at, pieces)| Zeros { at, anchor, pieces }));
    }

    /// The components that every path through an anchor stores to its vertex or primitive.
    fn written_with(&self, anchor: InstrId, index: InstrId) -> BTreeSet<(Slot, u8)> {
        let writes = |id: InstrId| -> BTreeSet<(Slot, u8)> {
            let own = slot_store(self.body, id).filter(|i| self.same(i.src(1), index, 0));
            let to = own.map(|i| (i, reach(self.body, i)));
            match to {
                Some((i, slots)) if slots.len() == 1 => {
                    written_components(i).map(|c| (slots[0], c)).collect()
                }
                _ => BTreeSet::new(),
            }
        };
        let mut written = BTreeSet::new();
        let mut owner = Some(self.body.owner(self.body.block_of(anchor)));
        while let Some(region) = owner.and_then(|o| self.body.region(o)) {
            written.extend(written_in(self.body, region, true, &writes, 0).unwrap_or_default());
            owner = owner.and_then(cf_of).map(|cf| self.body.cf_owner(cf));
        }
        written
    }

    /// A location before all stores of a piece to the vertex or primitive of an anchor, through which the paths to the anchor pass.
    fn cursor(&self, anchor: InstrId, index: InstrId, piece: &Piece) -> Option<Cursor> {
        let body = self.body;
        let own = |at: &(Slot, u8)| piece.contains(at.0, at.1);
        let mut stores = self.list.iter().filter(|(_, to)| to.iter().any(own)).map(|s| s.0).peekable();
        let around = self.owners(anchor);
        if stores.peek().is_some() && !self.changes_in_loops(index, &around) {
            return None;
        }
        let mut at = Cursor::Before(anchor);
        let mut first = self.order[&anchor];
        for id in stores {
            let other = slot_store(body, id)?.src(1);
            let constants = body[other].as_const().zip(body[index].as_const());
            if constants.is_some_and(|(a, b)| a[0] as u32 != b[0] as u32) {
                continue;
            }
            if !self.same(other, index, 0) {
                return None;
            }
            let owners = self.owners(id);
            if self.order[&id] > self.order[&anchor] || exclusive(&around, &owners) {
                continue;
            }
            // Before the construct of the anchor's region that contains the store.
            let within = owners.iter().position(|o| *o == around[0])?;
            let cf = owners.get(within.checked_sub(1)?).copied().and_then(cf_of)?;
            if self.order[&id] < first {
                first = self.order[&id];
                at = body.before_jump(body.cf(cf).prev());
            }
        }
        let available = at == Cursor::Before(anchor) || self.can_copy(index, 0);
        available.then_some(at)
    }

    /// The regions around an instruction, the innermost first.
    fn owners(&self, id: InstrId) -> Vec<Owner> {
        let innermost = self.body.owner(self.body.block_of(id));
        std::iter::successors(Some(innermost), |&o| Some(self.body.cf_owner(cf_of(o)?))).collect()
    }

    /// Whether each iteration of the loops around an anchor has an index of its own, so that no vertex is stored to twice.
    fn changes_in_loops(&self, index: InstrId, around: &[Owner]) -> bool {
        let Some(nearest) = around.iter().position(|o| matches!(o, Owner::Loop(_))) else { return true };
        self.owners(index).contains(&around[nearest]) && self.body[index].as_const().is_none()
    }

    /// Whether two values are equal: the same, or computed in the same way.
    fn same(&self, a: InstrId, b: InstrId, depth: u32) -> bool {
        if a == b {
            return true;
        }
        let (x, y) = (&self.body[a], &self.body[b]);
        let equal = x.ty == y.ty
            && depth < MAX_DEPTH
            && match (&x.kind, &y.kind) {
                (InstrKind::Const(p), InstrKind::Const(q)) => p == q,
                (InstrKind::Alu(p), InstrKind::Alu(q)) => {
                    p.op == q.op && p.srcs().zip(q.srcs()).all(|(s, t)| s.swizzle == t.swizzle)
                }
                (InstrKind::Intrinsic(p), InstrKind::Intrinsic(q)) => {
                    p.op == q.op && p.indices() == q.indices() && is_pure(p)
                }
                _ => false,
            };
        if !equal {
            return false;
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        x.visit_operands(|v| left.push(v));
        y.visit_operands(|v| right.push(v));
        left.len() == right.len() && left.iter().zip(&right).all(|(&l, &r)| self.same(l, r, depth + 1))
    }

    /// Whether a value can be computed again anywhere.
    fn can_copy(&self, id: InstrId, depth: u32) -> bool {
        let pure = match &self.body[id].kind {
            InstrKind::Const(_) | InstrKind::Alu(_) => true,
            InstrKind::Intrinsic(i) => is_pure(i),
            _ => false,
        };
        let mut all = pure && depth < MAX_DEPTH;
        self.body[id].visit_operands(|v| all = all && self.can_copy(v, depth + 1));
        all
    }
}

/// Depth to which computations of indices are compared.
const MAX_DEPTH: u32 = 6;

/// Whether an intrinsic depends on its operands only.
fn is_pure(i: &Intrinsic) -> bool {
    i.op.info().flags.contains(IntrinsicFlags::CAN_REORDER)
}

/// Computes a value again.
fn copy(b: &mut Builder<'_>, id: InstrId) -> InstrId {
    let mut operands = Vec::new();
    b.body[id].visit_operands(|v| operands.push(v));
    let copies: FxHashMap<InstrId, InstrId> = operands.into_iter().map(|v| (v, copy(b, v))).collect();
    let new = b.insert(b.body[id].clone());
    b.body.map_operands(new, |v| copies.get(&v).copied().unwrap_or(v));
    new
}

/// The construct whose region this is.
fn cf_of(owner: Owner) -> Option<CfId> {
    match owner {
        Owner::Then(cf) | Owner::Else(cf) | Owner::Loop(cf) => Some(cf),
        Owner::Root | Owner::Detached => None,
    }
}

/// Whether two instructions are on different sides of an `if`.
fn exclusive(a: &[Owner], b: &[Owner]) -> bool {
    a.iter().any(|o| match *o {
        Owner::Then(cf) => b.contains(&Owner::Else(cf)),
        Owner::Else(cf) => b.contains(&Owner::Then(cf)),
        _ => false,
    })
}
