//! Values of vertices and patches as records of the buffers between stages.

use airfoil_interp::{Binding, Resources, Space, Values};
use airfoil_passes::stages::stage_buffer::{RecordLayout, SET, StageBuffer};

/// The bytes of records; components that are undefined are zero.
pub(super) fn encode<'a>(records: impl IntoIterator<Item = &'a Values>, layout: &RecordLayout) -> Vec<u8> {
    let mut bytes = Vec::new();
    for values in records {
        let start = bytes.len();
        bytes.resize(start + layout.record_bytes() as usize, 0);
        for (slot, offset) in layout.iter() {
            for c in 0..4 {
                let at = start + (offset + 4 * c) as usize;
                let word = values.get(slot, c).unwrap_or(0);
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    bytes
}

/// The values of a record.
pub(super) fn decode(bytes: &[u8], layout: &RecordLayout, index: usize) -> Values {
    let mut values = Values::new();
    let start = index * layout.record_bytes() as usize;
    for (slot, offset) in layout.iter() {
        let at = start + offset as usize;
        let word = |c: usize| bytes.get(at + 4 * c..at + 4 * c + 4).and_then(|b| b.try_into().ok());
        values.set_words(slot, std::array::from_fn(|c| word(c).map_or(0, u32::from_le_bytes)));
    }
    values
}

/// Binds a new buffer between stages; returns its index.
pub(super) fn bind(resources: &mut Resources, buffer: StageBuffer, bytes: Vec<u8>) -> usize {
    let index = resources.add_buffer(bytes);
    let whole = Binding::Buffer { buffer: index, offset: 0, size: None };
    resources.bind(Space::Storage, SET, buffer.binding(), 0, whole);
    index
}
