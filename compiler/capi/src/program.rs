//! Programs: linked shaders, and functions of them.

use crate::blob::{AfBlob, blob, give_error};
use crate::budget::{AfBudget, budget};
use crate::call::{call, exceeds, read, result_of, with_stack};
use crate::device::AfDevice;
use crate::function::{AfArgument, AfFunction, Arguments};
use crate::handle::{Handle, Head, create, get, release, retain};
use crate::input::{array, text, write};
use crate::make::make;
use crate::memory::Callbacks;
use crate::shader::{AfShader, stage_bit, stage_of};
use crate::sized::{self, Versioned};
use crate::state::{AfStateKey, key_of};
use crate::types::*;
use airfoil_gl::{LinkOptions, Log, Program, ShaderObject, TransformFeedback, XfbMode};
use std::ffi::{c_char, c_void};
use std::sync::{Arc, OnceLock};

/// A program: the result of a link, with or without errors.
#[derive(Debug)]
pub struct AfProgram {
    head: Head,
    program: Option<Arc<Program>>,
    log: Text,
    /// The arguments of the functions for the default state, by constant of the stage.
    arguments: OnceLock<Vec<Option<Arguments>>>,
    names: OnceLock<crate::query::Names>,
}

impl Handle for AfProgram {
    fn head(&self) -> &Head {
        &self.head
    }
}

impl AfProgram {
    pub(crate) fn create(
        program: Result<Arc<Program>, Log>,
        callbacks: Callbacks,
    ) -> Result<*mut AfProgram, AfResult> {
        let (program, log) = match program {
            Ok(program) => (Some(program.clone()), program.log().to_string()),
            Err(log) => (None, log.to_string()),
        };
        let log = Text::from(&*log);
        let (arguments, names) = (OnceLock::new(), OnceLock::new());
        create(AfProgram { head: Head::new(callbacks), program, log, arguments, names })
    }

    /// The linked program; without one there is nothing to ask.
    pub(crate) fn linked(&self) -> Result<&Arc<Program>, AfResult> {
        self.program.as_ref().ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)
    }

    pub(crate) fn names(&self) -> &OnceLock<crate::query::Names> {
        &self.names
    }

    fn arguments(&self, stage: AfStage) -> Result<Option<&Arguments>, AfResult> {
        let program = self.linked()?;
        let all = || (0..6).map(|n| Some(Arguments::of(program.arguments(stage_of(n).ok()?)?))).collect();
        stage_of(stage)?;
        Ok(self.arguments.get_or_init(all)[stage as usize].as_ref())
    }
}

/// The binding of a name.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfBinding {
    /// Name of an attribute or fragment output.
    pub name: *const c_char,
    /// Location.
    pub location: u32,
    /// Blend source of a fragment output.
    pub index: u32,
}

/// State of a program object that linking depends on.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfLinkInfo {
    /// sizeof(AfLinkInfo).
    pub size: u32,
    /// 1: GL_PROGRAM_SEPARABLE.
    pub separable: u32,
    /// Locations of attributes (glBindAttribLocation).
    pub attributes: *const AfBinding,
    /// Locations of fragment outputs (glBindFragDataLocationIndexed).
    pub outputs: *const AfBinding,
    /// Number of attributes.
    pub attribute_count: u32,
    /// Number of outputs.
    pub output_count: u32,
    /// Captures (glTransformFeedbackVaryings).
    pub varyings: *const *const c_char,
    /// Number of captures.
    pub varying_count: u32,
    /// 1: GL_SEPARATE_ATTRIBS.
    pub separate_varyings: u32,
}

// SAFETY: `repr(C)`, with integers and pointers.
unsafe impl Versioned for AfLinkInfo {
    const FIRST: usize = size_of::<Self>();
}

/// The options of a link.
///
/// # Safety
/// The pointer is NULL or of a structure that begins with its size.
unsafe fn link_options(info: *const AfLinkInfo) -> Result<LinkOptions, AfResult> {
    const INVALID: AfResult = AfResult::AF_ERROR_INVALID_ARGUMENT;
    if info.is_null() {
        return Ok(LinkOptions::default());
    }
    // SAFETY: the caller's contract.
    let info = unsafe { sized::read(info) }?;
    // SAFETY: the header requires text that ends in a NUL.
    let name = |name| unsafe { text(name) }?.map(str::to_owned).ok_or(INVALID);
    // SAFETY: the header requires so many elements.
    let attributes = unsafe { array(info.attributes, info.attribute_count as usize) }?;
    // SAFETY: as above.
    let outputs = unsafe { array(info.outputs, info.output_count as usize) }?;
    // SAFETY: as above.
    let varyings = unsafe { array(info.varyings, info.varying_count as usize) }?;
    Ok(LinkOptions {
        separable: info.separable != 0,
        attribute_bindings: attributes
            .iter()
            .map(|b| Ok((name(b.name)?, b.location)))
            .collect::<Result<_, AfResult>>()?,
        frag_data_bindings: outputs
            .iter()
            .map(|b| Ok((name(b.name)?, b.location, b.index)))
            .collect::<Result<_, AfResult>>()?,
        transform_feedback: TransformFeedback {
            varyings: varyings.iter().map(|&v| name(v)).collect::<Result<_, AfResult>>()?,
            mode: if info.separate_varyings != 0 { XfbMode::Separate } else { XfbMode::Interleaved },
        },
    })
}

/// Links shaders (glLinkProgram). `info` and `bounds` may be NULL. A program with errors is a program, too: af_program_status
/// and af_program_log describe it.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_link(
    device: *const AfDevice,
    count: u32,
    shaders: *const *const AfShader,
    info: *const AfLinkInfo,
    bounds: *const AfBudget,
    program: *mut *mut AfProgram,
) -> AfResult {
    let work = |device: &AfDevice| {
        // SAFETY: the caller passes so many shaders.
        let shaders = unsafe { array(shaders, count as usize) }?;
        // SAFETY: the caller has a count of each.
        let objects = shaders.iter().map(|&s| Ok(unsafe { get(s) }?.object.clone()));
        let objects = objects.collect::<Result<Vec<ShaderObject>, AfResult>>()?;
        let objects: Vec<&ShaderObject> = objects.iter().collect();
        // SAFETY: the caller passes a structure that begins with its size, or NULL.
        let options = unsafe { link_options(info) }?;
        // SAFETY: as above.
        let bounds = unsafe { budget(bounds) }?;
        let linked = with_stack(|| device.device.link_within(&objects, &options, &bounds))?;
        if linked.as_ref().is_err_and(|log| exceeds(log.diagnostics())) {
            return Err(AfResult::AF_ERROR_BUDGET);
        }
        AfProgram::create(linked, device.callbacks())
    };
    // SAFETY: the caller has a count, or passes NULL, and passes a pointer to write to, or NULL.
    unsafe { make(device, program, work) }
}

/// Restores a program that af_program_store wrote (glProgramBinary). `error`, which may be NULL, gets a message.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_restore(
    device: *const AfDevice,
    data: *const c_void,
    length: usize,
    program: *mut *mut AfProgram,
    error: *mut *mut AfBlob,
) -> AfResult {
    let work = |device: &AfDevice| {
        // SAFETY: the caller passes so many bytes.
        let bytes = unsafe { array(data.cast::<u8>(), length) }?;
        match with_stack(|| device.device.restore(bytes))? {
            Ok(restored) => AfProgram::create(Ok(restored), device.callbacks()),
            Err(fault) => {
                // SAFETY: as above.
                unsafe { give_error(error, &fault.to_string(), device.callbacks()) }?;
                Err(match result_of([&fault]) {
                    AfResult::AF_ERROR_COMPILE => AfResult::AF_ERROR_DAMAGED,
                    result => result,
                })
            }
        }
    };
    // SAFETY: the caller has a count, or passes NULL, and passes a pointer to write to, or NULL.
    unsafe { make(device, program, work) }
}

/// Stores a program: its code, reflection and options (glGetProgramBinary). The bytes are for the same version of the library.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_store(program: *const AfProgram, stored: *mut *mut AfBlob) -> AfResult {
    let work = |program: &AfProgram| {
        let callbacks = program.head.callbacks;
        let bytes = program.linked()?.store().map_err(|_| AfResult::AF_ERROR_INTERNAL)?;
        blob(&bytes, callbacks)
    };
    // SAFETY: the caller has a count, or passes NULL, and passes a pointer to write to, or NULL.
    unsafe { make(program, stored, work) }
}

/// 1 if the program linked (GL_LINK_STATUS), 0 if it has errors. The other functions of a program require 1.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_status(program: *const AfProgram) -> u32 {
    // SAFETY: the caller has a count, or passes NULL.
    read(0, || Some(unsafe { get(program) }.ok()?.program.is_some().into()))
}

/// The errors and warnings (GL_INFO_LOG), one per line.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_log(program: *const AfProgram) -> AfText {
    // SAFETY: the caller has a count, or passes NULL.
    read(AfText::empty(), || Some(unsafe { get(program) }.ok()?.log.get()))
}

/// The stages: bit 1 << AF_STAGE_* of each.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_stages(program: *const AfProgram) -> u32 {
    read(0, || {
        // SAFETY: the caller has a count, or passes NULL.
        let program = unsafe { get(program) }.ok()?.program.as_ref()?;
        Some(program.stages().fold(0, |all, s| all | stage_bit(s)))
    })
}

/// The views that the program declares (num_views of GL_OVR_multiview), or 1: the draw framebuffer must have as many. Draws have
/// as many instances per instance, and vertex attributes divisors that are multiplied by it.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_views(program: *const AfProgram) -> u32 {
    read(0, || {
        // SAFETY: the caller has a count, or passes NULL.
        Some(unsafe { get(program) }.ok()?.program.as_ref()?.views())
    })
}

/// The stages that a draw with a key has: bit 1 << AF_STAGE_* of each. They are those of the program, and a geometry stage if
/// the key asks for lines or polygons that Metal does not rasterise, or the program tessellates to isolines or points: its
/// function, which af_program_variant makes, too, is a mesh function, and those of the stages before it are kernels.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_draw_stages(
    program: *const AfProgram,
    key: *const AfStateKey,
    stages: *mut u32,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes NULL or a key that begins with its size.
        let (program, key) = unsafe { (get(program)?.linked()?, key_of(key)?) };
        let bits = with_stack(|| program.draw_stages(&key).fold(0, |all, s| all | stage_bit(s)))?;
        // SAFETY: the caller passes a pointer to write to.
        unsafe { write(stages, bits) }
    })
}

/// A hash of everything that functions depend on besides the key: 32 bytes.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_identity(program: *const AfProgram, identity: *mut u8) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes 32 bytes to write to.
        unsafe { write(identity.cast(), get(program)?.linked()?.identity()) }
    })
}

/// The fields of a key that can change the code: the bits of AF_STATE_* flags, and from bit 32 on clip_enable, point_size,
/// color_attachments, patch_vertices, index_bits.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_depends_on(program: *const AfProgram, mask: *mut u64) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes a pointer to write to.
        let program = unsafe { get(program)? }.linked()?;
        let bits = with_stack(|| program.depends_on().bits())?;
        // SAFETY: as above.
        unsafe { write(mask, bits) }
    })
}

/// Resets everything in a key that cannot change the code of the program.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_canonical(program: *const AfProgram, key: *mut AfStateKey) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes a key that begins with its size.
        let (program, given) = unsafe { (get(program)?.linked()?, sized::read(key)?.key()?) };
        let canonical = with_stack(|| program.canonical(&given))?;
        // SAFETY: as above.
        unsafe { sized::write(key, &AfStateKey::of(&canonical)) }
    })
}

/// Resets everything in a key that cannot change the code of a stage: the key of a cache of functions.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_stage_canonical(
    program: *const AfProgram,
    stage: AfStage,
    key: *mut AfStateKey,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count or passes NULL, and passes a key that begins with its size.
        let (program, given) = unsafe { (get(program)?.linked()?, sized::read(key)?.key()?) };
        let stage = stage_of(stage)?;
        let canonical = with_stack(|| program.stage_canonical(stage, &given))?;
        // SAFETY: as above.
        unsafe { sized::write(key, &AfStateKey::of(&canonical)) }
    })
}

/// Creates the function of one stage for a state. `key`, `bounds` and `error`, which gets a message, may be NULL. Keys with the
/// same canonical form give the same bytes.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_variant(
    program: *const AfProgram,
    stage: AfStage,
    key: *const AfStateKey,
    bounds: *const AfBudget,
    function: *mut *mut AfFunction,
    error: *mut *mut AfBlob,
) -> AfResult {
    let work = |program: &AfProgram| {
        let callbacks = program.head.callbacks;
        let (linked, stage) = (program.linked()?, stage_of(stage)?);
        // SAFETY: the caller passes structures that begin with their size, or NULL.
        let (key, bounds) = unsafe { (key_of(key)?, budget(bounds)?) };
        match with_stack(|| linked.variant(stage, &key, &bounds))? {
            Ok(variant) => AfFunction::create(&variant, callbacks),
            Err(errors) => {
                // SAFETY: as above.
                unsafe { give_error(error, &errors.to_string(), callbacks) }?;
                Err(result_of(errors.iter()))
            }
        }
    };
    // SAFETY: the caller has a count, or passes NULL, and passes a pointer to write to, or NULL.
    unsafe { make(program, function, work) }
}

/// Number of arguments of a stage's function for the default state; 0 if the program does not have the stage. Other states only
/// add blocks of the driver.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_argument_count(program: *const AfProgram, stage: AfStage) -> u32 {
    // SAFETY: the caller has a count, or passes NULL.
    read(0, || Some(unsafe { get(program) }.ok()?.arguments(stage).ok()??.count()))
}

/// An argument of a stage's function: the Metal index of a resource. The text in it lives as long as the program.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_argument(
    program: *const AfProgram,
    stage: AfStage,
    index: u32,
    argument: *mut AfArgument,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count, or passes NULL.
        let arguments = unsafe { get(program) }?.arguments(stage)?;
        // SAFETY: the caller passes a structure that begins with its size.
        unsafe { arguments.ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)?.get(index, argument) }
    })
}

/// Adds 1 to the count of a program and returns the program.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_retain(program: *mut AfProgram) -> *mut AfProgram {
    // SAFETY: the caller has a count.
    unsafe { retain(program) }
}

/// Subtracts 1 from the count of a program.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_release(program: *mut AfProgram) {
    let _ = call(Callbacks::NONE, || {
        // SAFETY: the caller has a count.
        unsafe { release(program) };
        Ok(())
    });
}
