//! Options of linking.

use crate::limits::Limits;
use airfoil_ir::{DepthMode, Stop};
use serde::{Deserialize, Serialize};

/// How outputs are captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum XfbMode {
    /// All into one buffer, except after `gl_NextBuffer`.
    #[default]
    Interleaved,
    /// Each into a buffer of its own.
    Separate,
}

/// The outputs that transform feedback captures (`glTransformFeedbackVaryings`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransformFeedback {
    /// Names of outputs, and `gl_SkipComponents1` to `4` and `gl_NextBuffer`.
    pub varyings: Vec<String>,
    /// Assignment to buffers.
    pub mode: XfbMode,
}

/// Options of linking, as set by the application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkOptions {
    /// The program is separable: its first inputs and last outputs belong to interfaces that are unknown at link time.
    pub separable: bool,
    /// Resource limits.
    pub limits: Limits,
    /// Locations of attributes (`glBindAttribLocation`).
    pub attribute_bindings: Vec<(String, u32)>,
    /// Location and blend source of fragment outputs (`glBindFragDataLocationIndexed`).
    pub frag_data_bindings: Vec<(String, u32, u32)>,
    /// Captures of transform feedback.
    pub transform_feedback: TransformFeedback,
    /// Uniform-buffer binding of the default uniform block; `None` = one past the largest of the program.
    pub default_block_binding: Option<u32>,
    /// A vertex shader of ES needs no fragment shader.
    pub allow_missing_fragment: bool,
    /// `DEPTH_TEXTURE_MODE` of the textures that the program is used with.
    pub depth_mode: DepthMode,
    /// Whether the shaders are lowered without simplification: see [`Builder::raw`](airfoil_ir::Builder::raw).
    pub raw: bool,
    /// Whether all locals stay variables and calls stay calls; otherwise scalars, vectors and matrices become values while the shaders
    /// are lowered, and functions are inlined within a budget. Debug information requires it, and `raw` implies it.
    pub keep_locals: bool,
    /// Stops the link.
    pub stop: Stop,
}
