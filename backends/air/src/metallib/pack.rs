//! Container entries of functions, derived from their modules.
//!
//! For modules from elsewhere: `.air` files of Apple's compiler, say. This compiler knows the contents of its own
//! modules.

use super::error::WriteError;
use super::format::{
    DebugLocation, FunctionConstant, FunctionEntry, FunctionKind, Tessellation, VertexAttribute,
};
use super::types::DataType;
use crate::inspect::{Entry, Inspection};
use crate::target::{AirVersion, LanguageVersion};

/// Entries for all entry points of a module that was [inspected](crate::inspect::inspect), whose wrapped bytes are
/// `blob`.
///
/// # Errors
/// The module has no entry point, no version, or a property that a container cannot express.
pub fn function_entries<'a>(
    inspection: &'a Inspection,
    blob: &'a [u8],
) -> Result<Vec<FunctionEntry<'a>>, WriteError> {
    let version = |text: &str, what: &str| {
        let numbers = text.rsplit(' ').next().unwrap_or("");
        let mut numbers = numbers.split('.').map(|n| n.parse::<u16>().ok());
        match (numbers.next().flatten(), numbers.next().flatten()) {
            (Some(major), Some(minor)) => Ok((major, minor)),
            _ => Err(WriteError::new(format!("the module does not say its {what} version"))),
        }
    };
    let air = version(&inspection.air, "AIR")?;
    let language = version(&inspection.language, "language")?;
    if inspection.entries.is_empty() {
        return Err(WriteError::new("the module has no entry point".to_owned()));
    }
    let entry = |entry: &'a Entry| {
        Ok(FunctionEntry {
            name: &entry.name,
            kind: kind(&entry.stage),
            air: AirVersion::new(air.0, air.1),
            language: LanguageVersion::new(language.0, language.1),
            bitcode: blob,
            tessellation: tessellation(entry)?,
            layer: layer(entry)?,
            vertex_attributes: vertex_attributes(entry)?,
            constants: constants(inspection)?,
            debug: entry.debug.as_ref().map(|(line, path)| DebugLocation { line: *line, path }),
            archive: None,
        })
    };
    inspection.entries.iter().map(entry).collect()
}

fn kind(stage: &str) -> FunctionKind {
    const KINDS: [FunctionKind; 7] = [
        FunctionKind::Vertex,
        FunctionKind::Fragment,
        FunctionKind::Kernel,
        FunctionKind::Visible,
        FunctionKind::Intersection,
        FunctionKind::Mesh,
        FunctionKind::Object,
    ];
    KINDS.into_iter().find(|kind| kind.to_string() == stage).unwrap_or(FunctionKind::Unqualified)
}

fn data_type(ty: &str, name: &str) -> Result<DataType, WriteError> {
    DataType::from_name(ty).ok_or_else(|| {
        WriteError::new(format!("`{name}` is of type `{ty}`, which containers have no number for"))
    })
}

fn index(number: Option<i64>, name: &str) -> Result<u16, WriteError> {
    number
        .and_then(|n| u16::try_from(n).ok())
        .ok_or_else(|| WriteError::new(format!("`{name}` has no index, or one that is too large")))
}

/// `air.patch quad air.patch_control_point 16` among the notes of a post-tessellation vertex function.
fn tessellation(entry: &Entry) -> Result<Option<Tessellation>, WriteError> {
    let Some(note) = entry.notes.iter().find(|n| n.split(' ').next() == Some("air.patch")) else {
        return Ok(None);
    };
    let words: Vec<&str> = note.split(' ').collect();
    let points = words.iter().rev().find_map(|w| w.parse::<u8>().ok()).unwrap_or(0);
    let patch = match words.get(1) {
        Some(&"triangle") => Tessellation::triangle(points),
        Some(&"quad") => Tessellation::quad(points),
        _ => None,
    };
    patch
        .map(Some)
        .ok_or_else(|| WriteError::new(format!("`{note}` is not a patch that a container can express")))
}

fn layer(entry: &Entry) -> Result<Option<DataType>, WriteError> {
    let output = entry.outputs.iter().find(|o| o.kind == "render_target_array_index");
    output.map(|o| data_type(&o.ty, &o.name)).transpose()
}

fn vertex_attributes(entry: &Entry) -> Result<Vec<VertexAttribute<'_>>, WriteError> {
    let inputs = entry.inputs.iter().filter(|i| entry.stage == "vertex" && i.kind == "vertex_input");
    inputs
        .map(|input| {
            Ok(VertexAttribute {
                name: &input.name,
                index: index(input.location.map(|l| l.0), &input.name)?,
                usage: 0,
                active: !input.unused,
                data_type: data_type(&input.ty, &input.name)?,
            })
        })
        .collect()
}

fn constants(inspection: &Inspection) -> Result<Vec<FunctionConstant<'_>>, WriteError> {
    let constants = inspection.constants.iter();
    constants
        .map(|c| {
            Ok(FunctionConstant {
                name: &c.name,
                data_type: data_type(&c.ty, &c.name)?,
                index: index(c.index, &c.name)?,
                active: true,
            })
        })
        .collect()
}
