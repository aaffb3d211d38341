//! Outputs that transform feedback captures.

use airfoil_ir::Slot;

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
