//! Control flow that is open: the stack of constructs and calls, and the reasons to pause.

/// A construct or call that has not ended, with masks of the lanes that wait for its end.
#[derive(Debug)]
pub(crate) enum Frame {
    If { els: u64, joined: u64 },
    Loop { broke: u64, continued: u64 },
    Call { function: usize, pc: usize, op: usize, returned: u64 },
}

/// Why execution stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// All lanes have ended.
    Done,
    /// At a barrier: function and instruction.
    Barrier(usize, usize),
    /// The slice of steps is used up; other subgroups may run.
    Slice,
}

/// How a block is left.
pub(crate) enum Leave {
    End,
    Jump(airfoil_ir::Jump),
    Call(usize),
    Barrier(usize),
}
