//! Computes equal values once: an instruction that one before it on every path equals is replaced by it.
//!
//! Takes any form and leaves it. Keeps all that depends on control flow. ALU operations (operands of commutative ones in
//! any order), constants, undefined values, derefs, texture operations, phis of one block, intrinsics that only depend on their operands,
//! and reads of memory that nothing writes. Joined operations are exact if one of them was and promise no
//! overflow only if all did. Convergent operations join within a block only. A constant that is needed
//! on two paths moves to the entry. One walk in the order of the text with one hash table for all blocks; an entry counts
//! where its block dominates, and an entry whose subtree of dominators lies behind makes place for the next.
//! After: NIR's `nir_opt_cse`; Briggs, Cooper and Simpson 1997 (dominator-based value numbering).
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

use crate::dense::Dense;
use crate::{Context, Pass, PassInfo, Progress};
use airfoil_ir::alu::AluProps;
use airfoil_ir::analysis::{Dominance, Keeps};
use airfoil_ir::{
    Alu, AluFlags, Body, Cursor, DerefKind, Diagnostic, InstrId, InstrKind, IntrinsicOp, Modes, Shader, Src,
};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct Cse;

static INFO: PassInfo = PassInfo::new("cse", "computes equal values once", include_str!("cse.rs"))
    .keeps(Keeps::CONTROL_FLOW)
    .not_idempotent();

impl Pass for Cse {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Progress, Diagnostic> {
        let mut progress = Progress::None;
        for (id, function) in &mut shader.functions {
            let dominance = context.analyses(id).dominance(&function.body);
            progress |= Progress::from(join_equal(&mut function.body, dominance));
        }
        Ok(progress)
    }
}

fn join_equal(body: &mut Body, dominance: &Dominance) -> bool {
    let mut table = Table::new(body.num_instrs());
    let mut joined = Dense::<Option<InstrId>>::new(body.instr_capacity());
    let mut dead: Vec<InstrId> = Vec::new();
    let mut loop_phis: Vec<InstrId> = Vec::new();
    let mut block = Some(body.entry());
    while let Some(b) = block {
        let mut next = body.first_instr(b);
        while let Some(id) = next {
            next = body.next(id);
            // Values stand before their users, but for phis of loops: these are mapped again at the end.
            if !dead.is_empty() {
                body.map_operands(id, |v| joined.get(v).unwrap_or(v));
            }
            if body[id].as_phi().is_some() && body.prev_cf(b).is_none() {
                loop_phis.push(id);
            }
            let Some(hash) = hash_of(body, id) else { continue };
            let Some(entry) = table.find(hash, |other| equal(body, id, other)) else {
                table.insert(hash, id);
                continue;
            };
            let first = table.get(entry);
            if !dominance.dominates(body.block_of(first), b) {
                if !matches!(body[id].kind, InstrKind::Const(_) | InstrKind::Undef) {
                    table.set(entry, id);
                    continue;
                }
                let entry = body.entry();
                body.move_to(first, Cursor::BlockStart(entry));
            }
            join_flags(body, first, id);
            joined.set(id, Some(first));
            dead.push(id);
        }
        if let Some(cf) = body.next_cf(b).filter(|_| !dead.is_empty()) {
            body.map_condition(cf, |v| joined.get(v).unwrap_or(v));
        }
        block = body.next_block(b);
    }
    if dead.is_empty() {
        return false;
    }
    for phi in loop_phis {
        if body.get(phi).is_some() {
            body.map_operands(phi, |v| joined.get(v).unwrap_or(v));
        }
    }
    for id in dead {
        body.remove(id);
    }
    true
}

/// Gives `first` the flags that hold for both.
fn join_flags(body: &mut Body, first: InstrId, second: InstrId) {
    let (Some(a), Some(b)) = (body[first].as_alu(), body[second].as_alu()) else { return };
    let promises = AluFlags::NSW | AluFlags::NUW;
    let flags = ((a.flags | b.flags) & !promises) | (a.flags & b.flags & promises);
    if flags != a.flags {
        let mut alu = *a;
        alu.flags = flags;
        body.set_kind(first, InstrKind::Alu(alu));
    }
}

/// Memory that nothing writes while the shader runs.
const READ_ONLY: Modes =
    Modes::IN.union(Modes::UNIFORM).union(Modes::UBO).union(Modes::PUSH_CONST).union(Modes::SYSTEM_VALUE);

/// Whether equal instructions give equal values wherever they stand.
fn can_join(body: &Body, id: InstrId) -> bool {
    let instr = &body[id];
    match &instr.kind {
        InstrKind::Phi(_) | InstrKind::Undef => true,
        InstrKind::Intrinsic(i) if i.op == IntrinsicOp::load_deref && instr.can_eliminate() => {
            instr.can_reorder() || body[i.src(0)].as_deref().is_some_and(|d| READ_ONLY.contains(d.modes))
        }
        _ => instr.has_value() && instr.can_reorder(),
    }
}

/// Hash of what the instruction does; `None` if it is not to be joined.
fn hash_of(body: &Body, id: InstrId) -> Option<u64> {
    if !can_join(body, id) {
        return None;
    }
    let instr = &body[id];
    let mut h = FxHasher::default();
    instr.ty.hash(&mut h);
    std::mem::discriminant(&instr.kind).hash(&mut h);
    if instr.is_convergent() {
        body.block_of(id).hash(&mut h);
    }
    match &instr.kind {
        InstrKind::Alu(a) => {
            a.op.hash(&mut h);
            let (first, second) = ordered(a);
            first.hash(&mut h);
            second.hash(&mut h);
            a.srcs().skip(2).for_each(|s| s.hash(&mut h));
        }
        InstrKind::Deref(d) => {
            std::mem::discriminant(&d.kind).hash(&mut h);
            match d.kind {
                DerefKind::Var(var) => var.hash(&mut h),
                DerefKind::Struct { field, .. } => field.hash(&mut h),
                _ => {}
            }
            instr.visit_operands(|v| v.hash(&mut h));
        }
        InstrKind::Intrinsic(i) => i.hash(&mut h),
        InstrKind::Tex(t) => {
            t.op.hash(&mut h);
            t.srcs.iter().for_each(|s| s.hash(&mut h));
        }
        InstrKind::Const(lanes) => lanes.hash(&mut h),
        InstrKind::Phi(srcs) => {
            body.block_of(id).hash(&mut h);
            // Sources may stand in any order.
            srcs.iter().fold(0u64, |sum, s| sum.wrapping_add(hash_one(s))).hash(&mut h);
        }
        InstrKind::Undef => {}
        InstrKind::Jump(_) | InstrKind::Call(_) => return None,
    }
    Some(h.finish())
}

fn hash_one(x: &impl Hash) -> u64 {
    let mut h = FxHasher::default();
    x.hash(&mut h);
    h.finish()
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
        (InstrKind::Tex(p), InstrKind::Tex(q)) => p == q && (!x.is_convergent() || same_block()),
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
    slots: Vec<(u64, Option<InstrId>)>,
    mask: usize,
}

impl Table {
    fn new(instrs: usize) -> Table {
        let size = (instrs * 2 + 2).next_power_of_two();
        Table { slots: vec![(0, None); size], mask: size - 1 }
    }

    fn start(&self, hash: u64) -> usize {
        hash as usize & self.mask
    }

    fn find(&self, hash: u64, mut same: impl FnMut(InstrId) -> bool) -> Option<usize> {
        let mut at = self.start(hash);
        while let (h, Some(id)) = self.slots[at] {
            if h == hash && same(id) {
                return Some(at);
            }
            at = (at + 1) & self.mask;
        }
        None
    }

    fn get(&self, at: usize) -> InstrId {
        self.slots[at].1.unwrap_or_default()
    }

    fn set(&mut self, at: usize, id: InstrId) {
        self.slots[at].1 = Some(id);
    }

    fn insert(&mut self, hash: u64, id: InstrId) {
        let mut at = self.start(hash);
        while self.slots[at].1.is_some() {
            at = (at + 1) & self.mask;
        }
        self.slots[at] = (hash, Some(id));
    }
}
