//! The runner as a process.

use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_airfoil-conformance")).args(args).output().unwrap()
}

#[test]
fn a_folder_without_files_is_an_error() {
    let folder = std::env::temp_dir().join(format!("airfoil-empty-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let done = run(&["accept", folder.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stderr).contains("has no files of this suite"));
}

#[test]
fn a_damaged_file_fails_alone() {
    let folder = std::env::temp_dir().join(format!("airfoil-damaged-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.foil"), "nonsense").unwrap();
    std::fs::write(folder.join("b.spv"), [1, 2, 3]).unwrap();
    let json = folder.join("result.json");
    let path = folder.to_str().unwrap();
    let failed = run(&["accept", path, "--list-failures", "--json", json.to_str().unwrap()]);
    let filtered = run(&["accept", path, "--filter", "nothing has this name"]);
    let survived = run(&["accept", path, "--goal", "survive"]);
    let result = std::fs::read_to_string(&json).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(String::from_utf8_lossy(&failed.stdout), "a.foil\nb.spv\n");
    assert_eq!(failed.status.code(), Some(1));
    let result: serde_json::Value = serde_json::from_str(&result).unwrap();
    for (key, count) in [("passed", 0), ("failed", 2), ("skipped", 0), ("crashed", 0)] {
        assert_eq!(result[key], count, "{key}");
    }
    assert_eq!(result["failures"][0]["name"], "a.foil");
    assert!(result["failures"][1]["reason"].as_str().is_some_and(|r| r.starts_with("read: ")));
    assert_eq!(filtered.status.code(), Some(1));
    assert_eq!(survived.status.code(), Some(0));
}
