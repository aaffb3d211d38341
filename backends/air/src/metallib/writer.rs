//! Writes a metallib in the layout of Apple's `metallib` tool.
//!
//! Entries are `NAME TYPE HASH MDSZ OFFT VERS [TESS] [LAYR] [SOFF]`, records in the metadata sections do not count their own
//! size word, and the header extension has nothing but the section of sources, if there is one, and its end. (The compiler driver's layout has another tag order,
//! an identifier and reflection, all of which loaders do without.) Sizes are summed first, so that the file is
//! allocated once and written front to back.

use super::error::WriteError;
use super::format::{
    ATTRIBUTE_ACTIVE_BIT, ATTRIBUTE_INDEX_MASK, ATTRIBUTE_USAGE_SHIFT, BLOB_ALIGN, DebugLocation,
    FunctionEntry, HEADER_SIZE, LibraryHeader, MACOS_BIT, MAGIC, TagName,
};
use super::sources::{self, Sources};
use super::wrapper;
use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};

/// Size of a tag without its payload.
const TAG_SIZE: usize = 6;
/// Size of the word that ends a list of tags.
const END_SIZE: usize = 4;
/// Size word and end of a record.
const EMPTY_RECORD_SIZE: usize = 4 + END_SIZE;
/// Payloads of `TYPE`, `HASH`, `MDSZ`, `OFFT` and `VERS`.
const FIXED_PAYLOADS: [usize; 5] = [1, 32, 8, 24, 8];

/// Writes a library with these functions, in this order.
pub fn write(header: &LibraryHeader, functions: &[FunctionEntry<'_>]) -> Result<Vec<u8>, WriteError> {
    write_with_sources(header, functions, None)
}

/// The same with the sources of the functions.
///
/// # Errors
/// As [`write()`]; a path of a source that its archive has no room for; a container from before there were sources.
pub fn write_with_sources(
    header: &LibraryHeader,
    functions: &[FunctionEntry<'_>],
    sources: Option<&Sources>,
) -> Result<Vec<u8>, WriteError> {
    check_names(functions)?;
    let (sources_section, archives) = match sources {
        Some(_) if !header.container.has_extension() => {
            let message = format!("a container of version {} has no sources", header.container);
            return Err(WriteError::new(message));
        }
        Some(sources) => sources::encode(sources, header.container)?,
        None => (Vec::new(), Vec::new()),
    };
    let count = u32::try_from(functions.len())
        .map_err(|_| WriteError::new(format!("{} functions are too many for a library", functions.len())))?;
    let mut sizes = Sizes::default();
    for function in functions {
        check(function, &archives)?;
        sizes.list += entry_size(function);
        sizes.public += public_record_size(function);
        sizes.private += private_record_size(function);
        sizes.bitcode += function.bitcode.len();
    }

    let source_tag = if sources.is_some() { TAG_SIZE + 16 } else { 0 };
    let extension = if header.container.has_extension() { source_tag + END_SIZE } else { 0 };
    let public = HEADER_SIZE + 4 + sizes.list + extension;
    let private = public + sizes.public;
    let bitcode = private + sizes.private;
    let end = bitcode + sizes.bitcode;
    let total = end + sources_section.len();

    let mut out = Vec::with_capacity(total);
    write_header(&mut out, header);
    for word in
        [total, HEADER_SIZE, sizes.list, public, sizes.public, private, sizes.private, bitcode, sizes.bitcode]
    {
        out.extend_from_slice(&(word as u64).to_le_bytes());
    }

    out.extend_from_slice(&count.to_le_bytes());
    let mut offsets = Sizes::default();
    for function in functions {
        write_entry(&mut out, function, &offsets, &archives);
        offsets.public += public_record_size(function);
        offsets.private += private_record_size(function);
        offsets.bitcode += function.bitcode.len();
    }
    if extension != 0 {
        if sources.is_some() {
            write_tag(&mut out, sources::tag(header.container), 16);
            [end, sources_section.len()]
                .iter()
                .for_each(|&n| out.extend_from_slice(&(n as u64).to_le_bytes()));
        }
        out.extend_from_slice(&TagName::ENDT.0);
    }
    for function in functions {
        write_public_record(&mut out, function);
    }
    for function in functions {
        write_private_record(&mut out, function);
    }
    for function in functions {
        out.extend_from_slice(function.bitcode);
    }
    out.extend_from_slice(&sources_section);
    debug_assert_eq!(out.len(), total);
    Ok(out)
}

/// Sizes of the sections, or running offsets in them.
#[derive(Default)]
struct Sizes {
    list: usize,
    public: usize,
    private: usize,
    bitcode: usize,
}

fn check_names(functions: &[FunctionEntry<'_>]) -> Result<(), WriteError> {
    if functions.len() < 2 {
        return Ok(());
    }
    let mut seen = FxHashSet::default();
    match functions.iter().find(|f| !seen.insert(f.name)) {
        Some(f) => Err(WriteError::new(format!("two functions have the name `{}`", f.name.escape_debug()))),
        None => Ok(()),
    }
}

/// Rejects values that the fields of the container cannot hold, and blobs that no loader accepts.
fn check(function: &FunctionEntry<'_>, archives: &[u64]) -> Result<(), WriteError> {
    let fail = |message: String| {
        Err(WriteError::new(format!("function `{}`: {message}", function.name.escape_debug())))
    };
    let names = std::iter::once(function.name)
        .chain(function.vertex_attributes.iter().map(|a| a.name))
        .chain(function.constants.iter().map(|c| c.name))
        .chain(function.debug.iter().map(|d| d.path));
    for name in names {
        if name.contains('\0') {
            return fail(format!("the name `{}` has a zero byte", name.escape_debug()));
        }
    }
    let payloads = [
        ("name", function.name.len() + 1),
        ("list of vertex attributes", vertex_attributes_size(function)),
        ("list of function constants", constants_size(function)),
        ("path of the source", function.debug.map_or(0, |d| debug_size(&d))),
    ];
    for (what, size) in payloads {
        if size > usize::from(u16::MAX) {
            return fail(format!("the {what} takes {size} bytes, the container has room for {}", u16::MAX));
        }
    }
    if let Some(archive) = function.archive.filter(|&a| a >= archives.len()) {
        return fail(format!("its source is in archive {archive}, there are {}", archives.len()));
    }
    for a in &function.vertex_attributes {
        if a.index > ATTRIBUTE_INDEX_MASK || a.usage > 3 {
            return fail(format!(
                "vertex attribute `{}` has index {} and usage {}; at most {ATTRIBUTE_INDEX_MASK} and 3 are possible",
                a.name, a.index, a.usage
            ));
        }
    }
    match wrapper::parse(function.bitcode) {
        Err(e) => fail(format!("its module has no good wrapper: {e}")),
        Ok(_) if !function.bitcode.len().is_multiple_of(BLOB_ALIGN) => {
            fail(format!("its module of {} bytes is not padded to {BLOB_ALIGN}", function.bitcode.len()))
        }
        Ok(_) => Ok(()),
    }
}

fn entry_size(function: &FunctionEntry<'_>) -> usize {
    let mut size = 4 + END_SIZE + TAG_SIZE + function.name.len() + 1;
    size += FIXED_PAYLOADS.iter().map(|payload| TAG_SIZE + payload).sum::<usize>();
    size += (TAG_SIZE + 1) * usize::from(function.tessellation.is_some());
    size += (TAG_SIZE + 8) * usize::from(function.archive.is_some());
    size + (TAG_SIZE + 1) * usize::from(function.layer.is_some())
}

/// Payload of `VATT`.
fn vertex_attributes_size(function: &FunctionEntry<'_>) -> usize {
    2 + function.vertex_attributes.iter().map(|a| a.name.len() + 3).sum::<usize>()
}

/// Payload of `CNST`.
fn constants_size(function: &FunctionEntry<'_>) -> usize {
    2 + function.constants.iter().map(|c| c.name.len() + 5).sum::<usize>()
}

/// An empty list has no tag: with one, pipeline creation fails.
fn public_record_size(function: &FunctionEntry<'_>) -> usize {
    let mut size = EMPTY_RECORD_SIZE;
    if !function.vertex_attributes.is_empty() {
        size += TAG_SIZE + vertex_attributes_size(function);
        size += TAG_SIZE + 2 + function.vertex_attributes.len();
    }
    if !function.constants.is_empty() {
        size += TAG_SIZE + constants_size(function);
    }
    size
}

/// Payload of `DEBI`.
fn debug_size(debug: &DebugLocation<'_>) -> usize {
    4 + debug.path.len() + 1
}

fn private_record_size(function: &FunctionEntry<'_>) -> usize {
    EMPTY_RECORD_SIZE + function.debug.map_or(0, |d| TAG_SIZE + debug_size(&d))
}

/// The header up to the file size, 16 bytes.
pub(super) fn write_header(out: &mut Vec<u8>, header: &LibraryHeader) {
    let LibraryHeader { container, macos, file_type, stub, platform, wide, os } = *header;
    let macos_bit = if macos { MACOS_BIT } else { 0 };
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&((container.major & !MACOS_BIT) | macos_bit).to_le_bytes());
    out.extend_from_slice(&container.minor.to_le_bytes());
    out.extend_from_slice(&container.patch.to_le_bytes());
    out.push((file_type.number() & 0x7f) | (u8::from(stub) << 7));
    out.push((platform.0 & 0x7f) | (u8::from(wide) << 7));
    out.extend_from_slice(&os.major.to_le_bytes());
    out.extend_from_slice(&[os.minor, os.patch]);
}

/// Sizes of payloads are known to fit; see [`check`].
pub(super) fn write_tag(out: &mut Vec<u8>, name: TagName, payload_size: usize) {
    out.extend_from_slice(&name.0);
    out.extend_from_slice(&(payload_size as u16).to_le_bytes());
}

fn write_c_string(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

fn write_entry(out: &mut Vec<u8>, function: &FunctionEntry<'_>, offsets: &Sizes, archives: &[u64]) {
    out.extend_from_slice(&(entry_size(function) as u32).to_le_bytes());
    write_tag(out, TagName::NAME, function.name.len() + 1);
    write_c_string(out, function.name);
    write_tag(out, TagName::TYPE, 1);
    out.push(function.kind.number());
    write_tag(out, TagName::HASH, 32);
    out.extend_from_slice(&Sha256::digest(function.bitcode));
    write_tag(out, TagName::MDSZ, 8);
    out.extend_from_slice(&(function.bitcode.len() as u64).to_le_bytes());
    write_tag(out, TagName::OFFT, 24);
    for offset in [offsets.public, offsets.private, offsets.bitcode] {
        out.extend_from_slice(&(offset as u64).to_le_bytes());
    }
    write_tag(out, TagName::VERS, 8);
    let (air, language) = (function.air, function.language);
    for number in [air.major, air.minor, language.major, language.minor] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    let one_byte_tags =
        [(TagName::TESS, function.tessellation.map(|t| t.0)), (TagName::LAYR, function.layer.map(|l| l.0))];
    for (name, value) in one_byte_tags {
        if let Some(value) = value {
            write_tag(out, name, 1);
            out.push(value);
        }
    }
    if let Some(offset) = function.archive.and_then(|archive| archives.get(archive)) {
        write_tag(out, TagName::SOFF, 8);
        out.extend_from_slice(&offset.to_le_bytes());
    }
    out.extend_from_slice(&TagName::ENDT.0);
}

fn write_public_record(out: &mut Vec<u8>, function: &FunctionEntry<'_>) {
    let attributes = &function.vertex_attributes;
    let constants = &function.constants;
    out.extend_from_slice(&(public_record_size(function) as u32 - 4).to_le_bytes());
    if !attributes.is_empty() {
        write_tag(out, TagName::VATT, vertex_attributes_size(function));
        out.extend_from_slice(&(attributes.len() as u16).to_le_bytes());
        for a in attributes {
            write_c_string(out, a.name);
            let active = if a.active { ATTRIBUTE_ACTIVE_BIT } else { 0 };
            let word = a.index | (u16::from(a.usage) << ATTRIBUTE_USAGE_SHIFT) | active;
            out.extend_from_slice(&word.to_le_bytes());
        }
        write_tag(out, TagName::VATY, 2 + attributes.len());
        out.extend_from_slice(&(attributes.len() as u16).to_le_bytes());
        out.extend(attributes.iter().map(|a| a.data_type.0));
    }
    if !constants.is_empty() {
        write_tag(out, TagName::CNST, constants_size(function));
        out.extend_from_slice(&(constants.len() as u16).to_le_bytes());
        for c in constants {
            write_c_string(out, c.name);
            out.push(c.data_type.0);
            out.extend_from_slice(&c.index.to_le_bytes());
            out.push(u8::from(c.active));
        }
    }
    out.extend_from_slice(&TagName::ENDT.0);
}

fn write_private_record(out: &mut Vec<u8>, function: &FunctionEntry<'_>) {
    out.extend_from_slice(&(private_record_size(function) as u32 - 4).to_le_bytes());
    if let Some(debug) = &function.debug {
        write_tag(out, TagName::DEBI, debug_size(debug));
        out.extend_from_slice(&debug.line.to_le_bytes());
        write_c_string(out, debug.path);
    }
    out.extend_from_slice(&TagName::ENDT.0);
}
