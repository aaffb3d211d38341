//! `libairfoil`: the C interface of Airfoil.
//!
//! `include/airfoil.h` is generated from the declarations of this crate. `docs/c.md` is the guide for its users; this is for its
//! authors.
//!
//! * `types.rs`: constants, results, plain structures. `sized.rs`: structures that begin with their size. `input.rs`: arguments.
//! * `handle.rs`: counted handles, `memory.rs`: memory by the callbacks of the caller.
//! * `call.rs`: the frame of every entry point: panics become results, and deep recursion has a stack.
//! * The others: the functions, by handle.
//!
//! Unsafe code is confined to what C requires: reading pointers of the caller, and the lifetime of handles. A function does all
//! of that first, calls safe code of [`airfoil_gl`] and [`airfoil`], and writes results last.

mod assembly;
mod blob;
mod budget;
mod call;
mod capture;
mod compile;
mod device;
mod external;
mod fixed;
mod function;
mod handle;
mod input;
mod make;
mod memory;
mod pipeline;
mod program;
mod query;
mod shader;
mod sized;
mod state;
mod translate;
mod types;
mod vertex_buffer;

pub use assembly::*;
pub use blob::*;
pub use budget::*;
pub use capture::*;
pub use compile::*;
pub use device::*;
pub use external::*;
pub use fixed::*;
pub use function::*;
pub use memory::{AfAllocateFn, AfDeallocateFn, AfLogFn};
pub use pipeline::*;
pub use program::*;
pub use query::*;
pub use shader::*;
pub use state::*;
pub use types::*;
pub use vertex_buffer::*;
