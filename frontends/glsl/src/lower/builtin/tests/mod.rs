//! Built-in functions: known values, and that folded constants equal executed code.

mod execute;
mod resources;
mod values;

use crate::builtin::Builtin;
use crate::builtin::function::exact;
use crate::builtin::op::Lowering;
use crate::builtin::pure::Pure;
use crate::extension::EXTENSIONS;
use crate::hir::Constant;
use crate::lower::fold::fold_builtin;
use crate::types::{Base, Type, TypeTable};
use crate::version::{Language, Profile, Version};
use airfoil_ir::Stage;

/// A constant of a type.
fn constant(ty: Type, scalars: &[u64]) -> Constant {
    Constant { ty, scalars: scalars.into() }
}

/// GLSL 4.60 with the compatibility profile and all extensions.
fn everything(stage: Stage) -> Language {
    Language {
        version: Version { number: 460, profile: Profile::Compatibility },
        stage,
        extensions: EXTENSIONS.iter().map(|i| i.ext).collect(),
        vulkan: false,
    }
}

/// The function of a name for these argument types, in any stage.
#[track_caller]
fn builtin(name: &str, args: &[Type]) -> &'static Builtin {
    [Stage::Fragment, Stage::Vertex, Stage::Geometry, Stage::Compute]
        .into_iter()
        .find_map(|stage| exact(name, args, &everything(stage)))
        .unwrap_or_else(|| panic!("unknown function {name}({args:?})"))
        .builtin
}

/// The code of a function of its arguments.
#[track_caller]
fn pure(name: &str, args: &[Type]) -> &'static Pure {
    match &builtin(name, args).lowering {
        Lowering::Pure(pure) => pure,
        other => panic!("{name} is {other:?}"),
    }
}

/// The folded result.
#[track_caller]
fn fold(name: &str, args: &[Constant], result: Type) -> Option<Box<[u64]>> {
    let types: Vec<Type> = args.iter().map(|c| c.ty).collect();
    fold_as(pure(name, &types), args, result)
}

/// The folded result of code.
fn fold_as(pure: &Pure, args: &[Constant], result: Type) -> Option<Box<[u64]>> {
    let args: Vec<&Constant> = args.iter().collect();
    fold_builtin(pure, &args, result, &TypeTable::default())
}

const fn vector(base: Base, size: u8) -> Type {
    Type::vector(base, size)
}
