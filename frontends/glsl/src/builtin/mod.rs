//! What the language brings along: functions, variables and constants.
//!
//! All of it is static data that is searched on demand: a shader pays for what it names.

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
