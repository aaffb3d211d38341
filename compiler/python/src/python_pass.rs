//! Passes that are functions of Python. Pipelines refer to them by name, like those of Airfoil.

use crate::call::call;
use crate::code::edit;
use crate::diagnostic::refused;
use airfoil::air::plan;
use airfoil::passes::registry::{Entry, Registry};
use airfoil::passes::{Changes, FunctionPass, PassInfo};
use airfoil::{Diagnostic, Form, Shader};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};

/// Name of the group of these passes.
const GROUP: &str = "Python";

/// A registered function.
struct Definition {
    name: String,
    summary: String,
    doc: String,
    takes: &'static [Form],
    rounds: bool,
    function: Py<PyAny>,
}

/// The registered functions.
static DEFINITIONS: Mutex<Vec<Arc<Definition>>> = Mutex::new(Vec::new());

/// The passes of Airfoil and these.
static REGISTRY: LazyLock<RwLock<Arc<Registry>>> =
    LazyLock::new(|| RwLock::new(Arc::new(plan::registry().clone())));

thread_local! {
    /// The exception that a pass raised on this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// All passes.
pub fn registry() -> Arc<Registry> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Runs passes, as [`call`] does. The exception of a pass in Python is the cause of the error.
///
/// # Errors
/// As [`call`].
pub fn call_passes<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Vec<Diagnostic>> + Send,
) -> PyResult<T> {
    let (result, raised) = call(py, || {
        // A pass may run passes itself.
        let outer = RAISED.take();
        let result = work();
        Ok((result, RAISED.replace(outer)))
    })?;
    result.map_err(|faults| {
        let error = refused(py, faults);
        error.set_cause(py, raised);
        error
    })
}

/// The forms of names.
fn forms(names: &[String]) -> PyResult<&'static [Form]> {
    use Form::{Slots, Target, Variables};
    const SETS: [&[Form]; 7] = [
        &[Variables],
        &[Slots],
        &[Target],
        &[Variables, Slots],
        &[Variables, Target],
        &[Slots, Target],
        &[Variables, Slots, Target],
    ];
    let has = |set: &[Form]| set.len() == names.len() && set.iter().all(|f| names.contains(&f.to_string()));
    SETS.into_iter().find(|set| has(set)).ok_or_else(|| {
        PyValueError::new_err(format!("expected forms out of variables, slots, target; found {names:?}"))
    })
}

/// Registers a function as a pass; one that was registered under the same name is replaced.
#[pyfunction]
pub fn _register_pass(
    name: String,
    summary: String,
    doc: String,
    takes: Vec<String>,
    rounds: bool,
    function: Py<PyAny>,
) -> PyResult<()> {
    let takes = forms(&takes)?;
    let definition = Arc::new(Definition { name, summary, doc, takes, rounds, function });
    let mut all = DEFINITIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut kept: Vec<_> = all.iter().filter(|other| other.name != definition.name).cloned().collect();
    kept.push(definition);
    let mut registry = plan::registry().clone();
    for definition in &kept {
        let refused = |fault: Diagnostic| PyValueError::new_err(fault.message);
        registry.add(GROUP, "Functions of Python.", entry(definition)).map_err(refused)?;
    }
    *all = kept;
    *REGISTRY.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(registry);
    Ok(())
}

fn entry(definition: &Arc<Definition>) -> Entry {
    let owned = |text: &str| text.to_string().into();
    let info = PassInfo::of(owned(&definition.name), owned(&definition.summary), owned(&definition.doc));
    let info = info.takes(definition.takes);
    let info = if definition.rounds { info.rounds() } else { info };
    let definition = definition.clone();
    Entry::value(FunctionPass::new(info, move |shader, _| run(&definition, shader)))
}

/// Lets the function edit a shader.
fn run(definition: &Definition, shader: &mut Shader) -> Result<Changes, Diagnostic> {
    let before = shader.clone();
    let result = Python::attach(|py| {
        edit(py, definition.function.bind(py), shader).map_err(|raised| {
            let text = raised.to_string();
            RAISED.set(Some(raised));
            text
        })
    });
    match result {
        Ok(Ok(())) if before.same_as(shader) => Ok(Changes::NONE),
        Ok(Ok(())) => Ok(Changes::ALL),
        Ok(Err(fault)) => {
            Err(Diagnostic { message: format!("pass `{}`: {}", definition.name, fault.message), ..fault })
        }
        Err(text) => Err(Diagnostic::error("E0824", format!("pass `{}` raised {text}", definition.name))),
    }
}
