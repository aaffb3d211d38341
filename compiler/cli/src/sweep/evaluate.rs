//! One pipeline on one file.

use super::pipelines::Named;
use crate::batch::Log;
use crate::stats::row::{Check, Row};
use crate::stats::{Measures, measure};
use airfoil::Shader;
use airfoil::check::{ProgramWatch, Runs};
use airfoil::ir::text;
use airfoil::passes::Manager;
use airfoil_cache::Key;
use std::sync::OnceLock;

/// The shaders of a file.
#[derive(Debug)]
pub struct File {
    /// Name of the file.
    pub name: String,
    /// Its shaders.
    pub shaders: Vec<Shader>,
    identity: OnceLock<Key>,
}

impl File {
    /// The shaders that were read from a file.
    pub fn new(name: String, shaders: Vec<Shader>) -> File {
        File { name, shaders, identity: OnceLock::new() }
    }

    /// A digest of name and shaders, computed at the first call.
    pub fn identity(&self) -> &Key {
        self.identity.get_or_init(|| {
            let texts: Vec<String> = self.shaders.iter().map(text::print).collect();
            let parts = std::iter::once(&self.name).chain(&texts);
            Key::of("sweep file", &parts.map(String::as_bytes).collect::<Vec<_>>())
        })
    }
}

/// The row of a pipeline and a file. Faults are reported and part of the row.
pub fn evaluate(file: &File, named: &Named, measures: Measures, runs: Option<&Runs>, log: &mut Log) -> Row {
    let mut row = match measure(&file.shaders, &named.pipeline, measures, file.name.clone(), &named.name) {
        Ok(row) => row,
        Err(faults) => {
            log.diagnostics(&faults, &file.name, None);
            return Row { check: Some(Check::Refused), ..Row::empty(file.name.clone(), &named.name) };
        }
    };
    row.check = runs.map(|runs| check(file, named, runs, log));
    row
}

/// Executes the shaders before the pipeline and after each of its passes.
fn check(file: &File, named: &Named, runs: &Runs, log: &mut Log) -> Check {
    let mut watch = ProgramWatch::new(&file.shaders, runs);
    let mut shaders = file.shaders.clone();
    let mut manager = Manager::default().observer(|applied, shader| watch.applied(applied, shader));
    let result = manager.run_program(&named.pipeline, &mut shaders);
    drop(manager);
    if let Err(faults) = &result {
        log.diagnostics(faults, &file.name, None);
    }
    if result.is_err() && !watch.differs() { Check::Refused } else { Check::Ran(watch.outcome()) }
}
