//! Constant samplers: the words that Metal's compiler puts into the module.

use airfoil_interp::texture::{Compare, Filter, Mip, Sampler, Wrap};
use half::f16;

/// Decodes a state word and the lod bias after it.
///
/// Bits 0 to 8 are three addresses, 9 and 11 the filters, 13 the mip filter, 15 pixel coordinates, 16 the comparison, 20
/// the anisotropy less one, 24 and 40 the range of levels as halves, 56 the border.
pub(crate) fn decode(word: u64, second: u64) -> Sampler {
    let bits = |at: u32, count: u32| (word >> at) & ((1 << count) - 1);
    let wrap = |at| match bits(at, 3) {
        0 => Wrap::ClampToBorder,
        1 => Wrap::ClampToEdge,
        2 => Wrap::Repeat,
        _ => Wrap::MirroredRepeat,
    };
    let filter = |at| if bits(at, 2) == 0 { Filter::Nearest } else { Filter::Linear };
    let half = |raw: u64| f16::from_bits(raw as u16).to_f64();
    Sampler {
        wrap: [wrap(0), wrap(3), wrap(6)],
        mag: filter(9),
        min: filter(11),
        mip: match bits(13, 2) {
            0 => Mip::None,
            1 => Mip::Nearest,
            _ => Mip::Linear,
        },
        unnormalized: bits(15, 1) != 0,
        compare: match bits(16, 4) {
            1 => Some(Compare::Less),
            2 => Some(Compare::LessEqual),
            3 => Some(Compare::Greater),
            4 => Some(Compare::GreaterEqual),
            5 => Some(Compare::Equal),
            6 => Some(Compare::NotEqual),
            7 => Some(Compare::Always),
            8 => Some(Compare::Never),
            _ => None,
        },
        max_anisotropy: bits(20, 4) as f64 + 1.0,
        min_lod: half(bits(24, 16)),
        max_lod: half(bits(40, 16)),
        // Transparent black, opaque black, opaque white.
        border: match bits(56, 2) {
            0 => [0.0; 4],
            1 => [0.0, 0.0, 0.0, 1.0],
            _ => [1.0; 4],
        },
        lod_bias: half(second & 0xffff),
        ..Sampler::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_apples_compiler() {
        let s = decode(0x807b_ff00_0008_0a49, 0);
        assert_eq!(s.wrap, [Wrap::ClampToEdge; 3]);
        assert_eq!((s.mag, s.min, s.mip), (Filter::Linear, Filter::Linear, Mip::None));
        assert_eq!((s.compare, s.max_anisotropy), (Some(Compare::Never), 1.0));
        assert_eq!((s.min_lod, s.max_lod), (0.0, 65504.0));
    }
}
