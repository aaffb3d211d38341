//! Intrinsics: operations with effects or with knowledge of the shader's environment.
//!
//! One table row each (`table.rs`, its columns in `row.rs`); constant operands are *indices*, addressed by name
//! ([`Index`]).

mod accessors;
mod index;
mod indices;
mod row;
mod table;

pub use index::{Align, Index, IndexKind, IndexValue, IoSemantics};
pub use indices::Indices;
pub use row::{
    Forms, IntrinsicFlags, IntrinsicInfo, MemoryAccess, MemoryAction, MemoryOp, OperandShape, Stages, Varies,
};
pub use table::{INTRINSIC_OPS, IntrinsicOp, SystemValue};
