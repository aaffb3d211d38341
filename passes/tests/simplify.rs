//! `simplify` is as good as the separate passes: where it settles, none of them finds anything.

use airfoil_ir::generate::{Options, from_seed};
use airfoil_ir::{Shader, text};
use airfoil_passes::{Manager, Pipeline};

/// The passes that `simplify` combines.
const SEPARATE: [&str; 5] = ["copy_prop", "constant_folding", "algebraic", "opt_undef", "cse"];

fn run(pipeline: &str, shader: &mut Shader) -> bool {
    let pipeline = Pipeline::parse(pipeline).unwrap();
    Manager::default().run(&pipeline, shader).unwrap().is_progress()
}

#[test]
fn separate_passes_find_nothing_after_simplify() {
    let (mut simplified, mut missed) = (0, Vec::new());
    for seed in 0..600 {
        let options = Options { undef: seed % 3 == 0, instrs: 80, ..Options::default() };
        let mut shader = from_seed(seed, &options);
        simplified += u32::from(run("loop(dce, simplify)", &mut shader));
        for pass in SEPARATE {
            let mut copy = shader.clone();
            if run(pass, &mut copy) {
                missed.push(format!(
                    "seed {seed}, {pass}:\n{}\n{}",
                    text::print(&shader),
                    text::print(&copy)
                ));
            }
        }
    }
    assert!(simplified > 500, "{simplified} shaders had something to simplify");
    assert!(missed.is_empty(), "{} times, first {}", missed.len(), missed[0]);
}
