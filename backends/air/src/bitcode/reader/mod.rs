//! Bitcode reader: LLVM bitcode of module versions 0 to 2, as Apple's compilers have written it from AIR 1.8 on, to a
//! [`Module`].
//!
//! A module is read in two steps, since names come last in newer files: the first collects the records of symbols and
//! where the blocks are, the second makes types, attributes, symbols, constants, metadata and bodies in this order.
//! The reader accepts a subset of LLVM's IR: everything that Apple's compiler writes, and little more.
//! Anything else is rejected with its location in the file and the reason, as are damaged files; memory and
//! time are bounded by the size of the file. A module that was read may be outside of the dialect that the
//! [validator](crate::validate) knows.

mod attributes;
mod bits;
mod constants;
mod function;
mod instruction;
mod metadata;
mod rejection;
mod symbols;
mod types;

use super::codes::{block, metadata as md, module};
use crate::metallib::{ReadError, wrapper};
use crate::module::{Attachment, AttrSet, Md, Module, Str, TypeId, Value};
use bits::{Bits, Block, BlockInfo, Item, Record, SubBlock};
pub use rejection::{Rejection, rejection};

/// Reads a module from the bytes of an `.air` or `.bc` file: bitcode, with Apple's wrapper or without.
///
/// # Errors
/// The location of damaged bytes, or of a construct that a [`Module`] cannot hold, and the reason.
pub fn read(file: &[u8]) -> Result<Module, ReadError> {
    let bitcode = wrapper::bitcode_of(file)?;
    // A slice of the file, so its offset is the distance.
    let base = bitcode.as_ptr().addr() - file.as_ptr().addr();
    let mut bits = Bits::new(bitcode, base);
    bits.fixed(32)?;
    let mut outermost = Block::outermost(bits);
    let mut record = Record::default();
    let (mut module, mut names): (Option<SubBlock<'_>>, &[u8]) = (None, &[]);
    let mut info = BlockInfo::default();
    loop {
        match outermost.next(&mut record)? {
            Item::End => break,
            Item::Record => return Err(record.error("a record outside of all blocks")),
            Item::Block(found) => match found.id {
                BLOCK_INFO => Block::block_info(&found, &mut info)?,
                block::MODULE if module.is_none() => module = Some(found),
                block::MODULE => return Err(outermost.error("two modules in one file")),
                block::STRTAB => names = string_table(&found, &info)?,
                // The producer, the linker's symbol table, and unknown blocks.
                _ => {}
            },
        }
    }
    let Some(module) = module else { return Err(outermost.error("the file has no module")) };
    Reader::new(names, info, bitcode.len()).run(&module)
}

/// ID of the BLOCKINFO block.
const BLOCK_INFO: u32 = 0;

/// The blob of a string table.
fn string_table<'a>(block: &SubBlock<'a>, info: &BlockInfo) -> Result<&'a [u8], ReadError> {
    let mut block = Block::open(block, info);
    let (mut record, mut names): (Record<'a>, &'a [u8]) = (Record::default(), &[]);
    loop {
        match block.next(&mut record)? {
            Item::End => return Ok(names),
            Item::Record if !record.blob.is_empty() => names = record.blob,
            _ => {}
        }
    }
}

/// A piece of metadata by its ID in the file.
#[derive(Clone, Copy)]
enum Numbered {
    /// One of the module's.
    Md(Md),
    /// A value of the function being read: position in its locals.
    Local(u32),
}

/// Reader of one module.
struct Reader<'a> {
    m: Module,
    info: BlockInfo,
    names: &'a [u8],
    /// Module version: 1 has relative value numbers, 2 names in a string table.
    version: u64,
    /// Types by their ID in the file.
    types: Vec<TypeId>,
    /// For each type of the module: how much text it takes, how deep it is.
    type_sizes: Vec<types::Size>,
    /// The same of each constant of the module.
    constant_sizes: Vec<types::Size>,
    /// Attribute sets by their ID in the file less one.
    sets: Vec<AttrSet>,
    sections: Vec<Str>,
    /// Values by their ID in the file.
    values: Vec<Value>,
    metadata: Vec<Numbered>,
    /// Kinds of metadata by their ID in the file.
    kinds: Vec<(u64, String)>,
    /// Functions with a body, in order.
    bodies: std::collections::VecDeque<u32>,
    /// Size of the file in bytes, which bounds the memory that reading it may take.
    size: usize,
}

/// Blocks of a module that are read in the second step.
#[derive(Default)]
struct Later<'a> {
    types: Option<SubBlock<'a>>,
    attribute_groups: Option<SubBlock<'a>>,
    attribute_sets: Option<SubBlock<'a>>,
    symbol_names: Vec<SubBlock<'a>>,
    kinds: Vec<SubBlock<'a>>,
    /// Constants and metadata in file order.
    contents: Vec<SubBlock<'a>>,
    functions: Vec<SubBlock<'a>>,
}

impl<'a> Reader<'a> {
    fn new(names: &'a [u8], info: BlockInfo, size: usize) -> Self {
        Reader {
            m: Module::new("", ""),
            info,
            names,
            version: 0,
            types: Vec::new(),
            type_sizes: Vec::new(),
            constant_sizes: Vec::new(),
            sets: Vec::new(),
            sections: Vec::new(),
            values: Vec::new(),
            metadata: Vec::new(),
            kinds: Vec::new(),
            bodies: std::collections::VecDeque::new(),
            size,
        }
    }

    fn run(mut self, block: &SubBlock<'a>) -> Result<Module, ReadError> {
        let (later, symbols) = self.collect(block)?;
        if let Some(block) = &later.types {
            self.read_types(block)?;
        }
        if let Some(sets) = &later.attribute_sets {
            self.read_attributes(later.attribute_groups.as_ref(), sets)?;
        }
        let named = self.read_symbol_names(&later.symbol_names)?;
        let inits = self.read_symbols(&symbols, &named)?;
        for block in &later.kinds {
            self.read_kinds(block)?;
        }
        for block in &later.contents {
            match block.id {
                block::CONSTANTS => self.read_constants(block)?,
                _ => self.read_metadata(block, None)?,
            }
        }
        self.set_inits(&inits)?;
        for block in &later.functions {
            let Some(function) = self.bodies.pop_front() else {
                return Err(Block::open(block, &self.info).error("more bodies than functions that have one"));
            };
            self.read_function(function, block)?;
        }
        if let Some(&function) = self.bodies.front() {
            let name = self.m.functions().get(function as usize).map_or("", |f| self.m.text(f.name));
            return Err(Block::open(block, &self.info).error(format!("function `{name}` has no body")));
        }
        Ok(self.m)
    }

    /// The first step: the module's own records, and where its blocks are.
    fn collect(&mut self, found: &SubBlock<'a>) -> Result<(Later<'a>, Vec<Record<'a>>), ReadError> {
        let mut later = Later::default();
        let mut symbols = Vec::new();
        let mut block = Block::open(found, &self.info);
        let mut record = Record::default();
        loop {
            match block.next(&mut record)? {
                Item::End => return Ok((later, symbols)),
                Item::Block(inner) => match inner.id {
                    BLOCK_INFO => Block::block_info(&inner, &mut self.info)?,
                    block::TYPE => later.types = Some(inner),
                    block::PARAMATTR_GROUP => later.attribute_groups = Some(inner),
                    block::PARAMATTR => later.attribute_sets = Some(inner),
                    block::VALUE_SYMTAB => later.symbol_names.push(inner),
                    block::METADATA_KIND => later.kinds.push(inner),
                    block::CONSTANTS | block::METADATA => later.contents.push(inner),
                    block::FUNCTION => later.functions.push(inner),
                    // Names that every module has, orders of uses, and records that only linkers need.
                    _ => {}
                },
                Item::Record => match record.code {
                    module::VERSION => {
                        self.version = record.op(0)?;
                        if self.version > 2 {
                            return Err(record.error(format!("module version {} is unknown", self.version)));
                        }
                    }
                    module::TRIPLE => self.m.triple = record.text(0, "the target triple")?,
                    module::DATALAYOUT => {
                        let layout = record.text(0, "the data layout")?;
                        if layout != self.m.data_layout {
                            self.m.data_layout = layout.into();
                        }
                    }
                    module::SOURCE_FILENAME => {
                        self.m.source_filename = record.text(0, "the source file name")?
                    }
                    module::SECTIONNAME => {
                        let name = record.text(0, "a section name")?;
                        let name = self.m.str(&name);
                        self.sections.push(name);
                    }
                    module::GLOBALVAR | module::FUNCTION => symbols.push(std::mem::take(&mut record)),
                    module::ALIAS | module::ALIAS_OLD | module::IFUNC => {
                        return Err(record.error("aliases are not supported"));
                    }
                    module::ASM => return Err(record.error("assembly text is not supported")),
                    module::COMDAT => return Err(record.error("groups of sections are not supported")),
                    _ => {}
                },
            }
        }
    }

    // ---- look-ups ----

    /// Type by its ID in the file.
    fn ty(&self, record: &Record<'_>, number: u64) -> Result<TypeId, ReadError> {
        let found = usize::try_from(number).ok().and_then(|at| self.types.get(at)).copied();
        found.ok_or_else(|| {
            record.error(format!("type {number} does not exist, there are {}", self.types.len()))
        })
    }

    /// A constant or symbol by its ID in the file.
    fn module_value(&self, record: &Record<'_>, number: u64) -> Result<Value, ReadError> {
        let found = usize::try_from(number).ok().and_then(|at| self.values.get(at)).copied();
        found
            .filter(|v| v.is_module_level())
            .ok_or_else(|| record.error(format!("value {number} is not a constant or symbol known here")))
    }

    /// Attribute set by its ID in the file, zero for none.
    fn set(&self, record: &Record<'_>, number: u64) -> Result<AttrSet, ReadError> {
        let Some(at) = number.checked_sub(1) else { return Ok(AttrSet::NONE) };
        let found = usize::try_from(at).ok().and_then(|at| self.sets.get(at)).copied();
        found.ok_or_else(|| {
            record.error(format!("attribute set {number} does not exist, there are {}", self.sets.len()))
        })
    }

    /// A piece of the module's metadata by its ID in the file.
    fn md(&self, record: &Record<'_>, number: u64) -> Result<Md, ReadError> {
        match usize::try_from(number).ok().and_then(|at| self.metadata.get(at)) {
            Some(&Numbered::Md(md)) => Ok(md),
            Some(Numbered::Local(_)) => Err(record.error("a value of a function inside other metadata")),
            None => Err(record.error(format!(
                "metadata {number} does not exist, there are {} pieces",
                self.metadata.len()
            ))),
        }
    }

    /// The same where zero is null and others are one too high.
    fn md_or_null(&self, record: &Record<'_>, number: u64) -> Result<Md, ReadError> {
        match number.checked_sub(1) {
            None => Ok(Md::NULL),
            Some(number) => self.md(record, number),
        }
    }

    /// Kind of metadata by its ID in the file. Only those that are used become kinds of the module.
    fn kind(&mut self, record: &Record<'_>, number: u64) -> Result<Attachment, ReadError> {
        match self.kinds.iter().find(|k| k.0 == number) {
            Some((_, name)) => Ok(self.m.attachment(name)),
            None => Err(record.error(format!("metadata kind {number} has no name"))),
        }
    }

    fn read_kinds(&mut self, block: &SubBlock<'a>) -> Result<(), ReadError> {
        let mut block = Block::open(block, &self.info);
        let mut record = Record::default();
        loop {
            match block.next(&mut record)? {
                Item::End => return Ok(()),
                Item::Record if record.code == md::KIND => self.read_kind(&record)?,
                _ => {}
            }
        }
    }

    fn read_kind(&mut self, record: &Record<'_>) -> Result<(), ReadError> {
        /// More than any compiler emits; larger tables are rejected.
        const MOST: usize = 4096;
        let name = record.text(1, "the name of a metadata kind")?;
        if self.kinds.len() >= MOST {
            return Err(record.error("too many kinds of metadata"));
        }
        self.kinds.push((record.op(0)?, name));
        Ok(())
    }
}
