//! Passes: any valid shader computes the same after each of them, stays valid, and nothing panics.
//!
//! The first bytes choose the passes, the others are the choices of the generator.
#![no_main]

use airfoil_check::{Found, Runs, find};
use airfoil_ir::Form;
use airfoil_ir::generate::{Bytes, Choices, Options, shader};
use airfoil_passes::registry::PASSES;
use airfoil_passes::{Pipeline, presets};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut choices = Bytes(data);
    let names: Vec<&str> = PASSES.iter().map(|p| p.name()).collect();
    let presets: Vec<&str> = presets::PRESETS.iter().map(|p| p.name).collect();
    let text = match choices.below(4) {
        // A whole way, ...
        0 => presets[choices.below(presets.len() as u32) as usize].to_string(),
        // ... or passes in any order.
        n => {
            let list: Vec<&str> = (0..n).map(|_| names[choices.below(names.len() as u32) as usize]).collect();
            list.join(", ")
        }
    };
    let pipeline = Pipeline::parse(&text).expect("names of passes are a pipeline");
    let options = Options {
        // Most passes work on variables.
        form: if choices.below(4) == 0 { None } else { Some(Form::Variables) },
        instrs: 30 + choices.below(60),
        ..Options::default()
    };
    let shader = shader(&mut choices, &options);
    let runs = Runs { seeds: 2, max_steps: 5_000 };
    if let Found::Fault { message, .. } = find(&shader, &pipeline, &runs) {
        panic!("{text}: {message}\n{}", airfoil_ir::text::print(&shader));
    }
});
