//! What shaders compute before and after every pass of a level.
//!
//! The shader is executed on several seeds as it was read, and again after each pass that changed it; every outcome must be
//! that of the shader as it was read. Seeds on which execution depends on undefined values or takes too long are left out.

use airfoil::OptLevel;
use airfoil::ir::{Diagnostic, Shader};
use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;
use airfoil_interp::{Fault, Options, Outcome, Tolerance, execute};

/// How an execution of a shader ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executed {
    /// All outcomes agree.
    Agrees,
    /// There is nothing to compare, for this reason.
    Nothing(String),
}

/// Longest execution.
const MAX_STEPS: u64 = 300_000;

fn runs() -> impl Iterator<Item = Options> {
    let run =
        |(seed, lanes, undef)| Options { seed, lanes, undef, max_steps: MAX_STEPS, ..Options::default() };
    [(0, 4, 0), (1, 4, u64::MAX), (2, 1, 3), (4, 1, 0)].into_iter().map(run)
}

/// Executes a shader before and after every pass.
///
/// # Errors
/// The first difference, with the pass that makes it.
pub fn check(shader: &Shader, level: OptLevel) -> Result<Executed, String> {
    let mut before: Vec<(Options, Outcome)> = Vec::new();
    let mut fault: Option<Fault> = None;
    for options in runs() {
        match execute(shader, &options) {
            Ok(outcome) if outcome.num_compared() > 0 => before.push((options, outcome)),
            Ok(_) => {}
            Err(f) => fault = Some(f),
        }
    }
    if before.is_empty() {
        let reason = fault.map_or("all that it does is undefined".into(), |f| f.message);
        return Ok(Executed::Nothing(format!("not executed: {reason}")));
    }
    let pipeline = Pipeline::parse(level.pipeline(shader.form)).map_err(|e| e.to_string())?;
    let mut message = None;
    let mut manager = Manager::default().observer(|info, now| {
        for (options, outcome) in &before {
            // Lowering makes more instructions of one.
            let options = Options { max_steps: 10 * MAX_STEPS, ..options.clone() };
            let difference = match execute(now, &options) {
                Ok(after) => outcome.difference(&after, Tolerance::EXACT).map(|d| d.to_string()),
                Err(fault) => Some(fault.to_string()),
            };
            if let Some(difference) = difference {
                message = Some(format!(
                    "{}: {difference} (seed {}, {} invocations)",
                    info.name, options.seed, options.lanes
                ));
                return Err(Diagnostic::error("E0000", "differs"));
            }
        }
        Ok(())
    });
    // What a pass refuses is the matter of the other goals.
    let _ = manager.run(&pipeline, &mut shader.clone());
    drop(manager);
    message.map_or(Ok(Executed::Agrees), Err)
}
