//! Files of the IR.

use crate::kinds::OutputKind;
use airfoil::{Diagnostic, Shader};

/// A file of the IR: text, or the binary form for [`OutputKind::Foilb`].
pub fn ir_file(kind: OutputKind, shaders: &[Shader]) -> Result<Vec<u8>, Vec<Diagnostic>> {
    if kind != OutputKind::Foilb {
        return Ok(shaders.iter().map(airfoil::ir::text::print).collect::<String>().into_bytes());
    }
    let shaders: Vec<&Shader> = shaders.iter().collect();
    airfoil_store::store(&shaders, &[]).map_err(|fault| vec![fault])
}
