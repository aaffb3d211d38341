//! What this crate writes is read by LLVM 5 and LLVM 14, and bitcode and text say the same.
//!
//! The tools are found in `PATH` (`llvm-as-14`, `llvm-dis-14`, `opt-14`) and by `AIRFOIL_OLDREAD` or in
//! `../shared/tools/oldread.py` beside the workspace; what is missing is reported and skipped.
#![allow(clippy::print_stderr)] // a skipped check must say so

mod support;

use airfoil_air::module::Module;
use airfoil_air::{bitcode, ll};
use std::path::{Path, PathBuf};
use std::process::Command;

fn modules() -> Vec<(&'static str, Module)> {
    vec![
        ("empty", Module::new("empty", support::TRIPLE)),
        ("fragment", support::fragment(12)),
        ("kernel", support::kernel()),
    ]
}

/// A folder of this test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("airfoil-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("folder for test files");
        Folder(path)
    }

    fn write(&self, name: &str, contents: &[u8]) -> PathBuf {
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

fn run(command: &mut Command) -> String {
    let output = command.output().expect("tool starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: {tool} is not installed");
    }
    found
}

fn oldread() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tools/oldread.py");
    let path = std::env::var_os("AIRFOIL_OLDREAD").map_or(beside, PathBuf::from);
    if path.is_file() && has("python3") {
        return Some(path);
    }
    eprintln!("skipped: no LLVM 5 reader (AIRFOIL_OLDREAD or {})", path.display());
    None
}

#[test]
fn llvm_5_reads_bitcode_and_text() {
    let Some(tool) = oldread() else { return };
    let folder = Folder::new("llvm5");
    for (name, module) in modules() {
        let files = [
            folder.write(&format!("{name}.bc"), &bitcode::write(&module)),
            folder.write(&format!("{name}.wrapped.bc"), &bitcode::write_wrapped(&module)),
            folder.write(&format!("{name}.ll"), ll::print(&module).as_bytes()),
        ];
        let texts = files.map(|file| run(Command::new("python3").arg(&tool).args(["-v", "5"]).arg(&file)));
        let [bare, wrapped, text] = texts.map(|text| unname(&text));
        assert_same(&bare, &wrapped, &format!("{name}: bare and wrapped bitcode"));
        assert_same(&bare, &text, &format!("{name}: bitcode and text"));
    }
}

#[test]
fn llvm_14_reads_bitcode_and_text_alike() {
    if !["llvm-as-14", "llvm-dis-14", "opt-14"].iter().all(|tool| has(tool)) {
        return;
    }
    let folder = Folder::new("llvm14");
    for (name, module) in modules() {
        let bc = folder.write(&format!("{name}.bc"), &bitcode::write_wrapped(&module));
        let text = folder.write(&format!("{name}.ll"), ll::print(&module).as_bytes());
        let assembled = folder.0.join(format!("{name}.as.bc"));
        run(Command::new("llvm-as-14").arg(&text).arg("-o").arg(&assembled));
        for file in [&bc, &assembled] {
            let verify = ["-passes=verify", "-mtriple=x86_64-unknown-linux-gnu", "-disable-output"];
            run(Command::new("opt-14").args(verify).arg(file));
        }
        let dis = |file: &Path| unname(&run(Command::new("llvm-dis-14").arg(file).args(["-o", "-"])));
        assert_same(&dis(&bc), &dis(&assembled), name);
    }
}

/// Lazy readers, Metal's among them, find bodies by the offsets of the symbol table alone.
#[test]
fn bodies_are_found_by_their_offsets() {
    if !has("llvm-extract-14") {
        return;
    }
    let folder = Folder::new("lazy");
    let file = folder.write("kernel.bc", &bitcode::write_wrapped(&support::kernel()));
    for (name, instruction) in [("kernel", "phi float"), ("helper", "switch i32")] {
        let text = run(Command::new("llvm-extract-14").args(["-func", name, "-S"]).arg(&file));
        assert!(text.contains(instruction), "{name}: {text}");
    }
}

/// Fails with the first line that differs.
fn assert_same(a: &str, b: &str, what: &str) {
    for (at, (left, right)) in a.lines().zip(b.lines()).enumerate() {
        assert_eq!(left, right, "{what}, line {}", at + 1);
    }
    assert_eq!(a.lines().count(), b.lines().count(), "{what}: number of lines");
}

/// The text without what may differ: the file's name in the first line, names of local values and blocks (put
/// in the order of their appearance), and the comments that list a block's predecessors.
fn unname(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut names: Vec<String> = Vec::new();
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
                let at = names.iter().position(|n| n == name).unwrap_or_else(|| {
                    names.push(name.to_owned());
                    names.len() - 1
                });
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

#[test]
fn output_is_deterministic() {
    for ((name, a), (_, b)) in modules().into_iter().zip(modules()) {
        assert_eq!(bitcode::write(&a), bitcode::write(&b), "{name}");
        assert_eq!(ll::print(&a), ll::print(&b), "{name}");
    }
}

#[test]
fn the_wrapper_gives_place_and_size() {
    let module = support::kernel();
    let (bare, wrapped) = (bitcode::write(&module), bitcode::write_wrapped(&module));
    assert!(wrapped.len().is_multiple_of(16));
    let word = |at: usize| u32::from_le_bytes(wrapped[at..at + 4].try_into().expect("four bytes"));
    assert_eq!((word(0), word(4), word(8), word(16)), (0x0b17_c0de, 0, 20, u32::MAX));
    assert_eq!(word(12) as usize, bare.len());
    assert_eq!(&wrapped[20..20 + bare.len()], bare);
    assert!(wrapped[20 + bare.len()..].iter().all(|&b| b == 0));
}
