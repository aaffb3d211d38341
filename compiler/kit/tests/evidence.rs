//! `docs/evidence.md`: the level of evidence of each construct that Airfoil emits, from the cases of the kit, the constructs of Apple's modules
//! (`docs/evidence/apple-constructs.txt`) and the reports in `docs/evidence`. `AIRFOIL_BLESS=1 cargo test -p airfoil-kit --test evidence` writes it.

#![allow(clippy::print_stdout)] // the counts are the purpose

use airfoil::air::functions::{Air, AirFunction};
use airfoil_kit::kit;
use airfoil_kit::levels::TITLES;
use airfoil_kit::report::Report;
use airfoil_kit::schema::{Expect, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Constructs of Apple's modules, with the number of functions that have them; 0 for those that are known from declarations.
fn apple() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join("docs/evidence/apple-constructs.txt")).unwrap();
    let rows = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty());
    let mut found = BTreeMap::<String, usize>::new();
    for (count, name) in rows.map(|l| l.trim().split_once(' ').unwrap()) {
        // Functions are rows of the table or names.
        let name = AirFunction::parse(name).map_or(name, |f| f.base.info().name);
        *found.entry(name.to_owned()).or_default() += count.parse::<usize>().unwrap();
    }
    // Functions that modules of Apple's other programs declare.
    let declared = fs::read_to_string(root().join("backends/cpu/src/library/declared.txt")).unwrap();
    for function in declared.lines().filter_map(AirFunction::parse) {
        found.entry(function.base.info().name.to_owned()).or_default();
    }
    found
}

/// Reports of Macs.
fn reports() -> Vec<Report> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join("docs/evidence")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let json = paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "json"));
    json.map(|p| {
        serde_json::from_slice(&fs::read(&p).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", p.display()))
    })
    .collect()
}

/// Rows of the table of functions that instruction selection refers to, without LLVM's own functions.
fn selected() -> BTreeSet<String> {
    let mut text = String::new();
    let mut folders = vec![root().join("backends/air/src/select")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => text.push_str(&fs::read_to_string(path).unwrap()),
            }
        }
    }
    let words: BTreeSet<&str> = text
        .split("Air::")
        .skip(1)
        .map(|rest| {
            &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())]
        })
        .collect();
    let rows = Air::ALL.iter().filter(|row| words.contains(format!("{row:?}").as_str()));
    rows.map(|row| row.info().name.to_owned()).filter(|name| name.starts_with("air.")).collect()
}

/// Entries that are not constructs: values of options, and words that describe the compile.
fn is_listed(construct: &str) -> bool {
    !construct.starts_with("air.compile.")
}

#[test]
fn every_function_that_is_emitted_has_a_case_with_results() {
    let cases = kit::cases().unwrap_or_else(|e| panic!("{e}"));
    let shown: BTreeSet<&str> = cases
        .iter()
        .filter(|made| made.case.kind == Kind::Run)
        .flat_map(|made| made.case.constructs.iter().map(String::as_str))
        .collect();
    let selected = selected();
    let without: Vec<&str> =
        selected.iter().map(String::as_str).filter(|name| !shown.contains(name)).collect();
    println!(
        "{} functions are emitted, {} have a case with results",
        selected.len(),
        selected.len() - without.len()
    );
    assert!(without.is_empty(), "functions without a case: {without:?}");
}

/// The commands that print the counts of checks without a Mac.
const COMMANDS: &str = "
## Counts

Without a Mac, these commands check what Metal accepts; each prints its counts.

| checked | command |
|---|---|
| defects and language rules of the review that are left | `cargo test -p airfoil-tests --test defects defects_left -- --nocapture` |
| programs of the corpora whose stage interfaces match | `cargo test -p airfoil-tests --test interfaces -- --nocapture` |
| [rules](metal-rules.md), libraries that violate one each, rows of the public lists | `cargo test -p airfoil-air --test lint -- --nocapture` |
| functions by Apple's compiler read, rewritten and linted, see [Apple's modules](apple-modules.md) | `.ci/apple-modules` |
| cases of the [kit](kit.md) that pass on the AIR engine | `cargo test -p airfoil-kit --features llvm14 --test air_engine -- --nocapture` |
";

#[test]
fn the_page_is_current() {
    let cases = kit::cases().unwrap_or_else(|e| panic!("{e}"));
    let (apple, reports) = (apple(), reports());
    let mut constructs: BTreeMap<String, usize> = selected().into_iter().map(|name| (name, 0)).collect();
    for made in &cases {
        for construct in made.case.constructs.iter().filter(|c| is_listed(c)) {
            *constructs.entry(construct.clone()).or_default() += 1;
        }
    }
    let ran = |construct: &str, evidence: &str| {
        reports.iter().any(|r| r.evidence == evidence && r.constructs.iter().any(|c| c == construct))
    };
    let level = |construct: &str| match () {
        () if ran(construct, "native") => "ran on hardware",
        () if ran(construct, "paravirtual") => "ran on a paravirtual GPU",
        () if apple.contains_key(construct) => "seen in Apple's modules",
        () => "unverified",
    };
    let mut page = String::from(
        "# Evidence\n\n\
         The level of evidence of each construct of AIR that Airfoil emits, lowest first:\n\n\
         * *unverified*: from documents and other projects only;\n\
         * *seen in Apple's modules*: a module of Apple's compiler has the construct, see `docs/evidence/apple-constructs.txt`;\n\
         * *ran on a paravirtual GPU*: a case of the [kit](kit.md) with the construct gave the expected results in a virtual machine;\n\
         * *ran on hardware*: the same on a GPU.\n\n\
         The test `evidence` of `airfoil-kit` generates this page from the cases and from the reports in `docs/evidence` (`report.json` of `airfoil kit report`, renamed after the device).\n\n",
    );
    let _ = writeln!(
        page,
        "Reports: {}.\n",
        if reports.is_empty() {
            "none yet".to_owned()
        } else {
            reports.iter().map(|r| r.summary.clone()).collect::<Vec<_>>().join("; ")
        }
    );
    let mut levels = BTreeMap::<&str, usize>::new();
    constructs.keys().for_each(|c| *levels.entry(level(c)).or_default() += 1);
    page.push_str("| level of evidence | constructs |\n|---|---|\n");
    for name in ["unverified", "seen in Apple's modules", "ran on a paravirtual GPU", "ran on hardware"] {
        let _ = writeln!(page, "| {name} | {} |", levels.get(name).copied().unwrap_or(0));
    }
    page.push_str(COMMANDS);
    page.push_str("\n## Cases of the kit\n\n| level | cases | with results to compare | negative controls | with a control in Metal's language |\n|---|---|---|---|---|\n");
    for (n, title) in (0u32..).zip(TITLES) {
        let own: Vec<_> = cases.iter().map(|m| &m.case).filter(|c| c.level == n).collect();
        let count = |f: &dyn Fn(&&&airfoil_kit::schema::Case) -> bool| own.iter().filter(f).count();
        let runs = count(&|c| c.kind == Kind::Run);
        let negative = count(&|c| matches!(c.expect, Expect::Error { .. }));
        let control = count(&|c| c.control.is_some());
        let _ = writeln!(page, "| L{n}: {title} | {} | {runs} | {negative} | {control} |", own.len());
    }
    let _ = writeln!(page, "| all | {} | | | |", cases.len());
    page.push_str("\n## Doubtful points\n\n| point | cases |\n|---|---|\n");
    let mut doubts = BTreeMap::<&str, Vec<&str>>::new();
    for case in cases.iter().map(|m| &m.case) {
        if let Some(doubt) = &case.doubt {
            doubts.entry(doubt).or_default().push(&case.name);
        }
    }
    for (doubt, names) in &doubts {
        let _ = writeln!(page, "| {doubt} | `{}` |", names.join("`, `"));
    }
    page.push_str("\n## Constructs\n\n`{F}` and the like are placeholders of the table of functions. Zero cases: selection emits the function, but no case of the kit shows it yet.\n\n| construct | cases | Apple's functions | level of evidence |\n|---|---|---|---|\n");
    for (construct, count) in &constructs {
        let functions = match apple.get(construct) {
            None => "-".to_owned(),
            Some(0) => "declared".to_owned(),
            Some(n) => n.to_string(),
        };
        let _ = writeln!(page, "| `{construct}` | {count} | {functions} | {} |", level(construct));
    }
    let path = root().join("docs/evidence.md");
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let current = fs::read_to_string(&path).unwrap_or_default() == page;
    assert!(
        current,
        "docs/evidence.md is not current: run AIRFOIL_BLESS=1 cargo test -p airfoil-kit --test evidence"
    );
}

#[test]
fn the_kit_is_large_and_its_files_are_deterministic() {
    let (first, second) = (kit::cases().unwrap(), kit::cases().unwrap());
    assert!(first.len() >= 300, "{} cases", first.len());
    for (a, b) in first.iter().zip(&second) {
        assert!(a.case == b.case && a.files == b.files, "{}", a.case.name);
    }
    let names: BTreeSet<_> = first.iter().map(|m| &m.case.name).collect();
    assert_eq!(names.len(), first.len(), "names are unique");
    for made in &first {
        let case = &made.case;
        // The files that case.json names exist.
        let files =
            case.buffers.iter().map(|b| &b.file).chain(case.textures.iter().filter_map(|t| t.file.as_ref()));
        for file in
            files.chain(case.outputs.iter().map(|o| &o.file)).chain(&case.control).chain([&case.library])
        {
            assert!(made.files.contains_key(file), "{}: {file}", case.name);
        }
        let json = serde_json::to_string(case).unwrap();
        assert_eq!(serde_json::from_str::<airfoil_kit::schema::Case>(&json).unwrap(), *case);
    }
}
