//! States of samplers that are known when the shader is compiled, and their encoding.

use crate::target::SamplerEncoding;
use airfoil_ir::alu::f64_to_bits;

/// Texels at coordinates outside of a texture. The values are those of the state word, here and below.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum SamplerAddress {
    /// The border.
    ClampToBorder = 0,
    /// The texel at the edge.
    #[default]
    ClampToEdge = 1,
    /// The texture again.
    Repeat = 2,
    /// The texture again, every second time mirrored.
    MirroredRepeat = 3,
}

/// Filter between texels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum SamplerFilter {
    /// None: the nearest texel.
    #[default]
    Nearest = 0,
    /// Linear.
    Linear = 1,
}

/// Use of levels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum SamplerMip {
    /// The first level only.
    #[default]
    None = 0,
    /// The nearest level.
    Nearest = 1,
    /// Linear between two levels.
    Linear = 2,
}

/// Comparison of a reference with a depth.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum SamplerCompare {
    /// Reference < depth.
    Less = 1,
    /// Reference <= depth.
    LessEqual = 2,
    /// Reference > depth.
    Greater = 3,
    /// Reference >= depth.
    GreaterEqual = 4,
    /// Reference = depth.
    Equal = 5,
    /// Reference != depth.
    NotEqual = 6,
    /// True.
    Always = 7,
    /// False; also for samplers that do not compare.
    #[default]
    Never = 8,
}

/// Colour of the border.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum SamplerBorder {
    /// (0, 0, 0, 0).
    #[default]
    TransparentBlack = 0,
    /// (0, 0, 0, 1).
    OpaqueBlack = 1,
    /// (1, 1, 1, 1).
    OpaqueWhite = 2,
}

/// A level of detail: the bits of a 16-bit float, as samplers hold it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Lod(pub u16);

impl Lod {
    /// The highest there is.
    pub const MAX: Lod = Lod(0x7bff);
}

impl From<f32> for Lod {
    /// Rounded; numbers that are too large and NaNs become the largest.
    fn from(x: f32) -> Lod {
        let largest = 65504.0;
        let x = if x.is_nan() { largest } else { f64::from(x).clamp(-largest, largest) };
        Lod(f64_to_bits(x, 16) as u16)
    }
}

/// State of a constant sampler. Default: that of `constexpr sampler` in the Metal language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SamplerState {
    /// Coordinates outside, along s, t and r.
    pub address: [SamplerAddress; 3],
    /// Filter where the texture is magnified.
    pub mag: SamplerFilter,
    /// Filter where it is minified.
    pub min: SamplerFilter,
    /// Use of levels.
    pub mip: SamplerMip,
    /// Coordinates count texels.
    pub pixel: bool,
    /// Comparison.
    pub compare: SamplerCompare,
    /// Most samples along a stretched footprint, 1 to 16.
    pub max_anisotropy: u8,
    /// Lowest level of detail.
    pub lod_min: Lod,
    /// Highest level of detail.
    pub lod_max: Lod,
    /// Added to the level of detail.
    pub lod_bias: Lod,
    /// Colour of the border.
    pub border: SamplerBorder,
}

impl Default for SamplerState {
    fn default() -> SamplerState {
        SamplerState {
            address: [SamplerAddress::default(); 3],
            mag: SamplerFilter::default(),
            min: SamplerFilter::default(),
            mip: SamplerMip::default(),
            pixel: false,
            compare: SamplerCompare::default(),
            max_anisotropy: 1,
            lod_min: Lod(0),
            lod_max: Lod::MAX,
            lod_bias: Lod(0),
            border: SamplerBorder::default(),
        }
    }
}

/// A bit that is set in state words without a second word.
const ALONE: u64 = 1 << 63;
/// The bits of both limits of levels.
const LODS: u64 = 0xffff_ffff << 24;

impl SamplerState {
    /// The state word, without the bits that depend on the encoding.
    fn word(&self) -> u64 {
        let [s, t, r] = self.address.map(|a| a as u64);
        let anisotropy = u64::from(self.max_anisotropy.clamp(1, 16) - 1);
        s | t << 3
            | r << 6
            | (self.mag as u64) << 9
            | (self.min as u64) << 11
            | (self.mip as u64) << 13
            | u64::from(self.pixel) << 15
            | (self.compare as u64) << 16
            | anisotropy << 20
            | u64::from(self.lod_min.0) << 24
            | u64::from(self.lod_max.0) << 40
            | (self.border as u64) << 56
    }

    /// The words of an encoding.
    pub fn words(&self, encoding: SamplerEncoding) -> [u64; 2] {
        match encoding {
            // AIR 1.8 writes levels that are not limited as zero.
            SamplerEncoding::IntToPtr if self.lod_min == Lod(0) && self.lod_max == Lod::MAX => {
                [self.word() & !LODS | ALONE, 0]
            }
            SamplerEncoding::IntToPtr | SamplerEncoding::Word => [self.word() | ALONE, 0],
            SamplerEncoding::WordPair => [self.word(), u64::from(self.lod_bias.0)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_apples_compilers() {
        let linear = SamplerState {
            mag: SamplerFilter::Linear,
            min: SamplerFilter::Linear,
            ..SamplerState::default()
        };
        assert_eq!(linear.words(SamplerEncoding::Word)[0] as i64, -9188470239253755319);
        assert_eq!(linear.words(SamplerEncoding::WordPair), [34901797601020489, 0]);
        assert_eq!(SamplerState::default().words(SamplerEncoding::IntToPtr)[0], 0x8000_0000_0008_0049);
    }

    #[test]
    fn levels_are_halves() {
        assert_eq!(
            [1.0, 0.0, f32::INFINITY, f32::NAN, 1e9].map(|x| Lod::from(x).0),
            [0x3c00, 0, 0x7bff, 0x7bff, 0x7bff]
        );
    }
}
