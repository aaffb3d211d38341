//! Airfoil compiles GLSL and SPIR-V to Apple AIR in `.metallib` libraries, on any operating system, without Xcode or LLVM.
//!
//! [`Compiler`] compiles in one call. It holds the [options](CompileOptions) and can be shared by threads:
//!
//! ```
//! use airfoil::{Compiler, OptLevel, CompileOptions};
//!
//! # fn example(module: &[u32]) -> Result<(), Box<dyn std::error::Error>> {
//! let compiler = Compiler::new(CompileOptions::new("macos14".parse()?).level(OptLevel::O2));
//! let output = compiler.compile_spirv(module)?;
//! println!("{} bytes for {}", output.metallib.len(), output.functions[0].name);
//! # Ok(())
//! # }
//! ```
//!
//! GLSL is compiled as programs: the stages are linked and share one library, with a function per stage.
//!
//! ```
//! use airfoil::glsl::{ProgramOptions, Source};
//! use airfoil::{CompileOptions, Compiler, Stage};
//!
//! let compiler = Compiler::new(CompileOptions::default());
//! let sources = [
//!     Source { name: "fade.vert", stage: Stage::Vertex, text: "attribute vec4 p; void main() { gl_Position = p; }" },
//!     Source { name: "fade.frag", stage: Stage::Fragment, text: "uniform vec4 tint; void main() { gl_FragColor = tint; }" },
//! ];
//! let output = compiler.compile_glsl(&sources, &ProgramOptions::default())?;
//! assert!(output.metallib.starts_with(b"MTLB"));
//! let fragment = output.function(Stage::Fragment).unwrap();
//! assert_eq!(fragment.name, "fragment_main");
//! assert_eq!(output.program.unwrap().uniforms[0].name, "tint");
//! # Ok::<(), airfoil::Errors>(())
//! ```
//!
//! A driver links a program once and makes a [variant](Compiler::variant) of it for each [state](PipelineState) that it
//! draws with. Resources are bound as the [reflection](Reflection) specifies:
//!
//! ```
//! use airfoil::air::select::ArgumentKind;
//! use airfoil::{CompileOptions, Compiler, PipelineState};
//! # use airfoil::glsl::{ProgramOptions, Source};
//! # use airfoil::Stage;
//! # let sources = [
//! #     Source { name: "fade.vert", stage: Stage::Vertex, text: "attribute vec4 p; void main() { gl_Position = p; }" },
//! #     Source { name: "fade.frag", stage: Stage::Fragment, text: "uniform sampler2D s; void main() { gl_FragColor = texture2D(s, vec2(0.5)); }" },
//! # ];
//!
//! let compiler = Compiler::new(CompileOptions::default());
//! // glLinkProgram
//! let prepared = compiler.prepare_glsl(&sources, &ProgramOptions::default())?;
//! // The first draw with this state; the library is cached.
//! let state = PipelineState::default().half_z(true).flip_y(true).points(Some(false));
//! let library = compiler.variant(&prepared, &state)?;
//! // Each draw.
//! for function in &library.functions {
//!     for argument in &function.reflection.arguments {
//!         let (set, binding) = (argument.set.unwrap_or(0), argument.binding.unwrap_or(0));
//!         match argument.kind {
//!             ArgumentKind::Texture => println!("setFragmentTexture: {set}.{binding} at {}", argument.index),
//!             ArgumentKind::Sampler => println!("setFragmentSamplerState: {set}.{binding} at {}", argument.index),
//!             _ => println!("setFragmentBuffer: {set}.{binding} at {}", argument.index),
//!         }
//!     }
//! }
//! # Ok::<(), airfoil::Errors>(())
//! ```
//!
//! The [steps] of a compile are available separately, to inspect or change shaders between them. This example starts from
//! the text form of the IR:
//!
//! ```
//! use airfoil::{CompileOptions, Compiler, OptLevel, PipelineState, steps};
//!
//! let mut shader = steps::read_foil(
//!     r#"foil 1
//!     shader fragment "fade" {
//!       form variables
//!       in vec4 tint location=0
//!       out vec4 color location=0
//!       fn main {
//!       b0:
//!         %0 = deref_var &tint
//!         32x4 %1 = load_deref %0
//!         32x4 %2 = fmul %1, %1.wwww
//!         %3 = deref_var &color
//!         store_deref %3, %2
//!       }
//!     }"#,
//! )?;
//! steps::optimize(&mut shader, OptLevel::O2)?;
//! let compiler = Compiler::new(CompileOptions::default());
//! let output = compiler.variant(&vec![shader].into(), &PipelineState::default())?;
//! assert_eq!(output.functions[0].reflection.stage.name(), "fragment");
//! # Ok::<(), airfoil::Errors>(())
//! ```
//!
//! A shader in form `variables`, before or after passes of that form, can be written as SPIR-V:
//!
//! ```
//! use airfoil::{SpirvOptions, to_spirv};
//! # use airfoil::{ReadOptions, steps};
//!
//! # fn example(module: &[u32]) -> Result<(), airfoil::Errors> {
//! let shader = steps::read_spirv(module, &ReadOptions::default())?;
//! let options = SpirvOptions { target: "vulkan1.2".parse().unwrap_or_default(), ..SpirvOptions::default() };
//! let words = to_spirv(&shader, &options)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! * [`steps`]: reading, optimising, lowering and selecting one by one. [`spec`]: values of specialisation constants.
//!   [`transform_feedback`]: the captures that a source declares. [`distances`]: clip and cull distances for devices that
//!   have none. [`debug`]: the variable `AIRFOIL_DEBUG`.
//! * [`ir`]: shaders and their text form. [`passes`]: passes and their manager. [`interp`]: executes shaders and pipelines
//!   without a GPU. [`check`]: passes checked by execution, reduction of failing shaders.
//! * [`glsl`], [`spirv`], [`arb`]: the front ends. [`gl_spirv`]: SPIR-V as shaders of OpenGL programs. [`air`]: the backend, and readers of `.metallib` files and AIR. [`spirv_out`]: the
//!   backend for SPIR-V, called by [`to_spirv`].
//!
//! Every problem in an input is a [`Diagnostic`] with a code, a location and a message; [`Errors`] holds those of a failed
//! compile. No input makes the library panic, and equal inputs and options give equal bytes.

mod compiler;
pub mod debug;
pub mod distances;
mod errors;
pub mod gl_spirv;
mod limits;
mod options;
mod output;
pub mod spec;
mod spirv_output;
pub mod steps;
pub mod transform_feedback;

pub use airfoil_air as air;
pub use airfoil_arb as arb;
pub use airfoil_check as check;
pub use airfoil_glsl as glsl;
pub use airfoil_interp as interp;
pub use airfoil_ir as ir;
pub use airfoil_passes as passes;
pub use airfoil_spirv_in as spirv;
pub use airfoil_spirv_out as spirv_out;

pub use air::lowerings::{Captures, FlipWindow};
pub use air::previous::Previous;
pub use air::select::{Options as AirOptions, Reflection};
pub use air::target::Target;
pub use compiler::{Compiler, Prepared};
pub use errors::Errors;
pub use ir::{Diagnostic, Form, Place, Severity, Shader, Stage};
pub use limits::metal_limits;
pub use options::{ClipPlanes, CompileOptions, PipelineState, Provoking, TransformFeedback};
pub use output::{Function, Output};
pub use passes::presets::OptLevel;
pub use spec::SpecValue;
pub use spirv::Options as ReadOptions;
pub use spirv_out::Options as SpirvOptions;
pub use spirv_output::to_spirv;
