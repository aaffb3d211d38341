//! Options of the preprocessor, and the pragmas that it collects.

use crate::source::Span;
use crate::version::Version;
use airfoil_ir::{Stage, Stop};

/// How a shader is preprocessed.
#[derive(Clone, Debug)]
pub struct PreprocessOptions {
    /// Version of a shader without `#version`; GLSL 1.10 if `None`.
    pub default_version: Option<Version>,
    /// Version that overrides `#version`.
    pub force_version: Option<Version>,
    /// Stage, for rules that depend on it.
    pub stage: Option<Stage>,
    /// GLSL for Vulkan (`GL_KHR_vulkan_glsl`).
    pub vulkan: bool,
    /// `#extension` may follow tokens of the shader, as in some drivers; always so for Vulkan.
    pub late_extensions: bool,
    /// Macros that are defined at the start: name and body.
    pub defines: Vec<(String, String)>,
    /// Most bytes of source.
    pub max_bytes: usize,
    /// Most tokens of the result.
    pub max_tokens: usize,
    /// Most tokens that macros may produce, intermediate copies included.
    pub max_work: usize,
    /// Deepest nesting of macro arguments.
    pub max_macro_depth: u32,
    /// Deepest nesting of expressions in directives.
    pub max_nesting: u32,
    /// Stops the step.
    pub stop: Stop,
}

impl Default for PreprocessOptions {
    fn default() -> Self {
        PreprocessOptions {
            default_version: None,
            force_version: None,
            stage: None,
            vulkan: false,
            late_extensions: false,
            defines: Vec::new(),
            max_bytes: 64 << 20,
            max_tokens: 2 << 20,
            max_work: 4 << 20,
            max_macro_depth: 100,
            max_nesting: 200,
            stop: Stop::default(),
        }
    }
}

/// Settings of `#pragma` directives.
#[derive(Clone, Debug, Default)]
pub struct Pragmas {
    /// `#pragma STDGL invariant(all)`.
    pub invariant_all: bool,
    /// `#pragma optimize(on)` or `(off)`; the last one holds.
    pub optimize: Option<bool>,
    /// `#pragma debug(on)` or `(off)`; the last one holds.
    pub debug: Option<bool>,
    /// All others, with their text.
    pub other: Vec<(Span, String)>,
}
