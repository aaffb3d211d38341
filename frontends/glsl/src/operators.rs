//! Operators and conversions as operations of the IR: the one table that constant folding and lowering share, so that
//! a constant expression has exactly the value that it would have at run time.
//!
//! Everything here works on one component. Operands have one base type; shift amounts are `uint` (of 32 bits) and a
//! comparison gives a `bool`.

use crate::shapes::{from_ir_bits, to_ir_bits, value_bits};
use crate::syntax::{BinaryOp, UnaryOp};
use crate::types::Base;
use airfoil_ir::{AluOp, Lanes, MAX_COMPONENTS, Ty, bit_mask};

/// A binary operator as an operation of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryAlu {
    /// Operation.
    pub op: AluOp,
    /// The operands are swapped (`a > b` is `b < a`).
    pub swap: bool,
    /// The result is a `bool` whatever the operands are.
    pub compares: bool,
}

/// How a conversion is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// The bits stay.
    Same,
    /// An operation whose result has the width of the new type.
    Alu(AluOp),
    /// True if not zero: this comparison with zero.
    NotZero(AluOp),
}

/// Kinds of components for which an operator is one operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Signed,
    Unsigned,
    Bool,
}

fn kind(base: Base) -> Kind {
    match base {
        Base::Bool => Kind::Bool,
        Base::Float | Base::Double | Base::Half => Kind::Float,
        Base::Int | Base::Int16 | Base::Int8 | Base::Int64 => Kind::Signed,
        Base::Uint | Base::Uint16 | Base::Uint8 | Base::Uint64 => Kind::Unsigned,
    }
}

/// The operation of a binary operator on two components of a base type; `None` if the operator is not defined for it.
///
/// `*` is the product of components, `==` and `!=` compare components.
pub fn binary(op: BinaryOp, base: Base) -> Option<BinaryAlu> {
    use BinaryOp as B;
    use Kind::{Bool, Float, Signed, Unsigned};
    let kind = kind(base);
    // `a > b` is `b < a`, `a <= b` is `b >= a`.
    let swap = matches!(op, B::Greater | B::LessEqual);
    let compares =
        matches!(op, B::Less | B::Greater | B::LessEqual | B::GreaterEqual | B::Equal | B::NotEqual);
    let op = match (op, kind) {
        (B::Add, Float) => AluOp::fadd,
        (B::Add, Signed | Unsigned) => AluOp::iadd,
        (B::Sub, Float) => AluOp::fsub,
        (B::Sub, Signed | Unsigned) => AluOp::isub,
        (B::Mul, Float) => AluOp::fmul,
        (B::Mul, Signed | Unsigned) => AluOp::imul,
        (B::Div, Float) => AluOp::fdiv,
        (B::Div, Signed) => AluOp::idiv,
        (B::Div, Unsigned) => AluOp::udiv,
        (B::Mod, Signed) => AluOp::irem,
        (B::Mod, Unsigned) => AluOp::umod,
        (B::Shl, Signed | Unsigned) => AluOp::ishl,
        (B::Shr, Signed) => AluOp::ishr,
        (B::Shr, Unsigned) => AluOp::ushr,
        (B::Less | B::Greater, Float) => AluOp::flt,
        (B::Less | B::Greater, Signed) => AluOp::ilt,
        (B::Less | B::Greater, Unsigned) => AluOp::ult,
        (B::LessEqual | B::GreaterEqual, Float) => AluOp::fge,
        (B::LessEqual | B::GreaterEqual, Signed) => AluOp::ige,
        (B::LessEqual | B::GreaterEqual, Unsigned) => AluOp::uge,
        (B::Equal, Float) => AluOp::feq,
        (B::Equal, Signed | Unsigned | Bool) => AluOp::ieq,
        (B::NotEqual, Float) => AluOp::fneu,
        (B::NotEqual, Signed | Unsigned | Bool) => AluOp::ine,
        (B::BitAnd, Signed | Unsigned) | (B::LogicAnd, Bool) => AluOp::iand,
        (B::BitOr, Signed | Unsigned) | (B::LogicOr, Bool) => AluOp::ior,
        (B::BitXor, Signed | Unsigned) | (B::LogicXor, Bool) => AluOp::ixor,
        _ => return None,
    };
    Some(BinaryAlu { op, swap, compares })
}

/// The operation of a prefix operator on a component of a base type; `None` if the operator is not defined for it.
pub fn unary(op: UnaryOp, base: Base) -> Option<AluOp> {
    Some(match (op, kind(base)) {
        (UnaryOp::Plus, Kind::Float | Kind::Signed | Kind::Unsigned) => AluOp::mov,
        (UnaryOp::Minus, Kind::Float) => AluOp::fneg,
        (UnaryOp::Minus, Kind::Signed | Kind::Unsigned) => AluOp::ineg,
        (UnaryOp::BitNot, Kind::Signed | Kind::Unsigned) | (UnaryOp::Not, Kind::Bool) => AluOp::inot,
        _ => return None,
    })
}

/// How a component is converted (GLSL 4.60 section 5.4.1): floats are truncated, numbers other than zero are true.
pub fn conversion(from: Base, to: Base) -> Conversion {
    use Kind::{Bool, Float, Signed, Unsigned};
    if from == to {
        return Conversion::Same;
    }
    let op = match (kind(from), kind(to)) {
        (Float, Bool) => return Conversion::NotZero(AluOp::fneu),
        (Signed | Unsigned, Bool) => return Conversion::NotZero(AluOp::ine),
        (Bool, Float) => AluOp::b2f,
        (Bool, _) => AluOp::b2i,
        (Float, Float) => AluOp::f2f,
        (Float, Signed) => AluOp::f2i,
        (Float, Unsigned) => AluOp::f2u,
        (Signed, Float) => AluOp::i2f,
        (Unsigned, Float) => AluOp::u2f,
        (Signed | Unsigned, Signed | Unsigned) if from.bits() == to.bits() => return Conversion::Same,
        (Signed, _) => AluOp::i2i,
        (Unsigned, _) => AluOp::u2u,
    };
    Conversion::Alu(op)
}

/// One component of an operation's result, from bits of the IR to bits of the IR.
fn eval(op: AluOp, operand_bits: u8, result_bits: u8, operands: &[u64]) -> Option<u64> {
    let mut lanes = [[0; MAX_COMPONENTS]; 2];
    for (lane, &x) in lanes.iter_mut().zip(operands) {
        lane[0] = x;
    }
    let lanes: &[Lanes] = &lanes[..operands.len().min(2)];
    op.eval(u32::from(operand_bits), Ty::new(1, result_bits), lanes).map(|r| r[0])
}

/// Value of a binary operator on two components of a base type, as scalars of constants. The amount of a shift is a
/// `uint`; comparisons give a `bool`.
pub fn eval_binary(op: BinaryOp, base: Base, a: u64, b: u64) -> Option<u64> {
    let alu = binary(op, base)?;
    let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    let bits = value_bits(base);
    let a = to_ir_bits(base, a);
    let b = if shift { b & bit_mask(32) } else { to_ir_bits(base, b) };
    let operands = if alu.swap { [b, a] } else { [a, b] };
    if alu.compares {
        return eval(alu.op, bits, 1, &operands);
    }
    eval(alu.op, bits, bits, &operands).map(|r| from_ir_bits(base, r))
}

/// Value of a prefix operator on a component, as scalars of constants.
pub fn eval_unary(op: UnaryOp, base: Base, a: u64) -> Option<u64> {
    let bits = value_bits(base);
    eval(unary(op, base)?, bits, bits, &[to_ir_bits(base, a)]).map(|r| from_ir_bits(base, r))
}

/// Value of a converted component, as scalars of constants.
pub fn eval_conversion(from: Base, to: Base, a: u64) -> u64 {
    let x = to_ir_bits(from, a);
    let result = match conversion(from, to) {
        Conversion::Same => Some(x),
        Conversion::Alu(op) => eval(op, value_bits(from), value_bits(to), &[x]),
        Conversion::NotZero(op) => eval(op, value_bits(from), 1, &[x, 0]),
    };
    from_ir_bits(to, result.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASES: [Base; 12] = [
        Base::Bool,
        Base::Int,
        Base::Uint,
        Base::Float,
        Base::Double,
        Base::Half,
        Base::Int16,
        Base::Uint16,
        Base::Int8,
        Base::Uint8,
        Base::Int64,
        Base::Uint64,
    ];

    fn f(x: f32) -> u64 {
        u64::from(x.to_bits())
    }

    fn i(x: i32) -> u64 {
        u64::from(x as u32)
    }

    #[test]
    fn every_conversion_keeps_zero_and_one() {
        for from in BASES {
            let one = eval_conversion(Base::Int, from, 1);
            for to in BASES {
                assert_eq!(eval_conversion(from, to, 0), 0, "{from:?} to {to:?}");
                let x = eval_conversion(from, to, one);
                assert_eq!(x, eval_conversion(Base::Int, to, 1), "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn conversions() {
        assert_eq!(eval_conversion(Base::Float, Base::Int, f(-2.75)), i(-2));
        assert_eq!(eval_conversion(Base::Int, Base::Float, i(-3)), f(-3.0));
        assert_eq!(eval_conversion(Base::Uint, Base::Float, 0xffff_ffff), f(4_294_967_296.0));
        assert_eq!(eval_conversion(Base::Int, Base::Uint, i(-1)), 0xffff_ffff);
        assert_eq!(eval_conversion(Base::Int, Base::Int64, i(-1)), u64::MAX);
        assert_eq!(eval_conversion(Base::Uint, Base::Int64, 0xffff_ffff), 0xffff_ffff);
        assert_eq!(eval_conversion(Base::Float, Base::Bool, f(-0.0)), 0);
        assert_eq!(eval_conversion(Base::Float, Base::Bool, f(f32::NAN)), 1);
        assert_eq!(eval_conversion(Base::Float, Base::Double, f(0.5)), 0.5f64.to_bits());
        assert_eq!(eval_conversion(Base::Float, Base::Half, f(1.0 / 3.0)), f(0.333_251_95));
        assert_eq!(eval_conversion(Base::Int, Base::Int8, 200), 200);
        assert_eq!(eval_conversion(Base::Int8, Base::Int, 200), i(-56));
    }

    #[test]
    fn operators() {
        use BinaryOp as B;
        assert_eq!(eval_binary(B::Mod, Base::Int, i(-7), i(3)), Some(i(-1)));
        assert_eq!(eval_binary(B::Div, Base::Int, i(-7), i(2)), Some(i(-3)));
        assert_eq!(eval_binary(B::Div, Base::Int, i(i32::MIN), i(-1)), Some(i(i32::MIN)));
        assert_eq!(eval_binary(B::Div, Base::Uint, 1, 0), Some(0));
        assert_eq!(eval_binary(B::Div, Base::Float, f(1.0), f(0.0)), Some(f(f32::INFINITY)));
        assert_eq!(eval_binary(B::Shr, Base::Int, i(-8), 1), Some(i(-4)));
        assert_eq!(eval_binary(B::Shr, Base::Uint, i(-8), 1), Some(0x7fff_fffc));
        assert_eq!(eval_binary(B::Shl, Base::Int, 1, 33), Some(2));
        assert_eq!(eval_binary(B::Greater, Base::Float, f(2.0), f(1.0)), Some(1));
        assert_eq!(eval_binary(B::LessEqual, Base::Int, i(-1), 0), Some(1));
        assert_eq!(eval_binary(B::LessEqual, Base::Uint, i(-1), 0), Some(0));
        assert_eq!(eval_binary(B::Equal, Base::Float, f(0.0), f(-0.0)), Some(1));
        assert_eq!(eval_binary(B::NotEqual, Base::Float, f(f32::NAN), f(f32::NAN)), Some(1));
        assert_eq!(eval_binary(B::LogicXor, Base::Bool, 1, 1), Some(0));
        assert_eq!(eval_binary(B::Add, Base::Half, f(2048.0), f(1.0)), Some(f(2048.0)));
        assert_eq!(eval_binary(B::Mod, Base::Float, f(1.0), f(1.0)), None);
        assert_eq!(eval_binary(B::LogicAnd, Base::Int, 1, 1), None);
        assert_eq!(eval_unary(UnaryOp::Minus, Base::Float, f(0.0)), Some(f(-0.0)));
        assert_eq!(eval_unary(UnaryOp::BitNot, Base::Uint, 0), Some(0xffff_ffff));
        assert_eq!(eval_unary(UnaryOp::Not, Base::Bool, 1), Some(0));
        assert_eq!(eval_unary(UnaryOp::Not, Base::Int, 1), None);
    }
}
