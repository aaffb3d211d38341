//! Compiles rules to a [`Table`].

use crate::automaton::{self, Automaton, Root};
use crate::syntax::{Condition, Error, Expr, Rule, Width};
use crate::table::{
    Bits, Check, Constants, Fact, NO_SLOT, Pat, Rep, Rule as Compiled, SLOTS, Table, Variant, WHOLE, position,
};
use crate::types::{Class, Typed, Types};
use airfoil_ir::AluOp;
use airfoil_ir::alu::AluProps;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

/// A variant of a pattern.
struct Rooted {
    root: AluOp,
    /// The first operand that must be an operation, or else a constant; orders the variants of an operation.
    order: usize,
    variant: Variant,
}

/// Compiled rules whose parts are vectors.
#[derive(Debug, Default)]
pub struct Parts {
    rules: Vec<Compiled>,
    variants: Vec<Variant>,
    pats: Vec<Pat>,
    reps: Vec<Rep>,
    checks: Vec<Check>,
    automaton: Automaton,
}

/// Largest index of the tables.
const MAX_INDEX: usize = u16::MAX as usize;
const TOO_MANY: &str = "with this rule there are too many for the tables of the matcher";

/// Whether the first two operands of an operation can be swapped.
pub fn commutes(op: AluOp) -> bool {
    op.info().props.contains(AluProps::COMMUTATIVE)
}

/// Compiles rules.
///
/// # Errors
/// The first rule that does not fit; the last one if all are too many.
pub fn compile(rules: &[Rule]) -> Result<Parts, Error> {
    let mut parts = Parts::default();
    let mut sorted: Vec<Rooted> = Vec::new();
    let mut names = HashSet::new();
    for (i, rule) in rules.iter().enumerate() {
        let error = |message: String| error_in(rule, &message);
        if !names.insert(&*rule.name) {
            return Err(error("the name is used twice".into()));
        }
        let types = Types::of(rule).map_err(error)?;
        let mut one = OneRule { rule, types: &types, parts: &mut parts, slots: BTreeMap::new() };
        let variants = one.compile(i as u16).map_err(error)?;
        if [i, parts.pats.len(), parts.reps.len(), parts.checks.len()].iter().any(|&n| n > MAX_INDEX) {
            return Err(error(TOO_MANY.into()));
        }
        sorted.extend(variants);
    }
    // Those without a required kind come last.
    sorted.sort_by_key(|r| (r.root as u16, r.order, r.variant.rule));
    parts.variants = sorted.iter().map(|r| r.variant).collect();
    let root = |r: &Rooted| Root { op: r.root, args: r.variant.args, pair: r.variant.first_pair() };
    let roots: Vec<Root> = sorted.iter().map(root).collect();
    match (automaton::build(&roots, &parts.pats), rules.last()) {
        (Some(automaton), _) => parts.automaton = automaton,
        (None, Some(last)) => return Err(error_in(last, TOO_MANY)),
        (None, None) => {}
    }
    Ok(parts)
}

fn error_in(rule: &Rule, message: &str) -> Error {
    Error { file: rule.file.clone(), line: rule.line, message: format!("rule `{}`: {message}", rule.name) }
}

impl Parts {
    /// The table as a Rust expression.
    pub fn to_rust(&self) -> String {
        let mut out = String::from(
            "{ use airfoil_ir::AluOp::*;\nuse airfoil_rules::table::{Bits::*, Check::*, Constant, Constants, Entry, \
             Fact::*, Flags, Node, Pat::*, Rep::*, Rule, Table, Variant};\nTable {\n",
        );
        let _ = writeln!(out, "rules: &{:?},", self.rules);
        let _ = writeln!(out, "variants: &{:?},", self.variants);
        let _ = writeln!(out, "pats: &{:?},", self.pats);
        let _ = writeln!(out, "reps: &{:?},", self.reps);
        let _ = writeln!(out, "checks: &{:?},", self.checks);
        let Automaton { entries, classes, steps, nodes, candidates, .. } = &self.automaton;
        let Automaton { constants, other_constant, mixed_constant, .. } = &self.automaton;
        let _ = writeln!(out, "entries: &{entries:?},");
        let _ = writeln!(out, "classes: &{classes:?},");
        let _ = writeln!(out, "steps: &{steps:?},");
        let _ = writeln!(out, "nodes: &{nodes:?},");
        let _ = writeln!(
            out,
            "constants: Constants {{ slots: &{constants:?}, other: {other_constant}, mixed: {mixed_constant} }},"
        );
        let _ = writeln!(out, "candidates: &{candidates:?},");
        out.push_str("} }");
        out
    }

    /// The table, for the rest of the process: for rules that are read while it runs.
    pub fn leak(self) -> Table {
        Table {
            rules: self.rules.leak(),
            variants: self.variants.leak(),
            pats: self.pats.leak(),
            reps: self.reps.leak(),
            checks: self.checks.leak(),
            entries: self.automaton.entries.leak(),
            classes: self.automaton.classes.leak(),
            steps: self.automaton.steps.leak(),
            nodes: self.automaton.nodes.leak(),
            candidates: self.automaton.candidates.leak(),
            constants: Constants {
                slots: self.automaton.constants.leak(),
                other: self.automaton.other_constant,
                mixed: self.automaton.mixed_constant,
            },
        }
    }

    /// Number of rules with their operands in one order.
    pub fn num_variants(&self) -> usize {
        self.variants.len()
    }
}

struct OneRule<'a> {
    rule: &'a Rule,
    types: &'a Types,
    parts: &'a mut Parts,
    /// Slots of the operations of the pattern whose width is needed, by path of operands.
    slots: BTreeMap<Vec<usize>, u8>,
}

impl OneRule<'_> {
    fn compile(&mut self, index: u16) -> Result<Vec<Rooted>, String> {
        let mut widths = Vec::new();
        self.bind_widths(&self.rule.lhs, &self.types.lhs, &mut Vec::new(), &mut widths);
        if self.rule.vars.len() + self.slots.len() > SLOTS {
            return Err(format!("more than {SLOTS} variables"));
        }
        let rhs = self.rep(&self.rule.rhs, &self.types.rhs)?;
        let mut conditions = Vec::new();
        for (bits, class) in widths {
            if let Some(other) = self.class_bits(class)
                && other != bits
            {
                conditions.push(Check::Widths(bits, 2, other));
            }
        }
        let mut typed = self.types.conditions.iter();
        for condition in &self.rule.conditions {
            conditions.push(match condition {
                Condition::Widths(a, comparison, b) => {
                    let set = match *comparison {
                        "<" => 1,
                        "<=" => 3,
                        "==" => 2,
                        "!=" => 5,
                        ">" => 4,
                        _ => 6,
                    };
                    Check::Widths(self.width(*a)?, set, self.width(*b)?)
                }
                Condition::Expr(e) => {
                    let typed = typed.next().ok_or("a condition without a type")?;
                    Check::True(self.rep(e, typed)?)
                }
                Condition::Fact(fact, var) => Check::Known(*fact, *var as u8),
            });
        }
        // Cheap conditions first.
        conditions.sort_by_key(|c| match c {
            Check::Widths(..) => 0,
            Check::Known(Fact::Variable | Fact::Single, _) => 1,
            Check::True(_) => 2,
            Check::Known(..) => 3,
        });
        let first = self.parts.checks.len() as u16;
        self.parts.checks.extend(conditions);
        let checks = (first, self.parts.checks.len() as u16);
        self.parts.rules.push(Compiled {
            name: self.rule.name.clone().leak(),
            flags: self.rule.flags,
            rhs,
            checks,
        });
        let mut done: Vec<String> = Vec::new();
        let mut variants = Vec::new();
        for (lhs, paths) in orders(&self.rule.lhs, self.rule, Vec::new()) {
            let key = self.key(&lhs);
            if done.contains(&key) {
                continue;
            }
            done.push(key);
            let Expr::Op { op, args, .. } = &lhs else { continue };
            let is_operation = |arg: &Expr| matches!(arg, Expr::Op { .. });
            let order = args.iter().position(is_operation);
            let order = order.or(args.iter().position(|arg| is_constant(arg, self.rule)));
            variants.push(Rooted {
                root: *op,
                order: order.unwrap_or(4),
                variant: Variant { rule: index, args: self.pats(args, &paths)?, pairs: pairs(*op, args) },
            });
        }
        Ok(variants)
    }

    /// The rule with operands in another order, with variables named by their first occurrence: equal if the order does not
    /// matter.
    fn key(&self, lhs: &Expr) -> String {
        let mut names: Vec<usize> = Vec::new();
        let mut key = spelled(lhs, &mut names, false);
        key.push_str(&spelled(&self.rule.rhs, &mut names, true));
        for condition in &self.rule.conditions {
            match condition {
                Condition::Expr(e) => key.push_str(&spelled(e, &mut names, true)),
                Condition::Fact(fact, var) => {
                    let _ = write!(key, "{fact:?}{:?}", names.iter().position(|n| n == var));
                }
                Condition::Widths(..) => {}
            }
        }
        key
    }

    /// Finds the widths that the pattern binds, and gives a slot to each operation whose result has a width of its own.
    fn bind_widths(
        &mut self,
        expr: &Expr,
        typed: &Typed,
        path: &mut Vec<usize>,
        widths: &mut Vec<(Bits, Class)>,
    ) {
        match expr {
            Expr::Var(var, Some(_)) => widths.push((Bits::Slot(*var as u8), typed.class)),
            Expr::Op { op, args, width, .. } => {
                if path.is_empty() {
                    if width.is_some() {
                        widths.push((Bits::Root, typed.class));
                    }
                } else if op.info().props.contains(AluProps::SIZED) {
                    let slot = (self.rule.vars.len() + self.slots.len()) as u8;
                    self.slots.insert(path.clone(), slot);
                    if width.is_some() {
                        widths.push((Bits::Slot(slot), typed.class));
                    }
                }
                for (i, (arg, typed)) in args.iter().zip(&typed.args).enumerate() {
                    path.push(i);
                    self.bind_widths(arg, typed, path, widths);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    /// Where the width of a class is known from.
    fn class_bits(&self, class: Class) -> Option<Bits> {
        let class = self.types.find(class);
        if let Some(bits) = self.types.width(class) {
            return Some(Bits::Fixed(bits));
        }
        if self.types.find(self.types.lhs.class) == class {
            return Some(Bits::Root);
        }
        if let Some(var) = self.types.vars.iter().position(|&c| self.types.find(c) == class) {
            return Some(Bits::Slot(var as u8));
        }
        let slots = self.slots.iter();
        let found = slots.map(|(path, slot)| {
            let typed = path.iter().fold(&self.types.lhs, |t, &i| &t.args[i]);
            (self.types.find(typed.class), *slot)
        });
        found.into_iter().find(|(c, _)| *c == class).map(|(_, slot)| Bits::Slot(slot))
    }

    fn bits(&self, class: Class) -> Result<Bits, String> {
        self.class_bits(class).ok_or_else(|| "the width of a part of the replacement is not known".into())
    }

    fn width(&self, width: Width) -> Result<Bits, String> {
        match width {
            Width::Bits(bits) => Ok(Bits::Fixed(bits)),
            Width::Name(name) => self.bits(self.types.names[name]),
        }
    }

    fn rep(&mut self, expr: &Expr, typed: &Typed) -> Result<u16, String> {
        let node = self.rep_node(expr, typed)?;
        self.parts.reps.push(node);
        Ok(self.parts.reps.len() as u16 - 1)
    }

    fn rep_node(&mut self, expr: &Expr, typed: &Typed) -> Result<Rep, String> {
        Ok(match expr {
            Expr::Var(var, _) => Rep::Value(*var as u8),
            Expr::Comp(var, component) => Rep::Comp(*var as u8, *component),
            Expr::Int(value) => Rep::IntOf(*value, self.bits(typed.class)?),
            Expr::Float(value) => Rep::FloatOf(value.to_bits(), self.bits(typed.class)?),
            Expr::Width(name) => Rep::WidthOf(self.bits(self.types.names[*name])?, self.bits(typed.class)?),
            Expr::Op { op, args, .. } => {
                let nodes: Result<Vec<Rep>, String> =
                    args.iter().zip(&typed.args).map(|(arg, typed)| self.rep_node(arg, typed)).collect();
                let first = self.parts.reps.len() as u16;
                self.parts.reps.extend(nodes?);
                let out = self.bits(typed.class)?;
                Rep::Make { op: *op, args: first, bits: self.bits(typed.operands).unwrap_or(out), out }
            }
        })
    }

    /// Lays out the patterns of operands one after the other.
    fn pats(&mut self, args: &[Expr], paths: &[Path]) -> Result<u16, String> {
        let mut nodes = Vec::new();
        for (arg, path) in args.iter().zip(paths) {
            nodes.push(match arg {
                Expr::Var(var, _) if self.rule.vars[*var].constant => Pat::Const(*var as u8),
                Expr::Var(var, _) => Pat::Any(*var as u8),
                Expr::Int(value) => Pat::Int(*value),
                Expr::Float(value) => Pat::Float(value.to_bits()),
                Expr::Op { op, args, single, .. } => {
                    let slot = self.slots.get(&path.original).copied().unwrap_or(NO_SLOT);
                    Pat::Op { op: *op, args: self.pats(args, &path.args)?, slot, single: *single }
                }
                Expr::Comp(..) | Expr::Width(_) => return Err("a pattern has no components or widths".into()),
            });
        }
        let first = self.parts.pats.len() as u16;
        self.parts.pats.extend(nodes);
        Ok(first)
    }
}

/// The position of a part of a pattern before its operands were swapped.
#[derive(Clone, Debug)]
struct Path {
    original: Vec<usize>,
    args: Vec<Path>,
}

/// An expression with its operands in each order, with the paths of its operands.
fn orders(expr: &Expr, rule: &Rule, path: Vec<usize>) -> Vec<(Expr, Vec<Path>)> {
    let Expr::Op { op, width, single, args } = expr else { return vec![(expr.clone(), Vec::new())] };
    // All combinations of the orders of the operands.
    let mut lists: Vec<Vec<(Expr, Path)>> = vec![Vec::new()];
    for (i, arg) in args.iter().enumerate() {
        let inner: Vec<usize> = path.iter().copied().chain([i]).collect();
        let options = orders(arg, rule, inner.clone());
        lists = lists
            .into_iter()
            .flat_map(|list| {
                let inner = &inner;
                options.iter().map(move |(e, paths)| {
                    let path = Path { original: inner.clone(), args: paths.clone() };
                    list.iter().cloned().chain([(e.clone(), path)]).collect::<Vec<_>>()
                })
            })
            .collect();
    }
    let mut all = Vec::new();
    for list in lists {
        let make = |list: &[(Expr, Path)]| {
            let (args, paths) = list.iter().cloned().unzip();
            (Expr::Op { op: *op, width: *width, single: *single, args }, paths)
        };
        if commutes(*op) {
            // The matcher finds constants as the second operand only, unless both are.
            let mut swapped = list.clone();
            swapped.swap(0, 1);
            if !is_constant(&list[0].0, rule) {
                all.push(make(&list));
            }
            if !is_constant(&swapped[0].0, rule) {
                all.push(make(&swapped));
            }
        } else {
            all.push(make(&list));
        }
    }
    all
}

/// Whether an operand must be a constant.
fn is_constant(arg: &Expr, rule: &Rule) -> bool {
    match arg {
        Expr::Int(_) | Expr::Float(_) => true,
        Expr::Var(var, _) => rule.vars[*var].constant,
        _ => false,
    }
}

/// Up to two pairs of operands, up to three levels below the root, that are the same variable; the least deep ones.
fn pairs(op: AluOp, args: &[Expr]) -> [[u16; 2]; 2] {
    let mut variables: Vec<(u16, usize)> = Vec::new();
    add_variables(op, args, &mut Vec::new(), &mut variables);
    variables.sort_unstable_by_key(|&(position, _)| position & !WHOLE);
    // Each position with the one before it that has the same variable.
    let before = |(n, &(high, var)): (usize, &(u16, usize))| {
        let low = variables[..n].iter().rfind(|&&(_, other)| other == var)?.0;
        Some([low, high])
    };
    let mut pairs = [[0; 2]; 2];
    variables.iter().enumerate().filter_map(before).zip(&mut pairs).for_each(|(found, pair)| *pair = found);
    pairs
}

/// The positions of variables among the operands of an operation at the end of a path.
fn add_variables(op: AluOp, args: &[Expr], path: &mut Vec<u16>, variables: &mut Vec<(u16, usize)>) {
    for (i, (arg, operand)) in args.iter().zip(op.info().operands).enumerate() {
        path.push(i as u16);
        match arg {
            Expr::Var(var, _) => {
                let whole = if operand.comps == 0 { 0 } else { WHOLE };
                variables.push((position(path) | whole, *var));
            }
            Expr::Op { op, args, .. } if path.len() < 3 => add_variables(*op, args, path, variables),
            _ => {}
        }
        path.pop();
    }
}

/// An expression as text, with variables numbered by first occurrence; `any_order`: operands of commutative operations sorted.
fn spelled(expr: &Expr, names: &mut Vec<usize>, any_order: bool) -> String {
    match expr {
        Expr::Var(var, _) | Expr::Comp(var, _) => {
            let index = names.iter().position(|n| n == var).unwrap_or_else(|| {
                names.push(*var);
                names.len() - 1
            });
            format!("v{index}{}", if let Expr::Comp(_, c) = expr { format!(".{c}") } else { String::new() })
        }
        Expr::Op { op, width, single, args } => {
            let mut args: Vec<String> = args.iter().map(|a| spelled(a, names, any_order)).collect();
            if any_order && commutes(*op) {
                args[..2].sort();
            }
            format!("{}{width:?}{single}({})", op.name(), args.join(","))
        }
        other => format!("{other:?}"),
    }
}
