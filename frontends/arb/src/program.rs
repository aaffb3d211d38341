//! The result of reading a program.

use crate::state::StateVector;
use crate::target::Target;
use crate::texture::TextureTarget;
use airfoil_ir::Shader;
use std::fmt;

/// A program as text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// Name in diagnostics and source locations; may be empty.
    pub name: &'s str,
    /// The program string, header included.
    pub text: &'s str,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The shader, in form `variables`.
    pub shader: Shader,
    /// The kind of the program.
    pub target: Target,
    /// The contents of each vector of the uniform block; the shader has a block only if this is not empty.
    pub parameters: Vec<Parameter>,
    /// The texture image units that are sampled, in ascending order.
    pub samplers: Vec<Sampler>,
    /// The position is that of the fixed functions (`ARB_position_invariant`): user clip planes apply.
    pub position_invariant: bool,
    /// Resources, as `glGetProgramivARB` reports them.
    pub counts: Counts,
}

/// The contents of a vector of the uniform block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameter {
    /// A program environment parameter.
    Env(u32),
    /// A program local parameter.
    Local(u32),
    /// A constant in an array that is accessed with an address register. Other constants are part of the code.
    Constant([f32; 4]),
    /// A state of OpenGL.
    State(StateVector),
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Env(n) => write!(f, "program.env[{n}]"),
            Parameter::Local(n) => write!(f, "program.local[{n}]"),
            Parameter::Constant([x, y, z, w]) => write!(f, "{{ {x}, {y}, {z}, {w} }}"),
            Parameter::State(state) => state.fmt(f),
        }
    }
}

/// A texture image unit that a program samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// The unit, which is also the binding of the shader's texture.
    pub unit: u32,
    /// The texture target that takes part.
    pub target: TextureTarget,
}

impl Sampler {
    /// Whether the lookups compare depths.
    pub fn is_shadow(self) -> bool {
        self.target.is_shadow()
    }
}

/// Resources that a program takes, as `glGetProgramivARB` reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// `PROGRAM_INSTRUCTIONS_ARB`.
    pub instructions: u32,
    /// `PROGRAM_ALU_INSTRUCTIONS_ARB`; of fragment programs.
    pub alu_instructions: u32,
    /// `PROGRAM_TEX_INSTRUCTIONS_ARB`; of fragment programs.
    pub tex_instructions: u32,
    /// `PROGRAM_TEX_INDIRECTIONS_ARB`; of fragment programs.
    pub tex_indirections: u32,
    /// `PROGRAM_TEMPORARIES_ARB`.
    pub temporaries: u32,
    /// `PROGRAM_PARAMETERS_ARB`.
    pub parameters: u32,
    /// `PROGRAM_ATTRIBS_ARB`.
    pub attributes: u32,
    /// `PROGRAM_ADDRESS_REGISTERS_ARB`; of vertex programs.
    pub address_registers: u32,
}
