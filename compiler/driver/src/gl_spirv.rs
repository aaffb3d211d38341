//! SPIR-V modules as shaders of OpenGL programs (ARB_gl_spirv).

use crate::Errors;
use airfoil_glsl::Unit;
use airfoil_glsl::imported::{Declarations, Feedback, import};
use airfoil_ir::{InstrId, InstrKind, Modes, Shader};
use airfoil_passes::Pipeline;
use airfoil_passes::manager::Manager;
use airfoil_spirv_in::{Environment, Options};

/// Reads one entry point of a module by the rules of OpenGL, to be linked with others by [`glsl::link()`](crate::glsl::link())
/// (`glSpecializeShader`). The environment in `options` does not count.
///
/// # Errors
/// Everything that is wrong or unsupported, and features that OpenGL does not have.
pub fn read(words: &[u32], options: &Options) -> Result<Unit, Errors> {
    let options = Options { environment: Environment::OpenGl, ..options.clone() };
    let (mut shader, interface) = airfoil_spirv_in::read_with_interface(words, &options)?;
    if passes_uniforms(&shader) {
        let plan = Pipeline::parse("lower_returns, inline_functions").map_err(|e| vec![e])?;
        let _ = Manager::default().run(&plan, &mut shader)?;
    }
    let feedback = interface.feedback.iter().map(|&(var, f)| {
        let part = f.part.map(|p| (p.element, p.member));
        (var, Feedback { buffer: f.buffer, stride: f.stride, offset: f.offset, part })
    });
    let declared = Declarations {
        mixes: false,
        feedback: feedback.collect(),
        uniform_locations: interface.uniform_locations,
        counters: interface.counters,
    };
    Ok(import(shader, &declared)?)
}

/// Whether a function has a pointer to a uniform as argument. Uniforms outside blocks become members of one and textures variables of
/// their own, so that pointers to them are not left.
fn passes_uniforms(shader: &Shader) -> bool {
    shader.functions.values().map(|f| &f.body).any(|body| {
        let is_uniform = |&arg: &InstrId| {
            body[arg].as_deref().is_some_and(|d| d.modes.intersects(Modes::UNIFORM | Modes::IMAGE))
        };
        body.entries()
            .any(|(_, i)| matches!(&i.kind, InstrKind::Call(call) if call.args.iter().any(is_uniform)))
    })
}
