//! Floats as real numbers: for rules that round differently.

use super::{Term, Writer};
use airfoil_ir::AluOp;
use airfoil_ir::alu::Base;

/// Whether an operation has floats.
pub(super) fn concerns(op: AluOp) -> bool {
    let info = op.info();
    info.result.base == Base::Float
        || info.operands.iter().any(|o| o.base == Base::Float)
        || matches!(op, AluOp::bcsel | AluOp::mov | AluOp::vec2 | AluOp::vec3 | AluOp::vec4)
}

/// A float literal.
pub(super) fn literal(value: f64) -> Option<Term> {
    if !value.is_finite() {
        return None;
    }
    // A ratio of integers: a float is an integer times a power of two.
    let (mut numerator, mut power) = (value.abs(), 0u32);
    while numerator.fract() != 0.0 && power < 1100 {
        numerator *= 2.0;
        power += 1;
    }
    if power > 60 || numerator > 1e18 {
        return None;
    }
    let text = format!("(/ {}.0 {}.0)", numerator as u64, 1u64 << power);
    Some(Term::real(&if value.is_sign_negative() { format!("(- {text})") } else { text }))
}

/// The lanes of an operation.
pub(super) fn operation(
    writer: &mut Writer<'_>,
    op: AluOp,
    args: &[Vec<Term>],
    lanes: u8,
) -> Option<Vec<Term>> {
    use AluOp as O;
    let real = |text: String| Some(vec![Term::real(&text)]);
    match op {
        O::vec2 | O::vec3 | O::vec4 => return Some(args.iter().map(|a| a[0].clone()).collect()),
        O::fdot2 | O::fdot3 | O::fdot4 => {
            let products: Option<Vec<String>> = args[0]
                .iter()
                .zip(&args[1])
                .map(|(a, b)| Some(format!("(* {} {})", a.as_real()?, b.as_real()?)))
                .collect();
            return real(format!("(+ {})", products?.join(" ")));
        }
        _ => {}
    }
    (0..lanes as usize)
        .map(|l| {
            let operands: Vec<&Term> = args.iter().map(|a| &a[l.min(a.len() - 1)]).collect();
            lane(writer, op, &operands)
        })
        .collect()
}

fn lane(writer: &mut Writer<'_>, op: AluOp, args: &[&Term]) -> Option<Term> {
    use AluOp as O;
    if op == O::mov {
        return Some(args[0].clone());
    }
    if op == O::bcsel {
        let condition = format!("(= {} #b1)", args[0].as_bits()?);
        if let (Some(a), Some(b)) = (args[1].as_real(), args[2].as_real()) {
            return Some(Term::real(&format!("(ite {condition} {a} {b})")));
        }
        let (a, b) = (args[1].as_bits()?, args[2].as_bits()?);
        return Some(Term::bits(&format!("(ite {condition} {a} {b})"), args[1].width()));
    }
    if op == O::b2f {
        return Some(Term::real(&format!("(ite (= {} #b1) 1.0 0.0)", args[0].as_bits()?)));
    }
    let a = args[0].as_real()?;
    let b = args.get(1).and_then(|t| t.as_real()).unwrap_or("");
    let c = args.get(2).and_then(|t| t.as_real()).unwrap_or("");
    let real = |text: String| Some(Term::real(&text));
    let truth = |text: String| Some(Term::truth(&text));
    let floor = |x: &str| format!("(to_real (to_int {x}))");
    let min = |a: &str, b: &str| format!("(ite (< {b} {a}) {b} {a})");
    let max = |a: &str, b: &str| format!("(ite (> {b} {a}) {b} {a})");
    match op {
        O::fadd => real(format!("(+ {a} {b})")),
        O::fsub => real(format!("(- {a} {b})")),
        O::fmul => real(format!("(* {a} {b})")),
        O::fdiv => {
            nonzero(writer, b);
            real(format!("(/ {a} {b})"))
        }
        O::frcp => {
            nonzero(writer, a);
            real(format!("(/ 1.0 {a})"))
        }
        O::ffma | O::fmad => real(format!("(+ (* {a} {b}) {c})")),
        O::flrp => real(format!("(+ (* {a} (- 1.0 {c})) (* {b} {c}))")),
        O::fneg => real(format!("(- {a})")),
        O::fabs => real(format!("(ite (< {a} 0.0) (- {a}) {a})")),
        O::fsign => real(format!("(ite (< {a} 0.0) (- 1.0) (ite (> {a} 0.0) 1.0 0.0))")),
        O::fsat => real(format!("(ite (> {a} 0.0) (ite (> {a} 1.0) 1.0 {a}) 0.0)")),
        O::fmin => real(min(a, b)),
        O::fmax => real(max(a, b)),
        O::fclamp => real(min(&max(a, b), c)),
        O::ffloor => real(floor(a)),
        O::fceil => real(format!("(- {})", floor(&format!("(- {a})")))),
        O::ffract => real(format!("(- {a} {})", floor(a))),
        O::ftrunc => real(format!("(ite (< {a} 0.0) (- {}) {})", floor(&format!("(- {a})")), floor(a))),
        O::fmod => {
            nonzero(writer, b);
            real(format!("(- {a} (* {b} {}))", floor(&format!("(/ {a} {b})"))))
        }
        O::fsqrt => root(writer, a),
        O::frsq => {
            let s = root(writer, a)?;
            let s = s.as_real()?.to_string();
            nonzero(writer, &s);
            real(format!("(/ 1.0 {s})"))
        }
        O::feq => truth(format!("(= {a} {b})")),
        O::fneu => truth(format!("(not (= {a} {b}))")),
        O::flt | O::fltu => truth(format!("(< {a} {b})")),
        O::fge | O::fgeu => truth(format!("(>= {a} {b})")),
        _ if super::ops::UNARY_FUNCTIONS.contains(&op.name()) => real(format!("(f_{} {a})", op.name())),
        _ if super::ops::BINARY_FUNCTIONS.contains(&op.name()) => real(format!("(f_{} {a} {b})", op.name())),
        _ => None,
    }
}

/// A divisor of the pattern is not zero, because its quotient would be infinite or NaN.
fn nonzero(writer: &mut Writer<'_>, divisor: &str) {
    if writer.pattern {
        writer.assumptions.push(format!("(not (= {divisor} 0.0))"));
    }
}

/// The square root: a number that is not negative, and whose square is the operand.
fn root(writer: &mut Writer<'_>, x: &str) -> Option<Term> {
    writer.count += 1;
    let name = format!("r{}", writer.count);
    use std::fmt::Write;
    let _ = writeln!(writer.text, "(declare-const {name} Real)");
    writer.assumptions.push(format!("(and (>= {name} 0.0) (= (* {name} {name}) {x}))"));
    Some(Term::real(&name))
}
