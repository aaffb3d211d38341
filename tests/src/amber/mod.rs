//! Amber scripts: shaders with buffers, pipelines, draws and expected results.
//!
//! Two languages give the same [`Script`](script::Script): AmberScript (first line `#!amber`) and the older VkScript with
//! sections (`[compute shader spirv]`, `[test]`), which is a cousin of piglit's `shader_test`.
//!
//! * `script.rs`: the parts of a script. `types.rs`, `format.rs`: data types and their memory layout.
//! * `lexer.rs`, `number.rs`: words of a line. `parser.rs`: commands; `buffers.rs`, `pipelines.rs`, `fixed.rs`, `expects.rs`:
//!   the larger ones. `vkscript.rs`: the other language.
//!
//! `exec`: scripts are executed.

pub mod buffers;
pub mod exec;
pub mod expects;
mod fault;
pub mod fixed;
pub mod format;
pub mod lexer;
pub mod number;
pub mod parser;
pub mod pipelines;
pub mod script;
pub mod types;
pub mod vkscript;

pub use fault::Fault;

/// Reads a script of either language; `load` gives the contents of files that it names.
///
/// # Errors
/// The first error, with its location.
pub fn parse(text: &str, load: &parser::Load<'_>) -> Result<script::Script, Fault> {
    if text.starts_with("#!amber") { parser::parse(text, load) } else { vkscript::parse(text) }
}
