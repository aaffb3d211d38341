//! Runs a pipeline on the shaders of a file and measures the result.

use super::row::Row;
use airfoil::air::select;
use airfoil::ir::analysis::Counts;
use airfoil::passes::{Manager, Pipeline};
use airfoil::steps::{PlanOptions, compile_plan};
use airfoil::{AirOptions, Diagnostic, Form, OptLevel, Shader};
use std::num::NonZeroUsize;
use std::time::Instant;

/// Sizes that are measured only on request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measures {
    /// The least time of this many repetitions.
    pub time: Option<NonZeroUsize>,
    /// Bytes of bitcode.
    pub bytes: bool,
}

/// The sizes of the shaders of a file after a pipeline.
///
/// # Errors
/// The diagnostics of a pass or, for the bytes, of the backend.
pub fn measure(
    originals: &[Shader],
    pipeline: &Pipeline,
    measures: Measures,
    file: String,
    name: &str,
) -> Result<Row, Vec<Diagnostic>> {
    let mut manager = Manager::default();
    let (mut shaders, mut time) = (Vec::new(), None);
    for _ in 0..measures.time.map_or(1, NonZeroUsize::get) {
        originals.clone_into(&mut shaders);
        let start = Instant::now();
        let _ = manager.run_program(pipeline, &mut shaders)?;
        let elapsed = start.elapsed().as_secs_f64() * 1e6;
        time = measures.time.map(|_| time.map_or(elapsed, |least: f64| least.min(elapsed)));
    }
    let counts: Vec<Counts> = shaders.iter().map(Counts::new).collect();
    let bytes = if measures.bytes { Some(bitcode(&mut shaders, &mut manager)?) } else { None };
    Ok(Row::new(file, name, &counts, bytes, time))
}

/// Bytes of bitcode of the shaders after the lowering that is left.
fn bitcode(shaders: &mut [Shader], manager: &mut Manager<'_>) -> Result<u64, Vec<Diagnostic>> {
    if shaders.iter().any(|s| s.form != Form::Target) {
        let plan = compile_plan(shaders, &PlanOptions::new(OptLevel::O0));
        let _ = manager.run_program(&plan, shaders)?;
    }
    let options = AirOptions::default();
    shaders.iter().map(|s| Ok(select::select(s, &options)?.to_bitcode().len() as u64)).sum()
}
