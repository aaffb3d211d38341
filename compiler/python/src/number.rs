//! Numbers of Python as constants and uniforms of shaders.

use airfoil::SpecValue;
use airfoil::ir::Scalar;
use airfoil::spec::SpecType;
use pyo3::prelude::*;
use std::fmt;

/// A number.
#[derive(Clone, Copy, Debug, FromPyObject)]
pub enum Number {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer that is too large for 64 bits with sign.
    Word(u64),
    /// A float.
    Float(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Bool(value) => value.fmt(f),
            Number::Int(value) => value.fmt(f),
            Number::Word(value) => value.fmt(f),
            Number::Float(value) => value.fmt(f),
        }
    }
}

impl From<Number> for SpecValue {
    fn from(number: Number) -> SpecValue {
        match number {
            Number::Bool(value) => SpecValue::Bool(value),
            Number::Int(value) => SpecValue::Int(value.into()),
            Number::Word(value) => SpecValue::Int(value.into()),
            Number::Float(value) => SpecValue::Float(value),
        }
    }
}

impl Number {
    /// The bits of the number as a scalar.
    ///
    /// # Errors
    /// A message if it does not fit.
    pub fn bits(self, scalar: Scalar) -> Result<u64, String> {
        let bits = u32::from(scalar.bits());
        let ty = match scalar {
            Scalar::Bool => SpecType::Bool,
            s if s.is_float() => SpecType::Float(bits),
            _ => SpecType::Int(bits),
        };
        let found = SpecValue::from(self).bits(ty);
        found.ok_or_else(|| format!("{self} is not a value of the type {scalar}"))
    }
}
