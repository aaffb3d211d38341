//! `--cache`: the same outputs and messages, without a compile.

use crate::run::Folder;

const FRAGMENT: &str = "#version 330\nuniform float x; out vec4 c; void main() { c = vec4(x); }\n";

/// Names and contents of the files of a folder.
fn files(dir: &Folder, name: &str) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let entries = std::fs::read_dir(dir.path().join(name)).unwrap().map(|e| e.unwrap());
    let mut files: Vec<_> = entries.map(|e| (e.file_name(), std::fs::read(e.path()).unwrap())).collect();
    files.sort();
    files
}

/// Entries: the lock is not one.
fn entries(dir: &Folder) -> usize {
    files(dir, "cache").iter().filter(|(name, _)| name.len() == 64).count()
}

#[test]
fn batches_are_served() {
    let dir = Folder::new();
    let names = ["lit.vert.spv", "lit.frag.spv", "blur.comp.spv", "fade.foil"];
    names.iter().for_each(|name| dir.example(name));
    dir.write("a.frag", FRAGMENT);
    dir.write("bad.frag", "void main() { x = 1.0; }\n");
    let compile = |out: &str, more: &[&str]| {
        let mut args = vec!["compile", "--out-dir", out, "--to", "metallib,json,ll"];
        args.extend(names);
        args.extend(["a.frag", "bad.frag"].iter().chain(more));
        dir.run(&args)
    };
    let plain = compile("plain", &[]);
    let first = compile("first", &["--cache", "cache"]);
    assert_eq!(entries(&dir), 5);
    let stored = files(&dir, "cache");
    let second = compile("second", &["--cache", "cache"]);
    assert!(first == plain && second == plain, "{first:?} {second:?}");
    assert_eq!(files(&dir, "first"), files(&dir, "plain"));
    assert_eq!(files(&dir, "second"), files(&dir, "plain"));
    assert_eq!(files(&dir, "cache"), stored);
    // Unreadable entries are computed again.
    for (name, bytes) in stored.iter().filter(|(name, _)| name.len() == 64) {
        std::fs::write(dir.path().join("cache").join(name), &bytes[..bytes.len() - 1]).unwrap();
    }
    assert!(compile("third", &["--cache", "cache"]) == plain);
    assert_eq!(files(&dir, "third"), files(&dir, "plain"));
    assert_eq!(entries(&dir), 5);
    // Other options and sources have other entries.
    compile("robust", &["--cache", "cache", "--robust"]);
    assert_eq!(entries(&dir), 10);
    dir.write("a.frag", FRAGMENT.replace("x)", "x * 2.0)"));
    assert!(compile("changed", &["--cache", "cache"]).code == plain.code);
    assert_eq!(entries(&dir), 11);
}

#[test]
fn warnings_and_spirv_are_served() {
    let dir = Folder::new();
    dir.write("w.frag", "#version 330\n#extension GL_unknown_extension : enable\nout vec4 c; void main() { c = vec4(1.0); }\n");
    for output in ["w.metallib", "w.spv"] {
        let run = || dir.run(&["compile", "w.frag", "-o", output, "--cache", "cache"]);
        let (first, bytes) = (run(), dir.read(output));
        dir.write(output, "");
        let second = run();
        assert!(first == second && first.code == Some(0), "{first:?} {second:?}");
        assert!(first.stderr.contains("warning"), "{first:?}");
        assert_eq!(dir.read(output), bytes);
    }
    assert_eq!(entries(&dir), 2);
}

#[test]
fn unsafe_folders_are_errors() {
    let dir = Folder::new();
    dir.write("a.frag", FRAGMENT);
    dir.write("file", "");
    let outcome = dir.run(&["compile", "a.frag", "-o", "a.metallib", "--cache", "file"]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stderr.contains("error[E0005]: cannot use the cache: "), "{}", outcome.stderr);
    // The reason of the cache, not only the kind of the error.
    dir.run(&["compile", "a.frag", "-o", "a.metallib", "--cache", "real"]).ok();
    std::os::unix::fs::symlink("real", dir.path().join("link")).unwrap();
    dir.run(&["compile", "a.frag", "-o", "a.metallib", "--cache", "link"])
        .fails(1, &["cannot use the cache: expected a folder, found a symbolic link or file"]);
    let outcome = dir.run(&["compile", "a.frag", "-o", "a.metallib", "--cache", "cache", "--stats"]);
    assert_eq!(outcome.code, Some(2));
    let outcome = dir.run(&["compile", "a.frag", "-o", "a.metallib", "--cache-limit", "4"]);
    assert_eq!(outcome.code, Some(2));
}
