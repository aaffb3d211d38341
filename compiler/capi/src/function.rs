//! Functions: the code of one stage for a state.

use crate::call::{call, read};
use crate::handle::{Handle, Head, create, get, release, retain};
use crate::memory::{Bytes, Callbacks};
use crate::sized::{self, Versioned};
use crate::types::*;
use airfoil_gl::{Function, FunctionReflection};

/// A Metal function in a library of its own.
#[derive(Debug)]
pub struct AfFunction {
    head: Head,
    metallib: Bytes,
    name: Text,
    arguments: Arguments,
}

impl Handle for AfFunction {
    fn head(&self) -> &Head {
        &self.head
    }
}

impl AfFunction {
    pub(crate) fn create(function: &Function, callbacks: Callbacks) -> Result<*mut AfFunction, AfResult> {
        create(AfFunction {
            head: Head::new(callbacks),
            metallib: Bytes::new(&function.metallib, callbacks)?,
            name: Text::from(&*function.name),
            arguments: Arguments::of(&function.reflection),
        })
    }
}

/// Kind of an argument.
pub type AfArgumentKind = u32;
/// Uniform block.
pub const AF_ARGUMENT_UNIFORM_BUFFER: AfArgumentKind = 0;
/// Storage block.
pub const AF_ARGUMENT_STORAGE_BUFFER: AfArgumentKind = 1;
/// Push constants.
pub const AF_ARGUMENT_PUSH_CONSTANTS: AfArgumentKind = 2;
/// Default uniform block.
pub const AF_ARGUMENT_DEFAULT_UNIFORMS: AfArgumentKind = 3;
/// Sizes of the storage buffers in bytes as 32-bit numbers, by Metal buffer index.
pub const AF_ARGUMENT_BUFFER_SIZES: AfArgumentKind = 4;
/// Sampled texture.
pub const AF_ARGUMENT_TEXTURE: AfArgumentKind = 5;
/// Storage image.
pub const AF_ARGUMENT_IMAGE: AfArgumentKind = 6;
/// Sampler.
pub const AF_ARGUMENT_SAMPLER: AfArgumentKind = 7;
/// Argument buffer.
pub const AF_ARGUMENT_ARGUMENT_BUFFER: AfArgumentKind = 8;

/// No number: `set`, `binding` and `argument_buffer` of an argument that lacks it.
pub const AF_NONE: u32 = 0xffff_ffff;

/// The set of the blocks that the driver fills itself.
pub const AF_DRIVER_SET: u32 = 0xffff;

/// A resource that a function uses, and its Metal index.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfArgument {
    /// sizeof(AfArgument).
    pub size: u32,
    /// Kind.
    pub kind: AfArgumentKind,
    /// Descriptor set, or AF_NONE. AF_DRIVER_SET is that of blocks of the driver.
    pub set: u32,
    /// Binding in the source, or AF_NONE.
    pub binding: u32,
    /// First Metal index among buffers, textures or samplers; first id in an argument buffer.
    pub index: u32,
    /// Elements of an array; 1 for anything else, 0 for an unknown number.
    pub count: u32,
    /// Indices from one element to the next.
    pub step: u32,
    /// Buffer index of the argument buffer that it is in, or AF_NONE.
    pub argument_buffer: u32,
    /// Bytes of a block or argument buffer; 0 for textures and samplers.
    pub bytes: u32,
    /// 1 if the function writes it.
    pub written: u32,
    /// Name in the source.
    pub name: AfText,
    /// Metal type of the contents or of the texture.
    pub type_name: AfText,
    /// Index of the first element's size in the buffer of sizes (AF_ARGUMENT_BUFFER_SIZES), for storage buffers that have one, or
    /// AF_NONE.
    pub size_slot: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, with integers and pointers.
unsafe impl Versioned for AfArgument {
    const FIRST: usize = std::mem::offset_of!(AfArgument, size_slot);
}

/// The arguments of a function, with text for C.
#[derive(Debug)]
pub(crate) struct Arguments(Vec<(AfArgument, Text, Text)>);

// SAFETY: the pointers in the structures are empty texts until `get` sets them.
unsafe impl Send for Arguments {}
// SAFETY: as above.
unsafe impl Sync for Arguments {}

impl Arguments {
    pub fn of(reflection: &FunctionReflection) -> Arguments {
        let argument = |a: &airfoil::air::select::Argument| {
            let argument = AfArgument {
                size: size_of::<AfArgument>() as u32,
                kind: kind(a.kind),
                set: a.set.unwrap_or(AF_NONE),
                binding: a.binding.unwrap_or(AF_NONE),
                index: a.index,
                count: a.count.unwrap_or(0),
                step: a.step,
                argument_buffer: a.argument_buffer.unwrap_or(AF_NONE),
                bytes: a.size,
                written: a.written.into(),
                name: AfText::empty(),
                type_name: AfText::empty(),
                size_slot: a.size_slot.unwrap_or(AF_NONE),
                reserved: 0,
            };
            (argument, Text::from(&*a.name), Text::from(&*a.type_name))
        };
        Arguments(reflection.arguments.iter().map(argument).collect())
    }

    pub fn count(&self) -> u32 {
        self.0.len() as u32
    }

    /// Writes an argument.
    ///
    /// # Safety
    /// The pointer is NULL or of a structure that begins with its size and can be written.
    pub unsafe fn get(&self, index: u32, to: *mut AfArgument) -> Result<(), AfResult> {
        let (argument, name, ty) = self.0.get(index as usize).ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)?;
        let argument = AfArgument { name: name.get(), type_name: ty.get(), ..*argument };
        // SAFETY: the caller's contract.
        unsafe { sized::write(to, &argument) }
    }
}

fn kind(kind: airfoil::air::select::ArgumentKind) -> AfArgumentKind {
    use airfoil::air::select::ArgumentKind::*;
    match kind {
        UniformBuffer => AF_ARGUMENT_UNIFORM_BUFFER,
        StorageBuffer => AF_ARGUMENT_STORAGE_BUFFER,
        PushConstants => AF_ARGUMENT_PUSH_CONSTANTS,
        DefaultUniforms => AF_ARGUMENT_DEFAULT_UNIFORMS,
        BufferSizes => AF_ARGUMENT_BUFFER_SIZES,
        Texture => AF_ARGUMENT_TEXTURE,
        Image => AF_ARGUMENT_IMAGE,
        Sampler => AF_ARGUMENT_SAMPLER,
        ArgumentBuffer => AF_ARGUMENT_ARGUMENT_BUFFER,
    }
}

/// The library, for newLibraryWithData:. The bytes live as long as the function.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_function_metallib(function: *const AfFunction) -> AfBytes {
    // SAFETY: the caller has a count, or passes NULL.
    read(AfBytes::of(b""), || Some(AfBytes::of(unsafe { get(function) }.ok()?.metallib.get())))
}

/// The name, for newFunctionWithName:.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_function_name(function: *const AfFunction) -> AfText {
    // SAFETY: the caller has a count, or passes NULL.
    read(AfText::empty(), || Some(unsafe { get(function) }.ok()?.name.get()))
}

/// Number of arguments.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_function_argument_count(function: *const AfFunction) -> u32 {
    // SAFETY: the caller has a count, or passes NULL.
    read(0, || Some(unsafe { get(function) }.ok()?.arguments.count()))
}

/// An argument. The text in it lives as long as the function.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_function_argument(
    function: *const AfFunction,
    index: u32,
    argument: *mut AfArgument,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes a structure that begins with its size.
        unsafe { get(function)?.arguments.get(index, argument) }
    })
}

/// Adds 1 to the count of a function and returns the function.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_function_retain(function: *mut AfFunction) -> *mut AfFunction {
    // SAFETY: the caller has a count.
    unsafe { retain(function) }
}

/// Subtracts 1 from the count of a function.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_function_release(function: *mut AfFunction) {
    let _ = call(Callbacks::NONE, || {
        // SAFETY: the caller has a count.
        unsafe { release(function) };
        Ok(())
    });
}
