//! Version numbers: of AIR, of the Metal language, of the container, of an OS.

use std::fmt;

/// Version of AIR, as in the module's `air.version` (whose third number is always 0).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AirVersion {
    /// First number.
    pub major: u16,
    /// Second number.
    pub minor: u16,
}

/// Version of the Metal shading language, as in the module's `air.language_version`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LanguageVersion {
    /// First number.
    pub major: u16,
    /// Second number.
    pub minor: u16,
}

/// Version of the `.metallib` container.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ContainerVersion {
    /// First number; 1 in every known file.
    pub major: u16,
    /// Second number; 2 in every known file.
    pub minor: u16,
    /// Third number; the one that changes between releases.
    pub patch: u16,
}

/// Version of an operating system.
///
/// The field widths are those of the container's header.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OsVersion {
    /// First number.
    pub major: u16,
    /// Second number.
    pub minor: u8,
    /// Third number.
    pub patch: u8,
}

impl AirVersion {
    /// `AirVersion { major, minor }`.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }
}

impl LanguageVersion {
    /// `LanguageVersion { major, minor }`.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }
}

impl ContainerVersion {
    /// `ContainerVersion { major, minor, patch }`.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// The list of functions is followed by header extension tags.
    pub fn has_extension(self) -> bool {
        self >= Self::new(1, 2, 3)
    }

    /// The header names the platform and the OS version; older containers have zeroes there.
    pub fn has_platform(self) -> bool {
        self >= Self::new(1, 2, 6)
    }
}

impl OsVersion {
    /// `OsVersion { major, minor, patch }`.
    pub const fn new(major: u16, minor: u8, patch: u8) -> Self {
        Self { major, minor, patch }
    }
}

impl fmt::Display for AirVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl fmt::Display for LanguageVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl fmt::Display for ContainerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// All three numbers, as a target triple has them; `{:#}` leaves trailing zeroes out (`13`, `13.3`).
impl fmt::Display for OsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { major, minor, patch } = self;
        match (f.alternate(), minor, patch) {
            (true, 0, 0) => write!(f, "{major}"),
            (true, _, 0) => write!(f, "{major}.{minor}"),
            _ => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}
