//! Integers of 128 bits in two words.

use super::code::V;

/// `high * 2^64 + low`.
#[derive(Clone, Copy)]
pub(super) struct Wide<'c> {
    pub(super) high: V<'c>,
    pub(super) low: V<'c>,
}

impl<'c> Wide<'c> {
    /// The product of two words.
    pub(super) fn product(a: V<'c>, b: V<'c>) -> Wide<'c> {
        Wide { high: a.umul_high(b), low: a * b }
    }

    /// The sum modulo 2^128.
    pub(super) fn add(self, o: Wide<'c>) -> Wide<'c> {
        let low = self.low + o.low;
        Wide { high: self.high + o.high + low.ult(o.low).bit(64), low }
    }

    /// The negative number where `mask` is all ones, the number itself where it is zero.
    pub(super) fn negate_if(self, mask: V<'c>) -> Wide<'c> {
        let low = (self.low ^ mask) - mask;
        // Adding one to the complement carries where the low word is zero.
        let carry = low.ieq(0).bit(64) & mask;
        Wide { high: (self.high ^ mask) + carry, low }
    }

    /// Shifted left by a count below 64.
    pub(super) fn shift_left(self, count: V<'c>) -> Wide<'c> {
        // In two steps: shifting by 64 would not shift.
        let carried = (self.low >> 1) >> (count ^ 63);
        Wide { high: (self.high << count) | carried, low: self.low << count }
    }

    /// Shifted right by a count below 128; the lowest bit is set if a one bit gets lost.
    pub(super) fn shift_right_sticky(self, count: V<'c>) -> Wide<'c> {
        let far = count.uge(64);
        let zero = self.low.imm(0);
        let (high, low) = (far.select(zero, self.high), far.select(self.high, self.low));
        let lost = far.select(self.low, 0);
        let count = count & 63;
        let shifted = low >> count;
        let lost = lost | ((shifted << count) ^ low);
        let carried = (high << 1) << (count ^ 63);
        Wide { high: high >> count, low: shifted | carried | lost.ine(0).bit(64) }
    }
}
