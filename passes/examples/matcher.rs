//! The time in which rules are looked for: that of the pass `algebraic` on shaders to which no rule applies any more, with all
//! rules and without any.
//!
//! `cargo run --profile conformance -p airfoil-passes --example matcher -- FOLDER [RUNS]`, for the `.foil` files of a folder. Times
//! are the least of the runs, for each shader.

use airfoil_ir::{InstrKind, Shader, text};
use airfoil_passes::manager::Manager;
use airfoil_passes::opt::algebraic::Algebraic;
use airfoil_passes::{Changes, Pipeline};
use std::io::Write;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("give a folder of .foil files")?;
    let runs: u32 = args.next().map_or(Ok(1000), |n| n.parse())?;
    let settled = Pipeline::parse("values, loop(algebraic, dce)").map_err(|d| d.to_string())?;
    let empty: &'static _ = Box::leak(Box::new(airfoil_rules::compile(&[])?.leak()));
    let (mut shaders, mut operations, mut with, mut without) = (0, 0, 0.0, 0.0);
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "foil") {
            continue;
        }
        let mut shader = text::parse(&std::fs::read_to_string(&path)?).map_err(|d| format!("{d:?}"))?;
        let _ = Manager::default().run(&settled, &mut shader).map_err(|d| format!("{d:?}"))?;
        shaders += 1;
        let bodies = shader.functions.values().map(|f| &f.body);
        operations +=
            bodies.flat_map(|b| b.entries()).filter(|(_, i)| matches!(i.kind, InstrKind::Alu(_))).count();
        with += least(Algebraic::default(), &shader, runs)?;
        without += least(Algebraic::with_table(empty), &shader, runs)?;
    }
    let per_shader = |seconds: f64| seconds * 1e6 / f64::from(shaders.max(1));
    let (with, without) = (per_shader(with), per_shader(without));
    writeln!(
        std::io::stdout(),
        "{shaders} shaders, {operations} operations; us per shader: {with:.2} with rules, {without:.2} without: {:.2}",
        with - without
    )?;
    Ok(())
}

/// The least time of a pass in seconds.
fn least(pass: Algebraic, shader: &Shader, runs: u32) -> Result<f64, String> {
    let mut manager = Manager::default();
    let pipeline = Pipeline::of_pass(Box::new(pass));
    let mut best = f64::MAX;
    for _ in 0..runs {
        let mut copy = shader.clone();
        let start = Instant::now();
        let changes = manager.run(&pipeline, &mut copy).map_err(|d| format!("{d:?}"))?;
        best = best.min(start.elapsed().as_secs_f64());
        if changes != Changes::NONE {
            return Err("a rule still applies".into());
        }
    }
    Ok(best)
}
