//! Removes control flow that never runs or has no effect.
//!
//! Accepts any form.
//!
//! * An `if` with a constant condition is replaced by the side that runs.
//! * Code after an `if` whose sides both jump is unreachable: it is removed, and the jump of the `then` side
//!   moves there.
//! * `continue` at the end of a loop body is removed.
//! * A loop that breaks at its end and nowhere else runs once: it is replaced by its body.
//! * A loop without effects whose values are not used is removed. In theory it may be endless; GLSL and
//!   SPIR-V (OpLoopMerge, forward progress in Vulkan) do not give such loops a meaning.
//!
//! Linear: facts about all loops are collected before the first edit, so a second run may find more.
//!
//! Source: NIR's `nir_opt_dead_cf`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! loop {
//!   b1:
//!   store_output %1, %0 io=0 mask=x
//!   break
//! }
//! b2:
//! =>
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! store_output %1, %0 io=0 mask=x
//! ```

use crate::util::phis::{constant_condition, copy_single_phis, flatten_constant_if};
use crate::{Changes, Constructs, Context, Pass, PassInfo, each_body};
use airfoil_ir::{
    BlockId, Body, CfId, Cursor, Dense, Diagnostic, Instr, InstrId, InstrKind, Jump, Owner, PhiSrc, Shader,
    Walk,
};
use slotmap::SecondaryMap;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct DeadCf;

static INFO: PassInfo =
    PassInfo::new("dead_cf", "removes unreachable and empty control flow", include_str!("dead_cf.rs"))
        .reads(Changes::CODE)
        .needs(Constructs::CONTROL_FLOW);

impl Pass for DeadCf {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            (Changes::CODE | Changes::AGAIN).when(body.num_cfs() > 0 && remove(body))
        }))
    }
}

/// Facts about a loop from one walk.
#[derive(Clone, Copy, Debug, Default)]
struct LoopFacts {
    breaks: u32,
    continues: u32,
    /// Effects, or jumps out of the function.
    effects: bool,
    /// Position of the last use of a value defined in the loop.
    last_use: u32,
    /// Position after the loop.
    end: u32,
}

fn remove(body: &mut Body) -> bool {
    let facts = loop_facts(body);
    let mut progress = false;
    // Outer before inner: code deleted by an outer edit need not be visited.
    let cfs: Vec<CfId> = body
        .walk_cf()
        .filter_map(|s| match s {
            Walk::If(cf) | Walk::Loop(cf) => Some(cf),
            _ => None,
        })
        .collect();
    for cf in cfs {
        if !body.has_cf(cf) {
            continue;
        }
        progress |= match facts.get(cf) {
            Some(loop_facts) => dead_loop(body, cf, loop_facts),
            None => dead_if(body, cf),
        };
    }
    progress
}

fn dead_if(body: &mut Body, cf: CfId) -> bool {
    let Some(n) = body.as_if(cf) else { return false };
    let (then, els, next) = (n.then().last, n.els().last, n.next());
    if let Some(taken) = constant_condition(body, n.cond()) {
        flatten_constant_if(body, cf, taken);
        return true;
    }
    let (Some(jump), Some(_)) = (body.jump(then), body.jump(els)) else { return false };
    // Sources of the phis at the target for this jump.
    let target = body.jump_target(then, jump);
    let mut values: Vec<(InstrId, InstrId)> = Vec::new();
    if let Some(target) = target {
        let from_then =
            |phi: InstrId| body[phi].as_phi()?.iter().find(|s| s.pred == then).map(|s| (phi, s.value));
        values.extend(body.phis(target).filter_map(from_then));
    }
    body.remove_jump(then);
    let id = body.truncate(Cursor::BlockStart(next), jump);
    let pred = body.block_of(id);
    for (phi, value) in values {
        set_phi_src(body, phi, PhiSrc { pred, value });
    }
    true
}

/// Replaces the source of a predecessor, an undefined value created by an edit.
fn set_phi_src(body: &mut Body, phi: InstrId, src: PhiSrc) {
    let mut old = None;
    body.edit(phi, |i| {
        if let InstrKind::Phi(srcs) = &mut i.kind
            && let Some(s) = srcs.iter_mut().find(|s| s.pred == src.pred)
        {
            old = Some(std::mem::replace(s, src).value);
        }
    });
    if let Some(old) = old.filter(|&v| body.is_unused(v) && matches!(body[v].kind, InstrKind::Undef)) {
        body.remove(old);
    }
}

fn dead_loop(body: &mut Body, cf: CfId, facts: &LoopFacts) -> bool {
    let Some(n) = body.as_loop(cf) else { return false };
    let (header, last, prev, next) = (n.body().first, n.body().last, n.prev(), n.next());
    // A phi after the loop depends on where the loop was left, even if no source is defined in the loop.
    let told_apart = body.phis(next).next().is_some();
    if !facts.effects && facts.breaks > 0 && facts.last_use < facts.end && !told_apart {
        body.delete_cf(cf);
        return true;
    }
    match body.jump(last) {
        Some(Jump::Continue) => {
            drop_continue(body, header, last);
            true
        }
        Some(Jump::Break) if facts.breaks == 1 && facts.continues == 0 => {
            copy_single_phis(body, header);
            copy_single_phis(body, next);
            if body.phis(header).next().is_some() || body.phis(next).next().is_some() {
                return false;
            }
            body.remove_jump(last);
            let at = body.last_instr(prev).map_or(Cursor::BlockStart(prev), Cursor::After);
            let list = body.take_region(Owner::Loop(cf));
            body.delete_cf(cf);
            body.splice(at, list);
            true
        }
        _ => false,
    }
}

/// Removes the `continue` at the end of a loop body; the edge is unchanged.
fn drop_continue(body: &mut Body, header: BlockId, last: BlockId) {
    let from_last =
        |phi: InstrId| body[phi].as_phi()?.iter().find(|s| s.pred == last).map(|s| (phi, s.value));
    let values: Vec<(InstrId, InstrId)> = body.phis(header).filter_map(from_last).collect();
    body.remove_jump(last);
    for (phi, value) in values {
        set_phi_src(body, phi, PhiSrc { pred: last, value });
    }
}

/// Whether an instruction keeps a loop alive.
fn has_effect(instr: &Instr) -> bool {
    !instr.can_eliminate() && !matches!(instr.kind, InstrKind::Jump(Jump::Break | Jump::Continue))
}

fn loop_facts(body: &Body) -> SecondaryMap<CfId, LoopFacts> {
    let mut facts = SecondaryMap::new();
    if !body.walk_cf().any(|s| matches!(s, Walk::Loop(_))) {
        return facts;
    }
    // Position of the last user of each value.
    let mut last_use = Dense::<u32>::new(body.instr_capacity());
    let mut position = 0;
    let mut phi_uses: Vec<(InstrId, BlockId)> = Vec::new();
    let mut ends: SecondaryMap<BlockId, u32> = SecondaryMap::new();
    for b in body.blocks() {
        for id in body.instrs(b) {
            position += 1;
            body[id].visit_operands(|v| last_use.set(v, last_use.get(v).max(position)));
            // A phi reads at the end of its predecessors too: a loop header's phi reads after everything
            // nested in the loop.
            if let Some(srcs) = body[id].as_phi() {
                phi_uses.extend(srcs.iter().map(|s| (s.value, s.pred)));
            }
        }
        position += 1;
        ends.insert(b, position);
        if let Some(n) = body.next_cf(b).and_then(|cf| body.as_if(cf)) {
            last_use.set(n.cond(), last_use.get(n.cond()).max(position));
        }
    }
    for (v, pred) in phi_uses {
        let end = ends.get(pred).copied().unwrap_or(0);
        last_use.set(v, last_use.get(v).max(end));
    }
    let mut around: Vec<(CfId, LoopFacts)> = Vec::new();
    position = 0;
    for step in body.walk_cf() {
        match step {
            Walk::Loop(cf) => around.push((cf, LoopFacts::default())),
            Walk::EndLoop(_) => {
                let Some((cf, mut done)) = around.pop() else { continue };
                done.end = position + 1;
                if let Some((_, outer)) = around.last_mut() {
                    outer.effects |= done.effects;
                    outer.last_use = outer.last_use.max(done.last_use);
                }
                facts.insert(cf, done);
            }
            Walk::Block(b) => {
                for id in body.instrs(b) {
                    position += 1;
                    if let Some((_, innermost)) = around.last_mut() {
                        innermost.effects |= has_effect(&body[id]);
                        innermost.last_use = innermost.last_use.max(last_use.get(id));
                        match body[id].as_jump() {
                            Some(Jump::Break) => innermost.breaks += 1,
                            Some(Jump::Continue) => innermost.continues += 1,
                            _ => {}
                        }
                    }
                }
                position += 1;
            }
            Walk::If(_) | Walk::Else(_) | Walk::EndIf(_) => {}
        }
    }
    facts
}
