//! Options of execution.

use std::path::PathBuf;

/// How functions are executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Invocations of a simd-group, 1 to 64.
    pub simd_size: u32,
    /// Loads and stores outside of buffers are not faults: loads give zero, stores do nothing. Indices into arrays of
    /// variables of a `Program` are kept in range, which no engine could check afterwards.
    pub robust: bool,
    /// Derivatives where not all invocations of a quad take part are faults; otherwise the others count as equal.
    pub strict: bool,
    /// The first vertex of a primitive that a geometry shader makes provokes, otherwise the last (OpenGL).
    pub first_provokes: bool,
    /// Size of workgroups where the shader leaves it open (`ARB_compute_variable_group_size`).
    pub workgroup: [u32; 3],
    /// Folder in which each module is left before it is executed, as bitcode and named by a hash of its bytes.
    pub keep: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            simd_size: 32,
            robust: true,
            strict: false,
            first_provokes: false,
            workgroup: [1; 3],
            keep: None,
        }
    }
}
