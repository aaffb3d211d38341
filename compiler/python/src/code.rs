//! The code of a shader as a function of Python edits it.

use crate::inspect::{ShaderFunction, functions};
use crate::source::Source;
use airfoil::ir::text;
use airfoil::{Diagnostic, Shader, steps};
use pyo3::prelude::*;
use std::sync::Arc;

/// The code of a shader, which a pass edits through its functions.
#[pyclass(frozen, module = "airfoil")]
pub struct Code(Arc<Source>);

#[pymethods]
impl Code {
    /// Name of the shader.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.0.read(|shader| Ok(shader.name.to_string()))
    }

    /// The stage, such as `"fragment"`.
    #[getter]
    fn stage(&self) -> PyResult<String> {
        self.0.read(|shader| Ok(shader.stage.to_string()))
    }

    /// The form: `"variables"`, `"slots"` or `"target"`.
    #[getter]
    fn form(&self) -> PyResult<String> {
        self.0.read(|shader| Ok(shader.form.to_string()))
    }

    /// The functions of the shader.
    #[getter]
    fn functions(&self) -> PyResult<Vec<ShaderFunction>> {
        functions(&self.0)
    }

    fn __str__(&self) -> PyResult<String> {
        self.0.read(|shader| Ok(text::print(shader)))
    }
}

/// Lets a function edit a shader.
///
/// # Errors
/// The exception that it raised, or the rules of the IR that the shader violates afterwards. The shader may be half changed
/// then.
pub fn edit(
    py: Python<'_>,
    function: &Bound<'_, PyAny>,
    shader: &mut Shader,
) -> PyResult<Result<(), Diagnostic>> {
    let empty = Shader::new("", shader.stage);
    let source = Source::open(std::mem::replace(shader, empty));
    let result = Bound::new(py, Code(source.clone())).and_then(|code| function.call1((code,)));
    if let Some(edited) = source.close() {
        *shader = edited;
    }
    let _ = result?;
    Ok(steps::validate(shader).map_err(|faults| {
        let first = faults.first().map_or("", |fault| &fault.message);
        Diagnostic::error("E0810", format!("the function leaves an invalid shader: {first}"))
    }))
}
