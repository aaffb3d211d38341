//! The effect of algebraic rules: runs them with the clean-ups of values on every `.foil` file of a folder, and counts lanes
//! of ALU operations and the rules that fired.
//!
//! `cargo run --profile conformance -p airfoil-passes --example rules -- FOLDER [FILE.rules...]`; with files their rules
//! instead of the built-in ones. Counted as in the comparisons with NIR: moves, vectors, signs and changes of integer width
//! are free, `ffma` and `fclamp` count twice, `flrp` three times.

use airfoil_ir::{AluOp, InstrKind, Shader};
use airfoil_passes::manager::Options;
use airfoil_passes::opt::algebraic::Algebraic;
use airfoil_passes::{Manager, PassStep, Pipeline, rules};
use std::error::Error;
use std::path::PathBuf;

/// Operations and lanes.
fn size(shader: &Shader) -> (u64, u64) {
    let bodies = shader.functions.values().map(|f| &f.body);
    let instrs = bodies.flat_map(|body| body.all_instrs().map(move |id| &body[id]));
    instrs.fold((0, 0), |(count, lanes), instr| {
        let InstrKind::Alu(alu) = &instr.kind else { return (count, lanes) };
        let factor = match alu.op {
            AluOp::mov | AluOp::vec2 | AluOp::vec3 | AluOp::vec4 => 0,
            AluOp::fneg | AluOp::fabs | AluOp::ineg => 0,
            AluOp::ffma | AluOp::fmad | AluOp::fclamp => 2,
            AluOp::flrp => 3,
            _ => 1,
        };
        (count + factor, lanes + factor * u64::from(instr.ty.comps))
    })
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("expected FOLDER [FILE.rules...]")?;
    let files: Vec<String> = arguments.collect();
    let mut table = &rules::TABLE;
    if !files.is_empty() {
        let mut all = Vec::new();
        for file in &files {
            all.extend(airfoil_rules::parse(file, &std::fs::read_to_string(file)?)?);
        }
        table = Box::leak(Box::new(airfoil_rules::compile(&all)?.leak()));
    }
    let algebraic = Pipeline::of_steps([PassStep::new(Box::new(Algebraic::with_table(table)))]);
    let values = Pipeline::parse("loop(values)")?;
    let mut manager = Manager::new(Options { statistics: true, ..Options::default() });
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let (mut before, mut after) = ((0, 0), (0, 0));
    for path in &paths {
        let Ok(mut shader) = airfoil_ir::text::parse(&std::fs::read_to_string(path)?) else { continue };
        let old = size(&shader);
        for _ in 0..20 {
            let changes = manager.run(&algebraic, &mut shader).map_err(|e| format!("{e:?}"))?;
            let _ = manager.run(&values, &mut shader).map_err(|e| format!("{e:?}"))?;
            if !changes.is_progress() {
                break;
            }
        }
        let new = size(&shader);
        before = (before.0 + old.0, before.1 + old.1);
        after = (after.0 + new.0, after.1 + new.1);
        if std::env::var_os("EACH").is_some() {
            println!("{},{},{},{},{}", path.display(), old.0, old.1, new.0, new.1);
        }
    }
    let fired = manager.statistics().rules();
    for (name, count) in &fired {
        println!("{count:>7} {name}");
    }
    println!(
        "{} of {} rules fired; operations {} -> {}, lanes {} -> {}",
        fired.len(),
        table.rules.len(),
        before.0,
        after.0,
        before.1,
        after.1
    );
    Ok(())
}
