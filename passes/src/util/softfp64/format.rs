//! Formats of floats: the parts of a number, and numbers of rounded parts. All parts but exponents have 64 bits.

use super::code::V;
use airfoil_ir::alu::Rounding;

/// A binary interchange format of IEEE 754-2008 (section 3.6).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Width.
    pub(crate) bits: u8,
    /// Bits of the significand, with the one that is not stored.
    pub(crate) precision: u8,
}

impl Format {
    pub(crate) const F16: Format = Format { bits: 16, precision: 11 };
    pub(crate) const F32: Format = Format { bits: 32, precision: 24 };
    pub(crate) const F64: Format = Format { bits: 64, precision: 53 };

    /// The format of a width.
    pub(crate) fn of(bits: u8) -> Option<Format> {
        [Format::F16, Format::F32, Format::F64].into_iter().find(|f| f.bits == bits)
    }

    /// Bits of the fraction that is stored.
    pub(crate) const fn fraction(self) -> u64 {
        self.precision as u64 - 1
    }

    pub(crate) const fn bias(self) -> u64 {
        self.max_exponent() >> 1
    }

    /// The exponent of infinities and NaNs.
    pub(crate) const fn max_exponent(self) -> u64 {
        (1 << (self.bits - self.precision)) - 1
    }

    pub(crate) const fn infinity(self) -> u64 {
        self.max_exponent() << self.fraction()
    }

    pub(crate) const fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction() - 1)
    }

    pub(crate) const fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// Bits below the significand in a word whose highest bit is the significand's.
    pub(crate) const fn below(self) -> u64 {
        64 - self.precision as u64
    }
}

/// The sign of a 64-bit float.
pub(crate) const SIGN: u64 = Format::F64.sign();
/// Bits of infinity.
pub(crate) const INF: u64 = Format::F64.infinity();
/// The lower bound of the magnitudes of NaNs.
pub(crate) const FIRST_NAN: u64 = INF + 1;
/// Bits of a generated NaN.
pub(crate) const NAN: u64 = Format::F64.nan();
/// Bits of 1.
pub(crate) const ONE: u64 = Format::F64.bias() << 52;

/// The bits of `|a|`.
pub(crate) fn magnitude(a: V<'_>) -> V<'_> {
    a & !SIGN
}

/// `number`, or the generated NaN where `magnitude` is that of a NaN.
pub(crate) fn or_nan<'c>(magnitude: V<'c>, number: V<'c>) -> V<'c> {
    magnitude.uge(FIRST_NAN).select(number.imm(NAN), number)
}

/// A finite number that is not zero: `significand / 2^63 * 2^(exponent - bias)`.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'c> {
    /// The highest bit is one. Of zero it is `2^63`, too: zero is a case of its own.
    pub(crate) significand: V<'c>,
    /// As it would be stored if the format had no lower bound; 32 bits, signed.
    pub(crate) exponent: V<'c>,
}

/// Parts of a magnitude in 64 bits.
pub(crate) fn unpack(format: Format, magnitude: V<'_>) -> Parts<'_> {
    let field = (magnitude >> format.fraction()).to(32);
    let subnormal = field.ieq(0);
    let up = subnormal.select(field.imm(63) - magnitude.msb(), format.below());
    Parts {
        significand: (magnitude << up) | 1 << 63,
        exponent: subnormal.select(field.imm(format.below() + 1) - up, field),
    }
}

/// The exponent as it is stored, less 1 (the highest bit of a normal significand adds it), and the significand, shifted
/// down where the number is below the normal ones. The lowest bit collects those that get lost.
pub(crate) fn denormalise<'c>(format: Format, parts: Parts<'c>) -> (V<'c>, V<'c>) {
    let Parts { significand, exponent } = parts;
    let stored = exponent.imax(1);
    let down = (stored - exponent).umin(63);
    (stored.imin(format.max_exponent()) - 1, shift_right_sticky(significand, down))
}

/// `value >> count`, for counts below 64; the lowest bit is set if a one bit gets lost.
pub(crate) fn shift_right_sticky<'c>(value: V<'c>, count: V<'c>) -> V<'c> {
    let shifted = value >> count;
    shifted | (shifted << count).ine(value).bit(64)
}

/// How a magnitude is rounded.
#[derive(Clone, Copy)]
pub(crate) enum Round<'c> {
    /// To the nearest, ties to even.
    Nearest,
    /// Toward zero.
    Zero,
    /// Away from zero where this is true, else toward zero.
    AwayIf(V<'c>),
}

impl<'c> Round<'c> {
    /// The rounding of the magnitude of a number that may be `negative`.
    pub(crate) fn of(mode: Rounding, negative: impl FnOnce() -> V<'c>) -> Round<'c> {
        match mode {
            Rounding::Rte => Round::Nearest,
            Rounding::Rtz => Round::Zero,
            Rounding::Rtp => Round::AwayIf(!negative()),
            Rounding::Rtn => Round::AwayIf(negative()),
        }
    }
}

/// The bits of the magnitude with a stored exponent less 1 and a significand as [`denormalise`] gives them.
pub(crate) fn round<'c>(format: Format, round: Round<'c>, exponent: V<'c>, significand: V<'c>) -> V<'c> {
    let below = format.below();
    let kept = significand >> below;
    let rest = significand & ((1 << below) - 1);
    // Carries out of the significand go into the exponent, as they should.
    let toward_zero = (exponent.to(64) << format.fraction()) + kept;
    let infinity = format.infinity();
    match round {
        Round::Nearest => {
            let up = rest.imm(1 << (below - 1)).ult(rest + (kept & 1));
            (toward_zero + up.bit(64)).umin(infinity)
        }
        // Overflow rounds to the largest number (IEEE 754-2008 section 7.4).
        Round::Zero => toward_zero.umin(infinity - 1),
        Round::AwayIf(away) => {
            let up = away & rest.ine(0);
            (toward_zero + up.bit(64)).umin(away.select(rest.imm(infinity), infinity - 1))
        }
    }
}

/// The bits of the magnitude of a number.
pub(crate) fn pack<'c>(format: Format, mode: Round<'c>, parts: Parts<'c>) -> V<'c> {
    let (exponent, significand) = denormalise(format, parts);
    round(format, mode, exponent, significand)
}

/// The same for a significand whose highest bit may be one position lower.
pub(crate) fn pack_nearly_normal<'c>(exponent: V<'c>, significand: V<'c>) -> V<'c> {
    let high = significand >> 63;
    let low = (high ^ 1).to(32);
    let parts = Parts { significand: significand << low, exponent: exponent - low };
    pack(Format::F64, Round::Nearest, parts)
}
