//! Reads every function of libraries by Apple's compiler, and writes it again.
//!
//! `cargo run --profile conformance -p airfoil-cpu --features llvm14 --example apple_modules -- [--part N] [--lint] LIBRARY...`
//!
//! Per library: the container is rebuilt byte for byte. Per function, or for every N-th of them: the module is read and validated, LLVM 14 parses and
//! verifies its text, which equals that of Apple's bytes, and reads the same from the bitcode that is written again. The linter has no finding in
//! the library of these functions. Prints counts per step; exit status 1 if any function fails one. `--lint` runs the linter alone. LLVM runs in this
//! process, since starting its tools four times a function takes most of the time otherwise.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../../air/tests/llvm/mod.rs"]
mod llvm;

use airfoil_air::module::Module;
use airfoil_air::validate::{Dialect, validate_as};
use airfoil_air::{bitcode, lint, ll, metallib};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module as LlvmModule;
use llvm::unname;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
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
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let (next, counts, functions) = (&next, &counts, &functions);
            scope.spawn(move || {
                while let Some(function) = functions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = steps(function.entry.bitcode);
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

fn steps(bytes: &[u8]) -> [Step; STEPS.len()] {
    let module = match bitcode::read(bytes) {
        Ok(module) => module,
        Err(e) => return [Err(e.message.to_string()), Ok(()), Ok(()), Ok(())],
    };
    let violations = validate_as(&module, Dialect::Llvm14);
    let valid = violations.first().map_or(Ok(()), |v| Err(v.message.to_string()));
    // Types and constants live as long as their context.
    let context = Context::create();
    let original = match text_of(&context, bytes) {
        Ok(text) => text,
        Err(message) => return [Ok(()), valid, Err(message.clone()), Err(message)],
    };
    let written =
        text_of(&Context::create(), &bitcode::write_wrapped(&module)).and_then(|text| same(&original, &text));
    [Ok(()), valid, written, as_text(&module, &original)]
}

fn as_text(module: &Module, original: &str) -> Step {
    let context = Context::create();
    let text = ll::print(module);
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "module");
    let assembled = context.create_module_from_ir(buffer).map_err(first_line)?;
    assembled.verify().map_err(first_line)?;
    same(&unname(original), &unname(&print(&assembled)))
}

/// LLVM's text of a module in bitcode.
fn text_of(context: &Context, bytes: &[u8]) -> Result<String, String> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, "module");
    Ok(print(&LlvmModule::parse_bitcode_from_buffer(&buffer, context).map_err(first_line)?))
}

fn print(module: &LlvmModule<'_>) -> String {
    let text = module.print_to_string().to_string();
    text.lines().filter(|line| !line.starts_with("; ModuleID")).flat_map(|line| [line, "\n"]).collect()
}

fn first_line(message: impl ToString) -> String {
    message.to_string().lines().next().unwrap_or("failed").to_owned()
}

fn same(a: &str, b: &str) -> Step {
    match a.lines().zip(b.lines()).find(|(a, b)| a != b) {
        Some((a, b)) => Err(format!("expected `{}`, found `{}`", a.trim(), b.trim())),
        None if a.lines().count() == b.lines().count() => Ok(()),
        None => Err("the texts have different lengths".into()),
    }
}
