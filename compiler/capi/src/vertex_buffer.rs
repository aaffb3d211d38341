//! The block of vertex attributes that functions read from buffers.

use crate::call::call;
use crate::input::write;
use crate::memory::Callbacks;
use crate::state::AfVertexFormat;
use crate::types::AfResult;
use airfoil_gl::VertexBuffer;

/// Where a vertex attribute is in memory. Functions of keys with `pulled` attributes read the uniform block "vertex_buffers" (set
/// AF_DRIVER_SET, binding 26), an array of 32 of these by location. The driver makes the buffers resident.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct AfVertexBuffer {
    /// Address of the first element: gpuAddress of the buffer, plus the offsets of its binding and of the attribute.
    pub address: u64,
    /// Elements that are in the buffer. Robust devices read zeros beyond them.
    pub count: u32,
    /// Bytes from an element to the next one.
    pub stride: u32,
    /// Instances that read one element, not zero; for attributes that advance by instance.
    pub divisor: u32,
    /// Zero.
    pub reserved: [u32; 3],
}

/// The record of an attribute that advances by vertex, or by each instance, with `bytes` bytes from the first element at
/// `address` to the end of the buffer.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_vertex_buffer(
    address: u64,
    bytes: u64,
    stride: u32,
    format: AfVertexFormat,
    buffer: *mut AfVertexBuffer,
) -> AfResult {
    call(Callbacks::NONE, || {
        let VertexBuffer { address, count, stride, divisor, reserved } =
            VertexBuffer::new(address, bytes, stride, format.format()?);
        // SAFETY: the caller passes a pointer to write to.
        unsafe { write(buffer, AfVertexBuffer { address, count, stride, divisor, reserved }) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::AF_VERTEX_FORMAT_HALF;

    #[test]
    fn records_are_those_of_the_library() {
        assert_eq!(size_of::<AfVertexBuffer>(), size_of::<VertexBuffer>());
        let mut buffer = AfVertexBuffer::default();
        let mut make = |kind, components, bytes| {
            // SAFETY: the record lives.
            unsafe { af_vertex_buffer(1 << 40, bytes, 7, AfVertexFormat { kind, components }, &mut buffer) }
        };
        assert_eq!(make(AF_VERTEX_FORMAT_HALF, 3, 5), AfResult::AF_SUCCESS);
        assert_eq!(make(24, 3, 5), AfResult::AF_ERROR_INVALID_ARGUMENT);
        assert_eq!(make(AF_VERTEX_FORMAT_HALF, 5, 5), AfResult::AF_ERROR_INVALID_ARGUMENT);
        assert_eq!((buffer.address, buffer.count), (1 << 40, 0), "six bytes do not fit");
        assert_eq!((buffer.stride, buffer.divisor), (7, 1));
    }
}
