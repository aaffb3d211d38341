//! Facts about values that conditions of rules require.

use airfoil_ir::alu::f64_from_bits;
use airfoil_ir::{AluOp, Body, InstrKind, Src, Swizzle};
use airfoil_rules::table::Fact;

/// How many operations a proof of a fact may look through.
const DEPTH: u32 = 4;

/// Whether a fact holds for the lanes of an operand.
pub(super) fn holds(body: &Body, fact: Fact, src: Src, lanes: usize) -> bool {
    match fact {
        Fact::Variable => !matches!(body[src.value].kind, InstrKind::Const(_)),
        Fact::Single => body[src.value].uses() == 1,
        Fact::NonNegative | Fact::Unit | Fact::Integral | Fact::Number => {
            float(body, fact, src, lanes, DEPTH)
        }
    }
}

fn float(body: &Body, fact: Fact, src: Src, lanes: usize, depth: u32) -> bool {
    let instr = &body[src.value];
    let alu = match &instr.kind {
        InstrKind::Const(constant) => {
            let value = |l: usize| f64_from_bits(constant[src.swizzle.get(l)], u32::from(instr.ty.bits));
            return (0..lanes).all(|l| {
                let x = value(l);
                match fact {
                    Fact::NonNegative => x.is_sign_positive() && !x.is_nan(),
                    Fact::Unit => x.is_sign_positive() && x <= 1.0,
                    Fact::Integral => x.trunc() == x,
                    _ => !x.is_nan(),
                }
            });
        }
        InstrKind::Alu(alu) if depth > 0 => alu,
        _ => return false,
    };
    let all = |fact: Fact, from: usize| {
        let mut operands = alu.srcs().skip(from);
        operands.all(|s| {
            float(
                body,
                fact,
                Src { value: s.value, swizzle: src.swizzle.compose(s.swizzle, lanes) },
                lanes,
                depth - 1,
            )
        })
    };
    match (alu.op, fact) {
        (AluOp::mov, _) => all(fact, 0),
        (AluOp::bcsel, _) => all(fact, 1),
        (AluOp::vec2 | AluOp::vec3 | AluOp::vec4, _) => (0..lanes).all(|l| {
            let part = alu.src(src.swizzle.get(l));
            float(
                body,
                fact,
                Src { value: part.value, swizzle: Swizzle::scalar(part.swizzle.get(0)) },
                1,
                depth - 1,
            )
        }),
        (AluOp::b2f, _) | (AluOp::u2f, Fact::NonNegative | Fact::Number) => true,
        (AluOp::fsat, Fact::NonNegative | Fact::Unit | Fact::Number) => true,
        (AluOp::i2f, Fact::Number) => true,
        (AluOp::u2f | AluOp::i2f, Fact::Integral) => true,
        (AluOp::fsign, Fact::Number | Fact::Integral) => true,
        (AluOp::fabs, Fact::NonNegative) => all(Fact::Number, 0),
        (AluOp::fabs | AluOp::fneg, Fact::Number | Fact::Integral) => all(fact, 0),
        (
            AluOp::ffloor | AluOp::fceil | AluOp::ftrunc | AluOp::fround | AluOp::fround_even,
            Fact::Integral | Fact::Number,
        ) => all(Fact::Number, 0),
        (AluOp::fmin | AluOp::fmax | AluOp::fclamp, _) => all(fact, 0),
        (AluOp::fmul, Fact::Unit) => all(fact, 0),
        _ => false,
    }
}
