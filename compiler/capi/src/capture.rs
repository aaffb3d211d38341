//! Transform feedback of tessellation and geometry stages.

use crate::budget::{AfBudget, budget};
use crate::call::{call, exceeds, with_stack};
use crate::device::AfDevice;
use crate::handle::get;
use crate::input::{array, write};
use crate::make::make;
use crate::memory::Callbacks;
use crate::program::AfProgram;
use crate::types::AfResult;

/// The contents of the storage buffer "xfb_counters" (set 65535, binding 25): primitives of each vertex stream. One buffer per transform
/// feedback object; glBeginTransformFeedback writes the limits and zeros. Counters wrap around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct AfCaptureCounters {
    /// Primitives that fit into all buffers of a stream: af_program_capture_counters.
    pub limit: [u32; 4],
    /// Primitives that were written since the limits were set (GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN).
    pub written: [u32; 4],
    /// Primitives that were emitted (GL_PRIMITIVES_GENERATED). A stream overflowed if the two do not grow by the same number.
    pub generated: [u32; 4],
    /// Primitives that were written before the last draw.
    pub first: [u32; 4],
    /// Vertices that were written (glDrawTransformFeedbackStream).
    pub vertices: [u32; 4],
}

/// Makes the kernel between the steps of transform feedback, as a program with a compute shader: it replaces the counts of primitives by
/// their exclusive prefix sums and updates the counters. It is dispatched as one threadgroup, with the storage buffers "Counts" (binding 0:
/// "xfb_counts"), "Counters" (binding 1: "xfb_counters") and the uniform block "Sums" (binding 0) of two words: the count of records,
/// and the vertices of a primitive. `bounds` may be NULL.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_capture_sums(
    device: *const AfDevice,
    bounds: *const AfBudget,
    program: *mut *mut AfProgram,
) -> AfResult {
    let work = |device: &AfDevice| {
        // SAFETY: the caller passes a structure that begins with its size, or NULL.
        let bounds = unsafe { budget(bounds) }?;
        let linked = with_stack(|| device.device.capture_sums(&bounds))?;
        if linked.as_ref().is_err_and(|log| exceeds(log.diagnostics())) {
            return Err(AfResult::AF_ERROR_BUDGET);
        }
        AfProgram::create(linked, device.callbacks())
    };
    // SAFETY: the caller has a count, or passes NULL, and passes a pointer to write to, or NULL.
    unsafe { make(device, program, work) }
}

/// The counters of glBeginTransformFeedback, with the limits for the bytes that are bound of buffers 0 to 3, and the vertices of a
/// primitive. Only for programs with tessellation or geometry shaders.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_capture_counters(
    program: *const AfProgram,
    bytes: *const u64,
    counters: *mut AfCaptureCounters,
    vertices: *mut u32,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL.
        let program = unsafe { get(program)? }.linked()?;
        // SAFETY: the caller passes four sizes.
        let &[a, b, c, d] = unsafe { array(bytes, 4) }? else {
            return Err(AfResult::AF_ERROR_INVALID_ARGUMENT);
        };
        let count = with_stack(|| program.captured_vertices())?;
        let count = count.ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)?;
        let limit = with_stack(|| program.capture_limits([a, b, c, d], count))?;
        // SAFETY: the caller passes pointers to write to, or NULL.
        unsafe {
            write(counters, AfCaptureCounters { limit, ..AfCaptureCounters::default() })?;
            write(vertices, count)
        }
    })
}
