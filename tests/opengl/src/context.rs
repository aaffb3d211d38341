//! Contexts without a window: EGL on the platform `surfaceless`, or on a device.

use crate::error::{Error, Res};
use crate::gl::{self, Gl};
use khronos_egl as egl;
use std::ffi::{CStr, c_void};
use std::fmt;

type Egl = egl::DynamicInstance<egl::EGL1_5>;

/// EGL_MESA_platform_surfaceless.
const PLATFORM_SURFACELESS: egl::Enum = 0x31DD;

/// EGL_EXT_platform_device.
const PLATFORM_DEVICE: egl::Enum = 0x313F;

/// The interface of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// The newest OpenGL of the driver with the compatibility profile.
    Compatibility,
    /// The newest OpenGL of the driver with the core profile.
    Core,
    /// The newest OpenGL ES of the driver.
    Es,
}

/// A context of an OpenGL driver, current on the thread that opened it.
pub struct Context {
    egl: Egl,
    display: egl::Display,
    context: egl::Context,
    pub(crate) gl: Gl,
    api: Api,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("renderer", &self.renderer()).finish_non_exhaustive()
    }
}

fn failed(action: &str) -> impl Fn(egl::Error) -> Error {
    move |e| Error::Unsupported(format!("{action}: {e}"))
}

/// An initialized display: of the platform `surfaceless`, or else of the first device.
fn display(egl: &Egl) -> Res<egl::Display> {
    let open = |platform, native| {
        // SAFETY: both platforms take these displays and no attributes.
        let display = unsafe { egl.get_platform_display(platform, native, &[egl::ATTRIB_NONE]) }?;
        egl.initialize(display).map(|_| display)
    };
    open(PLATFORM_SURFACELESS, egl::DEFAULT_DISPLAY)
        .or_else(|e| match first_device(egl) {
            Some(device) => open(PLATFORM_DEVICE, device),
            None => Err(e),
        })
        .map_err(failed("neither EGL's surfaceless platform nor a device is available"))
}

/// The first device of EGL_EXT_device_enumeration.
fn first_device(egl: &Egl) -> Option<*mut c_void> {
    type QueryDevices = extern "system" fn(i32, *mut *mut c_void, *mut i32) -> u32;
    let function = egl.get_proc_address("eglQueryDevicesEXT")?;
    // SAFETY: the extension declares this function with this type.
    let query = unsafe { std::mem::transmute::<extern "system" fn(), QueryDevices>(function) };
    let (mut device, mut count) = (std::ptr::null_mut(), 0);
    (query(1, &raw mut device, &raw mut count) != 0 && count > 0).then_some(device)
}

impl Context {
    /// Opens a context and makes it current.
    ///
    /// # Errors
    /// EGL, its surfaceless platform and devices, or the interface are missing.
    pub fn open(api: Api) -> Res<Context> {
        // SAFETY: loading a library runs its initialisers; those of EGL have no requirements.
        let egl = unsafe { Egl::load_required() }
            .map_err(|e| Error::Unsupported(format!("EGL is not available: {e}")))?;
        let display = display(&egl)?;
        let bound = if api == Api::Es { egl::OPENGL_ES_API } else { egl::OPENGL_API };
        egl.bind_api(bound).map_err(failed("the interface is not available"))?;
        let renderable = if api == Api::Es { egl::OPENGL_ES3_BIT } else { egl::OPENGL_BIT };
        let wanted = [egl::SURFACE_TYPE, 0, egl::RENDERABLE_TYPE, renderable, egl::NONE];
        let config = egl
            .choose_first_config(display, &wanted)
            .map_err(failed("no configuration"))?
            .ok_or(Error::Unsupported("no configuration of the interface".into()))?;
        let versions: &[(i32, i32)] =
            if api == Api::Es { &[(3, 2), (3, 1)] } else { &[(4, 6), (4, 5), (4, 3)] };
        let profile = match api {
            Api::Core => egl::CONTEXT_OPENGL_CORE_PROFILE_BIT,
            _ => egl::CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
        };
        let create = |&(major, minor): &(i32, i32)| {
            let mut attributes = vec![egl::CONTEXT_MAJOR_VERSION, major, egl::CONTEXT_MINOR_VERSION, minor];
            if api != Api::Es {
                attributes.extend([egl::CONTEXT_OPENGL_PROFILE_MASK, profile]);
            }
            attributes.push(egl::NONE);
            egl.create_context(display, config, None, &attributes).ok()
        };
        let context = versions
            .iter()
            .find_map(create)
            .ok_or_else(|| Error::Unsupported(format!("no context of {api:?}")))?;
        egl.make_current(display, None, None, Some(context)).map_err(failed("a context without surface"))?;
        let gl = Gl::load_with(|name| {
            egl.get_proc_address(name).map_or(std::ptr::null(), |function| function as *const c_void)
        });
        Ok(Context { egl, display, context, gl, api })
    }

    /// The interface of the context.
    pub fn api(&self) -> Api {
        self.api
    }

    fn string(&self, name: u32) -> String {
        // SAFETY: as described in `lib.rs`; the strings are static.
        unsafe {
            let text = self.gl.GetString(name);
            if text.is_null() {
                return String::new();
            }
            CStr::from_ptr(text.cast()).to_string_lossy().into_owned()
        }
    }

    /// The name of the device and the version of the driver.
    pub fn renderer(&self) -> String {
        format!("{}, {}", self.string(gl::RENDERER), self.string(gl::VERSION))
    }

    /// A limit (`glGetIntegerv`).
    pub fn limit(&self, name: u32) -> i32 {
        let mut value = 0;
        // SAFETY: as described in `lib.rs`; callers name values of one integer.
        unsafe { self.gl.GetIntegerv(name, &raw mut value) };
        value
    }

    /// Whether the driver has an extension.
    pub fn has(&self, extension: &str) -> bool {
        // SAFETY: as described in `lib.rs`; the strings are static.
        (0..self.limit(gl::NUM_EXTENSIONS).cast_unsigned()).any(|n| unsafe {
            let name = self.gl.GetStringi(gl::EXTENSIONS, n);
            !name.is_null() && CStr::from_ptr(name.cast()).to_bytes() == extension.as_bytes()
        })
    }

    /// Fails for an error that the driver recorded since the last call.
    ///
    /// # Errors
    /// The recorded error.
    pub fn check(&self, action: &str) -> Res<()> {
        // SAFETY: as described in `lib.rs`.
        match unsafe { self.gl.GetError() } {
            gl::NO_ERROR => Ok(()),
            code => Err(Error::Failed(format!("{action}: error {code:#06x}"))),
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // The display is shared by all contexts of the process, so it is not terminated.
        let _ = self.egl.make_current(self.display, None, None, None);
        let _ = self.egl.destroy_context(self.display, self.context);
    }
}
