//! The nodes of the control-flow tree.

use crate::enums::Control;
use crate::ids::{BlockId, CfId, InstrId};

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
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
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Owner};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let yes = b.imm_bool(true);
/// let outer = b.push_loop();
/// let inner = b.push_if(yes);
/// b.push_else(inner);
/// let mut owner = b.body.owner(b.block());
/// assert_eq!(owner, Owner::Else(inner));
/// // Innermost first.
/// let around = std::iter::from_fn(|| owner.cf().inspect(|&cf| owner = body.cf_owner(cf)));
/// assert!(around.eq([inner, outer]));
/// assert_eq!(owner, Owner::Root);
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Owner, Region};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let no = b.imm_bool(false);
/// let outer = b.push_if(no);
/// let inner = b.push_if(no);
/// b.pop(inner);
/// let region: Region = body.region(Owner::Then(outer)).unwrap();
/// // The region begins before the inner `if` and ends after it.
/// assert_eq!((region.first, region.last), (body.cf(inner).prev(), body.cf(inner).next()));
/// // With the two sides of the inner one, it has four blocks.
/// assert_eq!(body.blocks_in(region).count(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First block.
    pub first: BlockId,
    /// Last block; the same as the first in a region without ifs and loops.
    pub last: BlockId,
}

/// A list of blocks, ifs and loops outside of any region. It must be inserted again or deleted.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, CfList, Cursor, Owner};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let yes = b.imm_bool(true);
/// let cf = b.push_if(yes);
/// let x = b.imm_u32(1);
/// // Moves the code of a side before the `if`.
/// let side: CfList = body.take_region(Owner::Then(cf));
/// assert_eq!(body.owner(side.region().first), Owner::Detached);
/// body.splice(Cursor::BlockEnd(body.entry()), side);
/// assert!(body.instrs(body.entry()).eq([yes, x]));
/// assert_eq!(body.first_instr(body.as_if(cf).unwrap().then().first), None);
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Cf, Jump};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let stop = b.imm_bool(true);
/// b.push_loop();
/// b.push_if(stop);
/// b.jump(Jump::Break);
/// // In the order of the text; each is between two blocks.
/// let cfs = body.blocks().filter_map(|block| body.next_cf(block)).map(|cf| body.cf(cf));
/// let names: Vec<_> = cfs.map(|cf| if let Cf::If(_) = cf { "if" } else { "loop" }).collect();
/// assert_eq!(names, ["loop", "if"]);
/// ```
#[derive(Clone, Debug)]
pub enum Cf {
    /// A choice between two regions.
    If(If),
    /// An endless loop.
    Loop(Loop),
}

/// A choice between two regions.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, If, Jump};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let c = b.imm_bool(false);
/// let cf = b.push_if(c);
/// b.jump(Jump::Return);
/// let n: &If = body.as_if(cf).unwrap();
/// assert_eq!(body.successors(n.prev()), [Some(n.then().first), Some(n.els().first)]);
/// // The first side returns, so only the other one reaches the block after the `if`.
/// assert_eq!(body.successors(n.then().last), [None, None]);
/// assert_eq!(body.successors(n.els().last), [Some(n.next()), None]);
/// // The condition is a use.
/// assert_eq!((n.cond(), body[c].uses()), (c, 1));
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::Dominance;
/// use airfoil_ir::{Body, Cursor, Jump, Loop};
///
/// let mut body = Body::new();
/// let cf = body.insert_loop(Cursor::BlockEnd(body.entry()));
/// let l: Loop = body.as_loop(cf).unwrap().clone();
/// // Without a jump, nothing reaches the block after a loop.
/// assert!(!Dominance::new(&body).is_reachable(l.next()));
/// body.insert_jump(l.body().last, Jump::Break);
/// assert!(Dominance::new(&body).dominates(l.body().first, l.next()));
/// ```
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
