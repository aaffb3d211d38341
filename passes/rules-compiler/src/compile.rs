//! Compiles rules to a [`Table`].

use crate::syntax::{Condition, Error, Expr, Rule, Width};
use crate::table::{
    Bits, CONST_KIND, Check, Entry, Fact, KINDS, NO_SLOT, OTHER_KIND, Pat, Rep, Rule as Compiled, SLOTS,
    Table, Variant, const_kind, deep_position, inner_bit, inner_position, position,
};
use crate::types::{Class, Typed, Types};
use airfoil_ir::alu::{ALU_OPS, AluProps, f64_to_bits};
use airfoil_ir::{AluOp, bit_mask};

use std::collections::BTreeMap;
use std::fmt::Write;

/// A variant of a pattern.
struct Rooted {
    root: AluOp,
    /// The first operand that must be an operation, or else a constant; orders the variants of an operation.
    order: usize,
    /// The kinds that each operand may have; none if that does not matter.
    kinds: [Vec<u16>; 4],
    /// Which neighbouring operands are one variable: the first and second, the second and third.
    same: [bool; 2],
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
    classes: Vec<u8>,
    sets: Vec<u64>,
    entries: Vec<Entry>,
}

/// Whether the first two operands of an operation can be swapped.
pub fn commutes(op: AluOp) -> bool {
    op.info().props.contains(AluProps::COMMUTATIVE)
}

/// Compiles rules.
///
/// # Errors
/// The first rule that does not fit.
pub fn compile(rules: &[Rule]) -> Result<Parts, Error> {
    let mut parts = Parts::default();
    let mut sorted: Vec<Rooted> = Vec::new();
    for (i, rule) in rules.iter().enumerate() {
        let error = |message: String| Error {
            file: rule.file.clone(),
            line: rule.line,
            message: format!("rule `{}`: {message}", rule.name),
        };
        if rules[..i].iter().any(|r| r.name == rule.name) {
            return Err(error("the name is used twice".into()));
        }
        let types = Types::of(rule).map_err(error)?;
        let mut one = OneRule { rule, types: &types, parts: &mut parts, slots: BTreeMap::new() };
        let variants = one.compile(i as u16).map_err(error)?;
        sorted.extend(variants);
    }
    // Those without a required kind come last.
    sorted.sort_by_key(|r| (r.root as u16, r.order, r.variant.rule));
    parts.entries = vec![Entry::default(); ALU_OPS.len()];
    for group in sorted.chunk_by(|a, b| a.root == b.root) {
        let entry = parts.entry(group);
        parts.entries[group[0].root as usize] = entry;
        parts.variants.extend(group.iter().map(|r| r.variant));
    }
    Ok(parts)
}

/// The set of the members of a group that satisfy a condition.
fn set_of(group: &[Rooted], member: impl Fn(&Rooted) -> bool) -> Vec<u64> {
    let words = group.chunks(64);
    words.map(|w| w.iter().enumerate().fold(0, |set, (i, r)| set | u64::from(member(r)) << i)).collect()
}

impl Parts {
    /// Lays out the sets of an operation's variants.
    fn entry(&mut self, group: &[Rooted]) -> Entry {
        let mut entry = Entry {
            first: self.variants.len() as u16,
            words: group.len().div_ceil(64) as u8,
            ..Entry::default()
        };
        let required = |&operand: &usize| group.iter().any(|r| !r.kinds[operand].is_empty());
        // At least one: its sets have bits for the members only.
        let operands = (0..4).rev().find(required).map_or(1, |last| last + 1);
        entry.operands = operands as u8;
        for operand in 0..operands {
            let mut kinds: Vec<u16> = group.iter().flat_map(|r| r.kinds[operand].clone()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            // Class 0: the kinds that no variant requires.
            let mut classes = [0; KINDS];
            for (class, &kind) in kinds.iter().enumerate() {
                classes[kind as usize] = class as u8 + 1;
            }
            let known = self.classes.chunks(KINDS).position(|c| c == classes);
            let index = known.unwrap_or_else(|| {
                self.classes.extend(classes);
                self.classes.len() / KINDS - 1
            });
            entry.classes[operand] = (index * KINDS) as u32;
            entry.sets[operand] = self.sets.len() as u32;
            for class in std::iter::once(None).chain(kinds.into_iter().map(Some)) {
                let takes = |kinds: &[u16]| kinds.is_empty() || class.is_some_and(|c| kinds.contains(&c));
                self.sets.extend(set_of(group, |r| takes(&r.kinds[operand])));
            }
        }
        entry.same = self.sets.len() as u32;
        for i in 0..2 {
            self.sets.extend(set_of(group, |r| r.same[i]));
        }
        entry
    }

    /// The table as a Rust expression.
    pub fn to_rust(&self) -> String {
        let mut out = String::from(
            "{ use airfoil_ir::AluOp::*;\nuse airfoil_rules::table::{Bits::*, Check::*, Entry, Fact::*, Flags, Pat::*, Rep::*, \
             Rule, Table, Variant};\nTable {\n",
        );
        let _ = writeln!(out, "rules: &{:?},", self.rules);
        let _ = writeln!(out, "variants: &{:?},", self.variants);
        let _ = writeln!(out, "pats: &{:?},", self.pats);
        let _ = writeln!(out, "reps: &{:?},", self.reps);
        let _ = writeln!(out, "checks: &{:?},", self.checks);
        let _ = writeln!(out, "classes: &{:?},", self.classes);
        let _ = writeln!(out, "sets: &{:?},", self.sets);
        let _ = writeln!(out, "entries: &{:?},", self.entries);
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
            classes: self.classes.leak(),
            sets: self.sets.leak(),
            entries: self.entries.leak(),
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
            let mut kinds = [const { Vec::new() }; 4];
            args.iter().zip(&mut kinds).for_each(|(arg, k)| *k = kinds_of(arg, self.rule));
            let is_operation = |arg: &Expr| matches!(arg, Expr::Op { .. });
            let order = args.iter().position(is_operation).or(kinds.iter().position(|k| !k.is_empty()));
            let (inner, pairs) = (inner(args, self.rule), pairs(args));
            variants.push(Rooted {
                root: *op,
                order: order.unwrap_or(kinds.len()),
                kinds,
                same: [same(args, 0), same(args, 1)],
                variant: Variant { rule: index, args: self.pats(args, &paths)?, inner, pairs },
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
            let constant = |e: &Expr| match e {
                Expr::Int(_) | Expr::Float(_) => true,
                Expr::Var(var, _) => rule.vars[*var].constant,
                _ => false,
            };
            let mut swapped = list.clone();
            swapped.swap(0, 1);
            if !constant(&list[0].0) {
                all.push(make(&list));
            }
            if !constant(&swapped[0].0) {
                all.push(make(&swapped));
            }
        } else {
            all.push(make(&list));
        }
    }
    all
}

/// The kind that an operand must have: an operation or [`CONST_KIND`].
fn kind(arg: &Expr, rule: &Rule) -> Option<u16> {
    match arg {
        Expr::Op { op, .. } => Some(*op as u16),
        Expr::Int(_) | Expr::Float(_) => Some(CONST_KIND),
        Expr::Var(var, _) if rule.vars[*var].constant => Some(CONST_KIND),
        _ => None,
    }
}

/// The kinds that an operand of a root may have; none if that does not matter.
fn kinds_of(arg: &Expr, rule: &Rule) -> Vec<u16> {
    let mut kinds: Vec<u16> = match arg {
        Expr::Int(value) => {
            let at = |bits: u32| const_kind(*value as u64 & bit_mask(bits), bits);
            [1, 8, 16, 32, 64].map(at).into()
        }
        Expr::Float(value) => [16, 32, 64].map(|bits| const_kind(f64_to_bits(*value, bits), bits)).into(),
        Expr::Var(var, _) if rule.vars[*var].constant => (CONST_KIND..OTHER_KIND).collect(),
        _ => kind(arg, rule).into_iter().collect(),
    };
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Up to two pairs of operands, up to three levels below the root, that are the same variable; the least deep ones.
fn pairs(args: &[Expr]) -> [[u8; 2]; 2] {
    let mut variables: Vec<(usize, usize)> = Vec::new();
    let operands = |arg: &Expr| if let Expr::Op { args, .. } = arg { args.clone() } else { Vec::new() };
    let mut add = |position: usize, arg: &Expr| {
        if let Expr::Var(var, _) = arg {
            variables.push((position, *var));
        }
    };
    for (i, arg) in args.iter().enumerate() {
        add(position(i), arg);
        for (j, arg) in operands(arg).iter().enumerate() {
            add(inner_position(i, j), arg);
            operands(arg).iter().enumerate().for_each(|(k, arg)| add(deep_position(i, j, k), arg));
        }
    }
    variables.sort_unstable();
    // Each position with the one before it that has the same variable.
    let before = |(n, &(high, var)): (usize, &(usize, usize))| {
        let low = variables[..n].iter().rfind(|&&(_, other)| other == var)?.0;
        Some([low as u8, high as u8])
    };
    let mut pairs = [[0; 2]; 2];
    variables.iter().enumerate().filter_map(before).zip(&mut pairs).for_each(|(found, pair)| *pair = found);
    pairs
}

/// The kinds that the operands of the operands must have.
fn inner(args: &[Expr], rule: &Rule) -> u64 {
    let mut bits = 0;
    for (i, arg) in args.iter().enumerate() {
        let Expr::Op { args, .. } = arg else { continue };
        let kinds = args.iter().enumerate().filter_map(|(j, arg)| Some((j, kind(arg, rule)?)));
        bits |= kinds.fold(0, |bits, (j, kind)| bits | inner_bit(i, j, kind));
    }
    bits
}

/// Whether an operand and the next are one variable.
fn same(args: &[Expr], i: usize) -> bool {
    matches!((args.get(i), args.get(i + 1)), (Some(Expr::Var(a, _)), Some(Expr::Var(b, _))) if a == b)
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
