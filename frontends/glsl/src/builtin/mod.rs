//! What the language brings along: functions, variables and constants.
//!
//! All of it is static data that is searched on demand: a shader pays for what it names.

mod availability;
pub mod constant;
pub mod function;
pub mod op;
mod tex_call;
pub mod variable;

pub use op::Builtin;
pub use variable::BuiltinVar;
