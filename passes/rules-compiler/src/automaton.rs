//! Compiles patterns to a bottom-up automaton.
//!
//! A value's state is the set of those parts of patterns, below their roots, that its operation matches by operations and
//! constants alone. It follows from the operation and the states of the operands, so that a matcher computes it once per
//! value, from tables, and finds with it the patterns that have their root at the value. Equal variables, uses, widths and
//! conditions are not part of states: the matcher checks them for the patterns that remain.
//!
//! The table of an operation takes one operand after the other: classes of states (two states that the same patterns accept
//! are one class), then steps from the patterns that are left and the class of the next operand to the patterns that are
//! left after it.
//!
//! Source: Hoffmann and O'Donnell 1982, "Pattern Matching in Trees" (bottom-up matching); NIR's `nir_algebraic.py`.

use crate::table::{Constant, Constants, END, Entry, MOST_POSITIONS, Node, Pat};
use airfoil_ir::alu::{ALU_OPS, f64_to_bits};
use airfoil_ir::{AluOp, bit_mask};
use indexmap::IndexSet;
use std::collections::HashMap;
use std::hash::Hash;

/// A pattern that has its root at an operation.
pub(crate) struct Root {
    pub op: AluOp,
    /// Index of the pattern of the first operand.
    pub args: u16,
    /// The positions of a pair of operands that must be equal.
    pub pair: Option<[u16; 2]>,
}

/// The tables of an automaton, as in [`Table`](crate::table::Table).
#[derive(Debug, Default)]
pub(crate) struct Automaton {
    pub entries: Vec<Entry>,
    pub classes: Vec<u8>,
    pub steps: Vec<u16>,
    pub nodes: Vec<Node>,
    pub candidates: Vec<u16>,
    pub constants: Vec<Constant>,
    pub other_constant: u16,
    pub mixed_constant: u16,
}

/// A part of a pattern. Index 0 of a list of parts is the part that matches any value.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Part {
    Any,
    Const,
    Int(i64),
    Float(u64),
    Op(AluOp, Vec<u16>),
}

/// Classes of the states of an operand: an index is a byte.
const MOST_CLASSES: usize = 256;

/// A set of the patterns of an operation.
type Set = Vec<u64>;

/// The index of a value of a set, to which it is added unless it is there.
fn intern<T: Eq + Hash>(set: &mut IndexSet<T>, value: T) -> u16 {
    set.insert_full(value).0 as u16
}

/// Whether the indices of a set are right.
fn fits<T>(set: &IndexSet<T>) -> bool {
    set.len() <= usize::from(u16::MAX)
}

/// The patterns of an operation that have equal operands, apart from the names of variables.
struct Shape {
    args: Vec<u16>,
    /// The part below a root that it is, if it is one.
    part: Option<u16>,
    /// Indices of the patterns that have their root here, in order, with a pair of operands that must be equal.
    roots: Vec<(u16, Option<[u16; 2]>)>,
}

/// An operation that occurs in patterns.
struct Operation {
    op: AluOp,
    shapes: Vec<Shape>,
    /// By operand: the shapes that accept a part, by part.
    accepts: Vec<HashMap<u16, Set>>,
}

/// The tables of one operation, with indices of its own.
struct Tables {
    /// By operand, the class of each state.
    classes: Vec<Vec<u16>>,
    /// By operand after the first: the number of classes, and the shapes that are left by those left so far and the class.
    steps: Vec<(u16, Vec<u16>)>,
    /// The shapes that are left in the end.
    left: IndexSet<Set>,
    /// Whether all indices are right.
    fits: bool,
}

/// The automaton for patterns; `None` if they are too many for its tables.
pub(crate) fn build(roots: &[Root], pats: &[Pat]) -> Option<Automaton> {
    let (operations, parts) = operations(roots, pats);
    // A state is a list of parts, without the one that matches any value.
    let mut states = IndexSet::from([Vec::new()]);
    let constants = constants(&parts, &mut states);
    loop {
        if !fits(&states) || !fits(&parts) || roots.len() > usize::from(END) {
            return None;
        }
        let before = states.len();
        let tables: Vec<Tables> = operations.iter().map(|o| o.tables(&states)).collect();
        for (operation, tables) in operations.iter().zip(&tables) {
            for left in &tables.left {
                states.insert(operation.parts(left));
            }
        }
        if states.len() == before {
            return tables
                .iter()
                .all(|t| t.fits)
                .then(|| lay_out(&operations, &tables, &states, constants))?;
        }
    }
}

/// The states of constants; only those fields are set.
fn constants(parts: &IndexSet<Part>, states: &mut IndexSet<Vec<u16>>) -> Automaton {
    // The value of a literal at a width.
    let value = |part: &Part, bits: u8| match *part {
        Part::Int(value) => Some(value as u64 & bit_mask(u32::from(bits))),
        Part::Float(value) if bits >= 16 => Some(f64_to_bits(f64::from_bits(value), u32::from(bits))),
        _ => None,
    };
    let is_literal = |part: &Part| matches!(part, Part::Int(_) | Part::Float(_));
    let mut state = |accepts: &dyn Fn(&Part) -> bool| {
        let accepted = |&p: &u16| parts[p as usize] == Part::Const || accepts(&parts[p as usize]);
        intern(states, (0..parts.len() as u16).filter(accepted).collect())
    };
    let (other_constant, mixed_constant) = (state(&|_| false), state(&is_literal));
    let mut named: Vec<Constant> = Vec::new();
    for bits in [1, 8, 16, 32, 64] {
        for value_here in parts.iter().filter_map(|p| value(p, bits)) {
            if !named.iter().any(|c| (c.value, c.bits) == (value_here, bits)) {
                let state = state(&|p| value(p, bits) == Some(value_here));
                named.push(Constant { value: value_here, bits, state });
            }
        }
    }
    let mut constants = vec![Constant::default(); (named.len() * 2).next_power_of_two()];
    for constant in named {
        let mut at = Constants::start(constant.value, constant.bits, constants.len());
        while constants[at].bits != 0 {
            at = (at + 1) % constants.len();
        }
        constants[at] = constant;
    }
    Automaton { constants, other_constant, mixed_constant, ..Automaton::default() }
}

/// The operations that occur in patterns, and all parts of patterns.
fn operations(roots: &[Root], pats: &[Pat]) -> (Vec<Operation>, IndexSet<Part>) {
    let mut parts = IndexSet::from([Part::Any]);
    let mut operations: Vec<Operation> = Vec::new();
    let shape = |operations: &mut Vec<Operation>, op: AluOp, args: Vec<u16>| -> (usize, usize) {
        let o = operations.iter().position(|o| o.op == op).unwrap_or_else(|| {
            operations.push(Operation { op, shapes: Vec::new(), accepts: Vec::new() });
            operations.len() - 1
        });
        let shapes = &mut operations[o].shapes;
        let s = shapes.iter().position(|s| s.args == args).unwrap_or_else(|| {
            shapes.push(Shape { args, part: None, roots: Vec::new() });
            shapes.len() - 1
        });
        (o, s)
    };
    for (index, root) in roots.iter().enumerate() {
        let args = (0..root.op.num_operands() as u16).map(|i| part_of(pats, root.args + i, &mut parts));
        let args = args.collect();
        let (o, s) = shape(&mut operations, root.op, args);
        operations[o].shapes[s].roots.push((index as u16, root.pair));
    }
    for (index, part) in parts.iter().enumerate() {
        if let Part::Op(op, args) = part {
            let (o, s) = shape(&mut operations, *op, args.clone());
            operations[o].shapes[s].part = Some(index as u16);
        }
    }
    operations.iter_mut().for_each(Operation::index);
    (operations, parts)
}

/// The part that a pattern is.
fn part_of(pats: &[Pat], index: u16, parts: &mut IndexSet<Part>) -> u16 {
    let part = match pats[index as usize] {
        Pat::Any(_) => Part::Any,
        Pat::Const(_) => Part::Const,
        Pat::Int(value) => Part::Int(value),
        Pat::Float(value) => Part::Float(value),
        Pat::Op { op, args, .. } => {
            Part::Op(op, (0..op.num_operands() as u16).map(|i| part_of(pats, args + i, parts)).collect())
        }
    };
    intern(parts, part)
}

impl Operation {
    fn words(&self) -> usize {
        self.shapes.len().div_ceil(64)
    }

    /// Fills the sets of shapes that accept a part as an operand.
    fn index(&mut self) {
        let words = self.words();
        self.accepts = vec![HashMap::new(); self.op.num_operands()];
        for (s, shape) in self.shapes.iter().enumerate() {
            for (accepts, &arg) in self.accepts.iter_mut().zip(&shape.args) {
                accepts.entry(arg).or_insert_with(|| vec![0; words])[s / 64] |= 1 << (s % 64);
            }
        }
    }

    /// The shapes that accept a value in a state, its parts, as an operand.
    fn accepted(&self, operand: usize, state: &[u16]) -> Set {
        let mut set = vec![0; self.words()];
        for part in std::iter::once(&0).chain(state) {
            if let Some(more) = self.accepts[operand].get(part) {
                set.iter_mut().zip(more).for_each(|(a, b)| *a |= b);
            }
        }
        set
    }

    fn tables(&self, states: &IndexSet<Vec<u16>>) -> Tables {
        let mut classes = Vec::new();
        let mut sets: Vec<IndexSet<Set>> = Vec::new();
        let mut all_fit = true;
        for operand in 0..self.op.num_operands() {
            // Class 0: no part of a pattern.
            let mut distinct = IndexSet::from([self.accepted(operand, &[])]);
            classes.push(states.iter().map(|s| intern(&mut distinct, self.accepted(operand, s))).collect());
            all_fit &= distinct.len() <= MOST_CLASSES;
            sets.push(distinct);
        }
        let mut sets = sets.into_iter();
        let mut left = sets.next().unwrap_or_default();
        let mut steps = Vec::new();
        for next in sets {
            let mut distinct = IndexSet::new();
            let both = |a: &Set, b: &Set| a.iter().zip(b).map(|(a, b)| a & b).collect::<Set>();
            let table = left.iter().flat_map(|a| next.iter().map(move |b| both(a, b)));
            let table = table.map(|set| intern(&mut distinct, set)).collect();
            steps.push((next.len() as u16, table));
            all_fit &= fits(&distinct);
            left = distinct;
        }
        Tables { classes, steps, left, fits: all_fit }
    }

    /// The shapes of a set.
    fn shapes<'a>(&'a self, set: &'a Set) -> impl Iterator<Item = &'a Shape> {
        let member = |s: usize| set[s / 64] >> (s % 64) & 1 != 0;
        self.shapes.iter().enumerate().filter(move |(s, _)| member(*s)).map(|(_, shape)| shape)
    }

    /// The parts below roots that the shapes of a set are.
    fn parts(&self, set: &Set) -> Vec<u16> {
        let mut parts: Vec<u16> = self.shapes(set).filter_map(|s| s.part).collect();
        parts.sort_unstable();
        parts
    }

    /// The patterns that have their root at a value for which a set is left, in order, with a pair of operands that must be equal.
    fn candidates(&self, set: &Set) -> Vec<(u16, Option<[u16; 2]>)> {
        let mut candidates: Vec<(u16, Option<[u16; 2]>)> =
            self.shapes(set).flat_map(|s| s.roots.iter().copied()).collect();
        candidates.sort_unstable();
        candidates
    }
}

/// The positions of operands that must be equal, and the pairs, as in [`Node::pairs`]; none if there are too many.
fn positions_and_pairs(candidates: &[(u16, Option<[u16; 2]>)]) -> (Vec<u16>, Vec<u16>) {
    let pairs = || candidates.iter().filter_map(|(_, pair)| *pair);
    let mut positions: Vec<u16> = pairs().flatten().collect();
    positions.sort_unstable();
    positions.dedup();
    if positions.len() > MOST_POSITIONS {
        return (Vec::new(), Vec::new());
    }
    let index = |position| positions.binary_search(&position).map_or(0, |i| i as u16);
    let mut indices: Vec<u16> = pairs().map(|[low, high]| index(low) << 8 | index(high)).collect();
    indices.sort_unstable();
    indices.dedup();
    (positions, indices)
}

/// Adds a list to the end of another unless it is there; its position.
fn share<T: Clone + Eq + Hash>(all: &mut Vec<T>, known: &mut HashMap<Vec<T>, u32>, list: Vec<T>) -> u32 {
    if let Some(&at) = known.get(&list) {
        return at;
    }
    let at = all.len() as u32;
    all.extend_from_slice(&list);
    known.insert(list, at);
    at
}

/// Puts the tables of all operations one after the other.
fn lay_out(
    operations: &[Operation],
    tables: &[Tables],
    states: &IndexSet<Vec<u16>>,
    constants: Automaton,
) -> Option<Automaton> {
    let mut a = Automaton { entries: vec![Entry::default(); ALU_OPS.len()], ..constants };
    let (mut rows, mut lists) = (HashMap::new(), HashMap::new());
    let mut nodes: IndexSet<Node> = IndexSet::new();
    for (operation, tables) in operations.iter().zip(tables) {
        let entry = &mut a.entries[operation.op as usize];
        entry.operands = tables.classes.len() as u8;
        let indices = || operation.shapes.iter().flat_map(|s| s.roots.iter().map(|(index, _)| *index));
        entry.variants =
            indices().min().zip(indices().max()).map_or((0, 0), |(first, last)| (first, last + 1));
        for (at, classes) in entry.classes.iter_mut().zip(&tables.classes) {
            let row = classes.iter().map(|&class| class as u8).collect();
            *at = share(&mut a.classes, &mut rows, row);
        }
        let left: Vec<u16> = tables
            .left
            .iter()
            .map(|set| {
                let list = operation.candidates(set);
                let mut place = |list: Vec<u16>| {
                    share(&mut a.candidates, &mut lists, list.into_iter().chain([END]).collect())
                };
                let all = place(list.iter().map(|(index, _)| *index).collect());
                let (positions, mut pairs) = positions_and_pairs(&list);
                // Too many positions: all patterns remain.
                let is_left = |pair: &Option<[u16; 2]>| pair.is_none() || positions.is_empty();
                let distinct = list.iter().filter(|(_, pair)| is_left(pair));
                let distinct = place(distinct.map(|(index, _)| *index).collect());
                pairs.splice(0..0, positions.into_iter().chain([END]));
                intern(
                    &mut nodes,
                    Node {
                        all,
                        distinct,
                        pairs: place(pairs),
                        state: states.get_index_of(&operation.parts(set)).unwrap_or(0) as u16,
                    },
                )
            })
            .collect();
        // The last table leads to nodes.
        let last = tables.steps.len();
        for (step, (columns, table)) in tables.steps.iter().enumerate() {
            (entry.columns[step], entry.steps[step]) = (*columns, a.steps.len() as u32);
            let is_last = step + 1 == last;
            a.steps.extend(table.iter().map(|&to| if is_last { left[to as usize] } else { to }));
        }
        if last == 0 {
            entry.steps[0] = a.steps.len() as u32;
            a.steps.extend(left);
        }
    }
    let all_fit = fits(&nodes);
    a.nodes = nodes.into_iter().collect();
    all_fit.then_some(a)
}
