//! Mesh outputs that are kept in workgroup memory, because which vertices or primitives their stores write is not known.
//!
//! Each component takes a word of a row of 16 bytes for each slot. The rows are filled with zeros at the start of the
//! function, stores write to them, and at the end the invocations copy them to the outputs of all vertices and primitives.

use super::super::interface::{Piece, leaves, leaves_of, reach};
use super::super::mesh_outputs_to_shared::MOST_BYTES;
use super::{clip_distances, store, written_components};
use crate::util::outputs::{output_points, slot_store};
use crate::vars::lower_shared_initializers::barrier;
use airfoil_ir::{
    Align, AluOp, Body, Builder, Cursor, Diagnostic, Index, InstrId, InstrKind, Intrinsic, IntrinsicOp,
    IoSemantics, Jump, Modes, PhiSrc, Scalar, Shader, Slot, SystemValue, Ty,
};
use smallvec::smallvec;
use std::collections::BTreeSet;

/// Bytes of the components of a slot.
const ROW: u32 = 16;

/// The outputs of the vertices, or of the primitives, in workgroup memory.
struct Table {
    per_primitive: bool,
    /// First byte.
    base: u32,
    /// Number of vertices or primitives.
    len: u32,
    /// Slots, in order: the rows of a vertex or primitive.
    slots: Vec<Slot>,
    /// The values to copy.
    pieces: Vec<Piece>,
}

impl Table {
    fn bytes(&self) -> u32 {
        self.len.saturating_mul(self.slots.len() as u32 * ROW)
    }

    fn row(&self, slot: Slot) -> Option<u32> {
        self.slots.iter().position(|&s| s == slot).map(|n| n as u32)
    }

    /// The byte of the rows of a vertex or primitive, from the base.
    fn rows(&self, b: &mut Builder<'_>, index: InstrId) -> InstrId {
        let stride = b.imm_u32(self.slots.len() as u32 * ROW);
        b.imul(index, stride)
    }

    /// The byte of a component, and how it is aligned.
    fn address(&self, b: &mut Builder<'_>, rows: InstrId, row: u32, component: u8) -> (InstrId, Align) {
        let within = u32::from(component) * 4;
        let first = b.imm_u32(self.base + row * ROW + within);
        (b.iadd(rows, first), Align { mul: ROW as u16, offset: within as u16 })
    }
}

/// Keeps the outputs at some slots, and those that the same stores may write, in workgroup memory.
///
/// # Errors
/// The function has several exits, or workgroup memory does not suffice.
pub fn keep(shader: &mut Shader, slots: &BTreeSet<Slot>) -> Result<(), Diagnostic> {
    if slots.is_empty() {
        return Ok(());
    }
    let Some(entry) = shader.entry else { return Ok(()) };
    let points = output_points(shader);
    let [end] = points.as_slice() else {
        return Err(Diagnostic::error("E0347", "write_outputs requires a mesh function with one exit")
            .help("run lower_returns and inline_functions first"));
    };
    let tables = tables(shader, slots)?;
    let size = shader.info.workgroup_size.unwrap_or([1; 3]).iter().product();
    let body = &mut shader.functions[entry].body;
    for id in body.all_instrs().collect::<Vec<_>>() {
        retarget(body, id, &tables);
    }
    let mut b = Builder::at(body, end.at);
    barrier(&mut b);
    for table in &tables {
        for_each(&mut b, table.len, size, |b, index| copy(b, table, index));
    }
    let start = body.entry();
    let mut b = Builder::at(body, Cursor::BlockStart(start));
    for table in &tables {
        for_each(&mut b, table.len, size, |b, index| clear(b, table, index));
    }
    barrier(&mut b);
    for var in shader.vars.values_mut().filter(|v| v.mode == Modes::OUT) {
        let kept = |slot: Slot| tables.iter().any(|t| t.row(slot).is_some());
        var.complete |= var.location.is_some_and(kept);
    }
    Ok(())
}

/// The outputs to keep, with their locations in workgroup memory, which grows.
fn tables(shader: &mut Shader, slots: &BTreeSet<Slot>) -> Result<Vec<Table>, Diagnostic> {
    let mut slots = slots.clone();
    let Some(body) = shader.entry_body() else { return Ok(Vec::new()) };
    let stores: Vec<(&Intrinsic, Vec<Slot>)> = body
        .all_instrs()
        .filter_map(|id| slot_store(body, id))
        .map(|store| (store, reach(body, store)))
        .collect();
    // All slots that one store may write are kept, and all slots of a variable.
    let together: Vec<Vec<Slot>> = stores
        .iter()
        .map(|(_, to)| to.clone())
        .chain(shader.vars.values().filter(|v| v.mode == Modes::OUT).map(|v| {
            let leaves = leaves_of(shader, v);
            let clip = leaves.iter().any(|l| l.compact && l.comps > 4).then_some(Slot::CLIP_DIST1);
            leaves.iter().map(|l| l.slot).chain(clip).collect()
        }))
        .collect();
    loop {
        let before = slots.len();
        let met = together.iter().filter(|group| group.iter().any(|s| slots.contains(s))).flatten();
        let met: Vec<Slot> = met.copied().collect();
        slots.extend(met);
        if slots.len() == before {
            break;
        }
    }
    let declared = leaves(shader, Modes::OUT);
    let mut pieces: Vec<(bool, Piece)> = declared
        .iter()
        .filter(|l| !l.compact && slots.contains(&l.slot))
        .map(|l| (l.per_primitive, l.piece()))
        .collect();
    let one = |slot, component, scalar| Piece { slot, component, comps: 1, scalar };
    let clip = clip_distances(shader).filter(|(slot, _)| slots.contains(slot));
    pieces.extend(clip.map(|(slot, component)| (false, one(slot, component, Scalar::Float32))));
    for (store, to) in &stores {
        for &slot in to.iter().filter(|s| slots.contains(s)) {
            for c in written_components(store) {
                if !pieces.iter().any(|(_, p)| p.contains(slot, c)) {
                    pieces.push((store.io().per_primitive, one(slot, c, store.src_type())));
                }
            }
        }
    }
    let mut end = shader.info.shared_size;
    let mut tables = Vec::new();
    for (per_primitive, len) in [(false, shader.info.max_vertices), (true, shader.info.max_primitives)] {
        let pieces: Vec<Piece> = pieces.iter().filter(|p| p.0 == per_primitive).map(|p| p.1).collect();
        let slots: BTreeSet<Slot> = pieces.iter().map(|p| p.slot).collect();
        if pieces.is_empty() {
            continue;
        }
        let base = end.next_multiple_of(ROW);
        let table = Table { per_primitive, base, len, slots: slots.into_iter().collect(), pieces };
        end = base.saturating_add(table.bytes());
        tables.push(table);
    }
    if end > MOST_BYTES {
        let message = format!("{end} bytes of workgroup memory are needed to write all outputs of a mesh");
        return Err(Diagnostic::error("E0347", message).help(format!(
            "outputs that some paths leave unwritten are kept there; workgroup memory has {MOST_BYTES} bytes"
        )));
    }
    shader.info.shared_size = end;
    Ok(tables)
}

/// Turns a store to a kept output into one to workgroup memory.
fn retarget(body: &mut Body, id: InstrId, tables: &[Table]) {
    let Some(store) = slot_store(body, id).copied() else { return };
    let io = store.io();
    let &[value, index, offset] = store.srcs() else { return };
    let constant = body[offset].as_const().map(|c| c[0] as u32);
    // Only the slot that a constant offset leads to is known to be kept.
    let Some(slot) = io.location.offset(constant.unwrap_or(0)) else { return };
    let Some((table, row)) = tables.iter().find_map(|t| Some((t, t.row(slot)?))) else { return };
    let mut b = Builder::before(body, id);
    let value = widened(&mut b, value);
    let component = store.component() as u8;
    let mut rows = table.rows(&mut b, index);
    if constant.is_none() {
        let bytes = b.imm_u32(ROW);
        let within = b.imul(offset, bytes);
        rows = b.iadd(rows, within);
    }
    let (at, align) = table.address(&mut b, rows, row, component);
    let store = Intrinsic::new(IntrinsicOp::store_shared, &[value, at])
        .with(Index::WriteMask, store.write_mask())
        .with(Index::Align, align);
    body.set_kind(id, InstrKind::Intrinsic(store));
}

/// A value with components of 32 bits.
fn widened(b: &mut Builder<'_>, value: InstrId) -> InstrId {
    match b.ty(value).bits {
        1 => b.convert(AluOp::b2i, value, 32),
        32 => value,
        _ => b.convert(AluOp::u2u, value, 32),
    }
}

/// Emits a loop over vertices or primitives: those whose index is that of the invocation plus a multiple of the size of
/// the workgroup.
fn for_each(b: &mut Builder<'_>, len: u32, size: u32, emit: impl FnOnce(&mut Builder<'_>, InstrId)) {
    let first = b.load_system_value(SystemValue::local_invocation_index);
    let cf = b.push_loop();
    let header = b.block();
    let before = b.body.as_loop(cf).map_or(header, |l| l.prev());
    // The other source is added when it exists.
    let index = b.phi(Ty::B32, &[PhiSrc { pred: before, value: first }]);
    let most = b.imm_u32(len);
    let over = b.uge(index, most);
    let done = b.push_if(over);
    b.jump(Jump::Break);
    b.pop(done);
    emit(b, index);
    let step = b.imm_u32(size);
    let next = b.iadd(index, step);
    let again = b.block();
    b.pop(cf);
    let srcs = smallvec![PhiSrc { pred: before, value: first }, PhiSrc { pred: again, value: next }];
    b.body.set_kind(index, InstrKind::Phi(srcs));
}

/// Fills the rows of a vertex or primitive with zeros.
fn clear(b: &mut Builder<'_>, table: &Table, index: InstrId) {
    let (zero, rows) = (b.zero(Ty::new(4, 32)), table.rows(b, index));
    for row in 0..table.slots.len() as u32 {
        let (at, align) = table.address(b, rows, row, 0);
        let store = Intrinsic::new(IntrinsicOp::store_shared, &[zero, at])
            .with(Index::WriteMask, 0xfu32)
            .with(Index::Align, align);
        b.insert_intrinsic(store, Ty::NONE);
    }
}

/// Copies the rows of a vertex or primitive to the outputs.
fn copy(b: &mut Builder<'_>, table: &Table, index: InstrId) {
    let (offset, rows) = (b.imm_u32(0), table.rows(b, index));
    for piece in &table.pieces {
        let Some(row) = table.row(piece.slot) else { continue };
        let (at, align) = table.address(b, rows, row, piece.component);
        let load = Intrinsic::new(IntrinsicOp::load_shared, &[at]).with(Index::Align, align);
        let words = b.insert_intrinsic(load, Ty::new(piece.comps, 32));
        let bits = if piece.scalar == Scalar::Any { 32 } else { piece.scalar.bits() };
        let value = match bits {
            1 => {
                let zero = b.zero(Ty::new(piece.comps, 32));
                b.ine(words, zero)
            }
            32 => words,
            _ => b.convert(AluOp::u2u, words, bits),
        };
        let io = IoSemantics { per_primitive: table.per_primitive, ..IoSemantics::new(piece.slot) };
        let store = store(IntrinsicOp::store_per_vertex_output, &[value, index, offset], io, piece);
        b.insert_intrinsic(store, Ty::NONE);
    }
}
