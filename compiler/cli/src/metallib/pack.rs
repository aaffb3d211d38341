//! `airfoil metallib pack`: modules to a library.

use crate::Failure;
use crate::modules::{self, File};
use crate::output::{self, Sink};
use crate::report::Console;
use airfoil::Diagnostic;
use airfoil::air::inspect::{self, Inspection};
use airfoil::air::metallib::{self, FunctionEntry, LibraryHeader, Platform};
use airfoil::air::target::Target;
use clap::Args;
use rustc_hash::FxHashMap;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
pub struct PackArgs {
    /// .air or .bc files
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// The library to write, `-` for the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Runs the command.
pub fn run(args: &PackArgs, console: Console) -> Result<ExitCode, Failure> {
    let mut found: Vec<(File, Vec<u8>, Inspection)> = Vec::new();
    for path in &args.inputs {
        let file = File::read(path, console)?;
        if same_file(path, &args.output) {
            return Err(
                file.refuse(Diagnostic::error("E0014", "the library would be written over this module"))
            );
        }
        if !modules::is_module(&file.bytes) {
            return Err(file.refuse(
                Diagnostic::error("E0006", "this is not a module").help("pack takes .air and .bc files"),
            ));
        }
        let part = &file.parts(&[])[0];
        let inspection = inspect::inspect(&file.module(part)?);
        let blob = modules::wrapped(&file.bytes).map_err(|e| file.refuse(Diagnostic::error("E0008", e)))?;
        found.push((file, blob, inspection));
    }
    let mut entries: Vec<FunctionEntry<'_>> = Vec::new();
    let mut newest: Option<Target> = None;
    let mut files: FxHashMap<&str, &str> = FxHashMap::default();
    for (file, blob, inspection) in &found {
        let refuse = |message: String| file.refuse(Diagnostic::error("E0014", message));
        let target: Target = inspection.triple.parse().map_err(|e| refuse(format!("{e}")))?;
        // The library loads where all of its modules do.
        newest = match newest {
            Some(other) if other.os() != target.os() => {
                let system = |target: &Target| Platform(target.os().platform());
                let (own, others) = (system(&target), system(&other));
                return Err(refuse(format!("this module is for {own}, others are for {others}")));
            }
            Some(other) if other.version() >= target.version() => Some(other),
            _ => Some(target),
        };
        let own = metallib::function_entries(inspection, blob).map_err(|e| refuse(e.to_string()))?;
        for entry in &own {
            if let Some(other) = files.insert(entry.name, &file.name) {
                let name = entry.name.escape_debug();
                let fault = Diagnostic::error("E0014", format!("the function `{name}` is in {other}, too"));
                return Err(file.refuse(fault.help("`airfoil compile --rename NAME` names a function")));
            }
        }
        entries.extend(own);
    }
    let Some(target) = newest else { return Ok(ExitCode::SUCCESS) };
    let header = LibraryHeader::for_target(&target);
    let fail = |message: String| Failure::Reported(1, format!("error: {message}\n"));
    let bytes = metallib::write(&header, &entries).map_err(|e| fail(e.to_string()))?;
    output::write_all(&[(Sink::of(&args.output), bytes)])
        .map_err(|(name, e)| fail(format!("cannot write {name}: {}", output::words(&e))))?;
    Ok(ExitCode::SUCCESS)
}

/// Two paths lead to the same file.
fn same_file(a: &Path, b: &Path) -> bool {
    fs::canonicalize(a).ok().zip(fs::canonicalize(b).ok()).is_some_and(|(a, b)| a == b)
}
