//! Sharing: a builder returns an earlier instruction instead of creating an equal one.

use super::Builder;
use crate::analysis::hash_of_value;
use crate::body::Body;
use crate::ids::{BlockId, InstrId};
use crate::instr::{Instr, InstrKind};
use crate::scratch::Scratch;

/// Instructions that a builder created last. Each hash has one entry, which a later instruction replaces: a miss costs one
/// comparison, and `simplify` finds the equal values that are missed here.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// The rest of the hash, and the instruction.
    entries: Scratch<(u32, Option<InstrId>)>,
}

const ENTRIES: usize = 128;

impl Shared {
    fn new() -> Shared {
        Shared { entries: Scratch::filled((0, None), ENTRIES) }
    }

    /// The entry for an instruction and the rest of its hash; `None` if it is not shared.
    fn entry(instr: &Instr) -> Option<(usize, u32)> {
        let hash = hash_of_value(instr)?;
        Some((hash as usize % ENTRIES, (hash >> 32) as u32))
    }

    /// Whether an instruction of the body computes the same as a new one in a block.
    fn is_same(body: &Body, old: InstrId, new: &Instr, block: BlockId) -> bool {
        let Some(instr) = body.get(old).filter(|instr| instr.ty == new.ty) else { return false };
        // The first block dominates all others; operations stay where they are used.
        let (same, anywhere) = match (&instr.kind, &new.kind) {
            (InstrKind::Const(a), InstrKind::Const(b)) => (a == b, true),
            (InstrKind::Undef, InstrKind::Undef) => (true, true),
            (InstrKind::Deref(a), InstrKind::Deref(b)) => (a == b, true),
            (InstrKind::Alu(a), InstrKind::Alu(b)) => (a == b, false),
            _ => return false,
        };
        same && {
            let from = body.block_of(old);
            from == block || (anywhere && from == body.entry())
        }
    }
}

impl Builder<'_> {
    /// Shares equal constants, derefs and operations within a block from now on, and constants and derefs of the first block
    /// everywhere. The builder must only append: its cursor is never before instructions that it created. A
    /// [`raw`](Self::raw) builder shares nothing.
    ///
    /// ```
    /// use airfoil_ir::{Body, Builder};
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// b.share_values();
    /// let (x, y) = (b.imm_f32(2.0), b.imm_f32(2.0));
    /// assert_eq!(x, y);
    /// ```
    pub fn share_values(&mut self) {
        if !self.raw {
            self.shared = Some(Shared::new());
        }
    }

    /// Inserts an instruction that has no effect but its value, unless an equal one exists.
    #[inline]
    pub(super) fn insert_shared(&mut self, instr: Instr) -> InstrId {
        if self.shared.is_none() {
            return self.insert(instr);
        }
        self.find_or_insert(instr)
    }

    fn find_or_insert(&mut self, instr: Instr) -> InstrId {
        let Some((entry, rest)) = Shared::entry(&instr) else { return self.insert(instr) };
        if let Some(&(other, Some(old))) = self.shared.as_ref().and_then(|shared| shared.entries.get(entry))
            && other == rest
            && Shared::is_same(self.body, old, &instr, self.block())
        {
            return old;
        }
        let id = self.insert(instr);
        if let Some(shared) = &mut self.shared {
            shared.entries[entry] = (rest, Some(id));
        }
        id
    }
}
