//! The facts: operating systems and how they are written, releases and the formats that came with them.

use super::versions::{AirVersion, ContainerVersion, LanguageVersion, OsVersion};

/// An operating system that loads metallibs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Os {
    /// macOS.
    MacOs,
    /// An iOS app on macOS; versions are those of iOS.
    MacCatalyst,
    /// iOS and iPadOS.
    Ios,
    /// The iOS simulator.
    IosSimulator,
    /// tvOS.
    TvOs,
    /// The tvOS simulator.
    TvOsSimulator,
    /// visionOS.
    VisionOs,
    /// The visionOS simulator.
    VisionOsSimulator,
}

/// Which column of [`RELEASES`] counts the versions of an OS.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    MacOs,
    Ios,
    VisionOs,
}

/// How one [`Os`] is written.
pub(super) struct OsSpelling {
    pub(super) os: Os,
    pub(super) family: Family,
    /// Short name, before the version.
    pub(super) name: &'static str,
    /// Word in a target triple, before the version.
    pub(super) triple: &'static str,
    /// After the version, in both forms.
    pub(super) suffix: &'static str,
    /// Mach-O platform number, which the container's header has.
    pub(super) platform: u8,
    /// Name for messages.
    pub(super) title: &'static str,
}

#[rustfmt::skip]
pub(super) const OSES: &[OsSpelling] = &[
    OsSpelling { os: Os::MacOs, family: Family::MacOs, name: "macos", triple: "macosx", suffix: "", platform: 1, title: "macOS" },
    OsSpelling { os: Os::MacCatalyst, family: Family::Ios, name: "ios", triple: "ios", suffix: "-macabi", platform: 6, title: "Mac Catalyst" },
    OsSpelling { os: Os::Ios, family: Family::Ios, name: "ios", triple: "ios", suffix: "", platform: 2, title: "iOS" },
    OsSpelling { os: Os::IosSimulator, family: Family::Ios, name: "ios", triple: "ios", suffix: "-simulator", platform: 7, title: "iOS simulator" },
    OsSpelling { os: Os::TvOs, family: Family::Ios, name: "tvos", triple: "tvos", suffix: "", platform: 3, title: "tvOS" },
    OsSpelling { os: Os::TvOsSimulator, family: Family::Ios, name: "tvos", triple: "tvos", suffix: "-simulator", platform: 8, title: "tvOS simulator" },
    OsSpelling { os: Os::VisionOs, family: Family::VisionOs, name: "visionos", triple: "xros", suffix: "", platform: 11, title: "visionOS" },
    OsSpelling { os: Os::VisionOsSimulator, family: Family::VisionOs, name: "visionos", triple: "xros", suffix: "-simulator", platform: 12, title: "visionOS simulator" },
];

impl Os {
    /// All of them.
    pub const ALL: [Os; 8] = [
        Os::MacOs,
        Os::MacCatalyst,
        Os::Ios,
        Os::IosSimulator,
        Os::TvOs,
        Os::TvOsSimulator,
        Os::VisionOs,
        Os::VisionOsSimulator,
    ];

    pub(super) fn spelling(self) -> &'static OsSpelling {
        OSES.iter().find(|s| s.os == self).expect("the table has every Os")
    }

    /// Name for messages, such as `macOS`.
    pub fn title(self) -> &'static str {
        self.spelling().title
    }

    /// Value of the platform in Mach-O files and in the container's header.
    pub fn platform(self) -> u8 {
        self.spelling().platform
    }

    /// The releases of this OS that have Metal, oldest first.
    pub fn releases(self) -> impl Iterator<Item = &'static Release> {
        RELEASES.iter().filter(move |r| r.first_version(self).is_some())
    }
}

/// The OS releases of one year, and the formats that came with them.
pub struct Release {
    /// macOS version: the first two numbers up to 10.15, thereafter only the first counts.
    macos: OsVersion,
    /// First and last major version of iOS and tvOS.
    ios: (u16, u16),
    /// Major version of visionOS, if it existed.
    visionos: Option<u16>,
    /// The AIR version that modules for this release have.
    pub air: AirVersion,
    /// The newest Metal language version that the release knows; the default for its target.
    pub language: LanguageVersion,
    /// The container version that its tools write.
    pub container: ContainerVersion,
}

const fn release(
    macos: (u16, u8),
    ios: (u16, u16),
    visionos: Option<u16>,
    air: (u16, u16),
    language: (u16, u16),
    container_patch: u16,
) -> Release {
    Release {
        macos: OsVersion::new(macos.0, macos.1, 0),
        ios,
        visionos,
        air: AirVersion::new(air.0, air.1),
        language: LanguageVersion::new(language.0, language.1),
        container: ContainerVersion::new(1, 2, container_patch),
    }
}

/// All releases with Metal, oldest first.
///
/// No file of the last one has been seen; loaders accept older containers, hence 1.2.9 for it.
#[rustfmt::skip]
pub const RELEASES: &[Release] = &[
    release((10, 11), ( 8,  9), None,     (1, 8), (1, 1), 2),
    release((10, 12), (10, 10), None,     (1, 8), (1, 2), 2),
    release((10, 13), (11, 11), None,     (2, 0), (2, 0), 2),
    release((10, 14), (12, 12), None,     (2, 1), (2, 1), 2),
    release((10, 15), (13, 13), None,     (2, 2), (2, 2), 4),
    release((11,  0), (14, 14), None,     (2, 3), (2, 3), 5),
    release((12,  0), (15, 15), None,     (2, 4), (2, 4), 5),
    release((13,  0), (16, 16), None,     (2, 5), (3, 0), 7),
    release((14,  0), (17, 17), Some(1),  (2, 6), (3, 1), 7),
    release((15,  0), (18, 18), Some(2),  (2, 7), (3, 2), 8),
    release((26,  0), (26, 26), Some(26), (2, 8), (4, 0), 9),
    release((27,  0), (27, 27), Some(27), (2, 9), (4, 1), 9),
];

impl Release {
    /// First version of an OS in this release, or `None` if it did not exist or had no Metal.
    pub fn first_version(&self, os: Os) -> Option<OsVersion> {
        match os.spelling().family {
            Family::MacOs => Some(self.macos),
            // Catalyst came with iOS 13, the Metal of tvOS with tvOS 9.
            Family::Ios if os == Os::MacCatalyst && self.ios.1 < 13 => None,
            Family::Ios if matches!(os, Os::TvOs | Os::TvOsSimulator) => {
                Some(OsVersion::new(self.ios.0.max(9), 0, 0))
            }
            Family::Ios => Some(OsVersion::new(self.ios.0, 0, 0)),
            Family::VisionOs => self.visionos.map(|major| OsVersion::new(major, 0, 0)),
        }
    }

    pub(super) fn contains(&self, os: Os, version: OsVersion) -> bool {
        let Some(first) = self.first_version(os) else { return false };
        match os.spelling().family {
            Family::MacOs if first.major == 10 => (version.major, version.minor) == (10, first.minor),
            Family::Ios => (first.major..=self.ios.1).contains(&version.major),
            Family::MacOs | Family::VisionOs => version.major == first.major,
        }
    }

    /// Version words for messages: `13`, `10.15`, `8`.
    pub(super) fn versions(&self, os: Os) -> impl Iterator<Item = OsVersion> {
        let first = self.first_version(os);
        let last = if os.spelling().family == Family::Ios { self.ios.1 } else { 0 };
        first.into_iter().flat_map(move |v| {
            (v.major..=v.major.max(last)).map(move |major| OsVersion::new(major, v.minor, 0))
        })
    }
}

/// Metal language versions, oldest first.
pub(super) fn language_versions() -> impl Iterator<Item = LanguageVersion> {
    std::iter::once(LanguageVersion::new(1, 0)).chain(RELEASES.iter().map(|r| r.language))
}
