//! The result of a compile.

use airfoil_air::select::Reflection;
use airfoil_glsl::link::Reflection as ProgramReflection;
use airfoil_ir::{Diagnostic, Stage};
use std::sync::Arc;

/// A library and the description of its functions, whatever the source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The library, for `newLibraryWithData:`.
    pub metallib: Vec<u8>,
    /// Its functions, in order of the pipeline.
    pub functions: Vec<Function>,
    /// The answers to `glGetActiveUniform` and the program-interface queries; GLSL programs have them.
    pub program: Option<Arc<ProgramReflection>>,
    /// Warnings about the source.
    pub warnings: Vec<Diagnostic>,
}

impl Output {
    /// The function that a stage of the source was compiled to.
    pub fn function(&self, stage: Stage) -> Option<&Function> {
        self.functions.iter().find(|f| f.stage == stage)
    }
}

/// A function of a library.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Function {
    /// Name, for `newFunctionWithName:`.
    pub name: String,
    /// Stage of the source. The kind of Metal function is [`Reflection::stage`].
    pub stage: Stage,
    /// Metal index of each resource, inputs and outputs.
    pub reflection: Reflection,
}
