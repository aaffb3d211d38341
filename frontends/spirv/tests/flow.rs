//! Control flow: random structured programs are executed block by block as SPIR-V and as the IR that the reader
//! produces; both must do the same.

mod support;

use airfoil_ir::*;
use airfoil_spirv_in::{Options, read};
use slotmap::SecondaryMap;
use spirv::Op;
use std::collections::HashMap;
use support::Frame;

/// Steps after which an execution is cut off.
const FUEL: usize = 400;

#[derive(Clone, Debug)]
enum End {
    Branch(usize),
    If(usize, usize),
    Switch(Vec<(u32, usize)>, usize),
    Return,
    Kill,
}

#[derive(Clone, Debug, Default)]
struct Node {
    merge: Option<usize>,
    cont: Option<usize>,
    end: Option<End>,
    /// Blocks whose values are added: they dominate this one.
    uses: Vec<usize>,
    /// Whether the values of the predecessors are joined by a phi.
    phi: bool,
}

struct Rng(u64);

impl Rng {
    fn next(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// Makes a program of nested constructs.
struct Gen {
    rng: Rng,
    nodes: Vec<Node>,
    /// Targets of breaks and continues that are allowed now.
    exits: Vec<usize>,
    dominating: Vec<usize>,
}

impl Gen {
    fn node(&mut self) -> usize {
        let phi = self.rng.next(3) == 0;
        self.nodes.push(Node { phi, ..Node::default() });
        self.nodes.len() - 1
    }

    /// Fills block `b`: it dominates the blocks after it in the list.
    fn start(&mut self, b: usize) {
        for _ in 0..self.rng.next(3) {
            if !self.dominating.is_empty() {
                let i = self.rng.next(self.dominating.len());
                self.nodes[b].uses.push(self.dominating[i]);
            }
        }
        self.dominating.push(b);
    }

    /// Emits code from block `b` on; returns the open block where it ends, if control gets there.
    fn list(&mut self, mut b: usize, depth: usize) -> Option<usize> {
        self.start(b);
        for _ in 0..self.rng.next(3) {
            let known = self.dominating.len();
            let next = match self.rng.next(if depth == 0 { 1 } else { 10 }) {
                0 => {
                    let n = self.node();
                    self.nodes[b].end = Some(End::Branch(n));
                    n
                }
                1..=4 => self.selection(b, depth),
                5..=6 => self.switch(b, depth),
                7..=8 => self.looping(b, depth),
                _ => {
                    self.nodes[b].end = Some(self.leave());
                    return None;
                }
            };
            self.dominating.truncate(known);
            b = next;
            self.start(b);
        }
        Some(b)
    }

    fn leave(&mut self) -> End {
        match self.rng.next(8) {
            0 => End::Return,
            1 => End::Kill,
            _ if self.exits.is_empty() => End::Return,
            _ => {
                let i = self.rng.next(self.exits.len());
                End::Branch(self.exits[i])
            }
        }
    }

    fn arm(&mut self, start: usize, merge: usize, depth: usize) {
        let known = self.dominating.len();
        if let Some(end) = self.list(start, depth - 1) {
            self.nodes[end].end = Some(End::Branch(merge));
        }
        self.dominating.truncate(known);
    }

    fn selection(&mut self, b: usize, depth: usize) -> usize {
        let (yes, no, merge) = (self.node(), self.node(), self.node());
        self.nodes[b].merge = Some(merge);
        match self.rng.next(3) {
            0 => {
                self.nodes[b].end = Some(End::If(yes, merge));
                self.arm(yes, merge, depth);
                self.nodes[no].end = Some(End::Return);
            }
            _ => {
                self.nodes[b].end = Some(End::If(yes, no));
                self.arm(yes, merge, depth);
                self.arm(no, merge, depth);
            }
        }
        merge
    }

    fn switch(&mut self, b: usize, depth: usize) -> usize {
        let n = 1 + self.rng.next(4);
        let cases: Vec<usize> = (0..n).map(|_| self.node()).collect();
        let merge = self.node();
        self.nodes[b].merge = Some(merge);
        let default_at = self.rng.next(n + 1);
        let default = cases.get(default_at).copied().unwrap_or(merge);
        let mut literals = Vec::new();
        for (i, &c) in cases.iter().enumerate() {
            if i != default_at || self.rng.next(2) == 0 {
                literals.push((i as u32, c));
                if self.rng.next(3) == 0 {
                    literals.push((i as u32 + 10, c));
                }
            }
        }
        self.nodes[b].end = Some(End::Switch(literals, default));
        // A loop's continue can still be reached from a switch, its break cannot.
        let outer = self.exits.clone();
        self.exits.retain(|&e| self.nodes[e].uses.first() == Some(&usize::MAX));
        self.exits.push(merge);
        for (i, &c) in cases.iter().enumerate() {
            let next = cases.get(i + 1).copied().filter(|_| self.rng.next(3) == 0).unwrap_or(merge);
            self.arm(c, next, depth);
        }
        self.exits = outer;
        merge
    }

    fn looping(&mut self, b: usize, depth: usize) -> usize {
        let (header, body, cont, merge) = (self.node(), self.node(), self.node(), self.node());
        self.nodes[b].end = Some(End::Branch(header));
        self.start(header);
        self.nodes[header].merge = Some(merge);
        self.nodes[header].cont = Some(cont);
        self.nodes[header].end =
            Some(if self.rng.next(2) == 0 { End::Branch(body) } else { End::If(body, merge) });
        // Continue targets are marked, so that switches recognise them.
        let outer = std::mem::replace(&mut self.exits, vec![cont, merge]);
        self.nodes[cont].uses.push(usize::MAX);
        self.arm(body, cont, depth);
        self.exits.clear();
        self.nodes[cont].uses.clear();
        let known = self.dominating.len();
        // The continue construct may be several blocks; nothing in it leaves but the back edge.
        let mut last = cont;
        self.start(last);
        if self.rng.next(3) == 0 {
            let (yes, join) = (self.node(), self.node());
            self.nodes[last].merge = Some(join);
            self.nodes[last].end = Some(End::If(yes, join));
            self.start(yes);
            self.dominating.pop();
            self.nodes[yes].end = Some(End::Branch(join));
            self.start(join);
            last = join;
        }
        self.nodes[last].end =
            Some(if self.rng.next(3) == 0 { End::If(header, merge) } else { End::Branch(header) });
        self.dominating.truncate(known);
        self.exits = outer;
        merge
    }
}

fn successors(end: &End) -> Vec<usize> {
    match end {
        End::Branch(t) => vec![*t],
        End::If(a, b) => vec![*a, *b],
        End::Switch(cases, d) => cases.iter().map(|c| c.1).chain([*d]).collect(),
        End::Return | End::Kill => vec![],
    }
}

fn predecessors(nodes: &[Node]) -> Vec<Vec<usize>> {
    let mut preds = vec![Vec::new(); nodes.len()];
    for (i, n) in nodes.iter().enumerate() {
        for s in n.end.iter().flat_map(successors) {
            if !preds[s].contains(&i) {
                preds[s].push(i);
            }
        }
    }
    preds
}

/// The computation of a block: the accumulator before, the block, and the values that it uses.
fn mix(acc: u32, block: usize, extra: u32) -> u32 {
    acc.wrapping_mul(31).wrapping_add(block as u32 + 1).wrapping_add(extra.wrapping_mul(7))
}

/// Executes the program; returns the accumulator after every block.
fn execute(nodes: &[Node], seed: u32) -> Vec<u32> {
    let mut trace = Vec::new();
    let mut values: HashMap<usize, u32> = HashMap::new();
    let (mut acc, mut at, mut from) = (seed, 0, usize::MAX);
    while trace.len() < FUEL {
        let node = &nodes[at];
        let mut extra = 0u32;
        if node.phi && from != usize::MAX {
            extra = values[&from];
        }
        for u in &node.uses {
            extra = extra.wrapping_add(values[u]);
        }
        acc = mix(acc, at, extra);
        values.insert(at, acc);
        trace.push(acc);
        let next = match node.end.as_ref().unwrap() {
            End::Branch(t) => *t,
            End::If(a, b) => {
                if acc & 0x30 < 0x10 {
                    *a
                } else {
                    *b
                }
            }
            End::Switch(cases, d) => {
                let sel = (acc >> 4) & 15;
                cases.iter().find(|c| c.0 == sel).map_or(*d, |c| c.1)
            }
            End::Return | End::Kill => break,
        };
        from = at;
        at = next;
    }
    trace
}

/// The program as a module.
fn assemble(nodes: &[Node]) -> Vec<u32> {
    let mut f = Frame::fragment();
    let preds = predecessors(nodes);
    let constants: HashMap<u32, u32> =
        (0..=nodes.len() as u32).chain([31, 7, 0x30, 0x10, 15, 4]).map(|n| (n, f.constant(n))).collect();
    f.begin();
    let labels: Vec<u32> = nodes.iter().map(|_| f.a.id()).collect();
    let values: Vec<u32> = nodes.iter().map(|_| f.a.id()).collect();
    let (int, boolean) = (f.int, f.boolean);
    for (i, n) in nodes.iter().enumerate() {
        f.a.op(Op::Label, &[labels[i]]);
        let mut extra = None;
        if n.phi && !preds[i].is_empty() {
            let pairs: Vec<u32> = preds[i].iter().flat_map(|&p| [values[p], labels[p]]).collect();
            extra = Some(f.a.value(Op::Phi, int, &pairs));
        }
        for &u in &n.uses {
            extra = Some(match extra {
                None => values[u],
                Some(e) => f.a.value(Op::IAdd, int, &[e, values[u]]),
            });
        }
        let acc = f.acc;
        let old = f.a.value(Op::Load, int, &[acc]);
        let mut new = f.a.value(Op::IMul, int, &[old, constants[&31]]);
        if let Some(e) = extra {
            let e = f.a.value(Op::IMul, int, &[e, constants[&7]]);
            new = f.a.value(Op::IAdd, int, &[new, e]);
        }
        f.a.op(Op::IAdd, &[int, values[i], new, constants[&(i as u32 + 1)]]);
        f.a.op(Op::Store, &[acc, values[i]]);
        let mut cond = 0;
        match n.end.as_ref().unwrap() {
            End::If(..) => {
                let bits = f.a.value(Op::BitwiseAnd, int, &[values[i], constants[&0x30]]);
                cond = f.a.value(Op::ULessThan, boolean, &[bits, constants[&0x10]]);
            }
            End::Switch(..) => {
                let bits = f.a.value(Op::ShiftRightLogical, int, &[values[i], constants[&4]]);
                cond = f.a.value(Op::BitwiseAnd, int, &[bits, constants[&15]]);
            }
            _ => {}
        }
        match (n.merge, n.cont) {
            (Some(m), Some(c)) => f.a.op(Op::LoopMerge, &[labels[m], labels[c], 0]),
            (Some(m), None) => f.a.op(Op::SelectionMerge, &[labels[m], 0]),
            _ => {}
        }
        match n.end.as_ref().unwrap() {
            End::Branch(t) => f.a.op(Op::Branch, &[labels[*t]]),
            End::If(a, b) => f.a.op(Op::BranchConditional, &[cond, labels[*a], labels[*b]]),
            End::Switch(cases, d) => {
                let mut operands = vec![cond, labels[*d]];
                operands.extend(cases.iter().flat_map(|&(l, t)| [l, labels[t]]));
                f.a.op(Op::Switch, &operands);
            }
            End::Return => f.a.op(Op::Return, &[]),
            End::Kill => f.a.op(Op::Kill, &[]),
        }
    }
    f.finish()
}

/// Executes the entry function; returns the values that are written to the accumulator.
fn interpret(shader: &Shader, seed: u32) -> Vec<u32> {
    let body = shader.entry_body().unwrap();
    let acc = shader.vars.iter().find(|(_, v)| v.mode == Modes::SHADER_TEMP).map(|(id, _)| id);
    let mut memory: HashMap<VarId, Lanes> = HashMap::new();
    memory.extend(acc.map(|a| (a, [u64::from(seed), 0, 0, 0])));
    let mut values: SecondaryMap<InstrId, Lanes> = SecondaryMap::new();
    let mut trace = Vec::new();
    let (mut block, mut before) = (body.entry(), None);
    let mut steps = 0;
    let var = |id: InstrId| match body[id].as_deref().unwrap().kind {
        DerefKind::Var(v) => v,
        _ => panic!("only whole variables are used here"),
    };
    loop {
        steps += 1;
        if trace.len() >= FUEL || steps > 100 * FUEL {
            return trace;
        }
        let source = |phi: InstrId| {
            let srcs = body[phi].as_phi().unwrap();
            values[srcs.iter().find(|s| Some(s.pred) == before).unwrap().value]
        };
        let phis: Vec<(InstrId, Lanes)> = body.phis(block).map(|phi| (phi, source(phi))).collect();
        values.extend(phis);
        for id in body.instrs(block) {
            let i = &body[id];
            match &i.kind {
                InstrKind::Phi(_) => {}
                InstrKind::Const(c) => {
                    values.insert(id, *c);
                }
                InstrKind::Undef => {
                    values.insert(id, [0xdead; 4]);
                }
                InstrKind::Alu(a) => {
                    let operands: Vec<Lanes> = a.values().iter().map(|&v| values[v]).collect();
                    let bits = u32::from(body[a.values()[0]].ty.bits);
                    values.insert(id, a.op.eval(bits, i.ty, &operands).unwrap());
                }
                InstrKind::Intrinsic(n) => match n.op {
                    IntrinsicOp::load_deref => {
                        let v = memory.get(&var(n.src(0))).copied().unwrap_or([0xdead_beef, 0, 0, 0]);
                        values.insert(id, v);
                    }
                    IntrinsicOp::store_deref => {
                        let v = values[n.src(1)];
                        memory.insert(var(n.src(0)), v);
                        if Some(var(n.src(0))) == acc {
                            trace.push(v[0] as u32);
                        }
                    }
                    IntrinsicOp::discard => return trace,
                    other => panic!("{}", other.name()),
                },
                InstrKind::Deref(_) | InstrKind::Jump(_) => {}
                other => panic!("{other:?}"),
            }
        }
        let next = match body.next_cf(block).and_then(|cf| body.as_if(cf)) {
            Some(n) if body.jump(block).is_none() => {
                let side = usize::from(values[n.cond()][0] == 0);
                body.successors(block)[side]
            }
            _ => body.successors(block)[0],
        };
        match next {
            Some(b) => (before, block) = (Some(block), b),
            None => return trace,
        }
    }
}

/// Whether the shader needed flags to leave several loops.
fn check(nodes: &[Node], what: &str) -> bool {
    let words = assemble(nodes);
    let shader = match read(&words, &Options::default()) {
        Ok(s) => s,
        Err(e) => panic!("{what}: {}\n{nodes:#?}", e[0]),
    };
    let violations = validate::validate(&shader);
    assert!(violations.is_empty(), "{what}: {}\n{}", violations[0], text::print(&shader));
    for seed in [0, 1, 5, 77, 1234, 99_999, 0xffff_0000, 0x1357_9bdf] {
        let (want, mut have) = (execute(nodes, seed), interpret(&shader, seed));
        have.truncate(FUEL);
        assert_eq!(want, have, "{what}, seed {seed}\n{nodes:#?}\n{}", text::print(&shader));
    }
    shader.vars.values().any(|v| &*v.name == "leave")
}

fn program(seed: u64) -> Vec<Node> {
    let rng = Rng(seed * 0x9e37_79b9 + 1);
    let mut g = Gen { rng, nodes: Vec::new(), exits: Vec::new(), dominating: Vec::new() };
    let first = g.node();
    g.nodes[first].phi = false;
    if let Some(last) = g.list(first, 1 + seed as usize % 5) {
        g.nodes[last].end = Some(End::Return);
    }
    g.nodes
}

/// Readings take over memory from those before on the same thread, whether they succeeded or stopped anywhere.
#[test]
fn readings_do_not_depend_on_those_before() {
    let mut refused = 0;
    for seed in 0..200 {
        let words = assemble(&program(seed));
        // Cut off within the code, which takes the last two thirds.
        let cut = &words[..words.len() - 1 - seed as usize * 7 % (words.len() * 2 / 3)];
        refused += usize::from(read(cut, &Options::default()).is_err());
        let shown = |words: &[u32]| text::print(&read(words, &Options::default()).expect("a legal module"));
        let alone = std::thread::scope(|scope| scope.spawn(|| shown(&words)).join()).expect("no panic");
        assert_eq!(shown(&words), alone, "program {seed}");
    }
    assert!(refused > 150, "only {refused} are refused");
}

#[test]
fn random_programs_do_the_same() {
    let (mut blocks, mut loops, mut flags) = (0, 0, 0);
    for seed in 0..3000 {
        let nodes = program(seed);
        blocks += nodes.len();
        loops += nodes.iter().filter(|n| n.cont.is_some()).count();
        flags += usize::from(check(&nodes, &format!("program {seed}")));
    }
    let counts = format!("{blocks} blocks, {loops} loops, {flags} programs with flags");
    assert!(blocks > 20_000 && loops > 1000 && flags > 100, "too few: {counts}");
}
