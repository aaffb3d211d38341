//! The block of external images.

use crate::call::call;
use crate::input::write;
use crate::memory::Callbacks;
use crate::types::AfResult;
use airfoil_gl::{ColorSpace, ExternalImage, Range};

/// ITU-R BT.601 (EGL_ITU_REC601_EXT).
pub const AF_COLOR_SPACE_BT601: u32 = 0;
/// ITU-R BT.709 (EGL_ITU_REC709_EXT).
pub const AF_COLOR_SPACE_BT709: u32 = 1;
/// ITU-R BT.2020 with non-constant luminance (EGL_ITU_REC2020_EXT).
pub const AF_COLOR_SPACE_BT2020: u32 = 2;

/// Luminance from 16 to 235, chroma from 16 to 240 (EGL_YUV_NARROW_RANGE_EXT).
pub const AF_RANGE_NARROW: u32 = 0;
/// From 0 to 255 (EGL_YUV_FULL_RANGE_EXT).
pub const AF_RANGE_FULL: u32 = 1;

/// How the planes of an external image become RGB. Functions of keys with external_planes read the uniform block "external" (set
/// AF_DRIVER_SET, binding 19), an array of 32 of these by the binding of the texture in the reflection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct AfExternalImage {
    /// Red, green and blue as sums of Y, U, V and one with these factors. Columns in another order are for other orders of
    /// chroma (NV21, YV12).
    pub matrix: [[f32; 4]; 3],
    /// Offset of the coordinates at which chroma is read: zero for samples in the middle between those of Y
    /// (EGL_YUV_CHROMA_SITING_0_5_EXT), 0.25 / width or height of the plane of chroma for samples at those of Y
    /// (EGL_YUV_CHROMA_SITING_0_EXT).
    pub chroma_offset: [f32; 2],
    /// Zero.
    pub reserved: [f32; 2],
}

/// The conversion of a color space (AF_COLOR_SPACE_*) and a range (AF_RANGE_*) of 8-bit planes, with chroma samples in the middle
/// between those of Y.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_external_image(
    color_space: u32,
    range: u32,
    image: *mut AfExternalImage,
) -> AfResult {
    call(Callbacks::NONE, || {
        let space = match color_space {
            AF_COLOR_SPACE_BT601 => ColorSpace::Bt601,
            AF_COLOR_SPACE_BT709 => ColorSpace::Bt709,
            AF_COLOR_SPACE_BT2020 => ColorSpace::Bt2020,
            _ => return Err(AfResult::AF_ERROR_INVALID_ARGUMENT),
        };
        let range = match range {
            AF_RANGE_NARROW => Range::Narrow,
            AF_RANGE_FULL => Range::Full,
            _ => return Err(AfResult::AF_ERROR_INVALID_ARGUMENT),
        };
        let ExternalImage { matrix, chroma_offset, reserved } = ExternalImage::new(space, range);
        // SAFETY: the caller passes a pointer to write to.
        unsafe { write(image, AfExternalImage { matrix, chroma_offset, reserved }) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_those_of_the_library() {
        assert_eq!(size_of::<AfExternalImage>(), size_of::<ExternalImage>());
        let mut image = AfExternalImage::default();
        // SAFETY: the image lives.
        let result = unsafe { af_external_image(AF_COLOR_SPACE_BT2020, AF_RANGE_FULL, &mut image) };
        assert_eq!(result, AfResult::AF_SUCCESS);
        assert_eq!(image.matrix, ExternalImage::new(ColorSpace::Bt2020, Range::Full).matrix);
        for (space, range) in [(3, 0), (0, 2)] {
            // SAFETY: as above.
            let result = unsafe { af_external_image(space, range, &mut image) };
            assert_eq!(result, AfResult::AF_ERROR_INVALID_ARGUMENT);
        }
    }
}
