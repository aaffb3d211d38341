//! Target of a compilation: an operating system and its version, and the properties that follow from them.
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

mod parse;
mod table;
#[cfg(test)]
mod tests;
mod versions;

pub use table::{Os, RELEASES, Release};
pub use versions::{AirVersion, ContainerVersion, LanguageVersion, OsVersion};

use parse::{list, list_short};
use std::fmt::{self, Write};
use table::language_versions;

/// The one data layout of AIR; the same text for every AIR version (1.8 to 2.8).
pub const DATA_LAYOUT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-\
v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-\
v1024:1024:1024-n8:16:32";

/// How the triple spells the architecture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ArchSpelling {
    /// `air64`: written by toolchains up to Xcode 16; every later OS accepts it.
    #[default]
    Plain,
    /// `air64_v26`: the name contains the AIR version, as with newer toolchains.
    Versioned,
}

/// How a constant sampler is stored in a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SamplerEncoding {
    /// A pointer constant built from the integer state (AIR 1.8).
    IntToPtr,
    /// A global of type `i64`, with bit 63 of the state set.
    Word,
    /// A global of type `[2 x i64]`, with bit 63 of the first word clear.
    WordPair,
}

/// Target of a compilation. Default: macOS 13.
///
/// macOS 13 is the oldest release whose AIR writes `air.address_space`, and the last one whose modules do without the
/// attributes and instructions of newer LLVM; every later loader takes such modules.
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

    /// The same target with another Metal language version, which must not be newer than the OS supports.
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

    /// Oldest OS version that must load the library.
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
        let mut triple = String::with_capacity(40);
        triple.push_str("air64");
        // Writing to a string cannot fail.
        if self.arch == ArchSpelling::Versioned {
            let _ = write!(triple, "_v{}", arch_number(self.air));
        }
        let _ = write!(triple, "-apple-{}{}{}", spelling.triple, self.version, spelling.suffix);
        triple
    }

    /// Data layout of modules.
    pub fn data_layout(&self) -> &'static str {
        DATA_LAYOUT
    }

    /// Version for the `SDK Version` module flag: the deployment target's own.
    ///
    /// Apple writes the version of the SDK that compiled, which is at least the deployment target's. Trailing
    /// numbers: the flag has two elements, or three if the patch version is not 0.
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

    /// Buffer atomics have an `i32` of flags before the `volatile` bit.
    pub fn atomics_have_flags(&self) -> bool {
        self.air_at_least(2, 9)
    }

    /// There are object and mesh functions (Metal 3).
    pub fn has_mesh_functions(&self) -> bool {
        self.air_at_least(2, 5)
    }

    /// Buffers have addresses that shaders can follow (Metal 3).
    pub fn has_gpu_addresses(&self) -> bool {
        self.air_at_least(2, 5)
    }

    /// Attributes of newer LLVM are written: `mustprogress nofree nosync willreturn noundef`.
    pub fn has_modern_attributes(&self) -> bool {
        self.air_at_least(2, 6)
    }

    /// `poison`, `freeze` and `fneg` may appear; older readers require `undef` and `fsub -0.0, x`.
    pub fn has_poison_and_fneg(&self) -> bool {
        self.air_at_least(2, 6)
    }

    /// The functions `llvm.smin`, `llvm.fshl` and their relatives, which LLVM 5 lacks, may be called.
    pub fn has_recent_intrinsics(&self) -> bool {
        self.air_at_least(2, 6)
    }

    /// Loops that make progress are marked (`llvm.loop.mustprogress`).
    pub fn marks_progress(&self) -> bool {
        self.air_at_least(2, 6)
    }

    /// Sums have the operand first that was defined later: some readers of these versions rejected the other order.
    pub fn orders_operands_of_sums(&self) -> bool {
        !self.air_at_least(2, 6)
    }

    /// The initial value of a function constant is in the section `air.fc_initializer`.
    pub fn function_constants_have_section(&self) -> bool {
        self.air_at_least(2, 5)
    }

    /// Framebuffer fetch is on in `air.compile_options`: on macOS from Metal 2.3, elsewhere always, as Apple's tools write it.
    pub fn has_framebuffer_fetch(&self) -> bool {
        self.os != Os::MacOs || self.language >= LanguageVersion::new(2, 3)
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

/// The reason why a target was rejected, with the targets that are accepted.
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
