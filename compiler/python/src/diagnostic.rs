//! Diagnostics and the exceptions that carry them.

use airfoil::{Diagnostic, Place, Severity};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use std::ffi::CString;

create_exception!(
    airfoil,
    Error,
    PyException,
    "An input that is refused. `diagnostics` has the reasons, each with its location."
);
create_exception!(airfoil, InternalError, PyRuntimeError, "A bug of Airfoil; please report it.");
create_exception!(airfoil, DiagnosticWarning, PyUserWarning, "A warning about an input that is accepted.");

/// A message about an input, with a code and a location.
#[pyclass(frozen, name = "Diagnostic", module = "airfoil")]
pub struct PyDiagnostic(Diagnostic);

#[pymethods]
impl PyDiagnostic {
    /// `"error"` or `"warning"`.
    #[getter]
    fn severity(&self) -> &'static str {
        match self.0.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }

    /// The stable code, such as `"E0504"`.
    #[getter]
    fn code(&self) -> &'static str {
        self.0.code
    }

    /// The message: one sentence.
    #[getter]
    fn message(&self) -> &str {
        &self.0.message
    }

    /// Advice on how to fix it, if any.
    #[getter]
    fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Name of the source; empty for the input itself.
    #[getter]
    fn file(&self) -> Option<&str> {
        match &self.0.place {
            Place::Text { file, .. } => Some(file),
            _ => None,
        }
    }

    /// Line in a text, counted from 1.
    #[getter]
    fn line(&self) -> Option<u32> {
        match self.0.place {
            Place::Text { line, .. } => Some(line),
            _ => None,
        }
    }

    /// Column in a text in characters, counted from 1; `None` for a whole line.
    #[getter]
    fn column(&self) -> Option<u32> {
        match self.0.place {
            Place::Text { column, .. } => (column != 0).then_some(column),
            _ => None,
        }
    }

    /// Offset in bytes from the start of a binary input.
    #[getter]
    fn offset(&self) -> Option<usize> {
        match self.0.place {
            Place::Word { offset, .. } => Some(offset * 4),
            Place::Byte(offset) => Some(offset),
            _ => None,
        }
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Diagnostic {}>", self.0)
    }
}

/// The exception for a rejected input.
pub fn refused(py: Python<'_>, diagnostics: Vec<Diagnostic>) -> PyErr {
    let lines: Vec<String> = diagnostics.iter().map(Diagnostic::to_string).collect();
    let error = Error::new_err(lines.join("\n"));
    let list: Vec<PyDiagnostic> = diagnostics.into_iter().map(PyDiagnostic).collect();
    match error.value(py).setattr("diagnostics", list) {
        Ok(()) => error,
        Err(fault) => fault,
    }
}

/// The exception for a word that is not one of a list.
pub fn unknown<'n>(what: &str, word: &str, names: impl IntoIterator<Item = &'n str>) -> PyErr {
    let names: Vec<&str> = names.into_iter().collect();
    PyValueError::new_err(format!("expected a {what} ({}), found `{word}`", names.join(", ")))
}

/// Issues warnings.
///
/// # Errors
/// The warning itself, where the filters of Python make exceptions of warnings.
pub fn warn(py: Python<'_>, diagnostics: &[Diagnostic]) -> PyResult<()> {
    let category = py.get_type::<DiagnosticWarning>();
    for diagnostic in diagnostics {
        // Names of sources may have any characters.
        let text = diagnostic.to_string().replace('\0', "\u{fffd}");
        PyErr::warn(py, &category, &CString::new(text).unwrap_or_default(), 1)?;
    }
    Ok(())
}
