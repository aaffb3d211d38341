//! Types of values and the typed rows of numbers that a case is executed with.

use std::fmt;

/// Type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// 32-bit float.
    Float,
    /// 32-bit signed integer.
    Int,
    /// 32-bit unsigned integer.
    Uint,
    /// Truth value.
    Bool,
}

/// A scalar, vector or matrix type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataType {
    /// Type of the components.
    pub scalar: Scalar,
    /// Columns of a matrix; 1 for all others.
    pub columns: u8,
    /// Components of a vector or of a column; 1 for scalars.
    pub rows: u8,
}

const fn shape(scalar: Scalar, columns: u8, rows: u8) -> DataType {
    DataType { scalar, columns, rows }
}

/// All types by name.
pub const TYPES: &[(&str, DataType)] = &[
    ("float", shape(Scalar::Float, 1, 1)),
    ("vec2", shape(Scalar::Float, 1, 2)),
    ("vec3", shape(Scalar::Float, 1, 3)),
    ("vec4", shape(Scalar::Float, 1, 4)),
    ("int", shape(Scalar::Int, 1, 1)),
    ("ivec2", shape(Scalar::Int, 1, 2)),
    ("ivec3", shape(Scalar::Int, 1, 3)),
    ("ivec4", shape(Scalar::Int, 1, 4)),
    ("uint", shape(Scalar::Uint, 1, 1)),
    ("uvec2", shape(Scalar::Uint, 1, 2)),
    ("uvec3", shape(Scalar::Uint, 1, 3)),
    ("uvec4", shape(Scalar::Uint, 1, 4)),
    ("bool", shape(Scalar::Bool, 1, 1)),
    ("bvec2", shape(Scalar::Bool, 1, 2)),
    ("bvec3", shape(Scalar::Bool, 1, 3)),
    ("bvec4", shape(Scalar::Bool, 1, 4)),
    ("mat2", shape(Scalar::Float, 2, 2)),
    ("mat2x3", shape(Scalar::Float, 2, 3)),
    ("mat2x4", shape(Scalar::Float, 2, 4)),
    ("mat3x2", shape(Scalar::Float, 3, 2)),
    ("mat3", shape(Scalar::Float, 3, 3)),
    ("mat3x4", shape(Scalar::Float, 3, 4)),
    ("mat4x2", shape(Scalar::Float, 4, 2)),
    ("mat4x3", shape(Scalar::Float, 4, 3)),
    ("mat4", shape(Scalar::Float, 4, 4)),
];

impl DataType {
    /// The type of a name.
    pub fn from_name(name: &str) -> Option<DataType> {
        TYPES.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
    }

    /// Number of components.
    pub fn components(self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }

    /// Whether the components are floats.
    pub fn is_float(self) -> bool {
        self.scalar == Scalar::Float
    }

    /// Whether this is a matrix.
    pub fn is_matrix(self) -> bool {
        self.columns > 1
    }

    /// The type of the same shape with other components.
    #[must_use]
    pub fn with_scalar(self, scalar: Scalar) -> DataType {
        DataType { scalar, ..self }
    }
}

impl fmt::Display for DataType {
    /// The name in GLSL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TYPES.iter().find(|(_, t)| t == self).map_or("(no such type)", |(name, _)| name))
    }
}

/// Components of all rows of a value, one row after another, a matrix column after column.
#[derive(Clone, Debug, PartialEq)]
pub enum Components {
    /// Of a float type.
    Float(Vec<f32>),
    /// Of an integer type.
    Int(Vec<i32>),
    /// Of an unsigned type.
    Uint(Vec<u32>),
    /// Of a Boolean type.
    Bool(Vec<bool>),
}

impl Components {
    /// No rows yet.
    pub fn new(scalar: Scalar) -> Components {
        match scalar {
            Scalar::Float => Components::Float(Vec::new()),
            Scalar::Int => Components::Int(Vec::new()),
            Scalar::Uint => Components::Uint(Vec::new()),
            Scalar::Bool => Components::Bool(Vec::new()),
        }
    }

    /// Number of components.
    pub fn len(&self) -> usize {
        match self {
            Components::Float(v) => v.len(),
            Components::Int(v) => v.len(),
            Components::Uint(v) => v.len(),
            Components::Bool(v) => v.len(),
        }
    }

    /// Whether it has no components.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The 32 bits of a component; `true` is 1.
    pub fn bits(&self, index: usize) -> Option<u32> {
        match self {
            Components::Float(v) => v.get(index).map(|x| x.to_bits()),
            Components::Int(v) => v.get(index).map(|x| x.cast_unsigned()),
            Components::Uint(v) => v.get(index).copied(),
            Components::Bool(v) => v.get(index).map(|x| u32::from(*x)),
        }
    }
}

/// A named value with a row for each draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Name; uniforms may have a path such as `s.member` or `a[1]`.
    pub name: String,
    /// Type.
    pub ty: DataType,
    /// The rows.
    pub components: Components,
}

impl Value {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.components.len() / self.ty.components()
    }

    /// Bits of the components of a row. A value with one row has this one in all draws.
    pub fn row(&self, row: usize) -> Vec<u32> {
        let size = self.ty.components();
        let row = if self.rows() == 1 { 0 } else { row };
        (row * size..(row + 1) * size).filter_map(|i| self.components.bits(i)).collect()
    }
}

/// The values of a case: row i of all of them is one draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueBlock {
    /// Attributes.
    pub inputs: Vec<Value>,
    /// The expected result.
    pub outputs: Vec<Value>,
    /// Uniforms.
    pub uniforms: Vec<Value>,
}

impl ValueBlock {
    /// All values.
    pub fn all(&self) -> impl Iterator<Item = &Value> {
        self.inputs.iter().chain(&self.outputs).chain(&self.uniforms)
    }

    /// Number of draws; 1 without values, since the program still runs.
    pub fn rows(&self) -> usize {
        self.all().map(Value::rows).max().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_there_and_back() {
        for (name, ty) in TYPES {
            assert_eq!(DataType::from_name(name), Some(*ty));
            assert_eq!(ty.to_string(), *name);
        }
        let wide = DataType::from_name("ivec3").map(|t| t.with_scalar(Scalar::Float));
        assert_eq!(wide, DataType::from_name("vec3"));
        assert_eq!(DataType::from_name("mat5"), None);
    }

    #[test]
    fn one_row_serves_all_draws() {
        let ty = shape(Scalar::Int, 1, 2);
        let one = Value { name: "a".into(), ty, components: Components::Int(vec![3, -1]) };
        assert_eq!(one.row(7), [3, u32::MAX]);
        let two = Value { components: Components::Int(vec![1, 2, 3, 4]), ..one.clone() };
        assert_eq!(two.row(1), [3, 4]);
        let block = ValueBlock { inputs: vec![one], outputs: vec![two], uniforms: vec![] };
        assert_eq!(block.rows(), 2);
    }
}
