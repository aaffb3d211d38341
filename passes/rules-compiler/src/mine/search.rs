//! Expressions that have the same values on all samples.

use super::corpus::Pattern;
use super::term::{Leaf, Shape, Term, Values, eval, is_float, own_cost};
use airfoil_ir::alu::{AluProps, Base, f64_from_bits, f64_to_bits};
use airfoil_ir::{AluOp, Ty, bit_mask};
use std::collections::HashMap;

/// Operations that replacements consist of, besides those of the pattern.
const OPS: &[&str] = &[
    "fadd", "fsub", "fmul", "fdiv", "fneg", "fabs", "fsat", "fmin", "fmax", "fsqrt", "frsq", "frcp",
    "ffloor", "ffract", "fsign", "ffma", "flt", "fge", "feq", "fneu", "fltu", "fgeu", "fdot2", "fdot3",
    "fdot4", "iadd", "isub", "imul", "ineg", "iabs", "ishl", "ishr", "ushr", "iand", "ior", "ixor", "inot",
    "imin", "imax", "umin", "umax", "ieq", "ine", "ilt", "ige", "ult", "uge", "find_lsb", "bcsel", "b2f",
    "b2i",
];

/// Constants computed from those of a pattern that are combined with other operations.
const MOST_CONSTANTS: usize = 40;

/// A replacement: its operands are those of the pattern, and literals after them.
#[derive(Clone, Debug)]
pub struct Found {
    /// Operands.
    pub leaves: Vec<Leaf>,
    /// The expression.
    pub term: Term,
    /// Its cost.
    pub cost: u32,
}

struct Entry {
    term: Term,
    shape: Shape,
    cost: u32,
    constant: bool,
    values: Values,
}

/// The cheapest replacement of each pattern. All have the operands `leaves`. `deep` tries replacements of two operations.
pub fn search(leaves: &[Leaf], patterns: &[&Pattern], deep: bool) -> Vec<Option<Found>> {
    let mut bank = Bank::new(leaves, patterns);
    bank.level_one();
    if deep {
        bank.level_two();
    }
    let leaves = bank.leaves;
    let found =
        |best: Option<(u32, Term)>| best.map(|(cost, term)| Found { leaves: leaves.clone(), term, cost });
    bank.best.into_iter().map(found).collect()
}

struct Bank {
    leaves: Vec<Leaf>,
    /// Operands of the patterns; literals follow.
    given: usize,
    ops: Vec<AluOp>,
    /// Widths of results of operations whose result has a width of its own.
    sized: Vec<u8>,
    entries: Vec<Entry>,
    seen: HashMap<(Shape, u64), usize>,
    /// Patterns by shape and values, with their costs.
    targets: HashMap<(u8, u8, u64), Vec<(usize, u32)>>,
    best: Vec<Option<(u32, Term)>>,
}

impl Bank {
    fn new(leaves: &[Leaf], patterns: &[&Pattern]) -> Bank {
        let mut all = leaves.to_vec();
        let mut shapes: Vec<Shape> = leaves.iter().map(|l| l.shape()).collect();
        let mut ops: Vec<AluOp> = OPS.iter().filter_map(|name| AluOp::from_name(name)).collect();
        let mut sized = vec![32];
        for pattern in patterns {
            shapes.push(pattern.shape);
            names(&pattern.term, &mut ops, &mut sized);
        }
        shapes.sort_unstable();
        shapes.dedup();
        for shape in shapes {
            all.extend(literals(shape).into_iter().map(|bits| Leaf::Const(shape, bits)));
        }
        for leaf in leaves {
            if let Leaf::Const(shape, bits) = *leaf
                && !shape.float
                && shape.bits > 1
            {
                let mask = bit_mask(u32::from(shape.bits));
                all.push(Leaf::Const(shape, bits.wrapping_sub(1) & mask));
                all.push(Leaf::Const(shape, !bits & mask));
            }
        }
        let mut bank = Bank {
            leaves: all,
            given: leaves.len(),
            ops,
            sized,
            entries: Vec::new(),
            seen: HashMap::new(),
            targets: HashMap::new(),
            best: vec![None; patterns.len()],
        };
        for (i, pattern) in patterns.iter().enumerate() {
            if let Some(values) = pattern.term.values(leaves) {
                let key = (pattern.shape.bits, pattern.shape.comps, fingerprint(pattern.shape, &values));
                bank.targets.entry(key).or_default().push((i, pattern.cost()));
            }
        }
        for i in 0..bank.leaves.len() {
            let leaf = bank.leaves[i];
            bank.offer(Entry {
                term: Term::Leaf(i),
                shape: leaf.shape(),
                cost: 0,
                constant: leaf.is_const(),
                values: leaf.values(i),
            });
        }
        bank
    }

    /// Records an expression, and keeps it if its values are new.
    fn offer(&mut self, entry: Entry) {
        let key = self.check(&entry.term, entry.shape, entry.cost, &entry.values);
        if let Some(key) = key
            && let std::collections::hash_map::Entry::Vacant(slot) = self.seen.entry((entry.shape, key))
        {
            slot.insert(self.entries.len());
            self.entries.push(entry);
        }
    }

    /// Compares an expression with the patterns; its fingerprint, unless a value is not a number.
    fn check(&mut self, term: &Term, shape: Shape, cost: u32, values: &Values) -> Option<u64> {
        let mut key = None;
        // Bits that are only moved may be read as floats or not.
        for float in [shape.float, !shape.float] {
            let print = fingerprint(Shape { float, ..shape }, values);
            key = key.or(Some(print));
            for &(i, most) in self.targets.get(&(shape.bits, shape.comps, print)).into_iter().flatten() {
                let better = self.best[i].as_ref().is_none_or(|(best, _)| cost < *best);
                if cost < most && better {
                    self.best[i] = Some((cost, term.clone()));
                }
            }
        }
        key
    }

    fn level_one(&mut self) {
        let count = self.entries.len();
        for op in self.ops.clone() {
            for args in tuples(op, &|_| 0..count) {
                // Operations on literals alone yield nothing that a pattern depends on.
                if args.iter().all(|&a| matches!(self.entries[a].term, Term::Leaf(i) if i >= self.given)) {
                    continue;
                }
                if let Some(entry) = self.apply(op, &args) {
                    self.offer(entry);
                }
            }
        }
    }

    fn level_two(&mut self) {
        let (leaves, count) = (self.leaves.len().min(self.entries.len()), self.entries.len());
        let simple = self.entries.iter().position(|e| matches!(e.term, Term::Op(..))).unwrap_or(leaves);
        for op in self.ops.clone() {
            let operands = op.info().num_operands();
            for deep in 0..operands {
                if deep > 0 && op.info().props.contains(AluProps::COMMUTATIVE) {
                    break;
                }
                for args in tuples(op, &|i| if i == deep { simple..count } else { 0..simple }) {
                    if let Some(entry) = self.apply(op, &args) {
                        let _ = self.check(&entry.term, entry.shape, entry.cost, &entry.values);
                    }
                }
            }
            // A constant computed from constants can be the other operand.
            if operands == 2 {
                let own = |t: &Term| matches!(t, Term::Leaf(i) if *i < self.given);
                let is_own = |t: &Term| matches!(t, Term::Op(_, _, args) if args.iter().all(own));
                let constants: Vec<usize> = (simple..count)
                    .filter(|&i| self.entries[i].constant && is_own(&self.entries[i].term))
                    .take(MOST_CONSTANTS)
                    .collect();
                for &c in &constants {
                    for other in 0..count {
                        for args in [[other, c], [c, other]] {
                            if let Some(entry) = self.apply(op, &args) {
                                let _ = self.check(&entry.term, entry.shape, entry.cost, &entry.values);
                            }
                        }
                    }
                }
            }
        }
    }

    /// An operation on entries, if their shapes fit.
    fn apply(&self, op: AluOp, args: &[usize]) -> Option<Entry> {
        let info = op.info();
        let (mut bits, mut comps) = (0, 0);
        for (&arg, operand) in args.iter().zip(info.operands) {
            let shape = self.entries[arg].shape;
            if is_float(operand.base).is_some_and(|float| float != shape.float)
                || (operand.base == Base::Bool) != (shape.bits == 1)
                    && operand.base != Base::Any
                    && shape.bits == 1
                    && operand.bits != 0
                || operand.bits != 0 && operand.bits != shape.bits
                || operand.comps != 0 && operand.comps != shape.comps
                || operand.bits == 0 && bits != 0 && bits != shape.bits
                || operand.comps == 0 && comps != 0 && comps != shape.comps
                || !operand.base.has_width(shape.bits)
            {
                return None;
            }
            if operand.bits == 0 {
                bits = shape.bits;
            }
            if operand.comps == 0 {
                comps = shape.comps;
            }
        }
        let result_bits = match info.result.bits {
            _ if info.props.contains(AluProps::SIZED) => *self.sized.first()?,
            0 => bits,
            n => n,
        };
        let comps = if info.result.comps == 0 { comps.max(1) } else { info.result.comps };
        let constant = args.iter().all(|&a| self.entries[a].constant);
        let any = args.last().map(|&a| self.entries[a].shape.float).unwrap_or(false);
        let float = is_float(info.result.base).unwrap_or(any);
        let values: Vec<&Values> = args.iter().map(|&a| &self.entries[a].values).collect();
        let values = eval(op, Ty::new(comps, result_bits), bits, &values)?;
        let terms: Vec<Term> = args.iter().map(|&a| self.entries[a].term.clone()).collect();
        let own = if constant { 0 } else { own_cost(op, comps, &terms) };
        Some(Entry {
            term: Term::Op(op, result_bits, terms),
            shape: Shape { bits: result_bits, comps, float },
            cost: own + args.iter().map(|&a| self.entries[a].cost).sum::<u32>(),
            constant,
            values,
        })
    }
}

/// The operations of a pattern, and the widths that they name.
fn names(term: &Term, ops: &mut Vec<AluOp>, sized: &mut Vec<u8>) {
    let Term::Op(op, bits, args) = term else { return };
    let info = op.info();
    if info.num_operands() < 3 && !ops.contains(op) && info.result.comps <= 1 {
        ops.push(*op);
    }
    if info.props.contains(AluProps::SIZED) && !sized.contains(bits) {
        sized.push(*bits);
    }
    args.iter().for_each(|arg| names(arg, ops, sized));
}

/// Useful constants of a shape.
fn literals(shape: Shape) -> Vec<u64> {
    let bits = u32::from(shape.bits);
    match (shape.float, bits) {
        (true, 16 | 32 | 64) => [0.0, 1.0, -1.0, 2.0, 0.5].map(|x| f64_to_bits(x, bits)).to_vec(),
        (_, 1) => vec![0, 1],
        _ => vec![0, 1, bit_mask(bits)],
    }
}

/// All operands of an operation, from a range for each.
fn tuples(op: AluOp, range: &dyn Fn(usize) -> std::ops::Range<usize>) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for i in 0..op.info().num_operands() {
        let grow = |args: Vec<usize>| {
            range(i).map(move |next| {
                let mut args = args.clone();
                args.push(next);
                args
            })
        };
        all = all.into_iter().flat_map(grow).collect();
    }
    all
}

/// A hash of values; floats are rounded to 12 bits, so that most differences in rounding do not count.
fn fingerprint(shape: Shape, values: &Values) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for lanes in values {
        for &raw in lanes.iter().take(usize::from(shape.comps)) {
            let part = if shape.float && matches!(shape.bits, 16 | 32 | 64) {
                let x = f64_from_bits(raw, u32::from(shape.bits));
                match x {
                    _ if x.is_nan() => u64::MAX,
                    _ if x == 0.0 => 0,
                    _ => x.to_bits().wrapping_add(1 << 39) >> 40,
                }
            } else {
                raw
            };
            hash = (hash ^ part).wrapping_mul(0x0100_0000_01b3);
            hash ^= hash >> 29;
        }
    }
    hash
}
