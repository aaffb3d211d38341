//! Analyses of random control flow against the definitions, taken literally.

use super::*;
use crate::alu::AluOp;
use crate::body::random::random_body;
use crate::body::{Body, Cursor};
use crate::builder::Builder;
use crate::enums::Modes;
use crate::ids::{BlockId, InstrId};
use crate::instr::{InstrKind, Jump};
use crate::intrinsic::{IntrinsicOp, SystemValue};
use crate::value::Ty;
use rustc_hash::FxHashMap;

const SEEDS: u64 = 200;

/// Blocks that paths from `start` reach without entering `without`.
fn reach(start: &[usize], without: Option<usize>, succs: &[Vec<usize>]) -> Vec<bool> {
    let mut seen = vec![false; succs.len()];
    let mut work: Vec<usize> = start.iter().copied().filter(|&b| Some(b) != without).collect();
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut seen[b], true) {
            work.extend(succs[b].iter().copied().filter(|&s| Some(s) != without));
        }
    }
    seen
}

fn successors(cfg: &Cfg, body: &Body) -> Vec<Vec<usize>> {
    cfg.blocks()
        .iter()
        .map(|&b| body.successors(b).into_iter().flatten().map(|s| cfg.index(s)).collect())
        .collect()
}

#[test]
fn edges_agree_with_the_body() {
    for seed in 0..SEEDS {
        let body = random_body(seed);
        let cfg = Cfg::new(&body);
        for &b in cfg.blocks() {
            let succs: Vec<BlockId> = body.successors(b).into_iter().flatten().collect();
            assert_eq!(cfg.succs(b).collect::<Vec<_>>(), succs);
            let preds: Vec<BlockId> =
                cfg.blocks().iter().copied().filter(|&p| body.successors(p).contains(&Some(b))).collect();
            assert_eq!(cfg.preds(b), preds);
        }
    }
}

#[test]
fn dominance_is_about_paths_from_the_entry() {
    let mut unreachable = 0;
    for seed in 0..SEEDS {
        let body = random_body(seed);
        let dom = Dominance::new(&body);
        let cfg = dom.cfg();
        let succs = successors(cfg, &body);
        let all = reach(&[0], None, &succs);
        let blocks = cfg.blocks();
        for (a, &block_a) in blocks.iter().enumerate() {
            let without = reach(&[0], Some(a), &succs);
            for (b, &block_b) in blocks.iter().enumerate() {
                assert_eq!(dom.dominates(block_a, block_b), !without[b], "seed {seed}: {a} {b}");
            }
            assert_eq!(dom.is_reachable(block_a), all[a]);
            unreachable += usize::from(!all[a]);
            // The immediate dominator is dominated by all other strict dominators.
            let strict = |d: BlockId| d != block_a && all[a] && dom.dominates(d, block_a);
            match dom.idom(block_a) {
                Some(idom) => {
                    assert!(strict(idom) && dom.children(idom).any(|c| c == block_a));
                    assert!(blocks.iter().all(|&d| !strict(d) || dom.dominates(d, idom)));
                }
                None => assert!(!blocks.iter().any(|&d| strict(d))),
            }
        }
        let order: Vec<BlockId> = dom.preorder().collect();
        assert_eq!(order.len(), all.iter().filter(|&&r| r).count());
        for (i, &b) in order.iter().enumerate() {
            assert!(dom.idom(b).is_none_or(|d| order[..i].contains(&d)));
        }
    }
    assert!(unreachable > 100, "the generator must make unreachable blocks: {unreachable}");
}

#[test]
fn common_dominators_are_the_closest() {
    for seed in 0..SEEDS / 4 {
        let body = random_body(seed);
        let dom = Dominance::new(&body);
        let blocks = dom.cfg().blocks();
        for &a in blocks {
            for &b in blocks {
                let both = |d: BlockId| dom.is_reachable(d) && dom.dominates(d, a) && dom.dominates(d, b);
                match dom.common(a, b) {
                    Some(c) => assert!(both(c) && blocks.iter().all(|&d| !both(d) || dom.dominates(d, c))),
                    None => assert!(!dom.is_reachable(a) || !dom.is_reachable(b)),
                }
            }
        }
    }
}

#[test]
fn post_dominance_is_about_paths_to_the_end() {
    let mut endless = 0;
    for seed in 0..SEEDS {
        let body = random_body(seed);
        let cfg = Cfg::new(&body);
        let post = PostDominance::new(&body);
        let mut succs = successors(&cfg, &body);
        let end = succs.len();
        for s in &mut succs {
            if s.is_empty() {
                s.push(end);
            }
        }
        succs.push(Vec::new());
        for (i, &b) in cfg.blocks().iter().enumerate() {
            let header = matches!(body.owner(b), crate::body::Owner::Loop(_)) && body.prev_cf(b).is_none();
            // Imagined edges do not make other loops less endless: all are looked for before.
            if header && !reach(&[i], None, &successors_with_end(&cfg, &body))[end] {
                succs[i].push(end);
                endless += 1;
            }
        }
        for (a, &block_a) in cfg.blocks().iter().enumerate() {
            for (b, &block_b) in cfg.blocks().iter().enumerate() {
                let avoids = reach(&[b], Some(a), &succs)[end];
                assert_eq!(post.post_dominates(block_a, block_b), !avoids, "seed {seed}: {a} {b}");
            }
            let strict = |d: BlockId| d != block_a && post.post_dominates(d, block_a);
            match post.ipdom(block_a) {
                Some(p) => {
                    assert!(strict(p) && post.children(p).any(|c| c == block_a));
                    assert!(cfg.blocks().iter().all(|&d| !strict(d) || post.post_dominates(d, p)));
                }
                None => assert!(!cfg.blocks().iter().any(|&d| strict(d))),
            }
        }
    }
    assert!(endless > 20, "the generator must make endless loops: {endless}");
}

fn successors_with_end(cfg: &Cfg, body: &Body) -> Vec<Vec<usize>> {
    let mut succs = successors(cfg, body);
    let end = succs.len();
    succs.iter_mut().filter(|s| s.is_empty()).for_each(|s| s.push(end));
    succs.push(Vec::new());
    succs
}

#[test]
fn loops_agree_with_the_tree() {
    for seed in 0..SEEDS {
        let body = random_body(seed);
        let nest = LoopNest::new(&body);
        let cfg = Cfg::new(&body);
        for &b in cfg.blocks() {
            assert_eq!(nest.loop_of(b).map(|l| l.cf), body.loop_around(b));
            let mut depth = 0;
            let mut at = b;
            while let Some(cf) = body.loop_around(at) {
                depth += 1;
                at = body.cf(cf).prev();
            }
            assert_eq!(nest.depth(b), depth);
        }
        for (i, l) in nest.loops().iter().enumerate() {
            assert_eq!(nest.position(l.cf), Some(i));
            let region = body.as_loop(l.cf).expect("loop").body();
            assert_eq!(nest.blocks(l), body.blocks_in(region).collect::<Vec<_>>());
            assert!(cfg.blocks().iter().all(|&b| nest.contains(l, b) == nest.blocks(l).contains(&b)));
            let jumps = |jump| {
                let here = |b: &BlockId| body.jump(*b) == Some(jump) && body.loop_around(*b) == Some(l.cf);
                nest.blocks(l).iter().copied().filter(here).collect::<Vec<_>>()
            };
            assert_eq!((l.breaks.clone(), l.continues.clone()), (jumps(Jump::Break), jumps(Jump::Continue)));
            let returns =
                nest.blocks(l).iter().any(|&b| matches!(body.jump(b), Some(Jump::Return | Jump::Halt)));
            assert_eq!(l.returns, returns);
            assert_eq!((l.header, l.exit), (region.first, body.cf(l.cf).next()));
        }
    }
}

/// Whether `block` itself needs `value` before it defines it.
fn uses_in(body: &Body, block: BlockId, value: InstrId) -> bool {
    let mut found = false;
    for id in body.instrs(block).filter(|&i| body[i].as_phi().is_none()) {
        body[id].visit_operands(|v| found |= v == value);
    }
    let cond = body.next_cf(block).and_then(|cf| body.as_if(cf)).map(|n| n.cond());
    found || cond == Some(value)
}

fn uses_on_edge(body: &Body, from: BlockId, to: BlockId, value: InstrId) -> bool {
    body.phis(to)
        .any(|p| body[p].as_phi().unwrap_or_default().iter().any(|s| s.pred == from && s.value == value))
}

#[test]
fn liveness_is_about_paths_to_uses() {
    for seed in 0..SEEDS / 2 {
        let body = random_body(seed);
        let cfg = Cfg::new(&body);
        let live = Liveness::new(&body);
        for value in body.all_instrs().filter(|&i| body[i].has_value()) {
            let def = body.block_of(value);
            // Needed at the start of a block: used there, or needed at the end and not defined there.
            let mut live_in: FxHashMap<BlockId, bool> = FxHashMap::default();
            let live_out = |set: &FxHashMap<BlockId, bool>, b: BlockId| {
                cfg.succs(b).any(|s| uses_on_edge(&body, b, s, value) || set.get(&s) == Some(&true))
            };
            loop {
                let mut changed = false;
                for &b in cfg.blocks() {
                    let now = b != def && (uses_in(&body, b, value) || live_out(&live_in, b));
                    changed |= live_in.insert(b, now) != Some(now);
                }
                if !changed {
                    break;
                }
            }
            for &b in cfg.blocks() {
                assert_eq!(live.is_live_in(value, b), live_in[&b], "seed {seed}");
                assert_eq!(live.is_live_out(value, b), live_out(&live_in, b), "seed {seed}");
                assert_eq!(live.live_in(b).any(|v| v == value), live_in[&b]);
            }
        }
    }
}

/// The trace of one invocation: values by instruction and iterations of the loops around it.
#[derive(Default)]
struct Trace {
    values: FxHashMap<(InstrId, Vec<u32>), u64>,
    operands: FxHashMap<(InstrId, InstrId, Vec<u32>), u64>,
    blocks: FxHashMap<(BlockId, Vec<u32>), ()>,
}

/// Runs a body from [`random_body`]; `None` if it takes too long.
fn run(body: &Body, nest: &LoopNest, invocation: u64) -> Option<Trace> {
    let mut trace = Trace::default();
    let mut values: FxHashMap<InstrId, u64> = FxHashMap::default();
    let mut turns: Vec<(crate::ids::CfId, u32)> = Vec::new();
    let (mut block, mut from) = (body.entry(), None);
    for _ in 0..2000 {
        // Turns of the loops around the block.
        let mut around = Vec::new();
        let mut l = nest.innermost(block);
        while let Some(i) = l {
            around.push(nest.loops()[i].cf);
            l = nest.loops()[i].parent;
        }
        around.reverse();
        turns.truncate(around.len());
        for (i, &cf) in around.iter().enumerate() {
            match turns.get(i) {
                Some(t) if t.0 == cf => {}
                _ => {
                    turns.truncate(i);
                    turns.push((cf, 0));
                }
            }
        }
        if let (Some(l), Some(prev)) = (nest.loop_of(block), from)
            && l.header == block
        {
            let entering = body.cf(l.cf).prev() == prev;
            let turn = turns.last_mut().expect("in a loop");
            turn.1 = if entering { 0 } else { turn.1 + 1 };
        }
        let key: Vec<u32> = turns.iter().map(|t| t.1).collect();
        trace.blocks.insert((block, key.clone()), ());
        let mut phis = Vec::new();
        for id in body.instrs(block) {
            let operand = |v: &InstrId| values.get(v).copied().unwrap_or(0);
            let value = match &body[id].kind {
                InstrKind::Phi(srcs) => {
                    let src = srcs.iter().find(|s| Some(s.pred) == from).expect("source");
                    phis.push((id, operand(&src.value)));
                    continue;
                }
                InstrKind::Const(c) => c[0],
                InstrKind::Alu(a) => {
                    let srcs: Vec<_> = a.values().iter().map(|v| [operand(v), 0, 0, 0]).collect();
                    a.op.eval(32, body[id].ty, &srcs).expect("evaluates")[0]
                }
                InstrKind::Intrinsic(i) if i.op == IntrinsicOp::load_subgroup_invocation => invocation,
                InstrKind::Intrinsic(_) => 3,
                _ => 0,
            };
            body[id].visit_operands(|v| {
                trace.operands.insert((id, v, key.clone()), operand(&v));
            });
            // Phis read the values from before any of them is executed.
            values.extend(phis.drain(..));
            if body[id].has_value() {
                values.insert(id, value);
            }
        }
        values.extend(phis.drain(..));
        for id in body.instrs(block) {
            if let Some(&v) = values.get(&id) {
                trace.values.insert((id, key.clone()), v);
            }
        }
        let cond = body.next_cf(block).and_then(|cf| body.as_if(cf)).map(|n| n.cond());
        let taken = usize::from(cond.is_some_and(|c| values.get(&c) == Some(&0)));
        from = Some(block);
        match body.successors(block)[taken] {
            Some(next) => block = next,
            None => return Some(trace),
        }
    }
    None
}

#[test]
fn what_is_called_uniform_is_equal_in_all_invocations() {
    let (mut runs, mut uniform, mut divergent) = (0, 0, 0);
    for seed in 0..SEEDS * 4 {
        let body = random_body(seed);
        let nest = LoopNest::new(&body);
        let div = Divergence::new(&body);
        for id in body.all_instrs().filter(|&i| body[i].has_value()) {
            *(if div.is_divergent(id) { &mut divergent } else { &mut uniform }) += 1;
        }
        let traces: Option<Vec<Trace>> = (0..4).map(|i| run(&body, &nest, i)).collect();
        let Some(traces) = traces else { continue };
        runs += 1;
        for (i, a) in traces.iter().enumerate() {
            for b in &traces[..i] {
                for (key, value) in &a.values {
                    if let Some(other) = b.values.get(key) {
                        assert!(value == other || div.is_divergent(key.0), "seed {seed}: {key:?}");
                    }
                }
                for (key, value) in &a.operands {
                    if let Some(other) = b.operands.get(key) {
                        let at = body.block_of(key.0);
                        let known = div.is_divergent_at(&body, key.1, at);
                        assert!(value == other || known, "seed {seed}: {key:?}");
                    }
                }
                for key in a.blocks.keys().filter(|k| !b.blocks.contains_key(*k)) {
                    assert!(div.is_divergent_block(key.0), "seed {seed}: {key:?}");
                }
            }
        }
    }
    // Neither all nor no values are divergent, and enough runs end for the test to be meaningful.
    assert!(runs > 200 && uniform > 1000 && divergent > 1000, "{runs} {uniform} {divergent}");
}

#[test]
fn time_makes_values_diverge() {
    // i counts alike in all invocations, but they leave at different counts.
    let mut body = Body::new();
    let mut b = Builder::at_end(&mut body);
    let (zero, one) = (b.imm_u32(0), b.imm_u32(1));
    let own = b.load_system_value(SystemValue::subgroup_invocation);
    let entry = b.block();
    let l = b.push_loop();
    let i = b.phi(Ty::B32, &[crate::instr::PhiSrc { pred: entry, value: zero }]);
    let next = b.iadd(i, one);
    let done = b.uge(i, own);
    let cf = b.push_if(done);
    b.jump(Jump::Break);
    b.pop(cf);
    let last = b.block();
    b.body.add_phi_src(i, crate::instr::PhiSrc { pred: last, value: next });
    b.pop(l);
    let after = b.iadd(next, one);
    let exit = b.block();
    let d = Divergence::new(&body);
    assert!(!d.is_divergent(i) && !d.is_divergent(next) && d.is_divergent(done) && d.is_divergent(after));
    assert!(d.is_divergent_at(&body, next, exit) && !d.is_divergent_at(&body, one, exit));
    assert!(d.has_divergent_break(l) && !d.has_divergent_continue(l) && d.is_divergent_if(cf));
    assert!(d.is_divergent_block(last) && !d.is_divergent_block(exit));
}

#[test]
fn users_are_all_listed() {
    for seed in 0..SEEDS / 4 {
        let body = random_body(seed);
        let uses = UseMap::new(&body);
        for id in body.all_instrs() {
            assert_eq!(uses.users(id).len(), body[id].uses() as usize);
            for user in uses.users(id) {
                match *user {
                    User::Instr(u) => {
                        let mut found = false;
                        body[u].visit_operands(|v| found |= v == id);
                        assert!(found);
                    }
                    User::If(cf) => assert_eq!(body.as_if(cf).map(|n| n.cond()), Some(id)),
                }
            }
        }
    }
}

#[test]
fn wrong_claims_are_found() {
    let mut wrong = [0; 4];
    for seed in 0..SEEDS / 4 {
        let mut body = random_body(seed);
        let mut all = Analyses::default();
        let fill = |all: &mut Analyses, body: &Body| {
            all.dominance(body);
            all.post_dominance(body);
            all.loops(body);
            all.liveness(body);
            all.divergence(body);
            all.uses(body);
        };
        fill(&mut all, &body);
        assert_eq!(all.verify(&body, Keeps::all()), Ok(()));
        // A new value keeps edges; a new use of an old one changes liveness at the latest.
        let values: Vec<InstrId> = body.instrs(body.entry()).filter(|&i| body[i].ty == Ty::B32).collect();
        let at = body.before_jump(body.root().last);
        let mut b = Builder::at(&mut body, at);
        b.alu(AluOp::iadd, &[values[0], values[1]]);
        assert_eq!(all.verify(&body, Keeps::CONTROL_FLOW), Ok(()));
        wrong[0] += usize::from(all.verify(&body, Keeps::LIVENESS).is_err());
        wrong[1] += usize::from(all.verify(&body, Keeps::USES).is_err());
        let mut kept = all.clone();
        kept.invalidate(Keeps::CONTROL_FLOW);
        assert_eq!(kept.verify(&body, Keeps::all()), Ok(()));
        let entry = body.entry();
        body.insert_loop(Cursor::BlockEnd(entry));
        for (n, claim) in [(2, Keeps::DOMINANCE), (3, Keeps::LOOPS)] {
            wrong[n] += usize::from(all.verify(&body, claim).is_err());
        }
    }
    assert!(wrong.iter().all(|&n| n as u64 == SEEDS / 4), "{wrong:?}");
}

#[test]
fn effects_of_intrinsics_and_calls() {
    let mut body = Body::new();
    let mut b = Builder::at_end(&mut body);
    let (zero, address) = (b.imm_u32(0), b.imm(64, 16));
    let shared = b.intrinsic(IntrinsicOp::store_shared, Ty::NONE, &[zero, zero]);
    let global = b.intrinsic(IntrinsicOp::store_global, Ty::NONE, &[zero, address]);
    let discard = b.intrinsic(IntrinsicOp::discard, Ty::NONE, &[]);
    let emit = b.intrinsic(IntrinsicOp::emit_vertex, Ty::NONE, &[]);
    let mut barrier = crate::instr::Intrinsic::new(IntrinsicOp::barrier, &[]);
    barrier.set(crate::intrinsic::Index::MemoryModes, Modes::SHARED);
    let memory = b.insert_intrinsic(barrier, Ty::NONE);
    barrier.set(crate::intrinsic::Index::ExecutionScope, crate::enums::Scope::Workgroup);
    let execution = b.insert_intrinsic(barrier, Ty::NONE);
    let mut atomic = crate::instr::Intrinsic::new(IntrinsicOp::shared_atomic, &[zero, zero]);
    let relaxed = b.insert_intrinsic(atomic, Ty::B32);
    atomic.set(crate::intrinsic::Index::Semantics, crate::enums::Semantics::ACQUIRE);
    let ordered = b.insert_intrinsic(atomic, Ty::B32);
    let e = |id| Effect::of(&body, id);
    // Accesses by offset do not touch memory that derefs reach, except that atomics may order it.
    for id in [zero, shared, global, relaxed] {
        assert_eq!(e(id), Effect::None);
    }
    assert_eq!(e(ordered), Effect::Barrier(SHARED_MEMORY));
    assert_eq!(e(memory), Effect::Barrier(Modes::SHARED));
    assert_eq!(e(execution), Effect::Barrier(SHARED_MEMORY));
    assert_eq!((e(discard), e(emit)), (Effect::Leave, Effect::EmitVertex));
}
