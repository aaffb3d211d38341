//! Selection of random shaders: the result is a module that the validator accepts, or an error with a message.

use airfoil_air::select::{FastMathMode, Options, select};
use airfoil_air::{bitcode, lint};
use airfoil_ir::{Form, Stage, generate};
use std::path::Path;
use std::process::Command;

fn options(seed: u64) -> Options {
    let mode = [FastMathMode::Precise, FastMathMode::Relaxed, FastMathMode::Fast][(seed % 3) as usize];
    let target = ["macos13", "macos14", "macos26", "macos10.15"][(seed / 3 % 4) as usize];
    Options { fast_math: mode, target: target.parse().unwrap(), ..Options::default() }
}

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
                let violations = lint::errors(&s.module);
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

/// Writes selected shaders to files and passes those to `check` whose index is a multiple of `every`.
fn with_files(test: &str, every: usize, check: impl Fn(&Path) -> Command) {
    let folder = std::env::temp_dir().join(format!("airfoil-{test}-{}", std::process::id()));
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
        if written % every != 0 {
            continue;
        }
        let file = folder.join(format!("{seed}.bc"));
        std::fs::write(&file, bitcode::write_wrapped(&selected.module)).expect("a test file");
        let output = check(&file).output().expect("the tool starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "seed {seed}: {message}\n{}", selected.to_ll());
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(written > 60, "only {written} shaders were selected");
}

fn llvm_14_verifies_the_bytes() {
    with_files("select-14", 1, |file| {
        let mut command = Command::new("opt-14");
        command.args(["-passes=verify", "-mtriple=x86_64-unknown-linux-gnu", "-disable-output"]).arg(file);
        command
    });
}

fn llvm_5_reads_the_bytes() {
    let tool = airfoil_filetest::harness::shared_file("tools/oldread.py", "AIRFOIL_OLDREAD");
    let tool = tool.expect("the test declares that it needs the reader");
    // Starting Python for each takes long.
    with_files("select-5", 24, |file| {
        let mut command = Command::new("python3");
        command.arg(&tool).args(["-q", "-v", "5"]).arg(file);
        command
    });
}

airfoil_filetest::harness! {
    random_shaders_are_selected_or_refused;
    llvm_14_verifies_the_bytes needs(Tool("opt-14"));
    llvm_5_reads_the_bytes needs(Tool("python3"), Shared("tools/oldread.py", "AIRFOIL_OLDREAD"));
}
