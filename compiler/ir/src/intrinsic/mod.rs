//! Intrinsics: operations with effects or with knowledge of the shader's environment.
//!
//! One table row each (`table.rs`); constant operands are *indices*, addressed by name ([`Index`]).

mod index;
mod table;

pub use index::{Align, Index, IndexKind, IndexValue, Indices, IoSemantics};
pub use table::{INTRINSIC_OPS, IntrinsicFlags, IntrinsicInfo, IntrinsicOp, OperandShape, SystemValue};
