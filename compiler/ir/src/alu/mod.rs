//! ALU operations: one table row each, see `table.rs`.
//!
//! From a row come the [`AluOp`] variant with its documentation, its [`AluInfo`] (used by printer,
//! parser, validator, builder and optimiser) and its evaluation ([`AluOp::eval`]).

mod float;
mod info;
mod table;

pub use float::{
    Rounding, f64_from_bits, f64_to_bits, float_to_int, frexp, fused, int_to_float, ldexp, max_num, min_num,
    round_f64, saturate, unfused,
};
pub use info::{AluFlags, AluInfo, AluProps, AluShape, AluType, Base};
pub use table::{ALU_OPS, AluOp};
pub(crate) use table::{alu_methods, short_method};

#[cfg(test)]
mod tests;
