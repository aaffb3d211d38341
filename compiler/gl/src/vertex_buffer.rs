//! The block of vertex attributes that functions read from buffers.

use crate::state::VertexFormat;
use airfoil::passes::stages::stage_buffer::SET;
use airfoil::passes::util::driver_values::VERTEX_BUFFERS;

/// Where an attribute is in memory. Functions of keys with [`pulled`](crate::StateKey::pulled) attributes read the uniform block
/// `vertex_buffers`, an array of 32 of these by location. The driver makes the buffers resident (`useResource:`).
///
/// ```
/// use airfoil_gl::{FormatKind, VertexBuffer, VertexFormat};
///
/// // `glVertexAttribFormat(0, 3, GL_BYTE, GL_TRUE, 0)` with a stride of 5 bytes in a buffer of 23.
/// let format = VertexFormat { kind: FormatKind::Snorm8, components: 3 };
/// let buffer = VertexBuffer::new(0x1_0000, 23, 5, format);
/// assert_eq!(buffer.count, 5, "the last element ends with the buffer");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct VertexBuffer {
    /// Address of the first element: that of the buffer (`gpuAddress`), plus the offsets of its binding and of the attribute.
    pub address: u64,
    /// Elements that are in the buffer. Robust devices ([`Workarounds::robust`](crate::Workarounds::robust)) read zeros beyond
    /// them.
    pub count: u32,
    /// Bytes from an element to the next one.
    pub stride: u32,
    /// Instances that read one element, not zero; for attributes that advance by instance.
    pub divisor: u32,
    /// Zero.
    pub reserved: [u32; 3],
}

impl VertexBuffer {
    /// Descriptor set of the block.
    pub const SET: u32 = SET;
    /// Binding of the block.
    pub const BINDING: u32 = VERTEX_BUFFERS.binding;
    /// Size of the block in bytes.
    pub const BYTES: usize = 32 * size_of::<VertexBuffer>();

    /// An attribute that advances by vertex, or by each instance, with `bytes` bytes from the first element to the end of the
    /// buffer.
    pub fn new(address: u64, bytes: u64, stride: u32, format: VertexFormat) -> VertexBuffer {
        let count = match bytes.checked_sub(format.bytes().into()) {
            None => 0,
            Some(rest) => rest.checked_div(stride.into()).map_or(u32::MAX, |n| {
                // An element at each multiple of the stride, and one at zero.
                u32::try_from(n + 1).unwrap_or(u32::MAX)
            }),
        };
        VertexBuffer { address, count, stride, divisor: 1, reserved: [0; 3] }
    }

    /// The words of the record in order.
    pub fn words(&self) -> [u32; 8] {
        let (low, high) = (self.address as u32, (self.address >> 32) as u32);
        let [a, b, c] = self.reserved;
        [low, high, self.count, self.stride, self.divisor, a, b, c]
    }
}
