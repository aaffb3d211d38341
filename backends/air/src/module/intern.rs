//! Interning: a small open-addressing index over dense tables, and the module's string pool.
//!
//! Every interned table of the module (types, constants, metadata, names) is a plain vector; the index beside
//! it stores only `(hash, position)` pairs, so a look-up never allocates and iteration order is that of the
//! vector, never that of the hash.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Hashes any value with the fast, unkeyed hasher of the module.
pub(crate) fn hash_of<T: Hash + ?Sized>(value: &T) -> u32 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    let hash = hasher.finish();
    // The low bits select the slot, so the high ones are folded in.
    (hash ^ (hash >> 32)) as u32
}

const EMPTY: u32 = u32::MAX;

/// Open-addressing hash index over a dense vector owned by somebody else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// `(hash, position)`; position is `EMPTY` in a free slot. The length is zero or a power of two.
    slots: Vec<(u32, u32)>,
    used: usize,
}

impl Index {
    /// An index that takes `entries` entries before it grows.
    pub(crate) fn with_capacity(entries: usize) -> Self {
        Index { slots: vec![(0, EMPTY); (entries * 2).next_power_of_two()], used: 0 }
    }

    /// Position of the entry with this hash for which `same` holds.
    pub(crate) fn find(&self, hash: u32, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (h, position) = self.slots[slot];
            if position == EMPTY {
                return None;
            }
            if h == hash && same(position) {
                return Some(position);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds an entry that `find` did not find.
    pub(crate) fn insert(&mut self, hash: u32, position: u32) {
        if (self.used + 1) * 2 > self.slots.len() {
            let larger = vec![(0, EMPTY); (self.slots.len() * 2).max(16)];
            for (h, p) in std::mem::replace(&mut self.slots, larger) {
                if p != EMPTY {
                    self.place(h, p);
                }
            }
        }
        self.place(hash, position);
        self.used += 1;
    }

    /// Makes the index empty, with the memory that it has.
    pub(crate) fn clear(&mut self) {
        self.slots.fill((0, EMPTY));
        self.used = 0;
    }

    fn place(&mut self, hash: u32, position: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot].1 != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (hash, position);
    }
}

/// An interned string of the module: a name, a section, a metadata string or attribute text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Str(pub(crate) u32);

/// All strings of a module in one buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strings {
    text: String,
    ends: Vec<u32>,
    index: Index,
}

impl Strings {
    pub(crate) fn new() -> Self {
        Strings {
            text: String::with_capacity(2048),
            ends: Vec::with_capacity(128),
            index: Index::with_capacity(128),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.index.clear();
    }

    /// Bytes of all strings.
    pub(crate) fn size(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn intern(&mut self, text: &str) -> Str {
        let hash = hash_of(text.as_bytes());
        if let Some(found) = self.index.find(hash, |p| span(&self.text, &self.ends, p) == text) {
            return Str(found);
        }
        let position = self.ends.len() as u32;
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.index.insert(hash, position);
        Str(position)
    }

    pub(crate) fn find(&self, text: &str) -> Option<Str> {
        self.index.find(hash_of(text.as_bytes()), |p| span(&self.text, &self.ends, p) == text).map(Str)
    }

    pub(crate) fn get(&self, id: Str) -> &str {
        span(&self.text, &self.ends, id.0)
    }
}

fn span<'a>(text: &'a str, ends: &[u32], position: u32) -> &'a str {
    let position = position as usize;
    let start = if position == 0 { 0 } else { ends.get(position - 1).copied().unwrap_or(0) };
    let end = ends.get(position).copied().unwrap_or(start);
    &text[start as usize..end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_one_id_and_survive_growth() {
        let mut strings = Strings::new();
        let ids: Vec<Str> = (0..1000).map(|i| strings.intern(&format!("name{i}"))).collect();
        for (i, id) in ids.iter().enumerate() {
            let text = format!("name{i}");
            assert_eq!(strings.intern(&text), *id);
            assert_eq!(strings.get(*id), text);
            assert_eq!(strings.find(&text), Some(*id));
        }
        assert_eq!(strings.find("name1000"), None);
        let empty = strings.intern("");
        assert_eq!(strings.get(empty), "");
    }
}
