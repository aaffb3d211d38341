//! Errors of lowering.

use airfoil_ir::Diagnostic;

/// A result, or the error. [`lower`] adds the location.
pub type Res<T> = Result<T, Box<Diagnostic>>;

/// Features that the IR cannot express.
pub const UNSUPPORTED: &str = "E1201";
/// Too large.
pub const LIMIT: &str = "E1202";
/// The typed tree violates the guarantees of the checker and the linker.
pub const MALFORMED: &str = "E1203";

/// An error with a code and a message.
pub fn error(code: &'static str, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message))
}

/// Fails with a code and a message.
pub fn fail<T>(code: &'static str, message: impl Into<String>) -> Res<T> {
    Err(error(code, message))
}
