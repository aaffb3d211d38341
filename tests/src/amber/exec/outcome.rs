//! Options of an execution, and the reasons why one ends early.

use crate::engine::driver::Modules;
pub use crate::engine::stop::Stop;
use airfoil::OptLevel;
use airfoil_interp::Config;

pub(super) fn fail<T>(message: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Fail(message.into()))
}

pub(super) fn skip<T>(message: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Skip(message.into()))
}

/// How scripts are executed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much shaders are optimised for the target; `None` = they are executed as the front ends make them.
    pub level: Option<OptLevel>,
    /// The modules that the engine's Vulkan device executes; `None` = the engine executes shaders of the IR.
    pub driver: Option<Modules>,
    /// Where clocks begin.
    pub clock: u64,
    /// How the interpreter executes.
    pub config: Config,
}

/// State of a pipeline's attachments.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClearValues {
    pub(super) color: [f64; 4],
    pub(super) depth: f64,
    pub(super) stencil: u32,
}
