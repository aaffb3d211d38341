//! Numbers from a seed.

use airfoil::ir::Scalar;
use airfoil::ir::alu::f64_to_bits;

/// A generator (SplitMix64 of Steele, Lea and Flood).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number of a type: floats from 0 to 1, integers from 0 to 255 (127 for signed ones of 8 bits).
    pub fn number(&mut self, scalar: Scalar) -> u64 {
        let raw = self.bits() >> 40;
        match scalar {
            Scalar::Bool => raw & 1,
            Scalar::Int8 => raw & 0x7f,
            s if s.is_float() => f64_to_bits(raw as f64 / (1u32 << 24) as f64, u32::from(s.bits())),
            _ => raw & 0xff,
        }
    }

    /// Bytes.
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(n.next_multiple_of(8));
        while out.len() < n {
            out.extend(self.bits().to_le_bytes());
        }
        out.truncate(n);
        out
    }
}
