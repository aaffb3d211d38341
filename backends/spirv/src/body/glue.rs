//! Instructions that only move bits: extracts, shuffles, bit casts, access chains. An equal one is not repeated where it
//! dominates. Instructions of a region are forgotten at its end.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv::Op;

type Key = SmallVec<[u32; 8]>;

/// The instructions that dominate the current position.
#[derive(Default)]
pub(super) struct Glue {
    known: FxHashMap<Key, u32>,
    order: Vec<Key>,
}

fn key(op: Op, type_id: u32, operands: &[u32]) -> Key {
    let mut key: Key = SmallVec::from_slice(&[op as u32, type_id]);
    key.extend_from_slice(operands);
    key
}

impl Glue {
    pub fn find(&self, op: Op, type_id: u32, operands: &[u32]) -> Option<u32> {
        self.known.get(&key(op, type_id, operands)).copied()
    }

    pub fn add(&mut self, op: Op, type_id: u32, operands: &[u32], id: u32) {
        let key = key(op, type_id, operands);
        self.order.push(key.clone());
        self.known.insert(key, id);
    }

    /// The start of a region.
    pub fn mark(&self) -> usize {
        self.order.len()
    }

    /// The end of the region that started at a mark.
    pub fn forget(&mut self, mark: usize) {
        for key in self.order.drain(mark..) {
            self.known.remove(&key);
        }
    }
}
