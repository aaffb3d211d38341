//! The code of a function: instructions, blocks and the control-flow tree.
//!
//! * `mod.rs`: storage, and the order of instructions in a block (doubly linked, O(1) insert and remove).
//! * [`uses`](self): use counts are kept by every edit; values are replaced one by one or in batches.
//! * `tree.rs`: blocks, ifs and loops; `cf.rs`: walks over their tree. Successors follow from it.
//! * `edit.rs`: structured edits: insert, split, extract, splice, delete.
//! * `names.rs`: which variable of the source has which value, for debug information.
//! * `tally.rs`: numbers of instructions by group.
//! * `compact.rs`: removes free slots; `memory.rs`: the memory of all slots.
//! * `check.rs`: checks of links and counts, for the validator.

mod cf;
mod check;
mod compact;
#[cfg(test)]
mod corrupt;
mod edit;
mod memory;
mod names;
#[cfg(test)]
pub(crate) mod random;
mod replacements;
mod settled;
mod tally;
#[cfg(test)]
mod tests;
mod tree;
mod uses;

pub use cf::{Entries, Position, Walk};
pub(crate) use check::Fault;
pub use names::{NameId, NamedValue, NamedVariable, Names};
pub use replacements::Replacements;
pub use tally::InstrGroup;
use tally::Tally;
pub(crate) use tree::Block;
pub use tree::{Cf, CfList, If, Loop, Owner, Region};

use crate::ids::{BlockId, CfId, InstrId};
use crate::instr::{Instr, InstrKind, Jump};
use slotmap::SlotMap;
use std::ops::Index;

#[derive(Clone, Debug)]
struct Node {
    instr: Instr,
    block: BlockId,
    prev: Option<InstrId>,
    next: Option<InstrId>,
}

/// The code of a function.
///
/// All edits go through methods, which keep order, use counts, tree and phis consistent.
///
/// # Examples
///
/// A copy propagation of one value:
///
/// ```
/// use airfoil_ir::{AluOp, text};
///
/// let mut shader = text::parse(r#"foil 1
/// shader vertex "v" {
///   fn main {
///     %id = load_vertex_id
///     32x1 %copy = mov %id
///     32x1 %sum = iadd %copy, %copy
///   }
/// }"#)?;
/// let body = shader.entry_body_mut().unwrap();
/// let copy = body.all_instrs().find(|&id| body[id].as_alu().is_some_and(|alu| alu.op == AluOp::mov)).unwrap();
/// body.replace_uses(copy, body[copy].as_alu().unwrap().src(0).value);
/// body.remove(copy);
/// assert!(text::print(&shader).contains("32x1 %1 = iadd %0, %0\n"));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    instrs: SlotMap<InstrId, Node>,
    /// One more than the largest index of an instruction so far.
    instr_end: usize,
    blocks: SlotMap<BlockId, Block>,
    cfs: SlotMap<CfId, Cf>,
    root: Region,
    tally: Tally,
    /// Names of values, if they are kept.
    names: Option<Box<Names>>,
    /// The pass that marked instructions as settled.
    settled_by: u64,
}

/// A position between instructions.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Cursor, Instr, InstrKind, Jump, Ty};
///
/// let mut body = Body::new();
/// let entry = body.entry();
/// let jump = body.insert_jump(entry, Jump::Return);
/// let undef = || Instr::new(InstrKind::Undef, Ty::B32);
/// let second = body.insert(Cursor::Before(jump), undef());
/// let first = body.insert(Cursor::BlockStart(entry), undef());
/// let third = body.insert(body.before_jump(entry), undef());
/// assert!(body.instrs(entry).eq([first, second, third, jump]));
/// // A position by an instruction moves with it.
/// body.move_to(first, Cursor::After(second));
/// let after = body.insert(Cursor::After(first), undef());
/// assert!(body.instrs(entry).eq([second, first, after, third, jump]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Before the first instruction of a block, phis included.
    BlockStart(BlockId),
    /// After the last instruction of a block.
    BlockEnd(BlockId),
    /// Before an instruction.
    Before(InstrId),
    /// After an instruction.
    After(InstrId),
}

impl Default for Body {
    fn default() -> Self {
        Self::new()
    }
}

impl Index<InstrId> for Body {
    type Output = Instr;

    /// # Panics
    /// If the instruction has been removed.
    #[inline]
    fn index(&self, id: InstrId) -> &Instr {
        &self.instrs[id].instr
    }
}

impl Body {
    /// A body of one empty block.
    pub fn new() -> Body {
        let mut blocks = SlotMap::with_capacity_and_key(3);
        let first = blocks.insert(Block::new(Owner::Root));
        Body {
            instrs: SlotMap::with_key(),
            instr_end: 0,
            blocks,
            cfs: SlotMap::with_key(),
            root: Region { first, last: first },
            tally: Tally::default(),
            names: None,
            settled_by: 0,
        }
    }

    /// Makes room for that many more instructions.
    pub fn reserve(&mut self, instrs: usize) {
        self.instrs.reserve(instrs);
    }

    /// Reserves memory for that many more blocks, and for the ifs and loops that contain so many blocks.
    pub fn reserve_blocks(&mut self, blocks: usize) {
        self.blocks.reserve(blocks);
        self.cfs.reserve(blocks / 3);
    }

    /// Makes the body empty again, keeping its allocations.
    pub fn clear(&mut self) {
        self.instrs.clear();
        self.instr_end = 0;
        self.cfs.clear();
        self.blocks.clear();
        let first = self.blocks.insert(Block::new(Owner::Root));
        self.root = Region { first, last: first };
        self.tally = Tally::default();
        self.names = None;
    }

    /// The instruction, or `None` if it has been removed.
    #[inline]
    pub fn get(&self, id: InstrId) -> Option<&Instr> {
        Some(&self.instrs.get(id)?.instr)
    }

    /// All instructions in no particular order, independent of the links.
    pub(crate) fn instr_values(&self) -> impl Iterator<Item = &Instr> {
        self.instrs.values().map(|n| &n.instr)
    }

    /// Number of instructions.
    pub fn num_instrs(&self) -> usize {
        self.instrs.len()
    }

    /// Number of instructions of a group, without a walk.
    pub fn count_of(&self, group: InstrGroup) -> usize {
        self.tally.get(group)
    }

    /// Whether the body has instructions of a group, without a walk.
    pub fn has(&self, group: InstrGroup) -> bool {
        self.count_of(group) > 0
    }

    /// One more than the largest [index](InstrId::index) of an instruction so far, for dense side tables.
    pub fn instr_capacity(&self) -> usize {
        self.instr_end
    }

    /// The block that holds an instruction.
    #[inline]
    pub fn block_of(&self, id: InstrId) -> BlockId {
        self.instrs[id].block
    }

    /// The instruction after `id` in its block.
    #[inline]
    pub fn next(&self, id: InstrId) -> Option<InstrId> {
        self.instrs[id].next
    }

    /// The instruction before `id` in its block.
    #[inline]
    pub fn prev(&self, id: InstrId) -> Option<InstrId> {
        self.instrs[id].prev
    }

    /// The first instruction of a block.
    #[inline]
    pub fn first_instr(&self, block: BlockId) -> Option<InstrId> {
        self.blocks[block].first
    }

    /// The last instruction of a block.
    #[inline]
    pub fn last_instr(&self, block: BlockId) -> Option<InstrId> {
        self.blocks[block].last
    }

    /// The instructions of a block in order.
    pub fn instrs(&self, block: BlockId) -> impl Iterator<Item = InstrId> + '_ {
        std::iter::successors(self.blocks[block].first, |&i| self.instrs[i].next)
    }

    /// The instructions of a block in reverse order.
    pub fn instrs_rev(&self, block: BlockId) -> impl Iterator<Item = InstrId> + '_ {
        std::iter::successors(self.blocks[block].last, |&i| self.instrs[i].prev)
    }

    /// The phis of a block.
    pub fn phis(&self, block: BlockId) -> impl Iterator<Item = InstrId> + '_ {
        self.instrs(block).take_while(|&i| matches!(self[i].kind, InstrKind::Phi(_)))
    }

    /// The jump that ends a block, if there is one.
    pub fn jump(&self, block: BlockId) -> Option<Jump> {
        self[self.blocks[block].last?].as_jump()
    }

    /// The position after the phis of a block.
    pub fn after_phis(&self, block: BlockId) -> Cursor {
        match self.phis(block).last() {
            Some(phi) => Cursor::After(phi),
            None => Cursor::BlockStart(block),
        }
    }

    /// The position at the end of a block, before its jump if it has one.
    pub fn before_jump(&self, block: BlockId) -> Cursor {
        match self.blocks[block].last {
            Some(last) if self[last].as_jump().is_some() => Cursor::Before(last),
            _ => Cursor::BlockEnd(block),
        }
    }

    /// The block of a position.
    pub fn block_at(&self, at: Cursor) -> BlockId {
        match at {
            Cursor::BlockStart(b) | Cursor::BlockEnd(b) => b,
            Cursor::Before(i) | Cursor::After(i) => self.block_of(i),
        }
    }

    /// The block of a position, and the instructions before and after it.
    #[inline]
    fn place(&self, at: Cursor) -> (BlockId, Option<InstrId>, Option<InstrId>) {
        match at {
            Cursor::BlockStart(b) => (b, None, self.blocks[b].first),
            Cursor::BlockEnd(b) => (b, self.blocks[b].last, None),
            Cursor::Before(i) => {
                let node = &self.instrs[i];
                (node.block, node.prev, Some(i))
            }
            Cursor::After(i) => {
                let node = &self.instrs[i];
                (node.block, Some(i), node.next)
            }
        }
    }

    /// Puts an instruction into the body.
    pub fn insert(&mut self, at: Cursor, mut instr: Instr) -> InstrId {
        (instr.uses, instr.settled) = (0, false);
        let (block, prev, next) = self.place(at);
        self.count_operands(&instr);
        self.tally.add(InstrGroup::of(&instr.kind));
        let id = self.instrs.insert(Node { instr, block, prev, next });
        self.instr_end = self.instr_end.max(id.index() + 1);
        self.link(id, block, prev, next);
        id
    }

    #[inline]
    fn link(&mut self, id: InstrId, block: BlockId, prev: Option<InstrId>, next: Option<InstrId>) {
        self.set_links(block, prev, next, Some(id), Some(id));
    }

    /// Links `prev` (if absent, the start of the block) to the instruction after it and `next` (the end) to the one before.
    #[inline]
    fn set_links(
        &mut self,
        block: BlockId,
        prev: Option<InstrId>,
        next: Option<InstrId>,
        after: Option<InstrId>,
        before: Option<InstrId>,
    ) {
        match prev {
            Some(p) => self.instrs[p].next = after,
            None => self.blocks[block].first = after,
        }
        match next {
            Some(n) => self.instrs[n].prev = before,
            None => self.blocks[block].last = before,
        }
    }

    fn unlink(&mut self, id: InstrId) {
        let Node { block, prev, next, .. } = self.instrs[id];
        self.set_links(block, prev, next, next, prev);
    }

    /// Takes an instruction out of the body.
    ///
    /// Its value must not be used any more; the validator finds operands that name removed instructions.
    pub fn remove(&mut self, id: InstrId) {
        if self.names.is_some() {
            self.forward_names(id);
        }
        let node = self.instrs.remove(id);
        debug_assert!(
            node.as_ref().is_some_and(|n| n.instr.uses == 0),
            "removed {id:?} is still used or not there"
        );
        if let Some(Node { instr, block, prev, next }) = node {
            self.set_links(block, prev, next, next, prev);
            self.uncount_operands(&instr);
            self.tally.take(InstrGroup::of(&instr.kind));
        }
    }

    /// Moves an instruction to another position.
    pub fn move_to(&mut self, id: InstrId, at: Cursor) {
        if at == Cursor::Before(id) || at == Cursor::After(id) {
            return;
        }
        self.unlink(id);
        let (block, prev, next) = self.place(at);
        let node = &mut self.instrs[id];
        (node.block, node.prev, node.next) = (block, prev, next);
        self.link(id, block, prev, next);
    }

    /// Replaces the operation of an instruction; its key, position and uses stay.
    pub fn set_kind(&mut self, id: InstrId, kind: InstrKind) {
        let ty = self[id].ty;
        self.set_instr(id, kind, ty);
    }

    /// Makes the instruction do something else and define a value of another shape.
    pub fn set_instr(&mut self, id: InstrId, kind: InstrKind, ty: crate::value::Ty) {
        let new = Instr::new(kind, ty);
        self.count_operands(&new);
        let to = InstrGroup::of(&new.kind);
        let instr = &mut self.instrs[id].instr;
        (instr.ty, instr.settled) = (ty, false);
        let old = Instr::new(std::mem::replace(&mut instr.kind, new.kind), ty);
        self.tally.change(InstrGroup::of(&old.kind), to);
        self.uncount_operands(&old);
    }

    /// Sets the source location of an instruction.
    pub fn set_loc(&mut self, id: InstrId, loc: crate::instr::Loc) {
        self.instrs[id].instr.loc = loc;
    }
}
