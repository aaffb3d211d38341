//! Codes of the diagnostics, and the result type of the writer.

use airfoil_ir::{Diagnostic, Loc, Place, Shader};

/// The shader has no entry function, or is not in form `variables`.
pub const NOT_WRITABLE: &str = "E0520";
/// An operation that SPIR-V for shaders does not have.
pub const OPERATION: &str = "E0521";
/// An input, output or system value that the environment does not have.
pub const INTERFACE: &str = "E0522";
/// The feature requires a newer version of SPIR-V or another environment.
pub const TARGET: &str = "E0523";
/// A memory access that has no pointer in SPIR-V.
pub const MEMORY: &str = "E0524";
/// A limit of the binary form.
pub const LIMIT: &str = "E0525";

/// Result of a step of the writer.
pub(crate) type Res<T> = Result<T, Box<Diagnostic>>;

/// An error.
#[cold]
pub(crate) fn fail<T>(code: &'static str, message: impl Into<String>) -> Res<T> {
    Err(Box::new(Diagnostic::error(code, message)))
}

/// The location of an instruction in the source, for a diagnostic without one.
#[cold]
pub(crate) fn locate(mut error: Box<Diagnostic>, shader: &Shader, loc: Loc) -> Box<Diagnostic> {
    if let (Place::None, Some(file)) = (&error.place, loc.file()) {
        let file = shader.files.get(file as usize).cloned().unwrap_or_default();
        error.place = Place::Text { file, line: loc.line(), column: 0 };
    }
    error
}
