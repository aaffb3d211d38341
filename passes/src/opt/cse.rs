//! Common subexpression elimination: replaces an instruction by an equal one that dominates it.
//!
//! Accepts any form. Preserves control flow. Covers ALU operations (operands of commutative ones in any
//! order), constants, undefined values, derefs, texture operations, phis of one block, intrinsics that depend
//! on their operands only, and reads of memory that nothing writes. A merged operation is exact if any of the
//! originals was, and keeps no-overflow and medium-precision flags only if all had them. Convergent
//! operations merge within a block only. A constant needed on two paths moves to the entry block.
//!
//! A single walk in program order with one hash table for all blocks. A table entry is valid only where its
//! block dominates. The structured tree usually answers that; entries from regions already left are replaced.
//!
//! Source: NIR's `nir_opt_cse`; Briggs, Cooper and Simpson 1997 (dominator-based value numbering).
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = load_instance_id
//! %3 = iadd %1, %2
//! %4 = iadd %2, %1
//! %5 = imul %3, %4
//! store_output %5, %0 io=0 mask=x
//! =>
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = load_instance_id
//! %3 = iadd %1, %2
//! %5 = imul %3, %3
//! store_output %5, %0 io=0 mask=x
//! ```

use crate::util::dense::Dense;
use crate::{Context, Pass, PassInfo, Progress};
use airfoil_ir::alu::AluProps;
use airfoil_ir::analysis::{Analyses, Keeps};
use airfoil_ir::{
    Alu, BlockId, Body, Cursor, DerefKind, Diagnostic, Instr, InstrId, InstrKind, Intrinsic, IntrinsicOp,
    Modes, PhiSrc, Shader, Src, Walk,
};
use rustc_hash::FxHasher;
use slotmap::Key;
use std::hash::Hasher;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct Cse;

static INFO: PassInfo = PassInfo::new("cse", "merges equal computations", include_str!("cse.rs"))
    .keeps(Keeps::CONTROL_FLOW)
    .not_idempotent()
    .ignores_removals();

impl Pass for Cse {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Progress, Diagnostic> {
        let (mut progress, mut all_settled) = (Progress::None, true);
        for (id, function) in &mut shader.functions {
            let (found, settled) = join_equal(&mut function.body, context.analyses(id));
            progress |= Progress::from(found);
            all_settled &= settled;
        }
        if all_settled {
            context.settled();
        }
        Ok(progress)
    }
}

/// Merges equal instructions. Returns whether it merged any, and whether a second run certainly finds none.
fn join_equal(body: &mut Body, analyses: &mut Analyses) -> (bool, bool) {
    let mut joiner = Joiner {
        table: Table::new(body.num_instrs()),
        scopes: Scopes::new(),
        joined: Dense::default(),
        dead: Vec::new(),
        loop_phis: Vec::new(),
    };
    if body.num_cfs() == 0 {
        joiner.block(body, body.entry(), analyses);
    } else {
        let mut next = Some(Walk::Block(body.entry()));
        while let Some(step) = next {
            joiner.scopes.step(body, step);
            match step {
                Walk::Block(b) => joiner.block(body, b, analyses),
                Walk::If(cf) if !joiner.dead.is_empty() => {
                    body.map_condition(cf, |v| joiner.joined.get(v).unwrap_or(v));
                }
                _ => {}
            }
            next = body.next_step(step);
        }
    }
    joiner.finish(body)
}

struct Joiner {
    table: Table,
    scopes: Scopes,
    /// The replacement of each value.
    joined: Dense<Option<InstrId>>,
    dead: Vec<InstrId>,
    loop_phis: Vec<InstrId>,
}

impl Joiner {
    fn block(&mut self, body: &mut Body, b: BlockId, analyses: &mut Analyses) {
        let is_header = body.prev_cf(b).is_none();
        let mut next = body.first_instr(b);
        while let Some(id) = next {
            next = body.next(id);
            // Definitions precede their uses except in loop phis, which are mapped again at the end.
            if !self.dead.is_empty() {
                body.map_operands(id, |v| self.joined.get(v).unwrap_or(v));
            }
            if is_header && body[id].as_phi().is_some() {
                self.loop_phis.push(id);
            }
            let Some(hash) = hash_of(body, id) else { continue };
            let region = self.scopes.current;
            let Some(entry) = self.table.find(hash, |other| equal(body, id, other)) else {
                self.table.insert(hash, region, id);
                continue;
            };
            let (first, its_region) = self.table.get(entry);
            if !self.scopes.open[its_region as usize] {
                if matches!(body[id].kind, InstrKind::Const(_) | InstrKind::Undef) {
                    let start = body.entry();
                    body.move_to(first, Cursor::BlockStart(start));
                    self.table.set(entry, 0, first);
                } else if !self.dominates(body, (first, its_region), b, analyses) {
                    self.table.set(entry, region, id);
                    continue;
                }
            }
            join_flags(body, first, id);
            self.joined.set(id, Some(first));
            if let Some(names) = body.names_mut() {
                names.replace(id, first);
            }
            self.dead.push(id);
        }
    }

    /// Dominance that does not follow from regions: what stands in front of the only `break` of a loop dominates
    /// what follows the loop.
    fn dominates(
        &self,
        body: &Body,
        (first, its_region): (InstrId, u32),
        block: BlockId,
        analyses: &mut Analyses,
    ) -> bool {
        self.scopes.in_loop[its_region as usize]
            && analyses.dominance(body).dominates(body.block_of(first), block)
    }

    fn finish(self, body: &mut Body) -> (bool, bool) {
        if self.dead.is_empty() {
            return (false, true);
        }
        // Operands are mapped before their user is reached, except in loop phis: these may have become equal.
        let mut settled = true;
        for phi in self.loop_phis.into_iter().filter(|&phi| self.joined.get(phi).is_none()) {
            settled &= !body.map_operands(phi, |v| self.joined.get(v).unwrap_or(v));
        }
        // A merged phi may still use another value that was replaced.
        for &id in self.dead.iter().filter(|&&id| body[id].as_phi().is_some()).collect::<Vec<_>>() {
            body.set_kind(id, InstrKind::Undef);
        }
        for id in self.dead {
            body.remove(id);
        }
        (true, settled)
    }
}

/// Which regions of the control-flow tree are around the walk: code in them, so far, dominates what comes next.
///
/// A side of an `if` whose other side jumps away stays open to the end of the region around the `if`.
struct Scopes {
    /// Number of the region that the walk is in.
    current: u32,
    /// For every region whether it is open.
    open: Vec<bool>,
    /// Open regions; those that stay open with a region follow it.
    stack: Vec<u32>,
    /// For every open region of the tree: its number and the height of the stack before it.
    frames: Vec<(u32, usize)>,
    /// For every `if` around the walk in its second side: the number of the first side.
    thens: Vec<u32>,
    /// For every region whether there is a loop around it.
    in_loop: Vec<bool>,
}

impl Scopes {
    fn new() -> Scopes {
        let (open, stack) = (vec![true], vec![0]);
        Scopes { current: 0, open, stack, frames: vec![(0, 0)], thens: Vec::new(), in_loop: vec![false] }
    }

    fn step(&mut self, body: &Body, step: Walk) {
        match step {
            Walk::Block(_) => {}
            Walk::If(_) => self.enter(false),
            Walk::Loop(_) => self.enter(true),
            Walk::Else(_) => {
                let then = self.leave();
                self.thens.push(then);
                self.enter(false);
            }
            Walk::EndLoop(_) => _ = self.leave(),
            Walk::EndIf(cf) => {
                let (els, then) = (self.leave(), self.thens.pop().unwrap_or(0));
                let Some(n) = body.as_if(cf) else { return };
                let stays = match (body.jump(n.then().last), body.jump(n.els().last)) {
                    (None, Some(_)) => then,
                    (Some(_), None) => els,
                    _ => return,
                };
                self.open[stays as usize] = true;
                self.stack.push(stays);
            }
        }
    }

    fn enter(&mut self, is_loop: bool) {
        self.in_loop.push(is_loop || self.in_loop[self.current as usize]);
        self.current = self.open.len() as u32;
        self.open.push(true);
        self.frames.push((self.current, self.stack.len()));
        self.stack.push(self.current);
    }

    fn leave(&mut self) -> u32 {
        let Some((region, height)) = self.frames.pop() else { return 0 };
        for r in self.stack.drain(height..) {
            self.open[r as usize] = false;
        }
        self.current = self.frames.last().map_or(0, |f| f.0);
        region
    }
}

/// Gives `first` the flags that hold for both.
fn join_flags(body: &mut Body, first: InstrId, second: InstrId) {
    match (&body[first].kind, &body[second].kind) {
        (InstrKind::Alu(a), InstrKind::Alu(b)) if a.flags != b.flags => {
            let mut alu = *a;
            alu.flags = a.flags.join(b.flags);
            body.set_kind(first, InstrKind::Alu(alu));
        }
        (InstrKind::Tex(a), InstrKind::Tex(b)) if a.relaxed && !b.relaxed => {
            let kind = InstrKind::Tex(b.clone());
            body.set_kind(first, kind);
        }
        _ => {}
    }
}

/// Memory that nothing writes while the shader runs.
const READ_ONLY: Modes = Modes::IN
    .union(Modes::UNIFORM)
    .union(Modes::UBO)
    .union(Modes::PUSH_CONST)
    .union(Modes::SYSTEM_VALUE)
    .union(Modes::SPEC_CONST);

/// Whether an intrinsic yields equal values at every location; `instr` is its instruction.
fn can_join(body: &Body, instr: &Instr, i: &Intrinsic) -> bool {
    if i.op == IntrinsicOp::load_deref && instr.can_eliminate() {
        return instr.can_reorder() || body[i.src(0)].as_deref().is_some_and(|d| READ_ONLY.contains(d.modes));
    }
    instr.has_value() && instr.can_reorder()
}

/// Hash of the operation; `None` if the instruction must not be merged.
///
/// Whole words go into the hasher: what derived hashing writes are lengths and bytes, at three times the cost.
fn hash_of(body: &Body, id: InstrId) -> Option<u64> {
    let instr = &body[id];
    let mut h = FxHasher::default();
    let shape = u64::from(instr.ty.comps) << 8 | u64::from(instr.ty.bits);
    // The kind, and what else fits one word.
    let mut head = |kind: u64, what: u64| h.write_u64(what << 32 | kind << 16 | shape);
    match &instr.kind {
        InstrKind::Alu(a) => {
            head(1, a.op as u64);
            let word = |s: Src| s.value.data().as_ffi().rotate_left(16) ^ u64::from(s.swizzle.bits());
            let (first, second) = ordered(a);
            h.write_u64(word(first));
            second.into_iter().for_each(|s| h.write_u64(word(s)));
            a.srcs().skip(2).for_each(|s| h.write_u64(word(s)));
        }
        InstrKind::Const(lanes) => {
            head(2, 0);
            lanes.iter().take(instr.ty.comps as usize).for_each(|&l| h.write_u64(l));
        }
        InstrKind::Deref(d) => {
            match d.kind {
                DerefKind::Var(var) => {
                    head(3, 0);
                    h.write_u64(var.data().as_ffi());
                }
                DerefKind::Struct { field, .. } => head(4, u64::from(field)),
                DerefKind::Array { .. } => head(5, 0),
                _ => head(6, 0),
            }
            instr.visit_operands(|v| h.write_u64(v.data().as_ffi()));
        }
        InstrKind::Intrinsic(i) => {
            if !can_join(body, instr, i) {
                return None;
            }
            head(7, i.op as u64);
            h.write_u64(i.indices().bits());
            i.srcs().iter().for_each(|v| h.write_u64(v.data().as_ffi()));
        }
        InstrKind::Tex(t) => {
            head(8, t.op as u64);
            t.srcs.iter().for_each(|(_, v)| h.write_u64(v.data().as_ffi()));
        }
        InstrKind::Phi(srcs) => {
            head(9, 0);
            h.write_u64(body.block_of(id).data().as_ffi());
            // Sources may be in any order.
            let one = |s: &PhiSrc| s.pred.data().as_ffi().rotate_left(32) ^ s.value.data().as_ffi();
            h.write_u64(srcs.iter().fold(0, |sum, s| sum ^ one(s)));
        }
        InstrKind::Undef => head(10, 0),
        InstrKind::Jump(_) | InstrKind::Call(_) => return None,
    }
    if instr.is_convergent() {
        h.write_u64(body.block_of(id).data().as_ffi());
    }
    Some(h.finish())
}

/// The first two operands; those of commutative operations in an order of their own.
fn ordered(a: &Alu) -> (Src, Option<Src>) {
    let first = a.src(0);
    if a.op.num_operands() == 1 {
        return (first, None);
    }
    let second = a.src(1);
    let swap = a.op.info().props.contains(AluProps::COMMUTATIVE)
        && (second.value, second.swizzle) < (first.value, first.swizzle);
    if swap { (second, Some(first)) } else { (first, Some(second)) }
}

fn equal(body: &Body, a: InstrId, b: InstrId) -> bool {
    let (x, y) = (&body[a], &body[b]);
    if x.ty != y.ty {
        return false;
    }
    let same_block = || body.block_of(a) == body.block_of(b);
    match (&x.kind, &y.kind) {
        (InstrKind::Alu(p), InstrKind::Alu(q)) => {
            p.op == q.op
                && ordered(p) == ordered(q)
                && p.srcs().skip(2).eq(q.srcs().skip(2))
                && (!x.is_convergent() || same_block())
        }
        (InstrKind::Deref(p), InstrKind::Deref(q)) => p == q,
        (InstrKind::Intrinsic(p), InstrKind::Intrinsic(q)) => p == q && (!x.is_convergent() || same_block()),
        (InstrKind::Tex(p), InstrKind::Tex(q)) => p.does_same(q) && (!x.is_convergent() || same_block()),
        (InstrKind::Const(p), InstrKind::Const(q)) => p == q,
        (InstrKind::Undef, InstrKind::Undef) => true,
        (InstrKind::Phi(p), InstrKind::Phi(q)) => {
            same_block() && p.len() == q.len() && p.iter().all(|s| q.contains(s))
        }
        _ => false,
    }
}

/// A hash table of instructions with open addressing, at most half full.
struct Table {
    slots: Vec<Slot>,
    mask: usize,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u32,
    region: u32,
    id: Option<InstrId>,
}

impl Table {
    fn new(instrs: usize) -> Table {
        let size = (instrs * 2 + 2).next_power_of_two();
        Table { slots: vec![Slot::default(); size], mask: size - 1 }
    }

    fn find(&self, hash: u64, mut same: impl FnMut(InstrId) -> bool) -> Option<usize> {
        let mut at = hash as usize & self.mask;
        while let Slot { hash: h, id: Some(id), .. } = self.slots[at] {
            if h == (hash >> 32) as u32 && same(id) {
                return Some(at);
            }
            at = (at + 1) & self.mask;
        }
        None
    }

    /// An entry's instruction and its region.
    fn get(&self, at: usize) -> (InstrId, u32) {
        (self.slots[at].id.unwrap_or_default(), self.slots[at].region)
    }

    fn set(&mut self, at: usize, region: u32, id: InstrId) {
        self.slots[at].region = region;
        self.slots[at].id = Some(id);
    }

    fn insert(&mut self, hash: u64, region: u32, id: InstrId) {
        let mut at = hash as usize & self.mask;
        while self.slots[at].id.is_some() {
            at = (at + 1) & self.mask;
        }
        self.slots[at] = Slot { hash: (hash >> 32) as u32, region, id: Some(id) };
    }
}
