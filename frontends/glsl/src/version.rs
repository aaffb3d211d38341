//! Versions and profiles of the language, and the availability of features.

use crate::extension::{Ext, ExtSet};
use airfoil_ir::Stage;

/// Profile of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Desktop without deprecated features.
    Core,
    /// Desktop with deprecated features; also all desktop versions up to 1.30.
    Compatibility,
    /// OpenGL ES.
    Es,
}

/// Version and profile that a shader is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// 110, 120, 130, 140, 150, 330, 400 to 460; ES: 100, 300, 310, 320.
    pub number: u16,
    /// Profile.
    pub profile: Profile,
}

impl Version {
    /// GLSL 1.10, the version of shaders without `#version`.
    pub const DEFAULT: Version = Version { number: 110, profile: Profile::Compatibility };

    /// Whether this is an ES version.
    pub fn is_es(self) -> bool {
        self.profile == Profile::Es
    }

    /// Whether the version is at least `desktop` (on desktop) or `es` (on ES); [`NEVER`] for a kind without it.
    pub fn at_least(self, desktop: u16, es: u16) -> bool {
        self.number >= if self.is_es() { es } else { desktop }
    }
}

impl Default for Version {
    fn default() -> Version {
        Version::DEFAULT
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let es = if self.is_es() { " ES" } else { "" };
        write!(f, "GLSL{es} {}.{:02}", self.number / 100, self.number % 100)?;
        if self.number >= 150 && self.profile == Profile::Compatibility {
            write!(f, " compatibility")?;
        }
        Ok(())
    }
}

/// The properties of a shader that determine its names and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// Version and profile.
    pub version: Version,
    /// Stage.
    pub stage: Stage,
    /// Enabled extensions.
    pub extensions: ExtSet,
    /// GLSL for Vulkan (`GL_KHR_vulkan_glsl`) rather than for OpenGL.
    pub vulkan: bool,
}

impl Language {
    /// Whether something is available.
    pub fn has(&self, avail: &Avail) -> bool {
        avail.holds(self.version, self.extensions)
    }

    /// Whether an extension is enabled.
    pub fn ext(&self, ext: Ext) -> bool {
        self.extensions.contains(ext)
    }
}

/// A version number above all versions.
pub const NEVER: u16 = u16::MAX;

/// Availability: from a version on, until a version, or by any of some extensions.
#[derive(Clone, Copy, Debug)]
pub struct Avail {
    /// First desktop version.
    pub desktop: u16,
    /// First ES version.
    pub es: u16,
    /// First desktop *core* version that lacks it again ([`NEVER`] if it stays).
    pub core_until: u16,
    /// First ES version that lacks it again.
    pub es_until: u16,
    /// Extensions, any of which provides it.
    pub exts: &'static [Ext],
}

impl Avail {
    /// From these versions on.
    pub const fn since(desktop: u16, es: u16) -> Avail {
        Avail { desktop, es, core_until: NEVER, es_until: NEVER, exts: &[] }
    }

    /// In every version.
    pub const ALWAYS: Avail = Avail::since(0, 0);

    /// Or with any of these extensions.
    #[must_use]
    pub const fn or(self, exts: &'static [Ext]) -> Avail {
        Avail { exts, ..self }
    }

    /// Not in desktop core from `core` on, and not in ES from `es` on.
    #[must_use]
    pub const fn until(self, core: u16, es: u16) -> Avail {
        Avail { core_until: core, es_until: es, ..self }
    }

    /// Whether it is available in a language.
    pub fn holds(&self, version: Version, enabled: ExtSet) -> bool {
        let by_version = match version.profile {
            Profile::Es => version.number >= self.es && version.number < self.es_until,
            Profile::Core => version.number >= self.desktop && version.number < self.core_until,
            Profile::Compatibility => version.number >= self.desktop,
        };
        by_version || self.exts.iter().any(|&e| enabled.contains(e))
    }
}

/// A set of stages, as a mask over [`Stage`] numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages(pub u8);

impl Stages {
    /// All stages.
    pub const ALL: Stages = Stages(0xff);

    /// These stages.
    pub const fn of(stages: &[Stage]) -> Stages {
        let mut mask = 0;
        let mut i = 0;
        while i < stages.len() {
            mask |= 1 << stages[i] as u8;
            i += 1;
        }
        Stages(mask)
    }

    /// Whether a stage is among them.
    pub const fn contains(self, stage: Stage) -> bool {
        self.0 & (1 << stage as u8) != 0
    }
}
