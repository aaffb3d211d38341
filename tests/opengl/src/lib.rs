//! Compiles, queries and executes programs on an OpenGL driver: another front end, linker and executor to compare with.
//!
//! * `context.rs`: contexts without a window. `program.rs`: shaders, programs, their status and logs. `assembly.rs`: assembly programs.
//! * `query.rs`: program-interface queries.
//! * `image.rs`: framebuffers whose pixels are read back. `buffer.rs`: buffers. `draw.rs`: draws and dispatches.
//! * `state.rs`: state of draws.
//!
//! # Unsafe code
//!
//! All functions of OpenGL are unsafe. Their common requirements hold by construction: a [`Context`] is current on its thread
//! while it exists (it is neither `Send` nor `Sync`, and a thread opens one at a time), functions of the requested version exist,
//! objects come from the same context, and pointers refer to data that outlives the call and has the length that is passed.

mod assembly;
mod buffer;
mod context;
mod draw;
mod error;
mod image;
mod program;
mod query;
mod state;

/// Functions and constants of OpenGL 4.6.
#[allow(missing_docs, unused_qualifications, unsafe_op_in_unsafe_fn)]
#[allow(clippy::all, clippy::undocumented_unsafe_blocks)]
pub mod gl {
    include!(concat!(env!("OUT_DIR"), "/gl.rs"));
}

pub use assembly::Assembly;
pub use buffer::Buffer;
pub use context::{Api, Context};
pub use draw::{Attribute, Input};
pub use error::Error;
pub use image::{Framebuffer, Kind};
pub use program::{Program, Shader};
