//! Modules whose locals become values while they are read execute as modules whose locals stay variables.

use airfoil::ReadOptions;
use airfoil_check::{Baseline, Compared, Runs};
use airfoil_filetest::harness;
use airfoil_interp::Tolerance;
use airfoil_tests::corpus;

fn locals_as_values_execute_as_variables() {
    let folder = harness::corpus().expect("the test declares that it needs the corpus");
    let runs = Runs { seeds: 3, max_steps: 30_000 };
    let (mut compared, mut values, mut wrong) = (0, 0, Vec::new());
    for set in ["bench/core60", "real-spv", "spirv-asm"] {
        for path in corpus::files(&folder.join(set), &["spv"]).unwrap() {
            let Ok(words) = airfoil::spirv::from_bytes(&std::fs::read(&path).unwrap()) else { continue };
            let read = |keep_locals| {
                let options = ReadOptions { keep_locals, ..ReadOptions::default() };
                airfoil::steps::read_spirv(&words, &options)
            };
            let (Ok(before), after) = (read(true), read(false)) else { continue };
            let after = after.unwrap();
            if let Err(faults) = airfoil::steps::validate(&after) {
                wrong.push(format!("{}: {}", path.display(), faults[0]));
                continue;
            }
            let baseline = Baseline::of(&before, &runs);
            values += baseline.values();
            match baseline.compare(&after, Tolerance::EXACT) {
                Compared::Differs(mismatch) => wrong.push(format!("{}: {mismatch}", path.display())),
                Compared::NotExecuted(reason) => wrong.push(format!("{}: {reason}", path.display())),
                Compared::Agrees => compared += 1,
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= 600 && values > 50_000, "{compared} modules, {values} values");
}

airfoil_filetest::harness! {
    locals_as_values_execute_as_variables needs(Corpus("real-spv"));
}
