//! Transform feedback of tessellation and geometry stages: the counters, and the kernel between the two of a geometry shader.

use crate::budget::Budget;
use crate::device::Device;
use crate::link_options::LinkOptions;
use crate::log::Log;
use crate::program::Program;
use airfoil::ir::Stage;
use airfoil::passes::gl::lower_xfb::STREAMS;
use airfoil::passes::stages::geometry_to_capture::{COUNTERS_BINDING, COUNTS_BINDING};
use airfoil::passes::stages::stage_buffer::SET;
use std::sync::Arc;

/// The contents of the storage buffer `xfb_counters`: primitives of each vertex stream. A driver has one per transform feedback
/// object. `glBeginTransformFeedback` writes the limits and zeros; without transform feedback, limits of zero count generated
/// primitives only. Counters wrap around.
///
/// ```
/// use airfoil_gl::CaptureCounters;
///
/// let counters = CaptureCounters { limit: [8, 0, 0, 0], ..CaptureCounters::default() };
/// assert_eq!(counters.words()[..5], [8, 0, 0, 0, 0]);
/// assert_eq!(CaptureCounters::from_words(&counters.words()), counters);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CaptureCounters {
    /// Primitives that fit into all buffers of a stream: [`Program::capture_limits`].
    pub limit: [u32; 4],
    /// Primitives that were written since the limits were set. The difference between the end and the start of a query is the result
    /// of `GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN`.
    pub written: [u32; 4],
    /// Primitives that were emitted: differences are the results of `GL_PRIMITIVES_GENERATED`. A stream overflowed
    /// (`GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW`) if its differences are not equal.
    pub generated: [u32; 4],
    /// Primitives that were written before the last draw.
    pub first: [u32; 4],
    /// Vertices that were written: the count of `glDrawTransformFeedbackStream`.
    pub vertices: [u32; 4],
}

impl CaptureCounters {
    /// Descriptor set of the buffer.
    pub const SET: u32 = SET;
    /// Binding of the buffer.
    pub const BINDING: u32 = COUNTERS_BINDING;
    /// Binding of the buffer `xfb_counts`: four words per invocation, primitives of each stream.
    pub const COUNTS_BINDING: u32 = COUNTS_BINDING;
    /// Size of the buffer in bytes.
    pub const BYTES: usize = size_of::<CaptureCounters>();

    /// The words of the buffer in order.
    pub fn words(&self) -> [u32; CaptureCounters::BYTES / 4] {
        let mut words = [0; CaptureCounters::BYTES / 4];
        let groups = [self.limit, self.written, self.generated, self.first, self.vertices];
        words.chunks_exact_mut(4).zip(groups).for_each(|(to, from)| to.copy_from_slice(&from));
        words
    }

    /// The counters of a buffer with these words.
    pub fn from_words(words: &[u32; CaptureCounters::BYTES / 4]) -> CaptureCounters {
        let group = |n: usize| [words[4 * n], words[4 * n + 1], words[4 * n + 2], words[4 * n + 3]];
        CaptureCounters {
            limit: group(0),
            written: group(1),
            generated: group(2),
            first: group(3),
            vertices: group(4),
        }
    }
}

impl Program {
    /// Vertices of the primitives that transform feedback captures: 1, 2 or 3. `None` for programs without tessellation and
    /// geometry shaders, whose primitives are those of the draw.
    pub fn captured_vertices(&self) -> Option<u32> {
        self.facts().captured_vertices
    }

    /// The primitives of each vertex stream that fit into all its buffers, from the bytes that are bound of each buffer: `limit` of
    /// [`CaptureCounters`]. `vertices` is the count of vertices of a primitive ([`Program::captured_vertices`]). Zero for streams
    /// that are not captured.
    pub fn capture_limits(&self, bytes: [u64; 4], vertices: u32) -> [u32; 4] {
        let feedback = &self.reflection().transform_feedback;
        let mut limits = [None; STREAMS as usize];
        for buffer in &feedback.buffers {
            let stream = feedback.varyings.iter().find(|v| v.buffer == buffer.buffer).map_or(0, |v| v.stream);
            let size = u64::from(buffer.stride) * u64::from(vertices);
            let bound = bytes.get(buffer.buffer as usize).copied().unwrap_or(0);
            let fits = bound.checked_div(size).map_or(u32::MAX, |n| u32::try_from(n).unwrap_or(u32::MAX));
            let limit: &mut Option<u32> = &mut limits[stream as usize % 4];
            *limit = Some(limit.map_or(fits, |other| other.min(fits)));
        }
        limits.map(Option::unwrap_or_default)
    }
}

impl Device {
    /// The kernel that runs between the [steps](crate::CaptureStep) `Count` and `Write` of a geometry shader, and before `Write` of an
    /// evaluation shader, as a program with a compute shader. It replaces the counts by their exclusive prefix sums and updates the
    /// counters. It is dispatched as one threadgroup, with the storage buffers `Counts` (binding 0: `xfb_counts`), `Counters`
    /// (binding 1: `xfb_counters`) and the uniform block `Sums` (binding 0) of two words: the count of records, and
    /// [`Program::captured_vertices`].
    ///
    /// # Errors
    /// An exceeded bound, or limits of the device that exclude compute shaders.
    pub fn capture_sums(&self, budget: &Budget) -> Result<Arc<Program>, Log> {
        let object =
            self.compile_within("capture sums", Stage::Compute, &[include_str!("capture_sums.comp")], budget);
        self.link_within(&[&object], &LinkOptions::default(), budget)
    }
}
