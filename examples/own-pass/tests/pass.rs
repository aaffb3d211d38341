//! Tests of the pass: texts, results by execution, and a second run.

use airfoil_check::{Found, Runs, find};
use airfoil_filetest::{Options, Outcome, Processes};
use airfoil_ir::generate::{self, from_seed};
use airfoil_ir::text;
use airfoil_passes::{Manager, Pipeline, manager};
use std::path::{Path, PathBuf};

use add_zero_pass::add_zero::AddZero;

const SEEDS: u64 = 1000;

fn pipeline() -> Pipeline {
    Pipeline::of_pass(Box::new(AddZero))
}

/// The files of `tests/text`; `AIRFOIL_BLESS=1` writes their outcome.
#[test]
fn texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    let files = airfoil_filetest::find(&[folder]).expect("the folder of the tests");
    assert!(!files.is_empty(), "no tests found");
    let airfoil = PathBuf::from(env!("CARGO_BIN_EXE_add-zero-pass"));
    let runner = Processes { airfoil, air_engine: false };
    let bless = std::env::var_os("AIRFOIL_BLESS").is_some();
    let options = Options { bless, ..Options::default() };
    for file in files {
        let outcome = airfoil_filetest::run_file(&file, &runner, options);
        let passed = matches!(outcome, Outcome::Passed | Outcome::Blessed);
        assert!(passed, "{}: {outcome:?}", file.display());
    }
}

/// Random shaders compute the same before and after the pass.
#[test]
fn results() {
    let mut compared = 0;
    for seed in 0..SEEDS {
        let shader = from_seed(seed, &generate::Options::default());
        match find(&shader, &pipeline(), &Runs::default()) {
            Found::Nothing { compared: times, .. } => compared += times,
            found => panic!("seed {seed}: {found:?}"),
        }
    }
    assert!(compared > 0, "the pass changes none of the shaders");
}

/// A second run changes nothing, and the pass reports its changes.
#[test]
fn idempotence() {
    let mut changed = 0;
    for seed in 0..SEEDS {
        let mut shader = from_seed(seed, &generate::Options::default());
        let run = |shader: &mut _| {
            let mut manager = Manager::new(manager::Options::checked());
            let result = manager.run(&pipeline(), shader);
            result.expect("the pass keeps its promises")
        };
        changed += u32::from(run(&mut shader).is_progress());
        let once = text::print(&shader);
        let _ = run(&mut shader);
        assert_eq!(once, text::print(&shader), "seed {seed}");
    }
    assert!(changed > 0, "the pass changes none of the shaders");
}
