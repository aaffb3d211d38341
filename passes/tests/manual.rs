//! `docs/passes.md` and the table of NIR's passes in `docs/porting.md` are generated from the registry; these tests
//! fail when they are out of date.
//!
//! `AIRFOIL_BLESS=1 cargo test -p airfoil-passes --test manual` regenerates them.

use airfoil_passes::presets::PRESETS;
use airfoil_passes::registry::{Entry, Registry};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

const HEAD: &str = "# Passes

Made from the registry by `AIRFOIL_BLESS=1 cargo test -p airfoil-passes --test manual`; do not edit. `airfoil explain PASS` shows the
whole documentation of one.

## Pipelines

A pipeline is text: passes in order, options in braces, `loop(...)` for what repeats until nothing changes, `#` for comments.

    vars_to_ssa, loop(copy_prop, cse, dce), peephole_select{limit=4}

A preset's name stands for its pipeline.

| preset | what for | pipeline |
|---|---|---|
";

fn manual() -> String {
    let mut text = HEAD.to_string();
    for p in PRESETS {
        let pipeline = p.text.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(text, "| `{}` | {} | `{pipeline}` |", p.name, p.summary).unwrap();
    }
    for group in Registry::builtin().groups() {
        write!(
            text,
            "\n## {}\n\n{}\n\n| pass | summary | form | options |\n|---|---|---|---|\n",
            group.name, group.summary
        )
        .unwrap();
        table(&mut text, &group.passes);
    }
    text
}

fn table(text: &mut String, passes: &[Arc<Entry>]) {
    for entry in passes {
        let info = entry.info();
        let takes: Vec<String> = info.takes.iter().map(ToString::to_string).collect();
        let takes = if takes.len() == 3 { "any".to_string() } else { takes.join(", ") };
        let leaves = info.leaves.map_or(String::new(), |f| format!(" to {f}"));
        let options: Vec<String> = entry
            .options()
            .iter()
            .map(|o| format!("`{}`: {}", o.name, o.summary.replace('|', "\\|")))
            .collect();
        let summary = info.summary.replace('|', "\\|");
        writeln!(text, "| `{}` | {summary} | {takes}{leaves} | {} |", info.name, options.join("; ")).unwrap();
    }
}

/// Presets that are named like passes of NIR.
fn is_preset(name: &str) -> bool {
    PRESETS.iter().any(|preset| preset.name == name)
}

/// Passes by the pass of NIR that their headers name as a source.
fn from_nir() -> String {
    let mut by_name = BTreeMap::<&str, BTreeSet<String>>::new();
    for entry in Registry::builtin().groups().iter().flat_map(|group| &group.passes) {
        let info = entry.info();
        let header = info.doc.lines().take_while(|line| line.starts_with("//!"));
        for word in header.flat_map(|line| line.split('`')) {
            let is_name = word.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_');
            if word.starts_with("nir_") && is_name && !word.ends_with("_pass") && !is_preset(word) {
                by_name.entry(word).or_default().insert(format!("`{}`", info.name));
            }
        }
    }
    let mut text =
        "\nFrom the headers of the passes, which name their sources.\n\n| NIR | here |\n|---|---|\n"
            .to_string();
    for (name, passes) in by_name {
        writeln!(text, "| `{name}` | {} |", passes.into_iter().collect::<Vec<_>>().join(", ")).unwrap();
    }
    text + "\n"
}

fn up_to_date(page: &str, make: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    let text = make(&old);
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    } else {
        assert!(old == text, "docs/{page} is out of date: run with AIRFOIL_BLESS=1");
    }
}

#[test]
fn the_manual_is_up_to_date() {
    up_to_date("passes.md", |_| manual());
}

#[test]
fn the_table_of_nir_is_up_to_date() {
    const MARKS: [&str; 2] = ["<!-- nir passes -->\n", "<!-- end of nir passes -->\n"];
    up_to_date("porting.md", |old| {
        let (before, rest) = old.split_once(MARKS[0]).expect("the mark of the table");
        let (_, after) = rest.split_once(MARKS[1]).expect("the mark of its end");
        [before, MARKS[0], &from_nir(), MARKS[1], after].concat()
    });
}
