//! SPIR-V from shaders.

use crate::Errors;
use airfoil_ir::Shader;
use airfoil_spirv_out::Options;

/// Writes a shader in form `variables` as the words of a SPIR-V module.
///
/// The steps of a compile lower inputs and outputs; this takes shaders as readers create them, or after passes that keep the
/// form, such as the preset `spirv`.
///
/// # Errors
/// The construct that the target cannot express.
pub fn to_spirv(shader: &Shader, options: &Options) -> Result<Vec<u32>, Errors> {
    Ok(airfoil_spirv_out::write(shader, options)?)
}
