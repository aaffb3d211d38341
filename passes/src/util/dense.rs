//! Side tables indexed by instruction: an array where a hash map would cost a probe a look-up.

use airfoil_ir::InstrId;
use slotmap::Key;

/// A value of type `T` for every instruction, `T::default()` where none has been set.
///
/// Valid while no instruction is removed from the body: a later instruction may reuse the place.
#[derive(Clone, Debug, Default)]
pub struct Dense<T> {
    values: Vec<T>,
}

fn slot(id: InstrId) -> usize {
    id.data().as_ffi() as u32 as usize
}

impl<T: Copy + Default> Dense<T> {
    /// A table with room for `capacity` instructions ([`Body::instr_capacity`](airfoil_ir::Body::instr_capacity)).
    pub fn new(capacity: usize) -> Dense<T> {
        Dense { values: vec![T::default(); capacity] }
    }

    /// The value of an instruction.
    pub fn get(&self, id: InstrId) -> T {
        self.values.get(slot(id)).copied().unwrap_or_default()
    }

    /// Sets the value of an instruction.
    pub fn set(&mut self, id: InstrId, value: T) {
        let slot = slot(id);
        if slot >= self.values.len() {
            self.values.resize(slot + 1, T::default());
        }
        self.values[slot] = value;
    }
}
