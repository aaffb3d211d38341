//! Times building, writing, printing and validating a fragment shader of about 150 instructions.
//!
//! `cargo run --release -p airfoil-air --example write_speed`
#![allow(clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
mod support;

use airfoil_air::{bitcode, ll, validate};
use std::hint::black_box;
use std::time::Instant;

/// Best of several rounds, in microseconds for one run.
fn best(mut run: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..30 {
        let start = Instant::now();
        for _ in 0..200 {
            run();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / 200.0);
    }
    best
}

fn main() {
    let module = support::fragment(12);
    let count: usize =
        module.functions().iter().filter_map(|f| f.body.as_ref()).map(|b| b.insts().len()).sum();
    println!("{count} instructions, {} bytes of bitcode", bitcode::write_wrapped(&module).len());
    println!("build     {:6.2} us", best(|| drop(black_box(support::fragment(12)))));
    println!("bitcode   {:6.2} us", best(|| drop(black_box(bitcode::write_wrapped(&module)))));
    println!("text      {:6.2} us", best(|| drop(black_box(ll::print(&module)))));
    println!("validate  {:6.2} us", best(|| drop(black_box(validate::validate(&module)))));
}
