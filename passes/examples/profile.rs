//! The cost of passes: runs a pipeline many times on every `.foil` file of a folder.
//!
//! `cargo run --release -p airfoil-passes --example profile -- FOLDER [PIPELINE] [RUNS]`. Times are the best of the
//! runs, for each shader. One run under `valgrind --tool=callgrind` counts instructions instead, without noise; the
//! run with the pipeline `""` measures the rest: reading, cloning and dropping the shaders.

use airfoil_ir::text;
use airfoil_passes::Pipeline;
use airfoil_passes::manager::{Manager, Options};
use std::io::Write;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("give a folder of .foil files")?;
    let pipeline = Pipeline::parse(&args.next().unwrap_or_else(|| "O2".into())).map_err(|d| d.to_string())?;
    let runs: u32 = args.next().map_or(Ok(100), |n| n.parse())?;
    let mut files: Vec<_> =
        std::fs::read_dir(folder)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|f| f.extension().is_some_and(|e| e == "foil"));
    files.sort();
    let mut shaders = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file)?;
        shaders.push(text::parse(&text).map_err(|d| format!("{}: {d:?}", file.display()))?);
    }
    let mut manager = Manager::default();
    let (mut total, mut before, mut after) = (0.0, 0, 0);
    for (shader, file) in shaders.iter().zip(&files) {
        let mut best = f64::MAX;
        let mut left = 0;
        for _ in 0..runs {
            let mut copy = shader.clone();
            let start = Instant::now();
            let result = manager.run(&pipeline, &mut copy);
            best = best.min(start.elapsed().as_secs_f64());
            let _ = result.map_err(|d| format!("{}: {d:?}", file.display()))?;
            left = copy.num_instrs();
        }
        total += best;
        before += shader.num_instrs();
        after += left;
    }
    let mut timed = Manager::new(Options { statistics: true, ..Options::default() });
    for shader in &shaders {
        let _ = timed.run(&pipeline, &mut shader.clone()).map_err(|d| format!("{d:?}"))?;
    }
    let us = total * 1e6 / shaders.len().max(1) as f64;
    let mut out = std::io::stdout();
    writeln!(out, "{} shaders, {us:.2} us/shader, {before} -> {after} instructions", shaders.len())?;
    write!(out, "{}", timed.statistics())?;
    Ok(())
}
