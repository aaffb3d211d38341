//! The built-in functions, variables and constants of the language.
//!
//! They are static data that is searched on demand: a shader pays only for the names it uses.

mod availability;
mod code;
pub mod constant;
pub mod function;
pub mod op;
pub mod pure;
mod tex_call;
pub mod variable;

pub(crate) use code::reinterpret;
pub use op::Builtin;
pub use variable::BuiltinVar;
