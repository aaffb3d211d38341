//! The constant operands of an intrinsic, packed into 64 bits.

use super::index::Index;
use super::table::IntrinsicOp;

/// The packed indices of one intrinsic instruction.
///
/// Which bits hold which index follows from the operation's row. Two words keep the alignment at 4.
///
/// # Examples
///
/// ```
/// use airfoil_ir::intrinsic::Indices;
/// use airfoil_ir::{Index, Intrinsic, IntrinsicOp};
///
/// let op = IntrinsicOp::shared_atomic_swap;
/// let mut indices = Indices::default();
/// // The row has the indices `op` (4 bits), `memory` (3 bits) and `semantics` (4 bits).
/// assert!(indices.set(op, Index::Semantics, 0b11));
/// assert_eq!(indices.bits(), 0b11 << 7);
/// // Bits that do not fit, or an index that the row does not have, change nothing.
/// assert!(!indices.set(op, Index::MemoryScope, 8) && !indices.set(op, Index::Align, 0));
/// assert_eq!((indices.get(op, Index::MemoryScope), indices.get(op, Index::Align)), (Some(0), None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Indices([u32; 2]);

impl Indices {
    /// All indices as one word; equal words of one operation mean equal indices.
    pub fn bits(self) -> u64 {
        u64::from(self.0[0]) | (u64::from(self.0[1]) << 32)
    }

    /// Position of an index of `op`.
    fn shift(op: IntrinsicOp, index: Index) -> Option<u32> {
        let mut shift = 0;
        for &i in op.info().indices {
            if i == index {
                return Some(shift);
            }
            shift += i.bits();
        }
        None
    }

    /// Packed bits of an index; `None` if the operation does not have it.
    pub fn get(self, op: IntrinsicOp, index: Index) -> Option<u32> {
        let shift = Self::shift(op, index)?;
        Some((self.bits() >> shift) as u32 & ((1u64 << index.bits()) - 1) as u32)
    }

    /// Sets an index; false if the operation does not have it or the bits do not fit.
    #[must_use]
    pub fn set(&mut self, op: IntrinsicOp, index: Index, bits: u32) -> bool {
        let Some(shift) = Self::shift(op, index) else { return false };
        let mask = (1u64 << index.bits()) - 1;
        if u64::from(bits) > mask {
            return false;
        }
        let word = (self.bits() & !(mask << shift)) | (u64::from(bits) << shift);
        self.0 = [word as u32, (word >> 32) as u32];
        true
    }
}
