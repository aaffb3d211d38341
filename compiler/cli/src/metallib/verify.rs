//! `airfoil metallib verify`: libraries against Metal's rules.

use crate::Failure;
use crate::modules::{self, File, is_module};
use crate::report::{Console, MessageFormat};
use airfoil::air::inspect::{self, Inspection};
use airfoil::air::lint::{self, Finding, Options};
use airfoil::air::{bitcode, metallib};
use airfoil::{Diagnostic, Place, Severity, Target};
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil metallib verify lit.metallib
  airfoil metallib verify lit.metallib --os macos13            does it load there?
  airfoil metallib verify lit.vert.metallib lit.frag.metallib  the interface of a pair
  airfoil metallib verify lit.metallib --message-format json
  airfoil explain M0401                                        a rule: effect, versions, source

Findings have the identifier of a rule (docs/metal-rules.md). Exit status 1: a rule is violated; warnings alone
leave it 0.")]
pub struct VerifyArgs {
    /// A .metallib (or an archive of several), .air or .bc file; two are the functions of a pipeline in their order
    #[arg(value_name = "FILE", required = true, num_args = 1..=2)]
    pub files: Vec<PathBuf>,
    /// The system that loads it: macos14, ios17.2, ... [default: the deployment target of the library]
    #[arg(long, value_name = "TARGET", visible_alias = "target")]
    pub os: Option<Target>,
}

/// Runs the command.
pub fn run(args: &VerifyArgs, console: Console) -> Result<ExitCode, Failure> {
    let options = Options { os: args.os };
    let (mut out, mut errors, mut failed) = (String::new(), String::new(), false);
    let mut modules = Vec::new();
    for path in &args.files {
        let file = File::read(path, console)?;
        let checked = check(&file, &options)?;
        failed |= report(&checked.found, &file.name, console, &mut errors);
        summary(&checked, &file.name, console, &mut out);
        modules.push(checked.modules);
    }
    if let [first, second] = modules.as_slice() {
        let found: Vec<(usize, Finding)> = lint::pair(first, second).into_iter().map(|f| (0, f)).collect();
        let names: Vec<String> = args.files.iter().map(|path| path.display().to_string()).collect();
        failed |= report(&found, &names.join(" and "), console, &mut errors);
    }
    // The output is the product of a success; JSON is complete either way.
    if !failed || console.format == MessageFormat::Json {
        modules::print(&out)?;
    }
    match (failed, errors.is_empty()) {
        (true, _) => Err(Failure::Reported(1, errors)),
        (false, true) => Ok(ExitCode::SUCCESS),
        (false, false) => {
            console.write(&errors);
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The result for one file.
struct Checked {
    /// Findings, and where the library starts in the file.
    found: Vec<(usize, Finding)>,
    modules: Vec<Inspection>,
    /// The first system that loads each library of the file.
    loads_from: Vec<Option<String>>,
}

fn check(file: &File, options: &Options) -> Result<Checked, Failure> {
    let mut checked = Checked { found: Vec::new(), modules: Vec::new(), loads_from: Vec::new() };
    if is_module(&file.bytes) {
        match bitcode::read(&file.bytes) {
            Ok(module) => {
                checked.found.extend(lint::module(&module).into_iter().map(|f| (0, f)));
                checked.modules.push(inspect::inspect(&module));
            }
            Err(e) => checked.found.push((0, lint::unreadable_module(&e, 0))),
        }
        return Ok(checked);
    }
    for (base, bytes) in file.slices()? {
        match metallib::read(bytes) {
            Ok(library) => {
                let (found, modules) = lint::read_library(&library, options);
                checked.found.extend(found.into_iter().map(|f| (base, f)));
                let from = lint::loads_from(&library, &modules).and_then(|(os, release)| {
                    Some(format!("{} {:#}", os.title(), release.first_version(os)?))
                });
                checked.loads_from.push(from);
                checked.modules.extend(modules);
            }
            Err(e) => checked.found.push((base, lint::unreadable(&e))),
        }
    }
    Ok(checked)
}

/// Renders findings; true if one is an error.
fn report(found: &[(usize, Finding)], name: &str, console: Console, errors: &mut String) -> bool {
    let diagnostics: Vec<Diagnostic> = found
        .iter()
        .map(|(base, finding)| {
            let info = finding.rule.info();
            let message = finding.text();
            let diagnostic = match info.warning {
                true => Diagnostic::warning(info.id, message),
                false => Diagnostic::error(info.id, message),
            };
            let diagnostic = match finding.offset.map(usize::try_from) {
                Some(Ok(offset)) => diagnostic.at(Place::Byte(base.saturating_add(offset))),
                _ => diagnostic,
            };
            diagnostic.help(format!("{} Effect: {}", info.summary, info.consequence))
        })
        .collect();
    errors.push_str(&console.render(&diagnostics, name, None));
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// One line per file: how many functions, and the first system that loads them.
fn summary(checked: &Checked, name: &str, console: Console, out: &mut String) {
    let functions: usize = checked.modules.iter().map(|m| m.entries.len()).sum();
    let from = |from: &Option<String>| from.clone().unwrap_or_else(|| "no known system".to_owned());
    let loads: Vec<String> = checked.loads_from.iter().map(from).collect();
    if console.format == MessageFormat::Json {
        let value = json!({
            "$message_type": "summary",
            "file": name,
            "functions": functions,
            "findings": checked.found.len(),
            "loads_from": checked.loads_from,
        });
        let _ = writeln!(out, "{value}");
    } else if !console.quiet {
        let loads =
            if loads.is_empty() { String::new() } else { format!(", loads from {}", loads.join(", ")) };
        let plural = if functions == 1 { "" } else { "s" };
        let _ = writeln!(out, "{name}: {functions} function{plural}{loads}");
    }
}
