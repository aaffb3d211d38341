//! The expressions of shaders.

use super::term::{Leaf, Shape, Term, is_float};
use airfoil_ir::alu::AluProps;
use airfoil_ir::{AluOp, Body, InstrId, InstrKind, Shader, Src};
use std::collections::HashMap;

/// Operations of an expression at most.
const MOST_OPS: usize = 3;
/// Expressions of one instruction at most.
const MOST_TREES: usize = 64;

/// An expression that occurs in shaders.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Operands, in the order of their first occurrence.
    pub leaves: Vec<Leaf>,
    /// The expression.
    pub term: Term,
    /// Its shape.
    pub shape: Shape,
}

/// Expressions, with the lanes in which they occur.
#[derive(Debug, Default)]
pub struct Corpus {
    patterns: HashMap<Pattern, u64>,
}

/// An expression with the values of its operands.
#[derive(Clone, Debug)]
enum Tree {
    Leaf { value: InstrId, lanes: Vec<u8>, shape: Shape, bits: Option<Option<u64>> },
    Op(AluOp, u8, Vec<Tree>),
}

/// How a value is read: its lanes, and the components that the reader fixes, zero for those of the root.
struct Use<'a> {
    lanes: &'a [u8],
    fixed: u8,
    float: bool,
}

impl Corpus {
    /// Adds the expressions of a shader.
    pub fn add(&mut self, shader: &Shader) {
        for function in shader.functions.values() {
            let body = &function.body;
            for id in body.all_instrs() {
                let Some(alu) = body[id].as_alu() else { continue };
                if is_move(alu.op) {
                    continue;
                }
                let lanes: Vec<u8> = (0..body[id].ty.comps).collect();
                let float = is_float(alu.op.info().result.base).unwrap_or(false);
                let read = Use { lanes: &lanes, fixed: alu.op.info().result.comps, float };
                for tree in expand(body, id, &read, MOST_OPS) {
                    let count = u64::from(body[id].ty.comps);
                    let shape =
                        Shape { bits: body[id].ty.bits, comps: alu.op.info().result.comps.max(1), float };
                    *self.patterns.entry(number(&tree, shape)).or_default() += count;
                }
            }
        }
    }

    /// The expressions, those of most cost first, small ones before those that contain them.
    pub fn patterns(&self) -> Vec<(Pattern, u64)> {
        let mut all: Vec<(Pattern, u64)> = self.patterns.iter().map(|(p, &n)| (p.clone(), n)).collect();
        all.sort_by(|(a, n), (b, m)| {
            let value = |p: &Pattern, n: u64| n * u64::from(p.term.cost(&p.leaves));
            (a.term.size(), value(b, *m))
                .cmp(&(b.term.size(), value(a, *n)))
                .then_with(|| a.term.cmp(&b.term))
        });
        all
    }
}

fn is_move(op: AluOp) -> bool {
    matches!(op, AluOp::mov | AluOp::vec2 | AluOp::vec3 | AluOp::vec4)
}

/// The expressions of up to `budget` operations whose root is an operation.
fn expand(body: &Body, id: InstrId, read: &Use<'_>, budget: usize) -> Vec<Tree> {
    let InstrKind::Alu(alu) = &body[id].kind else { return Vec::new() };
    let info = alu.op.info();
    if budget == 0 || info.props.contains(AluProps::QUAD) {
        return Vec::new();
    }
    // Each operand is a leaf or an expression; combinations within the budget.
    let mut partial: Vec<(Vec<Tree>, usize)> = vec![(Vec::new(), 1)];
    for (i, src) in alu.srcs().enumerate() {
        let operand = info.operands[i];
        let lanes: Vec<u8> = match operand.comps {
            0 => read.lanes.iter().map(|&l| src.swizzle.get(usize::from(l)) as u8).collect(),
            n => (0..usize::from(n)).map(|l| src.swizzle.get(l) as u8).collect(),
        };
        let fixed = if operand.comps == 0 { read.fixed } else { operand.comps };
        let float = is_float(operand.base).unwrap_or(read.float);
        let inner = Use { lanes: &lanes, fixed, float };
        let mut choices = vec![(leaf(body, src, &inner), 0)];
        if is_expression(body, src.value, &inner) {
            let trees = expand(body, src.value, &inner, budget - 1);
            choices.extend(trees.into_iter().map(|t| {
                let n = operations(&t);
                (t, n)
            }));
        }
        let mut next = Vec::new();
        for (args, used) in &partial {
            for (choice, more) in &choices {
                if used + more <= budget && next.len() < MOST_TREES {
                    let mut args = args.clone();
                    args.push(choice.clone());
                    next.push((args, used + more));
                }
            }
        }
        partial = next;
    }
    let bits = body[id].ty.bits;
    partial.into_iter().map(|(args, _)| Tree::Op(alu.op, bits, args)).collect()
}

/// Whether an operand can be part of the expression: vectors only whole.
fn is_expression(body: &Body, value: InstrId, read: &Use<'_>) -> bool {
    let Some(alu) = body[value].as_alu() else { return false };
    let comps = alu.op.info().result.comps;
    let whole = read.lanes.iter().enumerate().all(|(i, &l)| usize::from(l) == i);
    match comps {
        _ if alu.op == AluOp::mov => false,
        0 | 1 => true,
        n => read.fixed == n && whole,
    }
}

fn operations(tree: &Tree) -> usize {
    match tree {
        Tree::Leaf { .. } => 0,
        Tree::Op(_, _, args) => 1 + args.iter().map(operations).sum::<usize>(),
    }
}

fn leaf(body: &Body, src: Src, read: &Use<'_>) -> Tree {
    let ty = body[src.value].ty;
    let shape = Shape { bits: ty.bits, comps: read.fixed.max(1), float: read.float };
    let bits = body[src.value].as_const().map(|constant| {
        let first = constant[usize::from(read.lanes[0])];
        read.lanes.iter().all(|&l| constant[usize::from(l)] == first).then_some(first)
    });
    Tree::Leaf { value: src.value, lanes: read.lanes.to_vec(), shape, bits }
}

/// Numbers the operands.
fn number(tree: &Tree, shape: Shape) -> Pattern {
    fn walk(tree: &Tree, seen: &mut Vec<(InstrId, Vec<u8>)>, leaves: &mut Vec<Leaf>) -> Term {
        match tree {
            Tree::Op(op, bits, args) => {
                Term::Op(*op, *bits, args.iter().map(|a| walk(a, seen, leaves)).collect())
            }
            Tree::Leaf { value, lanes, shape, bits } => {
                let known = seen.iter().position(|(v, l)| v == value && l == lanes);
                Term::Leaf(known.unwrap_or_else(|| {
                    seen.push((*value, lanes.clone()));
                    leaves.push(match bits {
                        None => Leaf::Var(*shape),
                        Some(None) => Leaf::AnyConst(*shape),
                        Some(Some(bits)) => Leaf::Const(*shape, *bits),
                    });
                    leaves.len() - 1
                }))
            }
        }
    }
    let (mut seen, mut leaves) = (Vec::new(), Vec::new());
    let term = walk(tree, &mut seen, &mut leaves);
    Pattern { leaves, term, shape }
}

impl Pattern {
    /// The same with any constants instead of its own; `None` if it has none.
    pub fn generalized(&self) -> Option<Pattern> {
        let mut other = self.clone();
        for leaf in &mut other.leaves {
            if let Leaf::Const(shape, _) = *leaf {
                *leaf = Leaf::AnyConst(shape);
            }
        }
        (other.leaves != self.leaves).then_some(other)
    }

    /// The cost of its operations.
    pub fn cost(&self) -> u32 {
        self.term.cost(&self.leaves)
    }

    /// Whether a part of another pattern is an instance of this one.
    pub fn occurs_in(&self, other: &Pattern) -> bool {
        self.occurs_in_part(&other.term, &other.leaves)
    }

    fn occurs_in_part(&self, term: &Term, leaves: &[Leaf]) -> bool {
        let Term::Op(_, _, args) = term else { return false };
        let mut bound = vec![None; self.leaves.len()];
        self.matches(&self.term, term, leaves, &mut bound)
            || args.iter().any(|arg| self.occurs_in_part(arg, leaves))
    }

    fn matches<'a>(
        &self,
        general: &Term,
        special: &'a Term,
        leaves: &[Leaf],
        bound: &mut Vec<Option<&'a Term>>,
    ) -> bool {
        match (general, special) {
            (Term::Leaf(i), _) => {
                let fits = match (self.leaves[*i], special) {
                    (Leaf::Var(_), _) => true,
                    (Leaf::AnyConst(_), Term::Leaf(j)) => leaves[*j].is_const(),
                    (constant @ Leaf::Const(..), Term::Leaf(j)) => leaves[*j] == constant,
                    _ => false,
                };
                fits && *bound[*i].get_or_insert(special) == special
            }
            (Term::Op(op, bits, args), Term::Op(other, width, others)) if op == other && bits == width => {
                let before = bound.clone();
                if args.iter().zip(others).all(|(a, b)| self.matches(a, b, leaves, bound)) {
                    return true;
                }
                *bound = before;
                op.info().props.contains(AluProps::COMMUTATIVE)
                    && self.matches(&args[0], &others[1], leaves, bound)
                    && self.matches(&args[1], &others[0], leaves, bound)
            }
            _ => false,
        }
    }
}
