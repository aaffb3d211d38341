//! Shader objects.

use crate::budget::{AfBudget, budget};
use crate::call::{call, exceeds, read, with_stack};
use crate::device::AfDevice;
use crate::handle::{Handle, Head, create, get, release, retain};
use crate::input::{array, text, text_of};
use crate::make::make;
use crate::memory::Callbacks;
use crate::sized::{self, Versioned};
use crate::types::*;
use airfoil_gl::{Device, ShaderObject, Specialization, Stage};
use std::ffi::c_char;

/// A shader object: GLSL that was compiled, a SPIR-V module that was specialized, or an assembly program, with or without errors.
#[derive(Debug)]
pub struct AfShader {
    head: Head,
    pub(crate) object: ShaderObject,
    log: Text,
    /// Names of the parameters of an assembly program or of fixed functions.
    pub(crate) parameter_names: Vec<Text>,
}

impl Handle for AfShader {
    fn head(&self) -> &Head {
        &self.head
    }
}

/// The stages by their constants.
pub(crate) const STAGES: [Stage; 6] =
    [Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Fragment, Stage::Compute];

pub(crate) fn stage_of(stage: AfStage) -> Result<Stage, AfResult> {
    STAGES.get(stage as usize).copied().ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)
}

/// Bit `1 << constant` of a stage.
pub(crate) fn stage_bit(stage: Stage) -> u32 {
    STAGES.iter().position(|&s| s == stage).map_or(0, |n| 1 << n)
}

/// Compiles GLSL (glCompileShader). The strings are read as one text; `lengths` is NULL, or has the length of each string,
/// negative for those that end in a NUL. `name` identifies the object in logs; NULL: "0". A shader with errors is a shader,
/// too: af_shader_status and af_shader_log describe it.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_compile(
    device: *const AfDevice,
    stage: AfStage,
    name: *const c_char,
    count: u32,
    strings: *const *const c_char,
    lengths: *const i32,
    bounds: *const AfBudget,
    shader: *mut *mut AfShader,
) -> AfResult {
    let make_object = |device: &Device| {
        let stage = stage_of(stage)?;
        // SAFETY: the caller passes text that ends in a NUL, or NULL.
        let name = unsafe { text(name) }?.unwrap_or_default();
        // SAFETY: the caller passes so many strings.
        let strings = unsafe { array(strings, count as usize) }?;
        let lengths = match lengths.is_null() {
            true => None,
            // SAFETY: the caller passes as many lengths, or NULL.
            false => Some(unsafe { array(lengths, count as usize) }?),
        };
        let length = |n: usize| lengths.map_or(-1, |l| l[n]);
        // SAFETY: each string has its length, or ends in a NUL.
        let texts = strings.iter().enumerate().map(|(n, &s)| unsafe { text_of(s, length(n)) });
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        // Bytes that are not UTF-8 are legal in comments.
        let texts: Vec<_> = texts.into_iter().map(String::from_utf8_lossy).collect();
        let texts: Vec<&str> = texts.iter().map(|t| &**t).collect();
        // SAFETY: the caller passes a structure that begins with its size, or NULL.
        let bounds = unsafe { budget(bounds) }?;
        with_stack(|| device.compile_within(name, stage, &texts, &bounds))
    };
    // SAFETY: the caller has a count of the device, and passes a pointer to write to, or NULL.
    unsafe { make_shader(device, shader, make_object) }
}

/// A specialization: an entry point of a SPIR-V module with values of its specialization constants.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfSpecializeInfo {
    /// sizeof(AfSpecializeInfo).
    pub size: u32,
    /// Stage.
    pub stage: AfStage,
    /// Name of the object in logs; NULL: "0".
    pub name: *const c_char,
    /// The module.
    pub words: *const u32,
    /// Its words.
    pub word_count: usize,
    /// Name of the entry point.
    pub entry: *const c_char,
    /// IDs of the constants to set.
    pub constant_ids: *const u32,
    /// Bits of their values.
    pub constant_values: *const u32,
    /// Number of constants to set.
    pub constant_count: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, with integers and pointers.
unsafe impl Versioned for AfSpecializeInfo {
    const FIRST: usize = size_of::<Self>();
}

/// Specializes a SPIR-V module (glShaderBinary and glSpecializeShader). A module that is wrong or unsupported gives a shader, too:
/// af_shader_status and af_shader_log describe it. An entry point or constant that does not exist is AF_ERROR_GL_VALUE. `bounds` may
/// be NULL.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_specialize(
    device: *const AfDevice,
    info: *const AfSpecializeInfo,
    bounds: *const AfBudget,
    shader: *mut *mut AfShader,
) -> AfResult {
    let make_object = |device: &Device| {
        // SAFETY: the caller passes structures that begin with their size, and NULL for no bounds.
        let (info, bounds) = unsafe { (sized::read(info)?, budget(bounds)?) };
        let stage = stage_of(info.stage)?;
        // SAFETY: the caller passes texts that end in a NUL, or NULL.
        let (name, entry) = unsafe { (text(info.name)?.unwrap_or_default(), text(info.entry)?) };
        let entry = entry.ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)?;
        let count = info.constant_count as usize;
        // SAFETY: the caller passes so many words, IDs and values.
        let (words, ids, values) = unsafe {
            (
                array(info.words, info.word_count)?,
                array(info.constant_ids, count)?,
                array(info.constant_values, count)?,
            )
        };
        let constants: Vec<(u32, u32)> = ids.iter().copied().zip(values.iter().copied()).collect();
        let of = Specialization { words, entry, constants: &constants };
        let specialize = || device.specialize_within(name, stage, &of, &bounds);
        with_stack(specialize)?.map_err(|_| AfResult::AF_ERROR_GL_VALUE)
    };
    // SAFETY: the caller has a count of the device, and passes a pointer to write to, or NULL.
    unsafe { make_shader(device, shader, make_object) }
}

/// The call that makes a shader of a device.
///
/// # Safety
/// The caller has a count of the device or passes NULL, and passes a pointer to write to or NULL.
pub(crate) unsafe fn make_shader(
    device: *const AfDevice,
    shader: *mut *mut AfShader,
    make_object: impl FnOnce(&Device) -> Result<ShaderObject, AfResult>,
) -> AfResult {
    let work = |device: &AfDevice| {
        let object = make_object(&device.device)?;
        if exceeds(object.log().diagnostics()) {
            return Err(AfResult::AF_ERROR_BUDGET);
        }
        let log = Text::from(&*object.log().to_string());
        let parameter_names = object.parameters().iter().map(|p| Text::from(&*p.to_string())).collect();
        create(AfShader { head: Head::new(device.callbacks()), object, log, parameter_names })
    };
    // SAFETY: the caller's contract.
    unsafe { make(device, shader, work) }
}

/// 1 if the shader is a SPIR-V module (GL_SPIR_V_BINARY), 0 otherwise.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_is_spirv(shader: *const AfShader) -> u32 {
    // SAFETY: the caller has a count, or passes NULL.
    read(0, || Some(unsafe { get(shader) }.ok()?.object.is_spirv().into()))
}

/// 1 if the shader compiled (GL_COMPILE_STATUS), 0 if it has errors.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_status(shader: *const AfShader) -> u32 {
    // SAFETY: the caller has a count, or passes NULL.
    read(0, || Some(unsafe { get(shader) }.ok()?.object.status().into()))
}

/// The errors and warnings (GL_INFO_LOG), one per line.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_log(shader: *const AfShader) -> AfText {
    // SAFETY: the caller has a count, or passes NULL.
    read(AfText::empty(), || Some(unsafe { get(shader) }.ok()?.log.get()))
}

/// Adds 1 to the count of a shader and returns the shader.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_retain(shader: *mut AfShader) -> *mut AfShader {
    // SAFETY: the caller has a count.
    unsafe { retain(shader) }
}

/// Subtracts 1 from the count of a shader.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_release(shader: *mut AfShader) {
    let _ = call(Callbacks::NONE, || {
        // SAFETY: the caller has a count.
        unsafe { release(shader) };
        Ok(())
    });
}
