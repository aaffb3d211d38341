//! Rules of the container.

use super::Finding;
use crate::inspect::Inspection;
use crate::metallib::{Check, Function, FunctionKind, Library, TagName};
use crate::rules::Rule;
use std::collections::HashSet;

/// The checks of the reader, and names.
pub(super) fn findings(library: &Library<'_>) -> Vec<Finding> {
    let finding = |check: &Check| {
        let failure = check.failure.as_deref().unwrap_or_default();
        Finding::new(rule_of(check), format!("{}: {failure}", check.what)).at(check.offset)
    };
    let mut found: Vec<Finding> = library.failures().map(finding).collect();
    let mut names = HashSet::new();
    for function in &library.functions {
        let name = function.entry.name;
        if !names.insert(name) {
            let message = "the library has another function of this name";
            found.push(Finding::new(Rule::DuplicateName, message).in_function(name).at(function.offset));
        }
        found.extend(attributes(function));
    }
    found
}

/// The rule of a check of the reader, by the kind of check.
fn rule_of(check: &Check) -> Rule {
    match check.what.split('`').next().unwrap_or_default() {
        "file size" => Rule::FileSize,
        "hash of " => Rule::Hash,
        "module of " => Rule::Wrapper,
        _ => Rule::Layout,
    }
}

fn attributes(function: &Function<'_>) -> Option<Finding> {
    let lists = [TagName::VATT, TagName::VATY];
    let empty = |tag: &&crate::metallib::Tag<'_>| {
        lists.contains(&tag.name) && tag.payload.first_chunk::<2>() == Some(&[0, 0])
    };
    let tag = function.public_tags.iter().find(empty)?;
    let message = format!("the tag {} has no attribute: leave the tag out", tag.name);
    Some(Finding::new(Rule::EmptyAttributes, message).in_function(function.entry.name).at(tag.offset))
}

/// Whether the container states the same about a function as its module.
pub(super) fn entry_findings(function: &Function<'_>, module: &Inspection) -> Vec<Finding> {
    let entry = &function.entry;
    let mut found = Vec::new();
    let mut report = |rule, message: String| {
        found.push(Finding::new(rule, message).in_function(entry.name).at(function.offset));
    };
    versions(function, module, &mut report);
    let special =
        matches!(entry.kind, FunctionKind::Unqualified | FunctionKind::Extern | FunctionKind::Other(_));
    let Some(own) = module.entries.iter().find(|e| e.name == entry.name) else {
        // Functions of dynamic libraries are not entry points.
        if !special {
            report(Rule::EntryName, format!("the module has no entry point `{}`", entry.name));
        }
        return found;
    };
    if entry.kind.to_string() != own.stage && !special {
        let message = format!("the container says {}, the module has a {} function", entry.kind, own.stage);
        report(Rule::EntryKind, message);
    }
    let inputs = || own.inputs.iter().filter(|i| own.stage == "vertex" && i.kind == "vertex_input");
    for input in inputs() {
        let index = input.location.map(|l| l.0);
        if !entry.vertex_attributes.iter().any(|a| Some(i64::from(a.index)) == index) {
            let message = format!("the attribute `{}` is missing in the tag VATT", input.name);
            report(Rule::MissingAttributes, message);
        }
    }
    let patch = own.notes.iter().any(|n| n.split(' ').next() == Some("air.patch"));
    if patch && entry.tessellation.is_none() {
        report(Rule::MissingPatch, "a post-tessellation vertex function without the tag TESS".to_owned());
    }
    found
}

/// The versions of the container are those of the module.
fn versions(function: &Function<'_>, module: &Inspection, report: &mut impl FnMut(Rule, String)) {
    let entry = &function.entry;
    let own = |text: &str| text.rsplit(' ').next().map(|t| t.to_owned()).unwrap_or_default();
    for (what, container, text) in [
        ("AIR", entry.air.to_string(), own(&module.air)),
        ("language", entry.language.to_string(), own(&module.language)),
    ] {
        // The oldest modules do not have these nodes.
        let same = text.is_empty()
            || text == container
            || text.strip_prefix(&container).is_some_and(|rest| rest.starts_with('.'));
        if !same {
            report(
                Rule::ModuleVersion,
                format!("the container has {what} version {container}, the module {text}"),
            );
        }
    }
}
