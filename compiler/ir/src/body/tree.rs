//! The nodes of the control-flow tree.

use crate::enums::Control;
use crate::ids::{BlockId, CfId, InstrId};

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    pub(super) first: Option<InstrId>,
    pub(super) last: Option<InstrId>,
    pub(super) owner: Owner,
    pub(super) prev: Option<CfId>,
    pub(super) next: Option<CfId>,
}

impl Block {
    pub(super) fn new(owner: Owner) -> Block {
        Block { first: None, last: None, owner, prev: None, next: None }
    }
}

/// The region that a block belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The function itself.
    Root,
    /// The side of an `if` that runs when the condition is true.
    Then(CfId),
    /// The other side.
    Else(CfId),
    /// The body of a loop.
    Loop(CfId),
    /// None: a list that has been taken out.
    Detached,
}

impl Owner {
    /// The `if` or loop around the region.
    pub fn cf(self) -> Option<CfId> {
        match self {
            Owner::Then(c) | Owner::Else(c) | Owner::Loop(c) => Some(c),
            Owner::Root | Owner::Detached => None,
        }
    }
}

/// First and last block of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First block.
    pub first: BlockId,
    /// Last block; the same as the first in a region without ifs and loops.
    pub last: BlockId,
}

/// A list of blocks, ifs and loops outside of any region. It must be inserted again or deleted.
#[derive(Debug)]
#[must_use]
pub struct CfList {
    pub(super) region: Region,
    /// The region that it was the whole of.
    pub(super) from: Option<Owner>,
    /// The loop that jumps in it refer to.
    pub(super) around: Option<CfId>,
}

impl CfList {
    /// First and last block.
    pub fn region(&self) -> Region {
        self.region
    }
}

/// An `if` or a loop.
#[derive(Clone, Debug)]
pub enum Cf {
    /// A choice between two regions.
    If(If),
    /// An endless loop.
    Loop(Loop),
}

/// A choice between two regions.
#[derive(Clone, Debug)]
pub struct If {
    /// A boolean.
    pub(super) cond: InstrId,
    pub(super) then: Region,
    pub(super) els: Region,
    pub(super) prev: BlockId,
    pub(super) next: BlockId,
    /// Hint.
    pub control: Control,
}

/// An endless loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub(super) body: Region,
    pub(super) prev: BlockId,
    pub(super) next: BlockId,
    /// Hint.
    pub control: Control,
}

impl If {
    /// The condition.
    pub fn cond(&self) -> InstrId {
        self.cond
    }
    /// The region that runs when the condition is true.
    pub fn then(&self) -> Region {
        self.then
    }
    /// The region that runs when the condition is false.
    pub fn els(&self) -> Region {
        self.els
    }
    /// The block before.
    pub fn prev(&self) -> BlockId {
        self.prev
    }
    /// The block after it, where both sides join.
    pub fn next(&self) -> BlockId {
        self.next
    }
}

impl Loop {
    /// The region that repeats.
    pub fn body(&self) -> Region {
        self.body
    }
    /// The block before.
    pub fn prev(&self) -> BlockId {
        self.prev
    }
    /// The block after it, the target of `break`.
    pub fn next(&self) -> BlockId {
        self.next
    }
}

impl Cf {
    /// The block before.
    pub fn prev(&self) -> BlockId {
        match self {
            Cf::If(n) => n.prev,
            Cf::Loop(n) => n.prev,
        }
    }

    /// The block after.
    pub fn next(&self) -> BlockId {
        match self {
            Cf::If(n) => n.next,
            Cf::Loop(n) => n.next,
        }
    }

    pub(super) fn set_prev(&mut self, block: BlockId) {
        match self {
            Cf::If(n) => n.prev = block,
            Cf::Loop(n) => n.prev = block,
        }
    }

    /// The `if`, if it is one.
    pub fn as_if(&self) -> Option<&If> {
        if let Cf::If(n) = self { Some(n) } else { None }
    }

    /// The loop, if it is one.
    pub fn as_loop(&self) -> Option<&Loop> {
        if let Cf::Loop(n) = self { Some(n) } else { None }
    }
}
