//! Declarations of an entry point that the IR does not have: outputs that transform feedback captures, locations of uniforms,
//! atomic counters.

use airfoil_ir::{Slot, VarId};

/// The declarations of an entry point that the IR does not have.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// The outputs that transform feedback captures, slot by slot. Empty without the execution mode `Xfb`.
    pub captures: Vec<XfbOutput>,
    /// The same by variable. An array of blocks is one variable, with an entry for each member of each element.
    pub feedback: Vec<(VarId, Feedback)>,
    /// `Location` of the variables of the storage class `UniformConstant`.
    pub uniform_locations: Vec<(VarId, u32)>,
    /// The variables of the storage class `AtomicCounter`: `uint`, or arrays of it, in the IR's mode `ssbo`.
    pub counters: Vec<VarId>,
}

/// The decorations `XfbBuffer`, `XfbStride` and `Offset` of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Index of the buffer.
    pub buffer: u32,
    /// Bytes of a vertex in the buffer; another output of the buffer may have it.
    pub stride: Option<u32>,
    /// Bytes from the start of the vertex.
    pub offset: u32,
    /// The part of an array of blocks; `None` for the whole variable.
    pub part: Option<BlockPart>,
}

/// A member of one element of an array of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPart {
    /// The element, in order of memory.
    pub element: u32,
    /// Index of the member.
    pub member: u32,
}

/// Consecutive components of a slot that are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XfbOutput {
    /// Index of the buffer.
    pub buffer: u32,
    /// Bytes of a vertex in the buffer.
    pub stride: u32,
    /// Bytes from the start of the vertex.
    pub offset: u32,
    /// The slot.
    pub slot: Slot,
    /// First component of 32 bits.
    pub component: u32,
    /// Components.
    pub components: u32,
}

/// The decorations of an output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct XfbDeco {
    pub buffer: Option<u32>,
    pub stride: Option<u32>,
    pub offset: Option<u32>,
}
