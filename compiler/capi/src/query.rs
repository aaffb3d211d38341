//! Program-interface queries, with the constants of OpenGL.

use crate::call::call;
use crate::handle::get;
use crate::input::{text, write};
use crate::memory::Callbacks;
use crate::program::AfProgram;
use crate::sized::{self, Versioned};
use crate::types::*;
use airfoil_gl::{Program, QueryError};
use std::ffi::c_char;

impl From<QueryError> for AfResult {
    fn from(error: QueryError) -> AfResult {
        match error {
            QueryError::InvalidEnum => AfResult::AF_ERROR_GL_ENUM,
            QueryError::InvalidValue => AfResult::AF_ERROR_GL_VALUE,
            _ => AfResult::AF_ERROR_GL_OPERATION,
        }
    }
}

/// Names of resources with their NUL, by interface and index.
pub(crate) type Names = std::collections::HashMap<(u32, u32), Text>;

/// All names of a program.
fn names(program: &Program) -> Names {
    use airfoil_gl::query::enums::*;
    let mut names = Names::new();
    for interface in (UNIFORM..=TRANSFORM_FEEDBACK_VARYING).chain([TRANSFORM_FEEDBACK_BUFFER]) {
        let count = program.interface(interface, ACTIVE_RESOURCES).unwrap_or(0);
        for n in 0..count.unsigned_abs() {
            if let Ok(name) = program.resource_name(interface, n) {
                names.insert((interface, n), Text::from(name));
            }
        }
    }
    names
}

/// A property of an interface (glGetProgramInterfaceiv): GL_ACTIVE_RESOURCES and so on.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_interface(
    program: *const AfProgram,
    interface: u32,
    property: u32,
    value: *mut i32,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes a pointer to write to.
        unsafe { write(value, get(program)?.linked()?.interface(interface, property)?) }
    })
}

/// The name of a resource (glGetProgramResourceName), which lives as long as the program.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_resource_name(
    program: *const AfProgram,
    interface: u32,
    index: u32,
    name: *mut AfText,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count, or passes NULL.
        let program = unsafe { get(program) }?;
        let linked = program.linked()?;
        linked.resource_name(interface, index)?;
        let text = program.names().get_or_init(|| names(linked)).get(&(interface, index));
        // SAFETY: the caller passes a pointer to write to.
        unsafe { write(name, text.ok_or(AfResult::AF_ERROR_GL_VALUE)?.get()) }
    })
}

/// The index of the resource with a name (glGetProgramResourceIndex); AF_NONE, which is GL_INVALID_INDEX, if there is none.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_resource_index(
    program: *const AfProgram,
    interface: u32,
    name: *const c_char,
    index: *mut u32,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes text that ends in a NUL.
        let (program, name) = unsafe { (get(program)?.linked()?, text(name)?) };
        let name = name.ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)?;
        let found = program.resource_index(interface, name)?;
        // SAFETY: the caller passes a pointer to write to.
        unsafe { write(index, found.unwrap_or(u32::MAX)) }
    })
}

/// The location of a variable or an element of an array (glGetProgramResourceLocation), or -1.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_resource_location(
    program: *const AfProgram,
    interface: u32,
    name: *const c_char,
    location: *mut i32,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes text that ends in a NUL.
        let (program, name) = unsafe { (get(program)?.linked()?, text(name)?) };
        let name = name.ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)?;
        let found = program.resource_location(interface, name)?;
        // SAFETY: the caller passes a pointer to write to.
        unsafe { write(location, found.map_or(-1, |l| i32::try_from(l).unwrap_or(-1))) }
    })
}

/// Properties of a resource (glGetProgramResourceiv). Writes up to `capacity` values, and to `length`, which may be NULL, how many
/// there are; AF_INCOMPLETE if there are more than `capacity`.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_resource(
    program: *const AfProgram,
    interface: u32,
    index: u32,
    property_count: u32,
    properties: *const u32,
    capacity: u32,
    values: *mut i32,
    length: *mut u32,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes so many properties.
        let (program, properties) =
            unsafe { (get(program)?.linked()?, crate::input::array(properties, property_count as usize)?) };
        let mut found = Vec::new();
        for &property in properties {
            found.extend(program.resource(interface, index, property)?);
        }
        for (n, &value) in found.iter().take(capacity as usize).enumerate() {
            // SAFETY: the caller passes room for `capacity` values, or NULL.
            unsafe { write(if values.is_null() { values } else { values.add(n) }, value) }?;
        }
        if !length.is_null() {
            // SAFETY: the caller passes a pointer to write to.
            unsafe { write(length, found.len() as u32) }?;
        }
        if found.len() > capacity as usize { Err(AfResult::AF_INCOMPLETE) } else { Ok(()) }
    })
}

/// Location and initial value of a uniform after linking.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfUniform {
    /// sizeof(AfUniform).
    pub size: u32,
    /// Binding of the shaders, which arguments have: a texture or image. AF_NONE for others.
    pub binding: u32,
    /// 1 if the source declares the binding; if not, the texture unit is 0 until the application sets it.
    pub explicit_binding: u32,
    /// Element of the array of textures or images that it begins at.
    pub element: u32,
    /// Bytes from the start of the block, or of the buffer of the default uniform block; AF_NONE for others.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub array_stride: u32,
    /// Bytes from one column or row to the next.
    pub matrix_stride: u32,
    /// 1: a built-in uniform, whose value the driver supplies.
    pub builtin: u32,
    /// Number of scalars of the initial value; 0: all bits are zero.
    pub initial_count: u32,
    /// Zero.
    pub reserved: u32,
    /// The bits of each scalar of the initial value. They live as long as the program.
    pub initial: *const u64,
}

// SAFETY: `repr(C)`, with integers and pointers.
unsafe impl Versioned for AfUniform {
    const FIRST: usize = size_of::<Self>();
}

/// Facts about resource `index` of GL_UNIFORM that queries of OpenGL do not return, but a driver needs.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_uniform(
    program: *const AfProgram,
    index: u32,
    uniform: *mut AfUniform,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count, or passes NULL.
        let program = unsafe { get(program) }?.linked()?;
        let u = program.reflection().uniforms.get(index as usize).ok_or(AfResult::AF_ERROR_GL_VALUE)?;
        let found = AfUniform {
            size: size_of::<AfUniform>() as u32,
            binding: u.binding.unwrap_or(u32::MAX),
            explicit_binding: u.explicit_binding.into(),
            element: u.element,
            offset: u.offset.unwrap_or(u32::MAX),
            array_stride: u.array_stride,
            matrix_stride: u.matrix_stride,
            builtin: u.builtin.into(),
            initial_count: u.initial.len() as u32,
            reserved: 0,
            initial: u.initial.as_ptr(),
        };
        // SAFETY: the caller passes a structure that begins with its size.
        unsafe { sized::write(uniform, &found) }
    })
}

/// The buffer of the uniforms outside of blocks: its binding, which an argument has, and its bytes. Both are 0 if there is none.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_default_block(
    program: *const AfProgram,
    binding: *mut u32,
    bytes: *mut u32,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count, or passes NULL.
        let program = unsafe { get(program) }?.linked()?;
        let (at, size) = program.reflection().default_block.unwrap_or((0, 0));
        // SAFETY: the caller passes pointers to write to.
        unsafe { write(binding, at).and(write(bytes, size)) }
    })
}
