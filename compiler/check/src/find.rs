//! The first application of a pass that is at fault.

use crate::watch::DIFFERS;
use crate::{ProgramWatch, Runs};
use airfoil_ir::{Diagnostic, Shader};
use airfoil_passes::manager::Options;
use airfoil_passes::{Manager, PassStep, Pipeline};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The kind of fault of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The shader computes something else.
    Mismatch,
    /// The shader is not valid any more, or the pass does not keep a promise about progress, analyses or form.
    Broken,
    /// The pass panicked: a bug.
    Panic,
}

/// How a pipeline ran.
#[derive(Debug)]
pub enum Found {
    /// No pass is at fault. If something could not be executed, the warning says what.
    Nothing {
        /// How often the shader was compared.
        compared: u64,
        /// What was not compared.
        warning: Option<Diagnostic>,
    },
    /// The input is not valid, or a pass refuses it in words.
    Refused(Vec<Diagnostic>),
    /// A pass is at fault.
    Fault {
        /// Its fault.
        kind: Kind,
        /// The same in words.
        message: String,
        /// The pass.
        pass: PassStep,
        /// Index of the shader in the program.
        shader: usize,
        /// How many passes had been applied, with this one.
        number: u64,
        /// The passes that had changed this shader, the one at fault last.
        trace: Vec<PassStep>,
    },
}

impl Found {
    /// Name and options of the pass at fault.
    pub fn pass(&self) -> Option<&str> {
        match self {
            Found::Fault { pass, .. } => Some(pass.text()),
            _ => None,
        }
    }
}

/// Whether the checks of the manager found that a pass broke a promise.
fn is_broken_promise(code: &str) -> bool {
    matches!(code, "E0810" | "E0811" | "E0812" | "E0813")
}

/// Runs a pipeline on a copy of a shader with all checks and stops at the first fault.
pub fn find(shader: &Shader, pipeline: &Pipeline, runs: &Runs) -> Found {
    find_in_program(std::slice::from_ref(shader), pipeline, runs)
}

/// Runs a pipeline on copies of the shaders of a program with all checks and stops at the first fault.
pub fn find_in_program(shaders: &[Shader], pipeline: &Pipeline, runs: &Runs) -> Found {
    let violations = shaders.iter().flat_map(airfoil_ir::validate::validate);
    let faults: Vec<Diagnostic> = violations.map(|v| Diagnostic::error("E0810", v.to_string())).collect();
    if !faults.is_empty() {
        return Found::Refused(faults);
    }
    let mut copies = shaders.to_vec();
    let mut watch = ProgramWatch::new(shaders, runs);
    let mut manager =
        Manager::new(Options::checked()).observer(|applied, shader| watch.applied(applied, shader));
    let result = catch_unwind(AssertUnwindSafe(|| manager.run_program(pipeline, &mut copies)));
    let (mut last, mut shader, mut number) =
        (manager.last().cloned(), manager.last_shader(), manager.applied());
    drop(manager);
    // Passes on other shaders may have followed.
    if let Some((pass, at, applied)) = watch.fault() {
        (last, shader, number) = (Some(pass.clone()), *at, *applied);
    }
    let (kind, message) = match result {
        Ok(Ok(_)) => {
            let warning = watch.warnings().next();
            return Found::Nothing { compared: watch.compared(), warning };
        }
        Ok(Err(faults)) => match faults.first() {
            Some(first) if first.code == DIFFERS => (Kind::Mismatch, first.message.clone()),
            Some(first) if is_broken_promise(first.code) => (Kind::Broken, first.message.clone()),
            _ => return Found::Refused(faults),
        },
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let message = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            let name = last.as_ref().map_or("", PassStep::text);
            (Kind::Panic, format!("pass `{name}` panics: {message}"))
        }
    };
    let Some(pass) = last else {
        return Found::Refused(vec![Diagnostic::error("E0810", message)]);
    };
    let mut trace = watch.trace(shader).to_vec();
    // Only passes that ended well are observed.
    if kind != Kind::Mismatch {
        trace.push(pass.clone());
    }
    Found::Fault { kind, message, pass, shader, number, trace }
}
