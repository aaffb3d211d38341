//! Numbers of types in the OpenGL API (OpenGL 4.6 table 7.3), as queries return them.

use crate::types::{Base, Opaque, OpaqueKind, Type};
use airfoil_ir::{Dim, Stage};

/// `GL_FLOAT` and so on by base type: scalar first, then vectors of 2, 3, 4.
const VECTORS: &[(Base, [u32; 4])] = &[
    (Base::Float, [0x1406, 0x8B50, 0x8B51, 0x8B52]),
    (Base::Int, [0x1404, 0x8B53, 0x8B54, 0x8B55]),
    (Base::Uint, [0x1405, 0x8DC6, 0x8DC7, 0x8DC8]),
    (Base::Bool, [0x8B56, 0x8B57, 0x8B58, 0x8B59]),
    (Base::Double, [0x140A, 0x8FFC, 0x8FFD, 0x8FFE]),
    (Base::Int64, [0x140E, 0x8FE9, 0x8FEA, 0x8FEB]),
    (Base::Uint64, [0x140F, 0x8FF5, 0x8FF6, 0x8FF7]),
    (Base::Half, [0x8FF8, 0x8FF9, 0x8FFA, 0x8FFB]),
    (Base::Int8, [0x8FE0, 0x8FE1, 0x8FE2, 0x8FE3]),
    (Base::Int16, [0x8FE4, 0x8FE5, 0x8FE6, 0x8FE7]),
    (Base::Uint8, [0x8FEC, 0x8FED, 0x8FEE, 0x8FEF]),
    (Base::Uint16, [0x8FF0, 0x8FF1, 0x8FF2, 0x8FF3]),
];

/// Matrices by base type, columns and rows.
const MATRICES: &[(Base, [[u32; 3]; 3])] = &[
    (Base::Float, [[0x8B5A, 0x8B65, 0x8B66], [0x8B67, 0x8B5B, 0x8B68], [0x8B69, 0x8B6A, 0x8B5C]]),
    (Base::Double, [[0x8F46, 0x8F49, 0x8F4A], [0x8F4B, 0x8F47, 0x8F4C], [0x8F4D, 0x8F4E, 0x8F48]]),
    (Base::Half, [[0x91C5, 0x91C8, 0x91C9], [0x91CA, 0x91C6, 0x91CB], [0x91CC, 0x91CD, 0x91C7]]),
];

/// `GL_UNSIGNED_INT_ATOMIC_COUNTER`.
const ATOMIC_COUNTER: u32 = 0x92DB;

/// Shape of a texture: dimension, with layers, compares depths.
type Texture = (Dim, bool, bool);

/// Samplers by shape: of floats, ints, uints; 0 where there is none.
const SAMPLERS: &[(Texture, [u32; 3])] = &[
    ((Dim::D1, false, false), [0x8B5D, 0x8DC9, 0x8DD1]),
    ((Dim::D2, false, false), [0x8B5E, 0x8DCA, 0x8DD2]),
    ((Dim::D3, false, false), [0x8B5F, 0x8DCB, 0x8DD3]),
    ((Dim::Cube, false, false), [0x8B60, 0x8DCC, 0x8DD4]),
    ((Dim::D1, false, true), [0x8B61, 0, 0]),
    ((Dim::D2, false, true), [0x8B62, 0, 0]),
    ((Dim::D1, true, false), [0x8DC0, 0x8DCE, 0x8DD6]),
    ((Dim::D2, true, false), [0x8DC1, 0x8DCF, 0x8DD7]),
    ((Dim::Cube, true, false), [0x900C, 0x900E, 0x900F]),
    ((Dim::D1, true, true), [0x8DC3, 0, 0]),
    ((Dim::D2, true, true), [0x8DC4, 0, 0]),
    ((Dim::Cube, false, true), [0x8DC5, 0, 0]),
    ((Dim::Cube, true, true), [0x900D, 0, 0]),
    ((Dim::Ms, false, false), [0x9108, 0x9109, 0x910A]),
    ((Dim::Ms, true, false), [0x910B, 0x910C, 0x910D]),
    ((Dim::Buffer, false, false), [0x8DC2, 0x8DD0, 0x8DD8]),
    ((Dim::Rect, false, false), [0x8B63, 0x8DCD, 0x8DD5]),
    ((Dim::Rect, false, true), [0x8B64, 0, 0]),
];

/// Images by shape, as [`SAMPLERS`].
const IMAGES: &[((Dim, bool), [u32; 3])] = &[
    ((Dim::D1, false), [0x904C, 0x9057, 0x9062]),
    ((Dim::D2, false), [0x904D, 0x9058, 0x9063]),
    ((Dim::D3, false), [0x904E, 0x9059, 0x9064]),
    ((Dim::Rect, false), [0x904F, 0x905A, 0x9065]),
    ((Dim::Cube, false), [0x9050, 0x905B, 0x9066]),
    ((Dim::Buffer, false), [0x9051, 0x905C, 0x9067]),
    ((Dim::D1, true), [0x9052, 0x905D, 0x9068]),
    ((Dim::D2, true), [0x9053, 0x905E, 0x9069]),
    ((Dim::Cube, true), [0x9054, 0x905F, 0x906A]),
    ((Dim::Ms, false), [0x9055, 0x9060, 0x906B]),
    ((Dim::Ms, true), [0x9056, 0x9061, 0x906C]),
];

/// `GL_SAMPLER_EXTERNAL_OES`.
const SAMPLER_EXTERNAL: u32 = 0x8D66;

/// The API constant of a type that is neither array nor structure; 0 for types unknown to the API.
pub fn gl_type(ty: Type) -> u32 {
    match ty {
        Type::Vector { base, size } => find(VECTORS, &base)
            .and_then(|row| row.get(usize::from(size).wrapping_sub(1)))
            .copied()
            .unwrap_or(0),
        Type::Matrix { base, cols, rows } => find(MATRICES, &base)
            .and_then(|m| m.get(usize::from(cols).wrapping_sub(2)))
            .and_then(|row| row.get(usize::from(rows).wrapping_sub(2)))
            .copied()
            .unwrap_or(0),
        Type::Opaque(o) => opaque(o),
        _ => 0,
    }
}

fn opaque(o: Opaque) -> u32 {
    let column = match o.sampled {
        Base::Int | Base::Int64 => 1,
        Base::Uint | Base::Uint64 => 2,
        _ => 0,
    };
    match o.kind {
        OpaqueKind::AtomicCounter => ATOMIC_COUNTER,
        OpaqueKind::Image => find(IMAGES, &(o.dim, o.arrayed)).map_or(0, |row| row[column]),
        _ if o.external => SAMPLER_EXTERNAL,
        _ => find(SAMPLERS, &(o.dim, o.arrayed, o.shadow)).map_or(0, |row| row[column]),
    }
}

fn find<'t, K: PartialEq, V>(table: &'t [(K, V)], key: &K) -> Option<&'t V> {
    table.iter().find(|(k, _)| k == key).map(|(_, v)| v)
}

/// The bit of a stage, as in `glUseProgramStages`.
pub fn stage_bit(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 0x01,
        Stage::Fragment => 0x02,
        Stage::Geometry => 0x04,
        Stage::TessControl => 0x08,
        Stage::TessEval => 0x10,
        Stage::Compute => 0x20,
        Stage::Mesh => 0x40,
        Stage::Task => 0x80,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basic_types::BASIC_TYPES;

    #[test]
    fn numbers_are_distinct_and_complete() {
        let mut seen = rustc_hash::FxHashMap::default();
        for row in BASIC_TYPES {
            let vulkan = row.ty.as_opaque().is_some_and(|o| {
                matches!(o.kind, OpaqueKind::Texture | OpaqueKind::Sampler | OpaqueKind::Subpass)
                    || (o.kind == OpaqueKind::Image && matches!(o.sampled, Base::Int64 | Base::Uint64))
            });
            if row.ty == Type::Void || vulkan {
                continue;
            }
            let n = gl_type(row.ty);
            assert_ne!(n, 0, "{}", row.name);
            assert_eq!(*seen.entry(n).or_insert(row.ty), row.ty, "{}", row.name);
        }
    }

    #[test]
    fn known_numbers() {
        assert_eq!(gl_type(Type::VEC4), 0x8B52);
        assert_eq!(gl_type(Type::Matrix { base: Base::Float, cols: 4, rows: 3 }), 0x8B6A);
        assert_eq!(gl_type(Type::MAT4), 0x8B5C);
    }
}
