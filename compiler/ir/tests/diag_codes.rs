//! The table of diagnostic codes against the sources of the workspace, and the page generated from it.
//!
//! `AIRFOIL_BLESS=1 cargo test -p airfoil-ir --test diag_codes` writes `docs/diagnostics.md`.

use airfoil_ir::diag::codes::{AREAS, find};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Rust sources of a folder, build output excluded.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// String literals that consist of one code: `"E0504"`.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('"').filter_map(|(at, _)| {
        let literal = text.get(at + 1..at + 7)?;
        let code = literal.strip_suffix('"')?;
        let (letter, digits) = code.split_at_checked(1)?;
        (matches!(letter, "E" | "W") && digits.bytes().all(|b| b.is_ascii_digit())).then_some(code)
    })
}

#[test]
fn every_reported_code_has_a_row_and_every_row_is_reported() {
    let mut files = Vec::new();
    for folder in ["backends", "compiler", "frontends", "passes", "tests"] {
        sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 500, "{} sources found", files.len());
    let mut reported: BTreeMap<String, bool> = BTreeMap::new();
    for file in &files {
        let path = file.to_string_lossy().replace('\\', "/");
        // The table, and this test.
        if path.contains("ir/src/diag/codes") || path.ends_with("tests/diag_codes.rs") {
            continue;
        }
        let is_test = path.contains("/tests/") && !path.contains("/tests/src/") || path.ends_with("tests.rs");
        // An example in documentation reports nothing.
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let text: String = fs::read_to_string(file).unwrap().lines().filter(is_code).collect();
        for code in codes(&text) {
            assert!(
                find(code).is_some(),
                "{path}: {code} has no row in the table of codes (compiler/ir/src/diag/codes/)"
            );
            *reported.entry(code.to_string()).or_default() |= !is_test;
        }
    }
    for row in AREAS.iter().flat_map(|area| area.rows) {
        assert!(
            reported.get(row.code) == Some(&true),
            "{} is never reported: remove its row from compiler/ir/src/diag/codes/",
            row.code
        );
    }
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn page() -> String {
    let mut text = String::from(
        "# Diagnostic codes\n\nEvery diagnostic has a stable code. `airfoil explain E0504` prints one row of these tables.\n\n\
         Generated from `compiler/ir/src/diag/codes/` by `AIRFOIL_BLESS=1 cargo test -p airfoil-ir --test diag_codes`; do not edit.\n",
    );
    for area in AREAS {
        write!(
            text,
            "\n## {}\n\n| code | meaning | specification | example |\n|---|---|---|---|\n",
            area.title
        )
        .unwrap();
        for row in area.rows {
            let example: Vec<String> = row.example.lines().map(|l| format!("`{}`", cell(l))).collect();
            writeln!(
                text,
                "| {} | {} | {} | {} |",
                row.code,
                cell(row.meaning),
                row.section.unwrap_or_default(),
                example.join("<br>")
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn the_page_is_up_to_date() {
    let path = root().join("docs/diagnostics.md");
    let text = page();
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let old = fs::read_to_string(&path).unwrap_or_default();
    assert!(old == text, "docs/diagnostics.md is out of date: run with AIRFOIL_BLESS=1");
}
