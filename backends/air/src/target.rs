//! What a compilation is for: an operating system and its version, and what follows from them.
//!
//! Everything version dependent in an AIR module (its triple, `air.version`, which metadata keys exist, which
//! operands an intrinsic takes) and in the `.metallib` around it follows from the *deployment target*. One table,
//! [`RELEASES`], has the facts; writers ask [`Target`] a question by name instead of comparing versions themselves.
//!
//! ```
//! use airfoil_air::target::Target;
//! let target: Target = "macos13.3".parse().unwrap();
//! assert_eq!(target.triple(), "air64-apple-macosx13.3.0");
//! assert_eq!(target.air().to_string(), "2.5");
//! ```

use std::fmt;
use std::str::FromStr;

/// The one data layout of AIR; the same text for every AIR version (1.8 to 2.8).
pub const DATA_LAYOUT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-\
v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-\
v1024:1024:1024-n8:16:32";

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

impl FromStr for LanguageVersion {
    type Err = TargetError;

    /// Reads `3.1`, `metal3.1` or `Metal 3.1`; only versions that exist.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        let lower = text.trim().to_ascii_lowercase();
        let number = lower.strip_prefix("metal").unwrap_or(&lower).trim_start();
        language_versions().find(|v| v.to_string() == number).ok_or_else(|| {
            error(format!("unknown Metal language version `{text}`; accepted: {}", list(language_versions())))
        })
    }
}

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
enum Family {
    MacOs,
    Ios,
    VisionOs,
}

/// How one [`Os`] is written.
struct OsSpelling {
    os: Os,
    family: Family,
    /// Short name, in front of the version.
    name: &'static str,
    /// Word in a target triple, in front of the version.
    triple: &'static str,
    /// After the version, in both forms.
    suffix: &'static str,
    /// Mach-O platform number, which the container's header has.
    platform: u8,
    /// Name for messages.
    title: &'static str,
}

#[rustfmt::skip]
const OSES: &[OsSpelling] = &[
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
    fn spelling(self) -> &'static OsSpelling {
        OSES.iter().find(|s| s.os == self).expect("the table has every Os")
    }

    /// Name for messages, such as `macOS`.
    pub fn title(self) -> &'static str {
        self.spelling().title
    }

    /// Number of the platform in Mach-O files and in the container's header.
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

    fn contains(&self, os: Os, version: OsVersion) -> bool {
        let Some(first) = self.first_version(os) else { return false };
        match os.spelling().family {
            Family::MacOs if first.major == 10 => (version.major, version.minor) == (10, first.minor),
            Family::Ios => (first.major..=self.ios.1).contains(&version.major),
            Family::MacOs | Family::VisionOs => version.major == first.major,
        }
    }

    /// Version words for messages: `13`, `10.15`, `8`.
    fn versions(&self, os: Os) -> impl Iterator<Item = OsVersion> {
        let first = self.first_version(os);
        let last = if os.spelling().family == Family::Ios { self.ios.1 } else { 0 };
        first.into_iter().flat_map(move |v| {
            (v.major..=v.major.max(last)).map(move |major| OsVersion::new(major, v.minor, 0))
        })
    }
}

/// Metal language versions, oldest first.
fn language_versions() -> impl Iterator<Item = LanguageVersion> {
    std::iter::once(LanguageVersion::new(1, 0)).chain(RELEASES.iter().map(|r| r.language))
}

/// How the triple spells the architecture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ArchSpelling {
    /// `air64`: what toolchains up to Xcode 16 write; every later OS accepts it.
    #[default]
    Plain,
    /// `air64_v26`: the AIR version is in the name, as newer toolchains have it.
    Versioned,
}

/// How a constant sampler is stored in a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SamplerEncoding {
    /// A pointer constant made from the integer state (AIR 1.8).
    IntToPtr,
    /// A global of type `i64`, with bit 63 of the state set.
    Word,
    /// A global of type `[2 x i64]`, with bit 63 of the first word clear.
    WordPair,
}

/// What a compilation is for. Default: macOS 13.
///
/// macOS 13 is the oldest release whose AIR has every key that current drivers read (`air.address_space`), and
/// the last one below the attribute and instruction set of newer LLVM, so that all later loaders take its modules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    os: Os,
    version: OsVersion,
    air: AirVersion,
    language: LanguageVersion,
    container: ContainerVersion,
    arch: ArchSpelling,
}

impl Default for Target {
    fn default() -> Self {
        Self::new(Os::MacOs, OsVersion::new(13, 0, 0)).expect("macOS 13 is in the table")
    }
}

impl Target {
    /// The target of an OS version, with that version's AIR and newest Metal language.
    pub fn new(os: Os, version: OsVersion) -> Result<Self, TargetError> {
        let release = RELEASES.iter().find(|r| r.contains(os, version)).ok_or_else(|| {
            let versions = list_short(RELEASES.iter().flat_map(|r| r.versions(os)));
            error(format!(
                "no Metal target for {} {version:#}; accepted versions of {}: {versions} (with any minor version)",
                os.title(),
                os.title(),
            ))
        })?;
        Ok(Self {
            os,
            version,
            air: release.air,
            language: release.language,
            container: release.container,
            arch: ArchSpelling::default(),
        })
    }

    /// The same target with another Metal language version, which must not be newer than what the OS knows.
    pub fn with_language(self, language: LanguageVersion) -> Result<Self, TargetError> {
        let newest = Self::new(self.os, self.version)?.language;
        let known = || language_versions().filter(move |v| *v <= newest);
        if known().any(|v| v == language) {
            return Ok(Self { language, ..self });
        }
        Err(error(format!(
            "{} {:#} does not know Metal {language}; accepted: {}",
            self.os.title(),
            self.version,
            list(known())
        )))
    }

    /// The same target with another spelling of the architecture in its triple.
    pub fn with_arch(self, arch: ArchSpelling) -> Self {
        Self { arch, ..self }
    }

    /// Operating system.
    pub fn os(&self) -> Os {
        self.os
    }

    /// Oldest OS version that shall load the library.
    pub fn version(&self) -> OsVersion {
        self.version
    }

    /// AIR version of modules.
    pub fn air(&self) -> AirVersion {
        self.air
    }

    /// Metal language version that modules claim.
    pub fn language(&self) -> LanguageVersion {
        self.language
    }

    /// Version of the `.metallib` container.
    pub fn container(&self) -> ContainerVersion {
        self.container
    }

    /// Target triple of modules, such as `air64-apple-macosx14.0.0`.
    pub fn triple(&self) -> String {
        let spelling = self.os.spelling();
        let arch = match self.arch {
            ArchSpelling::Plain => "air64".to_string(),
            ArchSpelling::Versioned => format!("air64_v{}", arch_number(self.air)),
        };
        format!("{arch}-apple-{}{}{}", spelling.triple, self.version, spelling.suffix)
    }

    /// Data layout of modules.
    pub fn data_layout(&self) -> &'static str {
        DATA_LAYOUT
    }

    /// Version for the `SDK Version` module flag: the deployment target's own.
    ///
    /// Apple writes the version of the SDK that compiled, which is at least the deployment target's. Trailing
    /// numbers: the flag has two elements, or three if the patch number is not 0.
    pub fn sdk_version(&self) -> OsVersion {
        self.version
    }

    fn air_at_least(&self, major: u16, minor: u16) -> bool {
        self.air >= AirVersion::new(major, minor)
    }

    /// The module flag `frame-pointer` is written (macOS 14 and its peers).
    pub fn has_frame_pointer_flag(&self) -> bool {
        self.air_at_least(2, 6)
    }

    /// The module flags `air.max_device_buffers` and so on are written.
    pub fn has_resource_limit_flags(&self) -> bool {
        self.air_at_least(2, 3)
    }

    /// Buffer arguments have the key `air.address_space`.
    pub fn writes_address_space_key(&self) -> bool {
        self.air_at_least(2, 5)
    }

    /// `air.render_target` has a second integer, the index of the blend source.
    pub fn render_target_has_index(&self) -> bool {
        self.air_at_least(2, 0)
    }

    /// `air.read_*` takes a sampler (`air.get_read_sampler`) after the texture.
    pub fn read_needs_sampler(&self) -> bool {
        self.air_at_least(2, 8)
    }

    /// Texture reads and texture atomics on 2d, 2d array and 3d textures take an offset vector.
    pub fn texture_access_has_offset(&self) -> bool {
        self.air_at_least(2, 8)
    }

    /// Buffer atomics have an `i32` of flags in front of the `volatile` bit.
    pub fn atomics_have_flags(&self) -> bool {
        self.air_at_least(2, 9)
    }

    /// Attributes of newer LLVM are written: `mustprogress nofree nosync willreturn noundef`.
    pub fn has_modern_attributes(&self) -> bool {
        self.air_at_least(2, 6)
    }

    /// `poison`, `freeze` and `fneg` may appear; older readers want `undef` and `fsub -0.0, x`.
    pub fn has_poison_and_fneg(&self) -> bool {
        self.air_at_least(2, 6)
    }

    /// The initial value of a function constant is in the section `air.fc_initializer`.
    pub fn function_constants_have_section(&self) -> bool {
        self.air_at_least(2, 5)
    }

    /// Framebuffer fetch is on in `air.compile_options`; before macOS 11 Apple's tools write it as off.
    pub fn has_framebuffer_fetch(&self) -> bool {
        self.air_at_least(2, 3)
    }

    /// `air.compile_options` lists `native_double_disable` and its peers (AIR 2.2 only).
    pub fn has_native_type_options(&self) -> bool {
        self.air == AirVersion::new(2, 2)
    }

    /// How constant samplers are stored.
    pub fn sampler_encoding(&self) -> SamplerEncoding {
        if self.air_at_least(2, 8) {
            SamplerEncoding::WordPair
        } else if self.air_at_least(2, 2) {
            SamplerEncoding::Word
        } else {
            SamplerEncoding::IntToPtr
        }
    }
}

/// N of `air64_vN`.
fn arch_number(air: AirVersion) -> u16 {
    air.major * 10 + air.minor
}

/// The short form, such as `macos13.3` or `ios17-simulator`; it parses back to the same OS and version.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spelling = self.os.spelling();
        write!(f, "{}{:#}{}", spelling.name, self.version, spelling.suffix)
    }
}

impl FromStr for Target {
    type Err = TargetError;

    /// Reads the short form (`macos14`, `macos13.3`, `ios17-simulator`, `ios17-macabi`) or a triple
    /// (`air64-apple-macosx14.0.0`, `air64_v26-apple-ios17.0.0`), which also sets the spelling of the architecture.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        let Some((arch, rest)) = text.split_once("-apple-") else {
            return parse_os_and_version(text, text);
        };
        let target = parse_os_and_version(rest, text)?;
        let versioned = arch_number(target.air);
        match arch.strip_prefix("air64") {
            Some("") => Ok(target),
            Some(v) if v.strip_prefix("_v").and_then(|n| n.parse().ok()) == Some(versioned) => {
                Ok(target.with_arch(ArchSpelling::Versioned))
            }
            _ => Err(error(format!(
                "architecture `{arch}` does not fit {} {:#}; accepted: air64, air64_v{versioned}",
                target.os.title(),
                target.version
            ))),
        }
    }
}

/// Parses `<os><version>[suffix]` with the OS names of both forms; `whole` is for messages.
fn parse_os_and_version(text: &str, whole: &str) -> Result<Target, TargetError> {
    let unknown = || {
        let mut forms: Vec<String> = Vec::new();
        for s in OSES {
            forms.push(format!("{}VERSION{}", s.name, s.suffix));
        }
        error(format!(
            "unknown target `{whole}`; accepted: {} (for example macos14, ios17.2-simulator) or a triple such as \
             air64-apple-macosx14.0.0",
            list(forms.iter())
        ))
    };
    let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (name, rest) = text.split_at(digits);
    let end = rest.find('-').unwrap_or(rest.len());
    let (number, suffix) = rest.split_at(end);
    let spelling = OSES
        .iter()
        .find(|s| (name == s.name || name == s.triple) && suffix == s.suffix)
        .ok_or_else(unknown)?;
    if number.is_empty() {
        let newest = RELEASES.iter().rev().find_map(|r| r.first_version(spelling.os));
        let newest = newest.map(|v| format!("{v:#}")).unwrap_or_default();
        return Err(error(format!(
            "target `{whole}` has no version; write one, such as {}{newest}{}",
            spelling.name, spelling.suffix
        )));
    }
    let version = parse_version(number).ok_or_else(|| {
        error(format!(
            "`{number}` in target `{whole}` is not a version; accepted: one to three numbers with dots between \
             them, the second and third at most 255"
        ))
    })?;
    Target::new(spelling.os, version)
}

fn parse_version(text: &str) -> Option<OsVersion> {
    let mut parts = text.split('.');
    let major = number(parts.next()?)?;
    let minor = parts.next().map_or(Some(0), number)?;
    let patch = parts.next().map_or(Some(0), number)?;
    parts.next().is_none().then_some(OsVersion::new(major, minor, patch))
}

/// Digits only: `u16::from_str` would take a plus sign too.
fn number<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn list<T: fmt::Display>(items: impl Iterator<Item = T>) -> String {
    items.map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
}

fn list_short(items: impl Iterator<Item = OsVersion>) -> String {
    items.map(|v| format!("{v:#}")).collect::<Vec<_>>().join(", ")
}

/// Why a target was refused, with what would have been accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetError(String);

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TargetError {}

fn error(message: String) -> TargetError {
    TargetError(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Target {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn default_is_macos_13() {
        let t = Target::default();
        assert_eq!(t.triple(), "air64-apple-macosx13.0.0");
        assert_eq!(t.air(), AirVersion::new(2, 5));
        assert_eq!(t.language(), LanguageVersion::new(3, 0));
        assert_eq!(t.container(), ContainerVersion::new(1, 2, 7));
        assert!(t.writes_address_space_key() && !t.has_frame_pointer_flag());
    }

    #[test]
    fn short_forms_and_triples() {
        for (text, short, triple, air) in [
            ("macos14", "macos14", "air64-apple-macosx14.0.0", "2.6"),
            ("macosx13.3", "macos13.3", "air64-apple-macosx13.3.0", "2.5"),
            ("macos10.11.6", "macos10.11.6", "air64-apple-macosx10.11.6", "1.8"),
            ("ios17-simulator", "ios17-simulator", "air64-apple-ios17.0.0-simulator", "2.6"),
            ("ios17.2-macabi", "ios17.2-macabi", "air64-apple-ios17.2.0-macabi", "2.6"),
            ("tvos9", "tvos9", "air64-apple-tvos9.0.0", "1.8"),
            ("visionos2", "visionos2", "air64-apple-xros2.0.0", "2.7"),
            (
                "air64-apple-xros26.0.0-simulator",
                "visionos26-simulator",
                "air64-apple-xros26.0.0-simulator",
                "2.8",
            ),
            ("air64_v26-apple-ios17.0.0", "ios17", "air64_v26-apple-ios17.0.0", "2.6"),
        ] {
            let t = parse(text);
            assert_eq!((t.to_string().as_str(), t.triple().as_str()), (short, triple), "{text}");
            assert_eq!(t.air().to_string(), air, "{text}");
            assert_eq!(parse(&t.triple()), t);
            assert_eq!(parse(&t.to_string()).version(), t.version());
        }
    }

    #[test]
    fn every_release_of_every_os_parses_back() {
        for s in OSES {
            let mut count = 0;
            for release in s.os.releases() {
                let version = release.first_version(s.os).unwrap();
                let t = Target::new(s.os, version).unwrap();
                assert_eq!(t.air(), release.air);
                assert_eq!(parse(&t.to_string()), t);
                assert_eq!(t.with_language(t.language()).unwrap(), t);
                count += 1;
            }
            assert!(count >= 4, "{}", s.title);
        }
    }

    #[test]
    fn refusals_say_what_is_accepted() {
        for (text, words) in [
            ("", "accepted: macosVERSION"),
            ("windows10", "unknown target `windows10`"),
            ("macos", "has no version; write one, such as macos27"),
            (
                "macos16",
                "accepted versions of macOS: 10.11, 10.12, 10.13, 10.14, 10.15, 11, 12, 13, 14, 15, 26, 27",
            ),
            ("macos10.10", "no Metal target for macOS 10.10"),
            ("macos13.", "`13.` in target `macos13.` is not a version"),
            ("macos13.256", "at most 255"),
            ("macos+13", "unknown target"),
            ("macos99999999999", "is not a version"),
            ("ios8-macabi", "accepted versions of Mac Catalyst: 13, "),
            ("tvos8", "accepted versions of tvOS: 9, 10"),
            ("macos14-simulator", "unknown target"),
            ("air64_v27-apple-ios17.0.0", "accepted: air64, air64_v26"),
            ("x86_64-apple-macosx14.0.0", "architecture `x86_64` does not fit macOS 14"),
        ] {
            let message = text.parse::<Target>().unwrap_err().to_string();
            assert!(message.contains(words), "{text}: {message}");
        }
    }

    #[test]
    fn language_versions_are_limited_by_the_os() {
        let t = parse("macos14");
        let older: LanguageVersion = "metal2.4".parse().unwrap();
        assert_eq!(t.with_language(older).unwrap().language(), LanguageVersion::new(2, 4));
        let message = t.with_language(LanguageVersion::new(3, 2)).unwrap_err().to_string();
        assert!(message.starts_with("macOS 14 does not know Metal 3.2; accepted: 1.0, 1.1"), "{message}");
        assert!(message.ends_with("3.0, 3.1"), "{message}");
        assert!(t.with_language(LanguageVersion::new(2, 9)).is_err());
        assert!("2.9".parse::<LanguageVersion>().is_err());
        assert_eq!("Metal 4.0".parse::<LanguageVersion>().unwrap(), LanguageVersion::new(4, 0));
    }

    #[test]
    fn dialect_thresholds() {
        let flags = |name: &str| {
            let t = parse(name);
            [
                t.render_target_has_index(),
                t.has_native_type_options(),
                t.has_resource_limit_flags(),
                t.writes_address_space_key(),
                t.has_modern_attributes(),
                t.read_needs_sampler(),
                t.atomics_have_flags(),
            ]
            .map(u8::from)
        };
        assert_eq!(flags("macos10.12"), [0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(flags("ios13"), [1, 1, 0, 0, 0, 0, 0]);
        assert_eq!(flags("macos12"), [1, 0, 1, 0, 0, 0, 0]);
        assert_eq!(flags("ios16"), [1, 0, 1, 1, 0, 0, 0]);
        assert_eq!(flags("visionos1"), [1, 0, 1, 1, 1, 0, 0]);
        assert_eq!(flags("tvos26"), [1, 0, 1, 1, 1, 1, 0]);
        assert_eq!(flags("macos27"), [1, 0, 1, 1, 1, 1, 1]);
    }
}
