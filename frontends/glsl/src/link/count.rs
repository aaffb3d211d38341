//! The amount of each resource that a type takes, counted once per type. All counts saturate.

use crate::types::{OpaqueKind, Type, TypeTable};
use rustc_hash::FxHashMap;

/// Locations and components of a value of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Input or output locations (GLSL 4.60 section 4.4.1): a vector takes one, one of three or four doubles two.
    pub slots: u32,
    /// Attribute locations: as `slots`, but any vector takes one (GLSL 4.60 section 4.4.1, vertex inputs).
    pub attributes: u32,
    /// Components of 32 bits; doubles take two. Opaque types take none.
    pub components: u32,
    /// Components as the default uniform block counts them: a matrix's columns take four each (OpenGL 4.6 section 7.6).
    pub vectors: u32,
    /// Uniform locations: one each leaf and array element.
    pub locations: u32,
    /// Entries of reflection: as `locations`, but an array of scalars, vectors, matrices or opaque types takes one.
    pub leaves: u32,
    /// Textures and samplers.
    pub textures: u32,
    /// Images.
    pub images: u32,
    /// Atomic counters.
    pub counters: u32,
}

impl Count {
    /// Opaque values of all kinds.
    pub fn opaque(&self) -> u32 {
        self.textures.saturating_add(self.images).saturating_add(self.counters)
    }

    fn fields(&mut self) -> [&mut u32; 9] {
        [
            &mut self.slots,
            &mut self.attributes,
            &mut self.components,
            &mut self.vectors,
            &mut self.locations,
            &mut self.leaves,
            &mut self.textures,
            &mut self.images,
            &mut self.counters,
        ]
    }

    /// Adds another count.
    pub fn add(&mut self, mut other: Count) {
        for (a, b) in self.fields().into_iter().zip(other.fields()) {
            *a = a.saturating_add(*b);
        }
    }

    /// The count for a number of values.
    #[must_use]
    pub fn times(mut self, n: u32) -> Count {
        for a in self.fields() {
            *a = a.saturating_mul(n);
        }
        self
    }
}

/// Counts for the types of one table.
#[derive(Debug)]
pub struct Counter<'t> {
    types: &'t TypeTable,
    known: FxHashMap<Type, Count>,
}

impl<'t> Counter<'t> {
    /// For the types of `types`.
    pub fn new(types: &'t TypeTable) -> Counter<'t> {
        Counter { types, known: FxHashMap::default() }
    }

    /// Locations and components of a value of a type; an array without size counts one element.
    pub fn of(&mut self, ty: Type) -> Count {
        let one = Count { slots: 1, attributes: 1, locations: 1, leaves: 1, ..Count::default() };
        match ty {
            Type::Vector { base, size } => {
                let words = u32::from(base.bits()).div_ceil(32);
                let components = u32::from(size) * words;
                Count { slots: components.div_ceil(4), components, vectors: components, ..one }
            }
            Type::Matrix { base, cols, rows } => {
                let column = self.of(Type::Vector { base, size: rows });
                let cols = u32::from(cols);
                let vectors = 4 * column.slots * cols;
                Count { locations: 1, leaves: 1, vectors, ..column.times(cols) }
            }
            Type::Opaque(o) => match o.kind {
                OpaqueKind::Image => Count { images: 1, ..one },
                OpaqueKind::AtomicCounter => Count { counters: 1, locations: 0, ..one },
                _ => Count { textures: 1, ..one },
            },
            Type::Reference(_) => self.of(Type::UINT64),
            Type::Void | Type::Error => Count::default(),
            Type::Array(id) => {
                if let Some(&known) = self.known.get(&ty) {
                    return known;
                }
                let array = self.types.get_array(id);
                let elem = self.of(array.elem);
                let mut count = elem.times(array.len.max(1));
                if !matches!(array.elem, Type::Array(_) | Type::Struct(_)) {
                    count.leaves = 1;
                }
                self.known.insert(ty, count);
                count
            }
            Type::Struct(id) => {
                if let Some(&known) = self.known.get(&ty) {
                    return known;
                }
                let mut count = Count::default();
                for f in &self.types.structs[id.0 as usize].fields {
                    count.add(self.of(f.ty));
                }
                self.known.insert(ty, count);
                count
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Base;

    #[test]
    fn doubles_matrices_and_arrays() {
        let mut types = TypeTable::default();
        let dmat3 = Type::Matrix { base: Base::Double, cols: 3, rows: 3 };
        let array = types.array(dmat3, 2);
        let huge = types.array(array, u32::MAX);
        let mut counter = Counter::new(&types);
        let c = counter.of(array);
        assert_eq!((c.slots, c.attributes, c.components, c.locations, c.leaves), (12, 6, 36, 2, 1));
        assert_eq!(counter.of(huge).components, u32::MAX);
        assert_eq!(counter.of(Type::MAT3).vectors, 12);
    }
}
