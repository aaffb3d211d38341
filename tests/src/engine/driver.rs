//! A Vulkan driver that executes modules.

use super::Engine;
use airfoil::OptLevel;
use airfoil_vulkan::{Device, Error};
use std::sync::OnceLock;

/// The modules that a driver executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modules {
    /// As they came. GLSL is compiled by Airfoil at O0.
    Original,
    /// As Airfoil writes them.
    Written(OptLevel),
}

static DEVICE: OnceLock<Result<Device, Error>> = OnceLock::new();

impl Engine {
    /// The device, which is opened once in a process.
    ///
    /// # Errors
    /// The loader or the device is missing.
    pub fn device(&self) -> Result<&'static Device, &'static Error> {
        DEVICE.get_or_init(|| Device::open(self.device.as_deref())).as_ref()
    }
}
