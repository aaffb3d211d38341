//! How to write a module.

use crate::target::Target;
use airfoil_passes::gl::lower_xfb::Captures;

/// How to write a module.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Environment and version.
    pub target: Target,
    /// Leave out the names of variables, types and members.
    pub strip_names: bool,
    /// Leave out the lines of the source.
    pub strip_lines: bool,
    /// Outputs that the last stage before rasterisation captures by transform feedback.
    pub captures: Captures,
}
