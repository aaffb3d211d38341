//! Executes AIR on the host: the functions of a `.metallib`, from any compiler.
//!
//! The written bytes are tested: LLVM parses and verifies each module and compiles it for the host, resources and
//! built-in values are bound according to the AIR metadata, and `air.*` functions come from a library in Rust. It is a
//! second opinion besides `airfoil-interp`, which executes the IR, for tests and research.
//!
//! * [`Entry`]: the interface of an entry point. [`shape`], [`thunks`]: how values cross between compiled code and
//!   Rust.
//! * `library/`: the `air.*` functions. `fiber.rs`: invocations that wait for each other. `memory.rs`: buffers.
//! * `engine/`: compiling and running. Only with one of the features `llvm14` and `llvm19`, which choose LLVM's version;
//!   without them the crate needs no LLVM and [`ENGINE`] is false.
//!
//! # Code shared with the interpreter
//!
//! Resources and texture lookups (`airfoil_interp::texture`), the weights of interpolation, and the rounding and integer
//! conversions of `airfoil_ir::alu`. Arithmetic, control flow and memory are LLVM's; the functions of floats, integers and
//! groups are written anew here.
#![cfg_attr(not(any(feature = "llvm14", feature = "llvm19")), allow(dead_code))]

mod config;
mod entry;
mod fiber;
mod frame;
mod library;
mod memory;
pub mod shape;
pub mod thunks;

pub use config::Config;

#[cfg(any(feature = "llvm14", feature = "llvm19"))]
mod engine;
#[cfg(any(feature = "llvm14", feature = "llvm19"))]
pub use engine::{Bindings, Constants, Function, Inputs, Invocation, Launch, Program, function_names};

use airfoil_interp::pipeline::Stages;
use airfoil_interp::{Fault, FaultKind};
use airfoil_ir::Shader;
#[cfg(any(feature = "llvm14", feature = "llvm19"))]
use {airfoil_air::plan::PlanOptions, airfoil_ir::Stage, airfoil_passes::presets::OptLevel};

/// Prepares the shaders of a program for a pipeline, with the usual options of instruction selection. They have to be in the form that backends take.
///
/// # Errors
/// Shaders that cannot be expressed in AIR or cannot be executed; without LLVM, an error that names the features.
pub fn prepare<'s>(shaders: &'s [Shader], config: &Config) -> Result<Vec<Box<dyn Stages + 's>>, Fault> {
    #[cfg(any(feature = "llvm14", feature = "llvm19"))]
    let prepared = prepare_all(shaders, config);
    #[cfg(not(any(feature = "llvm14", feature = "llvm19")))]
    let prepared: Result<Vec<Box<dyn Stages + 's>>, _> = match (shaders, config) {
        ([], _) => Ok(Vec::new()),
        _ => Err("executing AIR needs LLVM: build with the feature `llvm14` or `llvm19`".to_owned()),
    };
    prepared.map_err(|message| Fault { kind: FaultKind::Unsupported, message, instruction: None, line: None })
}

/// Prepares shaders that follow each other.
#[cfg(any(feature = "llvm14", feature = "llvm19"))]
fn prepare_all<'s>(shaders: &'s [Shader], config: &Config) -> Result<Vec<Box<dyn Stages + 's>>, String> {
    let options = engine::default_options()?;
    let mut plan = PlanOptions::new(OptLevel::O2);
    let has = |stage| shaders.iter().any(|s| s.stage == stage);
    // Metal has a kernel before tessellation and mesh functions.
    plan.stages.vertex_kernel = [Stage::TessControl, Stage::TessEval, Stage::Geometry].into_iter().any(has);
    plan.stages.tessellated_geometry = has(Stage::TessEval) && has(Stage::Geometry);
    let prepare = |shader| -> Result<Box<dyn Stages + 's>, String> {
        Ok(Box::new(Program::with_options(shader, config.clone(), &options, &plan)?))
    };
    shaders.iter().map(prepare).collect()
}

pub use entry::{Argument, Entry, MeshShape, Output, Place, Role, Way};

/// Whether the crate was built with LLVM, so that functions can be executed.
pub const ENGINE: bool = cfg!(any(feature = "llvm14", feature = "llvm19"));
