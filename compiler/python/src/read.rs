//! Reading GLSL, SPIR-V and the text form of the IR.

use crate::call::call;
use crate::diagnostic::{InternalError, warn};
use crate::names::stage;
use crate::number::Number;
use crate::shader::PyShader;
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{ReadOptions, SpecValue, steps};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Compiles a GLSL shader.
#[pyfunction]
#[pyo3(signature = (text, stage, *, name = "", vulkan = false, defines = None))]
pub fn read_glsl(
    py: Python<'_>,
    text: &str,
    stage: &str,
    name: &str,
    vulkan: bool,
    defines: Option<BTreeMap<String, String>>,
) -> PyResult<PyShader> {
    let source = Source { name, stage: self::stage(stage)?, text };
    let shaders = link(py, &[source], vulkan, defines, true)?;
    // One stage gives one shader.
    shaders.into_iter().next().ok_or_else(|| InternalError::new_err("a linked stage has no shader"))
}

/// Compiles the stages of a GLSL program, by the name of the stage, and links them.
#[pyfunction]
#[pyo3(signature = (sources, *, vulkan = false, defines = None))]
pub fn link_glsl(
    py: Python<'_>,
    sources: BTreeMap<String, String>,
    vulkan: bool,
    defines: Option<BTreeMap<String, String>>,
) -> PyResult<Vec<PyShader>> {
    let source = |(name, text)| Ok(Source { name, stage: stage(name)?, text });
    let sources: Vec<Source<'_>> =
        sources.iter().map(|(name, text)| source((name.as_str(), text))).collect::<PyResult<_>>()?;
    link(py, &sources, vulkan, defines, false)
}

fn link(
    py: Python<'_>,
    sources: &[Source<'_>],
    vulkan: bool,
    defines: Option<BTreeMap<String, String>>,
    separable: bool,
) -> PyResult<Vec<PyShader>> {
    let mut options = ProgramOptions {
        vulkan,
        defines: defines.unwrap_or_default().into_iter().collect(),
        ..ProgramOptions::default()
    };
    options.link.separable = separable;
    let program = call(py, || Ok(steps::read_glsl(sources, &options)?))?;
    warn(py, &program.warnings)?;
    Ok(program.shaders.into_iter().map(|shader| PyShader::new(shader, vulkan)).collect())
}

/// Reads an entry point of a SPIR-V module.
#[pyfunction]
#[pyo3(signature = (module, *, entry = None, stage = None, constants = None))]
pub fn read_spirv(
    py: Python<'_>,
    module: Cow<'_, [u8]>,
    entry: Option<String>,
    stage: Option<&str>,
    constants: Option<BTreeMap<u32, Number>>,
) -> PyResult<PyShader> {
    let stage = stage.map(self::stage).transpose()?;
    let values: Vec<(u32, SpecValue)> =
        constants.unwrap_or_default().into_iter().map(|(id, value)| (id, value.into())).collect();
    let shader = call(py, || {
        let words = airfoil::spirv::from_bytes(&module)?;
        let spec = airfoil::spec::resolve(&words, &values)?;
        let options = ReadOptions { entry, stage, spec, ..ReadOptions::default() };
        Ok(steps::read_spirv(&words, &options)?)
    })?;
    Ok(PyShader::new(shader, true))
}

/// Reads the text form of the IR.
#[pyfunction]
pub fn parse(py: Python<'_>, text: &str) -> PyResult<PyShader> {
    call(py, || Ok(steps::read_foil(text)?)).map(|shader| PyShader::new(shader, true))
}
