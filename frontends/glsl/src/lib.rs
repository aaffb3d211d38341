//! The GLSL front end: GLSL 1.10 to 4.60 and ES 1.00 to 3.20, six stages, to the IR.
//!
//! ```text
//! source strings --preprocess--> tokens --parse--> syntax tree --check--> typed tree (`hir::Unit`)
//! units of all stages --link--> locations, bindings, offsets, reflection --lower--> `airfoil_ir::Shader`
//! ```

pub mod basic_types;
pub mod builtin;
pub mod check;
pub mod compile;
pub mod deep;
pub mod diagnostics;
pub mod extension;
pub mod hir;
pub mod limits;
pub mod link;
pub mod lower;
pub mod operators;
pub mod parse;
pub mod preprocess;
pub mod program;
pub mod shapes;
pub mod source;
pub mod syntax;
pub mod token;
pub mod types;
pub mod version;

pub use compile::{Compiled, Options, compile};
pub use program::{Program, ProgramOptions, Source, build, link};
