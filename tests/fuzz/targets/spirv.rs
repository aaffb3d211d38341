//! SPIR-V to a library: any bytes give valid shaders and valid AIR at both levels, or diagnostics.
#![no_main]

mod edit_spirv;
mod mutate_spirv;
mod random;

use airfoil::{CompileOptions, Compiler, OptLevel, Target};
use airfoil_air::{bitcode, metallib, validate};
use airfoil_ir::text;
use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Inputs, those that became IR, those that became libraries: a run that accepts nothing has tested little.
static COUNTS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_spirv::mutate(data, size, max_size, seed)
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    mutate_spirv::cross(one, other, out, seed)
});

fuzz_target!(|data: &[u8]| {
    if COUNTS[0].fetch_add(1, Relaxed) % 20_000 == 19_999 {
        let [inputs, read, compiled] = COUNTS.each_ref().map(|c| c.load(Relaxed));
        eprintln!("{inputs} inputs, {read} read, {compiled} compiled");
    }
    let Ok(shader) = airfoil_spirv_in::read_bytes(data, &airfoil_spirv_in::Options::default()) else {
        return;
    };
    COUNTS[1].fetch_add(1, Relaxed);
    let violations = airfoil_ir::validate::validate(&shader);
    assert!(violations.is_empty(), "{violations:#?}\n{}", text::print(&shader));
    let mut compiled = false;
    for level in [OptLevel::O0, OptLevel::O2] {
        let compiler = Compiler::new(CompileOptions::new(Target::default()).level(level));
        let Ok(output) = compiler.compile(&mut [shader.clone()]) else { continue };
        compiled = true;
        let library = metallib::read(&output.metallib).expect("a library that was written is read");
        for function in &library.functions {
            let module = bitcode::read(function.entry.bitcode).expect("a module that was written is read");
            let faults = validate::validate(&module);
            assert!(faults.is_empty(), "{level:?}: {faults:#?}\n{}", text::print(&shader));
        }
    }
    COUNTS[2].fetch_add(compiled.into(), Relaxed);
});
