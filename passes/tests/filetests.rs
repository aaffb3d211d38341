//! Runs `tests/filetests/passes/**/*.foil` and the examples in the headers of passes.
//!
//! `AIRFOIL_BLESS=1` rewrites the expected output; `AIRFOIL_FILTER=word` runs only files whose path has the word.

mod support;

use airfoil_filetest::{Options, Outcome, Style, difference, find, run_file};
use airfoil_ir::{Shader, text};
use airfoil_passes::registry::Registry;
use std::path::Path;
use support::{Opt, files, optimize, root, shaders};

fn report(failures: &[String], total: usize) {
    assert!(failures.is_empty(), "{} of {total} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn files_of_passes() {
    let files = files();
    assert!(!files.is_empty(), "no tests found");
    let options = Options { bless: std::env::var_os("AIRFOIL_BLESS").is_some(), ..Options::default() };
    let mut failures = Vec::new();
    for path in &files {
        match run_file(path, &Opt, options) {
            // Other commands are run by the tests of `airfoil-cli`.
            Outcome::Passed | Outcome::Blessed | Outcome::Skipped(_) => {}
            Outcome::Failed(message) => failures.push(format!("--- {}\n{message}", path.display())),
        }
    }
    report(&failures, files.len());
}

/// An example: a pipeline, a shader before it and one after it.
struct Example {
    passes: String,
    before: String,
    after: String,
}

impl Example {
    fn run(&self) -> Result<(), String> {
        let parse = |text: &str| {
            shaders(text).map_err(|faults| faults.iter().map(|d| format!("{d}\n")).collect::<String>())
        };
        let (mut before, after) = (parse(&self.before)?, parse(&self.after)?);
        optimize(&self.passes, &mut before)
            .map_err(|faults| faults.iter().map(|d| format!("{d}\n")).collect::<String>())?;
        let pairs = || before.iter().zip(&after);
        if before.len() == after.len() && pairs().all(|(found, expected)| found.same_as(expected)) {
            return Ok(());
        }
        let print = |shaders: &[Shader]| shaders.iter().map(text::print).collect::<String>();
        Err(difference(&print(&after), &print(&before), Style::default()))
    }
}

/// The examples in the header of a pass: two shaders separated by a line `=>`. Lines that are not a complete shader are
/// the code of `main`; a first line `form ...` gives its form (`slots` if there is none).
fn examples(pass: &str, source: &str) -> Result<Vec<Example>, String> {
    let doc: Vec<&str> = source
        .lines()
        .map_while(|l| l.strip_prefix("//!"))
        .map(|l| l.strip_prefix(' ').unwrap_or(l))
        .collect();
    let mut cases = Vec::new();
    let mut rest = doc.as_slice();
    while let Some(start) = rest.iter().position(|l| l.starts_with("```foil-example")) {
        // Options may follow as a comment of the info string: ```foil-example (limit=1)
        let options = rest[start].trim_start_matches("```foil-example").trim().trim_matches(['(', ')']);
        let body = &rest[start + 1..];
        let end = body.iter().position(|l| *l == "```").ok_or("an example has no end")?;
        let arrow = body[..end].iter().position(|l| *l == "=>").ok_or("an example has no line `=>`")?;
        let passes = if options.is_empty() { pass.to_string() } else { format!("{pass}{{{options}}}") };
        cases.push(Example {
            passes,
            before: complete(&body[..arrow]),
            after: complete(&body[arrow + 1..end]),
        });
        rest = &body[end + 1..];
    }
    Ok(cases)
}

/// The shader of an example's side.
fn complete(lines: &[&str]) -> String {
    if lines.first().is_some_and(|l| l.starts_with("foil")) {
        return lines.join("\n");
    }
    let (form, code) = match lines.split_first() {
        Some((first, rest)) if first.starts_with("form ") => (*first, rest),
        _ => ("form slots", lines),
    };
    format!("foil 1\nshader vertex \"example\" {{\n{form}\nfn main {{\n{}\n}}\n}}\n", code.join("\n"))
}

#[test]
fn examples_of_passes() {
    let mut failures = Vec::new();
    for entry in Registry::builtin().iter() {
        let info = entry.info();
        match examples(&info.name, &info.doc) {
            Ok(cases) if cases.is_empty() => failures.push(format!("--- {}: no example", info.name)),
            Ok(cases) => failures.extend(
                cases.iter().filter_map(|c| c.run().err().map(|e| format!("--- {}\n{e}", info.name))),
            ),
            Err(e) => failures.push(format!("--- {}: {e}", info.name)),
        }
    }
    report(&failures, Registry::builtin().len());
}

#[test]
fn every_pass_has_three_files() {
    let mut missing = Vec::new();
    for entry in Registry::builtin().iter() {
        let found = find(&[root().join(entry.name())]).map_or(0, |files| files.len());
        if found < 3 {
            missing.push(format!("{} has {found} files", entry.name()));
        }
    }
    report(&missing, Registry::builtin().len());
}

/// The text of a pipeline without its last top-level step of a name.
fn without(passes: &str, name: &str) -> String {
    let mut depth = 0;
    let mut steps: Vec<&str> = passes
        .split(|c| {
            depth += i32::from(matches!(c, '{' | '(')) - i32::from(matches!(c, '}' | ')'));
            c == ',' && depth == 0
        })
        .collect();
    let is_named = |step: &&str| step.split('{').next().is_some_and(|word| word.trim() == name);
    if let Some(last) = steps.iter().rposition(is_named) {
        steps.remove(last);
    }
    steps.join(",")
}

/// Whether the pipeline of a file gives the same result without the pass.
fn is_negative(path: &Path, pass: &str) -> bool {
    let text = std::fs::read_to_string(path).expect("a file of a test");
    let Some((head, _)) = text.split_once("; EXPECT\n") else { return false };
    let input: Vec<&str> = head.lines().filter(|l| !l.starts_with(';')).collect();
    let run = head.lines().find_map(|l| l.strip_prefix("; RUN: airfoil opt ")?.split_once("--passes "));
    let Some(passes) = run.map(|(_, p)| p.trim().trim_matches('\'')) else { return false };
    let other = without(passes, pass);
    if other == passes {
        return false;
    }
    let result = |passes: &str| {
        let mut list = shaders(&input.join("\n")).ok()?;
        optimize(passes, &mut list).ok()?;
        Some(list)
    };
    match (result(passes), result(&other)) {
        (Some(a), Some(b)) => a.iter().zip(&b).all(|(a, b)| a.same_as(b)),
        _ => false,
    }
}

/// Each pass has a case in which it must not change anything. A pass that always changes the form has none.
#[test]
fn every_pass_has_a_negative_case() {
    let mut missing = Vec::new();
    for entry in Registry::builtin().iter() {
        let info = entry.info();
        if info.leaves.is_some_and(|form| !info.takes.contains(&form)) {
            continue;
        }
        let files = find(&[root().join(&*info.name)]).unwrap_or_default();
        if !files.iter().any(|path| is_negative(path, &info.name)) {
            missing.push(format!("{} changes the shader in every file", info.name));
        }
    }
    report(&missing, Registry::builtin().len());
}
