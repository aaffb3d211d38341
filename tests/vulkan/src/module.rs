//! Modules as callers pass them.

use ash::vk;

/// An entry point of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The words.
    pub words: Vec<u32>,
    /// Stage of the entry point.
    pub stage: airfoil_ir::Stage,
    /// Name of the entry point.
    pub entry: String,
    /// Values of specialization constants: SpecId and bits.
    pub spec: Vec<(u32, u64)>,
}

impl Module {
    /// The stage's flag; `None` for stages that are not executed here.
    pub(crate) fn flag(&self) -> Option<vk::ShaderStageFlags> {
        use airfoil_ir::Stage;
        Some(match self.stage {
            Stage::Vertex => vk::ShaderStageFlags::VERTEX,
            Stage::TessControl => vk::ShaderStageFlags::TESSELLATION_CONTROL,
            Stage::TessEval => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
            Stage::Geometry => vk::ShaderStageFlags::GEOMETRY,
            Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
            Stage::Compute => vk::ShaderStageFlags::COMPUTE,
            Stage::Task | Stage::Mesh => return None,
        })
    }
}
