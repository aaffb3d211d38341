//! Formats of images.

use crate::types::Base;
use airfoil_ir::ImageFormat;

/// Component type of the images that a format is for.
pub(crate) fn base(format: ImageFormat) -> Base {
    use ImageFormat as F;
    match format {
        F::Rgba32i | F::Rgba16i | F::Rgba8i | F::R32i | F::Rg32i | F::Rg16i | F::Rg8i | F::R16i | F::R8i => {
            Base::Int
        }
        F::Rgba32ui
        | F::Rgba16ui
        | F::Rgba8ui
        | F::R32ui
        | F::Rgb10A2ui
        | F::Rg32ui
        | F::Rg16ui
        | F::Rg8ui
        | F::R16ui
        | F::R8ui => Base::Uint,
        F::R64i => Base::Int64,
        F::R64ui => Base::Uint64,
        _ => Base::Float,
    }
}

/// Whether it is one of the formats that can be read and written in ES.
pub(crate) fn is_r32(format: ImageFormat) -> bool {
    matches!(format, ImageFormat::R32f | ImageFormat::R32i | ImageFormat::R32ui)
}
