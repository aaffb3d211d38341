//! Error codes and constructors. The caller that knows the instruction adds the location.

use airfoil_ir::Diagnostic;

/// Result of a step; boxed, because errors are rare and large.
pub(crate) type Res<T> = Result<T, Box<Diagnostic>>;

/// Inconsistent words, counts and strings.
pub(crate) const MALFORMED: &str = "E0301";
/// Ids that are undefined, defined twice or of the wrong kind.
pub(crate) const ID: &str = "E0302";
/// Types that do not fit the operation.
pub(crate) const TYPE: &str = "E0303";
/// Unsupported features.
pub(crate) const UNSUPPORTED: &str = "E0304";
/// Control flow that is not structured.
pub(crate) const CONTROL: &str = "E0305";
/// Sizes above a limit of the reader.
pub(crate) const LIMIT: &str = "E0306";
/// Missing or ambiguous entry points.
pub(crate) const ENTRY: &str = "E0307";
/// Interfaces: locations, built-ins, bindings.
pub(crate) const INTERFACE: &str = "E0308";

/// An error without location.
#[cold]
pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message))
}

/// An error without location, as a result.
#[cold]
pub(crate) fn fail<T>(code: &'static str, message: impl Into<String>) -> Res<T> {
    Err(error(code, message))
}

/// Returns with an error.
macro_rules! bail {
    ($code:expr, $($t:tt)*) => { return $crate::error::fail($code, format!($($t)*)) };
}
pub(crate) use bail;
