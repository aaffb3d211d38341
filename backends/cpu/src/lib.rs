//! Executes AIR on the host: the functions of a `.metallib`, whoever made it.
//!
//! The written bytes are what counts: LLVM parses and verifies each module and compiles it for the host, resources and
//! built-in values are bound by what the AIR metadata says, and `air.*` functions come from a library in Rust. It is a
//! second opinion beside `airfoil-interp`, which executes the IR, for tests and research.
//!
//! * [`entry`]: what an entry point takes and gives. [`shape`], [`thunks`]: how values cross between compiled code and Rust.
//! * `library/`: the `air.*` functions. `fiber.rs`: invocations that wait for each other. `memory.rs`: buffers.
//! * `engine/`: compiling and running. Only with one of the features `llvm14` and `llvm19`, which choose LLVM's version;
//!   without them the crate needs no LLVM and [`ENGINE`] is false.
//!
//! # What is shared with the interpreter
//!
//! Resources and texture lookups (`airfoil_interp::texture`), the weights of interpolation, and the rounding and integer
//! conversions of `airfoil_ir::alu`. Arithmetic, control flow and memory are LLVM's; the functions of floats, integers and
//! groups are written anew here.
#![cfg_attr(not(any(feature = "llvm14", feature = "llvm19")), allow(dead_code))]

pub mod entry;
mod fiber;
mod frame;
mod library;
mod memory;
pub mod shape;
pub mod thunks;

#[cfg(any(feature = "llvm14", feature = "llvm19"))]
mod engine;
#[cfg(any(feature = "llvm14", feature = "llvm19"))]
pub use engine::{Bindings, Config, Function, Inputs, Invocation, Launch, Program, function_names};

/// Whether the crate was built with LLVM, so that functions can be executed.
pub const ENGINE: bool = cfg!(any(feature = "llvm14", feature = "llvm19"));
