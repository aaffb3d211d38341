//! The memory of a body.

use super::{Block, Body, Cf, Node};

impl Body {
    /// Bytes of memory, free slots included. The rare operands that are out of line (phis, textures, calls) and names are not
    /// counted.
    pub fn memory(&self) -> usize {
        // A slot map adds a version to each value.
        let slots = |count: usize, size: usize| count * (size + size_of::<u64>());
        slots(self.instrs.capacity(), size_of::<Node>())
            + slots(self.blocks.capacity(), size_of::<Block>())
            + slots(self.cfs.capacity(), size_of::<Cf>())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Body, Cursor, Instr, InstrKind, Ty};

    #[test]
    fn memory_grows_with_the_slots() {
        let mut body = Body::new();
        let empty = body.memory();
        let add = |body: &mut Body| {
            let at = Cursor::BlockEnd(body.entry());
            body.insert(at, Instr::new(InstrKind::Undef, Ty::B32))
        };
        let ids: Vec<_> = (0..1000).map(|_| add(&mut body)).collect();
        let full = body.memory();
        assert!((64 * 1000..512 * 1000).contains(&(full - empty)), "{full}");
        ids.into_iter().for_each(|id| body.remove(id));
        assert_eq!(body.memory(), full);
        body.compact();
        assert!(body.memory() <= empty, "{} and {empty}", body.memory());
    }
}
