//! Airfoil compiles shaders to what Metal loads: GLSL and SPIR-V in, Apple AIR and `.metallib` out, on any operating
//! system, with neither Xcode nor LLVM.
//!
//! For a driver this is all:
//!
//! ```
//! # fn module_from_somewhere() -> Vec<u32> { Vec::new() }
//! use airfoil::{CompileOptions, Compiler};
//!
//! // Once; it can be shared by all threads.
//! let compiler = Compiler::new(CompileOptions::default());
//!
//! // For each shader.
//! let words: Vec<u32> = module_from_somewhere();
//! match compiler.compile_spirv(&words) {
//!     Ok(output) => println!("{} bytes for {}", output.metallib.len(), output.reflection.entry),
//!     Err(faults) => faults.iter().for_each(|fault| eprintln!("{fault}")),
//! }
//! ```
//!
//! GLSL comes as programs, whose stages are linked and share one library:
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
//! assert_eq!(output.program.uniforms[0].name, "tint");
//! # Ok::<(), Vec<airfoil::Diagnostic>>(())
//! ```
//!
//! The steps can be taken one by one, to look at the shader or change it in between. This starts from the text form
//! of the IR, which can be written by hand:
//!
//! ```
//! use airfoil::{AirOptions, OptLevel};
//!
//! let mut shader = airfoil::read_foil(
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
//! airfoil::optimize(&mut shader, OptLevel::O2)?;
//! let options = AirOptions { target: "macos14".parse().unwrap(), ..AirOptions::default() };
//! let output = airfoil::to_metallib(&shader, &options)?;
//!
//! assert!(output.metallib.starts_with(b"MTLB"));
//! assert_eq!(output.reflection.stage.name(), "fragment");
//! # Ok::<(), Vec<airfoil::Diagnostic>>(())
//! ```
//!
//! # Where to look
//!
//! * [`Compiler`], [`CompileOptions`], [`Output`]: the whole way.
//! * [`read_spirv`], [`read_foil`], [`optimize`], [`to_metallib`]: its steps.
//! * [`Compiler::compile_glsl`], [`read_glsl`], [`metal_limits`]: GLSL programs; [`glsl`]: compiling and linking one by one, as OpenGL does.
//! * [`ir`]: the shader itself and its text form; [`passes`]: what changes it; [`spirv`]: the reader; [`air`]: the backend,
//!   its options ([`air::select::Options`]) and the reader of `.metallib` files.
//!
//! Every fault of an input is a [`Diagnostic`] with a code, a place and words. No input makes the library panic, and
//! equal inputs and options give equal bytes.

mod compile;
mod glsl_program;
mod spec;
mod transform_feedback;

pub use airfoil_air as air;
pub use airfoil_glsl as glsl;
pub use airfoil_ir as ir;
pub use airfoil_passes as passes;
pub use airfoil_spirv_in as spirv;

pub use air::compile::{emit, lower};
pub use air::lowerings::{Captures, FlipWindow, Lowerings};
pub use air::plan::{PlanOptions, compile_plan};
pub use air::select::{Options as AirOptions, Reflection};
pub use air::target::Target;
pub use compile::{
    ClipPlanes, CompileOptions, Compiler, Output, Provoking, compile_foil, compile_spirv, optimize,
    read_foil, read_spirv, select_stages, spirv_sources, to_metallib, validate,
};
pub use glsl_program::{ProgramOutput, metal_limits, read_glsl};
pub use ir::{Diagnostic, Form, Place, Severity, Shader, Stage};
pub use passes::presets::OptLevel;
pub use spec::{SpecValue, resolve as spec_bits, resolve_glsl as glsl_spec_bits};
pub use spirv::{Options as ReadOptions, SpecType};
pub use transform_feedback::{captures, spirv_captures};
