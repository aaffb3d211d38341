//! The block of external images: conversions from YUV to RGB.

use airfoil::passes::stages::stage_buffer::SET;
use airfoil::passes::util::driver_values::EXTERNAL;

/// The color space of an external image (`EGL_YUV_COLOR_SPACE_HINT_EXT`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ColorSpace {
    /// ITU-R BT.601 (`EGL_ITU_REC601_EXT`).
    #[default]
    Bt601 = 0,
    /// ITU-R BT.709 (`EGL_ITU_REC709_EXT`).
    Bt709 = 1,
    /// ITU-R BT.2020 with non-constant luminance (`EGL_ITU_REC2020_EXT`).
    Bt2020 = 2,
}

impl ColorSpace {
    /// The weights of red and blue in the luminance.
    fn weights(self) -> [f64; 2] {
        match self {
            ColorSpace::Bt601 => [0.299, 0.114],
            ColorSpace::Bt709 => [0.2126, 0.0722],
            ColorSpace::Bt2020 => [0.2627, 0.0593],
        }
    }
}

/// The range of the values of an external image (`EGL_SAMPLE_RANGE_HINT_EXT`), for planes of 8 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Range {
    /// Luminance from 16 to 235, chroma from 16 to 240 (`EGL_YUV_NARROW_RANGE_EXT`).
    #[default]
    Narrow = 0,
    /// From 0 to 255 (`EGL_YUV_FULL_RANGE_EXT`).
    Full = 1,
}

impl Range {
    /// The factors of luminance and chroma, and the values for black and gray.
    fn scale(self) -> [f64; 4] {
        match self {
            Range::Narrow => [255.0 / 219.0, 255.0 / 224.0, 16.0 / 255.0, 128.0 / 255.0],
            Range::Full => [1.0, 1.0, 0.0, 128.0 / 255.0],
        }
    }
}

/// How the planes of an external image become RGB. Functions of keys with [`external_planes`](crate::StateKey::external_planes)
/// read the uniform block `external`, an array of 32 of these by the binding of the texture in the reflection.
///
/// ```
/// use airfoil_gl::{ColorSpace, ExternalImage, Range};
///
/// let image = ExternalImage::new(ColorSpace::Bt709, Range::Narrow);
/// let white = [235.0, 128.0, 128.0].map(|value: f32| value / 255.0);
/// for color in image.rgb(white) {
///     assert!((color - 1.0).abs() < 1e-6);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct ExternalImage {
    /// Red, green and blue as sums of Y, U, V and one with these factors. Columns in another order are for other orders of
    /// chroma (NV21, YV12).
    pub matrix: [[f32; 4]; 3],
    /// Offset of the coordinates at which chroma is read: zero for samples in the middle between those of Y
    /// (`EGL_YUV_CHROMA_SITING_0_5_EXT`), a quarter of a chroma texel, 0.25 / width or height of the plane, for samples at those of Y
    /// (`EGL_YUV_CHROMA_SITING_0_EXT`).
    pub chroma_offset: [f32; 2],
    /// Zero.
    pub reserved: [f32; 2],
}

impl ExternalImage {
    /// Descriptor set of the block.
    pub const SET: u32 = SET;
    /// Binding of the block.
    pub const BINDING: u32 = EXTERNAL.binding;
    /// Size of the block in bytes.
    pub const BYTES: usize = 32 * size_of::<ExternalImage>();

    /// The conversion of a color space and a range, with chroma samples in the middle between those of Y.
    pub fn new(space: ColorSpace, range: Range) -> ExternalImage {
        let ([red, blue], [luma, chroma, black, gray]) = (space.weights(), range.scale());
        let green = 1.0 - red - blue;
        // Differences of a color and the luminance, by chroma.
        let (v, u) = (2.0 * (1.0 - red), 2.0 * (1.0 - blue));
        let rows = [[0.0, v], [-u * blue / green, -v * red / green], [u, 0.0]];
        let matrix = rows.map(|[u, v]| {
            let (u, v) = (u * chroma, v * chroma);
            [luma, u, v, -(luma * black + (u + v) * gray)].map(|x| x as f32)
        });
        ExternalImage { matrix, ..ExternalImage::default() }
    }

    /// The color of the values of the planes, as functions compute it.
    pub fn rgb(&self, yuv: [f32; 3]) -> [f32; 3] {
        self.matrix.map(|row| (0..3).fold(row[3], |sum, c| row[c].mul_add(yuv[c], sum)))
    }

    /// The descriptor set and the binding of a plane of chroma, 1 or 2, of the texture of a binding.
    pub fn plane(binding: u32, plane: u32) -> (u32, u32) {
        (SET, 32 + 32 * plane + binding)
    }
}
