//! `docs/passes.md` is made from the registry and the presets; this test says when it is out of date.
//!
//! `AIRFOIL_BLESS=1 cargo test -p airfoil-passes --test manual` writes it anew.

use airfoil_passes::presets::PRESETS;
use airfoil_passes::registry::{Entry, Registry};
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

#[test]
fn the_manual_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/passes.md");
    let text = manual();
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(old == text, "docs/passes.md is out of date: run with AIRFOIL_BLESS=1");
}
