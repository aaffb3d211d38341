//! `.shader_test` files of piglit: reading them, and running their commands.
//!
//! `script.rs` has the sections of a file, `parser.rs` reads them, `command.rs` the lines of `[test]`; `values.rs` reads numbers.
//! `exec` runs a script with linked programs.

pub mod command;
pub mod exec;
pub mod parser;
pub mod script;
pub mod values;
