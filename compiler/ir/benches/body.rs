//! Speed of the IR itself. Throughput is in instructions, so the inverse is the time per instruction.
//!
//! `cargo bench -p airfoil-ir --bench body`

#![allow(missing_docs)]

mod common;

use airfoil_ir::analysis::{Divergence, Dominance, Liveness, UseMap};
use airfoil_ir::validate::validate;
use airfoil_ir::{InstrId, Replacements, Shader, text};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

const SIZES: [usize; 3] = [100, 10_000, 1_000_000];

/// Benchmarks an operation that does not change the shader.
fn reads(c: &mut Criterion, name: &str, largest: usize, f: impl Fn(&Shader)) {
    let mut group = c.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for size in SIZES.into_iter().filter(|&s| s <= largest) {
        let shader = common::shader(size);
        group.throughput(Throughput::Elements(shader.num_instrs() as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |b| b.iter(|| f(&shader)));
    }
    group.finish();
}

/// Benchmarks edits of a fresh copy.
fn edits(c: &mut Criterion, name: &str, f: impl Fn(&mut Shader, &[InstrId])) {
    let mut group = c.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for size in SIZES {
        let shader = common::shader(size);
        let ids: Vec<InstrId> = shader.entry_body().into_iter().flat_map(|b| b.all_instrs()).collect();
        group.throughput(Throughput::Elements(shader.num_instrs() as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter_batched_ref(|| shader.clone(), |s| f(s, &ids), BatchSize::LargeInput);
        });
    }
    group.finish();
}

fn body_of(shader: &Shader) -> &airfoil_ir::Body {
    shader.entry_body().expect("entry")
}

fn all(c: &mut Criterion) {
    let mut build = c.benchmark_group("build");
    build.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for size in SIZES {
        build.throughput(Throughput::Elements(common::shader(size).num_instrs() as u64));
        build.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| common::shader(black_box(size)))
        });
    }
    build.finish();
    reads(c, "clone", 1_000_000, |s| drop(black_box(s.clone())));
    reads(c, "walk", 1_000_000, |s| {
        let body = body_of(s);
        let mut sum = 0u32;
        for id in body.all_instrs() {
            body[id].visit_operands(|v| sum = sum.wrapping_add(body[v].uses()));
        }
        black_box(sum);
    });
    // Every third value is replaced by its first operand of the same shape.
    let chosen = |s: &Shader, ids: &[InstrId]| -> Vec<(InstrId, InstrId)> {
        let body = body_of(s);
        let first =
            |id: InstrId| body[id].as_alu().map(|a| a.src(0).value).filter(|&v| body[v].ty == body[id].ty);
        ids.iter().step_by(3).filter_map(|&id| Some((id, first(id)?))).collect()
    };
    edits(c, "replace_all", |s, ids| {
        let pairs = chosen(s, ids);
        let mut r = Replacements::default();
        pairs.into_iter().for_each(|(old, new)| r.insert(old, new));
        s.entry_body_mut().expect("entry").replace_all(&r);
    });
    // One value at a time, ten of them: the figure is not per instruction.
    edits(c, "replace_uses of ten", |s, ids| {
        let pairs = chosen(s, &ids[ids.len() / 2..ids.len() / 2 + 30]);
        let body = s.entry_body_mut().expect("entry");
        pairs.into_iter().for_each(|(old, new)| body.replace_uses(old, new));
    });
    edits(c, "map_operands", |s, ids| {
        let body = s.entry_body_mut().expect("entry");
        for &id in ids {
            body.map_operands(id, |v| v);
        }
    });
    reads(c, "use_map", 1_000_000, |s| drop(black_box(UseMap::new(body_of(s)))));
    reads(c, "dominance", 1_000_000, |s| drop(black_box(Dominance::new(body_of(s)))));
    reads(c, "liveness", 1_000_000, |s| drop(black_box(Liveness::new(body_of(s)))));
    reads(c, "divergence", 1_000_000, |s| drop(black_box(Divergence::new(body_of(s)))));
    reads(c, "validate", 1_000_000, |s| assert!(validate(s).is_empty()));
    reads(c, "print", 1_000_000, |s| drop(black_box(text::print(s))));
    let mut parse = c.benchmark_group("parse");
    parse.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for size in SIZES {
        let shader = common::shader(size);
        let printed = text::print(&shader);
        parse.throughput(Throughput::Elements(shader.num_instrs() as u64));
        parse.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| text::parse(black_box(&printed)).is_ok());
        });
    }
    parse.finish();
}

criterion_group!(benches, all);
criterion_main!(benches);
