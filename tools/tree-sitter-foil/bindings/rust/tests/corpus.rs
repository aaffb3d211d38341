//! The tests in `test/corpus`, in the format of `tree-sitter test`. `AIRFOIL_BLESS=1` writes the trees.

mod support;

use sha2::{Digest, Sha256};
use std::fs;
use support::{folder, outline, tree};

/// A test: title, text, tree.
struct Case<'a> {
    title: &'a str,
    text: &'a str,
    tree: &'a str,
}

const RULE: &str = "========================================\n";

fn cases(file: &str) -> Vec<Case<'_>> {
    let mut pieces = file.split(RULE);
    assert_eq!(pieces.next(), Some(""), "the file starts with a title");
    let mut cases = Vec::new();
    while let (Some(title), Some(body)) = (pieces.next(), pieces.next()) {
        let (text, tree) = body.split_once("\n---\n").expect("`---` between text and tree");
        cases.push(Case { title: title.trim(), text: text.trim_matches('\n'), tree: tree.trim() });
    }
    cases
}

#[test]
fn texts_have_the_trees_of_the_corpus() {
    let bless = std::env::var_os("AIRFOIL_BLESS").is_some();
    let mut count = 0;
    let mut faults = String::new();
    for entry in fs::read_dir(folder().join("test/corpus")).expect("the corpus") {
        let path = entry.expect("an entry").path();
        let file = fs::read_to_string(&path).expect("a file of the corpus");
        let mut blessed = String::new();
        for case in cases(&file) {
            count += 1;
            let found = outline(&tree(case.text));
            assert!(!found.contains("(ERROR") && !found.contains("(MISSING"), "{}: {found}", case.title);
            if case.tree.split_whitespace().ne(found.split_whitespace()) {
                faults += &format!("{}: {}\n{found}\n", path.display(), case.title);
            }
            let Case { title, text, .. } = case;
            blessed += &format!("{RULE}{title}\n{RULE}\n{text}\n\n---\n\n{found}\n\n");
        }
        if bless {
            fs::write(&path, blessed.trim_end().to_owned() + "\n").expect("the corpus can be written");
        }
    }
    assert!(count > 30, "{count} tests");
    assert!(bless || faults.is_empty(), "{faults}\nAIRFOIL_BLESS=1 writes the trees");
}

/// The build of the generator takes longer than all tests of this crate, so that only hashes are compared.
#[test]
fn the_parser_belongs_to_the_grammar() {
    let list = fs::read_to_string(folder().join("test/generated.sha256")).expect("the hashes");
    let mut names = Vec::new();
    for line in list.lines() {
        let (hash, name) = line.split_once("  ").expect("hash and name");
        let bytes = fs::read(folder().join(name)).expect("a generated file");
        let found: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, hash, "{name} has changed: run tools/tree-sitter-foil/generate");
        names.push(name);
    }
    for name in ["grammar.js", "src/parser.c", "src/grammar.json", "src/node-types.json"] {
        assert!(names.contains(&name), "no hash of {name}");
    }
}
