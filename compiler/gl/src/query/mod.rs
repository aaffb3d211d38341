//! Program-interface queries (`glGetProgramInterfaceiv`, `glGetProgramResourceiv` and related functions, OpenGL 4.6 section 7.3.1):
//! they take and return GL's own constants.

pub mod enums;

use crate::program::Program;
use airfoil::Stage;
use airfoil::glsl::link::reflection::{
    BlockInfo, IoInfo, StageReflection, SubroutineUniformInfo, UniformInfo,
};
use airfoil::glsl::link::{Reflection, XfbVarying};
use enums::*;
use std::fmt;

/// The error that a query generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryError {
    /// `GL_INVALID_ENUM`: not an interface or a property.
    InvalidEnum,
    /// `GL_INVALID_VALUE`: the interface does not have a resource of this index.
    InvalidValue,
    /// `GL_INVALID_OPERATION`: the interface does not have this property.
    InvalidOperation,
}

impl QueryError {
    /// Its value in OpenGL.
    pub fn gl_enum(self) -> u32 {
        match self {
            InvalidEnum => 0x0500,
            InvalidValue => 0x0501,
            InvalidOperation => 0x0502,
        }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidEnum => "GL_INVALID_ENUM",
            InvalidValue => "GL_INVALID_VALUE",
            InvalidOperation => "GL_INVALID_OPERATION",
        })
    }
}

impl std::error::Error for QueryError {}

use QueryError::{InvalidEnum, InvalidOperation, InvalidValue};

/// Stages in order of their subroutine interfaces.
const STAGES: [Stage; 6] =
    [Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Fragment, Stage::Compute];

/// Bits of the stages in `glUseProgramStages`, in order of the properties `REFERENCED_BY_*`.
const STAGE_BITS: [u32; 6] = [1, 8, 16, 4, 2, 32];

/// `GL_FRAGMENT_SHADER_BIT`.
const FRAGMENT_BIT: u32 = 2;

/// A resource of any interface.
enum Resource<'p> {
    Uniform(&'p UniformInfo),
    Block(&'p BlockInfo),
    BufferVariable(&'p UniformInfo),
    Io(&'p IoInfo, bool),
    AtomicBuffer(usize),
    Subroutine(&'p str),
    SubroutineUniform(&'p SubroutineUniformInfo),
    Varying(Varying<'p>),
    XfbBuffer(usize),
}

/// An element of `GL_TRANSFORM_FEEDBACK_VARYING`.
enum Varying<'p> {
    Output(&'p XfbVarying),
    /// `gl_NextBuffer` (0) or `gl_SkipComponents1` to `4`.
    Special(&'p str, i32),
}

impl Program {
    /// A property of an interface (`glGetProgramInterfaceiv`).
    ///
    /// # Errors
    /// The errors that OpenGL defines for these constants.
    pub fn interface(&self, interface: u32, property: u32) -> Result<i32, QueryError> {
        let count = self.count(interface)?;
        let most = |property| {
            let mut most = 0;
            for n in 0..count {
                most = most.max(self.resource(interface, n, property)?.first().copied().unwrap_or(0));
            }
            Ok(most)
        };
        match property {
            ACTIVE_RESOURCES => Ok(int(count)),
            MAX_NAME_LENGTH if !is_nameless(interface) => most(NAME_LENGTH),
            MAX_NUM_ACTIVE_VARIABLES if has_variables(interface) => most(NUM_ACTIVE_VARIABLES),
            MAX_NUM_COMPATIBLE_SUBROUTINES if is_subroutine_uniform(interface) => {
                most(NUM_COMPATIBLE_SUBROUTINES)
            }
            MAX_NAME_LENGTH | MAX_NUM_ACTIVE_VARIABLES | MAX_NUM_COMPATIBLE_SUBROUTINES => {
                Err(InvalidOperation)
            }
            _ => Err(InvalidEnum),
        }
    }

    /// The name of a resource (`glGetProgramResourceName`).
    ///
    /// # Errors
    /// The errors that OpenGL defines for these arguments.
    pub fn resource_name(&self, interface: u32, index: u32) -> Result<&str, QueryError> {
        name(&self.find(interface, index)?).ok_or(InvalidEnum)
    }

    /// The index of the resource with a name (`glGetProgramResourceIndex`): the name of an array may lack its `[0]`.
    ///
    /// # Errors
    /// The interface does not exist, or its resources do not have names.
    pub fn resource_index(&self, interface: u32, wanted: &str) -> Result<Option<u32>, QueryError> {
        let count = self.count(interface)?;
        if is_nameless(interface) {
            return Err(InvalidEnum);
        }
        // Resources of SPIR-V modules may lack a name; the empty name does not find them.
        let count = if wanted.is_empty() { 0 } else { count };
        for n in 0..count {
            let name = self.resource_name(interface, n)?;
            if name == wanted || name.strip_suffix("[0]") == Some(wanted) {
                return Ok(Some(n));
            }
        }
        Ok(None)
    }

    /// The location of a variable or of an element of an array (`glGetProgramResourceLocation`).
    ///
    /// # Errors
    /// The resources of the interface do not have locations.
    pub fn resource_location(&self, interface: u32, wanted: &str) -> Result<Option<u32>, QueryError> {
        let located = [UNIFORM, PROGRAM_INPUT, PROGRAM_OUTPUT].contains(&interface);
        if !located && !is_subroutine_uniform(interface) {
            return Err(InvalidEnum);
        }
        let (base, element) = match element_of(wanted) {
            Some((base, element)) => (base, element),
            None => (wanted, 0),
        };
        let Some(index) = self.resource_index(interface, base)? else { return Ok(None) };
        let Some((location, size, step)) = (match self.find(interface, index)? {
            Resource::Uniform(u) => u.location.map(|l| (l, u.array_size, 1)),
            Resource::Io(io, _) => io.location.map(|l| (l, io.array_size, columns(io.ty))),
            Resource::SubroutineUniform(s) => Some((s.location, s.array_size, 1)),
            _ => None,
        }) else {
            return Ok(None);
        };
        Ok((element < size.max(1)).then(|| location.saturating_add(element.saturating_mul(step))))
    }

    /// A property of a resource (`glGetProgramResourceiv`); some have several values.
    ///
    /// # Errors
    /// The errors that OpenGL defines for these arguments.
    pub fn resource(&self, interface: u32, index: u32, property: u32) -> Result<Vec<i32>, QueryError> {
        let resource = self.find(interface, index)?;
        if let Some(name) = name(&resource)
            && property == NAME_LENGTH
        {
            return Ok(vec![int(name.len() + 1)]);
        }
        let found = match &resource {
            Resource::Uniform(u) => uniform(u, property),
            Resource::BufferVariable(v) => buffer_variable(v, property),
            Resource::Block(b) => block(b, property),
            Resource::Io(io, is_output) => io_value(io, *is_output, property),
            Resource::AtomicBuffer(n) => self.atomic_buffer(*n, property),
            Resource::Subroutine(_) => None,
            Resource::SubroutineUniform(s) => subroutine_uniform(s, property),
            Resource::Varying(v) => self.varying(v, property),
            Resource::XfbBuffer(n) => self.xfb_buffer(*n, property),
        };
        found.ok_or(if is_property(property) { InvalidOperation } else { InvalidEnum })
    }

    fn count(&self, interface: u32) -> Result<u32, QueryError> {
        let r = self.reflection();
        let stage = |first| self.stage_reflection(interface - first);
        Ok(match interface {
            UNIFORM => r.uniforms.len(),
            UNIFORM_BLOCK => r.uniform_blocks.len(),
            PROGRAM_INPUT => r.inputs.len(),
            PROGRAM_OUTPUT => r.outputs.len(),
            BUFFER_VARIABLE => r.buffer_variables.len(),
            SHADER_STORAGE_BLOCK => r.storage_blocks.len(),
            ATOMIC_COUNTER_BUFFER => r.atomic_buffers.len(),
            VERTEX_SUBROUTINE..=COMPUTE_SUBROUTINE => {
                stage(VERTEX_SUBROUTINE).map_or(0, |s| s.subroutines.len())
            }
            VERTEX_SUBROUTINE_UNIFORM..=COMPUTE_SUBROUTINE_UNIFORM => {
                stage(VERTEX_SUBROUTINE_UNIFORM).map_or(0, |s| s.subroutine_uniforms.len())
            }
            TRANSFORM_FEEDBACK_VARYING => self.varyings().len(),
            TRANSFORM_FEEDBACK_BUFFER => r.transform_feedback.buffers.len(),
            _ => return Err(InvalidEnum),
        } as u32)
    }

    fn stage_reflection(&self, n: u32) -> Option<&StageReflection> {
        let stage = STAGES.get(n as usize)?;
        self.reflection().stages.iter().find(|s| s.stage == *stage)
    }

    fn find(&self, interface: u32, index: u32) -> Result<Resource<'_>, QueryError> {
        if index >= self.count(interface)? {
            return Err(InvalidValue);
        }
        let (r, n): (&Reflection, usize) = (self.reflection(), index as usize);
        let resource = match interface {
            UNIFORM => r.uniforms.get(n).map(Resource::Uniform),
            UNIFORM_BLOCK => r.uniform_blocks.get(n).map(Resource::Block),
            PROGRAM_INPUT => r.inputs.get(n).map(|i| Resource::Io(i, false)),
            PROGRAM_OUTPUT => r.outputs.get(n).map(|o| Resource::Io(o, true)),
            BUFFER_VARIABLE => r.buffer_variables.get(n).map(Resource::BufferVariable),
            SHADER_STORAGE_BLOCK => r.storage_blocks.get(n).map(Resource::Block),
            ATOMIC_COUNTER_BUFFER => Some(Resource::AtomicBuffer(n)),
            VERTEX_SUBROUTINE..=COMPUTE_SUBROUTINE => self
                .stage_reflection(interface - VERTEX_SUBROUTINE)
                .and_then(|s| s.subroutines.iter().find(|s| s.index == index))
                .map(|s| Resource::Subroutine(&s.name)),
            VERTEX_SUBROUTINE_UNIFORM..=COMPUTE_SUBROUTINE_UNIFORM => self
                .stage_reflection(interface - VERTEX_SUBROUTINE_UNIFORM)
                .and_then(|s| s.subroutine_uniforms.get(n))
                .map(Resource::SubroutineUniform),
            TRANSFORM_FEEDBACK_VARYING => self.varyings().into_iter().nth(n).map(Resource::Varying),
            _ => Some(Resource::XfbBuffer(n)),
        };
        resource.ok_or(InvalidValue)
    }

    /// The varyings, with the special names where the application gave them.
    fn varyings(&self) -> Vec<Varying<'_>> {
        let captured = &self.reflection().transform_feedback.varyings;
        let given = &self.link_options().transform_feedback.varyings;
        let names = given.iter().filter(|name| special(name).is_none());
        if !names.eq(captured.iter().map(|v| &v.name)) {
            // The shader declares the captures itself.
            return captured.iter().map(Varying::Output).collect();
        }
        let mut outputs = captured.iter();
        let mut list = Vec::with_capacity(given.len());
        for name in given {
            match special(name) {
                Some(size) => list.push(Varying::Special(name, size)),
                None => list.extend(outputs.next().map(Varying::Output)),
            }
        }
        list
    }

    fn varying(&self, varying: &Varying<'_>, property: u32) -> Option<Vec<i32>> {
        let v = match *varying {
            Varying::Output(v) => v,
            Varying::Special(_, size) => {
                return Some(vec![match property {
                    TYPE => 0,
                    ARRAY_SIZE => size,
                    OFFSET | TRANSFORM_FEEDBACK_BUFFER_INDEX => -1,
                    _ => return None,
                }]);
            }
        };
        let buffers = &self.reflection().transform_feedback.buffers;
        Some(vec![match property {
            TYPE => int(v.ty),
            ARRAY_SIZE => int(v.size),
            OFFSET => int(v.offset),
            TRANSFORM_FEEDBACK_BUFFER_INDEX => {
                buffers.iter().position(|b| b.buffer == v.buffer).map_or(-1, int)
            }
            _ => return None,
        }])
    }

    fn xfb_buffer(&self, n: usize, property: u32) -> Option<Vec<i32>> {
        let buffer = self.reflection().transform_feedback.buffers.get(n)?;
        let varyings = self.varyings();
        let captures = |v: &Varying<'_>| matches!(v, Varying::Output(v) if v.buffer == buffer.buffer);
        let members = || varyings.iter().enumerate().filter(|(_, v)| captures(v)).map(|(n, _)| int(n));
        Some(match property {
            BUFFER_BINDING => vec![int(buffer.buffer)],
            TRANSFORM_FEEDBACK_BUFFER_STRIDE => vec![int(buffer.stride)],
            NUM_ACTIVE_VARIABLES => vec![int(members().count())],
            ACTIVE_VARIABLES => members().collect(),
            _ => return None,
        })
    }

    fn atomic_buffer(&self, n: usize, property: u32) -> Option<Vec<i32>> {
        let buffer = self.reflection().atomic_buffers.get(n)?;
        Some(match property {
            BUFFER_BINDING => vec![int(buffer.binding)],
            BUFFER_DATA_SIZE => vec![int(buffer.size)],
            NUM_ACTIVE_VARIABLES => vec![int(buffer.counters.len())],
            ACTIVE_VARIABLES => buffer.counters.iter().map(|&c| int(c)).collect(),
            _ => vec![referenced(buffer.stages, property)?],
        })
    }
}

/// A value of GL, which has signed integers.
fn int(value: impl TryInto<i32>) -> i32 {
    value.try_into().unwrap_or(i32::MAX)
}

fn is_nameless(interface: u32) -> bool {
    matches!(interface, ATOMIC_COUNTER_BUFFER | TRANSFORM_FEEDBACK_BUFFER)
}

fn has_variables(interface: u32) -> bool {
    matches!(interface, UNIFORM_BLOCK | SHADER_STORAGE_BLOCK) || is_nameless(interface)
}

fn is_subroutine_uniform(interface: u32) -> bool {
    (VERTEX_SUBROUTINE_UNIFORM..=COMPUTE_SUBROUTINE_UNIFORM).contains(&interface)
}

fn is_property(property: u32) -> bool {
    let others = [
        IS_PER_PATCH,
        NUM_COMPATIBLE_SUBROUTINES,
        COMPATIBLE_SUBROUTINES,
        LOCATION_COMPONENT,
        TRANSFORM_FEEDBACK_BUFFER_INDEX,
        TRANSFORM_FEEDBACK_BUFFER_STRIDE,
    ];
    (NAME_LENGTH..=LOCATION_INDEX).contains(&property) || others.contains(&property)
}

fn name<'p>(resource: &Resource<'p>) -> Option<&'p str> {
    match resource {
        Resource::Uniform(u) | Resource::BufferVariable(u) => Some(&u.name),
        Resource::Block(b) => Some(&b.name),
        Resource::Io(io, _) => Some(&io.name),
        Resource::Subroutine(name) => Some(name),
        Resource::SubroutineUniform(s) => Some(&s.name),
        Resource::Varying(Varying::Output(v)) => Some(&v.name),
        Resource::Varying(Varying::Special(name, _)) => Some(name),
        Resource::AtomicBuffer(_) | Resource::XfbBuffer(_) => None,
    }
}

/// The array size of `gl_NextBuffer` and `gl_SkipComponentsN`.
fn special(name: &str) -> Option<i32> {
    match name {
        "gl_NextBuffer" => Some(0),
        _ => name.strip_prefix("gl_SkipComponents")?.parse().ok().filter(|n| (1..=4).contains(n)),
    }
}

/// The array and the index of `name[n]`.
fn element_of(name: &str) -> Option<(&str, u32)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let is_number = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
    // No leading zeros (OpenGL 4.6 section 7.3.1).
    (is_number && (index == "0" || !index.starts_with('0'))).then_some(())?;
    Some((base, index.parse().ok()?))
}

/// Columns of a type: an element of an array of inputs or outputs takes as many locations.
fn columns(ty: u32) -> u32 {
    match ty {
        0x8B5A | 0x8B65 | 0x8B66 | 0x8F46 | 0x8F49 | 0x8F4A => 2,
        0x8B5B | 0x8B67 | 0x8B68 | 0x8F47 | 0x8F4B | 0x8F4C => 3,
        0x8B5C | 0x8B69 | 0x8B6A | 0x8F48 | 0x8F4D | 0x8F4E => 4,
        _ => 1,
    }
}

fn referenced(stages: u32, property: u32) -> Option<i32> {
    let n = property.checked_sub(REFERENCED_BY_VERTEX_SHADER)?;
    STAGE_BITS.get(n as usize).map(|bit| i32::from(stages & bit != 0))
}

fn uniform(u: &UniformInfo, property: u32) -> Option<Vec<i32>> {
    let in_memory = u.block.is_some() || u.atomic_buffer.is_some();
    let if_in_memory = |value: u32| if in_memory { int(value) } else { -1 };
    Some(vec![match property {
        TYPE => int(u.ty),
        ARRAY_SIZE => int(u.array_size),
        OFFSET => if_in_memory(u.offset.unwrap_or(0)),
        BLOCK_INDEX => u.block.map_or(-1, int),
        ARRAY_STRIDE => if_in_memory(u.array_stride),
        MATRIX_STRIDE => if_in_memory(u.matrix_stride),
        IS_ROW_MAJOR => i32::from(in_memory && u.row_major),
        ATOMIC_COUNTER_BUFFER_INDEX => u.atomic_buffer.map_or(-1, int),
        LOCATION => u.location.map_or(-1, int),
        _ => referenced(u.stages, property)?,
    }])
}

fn buffer_variable(v: &UniformInfo, property: u32) -> Option<Vec<i32>> {
    Some(vec![match property {
        TYPE => int(v.ty),
        ARRAY_SIZE => int(v.array_size),
        OFFSET => v.offset.map_or(-1, int),
        BLOCK_INDEX => v.block.map_or(-1, int),
        ARRAY_STRIDE => int(v.array_stride),
        MATRIX_STRIDE => int(v.matrix_stride),
        IS_ROW_MAJOR => i32::from(v.row_major),
        TOP_LEVEL_ARRAY_SIZE => int(v.top_level_array_size),
        TOP_LEVEL_ARRAY_STRIDE => int(v.top_level_array_stride),
        _ => referenced(v.stages, property)?,
    }])
}

fn block(b: &BlockInfo, property: u32) -> Option<Vec<i32>> {
    Some(match property {
        BUFFER_BINDING => vec![int(b.initial_binding())],
        BUFFER_DATA_SIZE => vec![int(b.size)],
        NUM_ACTIVE_VARIABLES => vec![int(b.variables.len())],
        ACTIVE_VARIABLES => b.variables.iter().map(|&v| int(v)).collect(),
        _ => vec![referenced(b.stages, property)?],
    })
}

fn io_value(io: &IoInfo, is_output: bool, property: u32) -> Option<Vec<i32>> {
    Some(vec![match property {
        TYPE => int(io.ty),
        ARRAY_SIZE => int(io.array_size),
        LOCATION => io.location.map_or(-1, int),
        LOCATION_INDEX if is_output => {
            io.location.filter(|_| io.stages == FRAGMENT_BIT).map_or(-1, |_| int(io.index))
        }
        LOCATION_COMPONENT => int(io.component),
        IS_PER_PATCH => i32::from(io.per_patch),
        _ => referenced(io.stages, property)?,
    }])
}

fn subroutine_uniform(s: &SubroutineUniformInfo, property: u32) -> Option<Vec<i32>> {
    Some(match property {
        ARRAY_SIZE => vec![int(s.array_size)],
        LOCATION => vec![int(s.location)],
        NUM_COMPATIBLE_SUBROUTINES => vec![int(s.compatible.len())],
        COMPATIBLE_SUBROUTINES => s.compatible.iter().map(|&c| int(c)).collect(),
        _ => return None,
    })
}
