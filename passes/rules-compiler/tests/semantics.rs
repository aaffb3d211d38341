//! The solver's meaning of each operation is that of the ALU table.

use airfoil_ir::alu::{ALU_OPS, AluProps, Base, f64_to_bits};
use airfoil_ir::{AluOp, Lanes, Ty, bit_mask};
use airfoil_rules::prove::{Answer, ask, has_solver};
use airfoil_rules::smt::{Term, operation};
use std::fmt::Write;

/// A generator of numbers (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn value(&mut self, base: Base, bits: u32) -> u64 {
        let corners = [0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, u64::MAX, 1 << 63, 1 << 31, 1 << 15];
        let floats =
            [0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 2.5, -3.7, 65504.0, f64::INFINITY, f64::NAN, 6e-8, 1e-5, 300.0];
        let raw = match self.next() % 3 {
            0 if base == Base::Float => f64_to_bits(floats[self.next() as usize % floats.len()], bits),
            0 => corners[self.next() as usize % corners.len()],
            1 => self.next() % 70,
            _ => self.next(),
        };
        raw & bit_mask(bits)
    }
}

/// Assertions that the translation of an operation agrees with the table on some values; none if it is not translated.
fn query(op: AluOp, bits: u32, out: u32, numbers: &mut Numbers, products: bool) -> Option<String> {
    let info = op.info();
    let mut text = String::new();
    let mut differences = Vec::new();
    for _ in 0..60 {
        let comps = |n: u8| if n == 0 { 1 } else { n };
        let mut values: Vec<Lanes> = Vec::new();
        let mut terms: Vec<Vec<Term>> = Vec::new();
        for o in info.operands {
            let width = if o.bits == 0 { bits } else { u32::from(o.bits) };
            let mut lanes = [0; 4];
            for lane in lanes.iter_mut().take(usize::from(comps(o.comps))) {
                *lane = numbers.value(o.base, width);
            }
            terms.push(
                lanes[..usize::from(comps(o.comps))].iter().map(|&v| Term::constant(v, width)).collect(),
            );
            values.push(lanes);
        }
        let result = operation(op, bits, out, &terms, comps(info.result.comps), products)?;
        let expected = op.eval(bits, Ty::new(comps(info.result.comps), out as u8), &values)?;
        for (term, value) in result.iter().zip(expected) {
            let value = Term::constant(value, out);
            let equal = match term.as_bits() {
                Some(term) if info.result.base != Base::Float => format!("(= {term} {})", value.text()),
                _ => format!("(= {} {})", term.as_float()?, value.as_float()?),
            };
            differences.push(format!("(not {equal})"));
        }
    }
    // Functions without a theory agree with nothing.
    if differences.iter().any(|d| d.contains("(f_")) {
        return None;
    }
    let _ = writeln!(text, "(assert (or false {}))\n(check-sat)", differences.join("\n"));
    Some(text)
}

#[test]
fn the_solver_agrees_with_the_table() {
    if !has_solver() {
        skipped();
        return;
    }
    let (mut checked, mut missing) = (0, Vec::new());
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    for &op in ALU_OPS {
        let info = op.info();
        let base = info.operands.iter().find(|o| o.bits == 0).map_or(Base::Any, |o| o.base);
        let widths: &[u32] = match base {
            Base::Float => &[16, 32],
            Base::Bool => &[1],
            _ => &[1, 8, 16, 32, 64],
        };
        let mut translated = false;
        for &bits in widths {
            let outs: &[u32] = match (info.props.contains(AluProps::SIZED), info.result.base) {
                (false, _) => &[0],
                (true, Base::Float) => &[16, 32],
                (true, _) => &[8, 32, 64],
            };
            for &out in outs {
                let out = match (out, info.result.bits) {
                    (0, 0) => bits,
                    (0, fixed) => u32::from(fixed),
                    _ => out,
                };
                for products in [false, true] {
                    let Some(text) = query(op, bits, out, &mut numbers, products) else { continue };
                    translated = true;
                    let answer = ask(&text, &[]).expect("the solver runs");
                    assert_eq!(
                        answer,
                        Answer::Unsatisfiable,
                        "{} at {bits} to {out} bits:\n{text}",
                        op.name()
                    );
                    if op != AluOp::ishl {
                        break;
                    }
                }
            }
        }
        if translated {
            checked += 1;
        } else {
            missing.push(op.name());
        }
    }
    assert!(checked > 110, "{checked} operations are translated; not: {}", missing.join(", "));
}

#[allow(clippy::print_stderr)]
fn skipped() {
    eprintln!("SKIPPED: z3 is not installed");
}
