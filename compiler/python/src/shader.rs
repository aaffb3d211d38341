//! The class `Shader`.

use crate::call::call;
use crate::code::edit;
use crate::diagnostic::refused;
use crate::inspect::{ShaderFunction, functions};
use crate::passes;
use crate::source::Source;
use airfoil::ir::analysis::Counts;
use airfoil::ir::text;
use airfoil::spirv_out::Reflection;
use airfoil::{Shader, steps};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};

/// A shader in the IR.
///
/// Python holds a reference to a shader that does not change; passes replace it by a changed copy. So a run that fails
/// leaves the shader as it was, and threads can read it during a run.
#[pyclass(frozen, name = "Shader", module = "airfoil")]
pub struct PyShader {
    shader: Mutex<Arc<Shader>>,
    /// The API of the source is Vulkan, or unknown.
    vulkan: bool,
}

impl PyShader {
    /// A shader from a source for Vulkan, or for OpenGL.
    pub fn new(shader: Shader, vulkan: bool) -> PyShader {
        PyShader { shader: Mutex::new(Arc::new(shader)), vulkan }
    }

    /// The shader as it is now.
    pub fn get(&self) -> Arc<Shader> {
        self.shader.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the shader.
    pub fn set(&self, shader: Shader) {
        *self.shader.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(shader);
    }

    /// The API of the source is Vulkan, or unknown.
    pub fn vulkan(&self) -> bool {
        self.vulkan
    }
}

#[pymethods]
impl PyShader {
    /// Name of the shader.
    #[getter]
    fn name(&self) -> String {
        self.get().name.to_string()
    }

    /// The stage, such as `"fragment"`.
    #[getter]
    fn stage(&self) -> String {
        self.get().stage.to_string()
    }

    /// The form: `"variables"`, `"slots"` or `"target"`.
    #[getter]
    fn form(&self) -> String {
        self.get().form.to_string()
    }

    /// A shader that changes independently.
    pub fn copy(&self) -> PyShader {
        PyShader { shader: Mutex::new(self.get()), vulkan: self.vulkan }
    }

    fn __copy__(&self) -> PyShader {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyShader {
        self.copy()
    }

    /// Checks all rules of the IR.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        let shader = self.get();
        call(py, || Ok(steps::validate(&shader)?))
    }

    /// Sizes of the shader by name: instructions, ALU operations, live values and others.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let shader = self.get();
        let counts = call(py, || Ok(Counts::new(&shader)))?;
        let dict = PyDict::new(py);
        for (name, value) in Counts::NAMES.iter().zip(counts.values()) {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    /// The functions, to look at. Passes edit them: `apply`.
    #[getter]
    fn functions(&self) -> PyResult<Vec<ShaderFunction>> {
        functions(&Source::frozen(self.get()))
    }

    /// Lets a function edit the code. Returns whether it changed the shader, which stays as it was if the function raises an
    /// exception or leaves an invalid shader.
    fn apply(&self, py: Python<'_>, function: &Bound<'_, PyAny>) -> PyResult<bool> {
        let before = self.get();
        let mut shader = Shader::clone(&before);
        if let Err(fault) = edit(py, function, &mut shader)? {
            return Err(refused(py, vec![fault]));
        }
        let changed = !before.same_as(&shader);
        self.set(shader);
        Ok(changed)
    }

    /// The interface: resources, inputs, outputs, specialization constants, size of the workgroup.
    fn reflection<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shader = self.get();
        let text = call(py, || Ok(Reflection::new(&shader).to_json()))?;
        py.import("json")?.call_method1("loads", (text,))
    }

    /// Runs a pipeline of passes. Returns whether it changed the shader.
    #[pyo3(signature = (pipeline, *, validate = false))]
    fn run(slf: &Bound<'_, Self>, pipeline: &str, validate: bool) -> PyResult<bool> {
        passes::run(slf.py(), std::slice::from_ref(slf), pipeline, validate)
    }

    /// Runs a pipeline of passes. Returns a row per pass.
    #[pyo3(signature = (pipeline))]
    fn profile<'py>(slf: &Bound<'py, Self>, pipeline: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
        passes::profile(slf.py(), std::slice::from_ref(slf), pipeline)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let shader = self.get();
        call(py, || Ok(text::print(&shader)))
    }

    fn __repr__(&self) -> String {
        let shader = self.get();
        let instrs: usize = shader.functions.values().map(|f| f.body.entries().count()).sum();
        format!("<Shader {} \"{}\", form {}, {instrs} instructions>", shader.stage, shader.name, shader.form)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<PyShader>() else { return Ok(false) };
        let (a, b) = (self.get(), other.get().get());
        call(py, || Ok(Arc::ptr_eq(&a, &b) || text::print(&a) == text::print(&b)))
    }

    /// Shaders are pickled as text.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, bool))> {
        let restore = py.import("airfoil._native")?.getattr("_restore")?;
        Ok((restore, (self.__str__(py)?, self.vulkan)))
    }
}

/// The shader of a pickled text.
#[pyfunction]
pub fn _restore(py: Python<'_>, text: &str, vulkan: bool) -> PyResult<PyShader> {
    call(py, || Ok(steps::read_foil(text)?)).map(|shader| PyShader::new(shader, vulkan))
}

/// A shader, or the shaders of a program.
#[derive(FromPyObject)]
pub enum Shaders<'py> {
    /// One shader.
    One(Bound<'py, PyShader>),
    /// Shaders in order of the pipeline.
    Many(Vec<Bound<'py, PyShader>>),
}

impl<'py> Shaders<'py> {
    /// The shaders.
    pub fn as_slice(&self) -> &[Bound<'py, PyShader>] {
        match self {
            Shaders::One(shader) => std::slice::from_ref(shader),
            Shaders::Many(list) => list,
        }
    }
}

/// Copies of shaders, to be changed.
pub fn copies(shaders: &[Bound<'_, PyShader>]) -> Vec<Arc<Shader>> {
    shaders.iter().map(|shader| shader.get().get()).collect()
}
