//! Simplifies ifs whose condition is known or does not matter.
//!
//! Accepts any form. An `if` with a constant condition is replaced by the side that runs; one with two empty
//! sides and without phis after it is removed. Inside a side the condition is known and is replaced by `true`
//! or `false`, also as the condition of nested ifs, as are the conditions that it joins. Two ifs on one condition with only
//! phis between become one. A phi of `true` and `false` becomes the condition or its
//! complement. An `if` on a complement swaps its sides. A single walk.
//!
//! Source: NIR's `nir_opt_if` (without its loop transformations).
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! 1x1 %2 = const true
//! if %2 {
//!   b1:
//!   store_output %1, %0 io=0 mask=x
//! }
//! b3:
//! =>
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! 1x1 %2 = const true
//! store_output %1, %0 io=0 mask=x
//! ```

use crate::util::phis::{constant_condition, copy_of, flatten_constant_if, rewrite_phis};
use crate::{Changes, Constructs, Context, Pass, PassInfo, each_body};
use airfoil_ir::{
    Alu, AluOp, BlockId, Body, CfId, Cursor, Dense, Diagnostic, If, Instr, InstrId, InstrKind, Owner, PhiSrc,
    Shader, Ty, Walk,
};
use rustc_hash::FxHashMap;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct SimplifyIf;

static INFO: PassInfo = PassInfo::new(
    "simplify_if",
    "simplifies ifs with known or unused conditions",
    include_str!("simplify_if.rs"),
)
.reads(Changes::CODE)
.needs(Constructs::CONTROL_FLOW);

impl Pass for SimplifyIf {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            if body.num_cfs() == 0 {
                return Changes::NONE;
            }
            let known = replace_known(body);
            let merged = merge_all(body);
            (Changes::CODE | Changes::AGAIN).when(known | merged | simplify_all(body))
        }))
    }
}

/// A condition with a known value in the side being walked.
struct Fact {
    /// The condition, or the value of which it is the complement.
    value: InstrId,
    is: bool,
    /// First block of the side.
    block: BlockId,
    /// The constant that replaces it there, created on first use.
    constant: Option<InstrId>,
    /// The fact about the same value in an enclosing side, as index + 1; 0 = none.
    outer: u32,
}

/// Replaces conditions by constants where they are known; returns whether there were any.
fn replace_known(body: &mut Body) -> bool {
    let steps: Vec<Walk> = body.walk_cf().collect();
    // For each value, index + 1 in `facts` of the fact about it; 0 = none.
    let mut known = Dense::<u32>::new(body.instr_capacity());
    let mut facts: Vec<Fact> = Vec::new();
    // Number of facts at the start of each enclosing `if`.
    let mut marks: Vec<usize> = Vec::new();
    let mut progress = false;
    for step in steps {
        match step {
            Walk::Block(b) => {
                if !facts.is_empty() {
                    progress |= replace_in_block(body, b, &known, &mut facts);
                }
            }
            Walk::If(cf) => {
                let Some(n) = body.as_if(cf) else { continue };
                let (cond, then) = (n.cond(), n.then().first);
                if let Some(new) = constant_for(body, cond, &known, &mut facts) {
                    progress |= body.map_condition(cf, |_| new);
                }
                marks.push(facts.len());
                learn(body, cond, true, then, &mut known, &mut facts);
            }
            Walk::Else(cf) => {
                let Some(n) = body.as_if(cf) else { continue };
                let (cond, els) = (n.cond(), n.els().first);
                forget(*marks.last().unwrap_or(&0), &mut known, &mut facts);
                learn(body, cond, false, els, &mut known, &mut facts);
            }
            Walk::EndIf(_) => forget(marks.pop().unwrap_or(0), &mut known, &mut facts),
            Walk::Loop(_) | Walk::EndLoop(_) => {}
        }
    }
    progress
}

/// Operations that a condition is decomposed through.
const MAX_LEARNED: usize = 8;

fn learn(
    body: &Body,
    cond: InstrId,
    is: bool,
    block: BlockId,
    known: &mut Dense<u32>,
    facts: &mut Vec<Fact>,
) {
    // A true conjunction has true operands, a false disjunction false ones.
    let mut work = smallvec::SmallVec::<[(InstrId, bool); 8]>::new();
    work.push((cond, is));
    let mut at = 0;
    while let Some(&(value, is)) = work.get(at) {
        at += 1;
        if body[value].as_const().is_some() {
            continue;
        }
        facts.push(Fact { value, is, block, constant: None, outer: known.get(value) });
        known.set(value, facts.len() as u32);
        let Some(alu) = body[value].as_alu() else { continue };
        let through = match alu.op {
            AluOp::inot => Some(!is),
            AluOp::iand if is => Some(true),
            AluOp::ior if !is => Some(false),
            _ => None,
        };
        if let Some(is) = through {
            let scalars = alu.values().iter().filter(|&&v| body[v].ty == Ty::BOOL);
            work.extend(scalars.map(|&v| (v, is)).take(MAX_LEARNED.saturating_sub(work.len())));
        }
    }
}

fn forget(down_to: usize, known: &mut Dense<u32>, facts: &mut Vec<Fact>) {
    while facts.len() > down_to {
        if let Some(fact) = facts.pop() {
            known.set(fact.value, fact.outer);
        }
    }
}

fn constant_for(body: &mut Body, value: InstrId, known: &Dense<u32>, facts: &mut [Fact]) -> Option<InstrId> {
    let fact = facts.get_mut((known.get(value) as usize).checked_sub(1)?)?;
    if fact.constant.is_none() {
        // The first block of a side has one predecessor, so it does not need phis.
        let at = body.after_phis(fact.block);
        let kind = InstrKind::Const([u64::from(fact.is), 0, 0, 0]);
        fact.constant = Some(body.insert(at, Instr::new(kind, Ty::BOOL)));
    }
    fact.constant
}

fn replace_in_block(body: &mut Body, block: BlockId, known: &Dense<u32>, facts: &mut [Fact]) -> bool {
    let mut progress = false;
    let mut next = body.first_instr(block);
    while let Some(id) = next {
        next = body.next(id);
        let mut found = false;
        body[id].visit_operands(|v| found |= known.get(v) != 0);
        // Sources of phis are read in other blocks.
        if !found || body[id].as_phi().is_some() {
            continue;
        }
        let mut operands = smallvec::SmallVec::<[InstrId; 8]>::new();
        body[id].visit_operands(|v| operands.push(v));
        for value in operands {
            if let Some(new) = constant_for(body, value, known, facts) {
                progress |= body.map_operands(id, |v| if v == value { new } else { v });
            }
        }
    }
    progress
}

fn simplify_all(body: &mut Body) -> bool {
    let mut progress = false;
    // Inner ifs first: simplifying them may leave the outer one empty.
    let ifs: Vec<CfId> =
        body.walk_cf().filter_map(|s| if let Walk::EndIf(cf) = s { Some(cf) } else { None }).collect();
    for cf in ifs {
        // Flattening an enclosing `if` may have deleted it.
        if body.has_cf(cf) {
            progress |= simplify(body, cf);
        }
    }
    progress
}

fn simplify(body: &mut Body, cf: CfId) -> bool {
    let Some(n) = body.as_if(cf).cloned() else { return false };
    if let Some(taken) = constant_condition(body, n.cond()) {
        flatten_constant_if(body, cf, taken);
        return true;
    }
    let mut progress = decided_phis(body, &n);
    let empty = [n.then(), n.els()].iter().all(|r| r.first == r.last && body.first_instr(r.first).is_none());
    if empty && body.phis(n.next()).next().is_none() {
        body.delete_cf(cf);
        return true;
    }
    let complement = body[n.cond()].as_alu().filter(|a| a.op == AluOp::inot).map(|a| a.src(0).value);
    if let Some(value) = complement.filter(|&v| body[v].ty == Ty::BOOL) {
        swap_sides(body, cf);
        progress |= body.map_condition(cf, |_| value);
    }
    progress
}

/// Merges ifs on one condition that follow each other with only phis between.
fn merge_all(body: &mut Body) -> bool {
    let ifs: Vec<CfId> =
        body.walk_cf().filter_map(|s| if let Walk::EndIf(cf) = s { Some(cf) } else { None }).collect();
    let mut progress = false;
    for cf in ifs {
        while body.has_cf(cf) && merge_next(body, cf) {
            progress = true;
        }
    }
    progress
}

/// Merges the next `if` into one, if it has the same condition.
fn merge_next(body: &mut Body, cf: CfId) -> bool {
    let Some(first) = body.as_if(cf).cloned() else { return false };
    let between = first.next();
    let Some((other, second)) = body.next_cf(between).and_then(|o| Some((o, body.as_if(o)?.clone()))) else {
        return false;
    };
    let only_phis = body.last_instr(between).is_none_or(|id| body[id].as_phi().is_some());
    let sides = [first.then(), first.els(), second.then(), second.els()];
    if first.cond() != second.cond() || !only_phis || sides.iter().any(|s| body.jump(s.last).is_some()) {
        return false;
    }
    // Values of the phis for each side.
    let values = |body: &Body, block: BlockId, n: &If| -> Option<Vec<(InstrId, [InstrId; 2])>> {
        let value = |phi: InstrId, pred| body[phi].as_phi()?.iter().find(|s| s.pred == pred).map(|s| s.value);
        let both = |phi| Some((phi, [value(phi, n.then().last)?, value(phi, n.els().last)?]));
        body.phis(block).map(both).collect()
    };
    let (Some(middle), Some(mut end)) = (values(body, between, &first), values(body, second.next(), &second))
    else {
        return false;
    };
    // The value of a phi between on one side.
    let by_phi: FxHashMap<InstrId, [InstrId; 2]> = middle.iter().copied().collect();
    let own = |v: InstrId, side: usize| by_phi.get(&v).map_or(v, |values| values[side]);
    for (_, values) in &mut end {
        *values = [own(values[0], 0), own(values[1], 1)];
    }
    for (side, region) in [second.then(), second.els()].into_iter().enumerate() {
        if middle.is_empty() {
            break;
        }
        let blocks: Vec<BlockId> = body.blocks_in(region).collect();
        for block in blocks {
            let ids: Vec<InstrId> = body.instrs(block).collect();
            for id in ids {
                body.map_operands(id, |v| own(v, side));
            }
            if let Some(inner) = body.next_cf(block).filter(|&inner| body.as_if(inner).is_some()) {
                body.map_condition(inner, |v| own(v, side));
            }
        }
    }
    let phis: Vec<(InstrId, [InstrId; 2])> = middle.into_iter().chain(end).collect();
    for &(phi, _) in &phis {
        body.set_kind(phi, InstrKind::Undef);
    }
    for (from, to) in [(Owner::Then(other), Owner::Then(cf)), (Owner::Else(other), Owner::Else(cf))] {
        let list = body.take_region(from);
        match body.region(to) {
            Some(region) => body.splice(Cursor::BlockEnd(region.last), list),
            None => body.delete_list(list),
        }
    }
    body.delete_cf(other);
    if let Some(n) = body.as_if(cf).cloned() {
        for (phi, [then, els]) in phis {
            // Chains of ifs would carry them along.
            if body[phi].uses() == 0 {
                body.remove(phi);
                continue;
            }
            let srcs =
                [PhiSrc { pred: n.then().last, value: then }, PhiSrc { pred: n.els().last, value: els }];
            body.set_kind(phi, InstrKind::Phi(srcs.into_iter().collect()));
        }
    }
    true
}

fn swap_sides(body: &mut Body, cf: CfId) {
    let then = body.take_region(Owner::Then(cf));
    let els = body.take_region(Owner::Else(cf));
    for (owner, list) in [(Owner::Then(cf), els), (Owner::Else(cf), then)] {
        match body.region(owner) {
            Some(region) => body.splice(Cursor::BlockEnd(region.first), list),
            None => body.delete_list(list),
        }
    }
}

/// Phis after an `if` that are its condition or the complement.
fn decided_phis(body: &mut Body, n: &If) -> bool {
    let cond = n.cond();
    let (then, els) = (n.then().last, n.els().last);
    rewrite_phis(body, n.next(), |body, phi| {
        if body[phi].ty != Ty::BOOL {
            return None;
        }
        let from = |pred| body[phi].as_phi()?.iter().find(|s| s.pred == pred).map(|s| s.value);
        let (a, b) = (from(then)?, from(els)?);
        let is = |value: InstrId, here: bool| {
            if value == cond { Some(here) } else { constant_condition(body, value) }
        };
        match (is(a, true)?, is(b, false)?) {
            (true, false) => copy_of(body, cond),
            (false, true) => Some(InstrKind::Alu(Alu::new(AluOp::inot, 1, &[cond.into()]))),
            _ => None,
        }
    })
}
