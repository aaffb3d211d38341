//! Mined rules as text, with the weakest flags under which they hold.

use super::corpus::Pattern;
use super::search::Found;
use super::term::{Leaf, Term};
use crate::prove::{Effort, Verdict, prove};
use crate::syntax::{Expr, Rule, Var};
use crate::types::Types;
use crate::widths::assignments;
use crate::{compile, parse, sample};
use airfoil_ir::AluOp;
use airfoil_ir::alu::{AluProps, f64_from_bits};

/// A rule that was found and proved.
#[derive(Clone, Debug)]
pub struct Mined {
    /// The rule.
    pub rule: Rule,
    /// The expression that it replaces.
    pub pattern: Pattern,
    /// Savings per application, in twentieths of an addition per lane.
    pub saves: u32,
    /// Lanes to which it applies.
    pub count: u64,
    /// How it is proved.
    pub proof: String,
}

/// Sets of flags, the weakest first.
const FLAGS: [&str; 6] = ["", "nsz", "nnan", "nsz nnan ninf", "round", "round nsz nnan ninf"];

impl Mined {
    /// The rule for a replacement, if it holds.
    pub fn new(pattern: &Pattern, found: &Found, count: u64) -> Option<Mined> {
        let names: Vec<String> =
            (0..found.leaves.len()).map(|i| char::from(b'a' + i as u8).to_string()).collect();
        let mut seen = vec![false; found.leaves.len()];
        let lhs = text(&pattern.term, &pattern.leaves, &names, Some(&mut seen));
        let rhs = text(&folded(&found.term, found)?.0, &folded(&found.term, found)?.1, &names, None);
        let floats = uses_floats(&pattern.term) || uses_floats(&found.term);
        let root = match &pattern.term {
            Term::Op(op, bits, _) => format!("{}@{bits}", op.name()),
            Term::Leaf(_) => return None,
        };
        let fixed = lhs.replacen(lhs.split('(').next()?, &root, 1);
        for lhs in [lhs, fixed] {
            for flags in FLAGS.iter().take(if floats { FLAGS.len() } else { 1 }) {
                let head = if flags.is_empty() { "mined".into() } else { format!("mined [{flags}]") };
                let line = format!("group: Mined\nsource: mined\n\n{head}: {lhs} => {rhs}\n");
                let rule = parse("mined.rules", &line).ok()?.pop()?;
                if !quick(&rule) || compile(std::slice::from_ref(&rule)).is_err() {
                    continue;
                }
                let effort = Effort { samples: 100_000, timeout_ms: 4000 };
                if let Verdict::Proved(proof) = prove(&rule, &effort) {
                    let saves = pattern.cost() - found.cost;
                    return Some(Mined { rule, pattern: pattern.clone(), saves, count, proof });
                }
            }
        }
        None
    }
}

/// Whether a rule survives some samples.
fn quick(rule: &Rule) -> bool {
    let Ok(types) = Types::of(rule) else { return false };
    let all = assignments(rule, &types, &[16, 32]);
    !all.is_empty() && all.iter().all(|widths| sample::test(rule, &types, widths, 400).is_ok())
}

fn uses_floats(term: &Term) -> bool {
    match term {
        Term::Leaf(_) => false,
        Term::Op(op, _, args) => {
            let info = op.info();
            let float = |t: &airfoil_ir::alu::AluType| t.base == airfoil_ir::alu::Base::Float;
            float(&info.result) || info.operands.iter().any(float) || args.iter().any(uses_floats)
        }
    }
}

/// The replacement with operations on literals evaluated.
fn folded(term: &Term, found: &Found) -> Option<(Term, Vec<Leaf>)> {
    fn walk(term: &Term, leaves: &mut Vec<Leaf>) -> Option<Term> {
        let Term::Op(op, bits, args) = term else { return Some(term.clone()) };
        let args: Vec<Term> = args.iter().map(|a| walk(a, leaves)).collect::<Option<_>>()?;
        let literal = |t: &Term| matches!(t, Term::Leaf(i) if matches!(leaves[*i], Leaf::Const(..)));
        let all = args.iter().all(literal);
        let term = Term::Op(*op, *bits, args);
        if !all {
            return Some(term);
        }
        let value = term.values(leaves)?[0][0];
        let float = super::term::is_float(op.info().result.base).unwrap_or(false);
        let shape = super::term::Shape { bits: *bits, comps: 1, float };
        leaves.push(Leaf::Const(shape, value));
        Some(Term::Leaf(leaves.len() - 1))
    }
    let mut leaves = found.leaves.clone();
    let term = walk(term, &mut leaves)?;
    Some((term, leaves))
}

/// An expression in the language of rules; the first occurrence of a constant in a pattern is marked.
fn text(term: &Term, leaves: &[Leaf], names: &[String], mut seen: Option<&mut Vec<bool>>) -> String {
    match term {
        Term::Leaf(i) => match leaves[*i] {
            Leaf::Var(_) => names[*i].clone(),
            Leaf::AnyConst(_) => {
                let first = seen.as_mut().is_some_and(|seen| !std::mem::replace(&mut seen[*i], true));
                format!("{}{}", if first { "#" } else { "" }, names[*i])
            }
            Leaf::Const(shape, bits) => literal(shape.float, shape.bits, bits),
        },
        Term::Op(op, bits, args) => {
            let args: Vec<String> =
                args.iter().map(|a| text(a, leaves, names, seen.as_deref_mut())).collect();
            let width =
                if op.info().props.contains(AluProps::SIZED) { format!("@{bits}") } else { String::new() };
            format!("{}{width}({})", op.name(), args.join(", "))
        }
    }
}

fn literal(float: bool, bits: u8, raw: u64) -> String {
    if float {
        let value = f64_from_bits(raw, u32::from(bits));
        return match value {
            _ if value == f64::INFINITY => "inf".into(),
            _ if value == f64::NEG_INFINITY => "-inf".into(),
            _ => format!("{value:?}"),
        };
    }
    match bits {
        1 => (raw != 0).to_string(),
        _ => {
            let shift = 64 - u32::from(bits);
            (((raw << shift) as i64) >> shift).to_string()
        }
    }
}

/// Whether all that `special` matches is matched by `general`, apart from flags and conditions.
pub fn covers(general: &Rule, special: &Rule) -> bool {
    let mut bound: Vec<Option<&Expr>> = vec![None; general.vars.len()];
    matches(&general.lhs, &special.lhs, &general.vars, &special.vars, &mut bound)
}

fn matches<'a>(
    general: &Expr,
    special: &'a Expr,
    vars: &[Var],
    others: &[Var],
    bound: &mut Vec<Option<&'a Expr>>,
) -> bool {
    match (general, special) {
        (Expr::Var(i, _), _) => {
            let constant = match special {
                Expr::Var(j, _) => others[*j].constant,
                Expr::Int(_) | Expr::Float(_) | Expr::Width(_) => true,
                _ => false,
            };
            if vars[*i].constant && !constant {
                return false;
            }
            match bound[*i] {
                Some(first) => same(first, special),
                None => {
                    bound[*i] = Some(special);
                    true
                }
            }
        }
        (Expr::Op { op, args, .. }, Expr::Op { op: other, args: special, .. }) => {
            if op != other {
                return false;
            }
            let before = bound.clone();
            let all = |order: [usize; 2], bound: &mut Vec<Option<&'a Expr>>| {
                (0..args.len()).all(|i| {
                    let at = if i < 2 && args.len() >= 2 { order[i] } else { i };
                    matches(&args[i], &special[at], vars, others, bound)
                })
            };
            if all([0, 1], bound) {
                return true;
            }
            *bound = before;
            commutes(*op) && all([1, 0], bound)
        }
        (Expr::Float(a), Expr::Float(b)) => a == b,
        (Expr::Int(a), Expr::Int(b)) => a == b,
        _ => false,
    }
}

/// Equal but for names of widths and marks of single use.
fn same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Var(i, _), Expr::Var(j, _)) => i == j,
        (Expr::Op { op, args, .. }, Expr::Op { op: other, args: others, .. }) => {
            op == other && args.iter().zip(others).all(|(a, b)| same(a, b))
        }
        _ => a == b,
    }
}

fn commutes(op: AluOp) -> bool {
    op.info().props.contains(AluProps::COMMUTATIVE)
}
