//! The outputs of a geometry shader as locals, for passes that emit other primitives than the shader.

use crate::stages::stage_buffer::New;
use airfoil_ir::{
    AluOp, Body, Builder, Diagnostic, FuncId, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Scalar,
    Shader, Slot, Ty, Types, VarId, Variable,
};
use slotmap::SlotMap;
use smallvec::SmallVec;

/// Values of one type in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Type of a component.
    pub scalar: Scalar,
    /// Mask of the components.
    pub mask: u32,
}

/// An output slot that stores reach.
#[derive(Clone, Debug)]
pub(crate) struct OutputSlot {
    /// The slot.
    pub slot: Slot,
    /// Its values by type.
    pub parts: SmallVec<[Part; 1]>,
}

/// The outputs of the current vertex and of vertices before it. Each vertex is an array of vectors of four words, one for
/// each slot in the order of `slots`. Values of 16 bits are extended.
#[derive(Debug)]
pub(crate) struct OutputLocals {
    /// The slots that stores reach, in order.
    pub slots: Vec<OutputSlot>,
    /// The current vertex, then the vertices before it, the latest first.
    vertices: SmallVec<[VarId; 3]>,
    /// Vertices that have been emitted since the start of the strip.
    count: VarId,
}

/// Variables and types of a shader whose code is being built.
pub(crate) struct Names<'a> {
    /// The types, to which types of derefs are added.
    pub types: &'a mut Types,
    /// The variables.
    pub vars: &'a SlotMap<VarId, Variable>,
}

/// The slots that a store reaches.
fn reached(body: &Body, store: &Intrinsic) -> impl Iterator<Item = Slot> {
    let io = store.io();
    let range = match store.srcs().last().and_then(|&o| body[o].as_const()) {
        Some(c) => c[0].min(255) as u32..c[0].min(255) as u32 + 1,
        None => 0..u32::from(io.num_slots.max(1)),
    };
    range.filter_map(move |n| io.location.offset(n))
}

/// The slots that stores of a body reach, in order, with the types of their values.
///
/// # Errors
/// Values that have neither 16 nor 32 bits.
pub(crate) fn stored_slots(body: &Body) -> Result<Vec<OutputSlot>, Diagnostic> {
    let mut slots: Vec<OutputSlot> = Vec::new();
    for id in body.all_instrs() {
        let Some(store) = body[id].as_intrinsic().filter(|i| i.op == IntrinsicOp::store_output) else {
            continue;
        };
        if !matches!(body[store.src(0)].ty.bits, 16 | 32) {
            let message = format!(
                "output {}: expected components of 16 or 32 bits, found {}",
                store.io().location,
                body[store.src(0)].ty.bits
            );
            return Err(Diagnostic::error("E0344", message).help("run lower_64bit_io first"));
        }
        let part = Part { scalar: store.src_type(), mask: (store.write_mask() << store.component()) & 15 };
        for slot in reached(body, store) {
            let at = slots.binary_search_by_key(&slot, |s| s.slot).unwrap_or_else(|at| {
                slots.insert(at, OutputSlot { slot, parts: SmallVec::new() });
                at
            });
            let parts = &mut slots[at].parts;
            match parts.iter_mut().find(|p| p.scalar == part.scalar) {
                Some(found) => found.mask |= part.mask,
                None => parts.push(part),
            }
        }
    }
    Ok(slots)
}

impl OutputLocals {
    /// Declares locals for the [slots](stored_slots) that an entry function writes, for the current vertex and `before` vertices
    /// before it.
    pub fn declare(
        shader: &mut Shader,
        entry: FuncId,
        slots: Vec<OutputSlot>,
        before: usize,
    ) -> OutputLocals {
        let vector = shader.types.vector(Scalar::Uint32, 4);
        let vertex = shader.types.array(vector, slots.len().max(1) as u32);
        let name = |n: usize| if n == 0 { "vertex".to_owned() } else { format!("vertex.{n}") };
        let vertices = (0..=before).map(|n| shader.add_local(entry, &name(n), vertex)).collect();
        let uint = shader.types.vector(Scalar::Uint32, 1);
        let count = shader.add_local(entry, "strip_vertices", uint);
        OutputLocals { slots, vertices, count }
    }

    /// Index of a slot in a vertex.
    pub fn index(&self, slot: Slot) -> Option<usize> {
        self.slots.binary_search_by_key(&slot, |s| s.slot).ok()
    }

    /// Starts a strip.
    pub fn restart(&self, names: &Names<'_>, b: &mut Builder<'_>) {
        let (count, zero) = (b.deref_var(names.vars, self.count), b.imm_u32(0));
        b.store_deref(count, zero);
    }

    /// Vertices of the strip before the current one.
    pub fn count(&self, names: &Names<'_>, b: &mut Builder<'_>) -> InstrId {
        let count = b.deref_var(names.vars, self.count);
        b.load_deref(count, Ty::B32)
    }

    /// Makes the current vertex one of the vertices before it.
    pub fn advance(&self, names: &mut Names<'_>, b: &mut Builder<'_>) {
        for pair in self.vertices.windows(2).rev() {
            for n in 0..self.slots.len() {
                let value = self.load_from(names, b, pair[0], n);
                let to = b.deref_var(names.vars, pair[1]);
                let to = b.deref_array_imm(names.types, to, n as u32);
                b.store_deref(to, value);
            }
        }
        let (count, one) = (self.count(names, b), b.imm_u32(1));
        let next = b.iadd(count, one);
        let count = b.deref_var(names.vars, self.count);
        b.store_deref(count, next);
    }

    /// The vector of a slot in the current vertex (`age` 0) or in one before it.
    pub fn load(&self, names: &mut Names<'_>, b: &mut Builder<'_>, age: usize, index: usize) -> InstrId {
        self.load_from(names, b, self.vertices[age], index)
    }

    fn load_from(&self, names: &mut Names<'_>, b: &mut Builder<'_>, vertex: VarId, index: usize) -> InstrId {
        let vertex = b.deref_var(names.vars, vertex);
        let slot = b.deref_array_imm(names.types, vertex, index as u32);
        b.load_deref(slot, Ty::new(4, 32))
    }

    /// The local that an access by slot refers to.
    fn place(&self, names: &mut Names<'_>, b: &mut Builder<'_>, access: &Intrinsic) -> Option<InstrId> {
        let offset = *access.srcs().last()?;
        let location = access.io().location;
        let vertex = b.deref_var(names.vars, self.vertices[0]);
        if let Some(n) = b.scalar_const(offset) {
            let index = self.index(location.offset(u32::try_from(n).ok()?)?)?;
            return Some(b.deref_array_imm(names.types, vertex, index as u32));
        }
        // Stores with such an offset reach all slots of the variable, which are consecutive here, too.
        let first = b.imm_u32(self.index(location)? as u32);
        let index = b.iadd(first, offset);
        Some(b.deref_array(names.types, vertex, index))
    }

    /// The replacement of an access to outputs.
    pub fn replace(&self, names: &mut Names<'_>, b: &mut Builder<'_>, i: &Intrinsic, ty: Ty) -> New {
        let first = i.component();
        match i.op {
            IntrinsicOp::store_output => {
                let Some(to) = self.place(names, b, i) else { return New::Nothing };
                let mut value = i.src(0);
                if b.ty(value).bits != 32 {
                    value = b.convert(resizing(i.src_type()), value, 32);
                }
                store_lanes(b, to, value, first, i.write_mask(), 32);
                New::Nothing
            }
            IntrinsicOp::load_output => {
                let Some(from) = self.place(names, b, i) else { return New::Value(b.undef(ty)) };
                let whole = b.load_deref(from, Ty::new(4, 32));
                let lanes: SmallVec<[u8; 4]> = (0..ty.comps).map(|c| (first as u8 + c).min(3)).collect();
                let value = b.swizzle(whole, &lanes);
                New::Value(if ty.bits == 32 {
                    value
                } else {
                    b.convert(resizing(i.dest_type()), value, ty.bits)
                })
            }
            _ => New::Same,
        }
    }
}

/// The conversion between 16 and 32 bits that preserves values of 16 bits.
fn resizing(scalar: Scalar) -> AluOp {
    if scalar == Scalar::Float16 { AluOp::f2f } else { AluOp::u2u }
}

/// Writes values of a slot of the next vertex; `vector` has the four components of the slot, extended to 32 bits.
pub(crate) fn store_part(b: &mut Builder<'_>, slot: Slot, part: Part, vector: InstrId) {
    let first = part.mask.trailing_zeros();
    let lanes: SmallVec<[u8; 4]> = (first as u8..(u32::BITS - part.mask.leading_zeros()) as u8).collect();
    let mut value = b.swizzle(vector, &lanes);
    if part.scalar.bits() == 16 {
        value = b.convert(resizing(part.scalar), value, 16);
    }
    let zero = b.imm_u32(0);
    let store = Intrinsic::new(IntrinsicOp::store_output, &[value, zero])
        .with(Index::Io, IoSemantics::new(slot))
        .with(Index::Component, first)
        .with(Index::WriteMask, part.mask >> first)
        .with(Index::SrcType, part.scalar);
    b.insert_intrinsic(store, Ty::NONE);
}

/// Emits a vertex of stream 0.
pub(crate) fn emit_vertex(b: &mut Builder<'_>) {
    b.insert_intrinsic(Intrinsic::new(IntrinsicOp::emit_vertex, &[]).with(Index::Stream, 0), Ty::NONE);
}

/// Ends a strip of stream 0.
pub(crate) fn end_primitive(b: &mut Builder<'_>) {
    b.insert_intrinsic(Intrinsic::new(IntrinsicOp::end_primitive, &[]).with(Index::Stream, 0), Ty::NONE);
}

/// Stores the lanes of a value selected by the mask, from a component of a vector of four on.
pub(crate) fn store_lanes(
    b: &mut Builder,
    deref: InstrId,
    value: InstrId,
    component: u32,
    mask: u32,
    bits: u8,
) {
    let comps = u32::from(b.ty(value).comps);
    if comps == 4 {
        let store =
            Intrinsic::new(IntrinsicOp::store_deref, &[deref, value]).with(Index::WriteMask, mask & 15);
        b.insert_intrinsic(store, Ty::NONE);
        return;
    }
    let nothing = b.undef(Ty::new(1, bits));
    let lanes: SmallVec<[InstrId; 4]> = (0..4)
        .map(|c: u32| match c.checked_sub(component) {
            Some(lane) if lane < comps => b.channel(value, lane as usize),
            _ => nothing,
        })
        .collect();
    let vector = b.vec(&lanes);
    let store = Intrinsic::new(IntrinsicOp::store_deref, &[deref, vector])
        .with(Index::WriteMask, (mask << component) & 15);
    b.insert_intrinsic(store, Ty::NONE);
}
