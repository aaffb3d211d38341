//! Diagnostics: shape, colours, formats.

use crate::run::Folder;

const BAD: &str = "foil 1\nshader fragment \"x\" {\n  nonsense here\n}\n";

fn folder() -> Folder {
    let dir = Folder::new();
    dir.write("bad.foil", BAD);
    dir
}

#[test]
fn text_inputs_are_quoted_with_a_mark() {
    let outcome = folder().run(&["check", "bad.foil"]).fails(1, &["error[E", "\n  --> bad.foil:3:3\n"]);
    assert!(outcome.stderr.contains("\n   |\n 3 |   nonsense here\n   |   ^^^^^^^^\n"), "{}", outcome.stderr);
}

#[test]
fn short_and_json() {
    let dir = folder();
    let short =
        dir.run(&["check", "bad.foil", "--message-format", "short"]).fails(1, &["bad.foil:3:3: error[E"]);
    assert_eq!(short.stderr.lines().count(), 1);
    let json = dir.run(&["--message-format=json", "check", "bad.foil", "bad.foil"]).fails(1, &[]);
    let lines: Vec<serde_json::Value> =
        json.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["level"], "error");
    let span = &lines[0]["spans"][0];
    assert_eq!((&span["line_start"], &span["column_start"]), (&3.into(), &3.into()));
    let (from, to) =
        (span["byte_start"].as_u64().unwrap() as usize, span["byte_end"].as_u64().unwrap() as usize);
    assert_eq!(&BAD[from..to], "nonsense");
    assert_eq!((&lines[2]["$message_type"], &lines[2]["failed"]), (&"summary".into(), &2.into()));
}

#[test]
fn modules_tell_the_word() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    let mut bytes = dir.read("lit.frag.spv");
    // A missing type, deep in the module.
    let at = bytes.len() - 64;
    bytes[at..at + 8].fill(0xee);
    dir.write("broken.spv", &bytes);
    dir.run(&["check", "broken.spv"]).fails(1, &["error[E03", "--> broken.spv: word "]);
    let json = dir.run(&["check", "broken.spv", "--message-format", "json"]).fails(1, &[]);
    let value: serde_json::Value = serde_json::from_str(json.stderr.lines().next().unwrap()).unwrap();
    assert!(value["place"]["word"].as_u64().is_some_and(|w| w > 5), "{value:#}");
}

#[test]
fn colors() {
    let dir = folder();
    let colored = |args: &[&str], environment: &[(&str, &str)]| {
        dir.run_with(args, b"", environment).stderr.contains("\x1b[")
    };
    let check = ["check", "bad.foil"];
    assert!(!colored(&check, &[]));
    assert!(colored(&["check", "bad.foil", "--color", "always"], &[]));
    assert!(colored(&["check", "bad.foil", "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(colored(&check, &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&check, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!colored(&["check", "bad.foil", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&["check", "bad.foil", "--message-format", "json", "--color", "always"], &[]));
}

#[test]
fn pipelines_are_refused_with_a_mark() {
    let dir = Folder::new();
    dir.example("fade.foil");
    let args = ["opt", "fade.foil", "--passes", "dce, loop(dcee)"];
    dir.run(&args).fails(2, &["error[E0802]", "dce, loop(dcee)\n   |           ^^^^", "did you mean `dce`?"]);
    let args = ["opt", "fade.foil", "--print-after", "dcee"];
    dir.run(&args).fails(2, &["no pass `dcee`", "did you mean `dce`?"]);
}
