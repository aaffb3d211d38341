//! Uses of values.
//!
//! Each value has a count of its uses (operands of instructions and conditions of ifs), kept by every
//! edit. Where the uses are is not stored: passes replace values in batches with one walk
//! ([`Body::replace_all`]), and an analysis lists users on demand ([`UseMap`](crate::analysis::UseMap)).
//! `docs/uses.md` has the measurements behind this choice.

use super::{Body, Cf};
use crate::ids::InstrId;
use crate::instr::{Instr, PhiSrc};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Values to replace by others, collected and applied in one walk by [`Body::replace_all`].
#[derive(Clone, Debug, Default)]
pub struct Replacements {
    map: FxHashMap<InstrId, InstrId>,
}

impl Replacements {
    /// Replaces `old` by `new`, which may itself be replaced by an entry made before.
    pub fn insert(&mut self, old: InstrId, new: InstrId) {
        let new = self.resolve(new);
        if old != new {
            self.map.insert(old, new);
        }
    }

    /// What a value stands for: itself if it is not replaced.
    pub fn resolve(&self, mut id: InstrId) -> InstrId {
        if self.map.is_empty() {
            return id;
        }
        while let Some(&to) = self.map.get(&id) {
            id = to;
        }
        id
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Number of replaced values.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Forgets all entries, keeping the allocation.
    pub fn clear(&mut self) {
        self.map.clear();
    }
}

impl Body {
    pub(super) fn count(&mut self, value: InstrId) {
        if let Some(node) = self.instrs.get_mut(value) {
            node.instr.uses += 1;
        }
    }

    pub(super) fn uncount(&mut self, value: InstrId) {
        if let Some(node) = self.instrs.get_mut(value) {
            node.instr.uses -= 1;
        }
    }

    pub(super) fn count_operands(&mut self, instr: &Instr) {
        instr.visit_operands(|v| self.count(v));
    }

    pub(super) fn uncount_operands(&mut self, instr: &Instr) {
        instr.visit_operands(|v| self.uncount(v));
    }

    /// Whether nothing uses the value of an instruction.
    pub fn is_unused(&self, id: InstrId) -> bool {
        self[id].uses == 0
    }

    /// Replaces every operand `v` of an instruction by `f(v)`; true if one changed.
    pub fn map_operands(&mut self, id: InstrId, mut f: impl FnMut(InstrId) -> InstrId) -> bool {
        let mut changed = SmallVec::<[(InstrId, InstrId); 4]>::new();
        self.instrs[id].instr.map_operands(|old| {
            let new = f(old);
            if new != old {
                changed.push((old, new));
            }
            new
        });
        for &(old, new) in &changed {
            self.uncount(old);
            self.count(new);
        }
        !changed.is_empty()
    }

    /// Edits an instruction in any way; counts are brought up to date afterwards.
    pub fn edit(&mut self, id: InstrId, f: impl FnOnce(&mut Instr)) {
        let mut before = SmallVec::<[InstrId; 8]>::new();
        let mut after = SmallVec::<[InstrId; 8]>::new();
        let instr = &mut self.instrs[id].instr;
        let uses = instr.uses;
        instr.visit_operands(|v| before.push(v));
        f(instr);
        instr.uses = uses;
        instr.visit_operands(|v| after.push(v));
        if before != after {
            before.into_iter().for_each(|v| self.uncount(v));
            after.into_iter().for_each(|v| self.count(v));
        }
    }

    /// Adds a source to a phi.
    pub fn add_phi_src(&mut self, phi: InstrId, src: PhiSrc) {
        self.edit(phi, |i| {
            if let crate::instr::InstrKind::Phi(srcs) = &mut i.kind {
                srcs.push(src);
            }
        });
    }

    /// Replaces every use of `old` by `new`. Walks until the last use has been found: for more than a few
    /// values collect them in [`Replacements`].
    pub fn replace_uses(&mut self, old: InstrId, new: InstrId) {
        if old == new || self.is_unused(old) {
            return;
        }
        let mut cursor = Some(self.root.first);
        // Conditions are few; instructions are searched block by block until no use is left.
        let cfs: Vec<_> = self.cfs.keys().collect();
        for cf in cfs {
            self.map_condition(cf, |v| if v == old { new } else { v });
        }
        while let Some(block) = cursor {
            let mut next = self.first_instr(block);
            while let Some(id) = next {
                if self.is_unused(old) {
                    return;
                }
                next = self.next(id);
                self.map_operands(id, |v| if v == old { new } else { v });
            }
            cursor = self.next_block(block);
        }
    }

    /// Applies all replacements in one walk. The replaced instructions stay where they are, unused.
    pub fn replace_all(&mut self, replacements: &Replacements) {
        if replacements.is_empty() {
            return;
        }
        let mut cursor = Some(self.root.first);
        while let Some(block) = cursor {
            let mut next = self.first_instr(block);
            while let Some(id) = next {
                next = self.next(id);
                self.map_operands(id, |v| replacements.resolve(v));
            }
            cursor = self.next_block(block);
        }
        let cfs: Vec<_> = self.cfs.keys().collect();
        for cf in cfs {
            self.map_condition(cf, |v| replacements.resolve(v));
        }
    }

    /// Replaces the condition of an `if`; nothing happens to loops.
    pub fn map_condition(&mut self, cf: crate::ids::CfId, f: impl FnOnce(InstrId) -> InstrId) -> bool {
        let Cf::If(node) = &mut self.cfs[cf] else { return false };
        let old = node.cond;
        let new = f(old);
        if old == new {
            return false;
        }
        node.cond = new;
        self.uncount(old);
        self.count(new);
        true
    }
}
