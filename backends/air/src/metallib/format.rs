//! The parts of a metallib as the reader and the writer share them.

use super::types::DataType;
use crate::target::{AirVersion, ContainerVersion, LanguageVersion, Os, OsVersion, Target};
use std::fmt;

/// First bytes of a metallib.
pub(super) const MAGIC: [u8; 4] = *b"MTLB";
/// Size of the header.
pub(super) const HEADER_SIZE: usize = 88;
/// Bitcode blobs have a size that is a multiple of this.
pub(super) const BLOB_ALIGN: usize = 16;
/// Most significant bit of the container's major version: the library is for macOS.
pub(super) const MACOS_BIT: u16 = 0x8000;
/// Bits of the index in a vertex attribute.
pub(super) const ATTRIBUTE_INDEX_MASK: u16 = 0x1fff;
/// Position of the usage in a vertex attribute.
pub(super) const ATTRIBUTE_USAGE_SHIFT: u16 = 13;
/// Bit of a vertex attribute that the function uses.
pub(super) const ATTRIBUTE_ACTIVE_BIT: u16 = 0x8000;

/// The four characters of a tag.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TagName(
    /// The characters, in file order.
    pub [u8; 4],
);

macro_rules! tags {
    ($($(#[doc = $doc:literal])* $name:ident)*) => {
        impl TagName {
            $($(#[doc = $doc])* pub const $name: Self = {
                let bytes = stringify!($name).as_bytes();
                Self([bytes[0], bytes[1], bytes[2], bytes[3]])
            };)*
        }
    };
}

tags! {
    /// End of a list of tags; has neither size nor payload.
    ENDT
    /// Name of the function, with its zero byte.
    NAME
    /// Kind of the function.
    TYPE
    /// SHA-256 of the padded blob.
    HASH
    /// Size of the padded blob.
    MDSZ
    /// Offsets in the public, private and bitcode sections.
    OFFT
    /// AIR and language version.
    VERS
    /// Tessellation patch.
    TESS
    /// Type of the layer output.
    LAYR
    /// Offset of the source archive.
    SOFF
    /// Offset of the reflection record.
    RFLT
    /// Public: vertex attributes.
    VATT
    /// Public: types of the vertex attributes.
    VATY
    /// Public: function constants.
    CNST
    /// Private: line and path of the source.
    DEBI
    /// Private: path of the `.air` file.
    DEPF
    /// Extension: dynamic header section.
    HDYN
    /// Extension: exported variables.
    VLST
    /// Extension: imported symbols.
    ILST
    /// Extension: exported variables, older name.
    ESYM
    /// Extension: imported symbols, older name.
    ISYM
    /// Extension: reflection section.
    RLST
    /// Extension: pipeline script section.
    SLST
    /// In the section of sources: an archive.
    SARC
    /// Extension: embedded sources, up to container 1.2.5.
    HSRC
    /// Extension: embedded sources, from container 1.2.6 on.
    HSRD
    /// Extension: identifier of the library.
    UUID
}

impl fmt::Display for TagName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for TagName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The kind of file that a metallib is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FileType {
    /// A library to make pipelines from.
    #[default]
    Executable,
    /// Core Image kernels.
    CoreImage,
    /// A dynamic library.
    Dynamic,
    /// Symbols of another file.
    SymbolCompanion,
    /// A number without a known meaning.
    Other(u8),
}

/// Kind of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionKind {
    /// Vertex shader, post-tessellation ones included.
    Vertex,
    /// Fragment shader.
    Fragment,
    /// Compute kernel.
    Kernel,
    /// No stage.
    Unqualified,
    /// Visible function.
    Visible,
    /// Function of a dynamic library.
    Extern,
    /// Intersection function.
    Intersection,
    /// Mesh shader.
    Mesh,
    /// Object shader.
    Object,
    /// A number without a known meaning.
    Other(u8),
}

/// Named values: conversion both ways and a printable name from one list.
macro_rules! numbered {
    ($type:ident { $($number:literal $variant:ident $name:literal)* }) => {
        impl $type {
            /// The value with this number.
            pub fn from_number(number: u8) -> Self {
                match number { $($number => Self::$variant,)* other => Self::Other(other) }
            }

            /// Its value in the file.
            pub fn number(self) -> u8 {
                match self { $(Self::$variant => $number,)* Self::Other(number) => number }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant => f.write_str($name),)*
                    Self::Other(number) => write!(f, "unknown kind {number}"),
                }
            }
        }
    };
}

numbered!(FileType { 0 Executable "executable" 1 CoreImage "Core Image" 2 Dynamic "dynamic" 3 SymbolCompanion "symbol companion" });
numbered!(FunctionKind {
    0 Vertex "vertex" 1 Fragment "fragment" 2 Kernel "kernel" 3 Unqualified "unqualified" 4 Visible "visible"
    5 Extern "extern" 6 Intersection "intersection" 7 Mesh "mesh" 8 Object "object"
});

/// A platform by its Mach-O number; 0 in containers that do not name it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Platform(
    /// The number.
    pub u8,
);

impl Platform {
    /// Names by value.
    const NAMES: [&str; 13] = [
        "unnamed platform",
        "macOS",
        "iOS",
        "tvOS",
        "watchOS",
        "bridgeOS",
        "Mac Catalyst",
        "iOS simulator",
        "tvOS simulator",
        "watchOS simulator",
        "DriverKit",
        "visionOS",
        "visionOS simulator",
    ];
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Self::NAMES.get(usize::from(self.0)) {
            Some(name) => f.write_str(name),
            None => write!(f, "platform {}", self.0),
        }
    }
}

/// The header of a library, without offsets and sizes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LibraryHeader {
    /// Version of the container.
    pub container: ContainerVersion,
    /// The library is for macOS, not for the iOS family.
    pub macos: bool,
    /// Kind of file.
    pub file_type: FileType,
    /// The library has only the interface of another one.
    pub stub: bool,
    /// Platform.
    pub platform: Platform,
    /// The target has 64 bits.
    pub wide: bool,
    /// Oldest OS version.
    pub os: OsVersion,
}

impl LibraryHeader {
    /// The header of a library for `target`.
    pub fn for_target(target: &Target) -> Self {
        let container = target.container();
        let named = container.has_platform();
        Self {
            container,
            macos: target.os() == Os::MacOs,
            file_type: FileType::Executable,
            stub: false,
            platform: if named { Platform(target.os().platform()) } else { Platform::default() },
            wide: named,
            os: if named { target.version() } else { OsVersion::new(0, 0, 0) },
        }
    }
}

/// Patch of a post-tessellation vertex function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tessellation(
    /// Bits 0 and 1: 1 triangle, 2 quad. The bits above: control points.
    pub u8,
);

impl Tessellation {
    /// Triangle patch, or `None` if the container has no room for this many control points (63 at most).
    pub fn triangle(control_points: u8) -> Option<Self> {
        (control_points < 64).then_some(Self(1 | (control_points << 2)))
    }

    /// Quad patch, or `None` if the container has no room for this many control points (63 at most).
    pub fn quad(control_points: u8) -> Option<Self> {
        (control_points < 64).then_some(Self(2 | (control_points << 2)))
    }

    /// Control points in a patch.
    pub fn control_points(self) -> u8 {
        self.0 >> 2
    }
}

impl fmt::Display for Tessellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patch = ["no patch", "triangle", "quad", "unknown patch"][usize::from(self.0 & 3)];
        write!(f, "{patch}, {} control points", self.control_points())
    }
}

/// An input of a vertex function that the vertex descriptor feeds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VertexAttribute<'a> {
    /// Name of the argument.
    pub name: &'a str,
    /// Attribute index, at most 8191.
    pub index: u16,
    /// 0 for vertices; other values for control points and patches. At most 3.
    pub usage: u8,
    /// The function reads it.
    pub active: bool,
    /// Its type.
    pub data_type: DataType,
}

/// A function constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionConstant<'a> {
    /// Name of the constant.
    pub name: &'a str,
    /// Its type.
    pub data_type: DataType,
    /// Its index.
    pub index: u16,
    /// The function reads it.
    pub active: bool,
}

/// One function of a library: the input of the writer and the result of the reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionEntry<'a> {
    /// Name, the same as the symbol of the function in the module.
    pub name: &'a str,
    /// Kind.
    pub kind: FunctionKind,
    /// AIR version of its module.
    pub air: AirVersion,
    /// Metal language version of its module.
    pub language: LanguageVersion,
    /// The module: bitcode in its [wrapper](super::wrapper), padded.
    pub bitcode: &'a [u8],
    /// Patch of a post-tessellation vertex function.
    pub tessellation: Option<Tessellation>,
    /// Type of the output that selects the layer, if there is one.
    pub layer: Option<DataType>,
    /// Inputs of a vertex function that the vertex descriptor feeds.
    pub vertex_attributes: Vec<VertexAttribute<'a>>,
    /// Function constants.
    pub constants: Vec<FunctionConstant<'a>>,
    /// Where it was defined, with debug information only.
    pub debug: Option<DebugLocation<'a>>,
    /// Index of the archive with its source, where the library has sources.
    pub archive: Option<usize>,
}

/// Where a function was defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DebugLocation<'a> {
    /// Line, from 1.
    pub line: u32,
    /// Path of the source.
    pub path: &'a str,
}

impl<'a> FunctionEntry<'a> {
    /// A function with the target's versions and no optional parts.
    pub fn new(name: &'a str, kind: FunctionKind, target: &Target, bitcode: &'a [u8]) -> Self {
        Self {
            name,
            kind,
            air: target.air(),
            language: target.language(),
            bitcode,
            tessellation: None,
            layer: None,
            vertex_attributes: Vec::new(),
            constants: Vec::new(),
            debug: None,
            archive: None,
        }
    }
}
