//! The front end for assembly programs of OpenGL: `GL_ARB_vertex_program` (`!!ARBvp1.0`) and `GL_ARB_fragment_program`
//! (`!!ARBfp1.0`), to the IR in form `variables`.
//!
//! ```text
//! text --token--> tokens --parse--> checked program (`unit::Unit`) --lower--> `airfoil_ir::Shader`
//! ```
//!
//! ```
//! use airfoil_arb::{Options, Parameter, Source, StateVector, read};
//!
//! let text = "!!ARBfp1.0\nMUL result.color, fragment.color, state.fog.color;\nEND\n";
//! let program = read(&Source { name: "tint.fp", text }, &Options::default())?;
//! assert_eq!(program.parameters, [Parameter::State(StateVector::FogColor)]);
//! assert_eq!(program.counts.alu_instructions, 1);
//! # Ok::<(), airfoil_arb::Errors>(())
//! ```
//!
//! The shader reads its parameters from one uniform block, an array of vectors of four floats. [`Program::parameters`] lists
//! the contents of each of them, which a driver writes.
//!
//! * `token.rs`: words, numbers and punctuation; `path.rs`: names with dots and indices, such as `light[0].diffuse`.
//! * `op.rs`, `state/`, `attribute.rs`, `result.rs`, `texture.rs`, `option.rs`: the vocabularies, one table each.
//! * `parse/`: statements and the rules of the specifications; `unit.rs`: their result; `count.rs`: resources and limits.
//! * `layout.rs`: vectors of the uniform block; `lower/`: instructions.

mod attribute;
mod count;
mod errors;
mod layout;
mod limits;
mod lines;
mod lower;
mod op;
mod option;
mod parse;
mod path;
mod program;
mod result;
mod rule;
pub mod state;
mod target;
mod texture;
mod token;
mod unit;

pub use airfoil_ir::DepthMode;
pub use errors::Errors;
pub use limits::{Limits, Options};
pub use lower::PARAMETER_BLOCK;
pub use program::{Counts, Parameter, Program, Sampler, Source};
pub use state::StateVector;
pub use target::Target;
pub use texture::TextureTarget;

/// Reads a program.
///
/// # Errors
/// Everything that violates the grammar or a rule of the specification, or that the IR cannot express.
pub fn read(source: &Source<'_>, options: &Options) -> Result<Program, Errors> {
    let unit = parse::parse(source, &options.limits)?;
    Ok(lower::lower(source, &unit, options))
}

/// The target of a program, from its header; `None` for any other text.
///
/// ```
/// use airfoil_arb::{Target, target_of};
///
/// assert_eq!(target_of(b"!!ARBvp1.0\nEND"), Some(Target::Vertex));
/// assert_eq!(target_of(b"#version 120"), None);
/// ```
pub fn target_of(text: &[u8]) -> Option<Target> {
    Target::ALL.into_iter().find(|t| text.starts_with(t.header().as_bytes()))
}
