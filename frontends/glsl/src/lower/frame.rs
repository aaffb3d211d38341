//! Constructs of control flow that are being lowered.

use crate::hir::ExprId;
use airfoil_ir::{CfId, VarId};
use smallvec::SmallVec;

/// Where a jump leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// After the construct of this frame.
    Break(usize),
    /// To the next turn of the loop of this frame.
    Continue(usize),
}

/// A construct around the current position.
#[derive(Debug)]
pub struct Frame {
    /// Which.
    pub kind: FrameKind,
    /// The loop of the IR that it is; `None` for a switch without jumps out of its middle.
    pub cf: Option<CfId>,
    /// Something jumps to its end.
    pub broken: bool,
    /// Jumps across it, and their flags.
    pub(super) crossed: SmallVec<[(Aim, VarId); 1]>,
}

/// The constructs.
#[derive(Clone, Copy, Debug)]
pub enum FrameKind {
    /// A loop of the source.
    Loop {
        /// Whether the frame inside is its body as a loop that runs once.
        wrapped: bool,
        /// Third part of `for`.
        step: Option<ExprId>,
        /// Test of `do`.
        test: Option<ExprId>,
    },
    /// The body of a loop, run once.
    Body,
    /// A switch.
    Switch,
}
