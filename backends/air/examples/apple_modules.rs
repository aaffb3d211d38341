//! Reads every function of libraries that Apple's compiler made, and writes it again.
//!
//! `cargo run --profile conformance -p airfoil-air --example apple_modules -- [--part N] [--lint] LIBRARY...`
//!
//! Per library: the container is rebuilt byte for byte. Per function, or for every N-th of them: the module is read and validated, its text assembles
//! with `llvm-as-14` to what LLVM reads from Apple's bytes, and so does the bitcode that is written again. The linter finds nothing in the library of
//! these functions. Prints counts per step; exit status 1 if any function fails one. `--lint` runs the linter alone. Requires LLVM 14.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/llvm/mod.rs"]
mod llvm;

use airfoil_air::module::Module;
use airfoil_air::validate::{Dialect, validate_as};
use airfoil_air::{bitcode, lint, ll, metallib};
use llvm::{Folder, unname};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The steps of a function, in order.
const STEPS: [&str; 4] = ["read", "valid", "same after writing", "same as text"];

#[derive(Default)]
struct Counts {
    functions: usize,
    passed: [usize; STEPS.len()],
    /// Messages with the count of functions, and one of them.
    failures: BTreeMap<String, (usize, String)>,
}

fn main() -> ExitCode {
    let (mut part, mut only_lint) = (1, false);
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--part" => match arguments.next().and_then(|n| n.parse().ok()) {
                Some(n) if n > 0 => part = n,
                _ => return usage(),
            },
            "--lint" => only_lint = true,
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        return usage();
    }
    let mut failed = false;
    for file in &files {
        match library(Path::new(file), part, only_lint) {
            Ok(clean) => failed |= !clean,
            Err(message) => {
                println!("{file}: {message}");
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}

fn usage() -> ExitCode {
    eprintln!("usage: apple_modules [--part N] [--lint] LIBRARY...");
    ExitCode::from(2)
}

fn library(path: &Path, part: usize, only_lint: bool) -> Result<bool, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let library = metallib::read(&bytes).map_err(|e| e.to_string())?;
    library.verify().map_err(|e| e.to_string())?;
    let rebuilt = metallib::rebuild(&bytes, &library).map_err(|e| e.to_string())? == bytes;
    let functions: Vec<_> = library.functions.iter().step_by(part).collect();
    let silent = linted(&library, part);
    if only_lint {
        return Ok(silent);
    }
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(Counts::default()));
    std::thread::scope(|scope| {
        for worker in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let (next, counts, functions) = (&next, &counts, &functions);
            scope.spawn(move || {
                let folder = Folder::new(&format!("apple-modules-{worker}"));
                while let Some(function) = functions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = steps(&folder, function.entry.bitcode);
                    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                    counts.functions += 1;
                    for (passed, result) in counts.passed.iter_mut().zip(&result) {
                        *passed += usize::from(result.is_ok());
                    }
                    for (step, message) in STEPS.iter().zip(result).filter_map(|(s, r)| Some((s, r.err()?))) {
                        let entry = counts.failures.entry(format!("{step}: {message}")).or_default();
                        entry.0 += 1;
                        entry.1 = function.entry.name.to_string();
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{}: {} functions of {}", path.display(), counts.functions, library.functions.len());
    println!("  container rebuilt byte for byte: {rebuilt}");
    for (step, passed) in STEPS.iter().zip(counts.passed) {
        println!("  {step}: {passed}");
    }
    let mut failures: Vec<_> = counts.failures.iter().collect();
    failures.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (message, (count, example)) in failures.iter().take(40) {
        println!("  {count} functions, such as `{example}`: {message}");
    }
    Ok(rebuilt && silent && counts.failures.is_empty())
}

/// Runs the linter on every N-th function, and prints the count of findings per rule.
fn linted(library: &metallib::Library<'_>, part: usize) -> bool {
    let functions: Vec<_> = library.functions.iter().step_by(part).cloned().collect();
    let checked = functions.len();
    let sampled = metallib::Library { functions, ..library.clone() };
    let (found, modules) = lint::read_library(&sampled, &lint::Options::default());
    let from = lint::loads_from(&sampled, &modules);
    let from =
        from.and_then(|(os, release)| Some(format!("{} {:#}", os.title(), release.first_version(os)?)));
    println!(
        "  linted: {checked} functions, {} findings, loads from {}",
        found.len(),
        from.unwrap_or_default()
    );
    let mut rules: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for finding in &found {
        let entry = rules.entry(finding.rule.info().id).or_insert_with(|| (0, finding.to_string()));
        entry.0 += 1;
    }
    for (rule, (count, example)) in rules {
        println!("  {rule}: {count} findings, such as {example}");
    }
    found.is_empty()
}

type Step = Result<(), String>;

fn steps(folder: &Folder, bytes: &[u8]) -> [Step; STEPS.len()] {
    let module = match bitcode::read(bytes) {
        Ok(module) => module,
        Err(e) => return [Err(e.message.to_string()), Ok(()), Ok(()), Ok(())],
    };
    let violations = validate_as(&module, Dialect::Llvm14);
    let valid = violations.first().map_or(Ok(()), |v| Err(v.message.to_string()));
    let original = match dis(&folder.write("original.bc", bytes)) {
        Ok(text) => text,
        Err(message) => return [Ok(()), valid, Err(message.clone()), Err(message)],
    };
    let again = folder.write("again.bc", &bitcode::write_wrapped(&module));
    let written = dis(&again).and_then(|text| same(&original, &text));
    [Ok(()), valid, written, as_text(folder, &module, &original)]
}

fn as_text(folder: &Folder, module: &Module, original: &str) -> Step {
    let text = folder.write("again.ll", ll::print(module).as_bytes());
    let assembled = folder.0.join("assembled.bc");
    tool(Command::new("llvm-as-14").arg(&text).arg("-o").arg(&assembled))?;
    same(&unname(original), &unname(&dis(&assembled)?))
}

/// LLVM's text of a file, without the lines that name it.
fn dis(file: &Path) -> Result<String, String> {
    let text = tool(Command::new("llvm-dis-14").args(["-o", "-"]).arg(file))?;
    let differs = |line: &str| line.starts_with("; ModuleID") || line.contains("airfoil-apple-");
    Ok(text.lines().filter(|line| !differs(line)).flat_map(|line| [line, "\n"]).collect())
}

fn tool(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(errors.lines().next().unwrap_or("failed").rsplit("error: ").next().unwrap_or_default().to_string())
}

fn same(a: &str, b: &str) -> Step {
    match a.lines().zip(b.lines()).find(|(a, b)| a != b) {
        Some((a, b)) => Err(format!("expected `{}`, found `{}`", a.trim(), b.trim())),
        None if a.lines().count() == b.lines().count() => Ok(()),
        None => Err("the texts have different lengths".into()),
    }
}
