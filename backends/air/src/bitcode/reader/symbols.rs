//! Global variables and functions, and their names.

use super::super::codes::module;
use super::bits::{Block, Item, Record, SubBlock};
use super::{ReadError, Reader};
use crate::module::{GlobalVar, Linkage, Type, TypeId, UnnamedAddr, Value, Visibility};
use rustc_hash::FxHashMap;

/// Names of symbols by their value number, where they are not in the string table.
pub(super) type Names = FxHashMap<u64, String>;

/// A global variable and the value ID of its initial contents.
pub(super) struct Init {
    global: u32,
    number: u64,
    offset: u64,
}

/// Fields of a record of a symbol, after those of the name in the string table.
struct Fields<'r, 'a> {
    record: &'r Record<'a>,
    first: usize,
}

impl Fields<'_, '_> {
    fn get(&self, at: usize) -> Result<u64, ReadError> {
        self.record.op(self.first + at)
    }

    /// Zero where the record is of an older form and shorter.
    fn or_zero(&self, at: usize) -> u64 {
        self.record.ops.get(self.first + at).copied().unwrap_or(0)
    }

    /// Rejects values other than zero.
    fn none(&self, at: usize, what: &str) -> Result<(), ReadError> {
        match self.or_zero(at) {
            0 => Ok(()),
            _ => Err(self.record.error(format!("{what} is not supported"))),
        }
    }
}

impl<'a> Reader<'a> {
    /// Names in the symbol tables of module versions 0 and 1.
    pub(super) fn read_symbol_names(&mut self, blocks: &[SubBlock<'a>]) -> Result<Names, ReadError> {
        const ENTRY: u32 = 1;
        const FUNCTION_ENTRY: u32 = 3;
        let mut names = Names::default();
        let mut record = Record::default();
        for block in blocks.iter().filter(|_| self.version < 2) {
            let mut block = Block::open(block, &self.info);
            loop {
                let from = match block.next(&mut record)? {
                    Item::End => break,
                    Item::Record if record.code == ENTRY => 1,
                    Item::Record if record.code == FUNCTION_ENTRY => 2,
                    _ => continue,
                };
                names.insert(record.op(0)?, record.text(from, "the name of a symbol")?);
            }
        }
        Ok(names)
    }

    /// Declares the symbols; their contents are returned for [`Reader::set_inits`].
    pub(super) fn read_symbols(
        &mut self,
        records: &[Record<'a>],
        names: &Names,
    ) -> Result<Vec<Init>, ReadError> {
        let mut inits = Vec::new();
        for record in records {
            let name = self.symbol_name(record, names)?;
            let fields = Fields { record, first: if self.version >= 2 { 2 } else { 0 } };
            let value = match record.code {
                module::GLOBALVAR => self.global(&name, &fields, &mut inits)?,
                _ => self.function_header(&name, &fields)?,
            };
            self.values.push(value);
        }
        Ok(inits)
    }

    fn symbol_name(&self, record: &Record<'_>, names: &Names) -> Result<String, ReadError> {
        if self.version < 2 {
            return Ok(names.get(&(self.values.len() as u64)).cloned().unwrap_or_default());
        }
        let (start, len) = (record.op32(0)? as usize, record.op32(1)? as usize);
        let bytes = start.checked_add(len).and_then(|end| self.names.get(start..end));
        let bytes = bytes.ok_or_else(|| {
            record
                .error(format!("a name of {len} bytes at {start} of a string table of {}", self.names.len()))
        })?;
        String::from_utf8(bytes.to_vec()).map_err(|_| record.error("the name of a symbol is not valid UTF-8"))
    }

    fn global(&mut self, name: &str, f: &Fields<'_, '_>, inits: &mut Vec<Init>) -> Result<Value, ReadError> {
        const EXPLICIT_TYPE: u64 = 2;
        let given = self.ty(f.record, f.get(0)?)?;
        let bits = f.get(1)?;
        // Older records have the type of the address.
        let (ty, space) = if bits & EXPLICIT_TYPE != 0 {
            let space = u32::try_from(bits >> 2).ok().filter(|s| *s < 1 << 24);
            (given, space.ok_or_else(|| f.record.error(format!("address space {}", bits >> 2)))?)
        } else {
            match self.m.types().get(given) {
                Type::Pointer { pointee, space } => (pointee, space),
                _ => return Err(f.record.error("the type of a global variable is not a pointer")),
            }
        };
        if matches!(self.m.types().get(ty), Type::Void | Type::Label | Type::Metadata) {
            return Err(f.record.error("a global variable of a type without values"));
        }
        f.none(7, "thread-local storage")?;
        f.none(10, "a storage class of Windows")?;
        f.none(11, "a group of sections")?;
        f.none(12, "an attribute of a global variable")?;
        let linkage = linkage(f, f.get(3)?)?;
        let number = f.get(2)?;
        let name = self.m.str(name);
        let global = GlobalVar {
            name,
            ty,
            space,
            linkage,
            unnamed_addr: unnamed_addr(f, f.or_zero(8))?,
            constant: bits & 1 != 0,
            init: None,
            align: alignment(f, f.get(4)?)?,
            section: self.section(f, f.get(5)?)?,
            externally_initialized: f.or_zero(9) != 0,
            visibility: visibility(f, f.or_zero(6))?,
            dso_local: f.or_zero(13) != 0 && !is_local(linkage),
        };
        let value = self.m.add_global(global);
        self.type_sizes_follow();
        if let Some(number) = number.checked_sub(1) {
            let global = self.m.global_count() as u32 - 1;
            inits.push(Init { global, number, offset: f.record.offset });
        }
        Ok(value)
    }

    /// Initial contents, once there are constants.
    pub(super) fn set_inits(&mut self, inits: &[Init]) -> Result<(), ReadError> {
        for init in inits {
            let record = Record { offset: init.offset, ..Record::default() };
            let value = self.module_value(&record, init.number)?;
            let ty = self.m.module_type(value);
            if let Some(global) = self.m.global_mut(init.global) {
                if global.ty != ty {
                    return Err(record.error("the contents of a global variable are not of its type"));
                }
                global.init = Some(value);
            }
        }
        Ok(())
    }

    fn function_header(&mut self, name: &str, f: &Fields<'_, '_>) -> Result<Value, ReadError> {
        const FASTCC: u64 = 8;
        let given = self.ty(f.record, f.get(0)?)?;
        let ty = self.m.types().pointee(given).unwrap_or(given);
        if !matches!(self.m.types().get(ty), Type::Function { .. } | Type::VarFunction { .. }) {
            return Err(f.record.error("the type of a function is not a function type"));
        }
        let fastcc = match f.get(1)? {
            0 => false,
            FASTCC => true,
            other => return Err(f.record.error(format!("calling convention {other} is not supported"))),
        };
        let has_body = f.get(2)? == 0;
        let linkage = linkage(f, f.get(3)?)?;
        let attrs = self.set(f.record, f.get(4)?)?;
        let align = alignment(f, f.get(5)?)?;
        let section = self.section(f, f.get(6)?)?;
        let visibility = visibility(f, f.get(7)?)?;
        f.none(8, "garbage collection")?;
        let unnamed_addr = unnamed_addr(f, f.or_zero(9))?;
        f.none(10, "data before a function")?;
        f.none(11, "a storage class of Windows")?;
        f.none(12, "a group of sections")?;
        f.none(13, "data before a function")?;
        f.none(14, "a personality function")?;
        f.none(16, "a function in another address space")?;
        let dso_local = f.or_zero(15) != 0 && !is_local(linkage);
        let value = self.m.add_declaration(name, ty);
        self.type_sizes_follow();
        if let Some(function) = self.m.function_mut(value) {
            function.linkage = linkage;
            function.attrs = attrs;
            function.align = align;
            function.section = section;
            function.visibility = visibility;
            function.unnamed_addr = unnamed_addr;
            function.fastcc = fastcc;
            function.dso_local = dso_local;
        }
        if has_body {
            self.bodies.push_back(self.m.functions().len() as u32 - 1);
        }
        Ok(value)
    }

    /// Sections are numbered from one.
    fn section(&self, f: &Fields<'_, '_>, number: u64) -> Result<Option<crate::module::Str>, ReadError> {
        let Some(at) = number.checked_sub(1) else { return Ok(None) };
        match usize::try_from(at).ok().and_then(|at| self.sections.get(at)) {
            Some(&section) => Ok(Some(section)),
            None => Err(f.record.error(format!("section {number} does not exist"))),
        }
    }

    /// Gives the pointer types that the module added on its own the size of their pointee plus one.
    pub(super) fn type_sizes_follow(&mut self) {
        for at in self.type_sizes.len()..self.m.types().all().len() {
            let size = match self.m.types().all()[at] {
                Type::Pointer { pointee, .. } => super::types::Size::around([self.type_size(pointee)]),
                _ => self.type_size(TypeId::VOID),
            };
            self.type_sizes.push(size);
        }
    }
}

fn is_local(linkage: Linkage) -> bool {
    matches!(linkage, Linkage::Internal | Linkage::Private)
}

/// Numbers of LLVM 4 and later, and those of before that are still in files.
fn linkage(f: &Fields<'_, '_>, number: u64) -> Result<Linkage, ReadError> {
    Ok(match number {
        // 5 and 6 were import and export of Windows, 15 a name for external.
        0 | 5 | 6 | 15 => Linkage::External,
        1 | 16 => Linkage::WeakAny,
        2 => Linkage::Appending,
        3 => Linkage::Internal,
        4 | 18 => Linkage::LinkOnceAny,
        7 => Linkage::ExternWeak,
        8 => Linkage::Common,
        // 13 and 14 were private to the linker.
        9 | 13 | 14 => Linkage::Private,
        10 | 17 => Linkage::WeakOdr,
        11 | 19 => Linkage::LinkOnceOdr,
        12 => Linkage::AvailableExternally,
        other => return Err(f.record.error(format!("linkage {other} is unknown"))),
    })
}

fn visibility(f: &Fields<'_, '_>, number: u64) -> Result<Visibility, ReadError> {
    match number {
        0 => Ok(Visibility::Default),
        1 => Ok(Visibility::Hidden),
        2 => Ok(Visibility::Protected),
        other => Err(f.record.error(format!("visibility {other} is unknown"))),
    }
}

fn unnamed_addr(f: &Fields<'_, '_>, number: u64) -> Result<UnnamedAddr, ReadError> {
    match number {
        0 => Ok(UnnamedAddr::None),
        1 => Ok(UnnamedAddr::Global),
        2 => Ok(UnnamedAddr::Local),
        other => Err(f.record.error(format!("{other} is not a kind of `unnamed_addr`"))),
    }
}

/// An alignment is written as its logarithm and one, zero if not given.
fn alignment(f: &Fields<'_, '_>, coded: u64) -> Result<u32, ReadError> {
    match coded {
        0 => Ok(0),
        1..=32 => Ok(1 << (coded - 1)),
        _ => Err(f.record.error(format!("an alignment of 2^{}", coded - 1))),
    }
}
