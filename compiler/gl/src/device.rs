//! The device: options that all objects of a driver's context share.

use crate::bindings::BindingPolicy;
use crate::driver_values::DriverValues;
use crate::fixed::Shaders;
use crate::recent::Recent;
use airfoil::air::select::FastMathMode;
use airfoil::glsl::limits::Limits;
use airfoil::{AirOptions, OptLevel, Target, metal_limits};
use airfoil_cache::Cache;
use sha2::{Digest, Sha256};
use std::sync::{Arc, OnceLock};

/// Options of a [`Device`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Target of the functions.
    pub target: Target,
    /// Limits of desktop shaders: `gl_Max*`, and the limits that a link checks.
    pub limits: Limits,
    /// Limits of OpenGL ES shaders.
    pub es_limits: Limits,
    /// How resources get their Metal indices.
    pub bindings: BindingPolicy,
    /// Metal index of the driver's block in every function that reads it; with `None` it follows the other buffers.
    pub driver_buffer: Option<u32>,
    /// Optimisation level of links.
    pub level: OptLevel,
    /// Float arithmetic.
    pub fast_math: FastMathMode,
    /// Deviations from the default code.
    pub workarounds: Workarounds,
}

/// Deviations from the default code that a device or a driver requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Workarounds {
    /// Out-of-bounds reads return zero and out-of-bounds writes are dropped (a robust context).
    pub robust: bool,
    /// All 1D textures are 2D, so that they can have mipmaps.
    pub flat_1d_textures: bool,
    /// GLSL ES 1.00 is limited to its appendix A, as in WebGL 1.
    pub enforce_es100_limits: bool,
    /// Storage buffers that are not `restrict` never overlap either.
    pub assume_no_alias: bool,
}

impl Default for DeviceOptions {
    fn default() -> DeviceOptions {
        DeviceOptions {
            target: Target::default(),
            limits: metal_limits(Limits::GL),
            es_limits: metal_limits(Limits::ES),
            bindings: BindingPolicy::default(),
            driver_buffer: None,
            level: OptLevel::O2,
            fast_math: FastMathMode::default(),
            workarounds: Workarounds::default(),
        }
    }
}

impl From<Target> for DeviceOptions {
    fn from(target: Target) -> DeviceOptions {
        DeviceOptions { target, ..DeviceOptions::default() }
    }
}

/// A device. Copies share the options; shader objects and programs can be used with any copy, on any thread.
#[derive(Clone, Debug)]
pub struct Device(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: DeviceOptions,
    air: AirOptions,
    cache: Option<Cache>,
    digest: OnceLock<[u8; 32]>,
    fixed: Shaders,
    recent: Recent,
}

impl Device {
    /// A device with these options, or the default options for a [`Target`].
    pub fn new(options: impl Into<DeviceOptions>) -> Device {
        Device::of(options.into(), None)
    }

    /// The same with a disk cache, from which links and variants are served, and in which they are stored.
    pub fn with_cache(options: impl Into<DeviceOptions>, cache: Cache) -> Device {
        Device::of(options.into(), Some(cache))
    }

    fn of(options: DeviceOptions, cache: Option<Cache>) -> Device {
        let mut bindings = options.bindings.map();
        if let Some(index) = options.driver_buffer {
            let at = (DriverValues::SET, DriverValues::BINDING);
            bindings.resources.entry(at).or_default().buffer = Some(index);
            // Other buffers never take it, whether a function reads the block or not.
            bindings.reserved_buffers |= 1_u32.checked_shl(index).unwrap_or(0);
        }
        let air = AirOptions {
            target: options.target,
            fast_math: options.fast_math,
            bindings,
            assume_no_alias: options.workarounds.assume_no_alias,
            ..AirOptions::default()
        };
        let (digest, fixed, recent) = (OnceLock::new(), Shaders::default(), Recent::default());
        Device(Arc::new(Inner { options, air, cache, digest, fixed, recent }))
    }

    /// The cache.
    pub fn cache(&self) -> Option<&Cache> {
        self.0.cache.as_ref()
    }

    /// A hash of the options, which code depends on.
    pub(crate) fn digest(&self) -> &[u8; 32] {
        self.0.digest.get_or_init(|| Sha256::digest(format!("{:?}", self.0.options)).into())
    }

    /// The options.
    pub fn options(&self) -> &DeviceOptions {
        &self.0.options
    }

    /// The generated shaders of fixed functions.
    pub(crate) fn fixed(&self) -> &Shaders {
        &self.0.fixed
    }

    /// Functions that links have selected.
    pub(crate) fn recent(&self) -> &Recent {
        &self.0.recent
    }

    /// The options of the backend.
    pub fn air(&self) -> &AirOptions {
        &self.0.air
    }
}

impl Default for Device {
    fn default() -> Device {
        Device::new(DeviceOptions::default())
    }
}
