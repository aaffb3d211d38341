//! `airfoil graph`, `--print-changed` and `--dump-dir`.

use crate::run::Folder;

#[test]
fn every_view_is_dot() {
    let dir = Folder::new();
    dir.example("sea.frag");
    let nodes = |view: &str, passes: &str| {
        let text = dir.run(&["graph", "sea.frag", "--view", view, "--passes", passes]).ok().text();
        assert!(text.starts_with("digraph {\n") && text.ends_with("}\n"), "{view}: {text}");
        (text.matches("[ shape=box").count(), text.matches(" -> ").count())
    };
    let (blocks, edges) = nodes("cfg", "front");
    assert!(blocks > 5 && edges >= blocks, "{blocks} blocks, {edges} edges");
    assert_eq!(nodes("liveness", "front").0, blocks);
    assert_eq!(nodes("divergence", "front").0, blocks);
    // A tree has an edge less than nodes.
    assert_eq!(nodes("dom", "front"), (blocks, blocks - 1));
    assert_eq!(nodes("loops", "front"), (2, 1), "the function and its loop");
    assert!(nodes("uses", "front").0 > 100);
    assert_eq!(nodes("plan", "dce, loop(cse, dce)"), (6, 6));
    let whole = dir.run(&["graph", "sea.frag", "--view", "plan"]).ok().text();
    assert!(whole.contains("match_interfaces") && whole.contains("style=dashed"), "{whole}");
    dir.run(&["graph", "sea.frag", "-o", "sea.dot"]).ok();
    assert!(dir.read("sea.dot").starts_with(b"digraph"));
    dir.run(&["graph", "sea.frag", "sea.frag"]).fails(2, &["a graph is of one input"]);
    dir.run(&["graph", "sea.frag", "--view", "tree"]).fails(2, &["invalid value 'tree'"]);
}

#[test]
fn graphs_that_cannot_be_drawn_are_refused() {
    let dir = Folder::new();
    let mut text = String::from("foil 1\nshader vertex \"huge\" {\n  form slots\n  fn main {\n  b0:\n");
    (0..2500).for_each(|n| text += &format!("    32x1 %{n} = const {n}\n"));
    dir.write("huge.foil", &(text + "  }\n}\n"));
    let args = ["graph", "huge.foil", "--view", "uses"];
    dir.run(&args).fails(1, &["error[E0018]: the graph has more than 2000 nodes", "huge.foil"]);
    dir.run(&["graph", "huge.foil"]).ok();
}

#[test]
fn changes_are_printed_whole_or_as_difference() {
    let dir = Folder::new();
    dir.example("sea.frag");
    let run = |form: &str| {
        let outcome =
            dir.run(&["opt", "sea.frag", "--raw", "--passes", "vars_to_ssa, dce, cse, dce", form]).ok();
        assert!(outcome.text().starts_with("foil 1"), "the product alone is on the standard output");
        outcome.stderr
    };
    let (full, diff) = (run("--print-changed"), run("--print-changed=diff"));
    for text in [&full, &diff] {
        assert!(text.starts_with("; *** IR Dump At Start on fragment_main ***\nfoil 1\n"), "{text}");
        assert!(text.contains("; *** IR Dump After vars_to_ssa on fragment_main ***\n"), "{text}");
        assert!(text.contains("; *** IR Dump After dce omitted because no change ***\n"), "{text}");
    }
    assert!(diff.lines().any(|l| l.starts_with("-    store_deref ")), "{diff}");
    assert!(diff.len() < full.len() && diff.contains("\n...\n"));
    assert_eq!(full.matches("\nfoil 1\n").count(), 1 + full.matches(" on fragment_main").count() - 1);
}

#[test]
fn states_are_written_to_a_folder() {
    let dir = Folder::new();
    dir.example("sea.frag");
    let args =
        ["opt", "sea.frag", "--raw", "--passes", "vars_to_ssa, inline_functions, cse", "--dump-dir", "steps"];
    let product = dir.run(&args).ok().text();
    let read = |name: &str| String::from_utf8(dir.read(&format!("steps/sea.frag/{name}"))).unwrap();
    assert!(read("000-as-read.foil").contains("call ripples"));
    assert!(read("001-vars_to_ssa.foil").contains("call ripples"));
    assert!(!read("002-inline_functions.foil").contains("call ripples"));
    assert!(read("003-cse.foil") == product, "the last state is the product");
    dir.write("file", "");
    let args = ["opt", "sea.frag", "--dump-dir", "file/steps", "-o", "sea.foil"];
    dir.run(&args).fails(1, &["error[E0005]: cannot write file/steps/sea.frag/000-as-read.foil"]);
    assert!(!dir.files().contains(&"sea.foil".to_string()));
}
