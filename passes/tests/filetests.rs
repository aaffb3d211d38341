//! Runs `tests/filetests/passes/**/*.foil` and the examples in the headers of passes.
//!
//! `AIRFOIL_BLESS=1` rewrites what is expected; `AIRFOIL_FILTER=word` runs only files whose path has the word.

use airfoil_passes::filetest::{Case, bless, examples};
use airfoil_passes::registry::Registry;
use std::path::{Path, PathBuf};

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "foil") {
            out.push(path);
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests/passes")
}

fn run_file(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let case = Case::parse(&text)?;
    let Err(failure) = case.run() else { return Ok(()) };
    if let Some(actual) = failure.actual.filter(|_| std::env::var_os("AIRFOIL_BLESS").is_some()) {
        return std::fs::write(path, bless(&text, &actual)).map_err(|e| e.to_string());
    }
    Err(failure.message)
}

fn report(failures: &[String], total: usize) {
    assert!(failures.is_empty(), "{} of {total} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn files_of_passes() {
    let mut paths = Vec::new();
    files(&root(), &mut paths);
    paths.sort();
    if let Ok(filter) = std::env::var("AIRFOIL_FILTER") {
        paths.retain(|p| p.to_string_lossy().contains(&filter));
    }
    assert!(!paths.is_empty(), "no tests found");
    let failures: Vec<String> =
        paths.iter().filter_map(|p| run_file(p).err().map(|e| format!("--- {}\n{e}", p.display()))).collect();
    report(&failures, paths.len());
}

#[test]
fn examples_of_passes() {
    let mut failures = Vec::new();
    for entry in Registry::builtin().iter() {
        let info = entry.info();
        match examples(info.name, info.doc) {
            Ok(cases) if cases.is_empty() => failures.push(format!("--- {}: no example", info.name)),
            Ok(cases) => failures.extend(
                cases
                    .iter()
                    .filter_map(|c| c.run().err().map(|f| format!("--- {}\n{}", info.name, f.message))),
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
        let mut found = Vec::new();
        files(&root().join(entry.name()), &mut found);
        if found.len() < 3 {
            missing.push(format!("{} has {} files", entry.name(), found.len()));
        }
    }
    report(&missing, Registry::builtin().len());
}
