//! Reads a metallib of any known container version, Apple's two layouts included.
//!
//! There are two kinds of errors: an unreadable structure is a [`ReadError`]; an error after which reading can continue
//! (a wrong hash, a size that does not add up) is a failed [`Check`] of the [`Library`]. Work is bounded by the size of
//! the file even when many entries claim the same bytes.

use super::cursor::{Cursor, ReadError};
use super::format::{
    ATTRIBUTE_ACTIVE_BIT, ATTRIBUTE_INDEX_MASK, ATTRIBUTE_USAGE_SHIFT, BLOB_ALIGN, DebugLocation, FileType,
    FunctionConstant, FunctionEntry, FunctionKind, HEADER_SIZE, LibraryHeader, MACOS_BIT, MAGIC, Platform,
    TagName, Tessellation, VertexAttribute,
};
use super::library::{Check, Function, Library, Section, Style, Tag};
use super::types::DataType;
use super::{fat, wrapper};
use crate::target::{AirVersion, ContainerVersion, LanguageVersion, OsVersion};
use sha2::{Digest, Sha256};

/// Reads a metallib.
pub fn read(file: &[u8]) -> Result<Library<'_>, ReadError> {
    let mut reader = Reader::new(file);
    let (header, declared_size) = reader.header()?;
    reader.check("file size", 16, declared_size == file.len() as u64, || {
        format!("the header says {declared_size} bytes, the file has {}", file.len())
    });
    let entries = reader.entries()?;
    let extension = reader.extension(header.container, &entries)?;
    reader.check_overlaps();
    let mut functions = Vec::with_capacity(entries.list.len().min(file.len() / MIN_FUNCTION_SIZE));
    for entry in entries.list {
        functions.push(reader.function(entry)?);
    }
    let Reader { sections, checks, .. } = reader;
    Ok(Library { header, file_size: file.len(), sections, extension, functions, checks })
}

/// Indices of the sections that the header has.
const LIST: usize = 0;
const PUBLIC: usize = 1;
const PRIVATE: usize = 2;
const BITCODE: usize = 3;
/// Their names.
const HEADER_SECTIONS: [&str; 4] = ["function list", "public metadata", "private metadata", "bitcode"];

/// Less than a function takes in any file.
const MIN_FUNCTION_SIZE: usize = 64;

/// How often the file's own size may be parsed as records, or hashed: hostile entries can all claim the same bytes.
const OVERLAP_LIMIT: u64 = 8;

struct Reader<'a> {
    file: &'a [u8],
    sections: Vec<Section>,
    checks: Vec<Check>,
    record_budget: u64,
    hash_budget: u64,
}

/// The function list, parsed as tags.
struct Entries<'a> {
    list: Vec<Entry<'a>>,
    /// Where its section ends.
    end: u64,
}

struct Entry<'a> {
    offset: usize,
    tags: Vec<Tag<'a>>,
    size_ok: bool,
}

/// A metadata record, parsed as tags.
struct Record<'a> {
    tags: Vec<Tag<'a>>,
    counts_itself: bool,
}

impl<'a> Reader<'a> {
    fn new(file: &'a [u8]) -> Self {
        let budget = OVERLAP_LIMIT * (file.len() as u64 + 1);
        Self { file, sections: Vec::new(), checks: Vec::new(), record_budget: budget, hash_budget: budget }
    }

    fn check(&mut self, what: impl Into<String>, offset: u64, ok: bool, failure: impl FnOnce() -> String) {
        self.checks.push(Check { what: what.into(), offset, failure: (!ok).then(failure) });
    }

    /// Header and the file size it claims; fills in the sections.
    fn header(&mut self) -> Result<(LibraryHeader, u64), ReadError> {
        let mut c = Cursor::new(self.file, 0, self.file.len() as u64, "file")?;
        let magic = c.word("the magic")?;
        if magic != MAGIC {
            let hint = if fat::is_fat(self.file) {
                " (it is an archive of several; take one of its slices)"
            } else {
                ""
            };
            return Err(ReadError::new(
                0,
                format!("`{}` is not the magic of a metallib, `MTLB`{hint}", magic.escape_ascii()),
            ));
        }
        let major = c.u16("the container version")?;
        let container = ContainerVersion::new(
            major & !MACOS_BIT,
            c.u16("the container version")?,
            c.u16("the container version")?,
        );
        if (container.major, container.minor) != (1, 2) {
            return Err(ReadError::new(
                4,
                format!("container version {container} is unknown; known are those of 1.2"),
            ));
        }
        let file_type = c.u8("the file type")?;
        let platform = c.u8("the platform")?;
        let os = OsVersion::new(c.u16("the OS version")?, c.u8("the OS version")?, c.u8("the OS version")?);
        let declared_size = c.u64("the file size")?;
        for (index, name) in HEADER_SECTIONS.iter().enumerate() {
            let at = c.position() as u64;
            let offset = c.u64("a section offset")?;
            let size = c.u64("a section size")?;
            // The list's size leaves its count out.
            let whole = size.saturating_add(if index == LIST { 4 } else { 0 });
            self.add_section(name, at, offset, size, whole)?;
        }
        let header = LibraryHeader {
            container,
            macos: major & MACOS_BIT != 0,
            file_type: FileType::from_number(file_type & 0x7f),
            stub: file_type & 0x80 != 0,
            platform: Platform(platform & 0x7f),
            wide: platform & 0x80 != 0,
            os,
        };
        Ok((header, declared_size))
    }

    /// Adds a section of `whole` bytes whose offset and size are at `at`.
    fn add_section(
        &mut self,
        name: &str,
        at: u64,
        offset: u64,
        size: u64,
        whole: u64,
    ) -> Result<(), ReadError> {
        let file_size = self.file.len() as u64;
        if offset.checked_add(whole).is_none_or(|end| end > file_size) {
            return Err(ReadError {
                offset: at,
                message: format!(
                    "{name} of {whole:#x} bytes at {offset:#x} is outside the file, which has {file_size:#x}"
                ),
            });
        }
        let what = format!("range of {name}");
        let in_header = offset < HEADER_SIZE as u64 && whole != 0;
        self.check(what, at, !in_header, || format!("it starts at {offset:#x}, inside the header"));
        self.sections.push(Section { name: name.to_string(), offset, size });
        Ok(())
    }

    fn entries(&mut self) -> Result<Entries<'a>, ReadError> {
        let Section { offset, size, .. } = self.sections[LIST];
        let mut c = Cursor::new(self.file, offset, offset + 4 + size, "function list")?;
        let count = c.u32("its count")?;
        // An entry has at least its size and its end.
        if count as usize > c.remaining() / 8 {
            let text = format!("{count} functions do not fit a list of {size:#x} bytes");
            return Err(ReadError { offset, message: text });
        }
        let mut list = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let start = c.position();
            let declared = c.u32("the size of an entry")? as usize;
            let tags = read_tags(&mut c)?;
            let consumed = c.position() - start;
            if declared > consumed {
                c.take(declared - consumed, "an entry")?;
            }
            list.push(Entry { offset: start, tags, size_ok: declared == consumed });
        }
        let left = c.remaining();
        self.check("size of function list", offset, left == 0, || {
            format!("{left} bytes are left after {count} functions")
        });
        Ok(Entries { list, end: offset + 4 + size })
    }

    /// Tags between the function list and the public metadata.
    fn extension(
        &mut self,
        container: ContainerVersion,
        entries: &Entries<'a>,
    ) -> Result<Option<Vec<Tag<'a>>>, ReadError> {
        let start = entries.end;
        let end = self.sections[PUBLIC].offset;
        let expected = container.has_extension();
        let present = start < end;
        self.check("header extension", start, present == expected && start <= end, || match present {
            true => format!("container {container} should have none"),
            false => format!("no room for it before the public metadata at {end:#x}"),
        });
        if !present {
            return Ok(None);
        }
        let mut c = Cursor::new(self.file, start, end, "header extension")?;
        let tags = read_tags(&mut c)?;
        let left = c.remaining();
        self.check("end of header extension", c.position() as u64, left == 0, || {
            format!("{left} bytes are left before the public metadata")
        });
        for tag in &tags {
            let known = [
                TagName::HDYN,
                TagName::VLST,
                TagName::ILST,
                TagName::ESYM,
                TagName::ISYM,
                TagName::RLST,
                TagName::SLST,
                TagName::HSRC,
                TagName::HSRD,
            ];
            if known.contains(&tag.name) {
                let mut payload = self.payload(tag);
                let offset = payload.u64("the offset of the section")?;
                let size = payload.u64("the size of the section")?;
                payload.finish()?;
                self.add_section(&tag.name.to_string(), tag.offset, offset, size, size)?;
            }
        }
        Ok(Some(tags))
    }

    /// No two sections share a byte.
    fn check_overlaps(&mut self) {
        let list_count = 4;
        let mut ranges: Vec<(u64, u64, &str)> = Vec::with_capacity(self.sections.len());
        for (index, s) in self.sections.iter().enumerate() {
            let size = s.size + if index == LIST { list_count } else { 0 };
            if size != 0 {
                ranges.push((s.offset, s.offset + size, &s.name));
            }
        }
        ranges.sort_unstable();
        let clash = ranges.windows(2).find(|pair| pair[0].1 > pair[1].0);
        let failure = clash.map(|pair| format!("{} and {} share bytes", pair[0].2, pair[1].2));
        let offset = clash.map_or(HEADER_SIZE as u64, |pair| pair[1].0);
        self.checks.push(Check { what: "sections are apart".to_string(), offset, failure });
    }

    /// Reads the payload of a tag.
    fn payload(&self, tag: &Tag<'a>) -> Cursor<'a> {
        let end = tag.offset + tag.payload.len() as u64;
        Cursor::new(self.file, tag.offset, end, "tag").expect("a tag's payload is inside the file")
    }

    fn function(&mut self, entry: Entry<'a>) -> Result<Function<'a>, ReadError> {
        let Entry { offset, tags, size_ok } = entry;
        let required = |name: TagName| {
            find(&tags, name)
                .ok_or_else(|| ReadError::new(offset, format!("function entry has no {name} tag")))
        };

        let mut c = self.payload(required(TagName::NAME)?);
        let name = c.c_string("the function name")?;
        c.finish()?;
        let mut c = self.payload(required(TagName::TYPE)?);
        let kind = FunctionKind::from_number(c.u8("the function kind")?);
        c.finish()?;
        let mut c = self.payload(required(TagName::OFFT)?);
        let public_offset = c.u64("the offset of the public record")?;
        let private_offset = c.u64("the offset of the private record")?;
        let bitcode_offset = c.u64("the offset of the module")?;
        c.finish()?;
        let mut c = self.payload(required(TagName::VERS)?);
        let air = AirVersion::new(c.u16("the AIR version")?, c.u16("the AIR version")?);
        let language = LanguageVersion::new(c.u16("the language version")?, c.u16("the language version")?);
        c.finish()?;
        let tessellation = self.small_tag(&tags, TagName::TESS, |c| c.u8("the patch"))?.map(Tessellation);
        let layer = self.small_tag(&tags, TagName::LAYR, |c| c.u8("the type of the layer"))?.map(DataType);
        let source_offset = self.small_tag(&tags, TagName::SOFF, |c| c.u64("the offset of the source"))?;
        let reflection_offset =
            self.small_tag(&tags, TagName::RFLT, |c| c.u64("the offset of the reflection"))?;
        let declared_size = self.small_tag(&tags, TagName::MDSZ, |c| c.u64("the size of the module"))?;
        let hash = match find(&tags, TagName::HASH) {
            Some(tag) => Some(tag.payload.try_into().map_err(|_| {
                let text = format!("a hash has 32 bytes, this one {}", tag.payload.len());
                ReadError { offset: tag.offset, message: text }
            })?),
            None => None,
        };

        let at = offset as u64;
        self.check(format!("entry size of `{name}`"), at, size_ok, || {
            "the entry does not end where its size says".to_string()
        });
        let public = self.record(PUBLIC, public_offset)?;
        let private = self.record(PRIVATE, private_offset)?;
        let bitcode = self.module(name, bitcode_offset, declared_size)?;
        let bitcode_at = self.sections[BITCODE].offset + bitcode_offset;
        let hash_ok = self.hash(name, bitcode_at, bitcode, hash);

        let vertex_attributes = self.vertex_attributes(&public.tags)?;
        let constants = self.constants(&public.tags)?;
        let (debug, dependency) = self.debug(&private.tags)?;
        let style = style(&tags, &public, &private);
        let entry = FunctionEntry {
            name,
            kind,
            air,
            language,
            bitcode,
            tessellation,
            layer,
            vertex_attributes,
            constants,
            debug,
            archive: None,
        };
        Ok(Function {
            entry,
            offset: at,
            bitcode_offset: bitcode_at,
            hash,
            hash_ok,
            source_offset,
            reflection_offset,
            dependency,
            tags,
            public_tags: public.tags,
            private_tags: private.tags,
            style,
        })
    }

    /// The one value of an optional tag.
    fn small_tag<T>(
        &self,
        tags: &[Tag<'a>],
        name: TagName,
        value: impl FnOnce(&mut Cursor<'a>) -> Result<T, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        let Some(tag) = find(tags, name) else { return Ok(None) };
        let mut c = self.payload(tag);
        let value = value(&mut c)?;
        c.finish()?;
        Ok(Some(value))
    }

    /// The metadata record at `offset` of a section.
    fn record(&mut self, section: usize, offset: u64) -> Result<Record<'a>, ReadError> {
        let Section { offset: start, size, .. } = self.sections[section];
        let part = HEADER_SECTIONS[section];
        if offset > size {
            let message = format!("a record at {offset:#x} is outside {part} of {size:#x} bytes");
            return Err(ReadError { offset: start, message });
        }
        let at = start + offset;
        let mut c = Cursor::new(self.file, at, start + size, part)?;
        let declared = c.u32("the size of a record")? as usize;
        let begin = c.position();
        let tags = read_tags(&mut c)?;
        let consumed = c.position() - begin;
        let Some(budget) = self.record_budget.checked_sub(consumed as u64) else {
            return Err(ReadError { offset: at, message: format!("records of {part} overlap") });
        };
        self.record_budget = budget;
        let counts_itself = declared == consumed + 4;
        self.check(format!("record in {part}"), at, counts_itself || declared == consumed, || {
            format!("its size is {declared}, its tags take {consumed} bytes")
        });
        Ok(Record { tags, counts_itself })
    }

    /// The padded blob of a function.
    fn module(&mut self, name: &str, offset: u64, declared: Option<u64>) -> Result<&'a [u8], ReadError> {
        let Section { offset: start, size, .. } = self.sections[BITCODE];
        if offset > size {
            let message =
                format!("the module of `{name}` at {offset:#x} is outside the bitcode of {size:#x} bytes");
            return Err(ReadError { offset: start, message });
        }
        // Both ends are inside the file: sections are checked when they are added.
        let rest = &self.file[(start + offset) as usize..(start + size) as usize];
        let blob = match declared {
            Some(declared) => {
                usize::try_from(declared).ok().and_then(|size| rest.get(..size)).ok_or_else(|| {
                    let message =
                        format!("the module of `{name}` has {declared:#x} bytes, {:#x} are left", rest.len());
                    ReadError { offset: start + offset, message }
                })?
            }
            // The oldest containers leave the size to the wrapper.
            None => match wrapper::parse(rest) {
                Ok(w) => {
                    let size = (rest.len() - w.padding.len()).next_multiple_of(BLOB_ALIGN);
                    &rest[..size.min(rest.len())]
                }
                Err(_) => rest,
            },
        };
        let parsed = wrapper::bitcode_of(blob).and_then(|_| wrapper::parse(blob));
        let failure = match parsed {
            Err(e) => Some(e.message),
            Ok(w) if w.padding.len() >= BLOB_ALIGN => {
                Some(format!("{} bytes follow the bitcode", w.padding.len()))
            }
            Ok(w) if w.padding.iter().any(|&b| b != 0) => Some("the padding is not zero".to_string()),
            Ok(_) if !blob.len().is_multiple_of(BLOB_ALIGN) => {
                Some(format!("{} bytes are no multiple of 16", blob.len()))
            }
            Ok(_) => None,
        };
        self.checks.push(Check { what: format!("module of `{name}`"), offset: start + offset, failure });
        Ok(blob)
    }

    /// Verifies the hash of a blob.
    fn hash(&mut self, name: &str, at: u64, blob: &[u8], hash: Option<[u8; 32]>) -> bool {
        let failure = match (hash, self.hash_budget.checked_sub(blob.len() as u64)) {
            (None, _) => Some("the function has none".to_string()),
            (_, None) => Some("not verified: too many modules overlap".to_string()),
            (Some(hash), Some(budget)) => {
                self.hash_budget = budget;
                let computed: [u8; 32] = Sha256::digest(blob).into();
                (computed != hash).then(|| "it is not the SHA-256 of the module".to_string())
            }
        };
        let ok = failure.is_none();
        self.checks.push(Check { what: format!("hash of `{name}`"), offset: at, failure });
        ok
    }

    fn vertex_attributes(&self, tags: &[Tag<'a>]) -> Result<Vec<VertexAttribute<'a>>, ReadError> {
        let Some(tag) = find(tags, TagName::VATT) else { return Ok(Vec::new()) };
        let mut c = self.payload(tag);
        let count = c.u16("the count of vertex attributes")?;
        let mut attributes = Vec::with_capacity(usize::from(count).min(c.remaining() / 3));
        for _ in 0..count {
            let name = c.c_string("the name of a vertex attribute")?;
            let word = c.u16("the index of a vertex attribute")?;
            attributes.push(VertexAttribute {
                name,
                index: word & ATTRIBUTE_INDEX_MASK,
                usage: ((word >> ATTRIBUTE_USAGE_SHIFT) & 3) as u8,
                active: word & ATTRIBUTE_ACTIVE_BIT != 0,
                data_type: DataType::NONE,
            });
        }
        c.finish()?;
        if let Some(tag) = find(tags, TagName::VATY) {
            let mut c = self.payload(tag);
            let types = c.u16("the count of vertex attribute types")?;
            if types != count {
                let message = format!("{types} types for {count} vertex attributes");
                return Err(ReadError { offset: tag.offset, message });
            }
            for attribute in &mut attributes {
                attribute.data_type = DataType(c.u8("the type of a vertex attribute")?);
            }
            c.finish()?;
        }
        Ok(attributes)
    }

    fn constants(&self, tags: &[Tag<'a>]) -> Result<Vec<FunctionConstant<'a>>, ReadError> {
        let Some(tag) = find(tags, TagName::CNST) else { return Ok(Vec::new()) };
        let mut c = self.payload(tag);
        let count = c.u16("the count of function constants")?;
        let mut constants = Vec::with_capacity(usize::from(count).min(c.remaining() / 5));
        for _ in 0..count {
            constants.push(FunctionConstant {
                name: c.c_string("the name of a function constant")?,
                data_type: DataType(c.u8("the type of a function constant")?),
                index: c.u16("the index of a function constant")?,
                active: c.u8("the use of a function constant")? != 0,
            });
        }
        c.finish()?;
        Ok(constants)
    }

    fn debug(&self, tags: &[Tag<'a>]) -> Result<(Option<DebugLocation<'a>>, Option<&'a str>), ReadError> {
        let debug = self.small_tag(tags, TagName::DEBI, |c| {
            Ok(DebugLocation { line: c.u32("a line number")?, path: c.c_string("the path of the source")? })
        })?;
        let dependency = self.small_tag(tags, TagName::DEPF, |c| c.c_string("the path of the .air file"))?;
        Ok((debug, dependency))
    }
}

fn find<'t, 'a>(tags: &'t [Tag<'a>], name: TagName) -> Option<&'t Tag<'a>> {
    tags.iter().find(|t| t.name == name)
}

/// Reads tags up to and including the end word; a second tag of the same name is rejected.
fn read_tags<'a>(c: &mut Cursor<'a>) -> Result<Vec<Tag<'a>>, ReadError> {
    /// More than any file has; keeps the search for repetitions short.
    const LIMIT: usize = 64;
    let mut tags: Vec<Tag<'a>> = Vec::new();
    loop {
        let at = c.position();
        let name = TagName(c.word("a tag")?);
        if name == TagName::ENDT {
            return Ok(tags);
        }
        if find(&tags, name).is_some() {
            return Err(ReadError::new(at, format!("a second {name} tag")));
        }
        if tags.len() == LIMIT {
            return Err(ReadError::new(at, format!("more than {LIMIT} tags")));
        }
        let size = c.u16("the size of a tag")?;
        let offset = c.position() as u64;
        let payload = c.take(usize::from(size), "the payload of a tag")?;
        tags.push(Tag { name, offset, payload });
    }
}

/// Whose layout an entry and its records have.
fn style(tags: &[Tag<'_>], public: &Record<'_>, private: &Record<'_>) -> Style {
    let starts_with = |order: &[TagName]| {
        tags.len() >= order.len() && tags.iter().zip(order).all(|(tag, name)| tag.name == *name)
    };
    const TOOL: [TagName; 6] =
        [TagName::NAME, TagName::TYPE, TagName::HASH, TagName::MDSZ, TagName::OFFT, TagName::VERS];
    const DRIVER: [TagName; 5] = [TagName::NAME, TagName::TYPE, TagName::HASH, TagName::OFFT, TagName::VERS];
    match (public.counts_itself, private.counts_itself) {
        (false, false) if starts_with(&TOOL) => Style::Tool,
        (true, true) if starts_with(&DRIVER) => Style::Driver,
        _ => Style::Other,
    }
}
