//! Compiling shaders for a target.

use crate::call::call;
use crate::names;
use crate::passes;
use crate::shader::{PyShader, Shaders, copies};
use airfoil::air::library::library;
use airfoil::air::select::Selected;
use airfoil::spirv_out;
use airfoil::steps::{compile_plan, emit, lower};
use airfoil::{AirOptions, Captures, ClipPlanes, PipelineState, Shader, SpirvOptions, Stage, to_spirv};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// A `.metallib`, and its functions.
#[pyclass(frozen, module = "airfoil")]
pub struct Library {
    metallib: Vec<u8>,
    functions: Vec<Py<Function>>,
}

#[pymethods]
impl Library {
    /// The bytes of the library, for `newLibraryWithData:`.
    #[getter]
    fn metallib<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.metallib)
    }

    /// The functions, in order of the pipeline.
    #[getter]
    fn functions(&self, py: Python<'_>) -> Vec<Py<Function>> {
        self.functions.iter().map(|f| f.clone_ref(py)).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Library of {} functions, {} bytes>", self.functions.len(), self.metallib.len())
    }
}

/// A function of a library.
#[pyclass(frozen, module = "airfoil")]
pub struct Function {
    stage: Stage,
    selected: Arc<Selected>,
}

#[pymethods]
impl Function {
    /// Name, for `newFunctionWithName:`.
    #[getter]
    fn name(&self) -> &str {
        &self.selected.reflection.entry
    }

    /// Stage of the source.
    #[getter]
    fn stage(&self) -> String {
        self.stage.to_string()
    }

    /// The Metal index of each resource, inputs and outputs.
    #[getter]
    fn reflection<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.selected.reflection.to_json(),))
    }

    /// The AIR as text of LLVM (`.ll`).
    #[getter]
    fn air(&self, py: Python<'_>) -> PyResult<String> {
        call(py, || Ok(self.selected.to_ll()))
    }

    fn __repr__(&self) -> String {
        format!("<Function {} \"{}\">", self.stage, self.name())
    }
}

/// Compiles a shader, or the shaders of a program in order of the pipeline, to a library. The shaders do not change.
#[pyfunction]
#[pyo3(signature = (shaders, target = None, *, level = "O2", flip_y = false, half_z = false, robust = false))]
pub fn compile(
    py: Python<'_>,
    shaders: Shaders<'_>,
    target: Option<&str>,
    level: &str,
    flip_y: bool,
    half_z: bool,
    robust: bool,
) -> PyResult<Library> {
    let air = AirOptions { target: names::target(target)?, ..AirOptions::default() };
    let level = names::level(level)?;
    let state = PipelineState::default().flip_y(flip_y).half_z(half_z).robust(robust);
    let first_provokes = shaders.as_slice().iter().all(|shader| shader.get().vulkan());
    let options = state.plan_options(level, Captures::default(), first_provokes, ClipPlanes::default());
    let originals = copies(shaders.as_slice());
    let (metallib, selected) = call(py, || {
        let mut shaders: Vec<Shader> = originals.iter().map(|shader| Shader::clone(shader)).collect();
        let plan = compile_plan(&shaders, &options);
        let layouts = lower(&mut shaders, &plan, &options, &mut airfoil::debug::manager())?;
        let selected = emit(&shaders, layouts, &air)?;
        Ok((library(&selected, &air)?, selected))
    })?;
    let function = |(selected, shader): (Selected, &Arc<Shader>)| {
        Py::new(py, Function { stage: shader.stage, selected: Arc::new(selected) })
    };
    let functions = selected.into_iter().zip(&originals).map(function).collect::<PyResult<_>>()?;
    Ok(Library { metallib, functions })
}

/// Compiles a shader in form `variables` to a SPIR-V module. The shader does not change.
#[pyfunction(name = "to_spirv")]
#[pyo3(signature = (shader, target = None, *, level = "O2"))]
pub fn compile_spirv<'py>(
    py: Python<'py>,
    shader: &Bound<'py, PyShader>,
    target: Option<&str>,
    level: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let target = match target {
        None if !shader.get().vulkan() => spirv_out::Target::OPENGL_4_5,
        name => names::target(name)?,
    };
    let copy = Bound::new(py, shader.get().copy())?;
    if names::level(level)? == airfoil::OptLevel::O2 {
        passes::run(py, std::slice::from_ref(&copy), "spirv", false)?;
    }
    let shader = copy.get().get();
    let options = SpirvOptions { target, ..SpirvOptions::default() };
    let words = call(py, || Ok(to_spirv(&shader, &options)?))?;
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    Ok(PyBytes::new(py, &bytes))
}
