//! Constants, results and text.

use std::ffi::{c_char, c_void};

/// Version of the interface: the major number in the upper 16 bits, the minor one in the lower. Minor versions add.
pub const AF_VERSION: u32 = 1;

/// Result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types, reason = "the names are those of C")]
pub enum AfResult {
    /// Success.
    AF_SUCCESS = 0,
    /// The array of the caller is too short: it has the first elements, and the length that is required was returned.
    AF_INCOMPLETE = 1,
    /// NULL, an unknown constant, a size that is not one of the structure, or text that is not UTF-8.
    AF_ERROR_INVALID_ARGUMENT = -1,
    /// The allocator returned NULL, or the system gives no stack.
    AF_ERROR_OUT_OF_MEMORY = -2,
    /// The shaders are wrong, or unsupported on the target.
    AF_ERROR_COMPILE = -3,
    /// A bound of the budget was exceeded, or the compile was cancelled.
    AF_ERROR_BUDGET = -4,
    /// The bytes are not a stored program.
    AF_ERROR_DAMAGED = -5,
    /// The program was stored by another version or a device with other options.
    AF_ERROR_VERSION = -6,
    /// GL_INVALID_ENUM of a query: not an interface or property.
    AF_ERROR_GL_ENUM = -7,
    /// GL_INVALID_VALUE: the interface of a query does not have a resource of this index, or the module of a specialization does not
    /// have the entry point or a constant.
    AF_ERROR_GL_VALUE = -8,
    /// GL_INVALID_OPERATION of a query: the interface does not have this property.
    AF_ERROR_GL_OPERATION = -9,
    /// A bug of the library; the log callback gets the message.
    AF_ERROR_INTERNAL = -10,
}

/// A stage of the pipeline.
pub type AfStage = u32;
/// Vertex shader.
pub const AF_STAGE_VERTEX: AfStage = 0;
/// Tessellation control shader.
pub const AF_STAGE_TESS_CONTROL: AfStage = 1;
/// Tessellation evaluation shader.
pub const AF_STAGE_TESS_EVALUATION: AfStage = 2;
/// Geometry shader.
pub const AF_STAGE_GEOMETRY: AfStage = 3;
/// Fragment shader.
pub const AF_STAGE_FRAGMENT: AfStage = 4;
/// Compute shader.
pub const AF_STAGE_COMPUTE: AfStage = 5;

/// Optimization level.
pub type AfLevel = u32;
/// The default: AF_LEVEL_FULL.
pub const AF_LEVEL_DEFAULT: AfLevel = 0;
/// Only the lowering that the target requires.
pub const AF_LEVEL_NONE: AfLevel = 1;
/// All passes.
pub const AF_LEVEL_FULL: AfLevel = 2;

/// Float arithmetic.
pub type AfMath = u32;
/// The default: AF_MATH_RELAXED.
pub const AF_MATH_DEFAULT: AfMath = 0;
/// As written.
pub const AF_MATH_PRECISE: AfMath = 1;
/// The freedom that OpenGL and Vulkan give.
pub const AF_MATH_RELAXED: AfMath = 2;
/// The default of Apple's compiler: also reassociation, and no NaNs and infinities.
pub const AF_MATH_FAST: AfMath = 3;

/// How the resources of a program get their Metal indices.
pub type AfBindingPolicy = u32;
/// Each resource has an index of its own.
pub const AF_BINDING_DIRECT: AfBindingPolicy = 0;
/// All resources of a stage are in one argument buffer. Functions that depend on sizes of storage blocks have a buffer of them.
pub const AF_BINDING_TABLE: AfBindingPolicy = 1;
/// The uniform blocks of a stage are in one argument buffer.
pub const AF_BINDING_UNIFORM_TABLE: AfBindingPolicy = 2;

/// Mask of deviations from the default code.
pub type AfWorkarounds = u32;
/// Out-of-bounds reads return zero, out-of-bounds writes are dropped.
pub const AF_WORKAROUND_ROBUST: AfWorkarounds = 1;
/// All 1D textures are 2D, so that they can have mipmaps.
pub const AF_WORKAROUND_FLAT_1D_TEXTURES: AfWorkarounds = 2;
/// GLSL ES 1.00 is limited to its appendix A.
pub const AF_WORKAROUND_ENFORCE_ES100_LIMITS: AfWorkarounds = 4;
/// Storage buffers that are not `restrict` never overlap either.
pub const AF_WORKAROUND_ASSUME_NO_ALIAS: AfWorkarounds = 8;

/// Severity of a message.
pub type AfSeverity = u32;
/// An error.
pub const AF_SEVERITY_ERROR: AfSeverity = 0;
/// A warning.
pub const AF_SEVERITY_WARNING: AfSeverity = 1;

/// Text in UTF-8 that ends in a NUL.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfText {
    /// The text; never NULL.
    pub data: *const c_char,
    /// Bytes without the NUL.
    pub length: usize,
}

/// Bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfBytes {
    /// The bytes.
    pub data: *const c_void,
    /// How many there are.
    pub length: usize,
}

impl AfBytes {
    pub(crate) fn of(bytes: &[u8]) -> AfBytes {
        AfBytes { data: bytes.as_ptr().cast(), length: bytes.len() }
    }
}

/// Text that is kept with its NUL.
#[derive(Clone, Debug)]
pub(crate) struct Text(Vec<u8>);

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend(text.as_bytes());
        bytes.push(0);
        Text(bytes)
    }
}

impl Text {
    pub(crate) fn get(&self) -> AfText {
        AfText { data: self.0.as_ptr().cast(), length: self.0.len() - 1 }
    }
}

impl AfText {
    pub(crate) fn empty() -> AfText {
        AfText { data: c"".as_ptr(), length: 0 }
    }
}

/// The version of the interface that the library has: AF_VERSION when it was compiled.
#[unsafe(no_mangle)]
pub extern "C" fn af_version() -> u32 {
    AF_VERSION
}

/// The version of the compiler, as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn af_version_text() -> AfText {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    AfText { data: VERSION.as_ptr().cast(), length: VERSION.len() - 1 }
}
