//! Arguments and results of one call, in the block that its thunk allocated.

use crate::shape::{Block, Scalar, Slot};
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{bit_mask, sign_extend};

/// A call.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    block: &'a Block,
    memory: *mut u8,
}

impl<'a> Frame<'a> {
    /// # Safety
    /// `memory` must be a live block of this shape that nothing else refers to while the frame is in use.
    pub(crate) unsafe fn new(block: &'a Block, memory: *mut u8) -> Frame<'a> {
        Frame { block, memory }
    }

    pub(crate) fn args(&self) -> &'a [Slot] {
        &self.block.args
    }

    pub(crate) fn rets(&self) -> &'a [Slot] {
        &self.block.rets
    }

    fn read(&self, slot: &Slot, lane: usize) -> u64 {
        let bytes = slot.shape.scalar.bytes();
        if lane >= slot.shape.lanes as usize {
            return 0;
        }
        let mut raw = [0u8; 8];
        // SAFETY: the lane is inside its slot, and the slot inside the live block (`Frame::new`).
        unsafe {
            let from = self.memory.add(slot.offset + lane * bytes);
            std::ptr::copy_nonoverlapping(from, raw.as_mut_ptr(), bytes.min(8));
        }
        u64::from_le_bytes(raw) & bit_mask(slot.shape.scalar.bits())
    }

    fn write(&self, slot: &Slot, lane: usize, bits: u64) {
        let bytes = slot.shape.scalar.bytes();
        if lane >= slot.shape.lanes as usize {
            return;
        }
        let raw = (bits & bit_mask(slot.shape.scalar.bits())).to_le_bytes();
        // SAFETY: as in `read`.
        unsafe {
            let to = self.memory.add(slot.offset + lane * bytes);
            std::ptr::copy_nonoverlapping(raw.as_ptr(), to, bytes.min(8));
        }
    }

    /// Bits of a component of an argument; 0 where there is none.
    pub(crate) fn bits(&self, arg: usize, lane: usize) -> u64 {
        self.block.args.get(arg).map_or(0, |slot| self.read(slot, lane))
    }

    /// A component of an argument as a float.
    pub(crate) fn float(&self, arg: usize, lane: usize) -> f64 {
        let bits = self.block.args.get(arg).map_or(32, |s| s.shape.scalar.bits());
        f64_from_bits(self.bits(arg, lane), bits)
    }

    /// A component of an argument as a signed or unsigned integer.
    pub(crate) fn int(&self, arg: usize, lane: usize, signed: bool) -> i128 {
        let raw = self.bits(arg, lane);
        let width = self.block.args.get(arg).map_or(32, |s| s.shape.scalar.bits());
        if signed { i128::from(sign_extend(raw, width)) } else { i128::from(raw) }
    }

    /// A component of an argument as an index.
    pub(crate) fn signed(&self, arg: usize, lane: usize) -> i64 {
        self.int(arg, lane, true) as i64
    }

    /// Up to three components of an argument.
    pub(crate) fn floats(&self, arg: usize) -> [f64; 3] {
        let lanes = self.lanes(arg);
        std::array::from_fn(|c| if c < lanes { self.float(arg, c) } else { 0.0 })
    }

    /// Up to three components of an argument.
    pub(crate) fn ints(&self, arg: usize) -> [i64; 3] {
        let lanes = self.lanes(arg);
        std::array::from_fn(|c| if c < lanes { self.signed(arg, c) } else { 0 })
    }

    /// Number of components of an argument.
    pub(crate) fn lanes(&self, arg: usize) -> usize {
        self.block.args.get(arg).map_or(0, |s| s.shape.lanes as usize)
    }

    /// Number of components of the first result.
    pub(crate) fn ret_lanes(&self) -> usize {
        self.block.rets.first().map_or(0, |s| s.shape.lanes as usize)
    }

    /// Bits of a component of the first result.
    pub(crate) fn ret_bits(&self) -> u32 {
        self.block.rets.first().map_or(32, |s| s.shape.scalar.bits())
    }

    /// Whether the first result holds floats.
    pub(crate) fn ret_is_float(&self) -> bool {
        self.block.rets.first().is_some_and(|s| matches!(s.shape.scalar, Scalar::Float(_)))
    }

    /// Sets a component of a result.
    pub(crate) fn set(&self, ret: usize, lane: usize, bits: u64) {
        if let Some(slot) = self.block.rets.get(ret) {
            self.write(slot, lane, bits);
        }
    }

    /// Sets a component of the first result to a float, rounded to its width.
    pub(crate) fn set_float(&self, lane: usize, x: f64) {
        self.set(0, lane, f64_to_bits(x, self.ret_bits()));
    }

    /// Sets a component of an argument, before a call of an entry point.
    pub(crate) fn set_arg(&self, arg: usize, lane: usize, bits: u64) {
        if let Some(slot) = self.block.args.get(arg) {
            self.write(slot, lane, bits);
        }
    }

    /// A component of a result, after a call of an entry point.
    pub(crate) fn ret(&self, ret: usize, lane: usize) -> u64 {
        self.block.rets.get(ret).map_or(0, |slot| self.read(slot, lane))
    }
}
