//! Executes shaders of all stages and forms.
//!
//! * [`Program`] executes a shader on inputs and resources that callers bring: vertices, patches, primitives, quads of
//!   fragments, workgroups; see [`run`]. [`Resources`] holds buffers, images and samplers, [`texture`] has their parts.
//!   [`Config`] says what happens out of bounds and with undefined values, and how floats behave ([`FloatMode`]). An
//!   [`Observer`] sees every instruction.
//! * [`pipeline`] is a graphics pipeline around programs: assembly, tessellation, clipping, rasterisation.
//! * [`execute`] runs a shader in a seeded world, so that passes are checked by comparing the results of shaders before
//!   and after.
//!
//! Both share one machine: `program.rs` flattens functions into steps, `machine.rs` executes them in lock step,
//! `memory.rs` holds variables, `interface.rs` inputs and outputs. `run/` and `data/` belong to programs, `env.rs`,
//! `image.rs` and `seeded_texture.rs` to the world of a seed.
//!
//! # Seeded execution
//!
//! [`execute`] runs a group of invocations (a quad of fragments, four vertices, a part of a workgroup) in lock step
//! over the structured code, with a mask of active lanes, and returns an [`Outcome`]: stage outputs, buffers, images,
//! and which invocations were discarded. [`Outcome::difference`] compares two of them; the same shader in the forms `variables`, `slots`
//! and `target` gives outputs of the same names.
//!
//! * **Environment**: inputs, uniforms, buffers, textures and system values are derived from a seed, see `env.rs`.
//!   Most numbers are small, so that loops bounded by uniforms stay short. Textures are smooth functions of their
//!   floating-point operands and hashes of the others; images and memory at addresses hold hashes until they are written.
//! * **Undefined values** are tracked for each component of a value and each byte of memory. A result that depends on an
//!   undefined value, on an index out of range, on an invocation that is not
//!   active, or on a race between invocations is undefined and not compared. Control flow that depends on it
//!   ends the execution with [`FaultKind::Undefined`].
//! * **Out of bounds**: reads of buffers give zero and writes are dropped.
//! * `discard` is executed as `demote`: helpers continue without effects.
//! * **Unsupported** ([`FaultKind::Unsupported`]): memory beyond fixed bounds.

mod alu;
mod data;
mod env;
mod float_mode;
mod image;
mod interface;
mod intrinsics;
mod layout;
mod machine;
mod memory;
mod observe;
mod outcome;
pub mod pipeline;
mod pointer;
mod program;
mod race;
mod resources;
pub mod run;
mod seeded_texture;
mod subgroup;
pub mod texture;
mod values;

pub use float_mode::FloatMode;
pub use layout::{Layouts, Leaf};
pub use observe::{Executed, Invocation, Observer};
pub use outcome::{Difference, Outcome, Tolerance};
pub use resources::{Binding, Buffer, Resources, Space};
pub use run::{Config, Program};
pub use values::{System, Values};

use airfoil_ir::Shader;
use std::fmt;

/// How to execute.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of inputs, uniforms, buffers and textures.
    pub seed: u64,
    /// Invocations in lock step, 1 to 16; a compute workgroup that is smaller bounds it. Quads need 4.
    pub lanes: u32,
    /// Maximum number of instructions, counted once per lane.
    pub max_steps: u64,
    /// Bits of undefined values.
    pub undef: u64,
    /// Elements of arrays whose length is known at run time only.
    pub runtime_elements: u32,
    /// What floats do where the specifications leave room.
    pub floats: FloatMode,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            lanes: 4,
            max_steps: 1_000_000,
            undef: 0,
            runtime_elements: 16,
            floats: FloatMode::default(),
        }
    }
}

/// The reason why a shader was not executed to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Kind of fault.
    pub kind: FaultKind,
    /// The message.
    pub message: String,
    /// The instruction in text, if it happened at one.
    pub instruction: Option<Box<str>>,
    /// Source file (empty if unnamed) and line, if they are known.
    pub line: Option<(Box<str>, u32)>,
}

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Not supported by the interpreter.
    Unsupported,
    /// Execution takes more steps than allowed.
    Steps,
    /// Undefined behaviour: a branch on an undefined value, an access out of bounds, a barrier that not all
    /// invocations reach.
    Undefined,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line)) = &self.line {
            write!(f, "{file}{}{line}: ", if file.is_empty() { "line " } else { ":" })?;
        }
        f.write_str(&self.message)?;
        match &self.instruction {
            Some(instruction) => write!(f, ", in `{instruction}`"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

impl Fault {
    fn unsupported(message: impl Into<String>) -> Fault {
        Fault { kind: FaultKind::Unsupported, message: message.into(), instruction: None, line: None }
    }

    fn undefined(message: impl Into<String>) -> Fault {
        Fault { kind: FaultKind::Undefined, message: message.into(), instruction: None, line: None }
    }
}

/// Executes a valid shader.
///
/// # Errors
/// Unsupported features, too many steps, or control flow that depends on an undefined value.
pub fn execute(shader: &Shader, options: &Options) -> Result<Outcome, Fault> {
    machine::Machine::seeded(shader, options)?.run()
}
