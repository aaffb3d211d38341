//! Many inputs: folders, clashes, order, equal bytes for any number of jobs.

use crate::run::Folder;

const NAMES: [&str; 4] = ["lit.vert.spv", "lit.frag.spv", "blur.comp.spv", "fade.foil"];

fn folder() -> Folder {
    let dir = Folder::new();
    NAMES.iter().for_each(|name| dir.example(name));
    dir
}

#[test]
fn bytes_and_messages_do_not_depend_on_jobs() {
    let dir = folder();
    for i in 0..12 {
        // Some good, some bad.
        dir.write(&format!("copy{i}.spv"), dir.read(NAMES[i % 3]));
        dir.write(&format!("bad{i}.foil"), format!("foil 1\n{}nonsense", "\n".repeat(i)));
    }
    let inputs: Vec<String> = dir.files();
    let mut outcomes = Vec::new();
    for jobs in ["1", "2", "7"] {
        let out = format!("out{jobs}");
        let mut args = vec!["compile", "--out-dir", &out, "-j", jobs, "--to", "metallib,json,ll"];
        args.extend(inputs.iter().map(String::as_str));
        let outcome = dir.run(&args);
        let mut files: Vec<_> = std::fs::read_dir(dir.path().join(&out))
            .unwrap()
            .map(|e| e.unwrap())
            .map(|e| (e.file_name(), std::fs::read(e.path()).unwrap()))
            .collect();
        files.sort();
        assert_eq!(files.len(), 3 * 16);
        outcomes.push((outcome, files));
    }
    assert!(outcomes[0] == outcomes[1] && outcomes[1] == outcomes[2]);
    let outcome = &outcomes[0].0;
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stderr.ends_with("16 of 28 inputs compiled, 12 failed\n"), "{}", outcome.stderr);
    let order: Vec<&str> =
        outcome.stderr.lines().filter_map(|l| l.trim_start().strip_prefix("--> bad")).collect();
    let mut numbers: Vec<String> = (0..12).map(|i| i.to_string()).collect();
    numbers.sort();
    let found: Vec<&str> = order.iter().map(|l| l.split('.').next().unwrap()).collect();
    assert_eq!(found, numbers);
}

#[test]
fn names_follow_the_inputs() {
    let dir = folder();
    let outcome = dir.run(&["compile", "lit.vert.spv", "fade.foil", "--out-dir", "a/b"]).ok();
    assert_eq!(outcome.stderr, "2 of 2 inputs compiled\n");
    assert!(outcome.stdout.is_empty());
    assert!(dir.read("a/b/lit.vert.metallib").starts_with(b"MTLB"));
    assert!(dir.read("a/b/fade.metallib").starts_with(b"MTLB"));
    let outcome = dir.run(&["opt", "lit.vert.spv", "lit.frag.spv", "--out-dir", "ir", "-q"]).ok();
    assert_eq!(outcome.stderr, "");
    assert!(dir.read("ir/lit.vert.foil").starts_with(b"foil 1"));
    // One input and a folder need no summary.
    assert_eq!(dir.run(&["compile", "fade.foil", "--out-dir", "c"]).ok().stderr, "");
}

#[test]
fn clashes_are_refused_before_anything_is_written() {
    let dir = folder();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    dir.write("sub/fade.foil", dir.read("fade.foil"));
    let args = ["compile", "fade.foil", "sub/fade.foil", "--out-dir", "out"];
    dir.run(&args).fails(2, &["`fade.foil` and `sub/fade.foil` would both become `out/fade.metallib`"]);
    assert!(!dir.path().join("out").exists());
    let args = ["opt", "sub/fade.foil", "lit.vert.spv", "--out-dir", "sub"];
    dir.run(&args).fails(2, &["is an input and would be overwritten"]);
}

#[test]
fn check_takes_many() {
    let dir = folder();
    let mut args = vec!["check"];
    args.extend(NAMES);
    assert_eq!(dir.run(&args).ok().stderr, "4 of 4 inputs are good\n");
    dir.write("bad.foil", "foil 1\n");
    args.push("bad.foil");
    dir.run(&args).fails(1, &["--> bad.foil", "4 of 5 inputs are good, 1 failed\n"]);
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_no_temporary_files() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    let bytes = dir.read("lit.frag.spv");
    let mut args = vec!["compile".to_string(), "--out-dir".into(), "out".into()];
    for i in 0..300 {
        let name = format!("copy{i}.spv");
        dir.write(&name, &bytes);
        args.push(name);
    }
    let out = dir.path().join("out");
    let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_airfoil"))
        .current_dir(dir.path())
        .args(&args)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let names = || -> Vec<_> {
        std::fs::read_dir(&out)
            .into_iter()
            .flatten()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    while names().is_empty() && process.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let kill = std::process::Command::new("kill").args(["-TERM", &process.id().to_string()]).status();
    assert!(kill.is_ok());
    // On a fast machine all inputs may be compiled.
    assert!(matches!(process.wait().unwrap().code(), Some(0 | 130)));
    let names = names();
    assert!(!names.is_empty() && names.iter().all(|n| n.ends_with(".metallib")), "{names:?}");
}
