//! Values to replace by others.

use crate::ids::InstrId;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Values to replace by others, collected and applied in one walk by [`Body::replace_all`](super::Body::replace_all).
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Replacements, SystemValue};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let [x, y, z] = [(); 3].map(|()| b.load_system_value(SystemValue::vertex_id));
/// let sum = b.iadd(y, z);
/// let mut all = Replacements::default();
/// all.insert(z, y);
/// all.insert(y, x);
/// // Chains are followed to their end.
/// assert_eq!(all.resolve(z), x);
/// body.replace_all(&all);
/// assert_eq!(body[sum].as_alu().unwrap().values(), [x, x]);
/// assert_eq!([x, y, z].map(|id| body[id].uses()), [2, 0, 0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Replacements {
    /// The replacement of each value. Chains get shorter as they are followed, hence the cells.
    map: FxHashMap<InstrId, Cell<InstrId>>,
}

impl Replacements {
    /// Replaces `old` by `new`, which may itself be replaced by an earlier entry.
    pub fn insert(&mut self, old: InstrId, new: InstrId) {
        let new = self.resolve(new);
        if old != new {
            self.map.insert(old, Cell::new(new));
        }
    }

    /// The replacement of a value: itself if it is not replaced.
    pub fn resolve(&self, id: InstrId) -> InstrId {
        let Some(mut to) = self.map.get(&id) else { return id };
        while let Some(further) = self.map.get(&to.get()) {
            to.set(further.get());
            to = further;
        }
        to.get()
    }

    /// Each replaced value with its replacement.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (InstrId, InstrId)> + '_ {
        self.map.keys().map(|&old| (old, self.resolve(old)))
    }

    /// Each replaced value.
    pub(super) fn replaced(&self) -> impl Iterator<Item = InstrId> + '_ {
        self.map.keys().copied()
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Number of replaced values.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Forgets all entries, keeping the allocation.
    pub fn clear(&mut self) {
        self.map.clear();
    }
}
