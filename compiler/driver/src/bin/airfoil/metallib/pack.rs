//! `airfoil metallib pack`: modules to a library.

use crate::Failure;
use crate::library_args::PackArgs;
use crate::modules::{self, File};
use crate::output::{self, Sink};
use crate::report::Console;
use airfoil::Diagnostic;
use airfoil::air::inspect::{self, Inspection};
use airfoil::air::metallib::{self, FunctionEntry, LibraryHeader};
use airfoil::air::target::Target;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &PackArgs, console: Console) -> Result<ExitCode, Failure> {
    let mut found: Vec<(File, Vec<u8>, Inspection)> = Vec::new();
    for path in &args.inputs {
        let file = File::read(path, console)?;
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
    let mut header: Option<LibraryHeader> = None;
    for (file, blob, inspection) in &found {
        let refuse = |message: String| file.refuse(Diagnostic::error("E0014", message));
        let target: Target = inspection.triple.parse().map_err(|e| refuse(format!("{e}")))?;
        let own = LibraryHeader::for_target(&target);
        // The library loads where all of its modules do.
        match &mut header {
            None => header = Some(own),
            Some(all) if all.macos == own.macos && all.platform == own.platform => {
                all.os = all.os.max(own.os);
                all.container = all.container.max(own.container);
            }
            Some(_) => return Err(refuse("the modules are for different systems".to_owned())),
        }
        entries.extend(metallib::function_entries(inspection, blob).map_err(|e| refuse(e.to_string()))?);
    }
    let Some(header) = header else { return Ok(ExitCode::SUCCESS) };
    let fail = |message: String| Failure::Reported(1, format!("error: {message}\n"));
    let bytes = metallib::write(&header, &entries).map_err(|e| fail(e.to_string()))?;
    output::write_all(&[(Sink::of(&args.output), bytes)])
        .map_err(|(name, e)| fail(format!("cannot write {name}: {}", output::words(&e))))?;
    Ok(ExitCode::SUCCESS)
}
