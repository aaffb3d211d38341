//! Writes a library that was read once more, in the layout that it had.
//!
//! [`write`](super::write()) produces the layout of Apple's `metallib` tool from descriptions of functions; this keeps
//! that of the compiler driver, too: the order of the tags, the header extension and the sections that it points to.
//! Only sizes, offsets and hashes are computed again, so modules may have been replaced. Sections that hold offsets
//! into themselves (reflection, sources) are copied as they are.

use super::error::WriteError;
use super::format::{HEADER_SIZE, TagName};
use super::library::{Library, Style, Tag};
use super::writer::{write_header, write_tag};
use sha2::{Digest, Sha256};

/// Number of sections that the header has; the others are those of the extension.
const HEADER_SECTIONS: usize = 4;

/// Writes `library`, which was read from `file`, with the blobs of its functions as they are in it now.
///
/// # Errors
/// If a section of the library is not in the file.
pub fn rebuild(file: &[u8], library: &Library<'_>) -> Result<Vec<u8>, WriteError> {
    let counts_itself = |style: Style| style == Style::Driver;
    let (mut public, mut private, mut bitcode) = (Vec::new(), Vec::new(), Vec::new());
    let mut entries = Vec::new();
    for function in &library.functions {
        let offsets = [public.len(), private.len(), bitcode.len()];
        record(&mut public, &function.public_tags, counts_itself(function.style));
        record(&mut private, &function.private_tags, counts_itself(function.style));
        let blob = function.entry.bitcode;
        bitcode.extend_from_slice(blob);
        let start = entries.len();
        entries.extend_from_slice(&[0; 4]);
        for tag in &function.tags {
            write_tag(&mut entries, tag.name, tag.payload.len());
            match tag.name {
                TagName::HASH => entries.extend_from_slice(&Sha256::digest(blob)),
                TagName::MDSZ => entries.extend_from_slice(&(blob.len() as u64).to_le_bytes()),
                TagName::OFFT => {
                    offsets.iter().for_each(|&o| entries.extend_from_slice(&(o as u64).to_le_bytes()));
                }
                _ => entries.extend_from_slice(tag.payload),
            }
        }
        entries.extend_from_slice(&TagName::ENDT.0);
        let size = (entries.len() - start) as u32;
        entries[start..start + 4].copy_from_slice(&size.to_le_bytes());
    }

    let trailing: Vec<(&str, &[u8])> = library
        .sections
        .iter()
        .skip(HEADER_SECTIONS)
        .map(|s| Ok((s.name.as_str(), part(file, s.offset, s.size)?)))
        .collect::<Result<_, WriteError>>()?;
    let extension_size = library
        .extension
        .as_ref()
        .map_or(0, |tags| TagName::ENDT.0.len() + tags.iter().map(|t| 6 + t.payload.len()).sum::<usize>());
    let public_at = HEADER_SIZE + 4 + entries.len() + extension_size;
    let private_at = public_at + public.len();
    let bitcode_at = private_at + private.len();
    let end = bitcode_at + bitcode.len();
    let total = end + trailing.iter().map(|t| t.1.len()).sum::<usize>();

    let mut out = Vec::with_capacity(total);
    write_header(&mut out, &library.header);
    let words = [
        total,
        HEADER_SIZE,
        entries.len(),
        public_at,
        public.len(),
        private_at,
        private.len(),
        bitcode_at,
        bitcode.len(),
    ];
    words.iter().for_each(|&word| out.extend_from_slice(&(word as u64).to_le_bytes()));
    out.extend_from_slice(&(library.functions.len() as u32).to_le_bytes());
    out.extend_from_slice(&entries);
    if let Some(tags) = &library.extension {
        extension(&mut out, tags, &trailing, end);
    }
    out.extend_from_slice(&public);
    out.extend_from_slice(&private);
    out.extend_from_slice(&bitcode);
    trailing.iter().for_each(|t| out.extend_from_slice(t.1));
    Ok(out)
}

fn part(file: &[u8], offset: u64, size: u64) -> Result<&[u8], WriteError> {
    let range = usize::try_from(offset).ok().zip(usize::try_from(size).ok());
    let range = range.and_then(|(start, size)| Some(start..start.checked_add(size)?));
    let found = range.and_then(|range| file.get(range));
    found.ok_or_else(|| WriteError::new(format!("the section at {offset:#x} is not in the file")))
}

/// A record of a metadata section.
fn record(out: &mut Vec<u8>, tags: &[Tag<'_>], counts_itself: bool) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    for tag in tags {
        write_tag(out, tag.name, tag.payload.len());
        out.extend_from_slice(tag.payload);
    }
    out.extend_from_slice(&TagName::ENDT.0);
    let size = (out.len() - start) as u32 - if counts_itself { 0 } else { 4 };
    out[start..start + 4].copy_from_slice(&size.to_le_bytes());
}

/// The header extension; its sections follow the bitcode, which ends at `end`, in the order they are given.
fn extension(out: &mut Vec<u8>, tags: &[Tag<'_>], trailing: &[(&str, &[u8])], end: usize) {
    let mut at = end;
    let places: Vec<(&str, usize, usize)> = trailing
        .iter()
        .map(|&(name, bytes)| {
            at += bytes.len();
            (name, at - bytes.len(), bytes.len())
        })
        .collect();
    for tag in tags {
        write_tag(out, tag.name, tag.payload.len());
        let name = tag.name.to_string();
        match places.iter().find(|p| p.0 == name) {
            Some(&(_, offset, size)) => {
                out.extend_from_slice(&(offset as u64).to_le_bytes());
                out.extend_from_slice(&(size as u64).to_le_bytes());
            }
            None => out.extend_from_slice(tag.payload),
        }
    }
    out.extend_from_slice(&TagName::ENDT.0);
}
