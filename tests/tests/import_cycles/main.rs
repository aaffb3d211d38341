//! Import cycles between the files of each crate.
//!
//! File A imports file B if A has a `use` or a path that leads to an item defined in B. Re-exports are followed to the definition,
//! and a `pub use` alone imports nothing. Code for tests does not count. Files that import each other, directly or through
//! others, can only be understood together; at most three may.
//!
//! `cargo test -p airfoil-tests --test import_cycles -- --nocapture` prints the larger cycles with their imports.

#![allow(clippy::print_stdout)]

mod graph;
mod scope;

use graph::{Cycle, cycles};
use scope::{Crate, SourceFile};
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of files in a cycle.
const ALLOWED: usize = 3;

/// Source files of a crate, with the module that each holds. Files of tests and of further binaries are left out.
fn source_files(src: &Path) -> Vec<SourceFile> {
    let mut found = Vec::new();
    let mut folders = vec![(src.to_path_buf(), Vec::new())];
    while let Some((folder, module)) = folders.pop() {
        let mut entries: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
            if path.is_dir() {
                if stem != "tests" && !(stem == "bin" && module.is_empty()) {
                    let inner = module.iter().cloned().chain([stem]).collect();
                    folders.push((path, inner));
                }
                continue;
            }
            if path.extension().is_none_or(|e| e != "rs") || stem == "tests" || stem.ends_with("_tests") {
                continue;
            }
            let mut own: Vec<String> = module.clone();
            if !(stem == "mod" || module.is_empty() && (stem == "lib" || stem == "main")) {
                own.push(stem);
            }
            let name = path.strip_prefix(src).unwrap().to_string_lossy().replace('\\', "/");
            found.push(SourceFile { name, module: own, text: fs::read_to_string(&path).unwrap() });
        }
    }
    found
}

/// The cycles of each crate of the workspace, largest first.
fn workspace() -> Vec<(String, Vec<Cycle>)> {
    // The variable of the process, so that a built test can look at another checkout.
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let mut crates = Vec::new();
    for place in ["backends/*", "compiler/*", "frontends/*", "passes", "tests"] {
        let folders = match place.strip_suffix("/*") {
            Some(parent) => fs::read_dir(root.join(parent)).unwrap().map(|e| e.unwrap().path()).collect(),
            None => vec![root.join(place)],
        };
        crates.extend(folders.into_iter().filter(|f| f.join("src").is_dir()));
    }
    crates.sort();
    assert!(crates.len() >= 10, "{crates:?}");
    let mut all = Vec::new();
    for folder in crates {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let name = manifest.lines().find_map(|l| l.strip_prefix("name = ")).unwrap().trim_matches('"');
        let files = source_files(&folder.join("src"));
        let names: Vec<String> = files.iter().map(|f| f.name.clone()).collect();
        let edges = Crate::parse(&files).edges();
        all.push((name.to_string(), cycles(&names, &edges)));
    }
    all
}

#[test]
fn no_crate_has_a_new_import_cycle() {
    let mut faults = Vec::new();
    for (name, cycles) in workspace() {
        let large: Vec<&Cycle> = cycles.iter().filter(|c| c.files.len() > ALLOWED).collect();
        println!("{name}: cycles of {:?} files", cycles.iter().map(|c| c.files.len()).collect::<Vec<_>>());
        for cycle in large {
            println!("  {cycle}");
            faults
                .push(format!("{name}: a cycle of {} files, {ALLOWED} allowed: {cycle}", cycle.files.len()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn sample(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let files: Vec<SourceFile> = files
        .iter()
        .map(|(name, text)| {
            let stem = name.trim_end_matches(".rs").trim_end_matches("/mod");
            let module =
                if stem == "lib" { Vec::new() } else { stem.split('/').map(str::to_string).collect() };
            SourceFile { name: (*name).to_string(), module, text: (*text).to_string() }
        })
        .collect();
    let edges = Crate::parse(&files).edges();
    let mut edges: Vec<_> =
        edges.into_iter().map(|(from, to)| (files[from].name.clone(), files[to].name.clone())).collect();
    edges.sort();
    edges
}

fn edge(from: &str, to: &str) -> (String, String) {
    (from.into(), to.into())
}

#[test]
fn re_exports_lead_to_the_definition() {
    let found = sample(&[
        ("lib.rs", "mod a; mod b; pub use a::A;"),
        ("a.rs", "pub struct A;"),
        ("b.rs", "use crate::A; fn f(_: A) {}"),
    ]);
    assert_eq!(found, [edge("b.rs", "a.rs")]);
}

#[test]
fn paths_globs_macros_and_modules_are_followed() {
    let found = sample(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; pub enum E { X }"),
        ("a.rs", "use super::*; fn f() { b::g(); }"),
        ("b.rs", "pub fn g() { println!(\"{}\", crate::c::h()); }"),
        ("c.rs", "use super::d; pub fn h() -> u32 { d::N }"),
        ("d.rs", "use crate::E::*; pub const N: u32 = 1; fn x() { let _ = X; }"),
    ]);
    let expected = [edge("a.rs", "b.rs"), edge("b.rs", "c.rs"), edge("c.rs", "d.rs"), edge("d.rs", "lib.rs")];
    assert_eq!(found, expected);
}

#[test]
fn code_for_tests_and_other_crates_do_not_count() {
    let found = sample(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use std::fmt; #[cfg(test)] mod tests { use crate::b::B; } #[cfg(test)] use crate::b::B;"),
        ("b.rs", "use serde::a::A; pub struct B; #[test] fn t() { crate::a::f(); }"),
    ]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn cycles_are_found() {
    let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
    let found = cycles(&names, &[(0, 1), (1, 2), (2, 0), (2, 3)].into_iter().collect());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].files, ["a", "b", "c"]);
}
