//! Operations that await state, lowered for the default state.

use crate::facts::writes_clip_vertex;
use crate::log::Log;
use airfoil::air::plan::registry;
use airfoil::ir::Shader;
use airfoil::passes::gl::lower_clip_planes::LowerClipPlanes;
use airfoil::passes::gl::lower_depth_modes::{LowerDepthModes, moded};
use airfoil::passes::manager::Manager;
use airfoil::passes::{Pass, PassStep, Pipeline};
use std::sync::{Arc, LazyLock};

/// The clean-up after passes that add a few operations to optimised code.
pub(crate) static CLEANUP: LazyLock<Arc<Pipeline>> = LazyLock::new(|| {
    // A test parses it.
    let text = "copy_prop, constant_folding, dce, dead_cf, gather_info";
    Arc::new(Pipeline::parse_with(text, registry()).unwrap_or_default())
});

/// Removes the stores to `gl_ClipVertex`, which has no effect without enabled planes.
pub(crate) fn without_clip_vertex(shaders: &mut [Shader]) -> Result<(), Log> {
    lower_each(shaders, writes_clip_vertex, LowerClipPlanes::default)
}

/// Whether a shader has operations that only the passes for state lower.
pub(crate) fn awaits_state(shader: &Shader) -> bool {
    writes_clip_vertex(shader) || moded(shader).is_some()
}

/// Lowers the operations that await state for the default state.
pub(crate) fn lower_default_state(shaders: &mut [Shader]) -> Result<(), Log> {
    without_clip_vertex(shaders)?;
    lower_each(shaders, |shader| moded(shader).is_some(), LowerDepthModes::default)
}

/// Runs a pass on the shaders that satisfy a condition.
fn lower_each<P: Pass + 'static>(
    shaders: &mut [Shader],
    which: impl Fn(&Shader) -> bool,
    pass: impl Fn() -> P,
) -> Result<(), Log> {
    for shader in shaders.iter_mut().filter(|shader| which(shader)) {
        let plan = Pipeline::of_steps([PassStep::new(Box::new(pass()))]).cleaned_up_by(CLEANUP.clone());
        let _ = Manager::default().run(&plan, shader)?;
    }
    Ok(())
}
