//! Random shaders are written, read back, and execute as before.

use airfoil_check::{Baseline, Compared, Runs};
use airfoil_interp::Tolerance;
use airfoil_ir::Form;
use airfoil_ir::generate::{Options, from_seed};

#[test]
fn random_shaders_come_back() {
    let runs = Runs { seeds: 2, max_steps: 20_000 };
    let (mut written, mut wrong) = (0, Vec::new());
    for seed in 0..1500 {
        let shader = from_seed(seed, &Options { form: Some(Form::Variables), ..Options::default() });
        let Ok(words) = airfoil_spirv_out::write(&shader, &Default::default()) else { continue };
        written += 1;
        match airfoil_spirv_in::read(&words, &Default::default()) {
            Err(faults) => wrong.push(format!("seed {seed}: {}", faults[0])),
            Ok(read) => match Baseline::of(&shader, &runs).compare(&read, Tolerance::EXACT) {
                Compared::Agrees => {}
                Compared::Differs(mismatch) => wrong.push(format!("seed {seed}: {mismatch}")),
                Compared::NotExecuted(reason) => wrong.push(format!("seed {seed}: {reason}")),
            },
        }
    }
    assert!(wrong.is_empty(), "{} of {written}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(written > 50, "{written} written");
}
