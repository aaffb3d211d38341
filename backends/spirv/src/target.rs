//! The environment that a module is for, and its version of SPIR-V.

use std::fmt;
use std::str::FromStr;

/// The API whose rules a module follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Environment {
    /// Vulkan.
    Vulkan,
    /// OpenGL (ARB_gl_spirv).
    OpenGl,
}

/// Environment and version of SPIR-V, selected by name (`vulkan1.2`, `opengl4.5`).
///
/// A version of Vulkan selects the newest version of SPIR-V that every implementation of it accepts; another one can follow
/// the name (`vulkan1.1spv1.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The API.
    pub environment: Environment,
    /// Version of the API, major and minor.
    pub api: (u8, u8),
    /// Version of SPIR-V, major and minor.
    pub version: (u8, u8),
}

/// The targets by name, each with the version of SPIR-V that it selects and the newest that it permits.
const NAMES: &[(&str, Target, u8)] = &[
    ("vulkan1.0", Target::new(Environment::Vulkan, (1, 0), 0), 0),
    ("vulkan1.1", Target::new(Environment::Vulkan, (1, 1), 3), 4),
    ("vulkan1.2", Target::new(Environment::Vulkan, (1, 2), 5), 5),
    ("vulkan1.3", Target::new(Environment::Vulkan, (1, 3), 6), 6),
    ("opengl4.5", Target::new(Environment::OpenGl, (4, 5), 0), 0),
    ("opengl4.6", Target::new(Environment::OpenGl, (4, 6), 0), 0),
];

impl Target {
    const fn new(environment: Environment, api: (u8, u8), minor: u8) -> Target {
        Target { environment, api, version: (1, minor) }
    }

    /// Vulkan 1.3 with SPIR-V 1.6.
    pub const VULKAN_1_3: Target = Target::new(Environment::Vulkan, (1, 3), 6);
    /// OpenGL 4.5 with SPIR-V 1.0.
    pub const OPENGL_4_5: Target = Target::new(Environment::OpenGl, (4, 5), 0);

    /// The names without a version of SPIR-V.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|n| n.0)
    }

    /// Whether the version of SPIR-V is at least 1.`minor`.
    pub fn has(self, minor: u8) -> bool {
        self.version >= (1, minor)
    }

    /// Whether the rules of Vulkan apply.
    pub fn is_vulkan(self) -> bool {
        self.environment == Environment::Vulkan
    }
}

impl Default for Target {
    fn default() -> Target {
        Target::VULKAN_1_3
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((name, plain, _)) =
            NAMES.iter().find(|n| (n.1.environment, n.1.api) == (self.environment, self.api))
        else {
            return write!(f, "spv{}.{}", self.version.0, self.version.1);
        };
        f.write_str(name)?;
        if plain.version != self.version {
            write!(f, "spv{}.{}", self.version.0, self.version.1)?;
        }
        Ok(())
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let (name, version) = match text.split_once("spv") {
            Some((name, version)) => (name, Some(version)),
            None => (text, None),
        };
        let known = || Target::names().collect::<Vec<_>>().join(", ");
        let Some(&(_, mut target, newest)) = NAMES.iter().find(|n| n.0 == name) else {
            return Err(format!("expected one of {}, found `{text}`", known()));
        };
        if let Some(version) = version {
            let minor = version.strip_prefix("1.").and_then(|v| v.parse::<u8>().ok());
            match minor.filter(|&m| m <= newest) {
                Some(minor) => target.version = (1, minor),
                None => {
                    return Err(format!("expected spv1.0 to spv1.{newest} for {name}, found `spv{version}`"));
                }
            }
        }
        Ok(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for name in Target::names().chain(["vulkan1.1spv1.4", "vulkan1.3spv1.0"]) {
            assert_eq!(name.parse::<Target>().map(|t| t.to_string()), Ok(name.to_owned()));
        }
        assert_eq!("vulkan1.2".parse::<Target>().map(|t| t.version), Ok((1, 5)));
        assert!("vulkan1.0spv1.3".parse::<Target>().is_err_and(|e| e.contains("spv1.0 to spv1.0")));
        assert!("metal".parse::<Target>().is_err_and(|e| e.contains("vulkan1.3")));
    }
}
