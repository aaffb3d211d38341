//! Types, attributes, global variables and function headers.

use super::Writer;
use super::bits::{AbbrevOp, FIRST_ABBREV};
use super::codes::{block, module, ty};
use crate::module::{Attr, Linkage, Str, Type, TypeList, UnnamedAddr, Visibility, align_code};

/// Abbreviation for any record that holds only text: the code, then bytes.
const TEXT: [AbbrevOp; 3] = [AbbrevOp::Vbr(6), AbbrevOp::Array, AbbrevOp::Fixed(8)];

impl Writer<'_> {
    /// Defines the current block's first abbreviation as the one for text.
    pub(super) fn define_text(&mut self) {
        self.bits.define(&TEXT);
    }

    /// A record of text by the abbreviation of `define_text`.
    pub(super) fn text(&mut self, code: u32, text: &str) {
        self.bits.abbreviated(FIRST_ABBREV);
        self.bits.vbr(u64::from(code), 6);
        self.bits.vbr(text.len() as u64, 6);
        self.bits.bytes(text.as_bytes());
    }

    pub(super) fn types(&mut self) {
        let module = self.module;
        let types = module.types();
        self.bits.enter(block::TYPE, 4);
        self.define_text();
        self.bits.record(ty::NUMENTRY, &[types.all().len() as u64]);
        for &shape in types.all() {
            match shape {
                Type::Void => self.bits.record(ty::VOID, &[]),
                Type::Label => self.bits.record(ty::LABEL, &[]),
                Type::Metadata => self.bits.record(ty::METADATA, &[]),
                Type::Int(bits) => self.bits.record(ty::INTEGER, &[u64::from(bits)]),
                Type::Half => self.bits.record(ty::HALF, &[]),
                Type::BFloat => self.bits.record(ty::BFLOAT, &[]),
                Type::Float => self.bits.record(ty::FLOAT, &[]),
                Type::Double => self.bits.record(ty::DOUBLE, &[]),
                Type::Pointer { pointee, space } => {
                    self.bits.record(ty::POINTER, &[pointee.index() as u64, u64::from(space)]);
                }
                Type::Vector { elem, len } => {
                    self.bits.record(ty::VECTOR, &[u64::from(len), elem.index() as u64]);
                }
                Type::Array { elem, len } => {
                    self.bits.record(ty::ARRAY, &[u64::from(len), elem.index() as u64]);
                }
                Type::Struct { fields, packed } => {
                    self.type_list(ty::STRUCT_ANON, &[u64::from(packed)], fields);
                }
                Type::Named { name, fields, packed } => {
                    // One without a name is written without a record of its name.
                    if !module.text(name).is_empty() {
                        self.text(ty::STRUCT_NAME, module.text(name));
                    }
                    self.type_list(ty::STRUCT_NAMED, &[u64::from(packed)], fields);
                }
                Type::Opaque { name } => {
                    self.text(ty::STRUCT_NAME, module.text(name));
                    self.bits.record(ty::OPAQUE, &[0]);
                }
                Type::Function { ret, params } => {
                    self.type_list(ty::FUNCTION, &[0, ret.index() as u64], params);
                }
                Type::VarFunction { ret, params } => {
                    self.type_list(ty::FUNCTION, &[1, ret.index() as u64], params);
                }
            }
        }
        self.bits.exit();
    }

    fn type_list(&mut self, code: u32, before: &[u64], list: TypeList) {
        self.record.clear();
        self.record.extend_from_slice(before);
        self.record.extend(self.module.types().list(list).iter().map(|id| id.index() as u64));
        self.bits.record(code, &self.record);
    }

    pub(super) fn attributes(&mut self) {
        const GROUP_ENTRY: u64 = 3;
        const SET_ENTRY: u32 = 2;
        let module = self.module;
        let table = module.attributes();
        if table.set_count() == 0 {
            return;
        }
        self.bits.enter(block::PARAMATTR_GROUP, 3);
        // Nearly all numbers are characters of string attributes.
        self.bits.define(&[AbbrevOp::Literal(GROUP_ENTRY), AbbrevOp::Array, AbbrevOp::Vbr(8)]);
        for number in 0..table.group_count() as u32 {
            let (index, attrs) = table.group(number);
            let texts = |key, value| (module.text(key), module.text(value));
            // A text ends with a zero.
            let len = |attr: &Attr| match *attr {
                Attr::Flag(_) => 2,
                Attr::Int(..) => 3,
                Attr::Type(_, ty) => 2 + usize::from(ty.is_some()),
                Attr::Text(key, value) => match texts(key, value) {
                    (key, "") => 2 + key.len(),
                    (key, value) => 3 + key.len() + value.len(),
                },
            };
            self.bits.abbreviated(FIRST_ABBREV);
            self.bits.vbr(2 + attrs.iter().map(len).sum::<usize>() as u64, 6);
            self.bits.vbr(u64::from(number) + 1, 8);
            self.bits.vbr(u64::from(index.0), 8);
            for &attr in attrs {
                match attr {
                    Attr::Flag(kind) => {
                        self.bits.vbr(0, 8);
                        self.bits.vbr(u64::from(kind.0), 8);
                    }
                    Attr::Int(kind, value) => {
                        self.bits.vbr(1, 8);
                        self.bits.vbr(u64::from(kind.0), 8);
                        self.bits.vbr(value, 8);
                    }
                    Attr::Type(kind, ty) => {
                        self.bits.vbr(if ty.is_some() { 6 } else { 5 }, 8);
                        self.bits.vbr(u64::from(kind.0), 8);
                        if let Some(ty) = ty {
                            self.bits.vbr(ty.index() as u64, 8);
                        }
                    }
                    Attr::Text(key, value) => {
                        let (key, value) = texts(key, value);
                        self.bits.vbr(if value.is_empty() { 3 } else { 4 }, 8);
                        self.attribute_text(key);
                        if !value.is_empty() {
                            self.attribute_text(value);
                        }
                    }
                }
            }
        }
        self.bits.exit();
        self.bits.enter(block::PARAMATTR, 3);
        for set in table.sets() {
            self.bits.begin(SET_ENTRY, set.len());
            for &group in set {
                self.bits.op(u64::from(group) + 1);
            }
        }
        self.bits.exit();
    }

    /// Characters in chunks of 8 bits, of which ASCII takes one each, and a zero.
    fn attribute_text(&mut self, text: &str) {
        if text.is_ascii() {
            self.bits.bytes(text.as_bytes());
        } else {
            text.bytes().for_each(|byte| self.bits.vbr(u64::from(byte), 8));
        }
        self.bits.vbr(0, 8);
    }

    /// Triple, data layout, sections, symbols; returns the position where the offset of the symbol table belongs.
    pub(super) fn module_info(&mut self) -> u64 {
        let m = self.module;
        self.define_text();
        self.bits.define(&[AbbrevOp::Literal(u64::from(module::VSTOFFSET)), AbbrevOp::Fixed(32)]);
        self.text(module::TRIPLE, &m.triple);
        self.text(module::DATALAYOUT, &m.data_layout);
        let mut sections: Vec<Str> = Vec::new();
        let named =
            m.globals().filter_map(|g| g.section).chain(m.functions().iter().filter_map(|f| f.section));
        for name in named {
            if !sections.contains(&name) {
                sections.push(name);
                self.text(module::SECTIONNAME, m.text(name));
            }
        }
        // Sections are numbered from one.
        let section = |name: Option<Str>| {
            name.and_then(|n| sections.iter().position(|&s| s == n)).map_or(0, |at| at as u64 + 1)
        };
        // Compilers before LLVM 3.9 give none.
        if !m.source_filename.is_empty() {
            self.text(module::SOURCE_FILENAME, &m.source_filename);
        }
        let mut name_start = 0;
        for global in m.globals() {
            let name_len = m.text(global.name).len() as u64;
            let init = global.init.map_or(0, |value| u64::from(self.id(value)) + 1);
            let ops = [
                name_start,
                name_len,
                global.ty.index() as u64,
                // Bit 1: the type is that of the contents, and the address space is given.
                u64::from(global.constant) | 1 << 1 | u64::from(global.space) << 2,
                init,
                linkage(global.linkage),
                u64::from(align_code(global.align)),
                section(global.section),
                visibility(global.visibility),
                0, // thread local
                unnamed_addr(global.unnamed_addr),
                u64::from(global.externally_initialized),
                0, // DLL storage class
                0, // comdat
                0, // attributes
                dso_local(global.linkage, global.dso_local),
            ];
            self.bits.record(module::GLOBALVAR, &ops);
            name_start += name_len;
        }
        for function in m.functions() {
            const FASTCC: u64 = 8;
            let name_len = m.text(function.name).len() as u64;
            let ops = [
                name_start,
                name_len,
                function.ty.index() as u64,
                if function.fastcc { FASTCC } else { 0 },
                u64::from(function.body.is_none()),
                linkage(function.linkage),
                u64::from(function.attrs.0),
                u64::from(align_code(function.align)),
                section(function.section),
                visibility(function.visibility),
                0, // garbage collector
                unnamed_addr(function.unnamed_addr),
                0, // prologue data
                0, // DLL storage class
                0, // comdat
                0, // prefix data
                0, // personality
                dso_local(function.linkage, function.dso_local),
            ];
            self.bits.record(module::FUNCTION, &ops);
            name_start += name_len;
        }
        self.bits.abbreviated(FIRST_ABBREV + 1);
        let place = self.bits.bit_position();
        self.bits.fixed(0, 32);
        place
    }
}

fn linkage(linkage: Linkage) -> u64 {
    match linkage {
        Linkage::External => 0,
        Linkage::Appending => 2,
        Linkage::Internal => 3,
        Linkage::ExternWeak => 7,
        Linkage::Common => 8,
        Linkage::Private => 9,
        Linkage::AvailableExternally => 12,
        Linkage::WeakAny => 16,
        Linkage::WeakOdr => 17,
        Linkage::LinkOnceAny => 18,
        Linkage::LinkOnceOdr => 19,
    }
}

/// Symbols of this module only are implied to be `dso_local`, and Apple's compiler writes the flag.
fn dso_local(linkage: Linkage, promised: bool) -> u64 {
    u64::from(promised || matches!(linkage, Linkage::Internal | Linkage::Private))
}

fn visibility(visibility: Visibility) -> u64 {
    match visibility {
        Visibility::Default => 0,
        Visibility::Hidden => 1,
        Visibility::Protected => 2,
    }
}

fn unnamed_addr(kind: UnnamedAddr) -> u64 {
    match kind {
        UnnamedAddr::None => 0,
        UnnamedAddr::Global => 1,
        UnnamedAddr::Local => 2,
    }
}
