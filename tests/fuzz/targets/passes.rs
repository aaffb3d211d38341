//! Passes: any valid shader computes the same after each of them, stays valid, and nothing panics.
//!
//! The first bytes choose the passes, the others are the choices of the generator.
#![no_main]

use airfoil::OptLevel;
use airfoil_check::{Found, Runs, find};
use airfoil_ir::Form;
use airfoil_ir::generate::{Bytes, Choices, Options, shader};
use airfoil_passes::Pipeline;
use airfoil_passes::registry::Registry;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut choices = Bytes(data);
    let count = choices.below(4);
    let picks: Vec<u32> = (0..count.max(1)).map(|_| choices.below(1 << 16)).collect();
    let options = Options {
        // Most passes work on variables.
        form: if choices.below(4) == 0 { None } else { Some(Form::Variables) },
        instrs: 30 + choices.below(60),
        ..Options::default()
    };
    let shader = shader(&mut choices, &options);
    // A whole way, or passes in any order that take the form they find.
    let text = if count == 0 {
        airfoil::air::plan::pipeline([OptLevel::O0, OptLevel::O2][picks[0] as usize % 2], shader.form)
            .to_string()
    } else {
        in_order(&picks, shader.form).join(", ")
    };
    let pipeline = Pipeline::parse(&text).expect("names of passes are a pipeline");
    let runs = Runs { seeds: 2, max_steps: 5_000 };
    if let Found::Fault { message, .. } = find(&shader, &pipeline, &runs) {
        panic!("{text}: {message}\n{}", airfoil_ir::text::print(&shader));
    }
});

/// A pass for each pick.
fn in_order(picks: &[u32], mut form: Form) -> Vec<&'static str> {
    let mut names = Vec::new();
    for &pick in picks {
        let fitting: Vec<_> =
            Registry::builtin().iter().map(|p| p.info()).filter(|i| i.takes.contains(&form)).collect();
        let Some(info) = fitting.get(pick as usize % fitting.len().max(1)) else { break };
        form = info.leaves.unwrap_or(form);
        names.push(&*info.name);
    }
    names
}
