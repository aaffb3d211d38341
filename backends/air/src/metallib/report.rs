//! The text that describes a library: the output of `airfoil metallib FILE`.

use super::format::TagName;
use super::library::{Function, Library, Style};
use std::fmt;

/// A [`Library`] as text.
#[derive(Clone, Copy, Debug)]
pub struct Report<'l, 'a>(&'l Library<'a>);

impl<'a> Library<'a> {
    /// The library as text: header, sections, checks, and each function.
    pub fn report(&self) -> Report<'_, 'a> {
        Report(self)
    }
}

/// First bytes of a hash that are shown.
const HASH_BYTES: usize = 8;

impl fmt::Display for Report<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let library = self.0;
        let header = &library.header;
        writeln!(f, "metallib, container {}, {} bytes", header.container, library.file_size)?;

        let stub = if header.stub { ", stub" } else { "" };
        write!(f, "  target      ")?;
        match header.container.has_platform() {
            true => {
                write!(f, "{} {:#}, {} bits", header.platform, header.os, if header.wide { 64 } else { 32 })?
            }
            false => write!(f, "{}", if header.macos { "macOS" } else { "iOS family" })?,
        }
        writeln!(f, ", {}{stub}", header.file_type)?;
        let style = match library.style() {
            Style::Tool => "metallib tool",
            Style::Driver => "compiler driver",
            Style::Other => "other",
        };
        writeln!(f, "  layout      {style}")?;
        if let Some(uuid) = library.uuid() {
            writeln!(f, "  identifier  {}", Hex(&uuid))?;
        }
        for (index, section) in library.sections.iter().enumerate() {
            let head = if index == 0 { "sections" } else { "" };
            writeln!(f, "  {head:<10}  {:#08x} {:>8} bytes  {}", section.offset, section.size, section.name)?;
        }
        let failed = library.failures().count();
        writeln!(f, "  checks      {} passed, {failed} failed", library.checks.len() - failed)?;
        for check in library.failures() {
            let failure = check.failure.as_deref().unwrap_or_default();
            writeln!(
                f,
                "    FAILED at {:#x}: {}: {}",
                check.offset,
                check.what.escape_debug(),
                failure.escape_debug()
            )?;
        }
        library.functions.iter().try_for_each(|function| write_function(f, function))
    }
}

fn write_function(f: &mut fmt::Formatter<'_>, function: &Function<'_>) -> fmt::Result {
    let entry = &function.entry;
    writeln!(f, "\n{} {}", entry.kind, entry.name.escape_debug())?;
    writeln!(f, "  versions    AIR {}, Metal {}", entry.air, entry.language)?;
    write!(f, "  module      {} bytes at {:#x}", entry.bitcode.len(), function.bitcode_offset)?;
    match function.bitcode() {
        Ok(bitcode) => writeln!(f, ", {} of bitcode", bitcode.len())?,
        Err(_) => writeln!(f, ", no good wrapper")?,
    }
    if let Some(hash) = &function.hash {
        let verdict = if function.hash_ok { "ok" } else { "WRONG" };
        writeln!(f, "  hash        {}... {verdict}", Hex(&hash[..HASH_BYTES]))?;
    }
    if let Some(patch) = entry.tessellation {
        writeln!(f, "  patch       {patch}")?;
    }
    if let Some(layer) = entry.layer {
        writeln!(f, "  layer       {layer}")?;
    }
    let unused = |active: bool| if active { "" } else { "  (unused)" };
    for (index, a) in entry.vertex_attributes.iter().enumerate() {
        let head = if index == 0 { "attributes" } else { "" };
        let usage = ["", "  (usage 1)", "  (usage 2)", "  (usage 3)"][usize::from(a.usage & 3)];
        let name = a.name.escape_debug();
        writeln!(f, "  {head:<10}  {:>2}  {} {name}{usage}{}", a.index, a.data_type, unused(a.active))?;
    }
    for (index, c) in entry.constants.iter().enumerate() {
        let head = if index == 0 { "constants" } else { "" };
        writeln!(
            f,
            "  {head:<10}  {:>2}  {} {}{}",
            c.index,
            c.data_type,
            c.name.escape_debug(),
            unused(c.active)
        )?;
    }
    if let Some(debug) = function.entry.debug {
        writeln!(f, "  source      {}:{}", debug.path.escape_debug(), debug.line)?;
    }
    if let Some(path) = function.dependency {
        writeln!(f, "  object      {}", path.escape_debug())?;
    }
    let known = [TagName::VATT, TagName::VATY, TagName::CNST, TagName::DEBI, TagName::DEPF];
    for tag in function.public_tags.iter().chain(&function.private_tags) {
        if !known.contains(&tag.name) {
            writeln!(f, "  {:<10}  {} bytes at {:#x}", tag.name.to_string(), tag.payload.len(), tag.offset)?;
        }
    }
    Ok(())
}

/// Bytes as hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
