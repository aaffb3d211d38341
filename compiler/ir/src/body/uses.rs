//! Uses of values.
//!
//! Each value has a count of its uses (operands of instructions and conditions of ifs), kept by every
//! edit. Where the uses are is not stored: passes replace values in batches with one walk
//! ([`Body::replace_all`]), and an analysis lists users on demand ([`UseMap`](crate::analysis::UseMap)).
//! `docs/uses.md` has the measurements for this choice.

use super::{Body, Cf, InstrGroup, Replacements};
use crate::dense::Dense;
use crate::ids::{BlockId, InstrId};
use crate::instr::{Instr, PhiSrc};
use crate::scratch::Scratch;
use slotmap::Key;
use smallvec::SmallVec;

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

    /// Edits an instruction in any way; counts are updated afterwards.
    pub fn edit(&mut self, id: InstrId, f: impl FnOnce(&mut Instr)) {
        let mut before = SmallVec::<[InstrId; 8]>::new();
        let mut after = SmallVec::<[InstrId; 8]>::new();
        let instr = &mut self.instrs[id].instr;
        let (uses, group) = (instr.uses, InstrGroup::of(&instr.kind));
        instr.visit_operands(|v| before.push(v));
        f(instr);
        (instr.uses, instr.settled) = (uses, false);
        self.tally.change(group, InstrGroup::of(&instr.kind));
        instr.visit_operands(|v| after.push(v));
        if before != after {
            before.into_iter().for_each(|v| self.uncount(v));
            after.into_iter().for_each(|v| self.count(v));
        }
    }

    /// Sets the source of a phi for a predecessor: replaces the existing one, such as the undefined one that
    /// [`Body::insert_jump`] adds, or adds one.
    pub fn set_phi_src(&mut self, phi: InstrId, src: PhiSrc) {
        self.edit(phi, |i| {
            if let crate::instr::InstrKind::Phi(srcs) = &mut i.kind {
                match srcs.iter_mut().find(|s| s.pred == src.pred) {
                    Some(there) => there.value = src.value,
                    None => srcs.push(src),
                }
            }
        });
    }

    /// Adds a source for a predecessor that a phi has no source for.
    pub fn add_phi_src(&mut self, phi: InstrId, src: PhiSrc) {
        self.edit(phi, |i| {
            if let crate::instr::InstrKind::Phi(srcs) = &mut i.kind {
                srcs.push(src);
            }
        });
    }

    /// Replaces every use of `old` by `new`. Searches from the definition on until the last use has been found:
    /// for more than a few values collect them in [`Replacements`].
    pub fn replace_uses(&mut self, old: InstrId, new: InstrId) {
        if let Some(names) = &mut self.names {
            names.replace(old, new);
        }
        let uses = self[old].uses;
        if old == new || uses == 0 {
            return;
        }
        self.replace_after(old, uses, |v| if v == old { new } else { v });
        self.move_uses(old, new);
    }

    /// Replaces every use of each value that has an entry in a table. The values are listed in the order of the text, so that the
    /// search runs from the first of them on until the last use has been found. No value is replaced by another one of
    /// the list.
    pub fn replace_listed(&mut self, values: impl Iterator<Item = InstrId> + Clone, table: &Dense<InstrId>) {
        let mut listed = values.filter(|&v| !table.get(v).is_null() && !self.is_unused(v));
        let Some(first) = listed.next() else { return };
        let uses = self[first].uses + listed.clone().map(|v| self[v].uses).sum::<u32>();
        let rest: SmallVec<[InstrId; 32]> = listed.collect();
        self.replace_after(first, uses, |v| {
            let new = table.get(v);
            if new.is_null() { v } else { new }
        });
        for old in std::iter::once(first).chain(rest) {
            self.move_uses(old, table.get(old));
        }
    }

    /// Counts the uses of a value as those of the one that has replaced it.
    fn move_uses(&mut self, old: InstrId, new: InstrId) {
        let uses = std::mem::take(&mut self.instrs[old].instr.uses);
        if let Some(node) = self.instrs.get_mut(new) {
            node.instr.uses += uses;
        }
    }

    /// Replaces values by `f`, from the first of them on until `uses` of them have been found. Does not count.
    fn replace_after(&mut self, first: InstrId, uses: u32, f: impl Fn(InstrId) -> InstrId) {
        let mut left = uses;
        self.replace_from(self.block_of(first), self.next(first), &f, &mut left);
        if left > 0 {
            // Phis at the start of loops use values from further down.
            let entry = self.root.first;
            self.replace_from(entry, self.first_instr(entry), &f, &mut left);
        }
        if left > 0 {
            // The rest is in lists that have been taken out.
            self.rewrite(f);
        }
    }

    /// Replaces uses from an instruction on to the end of the function, until `left` of them are found.
    /// Does not count.
    fn replace_from(
        &mut self,
        mut block: BlockId,
        mut next: Option<InstrId>,
        f: &impl Fn(InstrId) -> InstrId,
        left: &mut u32,
    ) {
        loop {
            while let Some(id) = next {
                let node = &mut self.instrs[id];
                next = node.next;
                node.instr.map_operands(|v| {
                    let new = f(v);
                    *left = left.saturating_sub(u32::from(new != v));
                    new
                });
                if *left == 0 {
                    return;
                }
            }
            if let Some(cf) = self.blocks[block].next
                && let Cf::If(n) = &mut self.cfs[cf]
            {
                let new = f(n.cond);
                *left = left.saturating_sub(u32::from(new != n.cond));
                n.cond = new;
            }
            match self.next_block(block) {
                Some(b) if *left > 0 => (block, next) = (b, self.blocks[b].first),
                _ => return,
            }
        }
    }

    /// Applies all replacements in one pass over the memory. The replaced instructions stay where they are,
    /// unused.
    pub fn replace_all(&mut self, replacements: &Replacements) {
        if replacements.is_empty() {
            return;
        }
        if let Some(names) = &mut self.names {
            names.replace_all(replacements);
        }
        // Every operand is looked up: an array is three times as fast as the hash table that collects few entries.
        let mut table = Scratch::filled(InstrId::null(), self.instr_capacity());
        for old in replacements.replaced() {
            table[old.index()] = replacements.resolve(old);
        }
        self.rewrite(|v| match table.get(v.index()) {
            Some(new) if !new.is_null() => *new,
            _ => v,
        });
        // All uses of a replaced value have moved, so the counts move as a whole.
        for old in replacements.replaced() {
            let Some(uses) = self.instrs.get_mut(old).map(|n| std::mem::take(&mut n.instr.uses)) else {
                continue;
            };
            if let Some(node) = self.instrs.get_mut(replacements.resolve(old)) {
                node.instr.uses += uses;
            }
        }
    }

    /// Replaces every operand and condition `v` by `f(v)`, in the order of the memory. Does not count.
    fn rewrite(&mut self, mut f: impl FnMut(InstrId) -> InstrId) {
        for node in self.instrs.values_mut() {
            node.instr.map_operands(&mut f);
        }
        for cf in self.cfs.values_mut() {
            if let Cf::If(n) = cf {
                n.cond = f(n.cond);
            }
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
