//! A parsed metallib: the result of [`read`](super::read).

use super::cursor::ReadError;
use super::format::{FunctionEntry, LibraryHeader, TagName};
use super::wrapper;

/// A parsed metallib, borrowing from its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Library<'a> {
    /// Header, but for offsets and sizes.
    pub header: LibraryHeader,
    /// Size of the file in bytes.
    pub file_size: usize,
    /// Function list, public metadata, private metadata, bitcode; then the sections that the extension points to.
    pub sections: Vec<Section>,
    /// Tags after the function list; `None` in containers without them.
    pub extension: Option<Vec<Tag<'a>>>,
    /// Functions in file order.
    pub functions: Vec<Function<'a>>,
    /// Everything that was verified, in the order of reading.
    pub checks: Vec<Check>,
}

/// A range of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Name for messages.
    pub name: String,
    /// First byte.
    pub offset: u64,
    /// Size in bytes; for the function list without its count, as in the header.
    pub size: u64,
}

/// A tag and its payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag<'a> {
    /// The four characters.
    pub name: TagName,
    /// Offset of the payload in the file.
    pub offset: u64,
    /// The payload.
    pub payload: &'a [u8],
}

/// One verification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The part that was verified.
    pub what: String,
    /// Offset of the verified bytes.
    pub offset: u64,
    /// The error, if there is one.
    pub failure: Option<String>,
}

/// Which of Apple's tools lays a library out like this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Style {
    /// The `metallib` tool; [`write`](super::write()) does the same.
    Tool,
    /// The compiler driver, when it links.
    Driver,
    /// Neither.
    Other,
}

/// A function of a parsed library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function<'a> {
    /// The entry with which the writer would write it again.
    pub entry: FunctionEntry<'a>,
    /// Offset of its entry in the file.
    pub offset: u64,
    /// Offset of its module in the file.
    pub bitcode_offset: u64,
    /// SHA-256 that the file claims for the module.
    pub hash: Option<[u8; 32]>,
    /// The claimed hash is right.
    pub hash_ok: bool,
    /// Offset of its source archive in the section of sources.
    pub source_offset: Option<u64>,
    /// Offset of its record in the reflection section.
    pub reflection_offset: Option<u64>,
    /// Path of the `.air` file it came from, with debug information only.
    pub dependency: Option<&'a str>,
    /// All tags of its entry.
    pub tags: Vec<Tag<'a>>,
    /// All tags of its public record.
    pub public_tags: Vec<Tag<'a>>,
    /// All tags of its private record.
    pub private_tags: Vec<Tag<'a>>,
    /// Layout of the entry and its records.
    pub style: Style,
}

impl<'a> Function<'a> {
    /// The bitcode without wrapper and padding, if the wrapper is good.
    pub fn bitcode(&self) -> Result<&'a [u8], ReadError> {
        wrapper::bitcode_of(self.entry.bitcode)
            .map_err(|e| ReadError { offset: self.bitcode_offset + e.offset, ..e })
    }
}

impl Library<'_> {
    /// Checks that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.failure.is_some())
    }

    /// The first failed check as an error.
    pub fn verify(&self) -> Result<(), ReadError> {
        match self.failures().next() {
            None => Ok(()),
            Some(check) => {
                let failure = check.failure.as_deref().unwrap_or_default();
                Err(ReadError { offset: check.offset, message: format!("{}: {failure}", check.what) })
            }
        }
    }

    /// Layout of the file as a whole.
    pub fn style(&self) -> Style {
        let sources = [TagName::HSRC, TagName::HSRD];
        let bare = self.extension.as_ref().is_none_or(|tags| tags.iter().all(|t| sources.contains(&t.name)));
        let all = |style| self.functions.iter().all(|f| f.style == style);
        match bare {
            true if all(Style::Tool) => Style::Tool,
            _ if all(Style::Driver) => Style::Driver,
            _ => Style::Other,
        }
    }

    /// The section with this name or extension tag.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// The random identifier of the library, if it has one.
    pub fn uuid(&self) -> Option<[u8; 16]> {
        let tags = self.extension.as_ref()?;
        tags.iter().find(|t| t.name == TagName::UUID)?.payload.try_into().ok()
    }
}
