//! GLSL types as shapes, scalars and lanes of the IR.

use crate::types::{Base, Type};
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{Lanes, Scalar, Ty, bit_mask};

/// Width of a component as a value of the IR: 1 for booleans.
pub fn value_bits(base: Base) -> u8 {
    if base == Base::Bool { 1 } else { base.bits() }
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

/// A scalar of a [`crate::hir::Constant`] as bits of the IR: 16-bit floats are kept as 32-bit ones there.
pub fn to_ir_bits(base: Base, scalar: u64) -> u64 {
    match base {
        Base::Half => f64_to_bits(f64_from_bits(scalar, 32), 16),
        _ => scalar & bit_mask(u32::from(value_bits(base))),
    }
}

/// Bits of the IR as a scalar of a [`crate::hir::Constant`].
pub fn from_ir_bits(base: Base, bits: u64) -> u64 {
    match base {
        Base::Half => f64_to_bits(f64_from_bits(bits, 16), 32),
        _ => bits & bit_mask(u32::from(value_bits(base))),
    }
}
