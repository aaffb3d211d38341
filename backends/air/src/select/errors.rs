//! Diagnostics of instruction selection and their codes.
//!
//! Selection continues after an error with an undefined value, so that all reasons are reported at once.

use airfoil_ir::{Diagnostic, Loc, Place, Shader};

/// The shader has no entry function, or is not in a form that can be selected.
pub const NOT_SELECTABLE: &str = "E0500";
/// Metal has no such stage in this back end.
pub const STAGE: &str = "E0501";
/// Metal has no 64-bit floats.
pub const DOUBLE: &str = "E0502";
/// An operation or system value that Metal cannot express.
pub const OPERATION: &str = "E0503";
/// A stage input or output that Metal cannot express.
pub const INTERFACE: &str = "E0504";
/// More resources than Metal has indices for, or two resources on one index.
pub const RESOURCES: &str = "E0505";
/// The operation needs a newer target.
pub const TARGET: &str = "E0506";
/// A texture operation that Metal cannot express.
pub const TEXTURE: &str = "E0507";
/// A memory access that cannot be resolved to a resource or variable.
pub const MEMORY: &str = "E0508";
/// A mesh or payload that exceeds Metal's limits.
pub const MESH_LIMIT: &str = "E0510";
/// A block whose size does not fit into the metadata of its argument.
pub const BLOCK_SIZE: &str = "E0511";

/// More errors than this are not collected.
const MOST: usize = 64;

/// The message for an operation on 64-bit floats.
pub(super) fn no_double(operation: &str) -> String {
    format!("`{operation}` on 64-bit floats: Metal has no double, and `lower_doubles` has not lowered it")
}

/// Collected diagnostics.
#[derive(Default)]
pub(super) struct Errors {
    pub(super) list: Vec<Diagnostic>,
}

impl Errors {
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MOST && !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    pub(super) fn at(&mut self, shader: &Shader, loc: Loc, code: &'static str, message: impl Into<String>) {
        self.push(Diagnostic::error(code, message).at(place(shader, loc)));
    }
}

/// Converts a location of the IR to one of the source.
pub(super) fn place(shader: &Shader, loc: Loc) -> Place {
    match loc.file() {
        Some(file) if !loc.is_none() => Place::Text {
            file: shader.files.get(file as usize).cloned().unwrap_or_default(),
            line: loc.line(),
            column: 0,
        },
        _ => Place::None,
    }
}
