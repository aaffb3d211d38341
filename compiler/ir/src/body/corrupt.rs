//! Damage that no edit does, for tests of the validator.

use super::{Body, Cf, InstrGroup};
use crate::ids::{CfId, InstrId};

impl Body {
    /// Makes an `if` or loop link back to itself.
    pub(crate) fn break_tree(&mut self, cf: CfId) {
        if let Cf::Loop(l) = &mut self.cfs[cf] {
            l.prev = l.next;
        }
    }

    /// Makes `a` come after `b` in one direction only.
    pub(crate) fn break_list(&mut self, a: InstrId, b: InstrId) {
        self.instrs[a].prev = Some(b);
    }

    /// Takes an instruction out although it is used.
    pub(crate) fn forget(&mut self, id: InstrId) {
        self.unlink(id);
        if let Some(node) = self.instrs.remove(id) {
            self.tally.take(InstrGroup::of(&node.instr.kind));
        }
    }

    /// Counts a use that does not exist.
    pub(crate) fn break_count(&mut self, id: InstrId) {
        self.instrs[id].instr.uses += 1;
    }
}
