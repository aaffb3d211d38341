//! Time of the pass on random shaders.

use airfoil_ir::Shader;
use airfoil_ir::generate::{Options, from_seed};
use airfoil_passes::{Manager, Pipeline};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

use add_zero_pass::add_zero::AddZero;

fn bench(c: &mut Criterion) {
    let pipeline = Pipeline::of_pass(Box::new(AddZero));
    let make = |seed| from_seed(seed, &Options::default());
    let shaders: Vec<Shader> = (0..100).map(make).collect();
    let mut manager = Manager::default();
    let mut run = |shaders: &mut Vec<Shader>| {
        for shader in shaders {
            let result = manager.run(&pipeline, shader);
            let _ = result.expect("the pass accepts it");
        }
    };
    c.bench_function("add_zero on 100 shaders", |b| {
        b.iter_batched_ref(|| shaders.clone(), &mut run, BatchSize::SmallInput)
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
