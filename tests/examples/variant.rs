//! Time of a draw-time variant: the optimised shaders of a program, compiled again with y flipped and half z.
//!
//! `cargo run --release -p airfoil-tests --example variant -- VERT FRAG`: microseconds, the least of many runs.

use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{CompileOptions, Compiler, PipelineState, Stage};
use std::time::Instant;

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [vertex, fragment] = files.as_slice() else { return Err("expected VERT and FRAG".into()) };
    let texts = [std::fs::read_to_string(vertex)?, std::fs::read_to_string(fragment)?];
    let stages = [(vertex, Stage::Vertex), (fragment, Stage::Fragment)];
    let sources: Vec<Source<'_>> =
        stages.iter().zip(&texts).map(|(&(name, stage), text)| Source { name, stage, text }).collect();
    let compiler = Compiler::new(CompileOptions::default());
    let prepared = compiler.prepare_glsl(&sources, &ProgramOptions::default())?;
    let state = PipelineState::default().flip_y(true).half_z(true);
    let mut least = f64::INFINITY;
    for _ in 0..2000 {
        let start = Instant::now();
        let bytes = compiler.variant(&prepared, &state)?.metallib.len();
        least = least.min(start.elapsed().as_secs_f64() * 1e6);
        assert!(bytes > 0, "a variant has code");
    }
    println!("{least:.1} us");
    Ok(())
}
