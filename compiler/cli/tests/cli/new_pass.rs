//! `airfoil new-pass`: files of a pass. Whether they compile is tested by the example `own-pass` and by `.ci/new-pass`.

use crate::run::Folder;
use std::fs;
use std::path::Path;

/// A source tree with as much of Airfoil as the command looks at.
fn tree(dir: &Folder) {
    fs::create_dir_all(dir.path().join("passes/src/opt")).unwrap();
    fs::create_dir_all(dir.path().join("compiler/cli")).unwrap();
    for file in ["passes/src/registry.rs", "passes/src/opt/mod.rs"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        fs::copy(from, dir.path().join(file)).unwrap();
    }
}

#[test]
fn a_pass_in_the_tree_is_registered() {
    let dir = Folder::new();
    tree(&dir);
    let printed = dir.run(&["new-pass", "licm"]).ok().text();
    for file in ["passes/src/opt/licm.rs", "passes/src/opt/mod.rs", "tests/filetests/passes/licm/loop.foil"] {
        assert!(printed.contains(&format!("/{file}\n")), "{printed}");
    }
    let list = String::from_utf8(dir.read("passes/src/opt/mod.rs")).unwrap();
    assert!(list.contains("    global_to_local::GlobalToLocal;\n    licm::Licm;\n    loop_peel::"), "{list}");
    let source = String::from_utf8(dir.read("passes/src/opt/licm.rs")).unwrap();
    assert!(source.contains("impl Pass for Licm {") && source.contains("\nuse crate::{"), "{source}");
    assert!(!source.contains('@'), "a name was not filled in:\n{source}");
    // A second time nothing is written.
    dir.run(&["new-pass", "licm"]).fails(2, &["passes/src/opt/licm.rs` exists already"]);
    assert_eq!(dir.read("passes/src/opt/mod.rs"), list.as_bytes());
}

#[test]
fn a_crate_depends_on_the_tree_or_on_the_published_version() {
    let dir = Folder::new();
    dir.run(&["new-pass", "licm", "--crate", "own"]).ok();
    let manifest = || String::from_utf8(dir.read("own/Cargo.toml")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert!(manifest().contains(&format!("airfoil-passes = \"{version}\"\n")), "{}", manifest());
    dir.run(&["new-pass", "licm", "--crate", "own"]).fails(2, &["the folder `own` is not empty"]);
    fs::remove_dir_all(dir.path().join("own")).unwrap();
    tree(&dir);
    dir.run(&["new-pass", "licm", "--crate", "own"]).ok();
    assert!(manifest().contains("airfoil-passes = { path = \"../passes\" }\n"), "{}", manifest());
    assert!(manifest().contains("name = \"licm-pass\"\n") && !manifest().contains('@'), "{}", manifest());
}

#[test]
fn what_cannot_be_made_is_refused() {
    let dir = Folder::new();
    dir.run(&["new-pass", "licm"])
        .fails(2, &["this folder is not in the source tree of Airfoil", "--crate DIR"]);
    dir.run(&["new-pass", "dce", "--crate", "own"]).fails(2, &["there is a pass of this name"]);
    dir.run(&["new-pass", "../x", "--crate", "own"]).fails(2, &["`../x` cannot be the name of a pass"]);
    let args = ["new-pass", "licm", "--crate", "own", "--airfoil", "."];
    dir.run(&args).fails(2, &["`.` is not the source tree of Airfoil"]);
    tree(&dir);
    dir.write("passes/src/opt/mod.rs", "mod x;\n");
    dir.run(&["new-pass", "licm"]).fails(1, &["does not list passes by `passes!`"]);
    assert_eq!(dir.files(), ["compiler", "passes"]);
}
