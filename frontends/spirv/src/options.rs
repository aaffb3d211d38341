//! How to read a module.

use airfoil_ir::{Stage, Stop};

/// The API whose rules a module follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Environment {
    /// Vulkan.
    #[default]
    Vulkan,
    /// OpenGL (ARB_gl_spirv).
    OpenGl,
}

/// How to read a module.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the entry point; required if there are several.
    pub entry: Option<String>,
    /// Name of an exported function (Linkage) to take instead of an entry point. In a module without entry points, a single one is
    /// taken without name.
    pub function: Option<String>,
    /// Stage of the entry point; required if several share one name.
    pub stage: Option<Stage>,
    /// Values of specialisation constants: `SpecId` and the bits.
    pub spec: Vec<(u32, u64)>,
    /// Specialisation constants without a value in `spec` stay open: they become variables of mode `spec_const` instead of
    /// their defaults. Constants that determine types, initial values of variables or other literals
    /// keep their defaults everywhere.
    pub keep_spec_constants: bool,
    /// With `keep_spec_constants`, scalar constants that are sizes of the workgroup stay open, too:
    /// [`StageInfo::workgroup_constants`](airfoil_ir::StageInfo::workgroup_constants). Outputs for Metal have a fixed size.
    pub keep_workgroup_constants: bool,
    /// Whether nothing is simplified: operations on constants stay operations, moves that change nothing are kept, calls stay calls,
    /// and locals are variables.
    pub raw: bool,
    /// Whether all locals stay variables and calls stay calls; otherwise locals that are only loaded and stored whole become values,
    /// and functions are inlined within a budget. Debug information requires it, and `raw` implies it.
    pub keep_locals: bool,
    /// Rules that the module follows.
    pub environment: Environment,
    /// Stops reading: checked for each instruction outside functions and for each block.
    pub stop: Stop,
}
