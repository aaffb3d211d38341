//! Atomic operations on words.

use airfoil_ir::{AluOp, AtomicOp, Ty};

/// The value that an atomic operation stores.
pub(crate) fn atomic(op: AtomicOp, bits: u32, old: u64, compare: u64, data: u64) -> u64 {
    let alu = match op {
        AtomicOp::Iadd => AluOp::iadd,
        AtomicOp::Imin => AluOp::imin,
        AtomicOp::Umin => AluOp::umin,
        AtomicOp::Imax => AluOp::imax,
        AtomicOp::Umax => AluOp::umax,
        AtomicOp::Iand => AluOp::iand,
        AtomicOp::Ior => AluOp::ior,
        AtomicOp::Ixor => AluOp::ixor,
        AtomicOp::Fadd => AluOp::fadd,
        AtomicOp::Fmin => AluOp::fmin,
        AtomicOp::Fmax => AluOp::fmax,
        AtomicOp::Xchg | AtomicOp::Store => return data,
        AtomicOp::Cmpxchg => return if old == compare { data } else { old },
        AtomicOp::Load => return old,
    };
    let result = alu.eval(bits, Ty::new(1, bits as u8), &[[old, 0, 0, 0], [data, 0, 0, 0]]);
    result.unwrap_or_else(|| unreachable!("`{}` is not evaluated lane by lane", alu.name()))[0]
}
