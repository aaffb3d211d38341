//! Operations that are one of their operands or a constant, whatever the other operand is: rules that look at the operands alone. The
//! rules of `passes/rules` have the same and many more, with proofs.
//!
//! Integers, booleans and selections only: those of floats depend on signed zeros, NaNs and denormals.

use crate::alu::{ALU_OPS, AluOp};
use crate::instr::Src;
use crate::value::{Lanes, Ty, bit_mask};

/// The operands of an operation that is one of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    /// One is a constant, equal in all lanes.
    Zero,
    One,
    /// All bits are set.
    Ones,
    /// Both are the same.
    Same,
}

/// The operands that may be the constant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Either,
    Right,
}

/// A result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Result {
    /// The other operand.
    Other,
    /// The constant.
    Constant,
}

/// The rows, those of an operation one after the other.
const ROWS: &[(AluOp, At, Given, Result)] = &[
    (AluOp::iadd, At::Either, Given::Zero, Result::Other),
    (AluOp::isub, At::Right, Given::Zero, Result::Other),
    (AluOp::imul, At::Either, Given::One, Result::Other),
    (AluOp::imul, At::Either, Given::Zero, Result::Constant),
    (AluOp::idiv, At::Right, Given::One, Result::Other),
    (AluOp::udiv, At::Right, Given::One, Result::Other),
    (AluOp::ishl, At::Right, Given::Zero, Result::Other),
    (AluOp::ishr, At::Right, Given::Zero, Result::Other),
    (AluOp::ushr, At::Right, Given::Zero, Result::Other),
    (AluOp::iand, At::Either, Given::Ones, Result::Other),
    (AluOp::iand, At::Either, Given::Zero, Result::Constant),
    (AluOp::iand, At::Either, Given::Same, Result::Other),
    (AluOp::ior, At::Either, Given::Zero, Result::Other),
    (AluOp::ior, At::Either, Given::Ones, Result::Constant),
    (AluOp::ior, At::Either, Given::Same, Result::Other),
    (AluOp::ixor, At::Either, Given::Zero, Result::Other),
    (AluOp::imin, At::Either, Given::Same, Result::Other),
    (AluOp::imax, At::Either, Given::Same, Result::Other),
    (AluOp::umin, At::Either, Given::Same, Result::Other),
    (AluOp::umax, At::Either, Given::Same, Result::Other),
];

/// The first row of each operation, and the end of its rows.
const RANGES: [(u8, u8); ALU_OPS.len()] = {
    let mut ranges = [(0, 0); ALU_OPS.len()];
    let mut row = 0;
    while row < ROWS.len() {
        let range = &mut ranges[ROWS[row].0 as usize];
        if range.1 == 0 {
            range.0 = row as u8;
        }
        range.1 = row as u8 + 1;
        row += 1;
    }
    ranges
};

/// The operand that an operation with a result of shape `ty` is. `lanes` are those of an operand that is constant.
pub(super) fn identity(
    op: AluOp,
    ty: Ty,
    srcs: &[Src],
    lanes: impl Fn(&Src) -> Option<Lanes>,
) -> Option<Src> {
    let comps = ty.comps as usize;
    let same = |a: &Src, b: &Src| {
        a.value == b.value && (0..comps).all(|lane| a.swizzle.get(lane) == b.swizzle.get(lane))
    };
    if op == AluOp::bcsel {
        let &[c, a, b] = srcs else { return None };
        if same(&a, &b) {
            return Some(a);
        }
        let known = lanes(&c)?;
        let first = known[c.swizzle.get(0)] & 1;
        let equal = (0..comps).all(|lane| known[c.swizzle.get(lane)] & 1 == first);
        return equal.then_some(if first == 1 { a } else { b });
    }
    let (first, end) = RANGES[op as usize];
    if end == 0 {
        return None;
    }
    let &[a, b] = srcs else { return None };
    let ones = bit_mask(u32::from(ty.bits));
    let given = |s: &Src| {
        let lanes = lanes(s)?;
        let first = lanes[s.swizzle.get(0)];
        let equal = (0..comps).all(|lane| lanes[s.swizzle.get(lane)] == first);
        match first {
            _ if !equal => None,
            0 => Some(Given::Zero),
            // The only bit of a boolean.
            bits if bits == ones => Some(Given::Ones),
            1 => Some(Given::One),
            _ => None,
        }
    };
    let (left, right) = (given(&a), given(&b));
    ROWS[usize::from(first)..usize::from(end)].iter().find_map(|&(_, at, given, result)| {
        let (other, constant) = match given {
            Given::Same => return same(&a, &b).then_some(a),
            _ if right == Some(given) => (a, b),
            _ if at == At::Either && left == Some(given) => (b, a),
            _ => return None,
        };
        Some(if result == Result::Other { other } else { constant })
    })
}

#[cfg(test)]
mod tests {
    use super::{Given, RANGES, ROWS};
    use crate::alu::{ALU_OPS, AluOp};
    use crate::body::Body;
    use crate::builder::Builder;
    use crate::instr::InstrKind;
    use crate::value::{Swizzle, Ty, bit_mask};

    /// Values of `bits` bits, with all corners.
    fn samples(bits: u32) -> Vec<u64> {
        let mask = bit_mask(bits);
        let some = [0, 1, 2, 3, mask, mask >> 1, mask ^ (mask >> 1), 0x5a5a_1234_9876_00ff];
        some.map(|v: u64| v & mask).to_vec()
    }

    #[test]
    fn rows_of_an_operation_are_one_range() {
        for (at, &op) in ALU_OPS.iter().enumerate() {
            let (first, end) = RANGES[op as usize];
            assert_eq!(
                (op as usize, usize::from(end - first)),
                (at, ROWS.iter().filter(|row| row.0 == op).count())
            );
        }
    }

    #[test]
    fn rows_are_true() {
        for bits in [1u32, 8, 16, 32, 64] {
            let (ty, mask) = (Ty::new(1, bits as u8), bit_mask(bits));
            let eval = |op: AluOp, a: u64, b: u64| op.eval(bits, ty, &[[a, 0, 0, 0], [b, 0, 0, 0]]);
            for &(op, at, given, result) in ROWS {
                // Arithmetic on booleans does not exist.
                if bits == 1 && !matches!(op, AluOp::iand | AluOp::ior | AluOp::ixor) {
                    continue;
                }
                let constant = match given {
                    Given::Zero => Some(0),
                    Given::One => Some(1),
                    Given::Ones => Some(mask),
                    Given::Same => None,
                };
                for x in samples(bits) {
                    let other = constant.unwrap_or(x);
                    let expected = if result == super::Result::Other { x } else { other };
                    let lanes = eval(op, x, other);
                    assert_eq!(lanes.map(|l| l[0]), Some(expected), "{op:?} {x:x} {other:x} at {bits} bits");
                    if at == super::At::Either {
                        assert_eq!(eval(op, other, x).map(|l| l[0]), Some(expected), "{op:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_builder_applies_them() {
        let mut body = Body::new();
        let mut b = Builder::at_end(&mut body);
        let v = b.undef(Ty::new(4, 32));
        let (x, c) = (b.channel(v, 1), b.undef(Ty::BOOL));
        let (zero, one) = (b.imm_u32(0), b.imm_u32(1));
        let count = b.body.num_instrs();
        assert_eq!((b.iadd(x, zero), b.iadd(zero, x), b.imul(one, x), b.imul(x, zero)), (x, x, x, zero));
        assert_eq!((b.bcsel(c, x, x), b.iand(x, x), b.ishl(x, zero)), (x, x, x));
        let yes = b.imm_bool(true);
        assert_eq!((b.bcsel(yes, x, one), b.ior(c, yes), b.iand(yes, c)), (x, yes, c));
        // The boolean constant.
        assert_eq!(b.body.num_instrs(), count + 1);
        // Subtraction from zero, and floats, stay operations.
        let (negated, sum) = (b.isub(zero, x), b.fadd(x, zero));
        assert!([negated, sum].iter().all(|&v| b.body[v].as_alu().is_some_and(|a| a.op != AluOp::mov)));
        // A swizzled operand becomes a move.
        let zeros = b.zero(Ty::new(2, 32));
        let srcs = [crate::Src { value: v, swizzle: Swizzle::from_lanes(&[3, 1]) }, zeros.into()];
        let moved = b.alu_srcs(AluOp::iadd, None, None, &srcs);
        assert!(matches!(&b.body[moved].kind, InstrKind::Alu(a) if a.op == AluOp::mov));
        b.raw = true;
        assert_ne!(b.iadd(x, zero), x);
    }

    #[test]
    fn lanes_that_differ_are_compared() {
        let mut body = Body::new();
        let mut b = Builder::at_end(&mut body);
        let (v, w) = (b.undef(Ty::new(4, 32)), b.undef(Ty::new(4, 32)));
        let lanes = |value, lanes: &[u8]| crate::Src { value, swizzle: Swizzle::from_lanes(lanes) };
        let mut stays = |op, srcs: &[crate::Src]| {
            let id = b.alu_srcs(op, Some(2), None, srcs);
            assert!(b.body[id].as_alu().is_some_and(|a| a.op == op), "{op:?} {srcs:?}");
        };
        stays(AluOp::iand, &[lanes(v, &[0, 1]), lanes(v, &[0, 2])]);
        stays(AluOp::iand, &[lanes(v, &[0, 1]), lanes(w, &[0, 1])]);
        let mut b = Builder::at_end(&mut body);
        let sides = b.constant(Ty::new(2, 1), [1, 0, 0, 0]);
        let srcs = [sides.into(), lanes(v, &[0, 1]), lanes(w, &[0, 1])];
        let picked = b.alu_srcs(AluOp::bcsel, Some(2), None, &srcs);
        assert!(b.body[picked].as_alu().is_some_and(|a| a.op == AluOp::bcsel));
    }
}
