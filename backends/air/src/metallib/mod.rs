//! The `.metallib` container (magic `MTLB`): the file that Metal loads, around one bitcode module per function.
//!
//! - [`write()`]: a list of [`FunctionEntry`] to bytes, laid out as Apple's `metallib` tool does it.
//! - [`read`]: bytes to a [`Library`], for every known container version, Apple's own files included. It takes
//!   hostile bytes: an unreadable structure is a located [`ReadError`], a wrong but readable one is a failed
//!   [`Check`]. Its [`Report`] is the text that the command line prints.
//! - [`function_entries`]: the input of the writer, read from any compiler's module.
//! - [`write_with_sources`], [`read_sources`]: the sources that a library carries for debuggers.
//! - [`rebuild()`]: a library that was read to bytes in the layout it had, Apple's compiler driver's included.
//! - [`wrapper`]: the 20-byte wrapper that Darwin targets add around bitcode, in a metallib and in `.air` files.
//! - [`fat`]: the archive of several metallibs, one for each GPU architecture.
//!
//! File order: header, function list, header extension tags, public metadata, private metadata, bitcode, trailing
//! sections. All integers are little-endian and nothing is aligned; only each bitcode blob has a size that is a
//! multiple of 16. A *tag* is 4 characters, `u16` size, payload; a list of tags ends with the bare word `ENDT`.

mod archive;
mod cursor;
mod error;
pub mod fat;
mod format;
mod library;
mod pack;
mod reader;
mod rebuild;
mod report;
mod sources;
mod types;
pub mod wrapper;
mod writer;

pub use archive::SourceFile;
pub use cursor::ReadError;
pub use error::WriteError;
pub use format::{
    DebugLocation, FileType, FunctionConstant, FunctionEntry, FunctionKind, LibraryHeader, Platform, TagName,
    Tessellation, VertexAttribute,
};
pub use library::{Check, Function, Library, Section, Style, Tag};
pub use pack::function_entries;
pub use reader::read;
pub use rebuild::rebuild;
pub use report::Report;
pub use sources::{SourceArchive, Sources, read_sources};
pub use types::DataType;
pub use writer::{write, write_with_sources};
