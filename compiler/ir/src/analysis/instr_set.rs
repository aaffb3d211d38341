//! A set of instructions in which equal ones are found by hash, like NIR's `nir_instr_set`.

use crate::alu::AluProps;
use crate::analysis::ScopeId;
use crate::body::Body;
use crate::enums::Modes;
use crate::ids::InstrId;
use crate::instr::{Alu, DerefKind, Instr, InstrKind, Intrinsic, PhiSrc, Src};
use crate::intrinsic::IntrinsicOp;
use crate::scratch::Scratch;
use rustc_hash::FxHasher;
use slotmap::Key;
use std::hash::Hasher;

/// A set of instructions in which equal ones are found by hash.
///
/// Two instructions are equal if they compute the same value wherever both are executed: the same operation on
/// the same operands (those of commutative operations in any order), apart from flags that affect precision
/// only. Phis and convergent operations are equal within a block only. Instructions with side effects, and
/// reads of memory that can change, are never equal to another. Whether one dominates the other is up to the
/// caller, for which each element has a [`ScopeId`].
///
/// Entries are not updated when their instructions change: insert an instruction after its operands have been
/// replaced. Lookups take constant time.
///
/// ```
/// use airfoil_ir::analysis::{InstrSet, Lookup, ScopeId};
/// use airfoil_ir::intrinsic::SystemValue;
/// use airfoil_ir::{Body, Builder};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let [x, y] = [SystemValue::vertex_id, SystemValue::instance_id].map(|sv| b.load_system_value(sv));
/// let (xy, yx) = (b.iadd(x, y), b.iadd(y, x));
/// let mut set = InstrSet::new(body.num_instrs());
/// let Lookup::Vacant(slot) = set.lookup(&body, xy) else { panic!() };
/// set.insert(slot, xy, ScopeId::ROOT);
/// let Lookup::Occupied(slot) = set.lookup(&body, yx) else { panic!() };
/// assert_eq!(set.get(slot), (xy, ScopeId::ROOT));
/// ```
#[derive(Clone, Debug)]
pub struct InstrSet {
    /// Open addressing, at most half full.
    slots: Scratch<Slot>,
    mask: usize,
    len: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    scope: ScopeId,
    id: Option<InstrId>,
}

/// Result of [`InstrSet::lookup`].
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::{InstrSet, Lookup, ScopeId};
/// # use airfoil_ir::{Body, Builder, IntrinsicOp, SystemValue, Ty};
///
/// # let mut body = Body::new();
/// # let mut b = Builder::at_end(&mut body);
/// let time = [(); 2].map(|()| b.intrinsic(IntrinsicOp::shader_clock, Ty::new(2, 32), &[]));
/// let sample = [(); 2].map(|()| b.load_system_value(SystemValue::sample_id));
/// let mut set = InstrSet::new(body.num_instrs());
/// let found = [time, sample].concat().into_iter().map(|id| match set.lookup(&body, id) {
///     Lookup::Unique => "unique",
///     Lookup::Vacant(slot) => {
///         set.insert(slot, id, ScopeId::ROOT);
///         "new"
///     }
///     Lookup::Occupied(_) => "equal",
/// });
/// assert_eq!(found.collect::<Vec<_>>(), ["unique", "unique", "new", "equal"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The instruction is never equal to another.
    Unique,
    /// The set does not contain an equal instruction.
    Vacant(Vacant),
    /// The set contains an equal instruction.
    Occupied(Occupied),
}

/// Where to insert an instruction into an [`InstrSet`].
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::{InstrSet, Lookup, ScopeId};
/// use airfoil_ir::{Body, Builder};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let [word, half] = [32, 16].map(|bits| b.imm(bits, 1));
/// let mut set = InstrSet::new(2);
/// let Lookup::Vacant(slot) = set.lookup(&body, word) else { panic!("the set is empty") };
/// // A lookup does not insert.
/// assert_eq!(set.lookup(&body, word), Lookup::Vacant(slot));
/// set.insert(slot, word, ScopeId::ROOT);
/// // Constants of different widths are not equal.
/// assert!(matches!(set.lookup(&body, half), Lookup::Vacant(other) if other != slot));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vacant {
    hash: u64,
}

/// An element of an [`InstrSet`].
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::{InstrSet, Lookup, ScopeId};
/// # use airfoil_ir::{Body, Builder, SystemValue};
///
/// # let mut body = Body::new();
/// # let mut b = Builder::at_end(&mut body);
/// let [first, second] = [(); 2].map(|()| b.load_system_value(SystemValue::layer_id));
/// let mut set = InstrSet::new(body.num_instrs());
/// if let Lookup::Vacant(slot) = set.lookup(&body, first) {
///     set.insert(slot, first, ScopeId::ROOT);
/// }
/// let Lookup::Occupied(element) = set.lookup(&body, second) else { panic!("both load the layer") };
/// // If `first` does not dominate the code that follows, `second` takes over.
/// set.replace(element, second, ScopeId::ROOT);
/// assert_eq!(set.lookup(&body, first), Lookup::Occupied(element));
/// assert_eq!(set.get(element).0, second);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupied {
    at: usize,
}

impl InstrSet {
    /// An empty set with room for at least `capacity` instructions.
    pub fn new(capacity: usize) -> InstrSet {
        let size = (capacity * 2 + 2).next_power_of_two();
        InstrSet { slots: Scratch::filled(Slot::default(), size), mask: size - 1, len: 0 }
    }

    /// Whether the set has no room for another instruction.
    pub fn is_full(&self) -> bool {
        (self.len + 1) * 2 > self.slots.len()
    }

    /// Finds the element equal to an instruction. Elements that were removed from the body are equal to none.
    pub fn lookup(&self, body: &Body, id: InstrId) -> Lookup {
        let Some(hash) = hash_of(body, id) else { return Lookup::Unique };
        let mut at = hash as usize & self.mask;
        while let Slot { hash: h, id: Some(other), .. } = self.slots[at] {
            if h == (hash >> 32) as u32 && body.get(other).is_some() && equal(body, id, other) {
                return Lookup::Occupied(Occupied { at });
            }
            at = (at + 1) & self.mask;
        }
        Lookup::Vacant(Vacant { hash })
    }

    /// An element and its scope.
    pub fn get(&self, element: Occupied) -> (InstrId, ScopeId) {
        let slot = &self.slots[element.at];
        (slot.id.unwrap_or_default(), slot.scope)
    }

    /// Replaces an element by an equal instruction.
    pub fn replace(&mut self, element: Occupied, id: InstrId, scope: ScopeId) {
        let slot = &mut self.slots[element.at];
        (slot.id, slot.scope) = (Some(id), scope);
    }

    /// Inserts an instruction for which [`lookup`](Self::lookup) has returned `vacant`.
    ///
    /// # Panics
    /// If the set holds as many instructions as its capacity allows.
    pub fn insert(&mut self, vacant: Vacant, id: InstrId, scope: ScopeId) {
        self.len += 1;
        assert!(self.len * 2 <= self.slots.len(), "the capacity of the set is exceeded");
        let mut at = vacant.hash as usize & self.mask;
        while self.slots[at].id.is_some() {
            at = (at + 1) & self.mask;
        }
        self.slots[at] = Slot { hash: (vacant.hash >> 32) as u32, scope, id: Some(id) };
    }
}

/// Memory that does not change while the shader runs.
const READ_ONLY: Modes = Modes::IN
    .union(Modes::UNIFORM)
    .union(Modes::UBO)
    .union(Modes::PUSH_CONST)
    .union(Modes::SYSTEM_VALUE)
    .union(Modes::SPEC_CONST);

/// Whether an intrinsic yields equal values at every location; `instr` is its instruction.
fn is_mergeable(body: &Body, instr: &Instr, i: &Intrinsic) -> bool {
    if i.op == IntrinsicOp::load_deref && instr.can_eliminate() {
        return instr.can_reorder() || body[i.src(0)].as_deref().is_some_and(|d| READ_ONLY.contains(d.modes));
    }
    instr.has_value() && instr.can_reorder()
}

/// Hash of the operation; `None` if the instruction is never equal to another.
///
/// Hashes whole words: a derived `Hash` would hash lengths and bytes, at three times the cost.
fn hash_of(body: &Body, id: InstrId) -> Option<u64> {
    let instr = &body[id];
    let mut h = FxHasher::default();
    match &instr.kind {
        InstrKind::Intrinsic(i) => {
            if !is_mergeable(body, instr, i) {
                return None;
            }
            h.write_u64(head(instr, 7, i.op as u64));
            h.write_u64(i.indices().bits());
            i.srcs().iter().for_each(|v| h.write_u64(v.data().as_ffi()));
        }
        InstrKind::Tex(t) => {
            h.write_u64(head(instr, 8, t.op as u64));
            t.srcs.iter().for_each(|(_, v)| h.write_u64(v.data().as_ffi()));
        }
        InstrKind::Phi(srcs) => {
            h.write_u64(head(instr, 9, 0));
            h.write_u64(body.block_of(id).data().as_ffi());
            // Sources may be in any order.
            let one = |s: &PhiSrc| s.pred.data().as_ffi().rotate_left(32) ^ s.value.data().as_ffi();
            h.write_u64(srcs.iter().fold(0, |sum, s| sum ^ one(s)));
        }
        _ => write_value(instr, &mut h)?,
    }
    if instr.is_convergent() {
        h.write_u64(body.block_of(id).data().as_ffi());
    }
    Some(h.finish())
}

/// Hash of an instruction that need not be in a body: a constant, an undefined value, a deref or an ALU operation. `None` for others.
pub(crate) fn hash_of_value(instr: &Instr) -> Option<u64> {
    let mut h = FxHasher::default();
    write_value(instr, &mut h)?;
    Some(h.finish())
}

/// The kind and other small fields in one word.
#[inline]
fn head(instr: &Instr, kind: u64, what: u64) -> u64 {
    what << 32 | kind << 16 | u64::from(instr.ty.comps) << 8 | u64::from(instr.ty.bits)
}

#[inline]
fn write_value(instr: &Instr, h: &mut FxHasher) -> Option<()> {
    match &instr.kind {
        InstrKind::Alu(a) => {
            h.write_u64(head(instr, 1, a.op as u64));
            let word = |s: Src| s.value.data().as_ffi().rotate_left(16) ^ u64::from(s.swizzle.bits());
            let (first, second) = ordered(a);
            h.write_u64(word(first));
            second.into_iter().for_each(|s| h.write_u64(word(s)));
            a.srcs().skip(2).for_each(|s| h.write_u64(word(s)));
        }
        InstrKind::Const(lanes) => {
            h.write_u64(head(instr, 2, 0));
            lanes.iter().take(instr.ty.comps as usize).for_each(|&l| h.write_u64(l));
        }
        InstrKind::Deref(d) => {
            h.write_u64(match d.kind {
                DerefKind::Var(var) => var.data().as_ffi().rotate_left(16) ^ head(instr, 3, 0),
                DerefKind::Struct { field, .. } => head(instr, 4, u64::from(field)),
                DerefKind::Array { .. } => head(instr, 5, 0),
                _ => head(instr, 6, 0),
            });
            instr.visit_operands(|v| h.write_u64(v.data().as_ffi()));
        }
        InstrKind::Undef => h.write_u64(head(instr, 10, 0)),
        _ => return None,
    }
    Some(())
}

/// The first two operands, in a canonical order if the operation is commutative.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn lookup_agrees_with_a_comparison_of_all_pairs() {
        let mut found = 0;
        for seed in 0..100 {
            let shader = generate::from_seed(seed, &generate::Options::default());
            for function in shader.functions.values() {
                let body = &function.body;
                let all: Vec<InstrId> = body.all_instrs().collect();
                let mut set = InstrSet::new(all.len());
                let mut elements: Vec<InstrId> = Vec::new();
                for &id in &all {
                    let expected = elements.iter().copied().find(|&other| equal(body, id, other));
                    match set.lookup(body, id) {
                        Lookup::Unique => {
                            assert!(
                                !body[id].can_eliminate() || !body[id].can_reorder() || !body[id].has_value()
                            );
                        }
                        Lookup::Vacant(slot) => {
                            assert_eq!(expected, None, "seed {seed}: {id:?}");
                            set.insert(slot, id, ScopeId::ROOT);
                            elements.push(id);
                        }
                        Lookup::Occupied(slot) => {
                            assert_eq!(Some(set.get(slot).0), expected, "seed {seed}: {id:?}");
                            found += 1;
                        }
                    }
                }
            }
        }
        assert!(found > 100, "{found} equal instructions");
    }

    #[test]
    #[should_panic(expected = "capacity")]
    fn the_capacity_is_checked() {
        let mut body = Body::new();
        let mut b = crate::Builder::at_end(&mut body);
        let values: Vec<InstrId> = (0..8).map(|n| b.imm_u32(n)).collect();
        let mut set = InstrSet::new(1);
        for id in values {
            if let Lookup::Vacant(slot) = set.lookup(&body, id) {
                set.insert(slot, id, ScopeId::ROOT);
            }
        }
    }
}
