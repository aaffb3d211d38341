//! Rules of two functions of one pipeline.

use super::Finding;
use crate::inspect::{Entry, Inspection, Item};
use crate::rules::Rule;

/// Checks the interface between the functions of two files: those of the first come before those of the second. All fragment
/// functions of either are compared with all functions that come before the rasterizer, and mesh functions with object
/// functions.
pub fn pair(first: &[Inspection], second: &[Inspection]) -> Vec<Finding> {
    let (before, after) = (entries(first), entries(second));
    let mut found = Vec::new();
    for (a, b) in [(&before, &after), (&after, &before)] {
        for x in a.iter().filter(|e| matches!(e.stage.as_str(), "vertex" | "mesh")) {
            for y in b.iter().filter(|e| e.stage == "fragment") {
                varyings(x, y, &mut found);
            }
        }
        for x in a.iter().filter(|e| e.stage == "object") {
            for y in b.iter().filter(|e| e.stage == "mesh") {
                payloads(x, y, &mut found);
            }
        }
    }
    for x in symbols(first) {
        if symbols(second).contains(&x) {
            let message = "both files define this symbol for others";
            found.push(Finding::new(Rule::MultiplyDefined, message).in_function(x));
        }
    }
    found
}

fn entries(files: &[Inspection]) -> Vec<&Entry> {
    files.iter().flat_map(|i| &i.entries).collect()
}

/// Symbols that are visible to other libraries.
fn symbols(files: &[Inspection]) -> Vec<&str> {
    files.iter().flat_map(|i| &i.exports).map(String::as_str).collect()
}

/// The name that both sides of a varying share.
fn key(item: &Item) -> Option<&str> {
    item.notes.iter().map(String::as_str).find(|n| n.starts_with("user(") || n.starts_with("generated("))
}

/// The type of the value of an input: that of `interpolant<float3, interpolation::perspective>` is `float3`.
fn value_type(ty: &str) -> &str {
    let inner = ty.strip_prefix("interpolant<").and_then(|rest| rest.split(',').next());
    inner.unwrap_or(ty)
}

/// The results of a function before the rasterizer.
fn results(entry: &Entry) -> Vec<&Item> {
    let values = |item: &'_ Item| {
        matches!(item.kind.as_str(), "vertex_output" | "mesh_vertex_data" | "mesh_primitive_data")
    };
    let meshes = entry.inputs.iter().filter(|i| i.kind == "mesh").flat_map(|i| &i.members);
    entry.outputs.iter().chain(meshes).filter(|i| values(i)).collect()
}

fn varyings(before: &Entry, fragment: &Entry, found: &mut Vec<Finding>) {
    let results = results(before);
    for input in fragment.inputs.iter().filter(|i| i.kind == "fragment_input" && !i.unused) {
        let Some(name) = key(input) else { continue };
        match results.iter().find(|r| key(r) == Some(name)) {
            None => {
                let message = format!("the input `{name}` is not a result of `{}`", before.name);
                found.push(Finding::new(Rule::UnwrittenInput, message).in_function(&fragment.name));
            }
            Some(result) if result.ty != value_type(&input.ty) => {
                let message = format!(
                    "the input `{name}` is `{}`, but the result of `{}` is `{}`",
                    input.ty, before.name, result.ty
                );
                found.push(Finding::new(Rule::InputType, message).in_function(&fragment.name));
            }
            Some(_) => {}
        }
    }
}

fn payloads(object: &Entry, mesh: &Entry, found: &mut Vec<Finding>) {
    let size = |entry: &Entry| entry.inputs.iter().find(|i| i.kind == "payload").and_then(|i| i.size);
    if let (Some(a), Some(b)) = (size(object), size(mesh))
        && a != b
    {
        let message = format!("the payload has {b} bytes, but that of `{}` has {a}", object.name);
        found.push(Finding::new(Rule::PayloadType, message).in_function(&mesh.name));
    }
}
