//! The linter for Metal's rules: everything publicly known about the libraries that Apple's loaders, compiler service and back
//! ends reject or execute wrongly, as far as a file shows it.
//!
//! The [table of rules](crate::rules) has the error that each violation causes. [`library()`] checks a file, [`module()`] one
//! module, [`pair`] the interface of two functions of a pipeline. [`coverage`] maps the public lists of such errors to rules.
//!
//! The [validator](crate::validate) is a part of it: its violations are findings of the rules on valid IR.

mod arguments;
mod container;
pub mod coverage;
mod entries;
mod memory;
mod mesh;
mod pairs;
mod sizes;
mod symbols;
mod versions;

pub(crate) use mesh::{MESH_BYTES, MESH_COUNTS, PAYLOAD_BYTES, mesh_bytes};
pub use pairs::pair;
pub(crate) use symbols::THREADGROUP_MEMORY;
pub use versions::loads_from;

use crate::bitcode;
use crate::inspect::{self, Inspection};
use crate::metallib::{self, Function, Library, ReadError};
use crate::module::Module;
use crate::rules::{MODERN, Rule};
use crate::target::{AirVersion, Target};
use crate::validate::calls::air_version;
use crate::validate::{Dialect, Violation, validate_as};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A violation of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Name of the function, if the finding concerns one.
    pub function: Option<String>,
    /// The instruction: its position in the body and its keyword.
    pub inst: Option<(u32, &'static str)>,
    /// Offset in the file.
    pub offset: Option<u64>,
    /// The message.
    pub message: String,
}

impl Finding {
    /// The message with the function and the instruction, without the rule.
    pub fn text(&self) -> String {
        let function = self.function.as_ref().map(|name| format!("function `{name}`: ")).unwrap_or_default();
        let inst = self.inst.map(|(position, name)| format!("instruction %v{position} ({name}): "));
        format!("{function}{}{}", inst.unwrap_or_default(), self.message)
    }

    /// A finding without location.
    fn new(rule: Rule, message: impl Into<String>) -> Finding {
        Finding { rule, function: None, inst: None, offset: None, message: message.into() }
    }

    fn in_function(self, name: &str) -> Finding {
        Finding { function: Some(name.to_owned()), ..self }
    }

    fn at(self, offset: u64) -> Finding {
        Finding { offset: Some(offset), ..self }
    }
}

impl From<Violation> for Finding {
    fn from(v: Violation) -> Finding {
        Finding { rule: v.rule, function: v.function, inst: v.inst, offset: None, message: v.message }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.text())
    }
}

/// The conditions of a check.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The OS that loads the library; by default the deployment target that the library names.
    pub os: Option<Target>,
}

/// Checks the bytes of a library.
pub fn library(file: &[u8], options: &Options) -> Vec<Finding> {
    match metallib::read(file) {
        Ok(library) => read_library(&library, options).0,
        Err(e) => vec![unreadable(&e)],
    }
}

/// The finding for a library that cannot be read.
pub fn unreadable(error: &ReadError) -> Finding {
    Finding::new(Rule::Truncated, error.message.clone()).at(error.offset)
}

/// Checks a library that was read, and returns the inspections of its modules, which [`pair`] takes. Modules that cannot be
/// read have none.
pub fn read_library(library: &Library<'_>, options: &Options) -> (Vec<Finding>, Vec<Inspection>) {
    let mut found = container::findings(library);
    let functions = functions(library);
    let inspections: Vec<Option<&Inspection>> = functions.iter().map(|f| f.1.as_ref()).collect();
    found.extend(versions::findings(library, &inspections, options));
    let mut kept = Vec::with_capacity(functions.len());
    for (list, inspection) in functions {
        found.extend(list);
        kept.extend(inspection);
    }
    (found, kept)
}

type Checked = (Vec<Finding>, Option<Inspection>);

/// The findings of each function, on as many threads as the machine has processors.
fn functions(library: &Library<'_>) -> Vec<Checked> {
    /// Below this number of functions a thread does not pay off.
    const SHARE: usize = 8;
    let all = &library.functions;
    let threads = thread::available_parallelism().map_or(1, usize::from).min(all.len() / SHARE + 1);
    if threads == 1 {
        return all.iter().map(function).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut list = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(f) = all.get(at) else { return list };
            list.push((at, function(f)));
        }
    };
    let mut checked: Vec<(usize, Checked)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Vec<(usize, Checked)>>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().flat_map(join).collect()
    });
    checked.sort_unstable_by_key(|c| c.0);
    checked.into_iter().map(|c| c.1).collect()
}

/// Checks the module of a function of a library against its entry in the container.
fn function(function: &Function<'_>) -> Checked {
    let name = function.entry.name;
    match bitcode::read(function.entry.bitcode) {
        Ok(module) => {
            let inspection = inspect::inspect(&module);
            let mut found = check(&module, &inspection);
            found.extend(container::entry_findings(function, &inspection));
            (found, Some(inspection))
        }
        Err(e) => (vec![unreadable_module(&e, function.bitcode_offset).in_function(name)], None),
    }
}

/// The finding for a module that cannot be read and starts at an offset of the file.
pub fn unreadable_module(error: &ReadError, start: u64) -> Finding {
    let rule = match bitcode::rejection(error) {
        Some(bitcode::Rejection::OpaquePointer) => Rule::OpaquePointers,
        Some(bitcode::Rejection::ForeignInstruction) => Rule::ForeignInstruction,
        Some(bitcode::Rejection::GepType) => Rule::GepType,
        Some(bitcode::Rejection::RecentFlags) => Rule::UnknownAttribute,
        None => Rule::UnreadableModule,
    };
    Finding::new(rule, error.message.clone()).at(start.saturating_add(error.offset))
}

/// Checks a single module.
pub fn module(module: &Module) -> Vec<Finding> {
    check(module, &inspect::inspect(module))
}

/// The findings of [`module()`] that are errors.
pub fn errors(m: &Module) -> Vec<Finding> {
    let mut found = module(m);
    found.retain(|f| !f.rule.info().warning);
    found
}

fn check(m: &Module, inspection: &Inspection) -> Vec<Finding> {
    let air = air_version(m).unwrap_or(AirVersion::new(2, 5));
    let dialect = if air < MODERN { Dialect::Llvm5 } else { Dialect::Llvm14 };
    let mut found: Vec<Finding> = validate_as(m, dialect).into_iter().map(Finding::from).collect();
    // The other rules are about modules whose operands exist.
    let broken = |f: &Finding| matches!(f.rule, Rule::MalformedModule | Rule::PhiRecord);
    let sound = !found.iter().any(broken);
    let mut lint = Lint { m, inspection, found: Vec::new() };
    lint.symbols();
    lint.arguments();
    lint.meshes();
    if sound {
        lint.bodies();
    }
    found.extend(lint.found.into_iter().filter(|f| f.rule.info().since.includes(air)));
    found
}

/// State of the check of one module.
struct Lint<'m> {
    m: &'m Module,
    inspection: &'m Inspection,
    found: Vec<Finding>,
}

impl Lint<'_> {
    /// Reports a finding in a function, or in the module if the name is empty.
    fn report(&mut self, rule: Rule, function: &str, message: impl Into<String>) {
        let function = (!function.is_empty()).then(|| function.to_owned());
        self.found.push(Finding { function, ..Finding::new(rule, message) });
    }
}
