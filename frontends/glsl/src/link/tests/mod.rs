//! Tests of the linker on compiled snippets.

mod interfaces;
mod pipelines;
mod places;
mod reflect;
mod stages;

use super::{LinkOptions, Linked, link};
use crate::compile::{Options, compile};
use crate::hir::{Placement, Unit, Variable};
use airfoil_ir::Stage;

pub(super) const VS: Stage = Stage::Vertex;
pub(super) const FS: Stage = Stage::Fragment;
pub(super) const GS: Stage = Stage::Geometry;
pub(super) const TCS: Stage = Stage::TessControl;
pub(super) const TES: Stage = Stage::TessEval;
pub(super) const CS: Stage = Stage::Compute;

/// Compiles a shader with `version` prepended.
pub(super) fn unit(stage: Stage, version: &str, source: &str) -> Unit {
    let source = format!("#version {version}\n{source}");
    compile(&[&source], &Options::new(stage)).unwrap_or_else(|e| panic!("{e:#?}\n{source}")).unit
}

/// Links shaders of one version.
pub(super) fn try_link(
    version: &str,
    sources: &[(Stage, &str)],
    options: &LinkOptions,
) -> Result<Linked, String> {
    let units = sources.iter().map(|(stage, source)| unit(*stage, version, source)).collect();
    link(units, options).map_err(|list| list.iter().map(|d| format!("{d}\n")).collect())
}

/// Links a program that must link.
pub(super) fn linked(version: &str, sources: &[(Stage, &str)], options: &LinkOptions) -> Linked {
    try_link(version, sources, options).unwrap_or_else(|e| panic!("{e}\n{sources:#?}"))
}

/// Version, shaders, and the expected message.
pub(super) type Row<'s> = (&'s str, &'s [(Stage, &'s str)], &'s str);

/// Each row is rejected with a message that contains the text, or accepted if the text is empty.
pub(super) fn verdicts(rows: &[Row<'_>]) {
    for (version, sources, want) in rows {
        match (try_link(version, sources, &LinkOptions::default()), *want) {
            (Ok(_), "") => {}
            (Ok(_), want) => panic!("accepted instead of `{want}`: {sources:#?}"),
            (Err(log), "") => panic!("{log}{sources:#?}"),
            (Err(log), want) => assert!(log.contains(want), "`{want}` is not in\n{log}{sources:#?}"),
        }
    }
}

/// A variable by name.
pub(super) fn var<'u>(unit: &'u Unit, name: &str) -> &'u Variable {
    unit.vars.iter().find(|v| &unit.names[v.name] == name).unwrap_or_else(|| panic!("no variable {name}"))
}

/// A variable's location.
pub(super) fn place(unit: &Unit, name: &str) -> Placement {
    var(unit, name).place
}
