//! Texture targets.

use airfoil_ir::Dim;

/// A texture target in texture instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureTarget {
    /// `1D`
    D1,
    /// `2D`
    D2,
    /// `3D`
    D3,
    /// `CUBE`
    Cube,
    /// `RECT`
    Rect,
    /// `SHADOW1D`
    Shadow1D,
    /// `SHADOW2D`
    Shadow2D,
    /// `SHADOWRECT`
    ShadowRect,
}

/// Rows: word, target, shape, whether depths are compared.
const ROWS: &[(&str, TextureTarget, Dim, bool)] = &[
    ("1D", TextureTarget::D1, Dim::D1, false),
    ("2D", TextureTarget::D2, Dim::D2, false),
    ("3D", TextureTarget::D3, Dim::D3, false),
    ("CUBE", TextureTarget::Cube, Dim::Cube, false),
    ("RECT", TextureTarget::Rect, Dim::Rect, false),
    ("SHADOW1D", TextureTarget::Shadow1D, Dim::D1, true),
    ("SHADOW2D", TextureTarget::Shadow2D, Dim::D2, true),
    ("SHADOWRECT", TextureTarget::ShadowRect, Dim::Rect, true),
];

impl TextureTarget {
    /// The target of a word.
    pub fn from_name(word: &str) -> Option<TextureTarget> {
        ROWS.iter().find(|r| r.0 == word).map(|r| r.1)
    }

    /// The word.
    pub fn name(self) -> &'static str {
        ROWS[self as usize].0
    }

    /// Shape of the texture.
    pub fn dim(self) -> Dim {
        ROWS[self as usize].2
    }

    /// Whether depths are compared.
    pub fn is_shadow(self) -> bool {
        ROWS[self as usize].3
    }
}

#[cfg(test)]
mod tests {
    use super::ROWS;

    #[test]
    fn rows_are_in_the_order_of_the_targets() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!((row.1 as usize, row.1.name()), (i, row.0));
        }
    }
}
