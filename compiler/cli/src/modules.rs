//! The modules in a file: a library, an archive of several, an `.air` or a `.bc` file.

use crate::Failure;
use crate::output::{self, words};
use crate::report::Console;
use crate::source::read_bytes;
use airfoil::air::bitcode;
use airfoil::air::metallib::{self, ReadError, fat, wrapper};
use airfoil::air::module::Module;
use airfoil::{Diagnostic, Place};
use std::path::Path;
use std::process::ExitCode;

/// First bytes of bitcode without wrapper.
const BITCODE_MAGIC: &[u8] = b"BC\xc0\xde";
/// First bytes of bitcode in a wrapper.
const WRAPPER_MAGIC: &[u8] = &0x0b17_c0de_u32.to_le_bytes();

/// Whether bytes are a module, not a library.
pub fn is_module(bytes: &[u8]) -> bool {
    bytes.starts_with(BITCODE_MAGIC) || bytes.starts_with(WRAPPER_MAGIC)
}

/// The bytes of a file, and how to speak about it.
pub struct File {
    /// Name for messages.
    pub name: String,
    /// Contents.
    pub bytes: Vec<u8>,
    console: Console,
}

/// A module in a file.
pub struct Part<'a> {
    /// Function that it is for; empty for a file that is one module.
    pub function: &'a str,
    /// Slice of the archive it is in.
    pub slice: Option<usize>,
    /// Where it starts in the file.
    pub offset: usize,
    /// The module, wrapped or bare.
    pub blob: &'a [u8],
}

impl File {
    /// Reads a file.
    pub fn read(path: &Path, console: Console) -> Result<File, Failure> {
        let name = path.display().to_string();
        match read_bytes(path) {
            Ok(bytes) => Ok(File { name, bytes, console }),
            Err(fault) => Err(Failure::Reported(1, console.render(&[*fault], &name, None))),
        }
    }

    /// A failure in this file.
    pub fn refuse(&self, fault: Diagnostic) -> Failure {
        Failure::Reported(1, self.console.render(&[fault], &self.name, None))
    }

    /// A fault of the bytes from `base` on.
    pub fn unreadable(&self, base: usize, error: ReadError) -> Failure {
        self.refuse(*unreadable(base, error))
    }

    /// The libraries in the file with the offset of each; none if it is a module.
    pub fn libraries(&self) -> Result<Vec<(usize, metallib::Library<'_>)>, Failure> {
        if is_module(&self.bytes) {
            return Ok(Vec::new());
        }
        let slices = self.slices()?;
        let library = |(base, bytes)| match metallib::read(bytes) {
            Ok(library) => Ok((base, library)),
            Err(e) => Err(self.unreadable(base, e)),
        };
        slices.into_iter().map(library).collect()
    }

    /// The bytes of the libraries of a file that is not a module, with the offset of each.
    pub fn slices(&self) -> Result<Vec<(usize, &[u8])>, Failure> {
        if !fat::is_fat(&self.bytes) {
            return Ok(vec![(0, self.bytes.as_slice())]);
        }
        let slices = fat::slices(&self.bytes).map_err(|e| self.unreadable(0, e))?;
        Ok(slices.iter().map(|s| (s.offset as usize, s.bytes)).collect())
    }

    /// The modules of `libraries`, or the file itself if it is one.
    pub fn parts<'a>(&'a self, libraries: &'a [(usize, metallib::Library<'a>)]) -> Vec<Part<'a>> {
        if is_module(&self.bytes) {
            return vec![Part { function: "", slice: None, offset: 0, blob: &self.bytes }];
        }
        let several = libraries.len() > 1;
        let of = |(at, (base, library)): (usize, &'a (usize, metallib::Library<'a>))| {
            library.functions.iter().map(move |f| Part {
                function: f.entry.name,
                slice: several.then_some(at),
                offset: base.saturating_add(usize::try_from(f.bitcode_offset).unwrap_or(0)),
                blob: f.entry.bitcode,
            })
        };
        libraries.iter().enumerate().flat_map(of).collect()
    }

    /// The module of a part.
    pub fn module(&self, part: &Part<'_>) -> Result<Module, Failure> {
        bitcode::read(part.blob).map_err(|e| self.unreadable(part.offset, e))
    }
}

/// The diagnostic for bytes from `base` on that cannot be read.
pub fn unreadable(base: usize, error: ReadError) -> Box<Diagnostic> {
    let offset = base.saturating_add(usize::try_from(error.offset).unwrap_or(usize::MAX));
    Diagnostic::error("E0008", error.message).at(Place::Byte(offset)).into()
}

/// Prints the product of a command.
pub fn print(text: &str) -> Result<ExitCode, Failure> {
    match output::print(text.as_bytes()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(e) => Err(Failure::Reported(1, format!("error: cannot print: {}\n", words(&e)))),
    }
}

/// The blob of a module: wrapped and padded.
pub fn wrapped(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let bitcode = wrapper::bitcode_of(bytes).map_err(|e| e.to_string())?;
    wrapper::wrap(bitcode).map_err(|e| e.to_string())
}
