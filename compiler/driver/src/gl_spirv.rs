//! SPIR-V modules as shaders of OpenGL programs (ARB_gl_spirv).

use crate::Errors;
use airfoil_glsl::Unit;
use airfoil_glsl::imported::{Declarations, Feedback, import};
use airfoil_ir::{Diagnostic, Shader, Slot};
use airfoil_spirv_in::{Environment, Interface, Options, XfbOutput};

/// Reads one entry point of a module by the rules of OpenGL, to be linked with others by [`glsl::link()`](crate::glsl::link())
/// (`glSpecializeShader`). The environment in `options` does not count.
///
/// # Errors
/// Everything that is wrong or unsupported, and features that OpenGL does not have.
pub fn read(words: &[u32], options: &Options) -> Result<Unit, Errors> {
    let options = Options { environment: Environment::OpenGl, ..options.clone() };
    let (shader, interface) = airfoil_spirv_in::read_with_interface(words, &options)?;
    if let Some(slot) = unnamed_capture(&shader, &interface) {
        let message = format!("transform feedback of an array of blocks (location {slot}) is not supported");
        return Err(Diagnostic::error("E1138", message).into());
    }
    let feedback = interface
        .feedback
        .iter()
        .map(|&(var, f)| (var, Feedback { buffer: f.buffer, stride: f.stride, offset: f.offset }));
    let declared = Declarations {
        mixes: false,
        feedback: feedback.collect(),
        uniform_locations: interface.uniform_locations,
        counters: interface.counters,
    };
    Ok(import(shader, &declared)?)
}

/// The slot of a capture that belongs to none of the variables with decorations.
fn unnamed_capture(shader: &Shader, interface: &Interface) -> Option<Slot> {
    let is_of = |o: &XfbOutput, var| {
        let var = &shader.vars[var];
        let slots = shader.types.num_slots(var.ty).max(1);
        var.location.is_some_and(|first| (0..slots).any(|n| first.offset(n) == Some(o.slot)))
    };
    let is_unnamed = |o: &&XfbOutput| !interface.feedback.iter().any(|&(var, _)| is_of(o, var));
    interface.captures.iter().find(is_unnamed).map(|o| o.slot)
}
