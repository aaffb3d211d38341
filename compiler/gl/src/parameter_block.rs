//! The uniform blocks with the parameters of assembly programs and fixed functions.

use crate::program::Program;
use airfoil::Stage;
use airfoil::arb::PARAMETER_BLOCK;
use airfoil::glsl::link::reflection::BlockInfo;

impl Program {
    /// The index of the uniform block that holds the [parameters](crate::ShaderObject::parameters) of the assembly program or the
    /// fixed functions of a stage; `None` if the stage has none.
    pub fn parameter_block(&self, stage: Stage) -> Option<u32> {
        // As in `glUseProgramStages`.
        let bit = match stage {
            Stage::Vertex => 1,
            Stage::Fragment => 2,
            _ => return None,
        };
        let of_stage = |b: &BlockInfo| b.stages == bit && b.name == PARAMETER_BLOCK;
        self.reflection().uniform_blocks.iter().position(of_stage).and_then(|n| n.try_into().ok())
    }
}
