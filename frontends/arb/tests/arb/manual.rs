//! `docs/arb-state.md` is generated from the table of states; this test fails when it is out of date.
//!
//! `AIRFOIL_BLESS=1 cargo test -p airfoil-arb --test arb manual` regenerates it.

use airfoil_arb::state::ROWS;
use std::fmt::Write;
use std::path::Path;

fn manual() -> String {
    let mut text = String::from(
        "# State of assembly programs\n\nGenerated from the table in `frontends/arb/src/state/table.rs` by `AIRFOIL_BLESS=1 cargo test -p \
         airfoil-arb --test arb manual`; do not edit.\n\nParts of a name in braces are optional: without a face it is the front, \
         without an index 0. `n` is below the limit of its kind, `r` is a row, 0 to 3.\n\n\
         | name | x, y, z, w | programs | meaning |\n|---|---|---|---|\n",
    );
    for row in ROWS {
        let programs = match row.programs() {
            [true, true] => "both",
            [true, false] => "vertex",
            _ => "fragment",
        };
        let name = row.pattern().replace('|', "\\|");
        writeln!(text, "| `{name}` | {} | {programs} | {} |", row.components, row.doc.trim()).unwrap();
    }
    text
}

#[test]
fn the_table_of_states_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/arb-state.md");
    let text = manual();
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(old == text, "docs/arb-state.md is out of date: run with AIRFOIL_BLESS=1");
}
