//! Devices: options that all objects of a context share.

use crate::blob::{AfBlob, give_error};
use crate::call::{Done, call};
use crate::handle::{Handle, Head, create, release, retain};
use crate::input::{array, text, write};
use crate::memory::{AfAllocateFn, AfDeallocateFn, AfLogFn, Callbacks};
use crate::sized::{self, Versioned};
use crate::types::*;
use airfoil_gl::{BindingPolicy, Cache, Device, DeviceOptions, FastMathMode, OptLevel, Workarounds};
use std::ffi::{c_char, c_void};
use std::path::Path;

/// A device: the target and the options of a context. It never changes.
#[derive(Debug)]
pub struct AfDevice {
    head: Head,
    pub(crate) device: Device,
}

impl Handle for AfDevice {
    fn head(&self) -> &Head {
        &self.head
    }
}

impl AfDevice {
    pub(crate) fn callbacks(&self) -> Callbacks {
        self.head.callbacks
    }
}

/// A limit of the implementation.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfLimit {
    /// Name in OpenGL, as GL_MAX_VERTEX_ATTRIBS.
    pub name: *const c_char,
    /// Value.
    pub value: u32,
    /// 1: of OpenGL ES shaders, 0: of desktop shaders.
    pub es: u32,
}

/// Options of a device.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfDeviceInfo {
    /// sizeof(AfDeviceInfo).
    pub size: u32,
    /// Optimization level of links.
    pub level: AfLevel,
    /// Operating system and version, as "macos14" or "ios17.2"; NULL: macOS 13.
    pub target: *const c_char,
    /// Float arithmetic.
    pub math: AfMath,
    /// How resources get their Metal indices.
    pub binding_policy: AfBindingPolicy,
    /// Mask of the buffer indices that stay free for vertex buffers.
    pub reserved_buffers: u32,
    /// Deviations from the default code.
    pub workarounds: AfWorkarounds,
    /// Limits that differ from the default, which are the minima of OpenGL, or those of Metal where these are larger.
    pub limits: *const AfLimit,
    /// Number of limits.
    pub limit_count: u32,
    /// Zero.
    pub reserved: u32,
    /// Allocates handles and the bytes of results; NULL: malloc. Working memory of a compile is the process's.
    pub allocate: AfAllocateFn,
    /// The other half of `allocate`; both are set, or neither is.
    pub deallocate: AfDeallocateFn,
    /// Gets errors that are not part of a log: bugs of the library, and failed variants, restores and compiles.
    pub log: AfLogFn,
    /// Passed to the callbacks, which are called as long as a handle of the device lives.
    pub user: *mut c_void,
    /// Metal index of the buffer with AfDriverValues, plus one; 0: the block follows the other buffers of a function.
    pub driver_buffer: u32,
    /// Zero.
    pub spare: u32,
    /// Folder of a disk cache, from which links and functions are served; NULL: none. It is created if necessary, for
    /// this user only; a symbolic link, or a folder that others can enter, is an invalid argument.
    pub cache: *const c_char,
    /// Most bytes of the cache; 0: 256 MiB.
    pub cache_limit: u64,
}

// SAFETY: `repr(C)`, with integers, pointers and optional functions.
unsafe impl Versioned for AfDeviceInfo {
    const FIRST: usize = std::mem::offset_of!(AfDeviceInfo, driver_buffer);
}

fn options(info: &AfDeviceInfo) -> Result<DeviceOptions, String> {
    let mut options = DeviceOptions::default();
    let unknown = |what: &str, n: u32| format!("{what} {n} is unknown");
    // SAFETY: the header requires text that ends in a NUL.
    if let Some(target) = unsafe { text(info.target) }.map_err(|_| "the target is not UTF-8")? {
        options.target = target.parse().map_err(|e| format!("target `{target}`: {e}"))?;
    }
    options.level = match info.level {
        AF_LEVEL_DEFAULT | AF_LEVEL_FULL => OptLevel::O2,
        AF_LEVEL_NONE => OptLevel::O0,
        n => return Err(unknown("level", n)),
    };
    options.fast_math = match info.math {
        AF_MATH_PRECISE => FastMathMode::Precise,
        AF_MATH_DEFAULT | AF_MATH_RELAXED => FastMathMode::Relaxed,
        AF_MATH_FAST => FastMathMode::Fast,
        n => return Err(unknown("arithmetic", n)),
    };
    let reserved_buffers = info.reserved_buffers;
    options.bindings = match info.binding_policy {
        AF_BINDING_DIRECT => BindingPolicy::Direct { reserved_buffers },
        AF_BINDING_TABLE => BindingPolicy::AllInTable { reserved_buffers },
        AF_BINDING_UNIFORM_TABLE => BindingPolicy::UniformsInTable { reserved_buffers },
        n => return Err(unknown("binding policy", n)),
    };
    options.driver_buffer = match info.driver_buffer {
        0..=31 => info.driver_buffer.checked_sub(1),
        n => return Err(unknown("index of the driver's buffer, plus one,", n)),
    };
    let known = AF_WORKAROUND_ROBUST
        | AF_WORKAROUND_FLAT_1D_TEXTURES
        | AF_WORKAROUND_ENFORCE_ES100_LIMITS
        | AF_WORKAROUND_ASSUME_NO_ALIAS;
    if info.workarounds & !known != 0 {
        return Err(unknown("workaround", info.workarounds & !known));
    }
    let has = |flag| info.workarounds & flag != 0;
    options.workarounds = Workarounds {
        robust: has(AF_WORKAROUND_ROBUST),
        flat_1d_textures: has(AF_WORKAROUND_FLAT_1D_TEXTURES),
        enforce_es100_limits: has(AF_WORKAROUND_ENFORCE_ES100_LIMITS),
        assume_no_alias: has(AF_WORKAROUND_ASSUME_NO_ALIAS),
    };
    // SAFETY: the header requires so many limits.
    let limits =
        unsafe { array(info.limits, info.limit_count as usize) }.map_err(|_| "the limits are NULL")?;
    for limit in limits {
        // SAFETY: as for the target.
        let name =
            unsafe { text(limit.name) }.ok().flatten().ok_or("a limit does not have a name in UTF-8")?;
        let of = if limit.es == 0 { &mut options.limits } else { &mut options.es_limits };
        if !of.set(name, limit.value) {
            return Err(format!("limit `{name}` is unknown"));
        }
    }
    Ok(options)
}

/// The cache of a device.
fn cache(info: &AfDeviceInfo) -> Result<Option<Cache>, String> {
    // SAFETY: the header requires text that ends in a NUL.
    let folder = unsafe { text(info.cache) }.map_err(|_| "the folder of the cache is not UTF-8")?;
    let limit = if info.cache_limit == 0 { Cache::LIMIT } else { info.cache_limit };
    let open = |folder| Cache::open(Path::new(folder), limit).map_err(|e| format!("cache `{folder}`: {e}"));
    folder.map(open).transpose()
}

/// Creates a device. `info` may be NULL; `error`, too, gets a message if the options are wrong.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_device_create(
    info: *const AfDeviceInfo,
    device: *mut *mut AfDevice,
    error: *mut *mut AfBlob,
) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller passes pointers to write to, or NULL.
        unsafe { write(device, std::ptr::null_mut()) }?;
        let (mut device_of, mut callbacks) = (Ok(Device::default()), Callbacks::NONE);
        if !info.is_null() {
            // SAFETY: the caller passes a structure that begins with its size.
            let info = unsafe { sized::read(info) }?;
            if info.allocate.is_some() != info.deallocate.is_some() {
                return Err(AfResult::AF_ERROR_INVALID_ARGUMENT);
            }
            let AfDeviceInfo { allocate, deallocate, log, user, .. } = info;
            callbacks = Callbacks { allocate, deallocate, log, user };
            device_of = options(&info).and_then(|options| {
                Ok(match cache(&info)? {
                    Some(cache) => Device::with_cache(options, cache),
                    None => Device::new(options),
                })
            });
        }
        match device_of {
            Ok(made) => {
                let made = create(AfDevice { head: Head::new(callbacks), device: made })?;
                // SAFETY: as above.
                unsafe { write(device, made) }
            }
            Err(message) => {
                // SAFETY: as above.
                unsafe { give_error(error, &message, callbacks) }?;
                Err(AfResult::AF_ERROR_INVALID_ARGUMENT)
            }
        }
    })
}

/// Adds 1 to the count of a device and returns the device.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_device_retain(device: *mut AfDevice) -> *mut AfDevice {
    // SAFETY: the caller has a count.
    unsafe { retain(device) }
}

/// Subtracts 1 from the count of a device.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_device_release(device: *mut AfDevice) {
    let _ = call(Callbacks::NONE, || -> Done {
        // SAFETY: the caller has a count.
        unsafe { release(device) };
        Ok(())
    });
}
