//! The sources that a library carries for debuggers: the section `HSRD` (`HSRC` in containers before 1.2.6).
//!
//! | part | contents |
//! |---|---|
//! | `u32` | number of archives |
//! | string with its zero | options of the linker |
//! | the same, only in `HSRD` | folder that the compiler ran in |
//! | each archive: `u32`, `SARC`, `u32`, name with its zero, `bzip2` of a `tar`, `ENDT` | size after this word; size of the payload |
//!
//! `SOFF` of a function is the offset of its archive's `SARC` from the start of the section. Like Apple's linker, the
//! writer pads the packed data with zeros to a multiple of 16 KiB.
//!
//! None of the known files shows how Apple's compiler names an archive or whether paths in it are absolute. The writer
//! emits one archive named `0`, with the paths as they were given.

use super::archive::{self, SourceFile};
use super::cursor::{Cursor, ReadError};
use super::error::WriteError;
use super::format::TagName;
use super::library::Library;
use crate::target::ContainerVersion;

/// Packed sources are filled up to a multiple of this.
const PACKED_ALIGN: usize = 16 << 10;

/// The sources of a library.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// Options that the library was linked with.
    pub link_options: String,
    /// Folder that the compiler ran in; containers before 1.2.6 do not contain it.
    pub directory: Option<String>,
    /// The archives.
    pub archives: Vec<SourceArchive>,
}

/// Files of one compilation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourceArchive {
    /// Name of the archive.
    pub name: String,
    /// The files.
    pub files: Vec<SourceFile>,
    /// `SOFF` of its functions; computed again by the writer.
    pub offset: u64,
}

impl Sources {
    /// One archive with these files.
    pub fn of(directory: &str, files: Vec<SourceFile>) -> Sources {
        let archive = SourceArchive { name: "0".to_owned(), files, offset: 0 };
        Sources {
            link_options: String::new(),
            directory: Some(directory.to_owned()),
            archives: vec![archive],
        }
    }
}

/// The tag in the header extension that names the section.
pub(super) fn tag(container: ContainerVersion) -> TagName {
    if names_directory(container) { TagName::HSRD } else { TagName::HSRC }
}

fn names_directory(container: ContainerVersion) -> bool {
    container >= ContainerVersion::new(1, 2, 6)
}

/// Bytes of the section, and `SOFF` of each archive.
pub(super) fn encode(
    sources: &Sources,
    container: ContainerVersion,
) -> Result<(Vec<u8>, Vec<u64>), WriteError> {
    let fail = |message: String| WriteError::new(format!("the sources: {message}"));
    let c_string = |out: &mut Vec<u8>, text: &str| {
        if text.contains('\0') {
            return Err(fail(format!("`{}` has a zero byte", text.escape_debug())));
        }
        out.extend_from_slice(text.as_bytes());
        out.push(0);
        Ok(())
    };
    let mut out = (sources.archives.len() as u32).to_le_bytes().to_vec();
    c_string(&mut out, &sources.link_options)?;
    if names_directory(container) {
        c_string(&mut out, sources.directory.as_deref().unwrap_or_default())?;
    }
    let mut offsets = Vec::with_capacity(sources.archives.len());
    for archive in &sources.archives {
        let mut payload = Vec::new();
        c_string(&mut payload, &archive.name)?;
        let mut packed = archive::pack(&archive.files).map_err(fail)?;
        packed.resize(packed.len().next_multiple_of(PACKED_ALIGN), 0);
        payload.extend_from_slice(&packed);
        let size = u32::try_from(payload.len()).ok().filter(|size| *size < u32::MAX - 12);
        let Some(size) = size else { return Err(fail("an archive is too large".to_owned())) };
        // Tag, size of the payload, and end.
        out.extend_from_slice(&(size + 12).to_le_bytes());
        offsets.push(out.len() as u64);
        out.extend_from_slice(&TagName::SARC.0);
        out.extend_from_slice(&size.to_le_bytes());
        out.extend_from_slice(&payload);
        out.extend_from_slice(&TagName::ENDT.0);
    }
    Ok((out, offsets))
}

/// The sources of `library`, which was read from `file`; `None` if it has none.
///
/// # Errors
/// The error in the section, and its offset.
pub fn read_sources(file: &[u8], library: &Library<'_>) -> Result<Option<Sources>, ReadError> {
    let sections = library.sections.iter();
    let known = [TagName::HSRD, TagName::HSRC].map(|tag| tag.to_string());
    let Some(section) = sections.into_iter().find(|s| known.contains(&s.name)) else { return Ok(None) };
    let mut c = Cursor::new(
        file,
        section.offset,
        section.offset.saturating_add(section.size),
        "the section of sources",
    )?;
    let count = c.u32("the number of archives")?;
    let link_options = c.c_string("the options of the linker")?.to_owned();
    let directory = match section.name == known[0] {
        true => Some(c.c_string("the compiler's folder")?.to_owned()),
        false => None,
    };
    let mut archives = Vec::new();
    for _ in 0..count {
        archives.push(read_archive(&mut c, section.offset)?);
    }
    c.finish()?;
    Ok(Some(Sources { link_options, directory, archives }))
}

fn read_archive(c: &mut Cursor<'_>, section: u64) -> Result<SourceArchive, ReadError> {
    let size = c.u32("the size of an archive")?;
    let start = c.position();
    let tag = TagName(c.word("the tag of an archive")?);
    if tag != TagName::SARC {
        return Err(ReadError::new(start, format!("expected the start of an archive, found `{tag}`")));
    }
    let payload = c.u32("the size of an archive's contents")?;
    let payload = c.take(payload as usize, "an archive")?;
    let at = c.position() - payload.len();
    let end = TagName(c.word("the end of an archive")?);
    if end != TagName::ENDT || c.position() - start != size as usize {
        return Err(ReadError::new(start, "the archive does not end where its size says"));
    }
    let zero = payload.iter().position(|&b| b == 0);
    let Some(zero) = zero else {
        return Err(ReadError::new(at, "the name of the archive has no terminating zero"));
    };
    let (name, packed) = (&payload[..zero], &payload[zero + 1..]);
    let name =
        str::from_utf8(name).map_err(|_| ReadError::new(at, "the name of the archive is not valid UTF-8"))?;
    let inside = |message: String| {
        ReadError::new(at + zero + 1, format!("the archive `{}`: {message}", name.escape_debug()))
    };
    let files = archive::unpack(packed).map_err(inside)?;
    Ok(SourceArchive { name: name.to_owned(), files, offset: start as u64 - section })
}
