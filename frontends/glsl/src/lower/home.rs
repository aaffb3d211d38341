//! Storage of variables.

use crate::hir::ConstId;
use airfoil_ir::InstrId;

/// Where a variable of the typed tree lives.
#[derive(Clone, Copy, Debug, Default)]
pub enum Home {
    /// Nothing has named it yet.
    #[default]
    None,
    /// A variable.
    Var(airfoil_ir::VarId),
    /// A local that is an SSA value: its index, or that of a matrix's first column.
    Local(u32),
    /// A member of a buffer: of the default uniform block or of an atomic-counter buffer.
    Member(airfoil_ir::VarId, u32),
    /// A parameter that is passed as a deref.
    Deref(InstrId),
    /// An array of one element that is a single variable.
    Single(airfoil_ir::VarId),
    /// An array of scalars that is an array of vectors of four components; whether an array of vertices is around it.
    Packed(airfoil_ir::VarId, bool),
    /// A system value whose bits have to be combined.
    Computed(Computed, airfoil_ir::VarId),
    /// An interface block: the first of its members in `Module::block_members`.
    Block(u32),
    /// Something with opaque parts.
    Opaque {
        /// First resource.
        first: u32,
        /// How many.
        len: u32,
        /// Where the rest is.
        data: Data,
    },
    /// A constant.
    Const(ConstId),
}

/// Where the parts of a variable are that are not opaque.
#[derive(Clone, Copy, Debug)]
pub enum Data {
    /// None.
    None,
    /// Member of the default uniform block.
    Member(airfoil_ir::VarId, u32),
    /// A parameter.
    Deref(InstrId),
}

/// How the value of a built-in comes from a system value of another shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computed {
    /// A mask over the subgroup as one 64-bit number: the first 64 bits of four words.
    Mask64,
    /// The first components.
    Cut,
}
