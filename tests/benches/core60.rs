//! SPIR-V to `.metallib`, by phase, and naga's SPIR-V to Metal text, in one process.
//!
//! `cargo bench -p airfoil-tests --bench core60 [-- FOLDER]`. The best of several runs counts for each shader, because
//! other work on the machine only ever adds time.
#![allow(missing_docs, clippy::print_stdout)]

use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;
use airfoil::{OptLevel, ReadOptions};
use airfoil_tests::corpus;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

const RUNS: usize = 30;

/// Sums over shaders of the best time of each phase, in seconds.
struct Phases<const N: usize>([f64; N]);

impl<const N: usize> Phases<N> {
    /// Runs `work` many times; it gives the times of its phases.
    fn add_best(&mut self, mut work: impl FnMut() -> Option<[f64; N]>) -> bool {
        let mut best = [f64::MAX; N];
        for _ in 0..RUNS {
            let Some(times) = work() else { return false };
            best.iter_mut().zip(times).for_each(|(b, t)| *b = b.min(t));
        }
        self.0.iter_mut().zip(best).for_each(|(sum, b)| *sum += b);
        true
    }

    fn print(&self, title: &str, names: [&str; N], shaders: usize) {
        let us = |seconds: f64| seconds * 1e6 / shaders.max(1) as f64;
        print!("{title:<28}{:>8.1} us/shader  (", us(self.0.iter().sum()));
        for (i, (name, t)) in names.iter().zip(self.0).enumerate() {
            print!("{}{name} {:.1}", if i == 0 { "" } else { ", " }, us(t));
        }
        println!(")  {shaders} shaders");
    }
}

fn timed<T>(times: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *times = start.elapsed().as_secs_f64();
    result
}

fn airfoil(modules: &[Vec<u8>], level: OptLevel) {
    let pipeline = airfoil::air::plan::pipeline(level, airfoil::Form::Variables);
    let mut manager = Manager::default();
    let options = airfoil::AirOptions::default();
    let mut phases = Phases([0.0; 4]);
    let (mut done, mut before, mut after, mut bytes) = (0, 0, 0, 0);
    for module in modules {
        let words = airfoil::spirv::from_bytes(module).expect("the set is SPIR-V");
        let mut counts = (0, 0, 0);
        let ok = phases.add_best(|| {
            let mut t = [0.0; 4];
            let mut shader =
                timed(&mut t[0], || airfoil::steps::read_spirv(&words, &ReadOptions::default())).ok()?;
            counts.0 = shader.num_instrs();
            timed(&mut t[1], || manager.run(pipeline, &mut shader).map(drop)).ok()?;
            counts.1 = shader.num_instrs();
            let selected = timed(&mut t[2], || airfoil::air::select::select(&shader, &options)).ok()?;
            let library = timed(&mut t[3], || selected.to_metallib(&options)).ok()?;
            counts.2 = black_box(library).len();
            Some(t)
        });
        if ok {
            done += 1;
            before += counts.0;
            after += counts.1;
            bytes += counts.2;
        }
    }
    let title = format!("airfoil {level:?}");
    phases.print(&title, ["read", "optimise", "select", "write"], done);
    println!("{:28}{before} -> {after} instructions, {bytes} bytes of libraries", "");
}

/// SPIR-V to SPIR-V.
fn spirv(modules: &[Vec<u8>]) {
    let pipeline = Pipeline::parse("spirv").expect("a preset");
    let mut manager = Manager::default();
    let options = airfoil::SpirvOptions::default();
    let mut phases = Phases([0.0; 3]);
    let mut done = 0;
    for module in modules {
        let words = airfoil::spirv::from_bytes(module).expect("the set is SPIR-V");
        done += usize::from(phases.add_best(|| {
            let mut t = [0.0; 3];
            let mut shader =
                timed(&mut t[0], || airfoil::steps::read_spirv(&words, &ReadOptions::default())).ok()?;
            timed(&mut t[1], || manager.run(&pipeline, &mut shader).map(drop)).ok()?;
            let written = timed(&mut t[2], || airfoil::to_spirv(&shader, &options)).ok()?;
            black_box(written);
            Some(t)
        }));
    }
    phases.print("airfoil, O2 to SPIR-V", ["read", "optimise", "write"], done);
}

fn naga(modules: &[Vec<u8>]) {
    use naga::back::{msl, pipeline_constants::process_overrides};
    use naga::front::spv;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let read = spv::Options { strict_capabilities: false, ..spv::Options::default() };
    let write = msl::Options { lang_version: (3, 1), fake_missing_bindings: true, ..msl::Options::default() };
    let mut phases = Phases([0.0; 3]);
    let mut done = 0;
    for bytes in modules {
        done += usize::from(phases.add_best(|| {
            let mut t = [0.0; 3];
            let module = timed(&mut t[0], || spv::parse_u8_slice(bytes, &read)).ok()?;
            let info = timed(&mut t[1], || {
                Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).ok()
            })?;
            let text = timed(&mut t[2], || {
                let (module, info) = process_overrides(&module, &info, None, &Default::default()).ok()?;
                msl::write_string(&module, &info, &write, &msl::PipelineOptions::default()).ok()
            })?;
            black_box(text);
            Some(t)
        }));
    }
    phases.print("naga, to Metal text", ["parse", "validate", "write"], done);
}

fn main() {
    // Cargo passes `--bench`.
    let folder = std::env::args().skip(1).find(|a| !a.starts_with('-')).map(PathBuf::from);
    let Some(folder) = folder.or_else(|| Some(corpus::shared()?.join("corpus/bench/core60"))) else {
        println!("skipped: no ../shared/corpus; give a folder of .spv files");
        return;
    };
    let files = corpus::files(&folder, &["spv"]).expect("the folder can be read");
    let modules: Vec<Vec<u8>> =
        files.iter().map(|f| std::fs::read(f).expect("the file can be read")).collect();
    println!(
        "{}: {} modules, {} bytes",
        folder.display(),
        files.len(),
        modules.iter().map(Vec::len).sum::<usize>()
    );
    naga(&modules);
    for level in [OptLevel::O0, OptLevel::O2] {
        airfoil(&modules, level);
    }
    spirv(&modules);
}
