//! Enumerants of types in the OpenGL API (OpenGL 4.6 table 7.3), converted to types.

/// Kind of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Floating point.
    Float,
    /// Signed integer.
    Int,
    /// Unsigned integer.
    Uint,
    /// Truth value.
    Bool,
}

/// A scalar, vector or matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Kind of its numbers.
    pub number: Number,
    /// Bits of each.
    pub bits: u32,
    /// Columns of a matrix, otherwise 1.
    pub columns: u32,
    /// Components of a vector or column.
    pub rows: u32,
}

/// First enumerant of the vectors of a kind: scalar, then those of two to four components.
const VECTORS: &[(Number, u32, [u32; 4])] = &[
    (Number::Float, 32, [0x1406, 0x8B50, 0x8B51, 0x8B52]),
    (Number::Int, 32, [0x1404, 0x8B53, 0x8B54, 0x8B55]),
    (Number::Uint, 32, [0x1405, 0x8DC6, 0x8DC7, 0x8DC8]),
    (Number::Bool, 32, [0x8B56, 0x8B57, 0x8B58, 0x8B59]),
    (Number::Float, 64, [0x140A, 0x8FFC, 0x8FFD, 0x8FFE]),
    (Number::Int, 64, [0x140E, 0x8FE9, 0x8FEA, 0x8FEB]),
    (Number::Uint, 64, [0x140F, 0x8FF5, 0x8FF6, 0x8FF7]),
];

/// Matrices by bits: by columns, then rows, each from two.
const MATRICES: &[(u32, [[u32; 3]; 3])] = &[
    (32, [[0x8B5A, 0x8B65, 0x8B66], [0x8B67, 0x8B5B, 0x8B68], [0x8B69, 0x8B6A, 0x8B5C]]),
    (64, [[0x8F46, 0x8F49, 0x8F4A], [0x8F4B, 0x8F47, 0x8F4C], [0x8F4D, 0x8F4E, 0x8F48]]),
];

/// The shape of a type with numbers in it; `None` for samplers and the like.
pub fn shape(ty: u32) -> Option<Shape> {
    for &(number, bits, codes) in VECTORS {
        if let Some(n) = codes.iter().position(|&c| c == ty) {
            return Some(Shape { number, bits, columns: 1, rows: n as u32 + 1 });
        }
    }
    for (bits, columns) in MATRICES {
        for (c, rows) in (2..).zip(columns) {
            if let Some(r) = rows.iter().position(|&code| code == ty) {
                return Some(Shape { number: Number::Float, bits: *bits, columns: c, rows: r as u32 + 2 });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_types() {
        assert_eq!(shape(0x8B52), Some(Shape { number: Number::Float, bits: 32, columns: 1, rows: 4 }));
        assert_eq!(shape(0x8B66), Some(Shape { number: Number::Float, bits: 32, columns: 2, rows: 4 }));
        assert_eq!(shape(0x8FE9), Some(Shape { number: Number::Int, bits: 64, columns: 1, rows: 2 }));
        assert_eq!(shape(0x8B5E), None);
    }
}
