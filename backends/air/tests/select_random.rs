//! Selection of random shaders: it answers with a module that the validator accepts, or with worded reasons.
#![allow(clippy::print_stderr)] // a skipped check must say so

use airfoil_air::select::{FastMathMode, Options, select};
use airfoil_air::{bitcode, validate};
use airfoil_ir::{Form, Stage, generate};
use std::path::{Path, PathBuf};
use std::process::Command;

fn options(seed: u64) -> Options {
    let mode = [FastMathMode::Precise, FastMathMode::Relaxed, FastMathMode::Fast][(seed % 3) as usize];
    let target = ["macos13", "macos14", "macos26", "macos10.15"][(seed / 3 % 4) as usize];
    Options { fast_math: mode, target: target.parse().unwrap(), ..Options::default() }
}

#[test]
fn random_shaders_are_selected_or_refused() {
    let (mut selected, mut refused) = (0, 0);
    for seed in 0..6000u64 {
        let stage = [Stage::Vertex, Stage::Fragment, Stage::Compute][(seed % 3) as usize];
        let form = [Form::Slots, Form::Target][(seed / 3 % 2) as usize];
        // Short ones, so that many are without the operations that Metal lacks.
        let generator = generate::Options {
            stage: Some(stage),
            form: Some(form),
            instrs: 2 + (seed % 60) as u32,
            functions: 0,
            casts: false,
            ..Default::default()
        };
        let shader = generate::from_seed(seed, &generator);
        match select(&shader, &options(seed / 6)) {
            Ok(s) => {
                selected += 1;
                let violations = validate::validate(&s.module);
                assert!(
                    violations.is_empty(),
                    "seed {seed}: {}\n{}\n{}",
                    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
                    airfoil_ir::text::print(&shader),
                    s.to_ll()
                );
                assert!(!bitcode::write(&s.module).is_empty());
                let again = select(&shader, &options(seed / 6)).expect("the same answer");
                assert_eq!(s.to_ll(), again.to_ll(), "seed {seed}");
            }
            Err(reasons) => {
                refused += 1;
                assert!(!reasons.is_empty());
                assert!(reasons.iter().all(|r| r.code.starts_with("E05") && !r.message.is_empty()));
            }
        }
    }
    assert!(selected > 1000, "only {selected} of {} were selected", selected + refused);
}

/// LLVM reads and verifies the written bytes of selected modules.
#[test]
fn llvm_takes_the_bytes() {
    let has = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tools/oldread.py");
    let old = std::env::var_os("AIRFOIL_OLDREAD").map_or(beside, PathBuf::from);
    let (new, old) = (has("opt-14"), (old.is_file() && has("python3")).then_some(old));
    if !new {
        eprintln!("skipped: opt-14 is not installed");
    }
    if old.is_none() {
        eprintln!("skipped: no LLVM 5 reader");
    }
    let folder = std::env::temp_dir().join(format!("airfoil-select-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for test files");
    let mut written = 0;
    for seed in 0..600u64 {
        let generator = generate::Options {
            stage: Some([Stage::Vertex, Stage::Fragment, Stage::Compute][(seed % 3) as usize]),
            form: Some(Form::Target),
            instrs: 5 + (seed % 40) as u32,
            functions: 0,
            casts: false,
            ..Default::default()
        };
        let Ok(selected) = select(&generate::from_seed(seed, &generator), &options(seed)) else { continue };
        written += 1;
        let file = folder.join(format!("{seed}.bc"));
        std::fs::write(&file, bitcode::write_wrapped(&selected.module)).expect("a test file");
        let check = |command: &mut Command| {
            let output = command.output().expect("the tool starts");
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "seed {seed}: {message}\n{}", selected.to_ll());
        };
        if new {
            let arguments = ["-passes=verify", "-mtriple=x86_64-unknown-linux-gnu", "-disable-output"];
            check(Command::new("opt-14").args(arguments).arg(&file));
        }
        // Starting Python for each takes long.
        if let Some(tool) = old.as_ref().filter(|_| written % 24 == 0) {
            check(Command::new("python3").arg(tool).args(["-q", "-v", "5"]).arg(&file));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(written > 60, "only {written} shaders were selected");
}
