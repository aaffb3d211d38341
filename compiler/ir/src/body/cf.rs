//! The control-flow tree.
//!
//! A region is a list that starts and ends with a block and strictly alternates block, (if | loop), block,
//! as in NIR. Here the alternation cannot be broken: a block links to the `if` or loop on each side and
//! those link to the blocks on each side. A loop is endless; only jumps leave it. The tree is the one
//! truth: successors follow from it on the spot, predecessors by [`Cfg`](crate::analysis::Cfg).

use super::{Body, Cf, If, Loop, Owner, Region};
use crate::enums::Control;
use crate::ids::{BlockId, CfId, InstrId};
use crate::instr::{Instr, Jump};

/// A step of [`Body::walk_cf`].
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Walk};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let yes = b.imm_bool(true);
/// let cf = b.push_if(yes);
/// let n = body.as_if(cf).unwrap();
/// let then = [Walk::Block(n.prev()), Walk::If(cf), Walk::Block(n.then().first)];
/// // The `else` side is empty, but has a block.
/// let els = [Walk::Else(cf), Walk::Block(n.els().first), Walk::EndIf(cf), Walk::Block(n.next())];
/// assert!(body.walk_cf().eq(then.into_iter().chain(els)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// A block.
    Block(BlockId),
    /// The start of an `if`; its `then` region follows.
    If(CfId),
    /// The end of `then`; the `else` region follows.
    Else(CfId),
    /// The end of an `if`.
    EndIf(CfId),
    /// The start of a loop; its body follows.
    Loop(CfId),
    /// The end of a loop.
    EndLoop(CfId),
}

/// A position in [`Body::entries`]. Unlike the iterator it does not borrow the body, so a walk may edit the instructions
/// before it.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Position};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// (0..4).for_each(|n| _ = b.imm_u32(n));
/// // Removes every second instruction during the walk.
/// let mut at: Position = body.start();
/// loop {
///     let mut entries = body.entries_from(at);
///     let Some((even, _)) = entries.next() else { break };
///     entries.next();
///     at = entries.position();
///     body.remove(even);
/// }
/// assert!(body.entries().map(|(_, i)| i.as_const().unwrap()[0]).eq([1, 3]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Position {
    block: BlockId,
    next: Option<InstrId>,
}

/// Iterator over [`Body::entries`]: a walk along the links with one look-up per instruction, where iterators over blocks
/// and over their instructions, joined, take three times as many steps.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Entries, text};
///
/// let shader = text::parse(r#"foil 1
/// shader fragment "f" {
///   fn main {
///     %helper = is_helper_invocation
///     if %helper { demote }
///     32x1 %end = const 0
///   }
/// }"#)?;
/// let mut entries: Entries<'_> = shader.entry_body().unwrap().entries();
/// // Blocks and nested code are walked over without a step of their own.
/// assert!(entries.next().is_some_and(|(_, instr)| instr.has_value()));
/// assert!(entries.next().is_some_and(|(_, instr)| instr.as_intrinsic().is_some()));
/// assert!(entries.map(|(_, instr)| instr.as_const()).eq([Some(&[0; 4])]));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    body: &'a Body,
    at: Position,
}

impl Entries<'_> {
    /// The position before the next instruction; see [`Body::entries_from`].
    pub fn position(&self) -> Position {
        self.at
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (InstrId, &'a Instr);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(id) = self.at.next {
                let node = &self.body.instrs[id];
                self.at.next = node.next;
                return Some((id, &node.instr));
            }
            self.at.block = self.body.next_block(self.at.block)?;
            self.at.next = self.body.blocks[self.at.block].first;
        }
    }
}

impl Body {
    /// The region of the whole function.
    pub fn root(&self) -> Region {
        self.root
    }

    /// The first block of the function.
    pub fn entry(&self) -> BlockId {
        self.root.first
    }

    /// An `if` or loop.
    ///
    /// # Panics
    /// If it has been removed.
    pub fn cf(&self, id: CfId) -> &Cf {
        &self.cfs[id]
    }

    /// The `if` of a key; `None` if it is a loop.
    pub fn as_if(&self, id: CfId) -> Option<&If> {
        self.cfs[id].as_if()
    }

    /// The loop of a key; `None` if it is an `if`.
    pub fn as_loop(&self, id: CfId) -> Option<&Loop> {
        self.cfs[id].as_loop()
    }

    /// Whether a block is (still) part of the body.
    pub fn has_block(&self, block: BlockId) -> bool {
        self.blocks.contains_key(block)
    }

    /// Whether an `if` or loop is (still) part of the body.
    pub fn has_cf(&self, cf: CfId) -> bool {
        self.cfs.contains_key(cf)
    }

    /// Number of blocks.
    pub fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Number of ifs and loops.
    pub fn num_cfs(&self) -> usize {
        self.cfs.len()
    }

    /// Sets the hint of an `if` or loop.
    pub fn set_control(&mut self, cf: CfId, control: Control) {
        match &mut self.cfs[cf] {
            Cf::If(n) => n.control = control,
            Cf::Loop(n) => n.control = control,
        }
    }

    /// The region that a block belongs to.
    pub fn owner(&self, block: BlockId) -> Owner {
        self.blocks[block].owner
    }

    /// The region that an `if` or loop belongs to.
    pub fn cf_owner(&self, cf: CfId) -> Owner {
        self.owner(self.cfs[cf].prev())
    }

    /// The `if` or loop directly before a block.
    pub fn prev_cf(&self, block: BlockId) -> Option<CfId> {
        self.blocks[block].prev
    }

    /// The `if` or loop directly after a block.
    pub fn next_cf(&self, block: BlockId) -> Option<CfId> {
        self.blocks[block].next
    }

    /// First and last block of a region; `None` for detached ones and for sides that do not exist.
    pub fn region(&self, owner: Owner) -> Option<Region> {
        match owner {
            Owner::Root => Some(self.root),
            Owner::Then(c) => Some(self.as_if(c)?.then),
            Owner::Else(c) => Some(self.as_if(c)?.els),
            Owner::Loop(c) => Some(self.as_loop(c)?.body),
            Owner::Detached => None,
        }
    }

    pub(super) fn region_mut(&mut self, owner: Owner) -> Option<&mut Region> {
        match owner {
            Owner::Root => Some(&mut self.root),
            Owner::Detached => None,
            Owner::Then(c) | Owner::Else(c) | Owner::Loop(c) => match (&mut self.cfs[c], owner) {
                (Cf::If(n), Owner::Then(_)) => Some(&mut n.then),
                (Cf::If(n), Owner::Else(_)) => Some(&mut n.els),
                (Cf::Loop(n), Owner::Loop(_)) => Some(&mut n.body),
                _ => None,
            },
        }
    }

    /// The next block in the order of the text: depth first, `then` before `else`.
    pub fn next_block(&self, block: BlockId) -> Option<BlockId> {
        if let Some(cf) = self.blocks[block].next {
            return Some(match &self.cfs[cf] {
                Cf::If(n) => n.then.first,
                Cf::Loop(n) => n.body.first,
            });
        }
        match self.blocks[block].owner {
            Owner::Root | Owner::Detached => None,
            Owner::Then(c) => Some(self.as_if(c)?.els.first),
            Owner::Else(c) | Owner::Loop(c) => Some(self.cfs[c].next()),
        }
    }

    /// The previous block in the order of the text.
    pub fn prev_block(&self, block: BlockId) -> Option<BlockId> {
        if let Some(cf) = self.blocks[block].prev {
            return Some(match &self.cfs[cf] {
                Cf::If(n) => n.els.last,
                Cf::Loop(n) => n.body.last,
            });
        }
        match self.blocks[block].owner {
            Owner::Root | Owner::Detached => None,
            Owner::Else(c) => Some(self.as_if(c)?.then.last),
            Owner::Then(c) | Owner::Loop(c) => Some(self.cfs[c].prev()),
        }
    }

    /// All blocks in the order of the text. Definitions come before uses, but for phis of loops.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(Some(self.root.first), |&b| self.next_block(b))
    }

    /// The blocks of a region and of all that is nested in it, in the order of the text.
    pub fn blocks_in(&self, region: Region) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(
            Some(region.first),
            move |&b| {
                if b == region.last { None } else { self.next_block(b) }
            },
        )
    }

    /// All instructions in the order of the text.
    pub fn all_instrs(&self) -> impl Iterator<Item = InstrId> + '_ {
        self.entries().map(|(id, _)| id)
    }

    /// All instructions with their keys, in the order of the text.
    pub fn entries(&self) -> Entries<'_> {
        self.entries_from(self.start())
    }

    /// The position before the first instruction.
    pub fn start(&self) -> Position {
        Position { block: self.root.first, next: self.blocks[self.root.first].first }
    }

    /// The instructions after a position. The next instruction and its block must still exist.
    pub fn entries_from(&self, at: Position) -> Entries<'_> {
        Entries { body: self, at }
    }

    /// The tree as a flat sequence of steps, without recursion.
    pub fn walk_cf(&self) -> impl Iterator<Item = Walk> + '_ {
        std::iter::successors(Some(Walk::Block(self.root.first)), |&step| self.next_step(step))
    }

    /// The step after another one in [`Body::walk_cf`], for walks that edit instructions.
    pub fn next_step(&self, step: Walk) -> Option<Walk> {
        match step {
            Walk::Block(b) => {
                if let Some(cf) = self.blocks[b].next {
                    return Some(if self.cfs[cf].as_if().is_some() { Walk::If(cf) } else { Walk::Loop(cf) });
                }
                match self.blocks[b].owner {
                    Owner::Root | Owner::Detached => None,
                    Owner::Then(c) => Some(Walk::Else(c)),
                    Owner::Else(c) => Some(Walk::EndIf(c)),
                    Owner::Loop(c) => Some(Walk::EndLoop(c)),
                }
            }
            Walk::If(c) => Some(Walk::Block(self.as_if(c)?.then.first)),
            Walk::Else(c) => Some(Walk::Block(self.as_if(c)?.els.first)),
            Walk::Loop(c) => Some(Walk::Block(self.as_loop(c)?.body.first)),
            Walk::EndIf(c) | Walk::EndLoop(c) => Some(Walk::Block(self.cfs[c].next())),
        }
    }

    /// The innermost loop around a block.
    pub fn loop_around(&self, block: BlockId) -> Option<CfId> {
        let mut owner = self.owner(block);
        loop {
            match owner {
                Owner::Loop(c) => return Some(c),
                Owner::Then(c) | Owner::Else(c) => owner = self.cf_owner(c),
                Owner::Root | Owner::Detached => return None,
            }
        }
    }

    /// Successors of a block: none (return, end of the function), one or two blocks.
    ///
    /// For an `if` the `then` side comes first.
    pub fn successors(&self, block: BlockId) -> [Option<BlockId>; 2] {
        if let Some(jump) = self.jump(block) {
            return [self.jump_target(block, jump), None];
        }
        if let Some(cf) = self.blocks[block].next {
            return match &self.cfs[cf] {
                Cf::If(n) => [Some(n.then.first), Some(n.els.first)],
                Cf::Loop(n) => [Some(n.body.first), None],
            };
        }
        [self.fall_through(block), None]
    }

    /// The successor of the last block of a region that does not jump.
    pub(super) fn fall_through(&self, block: BlockId) -> Option<BlockId> {
        match self.blocks[block].owner {
            Owner::Root | Owner::Detached => None,
            Owner::Then(c) | Owner::Else(c) => Some(self.cfs[c].next()),
            Owner::Loop(c) => Some(self.as_loop(c)?.body.first),
        }
    }

    /// The target of a jump at the end of `block`; `None` for returns and for jumps outside loops.
    pub fn jump_target(&self, block: BlockId, jump: Jump) -> Option<BlockId> {
        match jump {
            Jump::Return | Jump::Halt => None,
            Jump::Break => Some(self.cfs[self.loop_around(block)?].next()),
            Jump::Continue => Some(self.as_loop(self.loop_around(block)?)?.body.first),
        }
    }
}
