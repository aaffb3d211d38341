//! The language of Airfoil's algebraic rules.
//!
//! * [`syntax`]: the text format; [`types`]: widths and lanes of the parts of a rule.
//! * [`compile`](mod@compile): all rules as one [table](mod@table) for the matcher of the pass `algebraic`; `automaton.rs`: the
//!   part of it that finds the rules for an operation.
//! * [`mine`](mod@mine): rules found in shaders.
//! * [`prove`](mod@prove): proofs, by a solver ([`smt`]) and by evaluation ([`sample`], [`eval`]).

mod automaton;
pub mod compile;
pub mod eval;
pub mod mine;
pub mod prove;
pub mod sample;
pub mod smt;
pub mod syntax;
pub mod table;
pub mod types;
pub mod widths;

pub use compile::compile;
pub use syntax::{Error, Rule, parse};
