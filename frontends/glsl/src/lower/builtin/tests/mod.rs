//! Built-in functions: known values, and that constants give what execution gives.

mod execute;
mod resources;
mod values;

use crate::builtin::Builtin;
use crate::hir::Constant;
use crate::lower::fold::fold_builtin;
use crate::types::{Base, Type, TypeTable};

/// A constant of a type.
fn constant(ty: Type, scalars: &[u64]) -> Constant {
    Constant { ty, scalars: scalars.into() }
}

/// The folded result.
fn fold(f: Builtin, args: &[Constant], result: Type) -> Option<Box<[u64]>> {
    let args: Vec<&Constant> = args.iter().collect();
    fold_builtin(f, &args, result, &TypeTable::default())
}

const fn vector(base: Base, size: u8) -> Type {
    Type::vector(base, size)
}
