//! Whole compiles: GLSL or SPIR-V to a library, or to text and SPIR-V for tools.

use crate::blob::{AfBlob, blob, give_error};
use crate::budget::{AfBudget, budget};
use crate::call::{result_of, with_stack};
use crate::device::AfDevice;
use crate::input::{array, text, text_of};
use crate::make::make;
use crate::shader::stage_of;
use crate::sized::{self, Versioned};
use crate::translate::{Input, Kind, translate};
use crate::types::*;
use airfoil::glsl::Source;
use std::ffi::c_char;

/// The output of a compile.
pub type AfOutput = u32;
/// A Metal library.
pub const AF_OUTPUT_METALLIB: AfOutput = 0;
/// LLVM assembly of the functions, one after the other.
pub const AF_OUTPUT_LL: AfOutput = 1;
/// A SPIR-V module; the input has one stage.
pub const AF_OUTPUT_SPIRV: AfOutput = 2;
/// The text form of the IR before optimization.
pub const AF_OUTPUT_FOIL: AfOutput = 3;

/// GLSL of a stage.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfSource {
    /// Name in messages; NULL: none.
    pub name: *const c_char,
    /// The text.
    pub text: *const c_char,
    /// Its bytes; negative: it ends in a NUL.
    pub length: i32,
    /// Stage.
    pub stage: AfStage,
}

/// A compile: GLSL sources or a SPIR-V module.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfCompileInfo {
    /// sizeof(AfCompileInfo).
    pub size: u32,
    /// The output.
    pub output: AfOutput,
    /// The stages of a program in GLSL.
    pub sources: *const AfSource,
    /// Number of sources; 0: the module is compiled.
    pub source_count: u32,
    /// 1: GLSL for Vulkan.
    pub vulkan: u32,
    /// A SPIR-V module.
    pub words: *const u32,
    /// Its words.
    pub word_count: usize,
    /// Entry point of the module; NULL: the only one.
    pub entry: *const c_char,
}

// SAFETY: `repr(C)`, with integers and pointers.
unsafe impl Versioned for AfCompileInfo {
    const FIRST: usize = size_of::<Self>();
}

/// Compiles a program in GLSL, or an entry point of a SPIR-V module, for no particular state. `bounds` and `error`, which gets a
/// message, may be NULL.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_compile(
    device: *const AfDevice,
    info: *const AfCompileInfo,
    bounds: *const AfBudget,
    output: *mut *mut AfBlob,
    error: *mut *mut AfBlob,
) -> AfResult {
    let work = |device: &AfDevice| {
        let callbacks = device.callbacks();
        // SAFETY: the caller passes structures that begin with their size, and NULL for no bounds.
        let (info, bounds) = unsafe { (sized::read(info)?, budget(bounds)?) };
        // SAFETY: the caller passes so many sources.
        let given = unsafe { array(info.sources, info.source_count as usize) }?;
        let mut texts = Vec::with_capacity(given.len());
        for source in given {
            // SAFETY: the text has its length or ends in a NUL; the name is NULL or ends in a NUL.
            let (bytes, name) = unsafe { (text_of(source.text, source.length)?, text(source.name)?) };
            texts.push((name.unwrap_or_default(), stage_of(source.stage)?, String::from_utf8_lossy(bytes)));
        }
        let sources: Vec<Source<'_>> =
            texts.iter().map(|(name, stage, text)| Source { name, stage: *stage, text }).collect();
        // SAFETY: the caller passes so many words, and text that ends in a NUL, or NULL.
        let (words, entry) = unsafe { (array(info.words, info.word_count)?, text(info.entry)?) };
        if sources.is_empty() == words.is_empty() {
            return Err(AfResult::AF_ERROR_INVALID_ARGUMENT);
        }
        let input = match words.is_empty() {
            true => Input::Glsl { sources: &sources, vulkan: info.vulkan != 0 },
            false => Input::Spirv { words, entry },
        };
        let to = match info.output {
            AF_OUTPUT_METALLIB => Kind::Metallib,
            AF_OUTPUT_LL => Kind::Ll,
            AF_OUTPUT_SPIRV => Kind::Spirv,
            AF_OUTPUT_FOIL => Kind::Foil,
            _ => return Err(AfResult::AF_ERROR_INVALID_ARGUMENT),
        };
        match with_stack(|| translate(&device.device, &input, to, &bounds))? {
            Ok(bytes) => blob(&bytes, callbacks),
            Err(errors) => {
                // SAFETY: as above.
                unsafe { give_error(error, &errors.to_string(), callbacks) }?;
                Err(result_of(errors.iter()))
            }
        }
    };
    // SAFETY: the caller has a count, or passes NULL, and passes a pointer to write to, or NULL.
    unsafe { make(device, output, work) }
}
