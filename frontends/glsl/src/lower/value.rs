//! Values and places of the function that is lowered.
//!
//! A value of scalar or vector type is an SSA value (booleans have one bit), a matrix is its columns, everything larger
//! stays in memory.

use crate::hir;
use crate::operators::{to_ir_bits, value_bits};
use crate::types::{Base, Type};
use airfoil_ir::{Access, InstrId, Lanes, Scalar, Ty};
use smallvec::SmallVec;

/// Columns of a matrix.
pub type Columns = SmallVec<[InstrId; 4]>;

/// A value. Its type stands beside it.
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
    /// Qualifiers gathered on the way (those of the variable itself stand there).
    pub access: Access,
}

/// Where a place is.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// Memory.
    Deref(InstrId),
    /// An interface block that is split into a variable a member.
    Block {
        /// The block.
        var: hir::VarId,
        /// Indices into the arrays around it, the outermost first.
        path: SmallVec<[InstrId; 2]>,
    },
    /// An array of one element whose deref is the element's.
    Single(InstrId),
    /// Components of a vector in memory.
    Swizzle {
        /// Deref of the vector.
        deref: InstrId,
        /// The components.
        swizzle: hir::Swizzle,
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

impl Value {
    /// The SSA value of a scalar or vector.
    pub fn as_ssa(&self) -> Option<InstrId> {
        if let Value::Ssa(v) = self { Some(*v) } else { None }
    }
}

/// Scalar type of a component in variables without explicit layout.
pub fn scalar_of(base: Base) -> Scalar {
    match base {
        Base::Bool => Scalar::Bool,
        Base::Int => Scalar::Int32,
        Base::Uint => Scalar::Uint32,
        Base::Float => Scalar::Float32,
        Base::Double => Scalar::Float64,
        Base::Half => Scalar::Float16,
        Base::Int16 => Scalar::Int16,
        Base::Uint16 => Scalar::Uint16,
        Base::Int8 => Scalar::Int8,
        Base::Uint8 => Scalar::Uint8,
        Base::Int64 => Scalar::Int64,
        Base::Uint64 => Scalar::Uint64,
    }
}

/// Shape of a value of scalar or vector type.
pub fn shape_of(ty: Type) -> Option<Ty> {
    if let Type::Vector { base, size } = ty.as_number() {
        Some(Ty::new(size, value_bits(base)))
    } else {
        None
    }
}

/// Number of columns of a matrix, and shape of each.
pub fn columns_of(ty: Type) -> Option<(u8, Ty)> {
    match ty {
        Type::Matrix { base, cols, rows } => Some((cols, Ty::new(rows, value_bits(base)))),
        _ => None,
    }
}

/// Lanes for up to four scalars of a constant.
pub fn lanes_of(base: Base, scalars: &[u64]) -> Lanes {
    let mut lanes = Lanes::default();
    for (lane, &s) in lanes.iter_mut().zip(scalars) {
        *lane = to_ir_bits(base, s);
    }
    lanes
}
