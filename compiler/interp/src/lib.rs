//! Executes shaders of all stages and forms.
//!
//! * [`Program`] executes a shader on inputs and resources from the caller: vertices, patches, primitives, quads of
//!   fragments, workgroups; see [`run`]. [`Resources`] holds buffers, images and samplers, [`texture`] has their parts.
//!   [`Config`] specifies the behaviour out of bounds, of undefined values and of floats ([`FloatMode`]). An
//!   [`Observer`] sees every instruction.
//! * [`pipeline`] is a graphics pipeline around programs: assembly, tessellation, clipping, rasterisation.
//! * [`execute`] runs a shader in a seeded world, so that passes are checked by comparing the results of shaders before
//!   and after.
//!
//! # Structure
//!
//! Imports go one way, from the top of this list to its end:
//!
//! | Folder | Contents |
//! |---|---|
//! | `pipeline/` | the fixed-function stages of a draw, around programs |
//! | `run/` | entry points: [`Program`] with a method per stage, [`execute`]; resources are bound here |
//! | `machine/mod.rs` | control flow in lock step, over functions that `machine/code.rs` flattens into steps |
//! | `ops/` | instructions, executed for all active lanes of a group (`machine/group.rs`) |
//! | `world/` | the trait `World` (inputs, system values, textures, images, outputs), with two implementations: `given/` holds the inputs and resources of a caller, `seeded/` derives them from a seed |
//! | `machine/registers.rs` | values of all lanes, by register |
//! | `memory/` | variables as bytes, their layout, and races between invocations |
//! | `texture/` | texels, formats and filters |
//!
//! # Seeded execution
//!
//! [`execute`] runs a group of invocations (a quad of fragments, four vertices, a part of a workgroup) in lock step
//! over the structured code, with a mask of active lanes, and returns an [`Outcome`]: stage outputs, buffers, images,
//! and which invocations were discarded. [`Outcome::difference`] compares two of them; the same shader in the forms `variables`, `slots`
//! and `target` gives outputs of the same names.
//!
//! * **Environment**: inputs, uniforms, buffers, textures and system values are derived from a seed, see `world/seeded/`.
//!   Most numbers are small, so that loops bounded by uniforms stay short. Textures are smooth functions of their
//!   floating-point operands and hashes of the others; images and memory at addresses hold hashes until they are written.
//! * **Undefined values** are tracked for each component of a value and each byte of memory. A result that depends on an
//!   undefined value, on an index out of range, on an invocation that is not
//!   active, or on a race between invocations is undefined and not compared. Control flow that depends on it
//!   ends the execution with [`FaultKind::Undefined`].
//! * **Out of bounds**: reads of buffers give zero and writes are dropped.
//! * `discard` is executed as `demote`: helpers continue without effects.
//! * **Unsupported** ([`FaultKind::Unsupported`]): memory beyond fixed bounds.

mod fault;
mod hash;
mod machine;
mod memory;
mod observe;
mod ops;
mod outcome;
pub mod pipeline;
mod resources;
pub mod run;
mod show;
pub mod texture;
mod values;
mod world;

pub use fault::{Fault, FaultKind};
pub use memory::layout::{Layouts, Leaf};
pub use observe::{Executed, Invocation, Observer};
pub use ops::float_mode::FloatMode;
pub use outcome::{Difference, Outcome, Tolerance};
pub use resources::{Binding, Buffer, Resources, Space};
pub use run::seeded::{Options, execute};
pub use run::{Config, Program};
pub use values::{System, Values};
