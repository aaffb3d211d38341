//! The files below `tests/filetests`, each a test. `AIRFOIL_BLESS=1` writes the expected output, `cargo test --test
//! filetests WORD` runs the files whose path contains the word.

use airfoil_filetest::{Options, Outcome, Processes, find, missing, run_file};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests");
    let files = find(std::slice::from_ref(&root)).expect("the folder of the tests");
    assert!(!files.is_empty(), "there are no tests");
    let airfoil = PathBuf::from(env!("CARGO_BIN_EXE_airfoil"));
    let air_engine = cfg!(any(feature = "llvm14", feature = "llvm19"));
    let options = Options { bless: std::env::var_os("AIRFOIL_BLESS").is_some(), ..Options::default() };
    let trials = files.into_iter().map(|file| {
        let runner = Processes { airfoil: airfoil.clone(), air_engine };
        // A test that cannot run here is known before the report: it is ignored, not passed.
        let reason = missing(&file, &runner);
        let mut name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().into_owned();
        if let Some(reason) = &reason {
            name += &format!(" (skipped: {reason})");
        }
        let trial = Trial::test(name, move || match run_file(&file, &runner, options) {
            Outcome::Passed | Outcome::Blessed => Ok(()),
            Outcome::Skipped(reason) | Outcome::Failed(reason) => Err(Failed::from(reason)),
        });
        trial.with_ignored_flag(reason.is_some())
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
