//! `airfoil compare`.

use crate::run::Folder;

#[test]
fn two_pipelines_are_shown_side_by_side() {
    let dir = Folder::new();
    dir.example("sea.frag");
    let both = ["--pipeline", "lower_variable_initializers", "--pipeline", "O2_front, locals, loop(values)"];
    let run = |more: &[&str]| dir.run(&[&["compare", "sea.frag"], &both[..], more].concat()).ok().text();
    let text = run(&[]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("size ") && lines[0].ends_with("change"), "{text}");
    let check = lines.iter().find(|line| line.starts_with("check ")).unwrap();
    assert_eq!(check.matches("same").count(), 2, "{text}");
    assert!(lines.iter().any(|line| line.ends_with(" <")) && text.contains(" | "), "{text}");
    assert!(lines.iter().all(|line| line.chars().count() <= 160), "{text}");
    // Lines that both have are in both columns.
    let header = lines.iter().find(|line| line.contains("foil 1")).unwrap();
    assert_eq!(header.matches("foil 1").count(), 2, "{text}");
    assert!(run(&["--sizes"]).lines().count() < lines.len() / 2);
    assert!(run(&["--context", "0"]).contains("...\n"));
    assert!(!run(&["--no-check", "--sizes"]).contains("check"));
}

#[test]
fn wrong_comparisons_are_errors() {
    let dir = Folder::new();
    dir.example("fade.foil");
    dir.run(&["compare", "fade.foil", "--pipeline", "O2"]).fails(2, &["expected two pipelines, found 1"]);
    let two = ["--pipeline", "O0", "--pipeline", "O2"];
    dir.run(&[&["compare", "fade.foil", "fade.foil"], &two[..]].concat())
        .fails(2, &["expected one input, found 2"]);
    dir.run(&[&["compare", "missing.foil"], &two[..]].concat()).fails(1, &["missing.foil"]);
    dir.run(&["compare", "fade.foil", "--pipeline", "O0", "--pipeline", "nope"]).fails(2, &["E0802"]);
}
