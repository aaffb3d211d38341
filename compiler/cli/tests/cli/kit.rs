//! `airfoil kit`: the folder that it writes, and reports of results.

use crate::run::Folder;
use std::fs;

#[test]
fn a_kit_is_written_and_judged() {
    let dir = Folder::new();
    let written = dir.run(&["kit", "-o", "k"]).ok();
    let text = &written.stderr;
    let count: usize = text.split(' ').next().unwrap().parse().unwrap();
    assert!(count >= 300 && text.ends_with(" cases in k\n"), "{text}");
    assert!(written.stdout.is_empty());
    assert_eq!(dir.run(&["kit", "-o", "k", "-q"]).ok().stderr, "");
    let cases = fs::read_dir(dir.path().join("k/cases")).unwrap().count();
    assert_eq!(cases, count);
    for file in ["check.swift", "README.md", "cases/000-empty-kernel-air-2-3/case.json"] {
        assert!(dir.path().join("k").join(file).is_file(), "{file}");
    }

    // Without results there is nothing to judge.
    dir.run(&["kit", "report", "k"]).fails(1, &["error[E0001]", "device.json"]);
    fs::create_dir(dir.path().join("k/results")).unwrap();
    dir.write(
        "k/results/device.json",
        r#"{"device":"Apple M3","macos":"14.5","build":"23F79","families":[1009]}"#,
    );
    let outcome = dir.run(&["kit", "report", "k"]);
    // Cases without result are counted, and the exit status reports them.
    assert_eq!(outcome.code, Some(1));
    let line = outcome.text();
    assert!(
        line.starts_with("airfoil-kit 0.") && line.contains(" missing; Apple M3, macOS 14.5 23F79, native\n"),
        "{line}"
    );
    let report = String::from_utf8(dir.read("k/report.md")).unwrap();
    assert!(report.contains(line.trim()) && report.contains("requires macOS 26"), "{report}");
    assert!(dir.read("k/report.json").starts_with(b"{"));

    let text = dir.run(&["kit", "constructs", "k/cases/000-empty-kernel-air-2-3/lib.metallib"]).ok().text();
    assert!(text.contains("      1 air.kernel\n"), "{text}");
    dir.run(&["kit", "constructs", "k/check.swift"]).fails(1, &["error[E0001]", "check.swift"]);
}
