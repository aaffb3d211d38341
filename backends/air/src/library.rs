//! Libraries of selected functions.

use crate::bitcode;
use crate::metallib::{
    self, DebugLocation, FunctionConstant, FunctionEntry, LibraryHeader, SourceFile, Sources, VertexAttribute,
};
use crate::select::{Options, Selected, errors};
use airfoil_ir::Diagnostic;

impl Selected {
    /// A library with this function alone.
    pub fn to_metallib(&self, options: &Options) -> Result<Vec<u8>, Vec<Diagnostic>> {
        library(std::slice::from_ref(self), options)
    }

    fn library_entry<'s>(&'s self, options: &Options, air: &'s [u8]) -> FunctionEntry<'s> {
        let mut entry = FunctionEntry::new(&self.entry.name, self.entry.kind, &options.target, air);
        entry.layer = self.entry.layer;
        entry.debug = self.entry.debug.as_ref().map(|(line, path)| DebugLocation { line: *line, path });
        entry.tessellation = self.entry.tessellation;
        let constants = self.entry.constants.iter();
        entry.constants = constants
            .map(|(name, data_type, index)| FunctionConstant {
                name,
                data_type: *data_type,
                index: *index,
                active: true,
            })
            .collect();
        entry.vertex_attributes = self
            .entry
            .vertex_attributes
            .iter()
            .map(|(name, index, data_type)| VertexAttribute {
                name,
                index: *index,
                usage: 0,
                active: true,
                data_type: *data_type,
            })
            .collect();
        entry
    }
}

/// A library of several functions, such as the stages of a program. Their names must differ.
pub fn library(functions: &[Selected], options: &Options) -> Result<Vec<u8>, Vec<Diagnostic>> {
    library_with_sources(functions, options, &[])
}

/// The same with the sources for debuggers, in one archive.
///
/// # Errors
/// Two functions of one name, or a path of a source that an archive has no room for.
pub fn library_with_sources(
    functions: &[Selected],
    options: &Options,
    files: &[SourceFile],
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let modules: Vec<Vec<u8>> = functions.iter().map(|f| bitcode::write_wrapped(&f.module)).collect();
    let mut entries: Vec<FunctionEntry<'_>> =
        functions.iter().zip(&modules).map(|(f, air)| f.library_entry(options, air)).collect();
    let directory = options.debug.as_ref().map_or("", |debug| &debug.directory);
    let sources = (!files.is_empty()).then(|| Sources::of(directory, files.to_vec()));
    if sources.is_some() {
        entries.iter_mut().for_each(|entry| entry.archive = Some(0));
    }
    metallib::write_with_sources(&LibraryHeader::for_target(&options.target), &entries, sources.as_ref())
        .map_err(|e| vec![Diagnostic::error(errors::NOT_SELECTABLE, e.to_string())])
}
