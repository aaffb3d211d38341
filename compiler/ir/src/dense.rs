//! Side tables indexed by instruction, block or variable.

use crate::ids::{InstrId, index_of};
use crate::scratch::Scratch;
use slotmap::Key;
use std::marker::PhantomData;

/// A table with a value of type `T` for every instruction of a body, or for every node with a key of another type, `T::default()`
/// unless set.
///
/// An array in which a lookup costs an indexed load, where a hash map would cost a probe. Valid while no
/// instruction is removed from the body: a later instruction may reuse the [index](InstrId::index). The same holds for other keys.
///
/// ```
/// use airfoil_ir::{Body, Builder, Dense, Scalar, Shader, Stage, VarId};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let (one, two) = (b.imm_u32(1), b.imm_u32(2));
/// let mut order: Dense<u32> = Dense::new(body.instr_capacity());
/// order.set(two, 7);
/// assert_eq!((order.get(one), order.get(two)), (0, 7));
///
/// let mut shader = Shader::new("main", Stage::Vertex);
/// let main = shader.add_function(airfoil_ir::Function::new("main"));
/// let uint = shader.types.vector(Scalar::Uint32, 1);
/// let [i, j] = ["i", "j"].map(|name| shader.add_local(main, name, uint));
/// let mut is_read: Dense<bool, VarId> = Dense::default();
/// is_read.set(j, true);
/// assert!(!is_read.get(i) && is_read.get(j));
/// ```
#[derive(Clone, Debug)]
pub struct Dense<T: 'static, K = InstrId> {
    values: Scratch<T>,
    keys: PhantomData<K>,
}

impl<T: 'static, K> Default for Dense<T, K> {
    fn default() -> Dense<T, K> {
        Dense { values: Scratch::new(), keys: PhantomData }
    }
}

impl<T: Copy + Default + 'static, K: Key> Dense<T, K> {
    /// A table with room for `capacity` nodes ([`Body::instr_capacity`](crate::Body::instr_capacity)).
    /// It grows on demand.
    pub fn new(capacity: usize) -> Dense<T, K> {
        Dense { values: Scratch::filled(T::default(), capacity), keys: PhantomData }
    }

    /// The value of a node.
    #[inline]
    pub fn get(&self, id: K) -> T {
        self.values.get(index_of(id)).copied().unwrap_or_default()
    }

    /// Sets the value of a node.
    #[inline]
    pub fn set(&mut self, id: K, value: T) {
        let index = index_of(id);
        if index >= self.values.len() {
            self.values.resize(index + 1, T::default());
        }
        self.values[index] = value;
    }
}
