//! Side tables indexed by instruction.

use crate::ids::InstrId;
use crate::scratch::Scratch;

/// A table with a value of type `T` for every instruction of a body, `T::default()` unless set.
///
/// An array in which a lookup costs an indexed load, where a hash map would cost a probe. Valid while no
/// instruction is removed from the body: a later instruction may reuse the [index](InstrId::index).
///
/// ```
/// use airfoil_ir::{Body, Builder, Dense};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let (one, two) = (b.imm_u32(1), b.imm_u32(2));
/// let mut order: Dense<u32> = Dense::new(body.instr_capacity());
/// order.set(two, 7);
/// assert_eq!((order.get(one), order.get(two)), (0, 7));
/// ```
#[derive(Clone, Debug)]
pub struct Dense<T: 'static> {
    values: Scratch<T>,
}

impl<T: 'static> Default for Dense<T> {
    fn default() -> Dense<T> {
        Dense { values: Scratch::new() }
    }
}

impl<T: Copy + Default + 'static> Dense<T> {
    /// A table with room for `capacity` instructions ([`Body::instr_capacity`](crate::Body::instr_capacity)).
    /// It grows on demand.
    pub fn new(capacity: usize) -> Dense<T> {
        Dense { values: Scratch::filled(T::default(), capacity) }
    }

    /// The value of an instruction.
    pub fn get(&self, id: InstrId) -> T {
        self.values.get(id.index()).copied().unwrap_or_default()
    }

    /// Sets the value of an instruction.
    pub fn set(&mut self, id: InstrId, value: T) {
        let index = id.index();
        if index >= self.values.len() {
            self.values.resize(index + 1, T::default());
        }
        self.values[index] = value;
    }
}
