//! Instructions per second, seeded with four lanes and as a program with 32: `cargo run --release -p airfoil-interp --example speed [FILE.foil]`.

use airfoil_interp::run::Vertex;
use airfoil_interp::{Config, Options, Program, Resources, System, execute};
use std::io::Write;
use std::time::Instant;

/// Arithmetic in a loop of a fixed number of rounds.
const LOOP: &str = "foil 1
shader vertex \"speed\" {
form slots
out float o location=0
fn main {
pre:
32x1 %z = const 0
32x1 %one = const 1
32x1 %n = const 100000
32x1 %f = const 0.5
loop {
head:
32x1 %i = phi pre: %z, next: %i2
32x1 %s = phi pre: %f, next: %s3
%done = uge %i, %n
if %done {
break
} else {
}
next:
%s1 = fmul %s, %f
%s2 = fadd %s1, %f
%s3 = ffma %s2, %f, %f
%i2 = iadd %i, %one
}
store_output %s, %z io=0 mask=x src_type=float32
}
}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = match std::env::args().nth(1) {
        Some(file) => std::fs::read_to_string(file)?,
        None => LOOP.to_string(),
    };
    let shader = airfoil_ir::text::parse(&source).map_err(|e| format!("{e:?}"))?;
    let options = Options { max_steps: u64::MAX, ..Options::default() };
    let start = Instant::now();
    let outcome = execute(&shader, &options)?;
    let seconds = start.elapsed().as_secs_f64();
    writeln!(
        std::io::stdout(),
        "{} instructions, {:.1} million a second",
        outcome.steps,
        outcome.steps as f64 / seconds / 1e6
    )?;
    if shader.stage != airfoil_ir::Stage::Vertex {
        return Ok(());
    }
    let mut program = Program::new(&shader, Config::default())?;
    let start = Instant::now();
    program.vertex(&mut Resources::new(), &System::new(), &vec![Vertex::default(); 32])?;
    let seconds = start.elapsed().as_secs_f64();
    writeln!(
        std::io::stdout(),
        "{} instructions in subgroups of 32, {:.1} million a second",
        program.steps(),
        program.steps() as f64 / seconds / 1e6
    )?;
    Ok(())
}
