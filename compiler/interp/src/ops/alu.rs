//! ALU instructions: the table evaluates, undefined components are followed.

use super::float_mode::FloatMode;
use crate::machine::code::{AluCode, Op};
use crate::machine::lanes::{MAX_LANES, lanes};
use crate::machine::registers::Registers;
use crate::memory::Value;
use airfoil_ir::{AluOp, Lanes, MAX_COMPONENTS, Ty};

/// The operands with swizzles applied, and masks of their undefined lanes.
fn operands(regs: &Registers, alu: &AluCode, lane: usize) -> ([Lanes; MAX_COMPONENTS], [u8; MAX_COMPONENTS]) {
    let (mut values, mut undef) = ([[0; 4]; 4], [0u8; 4]);
    for (i, s) in alu.srcs.iter().enumerate() {
        let v = regs.value(s.reg, lane);
        for (c, value) in values[i].iter_mut().enumerate().take(usize::from(s.comps)) {
            let from = s.swizzle.get(c);
            *value = v.bits[from];
            undef[i] |= (v.undef >> from & 1) << c;
        }
    }
    (values, undef)
}

/// The result of an operation that is evaluated lane by lane, as all are that [`quad`] does not execute.
pub(crate) fn eval(op: AluOp, bits: u32, ty: Ty, srcs: &[Lanes]) -> Lanes {
    evaluated(op, op.eval(bits, ty, srcs))
}

fn evaluated(op: AluOp, result: Option<Lanes>) -> Lanes {
    result.unwrap_or_else(|| unreachable!("`{}` is not evaluated lane by lane", op.name()))
}

/// The results of all active lanes.
pub(crate) fn all(regs: &mut Registers, active: u64, floats: &FloatMode, op: &Op, alu: &AluCode) {
    if op.ty.comps == 1 && alu.per_component && floats.is_plain() {
        return scalars(regs, active, floats, op, alu);
    }
    for lane in lanes(active) {
        let value = evaluate(regs, floats, op.ty, alu, lane);
        regs.set(op.dst, lane, value);
    }
}

/// As [`all`] for results of one component, which most are.
fn scalars(regs: &mut Registers, active: u64, floats: &FloatMode, op: &Op, alu: &AluCode) {
    let n = alu.srcs.len();
    let mut values = [[0; 4]; MAX_COMPONENTS];
    for lane in lanes(active) {
        let mut undef = 0;
        for (value, s) in values.iter_mut().zip(&alu.srcs) {
            let v = regs.value(s.reg, lane);
            let from = s.swizzle.get(0);
            value[0] = v.bits[from];
            undef |= v.undef >> from & 1;
        }
        if undef != 0 {
            let value = evaluate(regs, floats, op.ty, alu, lane);
            regs.set(op.dst, lane, value);
            continue;
        }
        let bits = eval(alu.op, alu.bits, op.ty, &values[..n]);
        regs.set(op.dst, lane, Value { bits, undef: 0 });
    }
}

/// The result for a lane.
fn evaluate(regs: &Registers, floats: &FloatMode, ty: Ty, alu: &AluCode, lane: usize) -> Value {
    let n = alu.srcs.len();
    let (values, undef) = operands(regs, alu, lane);
    let bits = match floats.is_plain() {
        true => alu.op.eval(alu.bits, ty, &values[..n]),
        false => floats.eval(alu.op, alu.bits, ty, &values[..n]),
    };
    let mut bits = evaluated(alu.op, bits);
    let loose = match alu.exact {
        true => 0,
        false => floats.loosen(alu.op, alu.bits, ty, &values[..n], &mut bits),
    };
    if undef == [0; 4] {
        return Value { bits, undef: loose };
    }
    let full = ty.full_mask();
    let undef = match alu.op {
        // Only the chosen side counts.
        AluOp::bcsel => (0..usize::from(ty.comps)).fold(0, |mask, c| {
            let side = if values[0][c] & 1 != 0 { undef[1] } else { undef[2] };
            mask | ((undef[0] | side) >> c & 1) << c
        }),
        // A side with only zeros, or only ones, determines the result.
        AluOp::iand | AluOp::ior => {
            let ones = if ty.bits == 64 { u64::MAX } else { (1 << ty.bits) - 1 };
            let absorbing = if alu.op == AluOp::iand { 0 } else { ones };
            (0..usize::from(ty.comps)).fold(0, |mask, c| {
                let determines =
                    |side: usize| undef[side] >> c & 1 == 0 && values[side][c] & ones == absorbing;
                let open = (undef[0] | undef[1]) >> c & 1 != 0 && !determines(0) && !determines(1);
                mask | u8::from(open) << c
            })
        }
        AluOp::vec2 | AluOp::vec3 | AluOp::vec4 => (0..n).fold(0, |mask, i| mask | (undef[i] & 1) << i),
        _ if alu.per_component => undef.iter().fold(0, |a, u| a | u) & full,
        _ => full,
    };
    Value { bits, undef: undef | loose }
}

/// A derivative: neighbours that are not active leave it undefined.
pub(crate) fn quad(regs: &mut Registers, active: u64, op: &Op, alu: &AluCode) {
    let mut results = [Value::default(); MAX_LANES];
    for lane in lanes(active) {
        let base = lane & !3;
        let mut quad = [([0; 4], 0u8); 4];
        for (k, q) in quad.iter_mut().enumerate() {
            // In an incomplete quad, neighbours have equal values.
            let other = if base + 4 > regs.lanes { lane } else { base + k };
            let (values, undef) = operands(regs, alu, other);
            let gone = active >> other & 1 == 0;
            *q = (values[0], if gone { 0xf } else { undef[0] });
        }
        let mut value = Value::default();
        for c in 0..usize::from(op.ty.comps) {
            let values = quad.map(|q| q.0[c]);
            value.bits[c] = alu.op.eval_quad(alu.bits, values, lane & 3).unwrap_or(0);
            value.undef |= (quad.iter().fold(0, |a, q| a | q.1) >> c & 1) << c;
        }
        results[lane] = value;
    }
    for lane in lanes(active) {
        regs.set(op.dst, lane, results[lane]);
    }
}
