//! State that linking depends on.

use airfoil::glsl::link::TransformFeedback;
use serde::{Deserialize, Serialize};

/// State of a program object that linking depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkOptions {
    /// `GL_PROGRAM_SEPARABLE`.
    pub separable: bool,
    /// Locations of attributes (`glBindAttribLocation`).
    pub attribute_bindings: Vec<(String, u32)>,
    /// Location and blend source of fragment outputs (`glBindFragDataLocationIndexed`).
    pub frag_data_bindings: Vec<(String, u32, u32)>,
    /// Captures (`glTransformFeedbackVaryings`).
    pub transform_feedback: TransformFeedback,
}
