//! The first application of a pass that is at fault.

use crate::watch::DIFFERS;
use crate::{Runs, Watch};
use airfoil_ir::{Diagnostic, Shader};
use airfoil_passes::manager::Options;
use airfoil_passes::{Manager, Pipeline};
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
        /// Its number in the pipeline, see [`PassStep::key`](airfoil_passes::PassStep::key).
        key: usize,
        /// How many passes had been applied, with this one.
        number: u64,
        /// The passes that had changed something, the one at fault last.
        trace: Vec<usize>,
    },
}

impl Found {
    /// The pass at fault.
    pub fn key(&self) -> Option<usize> {
        match self {
            Found::Fault { key, .. } => Some(*key),
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
    let violations = airfoil_ir::validate::validate(shader);
    if !violations.is_empty() {
        let faults = violations.iter().map(|v| Diagnostic::error("E0810", v.to_string()));
        return Found::Refused(faults.collect());
    }
    let mut copy = shader.clone();
    let mut watch = Watch::new(shader, runs);
    let mut manager =
        Manager::new(Options::checked()).observer(|applied, shader| watch.applied(applied, shader));
    let result = catch_unwind(AssertUnwindSafe(|| manager.run(pipeline, &mut copy)));
    let (last, number) = (manager.last(), manager.applied());
    drop(manager);
    let (kind, message) = match result {
        Ok(Ok(_)) => {
            return Found::Nothing { compared: watch.compared(), warning: watch.warning() };
        }
        Ok(Err(faults)) => match faults.first() {
            Some(first) if first.code == DIFFERS => (Kind::Mismatch, first.message.clone()),
            Some(first) if is_broken_promise(first.code) => (Kind::Broken, first.message.clone()),
            _ => return Found::Refused(faults),
        },
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let words = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            let name = last.map_or("", |key| pipeline.key_text(key));
            (Kind::Panic, format!("pass `{name}` panics: {words}"))
        }
    };
    let key = last.unwrap_or(0);
    let mut trace = watch.trace().to_vec();
    // Only passes that ended well are seen.
    if kind != Kind::Mismatch {
        trace.push(key);
    }
    Found::Fault { kind, message, key, number, trace }
}
