//! The table of states, and the page that lists it.
//!
//! `AIRFOIL_BLESS=1 cargo test -p airfoil-gl --test table` writes the table of `docs/gl-driver.md`.

use airfoil::passes::registry::Registry;
use airfoil_gl::table::{Cover, ROWS, covered, markdown};
use airfoil_gl::{StateFlags, StateMask};
use std::fs;
use std::path::{Path, PathBuf};

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn fields_passes_and_tests_exist() {
    let tests: String = [
        "colors",
        "coverage",
        "expanded",
        "external",
        "feedback",
        "fragment",
        "points",
        "resources",
        "pulling",
        "stages",
        "vertex",
    ]
    .iter()
    .map(|name| fs::read_to_string(file(&format!("tests/state/{name}.rs"))).unwrap())
    .collect();
    let pass_exists = |name: &str| assert!(Registry::builtin().find(name).is_some(), "unknown pass `{name}`");
    let mut covered = StateMask::empty();
    for row in ROWS {
        match row.cover {
            Cover::Key { field, pass, test } => {
                let mask = StateMask::from_name(&field.to_uppercase());
                covered |= mask.unwrap_or_else(|| panic!("the key does not have `{field}`"));
                pass_exists(pass);
                assert!(tests.contains(&format!("#[test]\nfn {test}()")), "unknown test `{test}`");
            }
            Cover::Link { by } => by.split(", ").for_each(pass_exists),
            Cover::Driver { .. } | Cover::Missing => {}
        }
    }
    // Every field has a row, apart from the layout of indices, which is not a state of OpenGL.
    assert_eq!(covered, StateMask::all() - StateMask::INDEX_BITS);
    assert_eq!(covered.flags(), StateFlags::all());
}

#[test]
fn the_page_lists_the_table() {
    const START: &str = "<!-- states -->\n";
    const END: &str = "<!-- end of states -->";
    let path = file("../../docs/gl-driver.md");
    let page = fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once(START).unwrap();
    let (_, tail) = rest.split_once(END).unwrap();
    let (done, all) = covered();
    let want = format!("{head}{START}{done} of {all} states are covered.\n\n{}{END}{tail}", markdown());
    if page != want && std::env::var_os("AIRFOIL_BLESS").is_some() {
        return fs::write(&path, want).unwrap();
    }
    assert!(
        page == want,
        "docs/gl-driver.md is out of date: AIRFOIL_BLESS=1 cargo test -p airfoil-gl --test table"
    );
}
