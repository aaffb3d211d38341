//! `AIRFOIL_DEBUG` in processes that embed the library: this test runs itself with the variable.

#![allow(clippy::print_stdout, reason = "the child reports by its output")]

use airfoil_gl::{Budget, Device, LinkOptions, Stage, StateFlags, StateKey};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const VERTEX: &str = "#version 330\nin vec4 p; void main() { gl_Position = p; }";
const FRAGMENT: &str = "#version 330\nout vec4 c; void main() { c = vec4(0.25, 0.5, gl_FragCoord.y, 1.0); }";

/// The child process: a program with two states through `airfoil-gl`, and a compile through the facade. Prints a digest of all
/// libraries.
#[test]
fn child() {
    let device = Device::default();
    let vertex = device.compile("sky.vert", Stage::Vertex, &[VERTEX]);
    let fragment = device.compile("sky.frag", Stage::Fragment, &["#version 330\n", &FRAGMENT[13..]]);
    let program = device.link(&[&vertex, &fragment], &LinkOptions::default()).unwrap();
    let mut bytes = Vec::new();
    for flags in [StateFlags::empty(), StateFlags::FLIP_WINDOW | StateFlags::FLIP_Y] {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let key = StateKey { flags, ..StateKey::default() };
            bytes.extend(program.variant(stage, &key, &Budget::default()).unwrap().metallib);
        }
    }
    let sources = [airfoil::glsl::Source {
        name: "one.comp",
        stage: Stage::Compute,
        text: "#version 430\nlayout(local_size_x = 1) in; layout(binding = 0) buffer B { int x; }; void main() { x = 7; }",
    }];
    let compiler = airfoil::Compiler::new(airfoil::CompileOptions::default());
    bytes.extend(compiler.compile_glsl(&sources, &Default::default()).unwrap().metallib);
    let digest = bytes.iter().fold(0_u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    println!("digest {digest:016x}");
}

/// Runs the child; returns its digest and its standard error stream.
fn run_exe(exe: &Path, value: Option<&str>) -> (String, String) {
    let mut command = Command::new(exe);
    command.args(["child", "--exact", "--nocapture"]).env_remove("AIRFOIL_DEBUG");
    if let Some(value) = value {
        command.env("AIRFOIL_DEBUG", value);
    }
    let Output { status, stdout, stderr } = command.output().unwrap();
    let (out, errors) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(status.success(), "{out}{errors}");
    let digest = out.split("digest ").nth(1).unwrap_or_else(|| panic!("{out}{errors}"));
    (digest.split_whitespace().next().unwrap().to_owned(), errors)
}

fn run(value: Option<&str>) -> (String, String) {
    run_exe(&std::env::current_exe().unwrap(), value)
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn files(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn nothing_is_printed_without_the_variable() {
    for value in [None, Some(""), Some("match=nothing,list")] {
        let (_, errors) = run(value);
        assert!(!errors.contains("airfoil"), "{errors}");
    }
}

#[test]
fn shaders_are_listed_and_dumped() {
    let plain = run(None).0;
    let dir = folder("dump");
    let (digest, errors) = run(Some(&format!("list,dump={}", dir.display())));
    assert_eq!(digest, plain);
    let listed: Vec<&str> = errors.lines().filter(|l| l.starts_with("airfoil: ")).collect();
    assert_eq!(listed.len(), 3, "{errors}");
    assert!(listed[0].ends_with(" vertex sky.vert") && listed[1].ends_with(" fragment sky.frag"), "{errors}");
    let key = listed[1].split(' ').nth(1).unwrap();
    assert_eq!(fs::read_to_string(dir.join(format!("{key}.glsl"))).unwrap(), FRAGMENT);
    assert!(fs::read_to_string(dir.join(format!("{key}.foil"))).unwrap().starts_with("foil 1"));
    let count = |start: &str, end: &str| {
        files(&dir).iter().filter(|f| f.starts_with(start) && f.ends_with(end)).count()
    };
    // Two states each; the facade compiles one kernel.
    assert_eq!((count(key, ".ll"), count("vertex-", ".ll"), count("compute-", ".ll")), (2, 2, 1));
    assert_eq!((count(key, ".foil"), count("compute-", ".glsl")), (3, 1));
    assert_eq!(count("", ".part"), 0);

    let dir = folder("dump-some");
    run(Some(&format!("dump={},air,match=sky.f*", dir.display())));
    assert!(
        !files(&dir).is_empty()
            && files(&dir)
                .iter()
                .all(|f| f.starts_with("fragment-") && (f.ends_with(".ll") || f.ends_with(".bc")))
    );
}

#[test]
fn shaders_are_replaced() {
    let plain = run(None).0;
    let dir = folder("replace");
    run(Some(&format!("dump={},glsl,ir", dir.display())));
    let start = |stage: &str| -> PathBuf {
        let found = files(&dir).into_iter().find(|f| f.starts_with(stage) && f.ends_with(".glsl")).unwrap();
        dir.join(found)
    };
    let (glsl, foil) = (start("fragment"), start("fragment").with_extension("foil"));
    let value = format!("replace={}", dir.display());
    // The same text gives the same code.
    let (digest, errors) = run(Some(&value));
    assert_eq!(digest, plain);
    assert_eq!(errors.matches("replaced by").count(), 6, "{errors}");

    let ir = fs::read_to_string(&foil).unwrap();
    fs::write(&foil, ir.replace("0.25", "0.75")).unwrap();
    assert_ne!(run(Some(&value)).0, plain);
    fs::write(&foil, "foil 1\nnonsense").unwrap();
    let (digest, errors) = run(Some(&value));
    assert!(digest == plain && errors.contains(".foil is not used"), "{errors}");
    fs::copy(start("compute").with_extension("foil"), &foil).unwrap();
    let (digest, errors) = run(Some(&value));
    assert!(digest == plain && errors.contains("another stage"), "{errors}");

    fs::remove_file(&foil).unwrap();
    fs::write(&glsl, FRAGMENT.replace("0.25", "0.125")).unwrap();
    assert_ne!(run(Some(&value)).0, plain);
}

#[test]
fn air_is_replaced() {
    let plain = run(None).0;
    let dir = folder("replace-air");
    run(Some(&format!("dump={},air", dir.display())));
    let all = files(&dir);
    let of = |stage: &str| all.iter().find(|f| f.starts_with(stage) && f.ends_with(".bc")).unwrap();
    let value = format!("replace={}", dir.display());
    // The same modules give the same libraries.
    let (digest, errors) = run(Some(&value));
    assert_eq!(digest, plain);
    assert_eq!(errors.matches(".bc").count(), 5, "{errors}");
    // A function with another constant, from a compile of a changed source.
    let (changed, glsl) = (folder("replace-air-changed"), folder("replace-air-glsl"));
    run(Some(&format!("dump={},glsl", glsl.display())));
    let source = files(&glsl).into_iter().find(|f| f.starts_with("fragment-")).unwrap();
    fs::write(glsl.join(source), FRAGMENT.replace("0.25", "0.125")).unwrap();
    run(Some(&format!("replace={},dump={},air", glsl.display(), changed.display())));
    let target = dir.join(of("fragment-"));
    let original = fs::read(&target).unwrap();
    let others = files(&changed).into_iter().filter(|f| f.starts_with("fragment-") && f.ends_with(".bc"));
    let others: Vec<Vec<u8>> = others.map(|f| fs::read(changed.join(f)).unwrap()).collect();
    assert!(others.len() == 2 && !others.contains(&original));
    for other in others {
        fs::write(&target, other).unwrap();
        let (digest, errors) = run(Some(&value));
        assert!(digest != plain && !errors.contains("is not used"), "{errors}");
    }
    // Modules that cannot be used.
    let vertex = fs::read(dir.join(of("vertex-"))).unwrap();
    for (bytes, message) in
        [(&b"nonsense"[..], ".bc is not used: "), (&vertex, "it does not have the function `fragment_main`")]
    {
        fs::write(&target, bytes).unwrap();
        let (digest, errors) = run(Some(&value));
        assert!(digest == plain && errors.contains(message), "{errors}");
    }
}

#[test]
fn plans_and_times_are_printed() {
    let plain = run(None).0;
    let (digest, errors) = run(Some("plan,time,validate,match=*vert*"));
    assert_eq!(digest, plain);
    let lines: Vec<&str> = errors.lines().filter(|l| l.starts_with("airfoil: ")).collect();
    assert!(lines.iter().all(|l| l.starts_with("airfoil: vertex-")), "{errors}");
    for part in [
        "plan of the link: ",
        "plan of a variant: ",
        ": compile: ",
        ": link: ",
        ": select: ",
        "slowest passes: ",
    ] {
        assert!(lines.iter().any(|l| l.contains(part)), "{part}: {errors}");
    }
}

#[test]
fn faults_are_reported_once() {
    let plain = run(None).0;
    let (digest, errors) = run(Some("plna,time=3,dump"));
    assert_eq!(digest, plain);
    assert_eq!(errors.matches("AIRFOIL_DEBUG: unknown word `plna`").count(), 1, "{errors}");
    assert_eq!(errors.matches("AIRFOIL_DEBUG: unknown word `time=3`").count(), 1, "{errors}");
    assert_eq!(errors.matches("AIRFOIL_DEBUG: expected `dump=...`, found `dump`").count(), 1, "{errors}");
    let (_, errors) = run(Some("dump=/dev/null/folder,glsl"));
    assert!(errors.contains("cannot write"), "{errors}");
}

/// A process with more rights than its user ignores the variable.
#[test]
#[cfg(unix)]
fn privileged_processes_ignore_the_variable() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let dir = folder("privileged");
    let exe = dir.join("test");
    fs::copy(std::env::current_exe().unwrap(), &exe).unwrap();
    let set = |mode| fs::set_permissions(&exe, fs::Permissions::from_mode(mode)).unwrap();
    set(0o755);
    assert!(run_exe(&exe, Some("list")).1.contains("sky.vert"));
    // Another owner, or another group if only root may give files away.
    if chown(&exe, Some(65534), Some(65534)).is_err() {
        println!("SKIPPED: only root can give a file to another user");
        return;
    }
    for mode in [0o4755, 0o2755] {
        set(mode);
        let (_, errors) = run_exe(&exe, Some("list,nonsense"));
        assert_eq!(errors, "", "mode {mode:o}");
    }
}
