//! Values and places of the current function.
//!
//! A value of scalar or vector type is an SSA value (booleans have one bit), a matrix is its columns, everything larger
//! stays in memory.

use crate::hir;
use crate::types::Type;
use airfoil_ir::{Access, InstrId};
use smallvec::SmallVec;

/// Columns of a matrix.
pub type Columns = SmallVec<[InstrId; 4]>;

/// A value. Its type is stored beside it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Void,
    /// A scalar or vector.
    Ssa(InstrId),
    /// A matrix: its columns.
    Matrix(Columns),
    /// An array or structure: deref of memory that holds it and is not written while the value is in use.
    Memory(InstrId),
    /// Something opaque: derefs of variables.
    Opaque {
        /// The texture, image, sampler or atomic counter itself; the texture of a pair.
        texture: InstrId,
        /// The sampler that belongs to it: the same deref for combined ones, another one for Vulkan's pairs.
        sampler: Option<InstrId>,
    },
}

/// Something that can be indexed, read, and mostly written.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where it is.
    pub kind: PlaceKind,
    /// Type.
    pub ty: Type,
    /// Qualifiers gathered along its path (in addition to those of the variable itself).
    pub access: Access,
}

/// A vector of which components are a place.
#[derive(Clone, Copy, Debug)]
pub enum Vector {
    /// Deref of a vector in memory.
    Memory(InstrId),
    /// Index of a local that is an SSA value.
    Local(u32),
}

/// The location of a place.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// Memory.
    Deref(InstrId),
    /// A local that is an SSA value: its index, or that of a matrix's first column.
    Local(u32),
    /// An interface block that is split into one variable per member.
    Block {
        /// The block.
        var: hir::VarId,
        /// Indices into the arrays around it, the outermost first.
        path: SmallVec<[InstrId; 2]>,
    },
    /// An array of one element whose deref is the element's.
    Single(InstrId),
    /// Components of a vector.
    Swizzle {
        /// The vector.
        of: Vector,
        /// The components.
        swizzle: hir::Swizzle,
    },
    /// An array of scalars whose elements are consecutive components of an array of vectors.
    Packed {
        /// Deref of the array of vectors.
        deref: InstrId,
        /// The first index selects a vertex.
        per_vertex: bool,
        /// Index of the first scalar; 0 if there is none.
        at: Option<InstrId>,
    },
    /// Something with opaque parts.
    Opaque {
        /// First of the resources that are its opaque parts, in [`Module::leaves`](super::Module::leaves).
        first: u32,
        /// How many.
        len: u32,
        /// Indices into the arrays around it, the outermost first.
        path: SmallVec<[InstrId; 2]>,
        /// Deref of the parts that are not opaque.
        data: Option<InstrId>,
    },
    /// No memory at all: a computed value.
    Value(Value),
}
