//! What OpenGL clips and culls by and Metal does not have as such: user clip planes, clip distances that fragments read, cull
//! distances. The stages of a pipeline are lowered together, since both ends of an interface change.

use airfoil_ir::{Diagnostic, Form, Modes, Shader, Slot, Stage, Type};
use airfoil_passes::gl::clip_distances_from_varyings::ClipDistancesFromVaryings;
use airfoil_passes::gl::clip_distances_to_varyings::ClipDistancesToVaryings;
use airfoil_passes::gl::cull_distances_to_discard::CullDistancesToDiscard;
use airfoil_passes::gl::cull_distances_to_varyings::CullDistancesToVaryings;
use airfoil_passes::gl::lower_clip_vertex::LowerClipVertex;
use airfoil_passes::{Manager, Pass, Pipeline};

/// The user clip planes of OpenGL's compatibility profile: state that no shader says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClipPlanes {
    /// Mask of the planes that are enabled (`GL_CLIP_PLANE0` is bit 0). Without any, `gl_ClipVertex` has no effect.
    pub enabled: u32,
    /// Binding of a uniform block with the planes, for shaders that do not have `gl_ClipPlane` themselves.
    pub binding: Option<u32>,
}

/// Lowers the shaders of one pipeline, in the form `variables` and in order of the stages; those in later forms stay as they are.
/// Varyings that are added take locations behind those of the shaders.
///
/// # Errors
/// What the passes refuse, and planes without a place.
pub fn lower_distances(shaders: &mut [Shader], planes: ClipPlanes) -> Result<(), Vec<Diagnostic>> {
    let is_last = |s: &Shader| matches!(s.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry);
    let Some(last) = shaders.iter().rposition(is_last) else { return Ok(()) };
    if shaders.iter().any(|s| s.form != Form::Variables) {
        return Ok(());
    }
    let has = |s: &Shader, mode, slot| s.vars.values().any(|v| v.mode == mode && v.location == Some(slot));
    if planes.enabled != 0 || has(&shaders[last], Modes::OUT, Slot::CLIP_VERTEX) {
        let mut pass = LowerClipVertex { planes: planes.enabled, ..LowerClipVertex::default() };
        pass.binding = planes.binding.unwrap_or(pass.binding);
        let _ = Manager::default().run(&Pipeline::of_pass(Box::new(pass)), &mut shaders[last])?;
    }
    let Some(fragment) = shaders.iter().position(|s| s.stage == Stage::Fragment) else { return Ok(()) };
    let mut passes: Vec<(usize, Box<dyn Pass>)> = Vec::new();
    let mut location = first_free(&shaders[last], Modes::OUT).max(first_free(&shaders[fragment], Modes::IN));
    if has(&shaders[fragment], Modes::IN, Slot::CLIP_DIST0) {
        passes.push((last, Box::new(ClipDistancesToVaryings { location })));
        passes.push((fragment, Box::new(ClipDistancesFromVaryings { location })));
        location += 2;
    }
    if let Some(count) = cull_distances(&shaders[last]) {
        passes.push((last, Box::new(CullDistancesToVaryings { location })));
        passes.push((fragment, Box::new(CullDistancesToDiscard { location, count })));
    }
    for (shader, pass) in passes {
        let _ = Manager::default().run(&Pipeline::of_pass(pass), &mut shaders[shader])?;
    }
    Ok(())
}

/// Cull distances that a shader writes.
fn cull_distances(shader: &Shader) -> Option<u32> {
    let var = shader.vars.values().find(|v| v.mode == Modes::OUT && v.location == Some(Slot::CULL_DIST0))?;
    match shader.types[var.ty] {
        Type::Array { len, .. } => Some(len),
        _ => None,
    }
}

/// The first location behind all of a shader's varyings.
fn first_free(shader: &Shader, mode: Modes) -> u32 {
    let end = |v: &airfoil_ir::Variable| {
        let location = v.location?.as_generic()?;
        let ty = match shader.types[v.ty] {
            Type::Array { elem, .. } if v.is_per_vertex(shader.stage) => elem,
            _ => v.ty,
        };
        Some(location + shader.types.num_slots(ty))
    };
    shader.vars.values().filter(|v| v.mode == mode).filter_map(end).max().unwrap_or(0)
}
