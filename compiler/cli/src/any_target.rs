//! The target of a compile, of either kind.

use airfoil::Target;
use airfoil::spirv_out::Target as SpirvTarget;
use std::fmt;
use std::str::FromStr;

/// A system that loads libraries, or an API that takes SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyTarget {
    /// A system of Apple.
    Metal(Target),
    /// An API.
    Spirv(SpirvTarget),
}

impl AnyTarget {
    /// The target of AIR.
    pub fn metal(self) -> Target {
        match self {
            AnyTarget::Metal(target) => target,
            AnyTarget::Spirv(_) => Target::default(),
        }
    }

    /// It selects SPIR-V.
    pub fn is_spirv(self) -> bool {
        matches!(self, AnyTarget::Spirv(_))
    }
}

impl Default for AnyTarget {
    fn default() -> AnyTarget {
        AnyTarget::Metal(Target::default())
    }
}

impl fmt::Display for AnyTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyTarget::Metal(target) => target.fmt(f),
            AnyTarget::Spirv(target) => target.fmt(f),
        }
    }
}

impl FromStr for AnyTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<AnyTarget, String> {
        if text.starts_with("vulkan") || text.starts_with("opengl") {
            return text.parse().map(AnyTarget::Spirv);
        }
        text.parse().map(AnyTarget::Metal).map_err(|e: <Target as FromStr>::Err| e.to_string())
    }
}
