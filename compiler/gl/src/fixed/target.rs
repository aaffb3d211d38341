//! Texture targets of the fixed functions.

use airfoil::ir::Dim;

/// The texture target that is enabled at a unit; the first of cube map, 3D, rectangle, 2D and 1D if several are (section 16.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum UnitTarget {
    /// None, or the texture is not complete.
    #[default]
    None,
    /// `GL_TEXTURE_1D`.
    D1,
    /// `GL_TEXTURE_2D`.
    D2,
    /// `GL_TEXTURE_3D`.
    D3,
    /// `GL_TEXTURE_CUBE_MAP`.
    Cube,
    /// `GL_TEXTURE_RECTANGLE`.
    Rect,
    /// `GL_TEXTURE_1D` with a depth texture and `GL_TEXTURE_COMPARE_MODE`.
    Shadow1D,
    /// `GL_TEXTURE_2D` with a depth texture and `GL_TEXTURE_COMPARE_MODE`.
    Shadow2D,
    /// `GL_TEXTURE_CUBE_MAP` with a depth texture and `GL_TEXTURE_COMPARE_MODE`.
    ShadowCube,
    /// `GL_TEXTURE_RECTANGLE` with a depth texture and `GL_TEXTURE_COMPARE_MODE`.
    ShadowRect,
}

/// Rows: target, shape, whether depths are compared.
const ROWS: &[(UnitTarget, Dim, bool)] = &[
    (UnitTarget::None, Dim::D2, false),
    (UnitTarget::D1, Dim::D1, false),
    (UnitTarget::D2, Dim::D2, false),
    (UnitTarget::D3, Dim::D3, false),
    (UnitTarget::Cube, Dim::Cube, false),
    (UnitTarget::Rect, Dim::Rect, false),
    (UnitTarget::Shadow1D, Dim::D1, true),
    (UnitTarget::Shadow2D, Dim::D2, true),
    (UnitTarget::ShadowCube, Dim::Cube, true),
    (UnitTarget::ShadowRect, Dim::Rect, true),
];

impl UnitTarget {
    /// All targets, [`UnitTarget::None`] included.
    pub fn all() -> impl Iterator<Item = UnitTarget> {
        ROWS.iter().map(|row| row.0)
    }

    /// Shape of the texture.
    pub fn dim(self) -> Dim {
        ROWS[self as usize].1
    }

    /// Whether depths are compared.
    pub fn is_shadow(self) -> bool {
        ROWS[self as usize].2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_targets() {
        assert!(UnitTarget::all().enumerate().all(|(n, target)| target as usize == n));
    }
}
