//! Passes checked by execution.

use crate::passes::parse;
use crate::python_pass::call_passes;
use crate::shader::{PyShader, Shaders, copies};
use airfoil::Shader;
use airfoil::check::{Bisected, Kind, ProgramWatch, Runs, bisect_program};
use airfoil::passes::Manager;
use pyo3::prelude::*;

/// The pass at fault that `bisect` found.
#[pyclass(frozen, module = "airfoil")]
pub struct Fault {
    found: Bisected,
    vulkan: bool,
}

#[pymethods]
impl Fault {
    /// `"mismatch"`: the results of the shader change; `"broken"`: the shader is invalid afterwards, or the pass breaks a
    /// promise; `"panic"`: the pass panicked.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.found.kind {
            Kind::Mismatch => "mismatch",
            Kind::Broken => "broken",
            Kind::Panic => "panic",
        }
    }

    /// The fault as a message.
    #[getter]
    fn message(&self) -> &str {
        &self.found.message
    }

    /// The pass with its options.
    #[getter]
    fn pass_name(&self) -> &str {
        &self.found.pass
    }

    /// The applications of passes up to and with this one.
    #[getter]
    fn number(&self) -> u64 {
        self.found.number
    }

    /// Whether the pass alone shows the fault on `shader`.
    #[getter]
    fn alone(&self) -> bool {
        self.found.alone
    }

    /// The algebraic rule at fault, if it is one.
    #[getter]
    fn rule(&self) -> Option<&'static str> {
        self.found.rule
    }

    /// The shader just before the pass, or as it was at first if the pass alone does not show the fault.
    #[getter]
    fn shader(&self) -> PyShader {
        PyShader::new(self.found.shader.clone(), self.vulkan)
    }

    /// A short list of passes that shows the fault on the shader as it was at first.
    #[getter]
    fn passes(&self) -> Vec<String> {
        self.found.passes.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Fault {} of {}: {}>", self.kind(), self.found.pass, self.found.message)
    }
}

/// Executes shaders before and after each pass of a pipeline, on inputs from several seeds. Returns the first pass that changes
/// the results or breaks the shader, or `None`. The shaders do not change.
#[pyfunction]
#[pyo3(signature = (shaders, pipeline, *, seeds = 5))]
pub fn bisect(py: Python<'_>, shaders: Shaders<'_>, pipeline: &str, seeds: u64) -> PyResult<Option<Fault>> {
    let originals = copies(shaders.as_slice());
    let vulkan = shaders.as_slice().iter().all(|shader| shader.get().vulkan());
    let runs = Runs { seeds, ..Runs::default() };
    let found = call_passes(py, || {
        let pipeline = parse(pipeline)?;
        let shaders: Vec<Shader> = originals.iter().map(|shader| Shader::clone(shader)).collect();
        bisect_program(&shaders, &pipeline, &runs)
    })?;
    Ok(found.map(|found| Fault { found, vulkan }))
}

/// Executes shaders before and after each pass of a pipeline, on inputs from several seeds. Returns `"same"`, `"differs"`, or
/// `"not_run"` if nothing could be executed. The shaders do not change.
#[pyfunction]
#[pyo3(signature = (shaders, pipeline, *, seeds = 5))]
pub fn check(py: Python<'_>, shaders: Shaders<'_>, pipeline: &str, seeds: u64) -> PyResult<&'static str> {
    let originals = copies(shaders.as_slice());
    let runs = Runs { seeds, ..Runs::default() };
    call_passes(py, || {
        let pipeline = parse(pipeline)?;
        let mut shaders: Vec<Shader> = originals.iter().map(|shader| Shader::clone(shader)).collect();
        let mut watch = ProgramWatch::new(&shaders, &runs);
        let mut manager = Manager::default().observer(|applied, shader| watch.applied(applied, shader));
        let result = manager.run_program(&pipeline, &mut shaders);
        drop(manager);
        if !watch.differs() {
            let _ = result?;
        }
        Ok(watch.outcome().name())
    })
}
