//! LLVM's tools as test oracles: files for them, runs, and comparison of their texts.
#![allow(dead_code)] // each test uses some of it

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

/// A folder of this test, removed at its end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("airfoil-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("folder for test files");
        Folder(path)
    }

    pub fn write(&self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, contents).expect("test file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn run(command: &mut Command) -> String {
    let output = command.output().expect("tool starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Fails with the first line that differs.
pub fn assert_same(a: &str, b: &str, what: &str) {
    for (at, (left, right)) in a.lines().zip(b.lines()).enumerate() {
        assert_eq!(left, right, "{what}, line {}", at + 1);
    }
    assert_eq!(a.lines().count(), b.lines().count(), "{what}: number of lines");
}

/// The text without the parts that may differ: the file's name in the first line, names of local values and blocks (put
/// in the order of their appearance), and the comments that list a block's predecessors.
pub fn unname(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut names: HashMap<String, usize> = HashMap::new();
    for line in text.lines().filter(|l| !l.starts_with("; ModuleID")) {
        if line.starts_with("define") {
            names.clear();
        }
        let line = line.split("; preds").next().unwrap_or(line).trim_end();
        // A block's own line: "b3:" or "12:" (with a "; <label>:12:" comment before LLVM 9).
        let label = line.trim_start_matches("; <label>:").trim_end_matches(':');
        if line.ends_with(':') && !label.is_empty() {
            out.push_str("block:\n");
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find('%') {
            let (before, after) = rest.split_at(at + 1);
            out.push_str(before);
            let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
            let (name, tail) = after.split_at(end);
            let local = name.trim_start_matches(['a', 'b', 'v']);
            if line.starts_with("define") && !name.is_empty() && local.bytes().all(|b| b.is_ascii_digit()) {
                // LLVM before 10 does not print the numbers of nameless parameters.
                out.truncate(out.trim_end_matches(" %").len());
            } else if !name.is_empty() && local.bytes().all(|b| b.is_ascii_digit()) {
                let next = names.len();
                let at = *names.entry(name.to_owned()).or_insert(next);
                out.push_str(&at.to_string());
            } else {
                out.push_str(name);
            }
            rest = tail;
        }
        out.push_str(rest);
        out.push('\n');
    }
    // The entry block has a line of its own only when it has a name.
    out.replace("{\nblock:\n", "{\n")
}

/// The reader of old LLVM versions.
pub fn oldread() -> PathBuf {
    let file = airfoil_filetest::harness::shared_file("tools/oldread.py", "AIRFOIL_OLDREAD");
    file.expect("the test declares that it needs the reader")
}
