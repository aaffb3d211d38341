//! Values and pointers of the current function.

use super::types::TyIx;
use airfoil_ir::{Access, InstrId};
use spirv::StorageClass;

/// A value. Its type is stored beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Val {
    /// A scalar or vector.
    Ssa(InstrId),
    /// One component of a vector. Operations read it where it is; others get it as a value of its own.
    Lane(InstrId, u8),
    /// A matrix, array or structure: the parts are consecutive in the reader's pool from this index on.
    Tree(u32),
    /// A large array or structure: deref of memory that is not written again while the value lives.
    Memory(InstrId),
    /// An image, a sampler, or a pair of them: derefs of variables.
    Opaque {
        /// The image or sampler.
        image: InstrId,
        /// The sampler of a pair.
        sampler: Option<InstrId>,
    },
    /// No particular bits, of any type.
    Undef,
}

/// A pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ptr {
    /// Where it points.
    pub place: PtrPlace,
    /// Type of the pointee.
    pub ty: TyIx,
    /// Storage class.
    pub class: StorageClass,
    /// Qualifiers gathered along its path.
    pub access: Access,
}

impl Ptr {
    /// The number of pointers that it is chosen from.
    pub fn count(&self) -> u32 {
        if let PtrPlace::Either { count, .. } = self.place { count } else { 1 }
    }
}

/// Where a pointer points.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PtrPlace {
    /// A deref of that type.
    Deref(InstrId),
    /// An interface block that has been split into one variable per member: index of the global and the
    /// index into the arrays around the block, once it is known.
    Block {
        /// Index of the global variable.
        global: u32,
        /// Index of the vertex.
        index: Option<InstrId>,
    },
    /// An array of one element whose deref is the element's.
    Single(InstrId),
    /// A texel of a storage image, for atomics.
    Texel {
        /// Deref of the image.
        image: InstrId,
        /// Coordinate.
        coord: InstrId,
        /// Sample.
        sample: InstrId,
    },
    /// One of two pointers: condition, and the indices in the reader's list of pointers.
    Either {
        /// Chooses the first.
        cond: InstrId,
        /// If true.
        a: u32,
        /// If false.
        b: u32,
        /// Number of pointers in all.
        count: u32,
    },
}
