//! Executes SPIR-V modules on a Vulkan driver: an independent check besides `airfoil-interp`.
//!
//! Resources, state and targets are those of the interpreter: plain data. They are uploaded, a dispatch or draw is
//! submitted, and everything that shaders can write is read back. Nothing is kept between submissions.
//!
//! * `device.rs`: the loader, the choice of a device and its features; `features.rs`: capabilities that require features.
//! * `module.rs`: modules with their specialization; `reflect.rs`: their resources and inputs.
//! * `frame.rs`: one submission and all objects it needs; `upload.rs`: buffers and images in it; `descriptors.rs`: their
//!   bindings; `format.rs`, `sampler.rs`: formats and samplers by Vulkan's names.
//! * `compute.rs`, `draw.rs`: dispatches and draws; `time.rs`: their time on the device; `state.rs`: fixed functions; `attachments.rs`: targets of draws.
//! * `opengl.rs`: programs of OpenGL. `scene.rs`, `judge.rs`: surroundings of a shader alone, and comparison of its results.
//!
//! # Unsafe code
//!
//! All Vulkan commands are unsafe functions. Their common requirements hold by construction: a [`Device`] outlives its
//! frames, handles come from that device and are destroyed once, by the frame that created them, after the device is idle;
//! everything runs on the thread that owns the frame; and structures refer to data that outlives the call.
//! Modules are not validated here: callers pass modules that `spirv-val` accepts.

mod attachments;
mod compute;
mod descriptors;
mod device;
mod draw;
mod error;
mod features;
mod format;
mod frame;
pub mod judge;
mod module;
pub mod opengl;
mod reflect;
mod sampler;
pub mod scene;
mod state;
mod time;
mod upload;

pub use device::Device;
pub use error::Error;
pub use module::Module;
pub use time::Timed;
