//! Errors: codes, and short ways to make them. Places are added by whoever knows the instruction.

use airfoil_ir::Diagnostic;

/// Result of a step; boxed, because errors are rare and large.
pub(crate) type Res<T> = Result<T, Box<Diagnostic>>;

/// Words, counts and strings that do not fit together.
pub(crate) const MALFORMED: &str = "E0301";
/// Ids that are undefined, defined twice or of the wrong kind.
pub(crate) const ID: &str = "E0302";
/// Types that do not fit the operation.
pub(crate) const TYPE: &str = "E0303";
/// What is not handled yet.
pub(crate) const UNSUPPORTED: &str = "E0304";
/// Control flow that is not structured.
pub(crate) const CONTROL: &str = "E0305";
/// Sizes beyond what is sensible.
pub(crate) const LIMIT: &str = "E0306";
/// Missing or ambiguous entry points.
pub(crate) const ENTRY: &str = "E0307";
/// Interfaces: locations, built-ins, bindings.
pub(crate) const INTERFACE: &str = "E0308";

/// An error without place.
#[cold]
pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message))
}

/// An error without place, as a result.
#[cold]
pub(crate) fn fail<T>(code: &'static str, message: impl Into<String>) -> Res<T> {
    Err(error(code, message))
}

/// Returns with an error.
macro_rules! bail {
    ($code:expr, $($t:tt)*) => { return $crate::error::fail($code, format!($($t)*)) };
}
pub(crate) use bail;
