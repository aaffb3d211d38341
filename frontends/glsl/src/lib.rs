//! The GLSL front end: GLSL 1.10 to 4.60 and ES 1.00 to 3.20, six stages, to the IR.
//!
//! ```text
//! source strings --preprocess--> tokens --parse--> syntax tree --check--> typed tree (`hir::Unit`)
//! units of all stages --link--> locations, bindings, offsets, reflection --lower--> `airfoil_ir::Shader`
//! ```
//!
//! [`build`] does it all. [`compile`] and [`link`](fn@link) are its two halves, as in OpenGL: `glCompileShader` and `glLinkProgram`.

mod basic_types;
mod builtin;
mod check;
mod compile;
mod deep;
mod diagnostics;
pub mod extension;
mod hir;
mod ids;
pub mod imported;
pub mod limits;
pub mod link;
mod lower;
mod operators;
mod parse;
mod preprocess;
mod program;
mod qualifiers;
mod shapes;
mod source;
mod syntax;
mod token;
mod types;
pub mod version;

pub use airfoil_ir::DepthMode;
pub use compile::{Compiled, Options, compile};
pub use diagnostics::info_log;
pub use hir::Unit;
pub use program::{
    PipelinePart, Program, ProgramOptions, Source, SpecConstant, build, entry_name, link, link_pipeline,
    spec_constants,
};
pub use types::Base;

/// The phases one by one and the tables of the language, for the benchmarks and fuzz targets of this repository. Not a stable
/// interface.
#[doc(hidden)]
pub mod internals {
    pub use crate::basic_types::BASIC_TYPES;
    pub use crate::builtin::{BuiltinVar, function};
    pub use crate::check::{Source as CheckSource, check};
    pub use crate::lower::{LowerOptions, lower};
    pub use crate::parse::parse;
    pub use crate::preprocess::{PreprocessOptions, preprocess};
    pub use crate::token::Tok;
}
