//! Generated shaders.

use super::target::UnitTarget;
use airfoil::Shader;
use airfoil::arb::Parameter;

/// Lights, texture coordinates and texture units of the fixed functions.
pub const UNITS: usize = 8;

/// A generated shader.
#[derive(Clone, Debug)]
pub struct FixedShader {
    /// The shader, in form `variables`.
    pub shader: Shader,
    /// The contents of each vector of the uniform block; the shader has a block only if this is not empty.
    pub parameters: Vec<Parameter>,
    /// Binding of the uniform block: [`VERTEX_BINDING`] or [`FRAGMENT_BINDING`].
    pub binding: u32,
    /// The texture units that are sampled, in ascending order. The unit is also the binding of the shader's texture.
    pub samplers: Vec<FixedSampler>,
}

/// A texture unit that a generated shader samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedSampler {
    /// The unit.
    pub unit: u32,
    /// The target that takes part.
    pub target: UnitTarget,
}

/// Binding of the uniform block of vertex shaders.
pub const VERTEX_BINDING: u32 = 0;

/// Binding of the uniform block of fragment shaders.
pub const FRAGMENT_BINDING: u32 = 1;
