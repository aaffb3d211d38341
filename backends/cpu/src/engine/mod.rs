//! Functions of a library, compiled through LLVM and executed.
//!
//! * `compile.rs`: from bytes to code; `access.rs`: loads and stores ask first. `bind.rs`: resources at Metal indices become pointers and handles. `run.rs`: groups of
//!   invocations.
//! * `kernel.rs`: dispatches. `stages.rs`: vertices and quads of fragments with the values of slots. `tessellation.rs`:
//!   stages that are connected by buffers.
//! * `mesh.rs`: object and mesh functions. `geometry.rs`: geometry shaders, which become mesh functions.
//! * `program.rs`: a shader of the IR, compiled to a library and executed from it.

mod access;
mod bind;
mod compile;
mod geometry;
mod kernel;
mod mesh;
mod program;
mod run;
mod stages;
mod tessellation;

pub use bind::Bindings;
pub use compile::{Constants, Function, function_names};
pub use kernel::Launch;
pub use program::Program;
pub(crate) use program::default_options;
pub use run::{Inputs, Invocation};
