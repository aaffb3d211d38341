//! Results of shaders before and after every pass of a level.
//!
//! The shader is executed on several seeds as it was read, and again after each pass that changed it; every outcome must be
//! that of the shader as it was read. Seeds on which execution depends on undefined values or takes too long are left out.

use airfoil::OptLevel;
use airfoil::ir::Shader;
use airfoil::passes::Manager;
use airfoil_check::{Runs, Watch};

/// How an execution of a shader ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executed {
    /// All outcomes agree.
    Agrees,
    /// There is nothing to compare, for this reason.
    Nothing(String),
}

/// Executes a shader before and after every pass.
///
/// # Errors
/// The first difference, with the pass that causes it.
pub fn check(shader: &Shader, level: OptLevel) -> Result<Executed, String> {
    let pipeline = airfoil::air::plan::pipeline(level, shader.form);
    let mut watch = Watch::new(shader, &Runs::default());
    let mut manager = Manager::default().observer(|applied, now| watch.applied(applied, now));
    let result = manager.run(pipeline, &mut shader.clone());
    drop(manager);
    // Shaders that a pass rejects are covered by the other goals.
    match (watch.mismatch(), result, watch.warning()) {
        (Some(_), Err(faults), _) => Err(faults.into_iter().map(|f| f.message).collect()),
        (_, _, Some(warning)) if watch.compared() == 0 => Ok(Executed::Nothing(warning.message)),
        _ => Ok(Executed::Agrees),
    }
}
