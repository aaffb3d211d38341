//! Standard streams, and files that appear whole or not at all.

use crate::run::Folder;
use std::process::{Command, Stdio};

#[test]
fn standard_streams() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    dir.run(&["compile", "lit.frag.spv", "-o", "a.metallib"]).ok();
    let module = dir.read("lit.frag.spv");
    // The kind of the stream is seen; the product alone is on the standard output.
    let outcome = dir.run_with(&["compile", "-"], &module, &[]).ok();
    assert_eq!(outcome.stdout, dir.read("a.metallib"));
    assert_eq!(outcome.stderr, "");
    let text = dir.run_with(&["opt", "-", "-O0", "-o", "-"], &module, &[]).ok();
    assert!(text.text().starts_with("foil 1"));
    let ll = dir.run_with(&["compile", "-", "-O0", "--to", "ll", "-o", "-"], &text.stdout, &[]).ok();
    assert!(ll.text().contains("define"));
    dir.run_with(&["compile", "-", "--to", "ll"], b"", &[]).fails(1, &["the input is empty", "--> <stdin>"]);
    dir.run_with(&["metallib", "-"], &outcome.stdout, &[]).ok();
}

#[test]
fn dumps_do_not_mix_with_the_product() {
    let dir = Folder::new();
    dir.example("fade.foil");
    let plain = dir.run(&["opt", "fade.foil"]).ok();
    let dumped = dir.run(&["opt", "fade.foil", "--print-after", "all", "--time-passes", "--stats"]).ok();
    assert_eq!(plain.stdout, dumped.stdout);
    assert!(plain.stderr.is_empty() && dumped.stderr.contains("*** IR Dump After "), "{}", dumped.stderr);
}

#[test]
fn a_refused_input_changes_no_file() {
    let dir = Folder::new();
    dir.write("bad.foil", "foil 1\nshader fragment \"x\" {\n  nonsense\n}\n");
    dir.write("out.metallib", "old");
    dir.run(&["compile", "bad.foil", "-o", "out.metallib", "-o", "out.json"]).fails(1, &["bad.foil:3"]);
    assert_eq!(dir.files(), ["bad.foil", "out.metallib"]);
    assert_eq!(dir.read("out.metallib"), b"old");
}

#[test]
fn if_one_output_cannot_be_written_none_is() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    dir.write("out.ll", "old");
    let args = ["compile", "lit.frag.spv", "-o", "out.ll", "-o", "missing/out.metallib"];
    dir.run(&args).fails(1, &["error[E0005]: cannot write missing/out.metallib: no such file or folder"]);
    assert_eq!(dir.files(), ["lit.frag.spv", "out.ll"]);
    assert_eq!(dir.read("out.ll"), b"old");
    std::fs::create_dir(dir.path().join("d.ll")).unwrap();
    dir.run(&["compile", "lit.frag.spv", "-o", "d.ll"]).fails(1, &["it is a directory"]);
}

#[test]
fn a_text_can_be_changed_in_place() {
    let dir = Folder::new();
    dir.example("fade.foil");
    let expected = dir.run(&["opt", "fade.foil", "--passes", "dce"]).ok().stdout;
    dir.run(&["opt", "fade.foil", "--passes", "dce", "-o", "fade.foil"]).ok();
    assert_eq!(dir.read("fade.foil"), expected);
    assert_eq!(dir.files(), ["fade.foil"]);
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    dir.write("real.ll", "old");
    std::os::unix::fs::symlink("real.ll", dir.path().join("link.ll")).unwrap();
    dir.run(&["compile", "lit.frag.spv", "-o", "link.ll"]).ok();
    assert!(dir.path().join("link.ll").is_symlink());
    assert!(dir.read("real.ll").starts_with(b"source_filename"));
    dir.run(&["compile", "lit.frag.spv", "--to", "ll", "-o", "/dev/null"]).ok();
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_airfoil"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}
