//! The compiler of an OpenGL driver on Metal.
//!
//! A driver creates a [`Device`] per context, [shader objects](ShaderObject) and [programs](Program), and one Metal function per
//! stage for the [state](StateKey) of a draw:
//!
//! ```
//! use airfoil_gl::{Budget, Device, DeviceOptions, LinkOptions, Stage, StateFlags, StateKey};
//!
//! let device = Device::new(DeviceOptions::default());
//! // glCompileShader
//! let vertex = device.compile("1", Stage::Vertex, &["attribute vec4 p; void main() { gl_Position = p; }"]);
//! let fragment = device.compile("2", Stage::Fragment, &["void main() { gl_FragColor = vec4(1.0); }"]);
//! assert!(vertex.status() && fragment.status(), "{}{}", vertex.log(), fragment.log());
//! // glLinkProgram
//! let program = device.link(&[&vertex, &fragment], &LinkOptions::default())?;
//! // glDrawArrays
//! let state = StateKey { flags: StateFlags::HALF_Z | StateFlags::FLIP_Y, ..StateKey::default() };
//! for stage in [Stage::Vertex, Stage::Fragment] {
//!     // The driver looks the function up by (program, stage, key) first.
//!     let key = program.stage_canonical(stage, &state);
//!     let function = program.variant(stage, &key, &Budget::default())?;
//!     assert!(function.metallib.starts_with(b"MTLB"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Program::canonical`] resets the fields of a key that the program does not depend on. Here the state of the vertex
//! function does not concern the fragment function, so that draws with and without it share one:
//!
//! ```
//! # use airfoil_gl::{Device, LinkOptions, Stage, StateFlags, StateKey};
//! # let device = Device::default();
//! # let vertex = device.compile("1", Stage::Vertex, &["attribute vec4 p; void main() { gl_Position = p; }"]);
//! # let fragment = device.compile("2", Stage::Fragment, &["void main() { gl_FragColor = vec4(1.0); }"]);
//! # let program = device.link(&[&vertex, &fragment], &LinkOptions::default())?;
//! let flipped = StateKey { flags: StateFlags::FLIP_Y, ..StateKey::default() };
//! assert_eq!(program.stage_canonical(Stage::Fragment, &flipped), StateKey::default());
//! # Ok::<(), airfoil_gl::Log>(())
//! ```
//!
//! A device with a [disk cache](Device::with_cache) links programs and makes functions that another process made before without
//! work. [Pipelines](Device::pipeline) of separable programs are programs, too.
//!
//! Everything is `Send + Sync`. Equal sources, options and keys give equal bytes. [`table`] lists the state of OpenGL
//! and how it is covered.

mod assembly;
mod bindings;
mod budget;
mod cache;
mod capture;
mod code;
mod default_state;
mod depends;
mod device;
mod driver_values;
mod expand;
mod external;
mod facts;
pub mod fixed;
mod identity;
mod import;
mod link;
mod link_options;
mod log;
mod parameter_block;
mod pipeline;
mod program;
pub mod query;
mod recent;
mod shader;
mod source;
mod specialize;
mod state;
mod state_steps;
mod store;
pub mod table;
mod variant;
mod vertex_buffer;

pub use airfoil::air::select::{FastMathMode, Reflection as FunctionReflection};
pub use airfoil::glsl::limits::Limits;
pub use airfoil::glsl::link::{Reflection, TransformFeedback, XfbMode};
pub use airfoil::{Errors, OptLevel, Stage, Target};
pub use airfoil_cache::Cache;
pub use assembly::{Assembly, AssemblyTarget, StateVector};
pub use bindings::BindingPolicy;
pub use budget::Budget;
pub use capture::CaptureCounters;
pub use device::{Device, DeviceOptions, Workarounds};
pub use driver_values::DriverValues;
pub use external::{ColorSpace, ExternalImage, Range};
pub use link_options::LinkOptions;
pub use log::Log;
pub use program::Program;
pub use query::QueryError;
pub use shader::ShaderObject;
pub use specialize::{Specialization, SpecializeError};
pub use state::{
    Attachment, BlendEquation, CaptureStep, CompareFunc, FogMode, FormatKind, InlinedUniform, LineMode,
    LogicOp, PointSize, PolygonKind, PolygonMode, StateFlags, StateKey, StateMask, VertexFormat,
};
pub use variant::Function;
pub use vertex_buffer::VertexBuffer;
