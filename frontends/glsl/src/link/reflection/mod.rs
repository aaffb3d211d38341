//! Reflection of a program, as the API's queries return it: `glGetActiveUniform`, `glGetProgramInterface` and the like
//! (OpenGL 4.6 section 7.3.1).

mod accessed;
mod build;
mod json;
mod numbered;

pub(crate) use build::{Linked, build};

use super::xfb::Xfb;
use airfoil_ir::{Name, Primitive, Spacing, Stage};
use serde::{Deserialize, Serialize};

/// A uniform, or a variable in a uniform or storage block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UniformInfo {
    /// Name; `[0]` at the end of an array.
    pub name: Name,
    /// API constant of its type.
    pub ty: u32,
    /// Elements; 1 for anything but an array, 0 for a runtime-sized array.
    pub array_size: u32,
    /// Location, if it is a uniform outside blocks.
    pub location: Option<u32>,
    /// Position of its block in the list of blocks.
    pub block: Option<u32>,
    /// Position of its buffer in the list of atomic-counter buffers.
    pub atomic_buffer: Option<u32>,
    /// Bytes from the start of the block; for uniforms outside blocks, in the buffer of the default uniform block.
    pub offset: Option<u32>,
    /// Bytes from one element to the next; 0 for anything but an array in memory.
    pub array_stride: u32,
    /// Bytes from one column or row to the next; 0 for anything but a matrix in memory.
    pub matrix_stride: u32,
    /// Row-major.
    pub row_major: bool,
    /// First binding of a texture or image in the shaders.
    pub binding: Option<u32>,
    /// The binding is declared. If not, the linker assigned it, and the value of the uniform, the unit of the texture or image,
    /// is 0 until the application sets it (OpenGL 4.6 section 7.6; GLSL 4.60 section 4.4.6).
    pub explicit_binding: bool,
    /// Where it begins in the array of textures or images that the shaders have, whose first binding is `binding - element`:
    /// arrays of arrays and of structures are one array there.
    pub element: u32,
    /// Elements of the outermost array that holds a buffer variable; 1 if there is none, 0 if it is runtime-sized.
    pub top_level_array_size: u32,
    /// Bytes from one element of that array to the next.
    pub top_level_array_stride: u32,
    /// Stages that use it: bits as in `glUseProgramStages`.
    pub stages: u32,
    /// A built-in uniform, whose value the implementation supplies.
    pub builtin: bool,
    /// Initial value: bits of each scalar.
    pub initial: Vec<u64>,
}

impl UniformInfo {
    /// The unit of a texture or image after linking, of element `n` of an array: as declared, else 0.
    pub fn initial_unit(&self, n: u32) -> u32 {
        self.binding.filter(|_| self.explicit_binding).map_or(0, |b| b.saturating_add(n))
    }
}

impl BlockInfo {
    /// The binding point after linking (`GL_UNIFORM_BLOCK_BINDING`): as declared, else 0.
    pub fn initial_binding(&self) -> u32 {
        self.binding.filter(|_| self.explicit_binding).unwrap_or(0)
    }
}

/// A uniform or storage block; each element of an array of blocks is one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockInfo {
    /// Name, with the index of the element.
    pub name: Name,
    /// Binding in the shaders.
    pub binding: Option<u32>,
    /// The binding is declared. If not, the linker assigned it, and the block's binding point is 0 until the application sets it
    /// (OpenGL 4.6 sections 7.6.3 and 7.8).
    pub explicit_binding: bool,
    /// Bytes that a buffer must have.
    pub size: u32,
    /// Positions of its variables; elements of an array of blocks share them.
    pub variables: Vec<u32>,
    /// Stages that use it.
    pub stages: u32,
}

/// A buffer of atomic counters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AtomicBufferInfo {
    /// Binding.
    pub binding: u32,
    /// Binding that the shaders have it at, among the storage buffers.
    pub storage_binding: u32,
    /// Bytes.
    pub size: u32,
    /// Positions of its counters in the list of uniforms.
    pub counters: Vec<u32>,
    /// Stages that use it.
    pub stages: u32,
}

/// An input of the first or output of the last stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IoInfo {
    /// Name.
    pub name: Name,
    /// API constant of its type.
    pub ty: u32,
    /// Elements; 1 for anything but an array.
    pub array_size: u32,
    /// Location: that of an attribute or color, and of others if it is declared; none for built-in variables.
    pub location: Option<u32>,
    /// First component.
    pub component: u32,
    /// Blend source of a colour.
    pub index: u32,
    /// One value a patch.
    pub per_patch: bool,
    /// The stage's bit.
    pub stages: u32,
}

/// A subroutine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubroutineInfo {
    /// Name.
    pub name: Name,
    /// Index.
    pub index: u32,
}

/// A subroutine uniform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubroutineUniformInfo {
    /// Name.
    pub name: Name,
    /// Elements.
    pub array_size: u32,
    /// Location.
    pub location: u32,
    /// Indices of the subroutines that it can be.
    pub compatible: Vec<u32>,
    /// Offset of its value in the default uniform block, in bytes.
    pub offset: Option<u32>,
}

/// Reflection of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageReflection {
    /// Which.
    #[serde(with = "numbered")]
    pub stage: Stage,
    /// Size of a compute work group.
    pub work_group_size: Option<[u32; 3]>,
    /// Input primitive of geometry, domain of tessellation evaluation.
    #[serde(with = "numbered::optional")]
    pub input_primitive: Option<Primitive>,
    /// Output primitive of geometry.
    #[serde(with = "numbered::optional")]
    pub output_primitive: Option<Primitive>,
    /// Most vertices of geometry; vertices of a patch of tessellation control.
    pub vertices: Option<u32>,
    /// Invocations of geometry.
    pub invocations: Option<u32>,
    /// Spacing of tessellation.
    #[serde(with = "numbered::optional")]
    pub spacing: Option<Spacing>,
    /// Vertex order of tessellation.
    pub clockwise: Option<bool>,
    /// Tessellation emits points.
    pub point_mode: bool,
    /// Tests run before the fragment stage.
    pub early_fragment_tests: bool,
    /// Views that a vertex shader declares (`num_views`).
    pub num_views: Option<u32>,
    /// Subroutines.
    pub subroutines: Vec<SubroutineInfo>,
    /// Subroutine uniforms.
    pub subroutine_uniforms: Vec<SubroutineUniformInfo>,
}

/// Reflection of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reflection {
    /// Uniforms, those in uniform blocks included.
    pub uniforms: Vec<UniformInfo>,
    /// Uniform blocks.
    pub uniform_blocks: Vec<BlockInfo>,
    /// Variables in storage blocks.
    pub buffer_variables: Vec<UniformInfo>,
    /// Storage blocks.
    pub storage_blocks: Vec<BlockInfo>,
    /// Buffers of atomic counters.
    pub atomic_buffers: Vec<AtomicBufferInfo>,
    /// Inputs of the first stage.
    pub inputs: Vec<IoInfo>,
    /// Outputs of the last stage.
    pub outputs: Vec<IoInfo>,
    /// The captures of transform feedback.
    pub transform_feedback: Xfb,
    /// Binding and bytes of the buffer of the default uniform block.
    pub default_block: Option<(u32, u32)>,
    /// One past the last uniform location.
    pub uniform_locations: u32,
    /// Stages.
    pub stages: Vec<StageReflection>,
}
