//! Time of each registered pass with its default options, alone, on random shaders that it accepts.
//!
//! `cargo bench -p airfoil-passes --bench passes -- NAME` measures one pass; without a name all of them, for minutes. A pass
//! over several stages is measured on a single one.

#![allow(missing_docs)]

use airfoil_ir::Shader;
use airfoil_ir::generate::{Options, from_seed};
use airfoil_passes::registry::Registry;
use airfoil_passes::{Manager, Pipeline};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::time::Duration;

const SHADERS: usize = 50;
/// Random shaders that are tried: a pass may take one form, and one stage.
const SEEDS: u64 = 2000;

/// Shaders that a pass accepts.
fn shaders(pipeline: &Pipeline) -> Vec<Shader> {
    let all = (0..SEEDS).map(|seed| from_seed(seed, &Options::default()));
    let accepted = |shader: &Shader| run(pipeline, &mut [shader.clone()]);
    all.filter(accepted).take(SHADERS).collect()
}

/// Runs the pass on each shader; false if it does not accept one.
fn run(pipeline: &Pipeline, shaders: &mut [Shader]) -> bool {
    let mut manager = Manager::default();
    shaders.iter_mut().all(|shader| manager.run_program(pipeline, std::slice::from_mut(shader)).is_ok())
}

fn bench(c: &mut Criterion) {
    for entry in Registry::builtin().iter() {
        let name = entry.name();
        c.bench_function(name, |b| {
            let pipeline = Pipeline::parse(name).expect("a registered pass is a pipeline");
            let shaders = shaders(&pipeline);
            b.iter_batched_ref(|| shaders.clone(), |s| run(&pipeline, s), BatchSize::SmallInput);
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2));
    targets = bench
}
criterion_main!(benches);
