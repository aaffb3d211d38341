//! Passes and pipelines by name.

use crate::call::call;
use crate::python_pass::{call_passes, registry};
use crate::shader::{PyShader, Shaders, copies};
use airfoil::passes::Pipeline;
use airfoil::passes::manager::{Manager, Options, Statistics};
use airfoil::{Diagnostic, Shader};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Runs a pipeline of passes on the shaders of a program. Returns whether it changed any of them.
#[pyfunction(name = "run")]
#[pyo3(signature = (shaders, pipeline, *, validate = false))]
pub fn run_shaders(py: Python<'_>, shaders: Shaders<'_>, pipeline: &str, validate: bool) -> PyResult<bool> {
    run(py, shaders.as_slice(), pipeline, validate)
}

/// Runs a pipeline of passes on the shaders of a program. Returns a row per pass, in the order of their first runs.
#[pyfunction(name = "profile")]
#[pyo3(signature = (shaders, pipeline))]
pub fn profile_shaders<'py>(
    py: Python<'py>,
    shaders: Shaders<'py>,
    pipeline: &str,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    profile(py, shaders.as_slice(), pipeline)
}

/// Runs a pipeline; the shaders change only if all of it succeeds.
pub fn run(
    py: Python<'_>,
    shaders: &[Bound<'_, PyShader>],
    pipeline: &str,
    validate: bool,
) -> PyResult<bool> {
    let options = Options { validate, ..Options::default() };
    Ok(apply(py, shaders, pipeline, options)?.0)
}

/// Runs a pipeline and returns a row per pass.
pub fn profile<'py>(
    py: Python<'py>,
    shaders: &[Bound<'py, PyShader>],
    pipeline: &str,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let options = Options { statistics: true, ..Options::default() };
    let (_, statistics) = apply(py, shaders, pipeline, options)?;
    let row = |(name, s): (&str, &airfoil::passes::manager::PassStatistics)| {
        let row = PyDict::new(py);
        row.set_item("pass", name)?;
        row.set_item("runs", s.runs)?;
        row.set_item("changed", s.changed)?;
        row.set_item("skipped", s.skipped)?;
        row.set_item("before", s.before)?;
        row.set_item("after", s.after)?;
        row.set_item("seconds", s.time.as_secs_f64())?;
        Ok(row)
    };
    statistics.iter().map(row).collect()
}

/// The pipeline of a text.
///
/// # Errors
/// The error, with line and column.
pub fn parse(text: &str) -> Result<Pipeline, Vec<Diagnostic>> {
    Pipeline::parse_with(text, &registry()).map_err(|fault| vec![fault])
}

fn apply(
    py: Python<'_>,
    shaders: &[Bound<'_, PyShader>],
    pipeline: &str,
    options: Options,
) -> PyResult<(bool, Statistics)> {
    let before = copies(shaders);
    let (after, changed, statistics) = call_passes(py, || {
        let pipeline = parse(pipeline)?;
        let mut shaders: Vec<Shader> = before.iter().map(|shader| Shader::clone(shader)).collect();
        let mut manager = Manager::new(options);
        let changes = manager.run_program(&pipeline, &mut shaders)?;
        Ok((shaders, changes.is_progress(), manager.statistics().clone()))
    })?;
    for (shader, after) in shaders.iter().zip(after) {
        shader.get().set(after);
    }
    Ok((changed, statistics))
}

/// The text of a pipeline with presets replaced by their steps.
#[pyfunction]
pub fn expand(py: Python<'_>, pipeline: &str) -> PyResult<String> {
    call(py, || parse(pipeline).map(|pipeline| pipeline.to_string()))
}

/// All passes: name, group, summary, the forms that it takes and leaves, options with their defaults, documentation.
#[pyfunction]
pub fn passes<'py>(py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let mut rows = Vec::new();
    let registry = registry();
    for group in registry.groups() {
        for entry in &group.passes {
            let info = entry.info();
            let row = PyDict::new(py);
            row.set_item("name", info.name.to_string())?;
            row.set_item("group", group.name.to_string())?;
            row.set_item("summary", info.summary.to_string())?;
            row.set_item("takes", info.takes.iter().map(|form| form.to_string()).collect::<Vec<_>>())?;
            row.set_item("leaves", info.leaves.map(|form| form.to_string()))?;
            let options = PyDict::new(py);
            for option in entry.options() {
                options.set_item(option.name, (option.default)())?;
            }
            row.set_item("options", options)?;
            row.set_item("doc", info.doc.to_string())?;
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The pipelines that have a name, as text.
#[pyfunction]
pub fn presets(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for preset in registry().presets() {
        dict.set_item(preset.name, preset.text)?;
    }
    Ok(dict)
}
