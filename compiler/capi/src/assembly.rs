//! Shader objects of assembly programs.

use crate::budget::{AfBudget, budget};
use crate::call::{call, read, with_stack};
use crate::device::AfDevice;
use crate::function::AF_NONE;
use crate::handle::get;
use crate::input::{text, text_of};
use crate::memory::Callbacks;
use crate::program::AfProgram;
use crate::shader::{AfShader, make_shader, stage_of};
use crate::sized::{self, Versioned};
use crate::types::*;
use airfoil::arb::{Parameter, TextureTarget};
use airfoil_gl::{Assembly, AssemblyTarget, Device};
use std::ffi::c_char;

/// Kind of an assembly program.
pub type AfAssemblyTarget = u32;
/// GL_VERTEX_PROGRAM_ARB.
pub const AF_ASSEMBLY_VERTEX: AfAssemblyTarget = 0;
/// GL_FRAGMENT_PROGRAM_ARB.
pub const AF_ASSEMBLY_FRAGMENT: AfAssemblyTarget = 1;

/// Reads an assembly program (glProgramStringARB): so many bytes of text, or up to a NUL if `length` is negative. `name` identifies the
/// object in logs; NULL: "0". A program with errors is a shader, too: af_shader_status, af_shader_log and `error_position` of
/// af_shader_assembly describe it. `bounds` may be NULL.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_assemble(
    device: *const AfDevice,
    target: AfAssemblyTarget,
    name: *const c_char,
    string: *const c_char,
    length: i32,
    bounds: *const AfBudget,
    shader: *mut *mut AfShader,
) -> AfResult {
    let make_object = |device: &Device| {
        let target = match target {
            AF_ASSEMBLY_VERTEX => AssemblyTarget::Vertex,
            AF_ASSEMBLY_FRAGMENT => AssemblyTarget::Fragment,
            _ => return Err(AfResult::AF_ERROR_INVALID_ARGUMENT),
        };
        // SAFETY: the caller passes a name that ends in a NUL, or NULL, text of this length, and a structure that begins with its
        // size, or NULL.
        let (name, string, bounds) = unsafe { (text(name)?, text_of(string, length)?, budget(bounds)?) };
        // Bytes that are not UTF-8 are legal in comments.
        let string = String::from_utf8_lossy(string);
        with_stack(|| device.assemble_within(name.unwrap_or_default(), target, &string, &bounds))
    };
    // SAFETY: the caller has a count of the device, and passes a pointer to write to, or NULL.
    unsafe { make_shader(device, shader, make_object) }
}

/// Facts about an assembly program.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfAssembly {
    /// sizeof(AfAssembly).
    pub size: u32,
    /// Byte of the first error (GL_PROGRAM_ERROR_POSITION_ARB), or AF_NONE.
    pub error_position: u32,
    /// Vectors of four floats in the uniform block of the parameters.
    pub parameter_count: u32,
    /// Texture image units that are sampled.
    pub sampler_count: u32,
    /// 1 with ARB_position_invariant: the clip planes of the user apply.
    pub position_invariant: u32,
    /// GL_PROGRAM_INSTRUCTIONS_ARB.
    pub instructions: u32,
    /// GL_PROGRAM_ALU_INSTRUCTIONS_ARB.
    pub alu_instructions: u32,
    /// GL_PROGRAM_TEX_INSTRUCTIONS_ARB.
    pub tex_instructions: u32,
    /// GL_PROGRAM_TEX_INDIRECTIONS_ARB.
    pub tex_indirections: u32,
    /// GL_PROGRAM_TEMPORARIES_ARB.
    pub temporaries: u32,
    /// GL_PROGRAM_PARAMETERS_ARB.
    pub parameters: u32,
    /// GL_PROGRAM_ATTRIBS_ARB.
    pub attributes: u32,
    /// GL_PROGRAM_ADDRESS_REGISTERS_ARB.
    pub address_registers: u32,
}

// SAFETY: `repr(C)`, with integers.
unsafe impl Versioned for AfAssembly {
    const FIRST: usize = size_of::<Self>();
}

/// Contents of a parameter.
pub type AfParameterKind = u32;
/// An environment parameter of the target.
pub const AF_PARAMETER_ENV: AfParameterKind = 0;
/// A local parameter of the program.
pub const AF_PARAMETER_LOCAL: AfParameterKind = 1;
/// A constant of the program.
pub const AF_PARAMETER_CONSTANT: AfParameterKind = 2;
/// State of OpenGL, by its name.
pub const AF_PARAMETER_STATE: AfParameterKind = 3;

/// A vector of the uniform block of the parameters.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfParameter {
    /// sizeof(AfParameter).
    pub size: u32,
    /// Contents.
    pub kind: AfParameterKind,
    /// Index of the environment or local parameter, otherwise 0.
    pub index: u32,
    /// 0.
    pub reserved: u32,
    /// The constant, otherwise 0.
    pub value: [f32; 4],
    /// Name in the extension, such as `state.light[0].diffuse`.
    pub name: AfText,
}

// SAFETY: `repr(C)`, with numbers and pointers.
unsafe impl Versioned for AfParameter {
    const FIRST: usize = size_of::<Self>();
}

/// A texture image unit of an assembly program.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfUnit {
    /// sizeof(AfUnit).
    pub size: u32,
    /// The unit, which is the binding of the texture.
    pub unit: u32,
    /// GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP or GL_TEXTURE_RECTANGLE.
    pub target: u32,
    /// 1 if depths are compared.
    pub shadow: u32,
}

// SAFETY: `repr(C)`, with integers.
unsafe impl Versioned for AfUnit {
    const FIRST: usize = size_of::<Self>();
}

/// The facts of a shader that is an assembly program.
///
/// # Safety
/// As [`get`].
unsafe fn facts<'a>(shader: *const AfShader) -> Result<&'a Assembly, AfResult> {
    // SAFETY: the caller's contract.
    unsafe { get(shader)? }.object.assembly().ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)
}

/// Facts about a shader that af_shader_assemble made.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_assembly(shader: *const AfShader, assembly: *mut AfAssembly) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count, or passes NULL.
        let facts = unsafe { facts(shader) }?;
        let count = |n: usize| u32::try_from(n).unwrap_or(AF_NONE);
        let counts = &facts.counts;
        let value = AfAssembly {
            size: size_of::<AfAssembly>() as u32,
            error_position: facts.error_position.map_or(AF_NONE, count),
            parameter_count: count(facts.parameters.len()),
            sampler_count: count(facts.samplers.len()),
            position_invariant: facts.position_invariant.into(),
            instructions: counts.instructions,
            alu_instructions: counts.alu_instructions,
            tex_instructions: counts.tex_instructions,
            tex_indirections: counts.tex_indirections,
            temporaries: counts.temporaries,
            parameters: counts.parameters,
            attributes: counts.attributes,
            address_registers: counts.address_registers,
        };
        // SAFETY: the caller passes a structure that begins with its size.
        unsafe { sized::write(assembly, &value) }
    })
}

/// A vector of the uniform block of the parameters of a shader of assembly or fixed functions. The name lives as long as the shader.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_parameter(
    shader: *const AfShader,
    index: u32,
    parameter: *mut AfParameter,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count, or passes NULL.
        let shader = unsafe { get(shader)? };
        let n = index as usize;
        let found = shader.object.parameters().get(n).zip(shader.parameter_names.get(n));
        let (found, name) = found.ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)?;
        let (kind, index, value) = match *found {
            Parameter::Env(n) => (AF_PARAMETER_ENV, n, [0.0; 4]),
            Parameter::Local(n) => (AF_PARAMETER_LOCAL, n, [0.0; 4]),
            Parameter::Constant(value) => (AF_PARAMETER_CONSTANT, 0, value),
            Parameter::State(_) => (AF_PARAMETER_STATE, 0, [0.0; 4]),
        };
        let size = size_of::<AfParameter>() as u32;
        let value = AfParameter { size, kind, index, reserved: 0, value, name: name.get() };
        // SAFETY: the caller passes a structure that begins with its size.
        unsafe { sized::write(parameter, &value) }
    })
}

/// A texture image unit of a shader that af_shader_assemble made, in ascending order.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_unit(shader: *const AfShader, index: u32, unit: *mut AfUnit) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count, or passes NULL.
        let facts = unsafe { facts(shader) }?;
        let found = facts.samplers.get(index as usize).ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)?;
        let value = AfUnit {
            size: size_of::<AfUnit>() as u32,
            unit: found.unit,
            target: gl_target(found.target),
            shadow: found.is_shadow().into(),
        };
        // SAFETY: the caller passes a structure that begins with its size.
        unsafe { sized::write(unit, &value) }
    })
}

/// The enumerant of a texture target.
fn gl_target(target: TextureTarget) -> u32 {
    match target {
        TextureTarget::D1 | TextureTarget::Shadow1D => 0x0DE0,
        TextureTarget::D2 | TextureTarget::Shadow2D => 0x0DE1,
        TextureTarget::D3 => 0x806F,
        TextureTarget::Cube => 0x8513,
        TextureTarget::Rect | TextureTarget::ShadowRect => 0x84F5,
    }
}

/// The index of the uniform block (of GL_UNIFORM_BLOCK) with the parameters of the assembly program or fixed functions of a stage, or
/// AF_NONE.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_parameter_block(program: *const AfProgram, stage: AfStage) -> u32 {
    read(AF_NONE, || {
        // SAFETY: the caller has a count, or passes NULL.
        let program = unsafe { get(program) }.ok()?.linked().ok()?;
        program.parameter_block(stage_of(stage).ok()?)
    })
}
