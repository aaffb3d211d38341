//! Values of vertices and patches as records of the buffers between stages.

use airfoil_interp::{Binding, Resources, Space, Values};
use airfoil_ir::{Body, InstrId, IntrinsicOp, Modes, Shader, Slot};
use airfoil_passes::stages::stage_buffer::{RecordLayout, SET, StageBuffer};

/// The slots of records, with the widths of their components.
#[derive(Clone, Debug)]
pub(super) struct Format {
    layout: RecordLayout,
    /// Slots with components of fewer than 32 bits, and the bytes of a component.
    narrow: Vec<(Slot, usize)>,
}

impl Format {
    /// The format of records that hold the inputs or outputs (`mode`) of a shader in form `slots`.
    pub(super) fn new(layout: RecordLayout, shader: &Shader, mode: Modes) -> Format {
        let mut narrow = Vec::new();
        for function in shader.functions.values() {
            let body = &function.body;
            for id in body.all_instrs() {
                let Some(bits @ (8 | 16)) = width(body, id, mode) else { continue };
                narrow.extend(slots(body, id).map(|slot| (slot, usize::from(bits / 8))));
            }
        }
        narrow.sort_unstable();
        narrow.dedup();
        Format { layout, narrow }
    }

    /// Size of a record in bytes.
    pub(super) fn record_bytes(&self) -> u32 {
        self.layout.record_bytes()
    }

    /// Bytes of a component of a slot. Halves of 64-bit components count as components.
    fn bytes(&self, slot: Slot) -> usize {
        self.narrow.iter().find(|n| n.0 == slot).map_or(4, |n| n.1)
    }

    /// The bytes of records; components that are undefined are zero.
    pub(super) fn encode<'a>(&self, records: impl IntoIterator<Item = &'a Values>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for values in records {
            let start = bytes.len();
            bytes.resize(start + self.record_bytes() as usize, 0);
            for (slot, offset) in self.layout.iter() {
                let (at, size) = (start + offset as usize, self.bytes(slot));
                for c in 0..4 {
                    let word = values.get(slot, c).unwrap_or(0).to_le_bytes();
                    bytes[at + size * c as usize..][..size].copy_from_slice(&word[..size]);
                }
            }
        }
        bytes
    }

    /// The values of a record.
    pub(super) fn decode(&self, bytes: &[u8], index: usize) -> Values {
        let mut values = Values::new();
        let start = index * self.record_bytes() as usize;
        for (slot, offset) in self.layout.iter() {
            let (at, size) = (start + offset as usize, self.bytes(slot));
            let word = |c: usize| {
                let from = bytes.get(at + size * c..at + size * (c + 1)).unwrap_or_default();
                from.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
            };
            values.set_words(slot, std::array::from_fn(word));
        }
        values
    }
}

/// Bits of the components that an instruction reads from inputs or outputs or writes to outputs.
fn width(body: &Body, id: InstrId, mode: Modes) -> Option<u8> {
    let i = body[id].as_intrinsic()?;
    let (of, value) = match i.op {
        IntrinsicOp::load_input | IntrinsicOp::load_per_vertex_input => (Modes::IN, id),
        IntrinsicOp::load_output | IntrinsicOp::load_per_vertex_output => (Modes::OUT, id),
        IntrinsicOp::store_output | IntrinsicOp::store_per_vertex_output => (Modes::OUT, i.src(0)),
        _ => return None,
    };
    (of == mode).then(|| body[value].ty.bits)
}

/// The slots that an access by slot can reach.
fn slots(body: &Body, id: InstrId) -> impl Iterator<Item = Slot> {
    let i = body[id].as_intrinsic();
    let offset = i.and_then(|i| i.srcs().last()).and_then(|&o| body[o].as_const());
    let range = i.map_or(0..0, |i| match offset.and_then(|n| u32::try_from(n[0]).ok()) {
        Some(n) => n..n.saturating_add(1),
        None => 0..u32::from(i.io().num_slots),
    });
    range.filter_map(move |n| i?.io().location.offset(n))
}

/// Binds a new buffer between stages; returns its index.
pub(super) fn bind(resources: &mut Resources, buffer: StageBuffer, bytes: Vec<u8>) -> usize {
    let index = resources.add_buffer(bytes);
    let whole = Binding::Buffer { buffer: index, offset: 0, size: None };
    resources.bind(Space::Storage, SET, buffer.binding(), 0, whole);
    index
}
