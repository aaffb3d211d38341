//! The plan of a function: its blocks, and the nested ifs and loops that they become.

use super::types::TyIx;
use airfoil_ir::{Control, Diagnostic};
use smallvec::SmallVec;
use std::rc::Rc;

/// No block.
pub(crate) const NONE: u32 = u32::MAX;

/// Merge instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Merge {
    None,
    Selection { merge: u32 },
    Loop { merge: u32, cont: u32 },
}

/// A block of a function.
#[derive(Clone, Debug)]
pub(crate) struct SBlock {
    /// Offset of the first instruction after the label.
    pub start: usize,
    /// Offset of the instruction that ends the block.
    pub end: usize,
    /// Offset of the merge instruction.
    pub merge_at: Option<usize>,
    pub merge: Merge,
    pub control: Control,
    /// Blocks that control can go to, each once.
    pub succs: SmallVec<[u32; 2]>,
    pub preds: SmallVec<[u32; 2]>,
    pub order: u32,
    pub parent: u32,
    pub depth: u32,
    pub follow: bool,
    pub follows: SmallVec<[u32; 2]>,
}

impl SBlock {
    /// Whether control can reach the block.
    pub fn is_reached(&self) -> bool {
        self.order != NONE
    }
}

/// An access to a variable that may become a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalAccess {
    pub block: u32,
    /// The variable.
    pub id: u32,
    pub is_store: bool,
}

/// Variables that are only loaded and stored whole.
#[derive(Debug, Default)]
pub(crate) struct LocalUses {
    /// Ids and types. Those with another use lack [`flag::LOCAL`] in the end.
    pub variables: Vec<(u32, TyIx)>,
    /// In the order of the module.
    pub accesses: Vec<LocalAccess>,
    /// Whether a parameter points to such a variable, as far as is known.
    pub has_parameters: bool,
}

/// A region that edges can lead out of.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// For loops the header, else the block that follows.
    pub target: u32,
    /// Whether it is the body of a loop of the source.
    pub is_loop: bool,
    /// Whether it becomes a loop of the IR.
    pub ir_loop: bool,
    /// Contexts that jumps lead to across this one.
    pub crossed: SmallVec<[u32; 2]>,
    pub parent: u32,
    /// For a case that falls through: the next case, which leads to the end of this context too.
    pub falls_to: u32,
    /// The case that this context is the body of.
    pub case: u32,
}

/// A case of a switch with fall-through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    /// The block that ends in the switch.
    pub block: u32,
    pub target: u32,
    /// Literals, as a range of groups. Those of the default case are all that it does not match.
    pub groups: (u32, u32),
    pub is_default: bool,
    /// Whether the case before falls through to this one.
    pub fallen_into: bool,
    /// Whether it falls through.
    pub falls: bool,
    /// The merge block of the switch.
    pub merge: u32,
}

/// A step of the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// The instructions of a block.
    Block(u32),
    /// `if` on the condition at the end of a block.
    If(u32),
    /// `if` on the selector of the switch at the end of a block being in a range of groups.
    IfCases(u32, u32, u32),
    /// `if` on a case of a switch with fall-through, whose selector is at the end of the first block.
    IfCase(u32, u32),
    /// A case falls through to the next one.
    Fall(u32),
    Else,
    EndIf,
    Enter(u32),
    Leave(u32),
    /// Jump to the end of a context, by leaving or continuing the loop of a second one.
    Goto(u32, u32),
    /// The effect of the block's last instruction: return, discard and so on. Nothing else follows in the
    /// function if the flag is set.
    Exit(u32, bool),
}

/// Cases of a switch with the same target.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub target: u32,
    pub literals: SmallVec<[u64; 2]>,
}

/// The plan of a function.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub blocks: Vec<SBlock>,
    pub contexts: Vec<Context>,
    pub steps: Vec<Step>,
    pub groups: Vec<Group>,
    /// Cases of switches with fall-through.
    pub cases: Vec<Case>,
    pub locals: LocalUses,
    /// Ids of the types of the parameters and their own.
    pub parameters: SmallVec<[(u32, u32); 4]>,
    /// The first block as in [`Def::Label`](super::Def::Label).
    pub labels: u32,
    /// Whether the function returns at its end and nowhere else.
    pub has_one_return: bool,
}

impl Plan {
    /// Makes the plan empty, with the memory that it has.
    pub fn clear(&mut self) {
        let Plan { blocks, contexts, steps, groups, cases, locals, parameters, labels, has_one_return } =
            self;
        let LocalUses { variables, accesses, has_parameters } = locals;
        blocks.clear();
        contexts.clear();
        steps.clear();
        groups.clear();
        cases.clear();
        variables.clear();
        accesses.clear();
        parameters.clear();
        (*labels, *has_one_return, *has_parameters) = (0, false, false);
    }
}

/// The plan of a function of the module.
#[derive(Clone, Debug, Default)]
pub(crate) enum Planned {
    #[default]
    Todo,
    /// The plan is being computed.
    Started,
    Done(Rc<Plan>),
    Failed(Box<Diagnostic>),
}
