//! The linter: a library for each rule that violates this rule alone, and the public lists of errors that the rules cover.
//!
//! `cargo test -p airfoil-air --test lint -- --nocapture` prints the counts.

#![allow(clippy::print_stdout)]

#[path = "lint/bodies.rs"]
mod bodies;
#[path = "lint/build.rs"]
mod build;
#[path = "lint/containers.rs"]
mod containers;
#[path = "lint/interfaces.rs"]
mod interfaces;

mod apple;

use airfoil_air::lint::coverage::{List, ROWS};
use airfoil_air::lint::{self, Finding, Options};
use airfoil_air::metallib;
use airfoil_air::rules::{RULES, Rule};
use build::Violation;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

fn violations() -> Vec<Violation> {
    [containers::violations(), bodies::violations(), interfaces::violations()].concat()
}

fn inspections(file: &[u8]) -> Vec<airfoil_air::inspect::Inspection> {
    let library = metallib::read(file).expect("the library reads");
    lint::read_library(&library, &Options::default()).1
}

fn found(violation: &Violation) -> Vec<Finding> {
    let mut found = lint::library(&violation.file, &Options::default());
    if let Some(second) = &violation.second {
        found.extend(lint::library(second, &Options::default()));
        found.extend(lint::pair(&inspections(&violation.file), &inspections(second)));
    }
    found
}

/// Every rule has a library that violates it and no other rule.
fn every_rule_has_a_violating_library() {
    let mut covered = BTreeSet::new();
    let mut wrong = String::new();
    for violation in violations() {
        let found = found(&violation);
        if found.is_empty() || found.iter().any(|f| f.rule != violation.rule) {
            let list: Vec<String> = found.iter().map(ToString::to_string).collect();
            writeln!(wrong, "{} ({:?}): {list:#?}", violation.rule, violation.rule).unwrap();
        }
        covered.insert(violation.rule);
    }
    assert!(wrong.is_empty(), "{wrong}");
    let missing: Vec<Rule> = Rule::all().filter(|rule| !covered.contains(rule)).collect();
    assert!(missing.is_empty(), "rules without a library: {missing:?}");
    println!("{} rules, {} violating libraries", Rule::all().count(), violations().len());
}

/// The modules that the violating libraries are changed from violate nothing.
fn the_libraries_without_the_change_are_clean() {
    for (name, file) in build::clean() {
        assert_eq!(lint::library(&file, &Options::default()), [], "{name}");
    }
}

/// Every row of the lists in `loaders.md` has a rule, or a reason why a file does not show it.
fn every_row_of_the_public_lists_is_covered() {
    let path = airfoil_filetest::harness::shared_file("reference/air/loaders.md", "AIRFOIL_LOADERS").unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let after = |title: &str| text.split_once(title).unwrap_or_else(|| panic!("{title}")).1;
    let errors = after("### What triggers which error").lines();
    let errors: Vec<&str> = errors
        .take_while(|l| !l.starts_with("The compiler service"))
        .filter(|l| l.starts_with("| "))
        .skip(1)
        .collect();
    let old = after("### Rules for old readers").split("Airfoil already meets").next().unwrap_or_default();
    let marks: Vec<usize> = (1..).map_while(|n| old.find(&format!("({n}) "))).collect();
    let ends = marks.iter().copied().skip(1).chain([old.len()]);
    let old: Vec<&str> = marks.iter().zip(ends).map(|(&from, to)| &old[from..to]).collect();
    let dxmt = after("### Facts from DXMT's history").lines();
    let dxmt: Vec<&str> =
        dxmt.take_while(|l| !l.starts_with("## ")).filter(|l| l.starts_with("- ")).collect();
    for (list, rows) in List::ALL.into_iter().zip([errors, old, dxmt]) {
        let own: Vec<_> = ROWS.iter().filter(|row| row.list == list).collect();
        assert_eq!(own.len(), rows.len(), "{list:?}: rows of the file: {rows:#?}");
        for (row, text) in own.iter().zip(&rows) {
            for trigger in row.triggers {
                assert!(text.contains(trigger.text), "{list:?}: `{}` is not in the row {text}", trigger.text);
            }
        }
        let checked = own.iter().filter(|row| row.is_checked()).count();
        println!(
            "{list:?}: {} rows of loaders.md, {checked} checked, {} uncheckable",
            own.len(),
            own.len() - checked
        );
    }
}

/// The linter finds nothing in the libraries by Apple's compiler.
fn apple_libraries_are_clean() {
    let mut functions = 0;
    for (name, path) in apple::files(&["metallib"]) {
        let bytes = std::fs::read(path).unwrap();
        assert_eq!(lint::library(&bytes, &Options::default()), [], "{name}");
        functions += metallib::read(&bytes).unwrap().functions.len();
    }
    println!("{functions} functions by Apple's compiler without a finding");
}

/// Libraries for an OS load on newer systems, but not on older ones.
fn the_system_can_be_chosen() {
    let file = build::library("macos14", &[build::kernel("macos14", |_| {})]);
    let on = |os: &str| {
        let options = Options { os: Some(os.parse().unwrap()) };
        lint::library(&file, &options).iter().map(|f| f.rule).collect::<Vec<_>>()
    };
    assert_eq!(on("macos14"), []);
    assert_eq!(on("macos26"), []);
    assert_eq!(on("macos13"), [Rule::LibraryAir, Rule::LibraryLanguage, Rule::TripleOs]);
    assert_eq!(on("ios17-simulator"), [Rule::Platform]);
    let library = metallib::read(&file).unwrap();
    let modules = inspections(&file);
    let (os, release) = lint::loads_from(&library, &modules).unwrap();
    assert_eq!(format!("{} {:#}", os.title(), release.first_version(os).unwrap()), "macOS 14");
}

/// `docs/metal-rules.md` is generated from the table.
fn the_page_is_up_to_date() {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut page = String::from(
        "# Metal's rules\n\n\
         `airfoil metallib verify` checks libraries against the rules of these tables: everything publicly known about what Metal's\n\
         loaders, compiler service and back ends reject or execute wrongly, as far as a file shows it. `airfoil explain M0301` prints one rule.\n\n\
         Generated from `backends/air/src/rules/table.rs` and `backends/air/src/lint/coverage.rs` by\n\
         `AIRFOIL_BLESS=1 cargo test -p airfoil-air --test lint`; do not edit.\n",
    );
    for group in RULES {
        write!(
            page,
            "\n## {}\n\n| rule | | consequence | applies to | source |\n|---|---|---|---|---|\n",
            group.title
        )
        .unwrap();
        for rule in group.rules {
            let info = rule.info();
            let kind = if info.warning { " (warning)" } else { "" };
            writeln!(
                page,
                "| {}{kind} | {} | {} | {} | {} |",
                info.id,
                cell(info.summary),
                cell(info.consequence),
                info.since,
                cell(info.source)
            )
            .unwrap();
        }
    }
    page += "\n## Public lists of errors\n\nThe rules that check each known trigger of an error, or the reason why a file does not show it.\n";
    for list in List::ALL {
        write!(page, "\n### {}\n\n| trigger | rules |\n|---|---|\n", list.title()).unwrap();
        for trigger in ROWS.iter().filter(|row| row.list == list).flat_map(|row| row.triggers) {
            let how = match trigger.coverage {
                lint::coverage::Coverage::Rules(rules) => {
                    rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
                }
                lint::coverage::Coverage::Unchecked(reason) => format!("not checked: {reason}"),
            };
            writeln!(page, "| {} | {} |", cell(trigger.text), cell(&how)).unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metal-rules.md");
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(old == page, "docs/metal-rules.md is out of date: run with AIRFOIL_BLESS=1");
}

airfoil_filetest::harness! {
    every_rule_has_a_violating_library;
    the_libraries_without_the_change_are_clean;
    every_row_of_the_public_lists_is_covered needs(Shared("reference/air/loaders.md", "AIRFOIL_LOADERS"));
    apple_libraries_are_clean needs(Corpus("apple-air"));
    the_system_can_be_chosen;
    the_page_is_up_to_date;
}
