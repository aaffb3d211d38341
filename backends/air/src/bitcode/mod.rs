//! Bitcode: the [reader](read()) of modules by Apple's compilers and by the writer, and the writer.
//!
//! The writer makes LLVM bitcode as Apple's compiler does for macOS 10.15 to 13 (module version 2, string table, typed
//! pointers), which every reader from LLVM 5 on takes.
//!
//! All constants and metadata are written at module level and every handle of the module is already its number
//! in the file, so nothing is enumerated or sorted. Not written, since no reader needs them: the contents of
//! BLOCKINFO and most abbreviations, the index of the metadata block and the linker's SYMTAB.

mod bits;
mod codes;
mod constants;
mod function;
mod metadata;
mod reader;
mod tables;

pub use reader::{Rejection, read, rejection};

use crate::module::{Module, Value, ValueKind};
use bits::{AbbrevOp, BitWriter, FIRST_ABBREV};
use codes::{block, module};

/// Magic number of the wrapper around bitcode in `.air` and `.metallib` files.
const WRAPPER_MAGIC: u32 = 0x0b17_c0de;
/// Size of the wrapper's header.
const WRAPPER_HEADER: usize = 20;
/// Magic number of bitcode.
const MAGIC: [u8; 4] = [b'B', b'C', 0xc0, 0xde];

/// Bitcode of a module, without the wrapper.
pub fn write(module: &Module) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 << 10);
    out.extend_from_slice(&MAGIC);
    Writer::new(module, out, 0).run()
}

/// Bitcode of a module in Apple's wrapper, filled up to a multiple of 16 bytes.
pub fn write_wrapped(module: &Module) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 << 10);
    for word in [WRAPPER_MAGIC, 0, WRAPPER_HEADER as u32, 0, u32::MAX] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&MAGIC);
    let mut out = Writer::new(module, out, WRAPPER_HEADER).run();
    let size = (out.len() - WRAPPER_HEADER) as u32;
    out[12..16].copy_from_slice(&size.to_le_bytes());
    out.resize(out.len().next_multiple_of(16), 0);
    out
}

/// Writer of one module.
struct Writer<'m> {
    module: &'m Module,
    bits: BitWriter,
    /// Operands of the record being written.
    record: Vec<u64>,
    /// Value number of each instruction of the function being written.
    ids: Vec<u32>,
    /// Value IDs of the first function, the first constant and the first value of a function.
    first_function: u32,
    first_constant: u32,
    first_local: u32,
    /// Bytes before the magic number.
    start: usize,
}

impl<'m> Writer<'m> {
    fn new(module: &'m Module, out: Vec<u8>, start: usize) -> Self {
        let first_function = module.global_count() as u32;
        let first_constant = first_function + module.functions().len() as u32;
        let first_local = first_constant + module.constants().len() as u32;
        Writer {
            module,
            bits: BitWriter::new(out),
            record: Vec::with_capacity(64),
            ids: Vec::with_capacity(256),
            first_function,
            first_constant,
            first_local,
            start,
        }
    }

    fn run(mut self) -> Vec<u8> {
        self.identification();
        self.bits.enter(block::MODULE, 3);
        self.bits.record(module::VERSION, &[2]);
        self.types();
        self.attributes();
        let vst_place = self.module_info();
        self.constants();
        self.metadata_kinds();
        self.metadata();
        self.bundle_tags();
        self.sync_scopes();
        let functions = self.functions();
        self.value_symtab(vst_place, &functions);
        self.bits.exit();
        self.string_table();
        self.bits.finish()
    }

    /// Apple's producer string is empty.
    fn identification(&mut self) {
        const STRING: u32 = 1;
        const EPOCH: u32 = 2;
        self.bits.enter(block::IDENTIFICATION, 5);
        self.bits.record(STRING, &[]);
        self.bits.record(EPOCH, &[0]);
        self.bits.exit();
    }

    /// Bodies of all definitions; the value number of each and the word it starts at.
    fn functions(&mut self) -> Vec<(u32, u32)> {
        let module = self.module;
        let mut places = Vec::new();
        for (index, function) in module.functions().iter().enumerate() {
            if let Some(body) = &function.body {
                places.push((self.first_function + index as u32, self.word()));
                self.function(index as u32, function, body);
            }
        }
        places
    }

    /// Position in the file as readers count it: words from the magic number on.
    fn word(&self) -> u32 {
        ((self.bits.bit_position() / 8) as usize).saturating_sub(self.start) as u32 / 4
    }

    /// Symbol table of version 2: only where each body is, so that readers can load them lazily.
    fn value_symtab(&mut self, place: u64, functions: &[(u32, u32)]) {
        const FNENTRY: u64 = 3;
        let word = self.word();
        self.bits.patch32(place, word);
        self.bits.enter(block::VALUE_SYMTAB, 4);
        self.bits.define(&[AbbrevOp::Literal(FNENTRY), AbbrevOp::Vbr(8), AbbrevOp::Vbr(8)]);
        for &(id, word) in functions {
            self.bits.abbreviated(FIRST_ABBREV);
            self.bits.vbr(u64::from(id), 8);
            self.bits.vbr(u64::from(word), 8);
        }
        self.bits.exit();
    }

    /// Names of global variables and functions in one blob.
    fn string_table(&mut self) {
        const BLOB: u64 = 1;
        let module = self.module;
        let names = || {
            let globals = module.globals().map(|g| g.name);
            globals.chain(module.functions().iter().map(|f| f.name)).map(|name| module.text(name).as_bytes())
        };
        self.bits.enter(block::STRTAB, 3);
        self.bits.define(&[AbbrevOp::Literal(BLOB), AbbrevOp::Blob]);
        self.bits.abbreviated(FIRST_ABBREV);
        self.bits.blob(names().map(<[u8]>::len).sum(), names());
        self.bits.exit();
    }

    /// ID of a value in the file.
    #[inline]
    fn id(&self, value: Value) -> u32 {
        match value.kind() {
            ValueKind::Inst(i) => self.ids.get(i as usize).copied().unwrap_or(u32::MAX),
            ValueKind::Arg(i) => self.first_local + i,
            ValueKind::Const(i) => self.first_constant + i,
            ValueKind::Global(i) => i,
            ValueKind::Function(i) => self.first_function + i,
            ValueKind::Metadata(_) => {
                value.as_metadata().and_then(|md| self.metadata_id(md)).map_or(u32::MAX, |id| id as u32)
            }
            ValueKind::Local(i) => self.metadata_count() + i,
        }
    }
}
