//! The shaders of assembly programs and fixed functions as units that link with GLSL.

use airfoil::Diagnostic;
use airfoil::glsl::Unit;
use airfoil::glsl::imported::{self, Declarations};
use airfoil::ir::{Modes, Shader};

/// A unit with the shader of an assembly program or of fixed functions. The linker assigns the binding of its block.
pub(crate) fn import(mut shader: Shader) -> Result<Unit, Vec<Diagnostic>> {
    for var in shader.vars.values_mut().filter(|v| v.mode == Modes::UBO) {
        var.binding = None;
    }
    imported::import(shader, &Declarations { mixes: true, ..Declarations::default() })
}
