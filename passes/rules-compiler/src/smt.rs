//! Rules as SMT-LIB.
//!
//! Integers are bit vectors; floats of 16 bits are of the theory of floating-point numbers, with one NaN. Rules that round
//! differently are stated over the real numbers instead. Functions that no theory has are uninterpreted.

mod ops;
mod real;
mod term;

pub use ops::operation;
pub use term::Term;

use crate::syntax::{Condition, Expr, Rule};
use crate::table::{Fact, Flags};
use crate::types::{Lanes, Typed, Types};
use crate::widths::Assignment;
use airfoil_ir::alu::{Base, f64_to_bits};
use airfoil_ir::bit_mask;
use std::fmt::Write;

/// A query: unsatisfiable if the rule holds.
#[derive(Clone, Debug)]
pub struct Query {
    /// The text for the solver.
    pub text: String,
    /// Names of the variables' lanes, for counterexamples.
    pub vars: Vec<String>,
}

/// The theory of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floats {
    /// IEEE 754 numbers.
    Ieee,
    /// Real numbers.
    Real,
}

/// Whether a query uses real numbers.
pub fn floats_of(rule: &Rule) -> Floats {
    if rule.flags.intersects(Flags::ROUND) { Floats::Real } else { Floats::Ieee }
}

/// The query for a rule with some widths, with shifts to the left as `products` or as shifts; `None` if an operation has no translation.
pub fn query(
    rule: &Rule,
    types: &Types,
    widths: &Assignment,
    timeout_ms: u32,
    products: bool,
) -> Option<Query> {
    let mut writer = Writer {
        types,
        widths,
        floats: floats_of(rule),
        flags: rule.flags,
        text: String::new(),
        count: 0,
        vars: Vec::new(),
        assumptions: Vec::new(),
        products,
        pattern: true,
    };
    let mut out = format!("(set-option :timeout {timeout_ms})\n");
    let has_floats = types.has_floats();
    if has_floats {
        out.push_str(&declarations(writer.floats));
    } else {
        out.push_str("(set-logic QF_BV)\n");
    }
    let mut names = Vec::new();
    for (i, var) in rule.vars.iter().enumerate() {
        let lanes = match types.lanes[i] {
            Lanes::Root => 1,
            Lanes::Fixed(n) => n,
        };
        let bits = u32::from(widths.bits(types, types.vars[i]));
        let float = types.is_float(types.vars[i]);
        let mut terms = Vec::new();
        for lane in 0..lanes {
            let name = if lanes == 1 { var.name.clone() } else { format!("{}.{lane}", var.name) };
            let name = format!("v_{name}");
            if float && writer.floats == Floats::Real {
                let _ = writeln!(writer.text, "(declare-const {name} Real)");
                terms.push(Term::real(&name));
            } else {
                let _ = writeln!(writer.text, "(declare-const {name} (_ BitVec {bits}))");
                terms.push(Term::bits(&name, bits));
            }
            names.push(name);
        }
        writer.vars.push(terms);
    }
    let left = writer.expr(&rule.lhs, &types.lhs, 1)?;
    writer.pattern = false;
    let mut typed = types.conditions.iter();
    for condition in &rule.conditions {
        match condition {
            Condition::Expr(e) => {
                let value = writer.expr(e, typed.next()?, 1)?;
                let value = value[0].as_bits()?;
                writer.assumptions.push(format!("(= {value} #b1)"));
            }
            Condition::Fact(fact, var) => {
                for term in writer.vars[*var].clone() {
                    writer.fact(*fact, &term)?;
                }
            }
            Condition::Widths(..) => {}
        }
    }
    let right = writer.expr(&rule.rhs, &types.rhs, 1)?;
    let Expr::Op { op, .. } = &rule.lhs else { return None };
    let float = op.info().result.base == Base::Float || types.is_float(types.lhs.class);
    let mut equal = Vec::new();
    for (l, r) in left.iter().zip(right.iter().cycle()) {
        equal.push(writer.equal(l, r, float)?);
    }
    out.push_str(&writer.text);
    for assumption in &writer.assumptions {
        let _ = writeln!(out, "(assert {assumption})");
    }
    let _ = writeln!(out, "(assert (not (and true {})))\n(check-sat)", equal.join(" "));
    Some(Query { text: out, vars: names })
}

/// Functions without a theory.
fn declarations(floats: Floats) -> String {
    let sort = if floats == Floats::Real { "Real" } else { "(_ FloatingPoint 5 11)" };
    let mut out = String::new();
    for name in ops::UNARY_FUNCTIONS {
        let _ = writeln!(out, "(declare-fun f_{name} ({sort}) {sort})");
    }
    for name in ops::BINARY_FUNCTIONS {
        let _ = writeln!(out, "(declare-fun f_{name} ({sort} {sort}) {sort})");
    }
    out
}

struct Writer<'a> {
    types: &'a Types,
    widths: &'a Assignment,
    floats: Floats,
    flags: Flags,
    text: String,
    count: usize,
    vars: Vec<Vec<Term>>,
    assumptions: Vec<String>,
    /// Whether shifts are products.
    products: bool,
    /// In the pattern, whose floats the flags of the rule restrict.
    pattern: bool,
}

impl Writer<'_> {
    fn bits(&self, class: usize) -> u32 {
        u32::from(self.widths.bits(self.types, class))
    }

    /// The lanes of an expression.
    fn expr(&mut self, expr: &Expr, typed: &Typed, lanes: u8) -> Option<Vec<Term>> {
        let bits = self.bits(typed.class);
        let many = |term: Term| vec![term; lanes as usize];
        Some(match expr {
            Expr::Var(var, _) => {
                let terms = self.vars[*var].clone();
                if terms.len() == 1 { many(terms[0].clone()) } else { terms }
            }
            Expr::Comp(var, component) => many(self.vars[*var][*component as usize].clone()),
            Expr::Int(value) => many(Term::constant(*value as u64 & bit_mask(bits), bits)),
            Expr::Float(value) if self.floats == Floats::Real => many(real::literal(*value)?),
            Expr::Float(value) => many(Term::constant(f64_to_bits(*value, bits), bits)),
            Expr::Width(name) => {
                let value = u64::from(self.widths.bits(self.types, self.types.names[*name]));
                many(Term::constant(value & bit_mask(bits), bits))
            }
            Expr::Op { op, args, .. } => {
                let info = op.info();
                let mut values = Vec::new();
                for (i, (arg, typed)) in args.iter().zip(&typed.args).enumerate() {
                    let comps = info.operands[i].comps;
                    let value = self.expr(arg, typed, if comps == 0 { lanes } else { comps })?;
                    if info.operands[i].base == Base::Float {
                        for term in &value {
                            self.restrict(term)?;
                        }
                    }
                    values.push(value);
                }
                let operands = self.bits(typed.operands);
                let mut out = if self.floats == Floats::Real && real::concerns(*op) {
                    real::operation(self, *op, &values, lanes)?
                } else {
                    operation(*op, operands, bits, &values, lanes, self.products)?
                };
                // Each result gets a name, so that terms do not grow.
                for term in &mut out {
                    self.count += 1;
                    let name = format!("t{}", self.count);
                    let _ = writeln!(self.text, "(define-fun {name} () {} {})", term.sort(), term.text());
                    *term = term.named(&name);
                    if info.result.base == Base::Float {
                        let term = term.clone();
                        self.restrict(&term)?;
                    }
                }
                if out.len() == 1 && lanes > 1 { vec![out[0].clone(); lanes as usize] } else { out }
            }
        })
    }

    /// Adds the assumptions about a float of the pattern that the flags permit.
    fn restrict(&mut self, term: &Term) -> Option<()> {
        if !self.pattern || self.floats == Floats::Real {
            return Some(());
        }
        if self.flags.intersects(Flags::NNAN.with(Flags::NINF)) {
            let float = term.as_float()?;
            if self.flags.intersects(Flags::NNAN) {
                self.assumptions.push(format!("(not (fp.isNaN {float}))"));
            }
            if self.flags.intersects(Flags::NINF) {
                self.assumptions.push(format!("(not (fp.isInfinite {float}))"));
            }
        }
        Some(())
    }

    fn fact(&mut self, fact: Fact, term: &Term) -> Option<()> {
        if matches!(fact, Fact::Variable | Fact::Single) {
            return Some(());
        }
        if self.floats == Floats::Real {
            let x = term.as_real()?;
            self.assumptions.push(match fact {
                Fact::NonNegative => format!("(>= {x} 0.0)"),
                Fact::Unit => format!("(and (>= {x} 0.0) (<= {x} 1.0))"),
                Fact::Integral => format!("(= {x} (to_real (to_int {x})))"),
                _ => "true".into(),
            });
            return Some(());
        }
        let x = term.as_float()?;
        let positive = format!("(and (not (fp.isNaN {x})) (not (fp.isNegative {x})))");
        self.assumptions.push(match fact {
            Fact::NonNegative => positive,
            Fact::Unit => format!("(and {positive} (fp.leq {x} {}))", term.float_literal(1.0)?),
            Fact::Integral => format!("(fp.eq {x} (fp.roundToIntegral RTZ {x}))"),
            _ => format!("(not (fp.isNaN {x}))"),
        });
        Some(())
    }

    fn equal(&self, l: &Term, r: &Term, float: bool) -> Option<String> {
        if let (Some(l), Some(r)) = (l.as_real(), r.as_real()) {
            return Some(format!("(= {l} {r})"));
        }
        if !float && let (Some(l), Some(r)) = (l.as_bits(), r.as_bits()) {
            return Some(format!("(= {l} {r})"));
        }
        let (l, r) = (l.as_float()?, r.as_float()?);
        if self.flags.intersects(Flags::NSZ) {
            return Some(format!("(or (= {l} {r}) (fp.eq {l} {r}))"));
        }
        Some(format!("(= {l} {r})"))
    }
}
