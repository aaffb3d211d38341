//! Atomic operations. Invocations take turns at collective operations only, so each runs undisturbed.

use super::world::World;
use crate::frame::Frame;
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{AtomicOp, bit_mask, sign_extend};

/// `air.atomic.{global,local}.<op>[.s|.u].<type>`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atomic {
    op: AtomicOp,
    subtracts: bool,
}

impl Atomic {
    /// By the words after `atomic`.
    pub(crate) fn named(words: &[&str]) -> Option<Atomic> {
        let ["global" | "local", op, rest @ ..] = words else { return None };
        let (signed, float) = (rest.contains(&"s"), rest.last().is_some_and(|t| t.starts_with('f')));
        let op = match (*op, float, signed) {
            ("add" | "sub", true, _) => AtomicOp::Fadd,
            ("add" | "sub", ..) => AtomicOp::Iadd,
            ("min", true, _) => AtomicOp::Fmin,
            ("max", true, _) => AtomicOp::Fmax,
            ("min", _, true) => AtomicOp::Imin,
            ("min", ..) => AtomicOp::Umin,
            ("max", _, true) => AtomicOp::Imax,
            ("max", ..) => AtomicOp::Umax,
            ("and", ..) => AtomicOp::Iand,
            ("or", ..) => AtomicOp::Ior,
            ("xor", ..) => AtomicOp::Ixor,
            ("xchg", ..) => AtomicOp::Xchg,
            ("cmpxchg", ..) => AtomicOp::Cmpxchg,
            ("load", ..) => AtomicOp::Load,
            ("store", ..) => AtomicOp::Store,
            _ => return None,
        };
        Some(Atomic { op, subtracts: words[1] == "sub" })
    }

    /// Executes it. Outside buffers it reads zero and writes nothing.
    pub(crate) fn run(self, f: &Frame<'_>, world: &World<'_>, effects: bool) {
        let address = f.bits(0, 0);
        let slots = f.args();
        // The operand, or for loads the result, determines the width.
        let value = if self.op == AtomicOp::Cmpxchg { 2 } else { 1 };
        let bits = match self.op {
            AtomicOp::Load => f.ret_bits(),
            _ => slots.get(value).map_or(32, |s| s.shape.scalar.bits()),
        };
        let bytes = bits as usize / 8;
        let at = address as usize;
        if !(world.memory.contains(at, bytes) || world.is_own(at, bytes)) {
            return f.set(0, 0, 0);
        }
        let mut new = f.bits(value, 0);
        if self.subtracts {
            new = match self.op {
                AtomicOp::Fadd => f64_to_bits(-f64_from_bits(new, bits), bits),
                _ => new.wrapping_neg(),
            };
        }
        let expected = f.bits(1, 0);
        let mut raw = [[0u8; 8]; 2];
        // SAFETY: the address is in a buffer, in threadgroup memory or a variable of the module, and the expected value is in the caller's memory.
        unsafe {
            std::ptr::copy_nonoverlapping(address as *const u8, raw[0].as_mut_ptr(), bytes);
            if self.op == AtomicOp::Cmpxchg {
                std::ptr::copy_nonoverlapping(expected as *const u8, raw[1].as_mut_ptr(), bytes);
            }
        }
        let [old, compare] = raw.map(u64::from_le_bytes);
        if effects {
            let now = apply(self.op, bits, old, compare, new).to_le_bytes();
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(now.as_ptr(), address as *mut u8, bytes) };
        }
        if self.op == AtomicOp::Cmpxchg {
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(raw[0].as_ptr(), expected as *mut u8, bytes) };
        }
        f.set(0, 0, old);
    }
}

/// The contents of memory after an operation.
pub(super) fn apply(op: AtomicOp, bits: u32, old: u64, compare: u64, new: u64) -> u64 {
    let signed = |raw| sign_extend(raw, bits);
    let floats =
        |f: fn(f64, f64) -> f64| f64_to_bits(f(f64_from_bits(old, bits), f64_from_bits(new, bits)), bits);
    let now = match op {
        AtomicOp::Iadd => old.wrapping_add(new),
        AtomicOp::Imin => signed(old).min(signed(new)) as u64,
        AtomicOp::Umin => old.min(new),
        AtomicOp::Imax => signed(old).max(signed(new)) as u64,
        AtomicOp::Umax => old.max(new),
        AtomicOp::Iand => old & new,
        AtomicOp::Ior => old | new,
        AtomicOp::Ixor => old ^ new,
        AtomicOp::Xchg | AtomicOp::Store => new,
        AtomicOp::Cmpxchg if old == compare => new,
        AtomicOp::Cmpxchg | AtomicOp::Load => old,
        AtomicOp::Fadd => floats(|a, b| a + b),
        AtomicOp::Fmin => floats(airfoil_ir::alu::min_num),
        AtomicOp::Fmax => floats(airfoil_ir::alu::max_num),
    };
    now & bit_mask(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations() {
        assert_eq!(apply(AtomicOp::Imin, 32, 1, 0, 0xffff_ffff), 0xffff_ffff);
        assert_eq!(apply(AtomicOp::Umin, 32, 1, 0, 0xffff_ffff), 1);
        assert_eq!(apply(AtomicOp::Cmpxchg, 32, 5, 5, 9), 9);
        assert_eq!(apply(AtomicOp::Cmpxchg, 32, 5, 4, 9), 5);
        assert_eq!(apply(AtomicOp::Iadd, 32, u64::from(u32::MAX), 0, 2), 1);
        let one = f64_to_bits(1.0, 32);
        assert_eq!(apply(AtomicOp::Fadd, 32, one, 0, one), f64_to_bits(2.0, 32));
        assert!(Atomic::named(&["global", "sub", "f32"]).unwrap().subtracts);
        assert!(matches!(Atomic::named(&["local", "max", "s", "i32"]).unwrap().op, AtomicOp::Imax));
        assert!(Atomic::named(&["fence"]).is_none());
    }
}
