//! Printer of a module as LLVM assembly (`.ll`).
//!
//! Every local value has a name (`%a0` arguments, `%v0` results, `b0:` blocks), since LLVM up to 9 refuses
//! numbered parameters; so the text can be read by LLVM 5 to 14.

mod debug;

use crate::module::{
    Attachment, Attr, AttrIndex, AttrSet, BlockId, Body, CALL_TAIL, Const, FastMath, Flags, Inst, Linkage,
    Location, Md, MdKind, Module, Op, Str, Type, TypeId, UnnamedAddr, Value, ValueKind, Visibility,
};
use indexmap::IndexSet;
use std::fmt::{Display, Write as _};

/// Text of a module.
pub fn print(module: &Module) -> String {
    let mut p = Printer { out: String::with_capacity(16 << 10), ..Printer::new(module) };
    p.number_groups();
    p.header();
    p.globals();
    for index in 0..module.functions().len() as u32 {
        p.function(index);
    }
    p.attribute_groups();
    p.metadata();
    p.out
}

/// Text of a type.
pub fn type_text(module: &Module, ty: TypeId) -> String {
    let mut p = Printer::new(module);
    p.ty(ty);
    p.out
}

struct Printer<'m> {
    m: &'m Module,
    out: String,
    /// `#N` of each attribute group that applies to functions.
    group_numbers: Vec<u32>,
    /// Places in the source, which get a node each after those of the module.
    locations: IndexSet<Location>,
}

impl<'m> Printer<'m> {
    fn new(m: &'m Module) -> Self {
        Printer { m, out: String::new(), group_numbers: Vec::new(), locations: IndexSet::new() }
    }

    // Writing to a string cannot fail.
    fn put(&mut self, text: impl Display) {
        let _ = write!(self.out, "{text}");
    }

    fn number_groups(&mut self) {
        let table = self.m.attributes();
        let mut next = 0;
        for group in 0..table.group_count() as u32 {
            self.group_numbers.push(next);
            next += u32::from(table.group(group).0 == AttrIndex::FUNCTION);
        }
    }

    fn header(&mut self) {
        if !self.m.source_filename.is_empty() {
            self.out.push_str("source_filename = ");
            self.quoted(&self.m.source_filename);
            self.out.push('\n');
        }
        self.out.push_str("target datalayout = ");
        self.quoted(&self.m.data_layout);
        self.out.push_str("\ntarget triple = ");
        self.quoted(&self.m.triple);
        self.out.push_str("\n\n");
        for &ty in self.m.types().all() {
            match ty {
                Type::Opaque { name } => {
                    self.name('%', name);
                    self.out.push_str(" = type opaque\n");
                }
                Type::Named { name, fields, packed } => {
                    self.name('%', name);
                    self.out.push_str(" = type ");
                    self.struct_body(self.m.types().list(fields), packed);
                    self.out.push('\n');
                }
                _ => {}
            }
        }
    }

    // ---- names and types ----

    fn quoted(&mut self, text: &str) {
        self.out.push('"');
        for byte in text.bytes() {
            match byte {
                b' '..=b'~' if byte != b'"' && byte != b'\\' => self.out.push(char::from(byte)),
                _ => self.put(format_args!("\\{byte:02X}")),
            }
        }
        self.out.push('"');
    }

    fn name(&mut self, sigil: char, name: Str) {
        let text = self.m.text(name);
        self.out.push(sigil);
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'$' | b'.' | b'_' | b'-');
        let starts_with_digit = text.as_bytes().first().is_none_or(u8::is_ascii_digit);
        if starts_with_digit || !text.bytes().all(plain) {
            self.quoted(text)
        } else {
            self.out.push_str(text)
        }
    }

    fn ty(&mut self, id: TypeId) {
        match self.m.types().get(id) {
            Type::Void => self.out.push_str("void"),
            Type::Label => self.out.push_str("label"),
            Type::Metadata => self.out.push_str("metadata"),
            Type::Int(bits) => self.put(format_args!("i{bits}")),
            Type::Half => self.out.push_str("half"),
            Type::BFloat => self.out.push_str("bfloat"),
            Type::Float => self.out.push_str("float"),
            Type::Double => self.out.push_str("double"),
            Type::Pointer { pointee, space } => {
                self.ty(pointee);
                if space != 0 {
                    self.put(format_args!(" addrspace({space})"));
                }
                self.out.push('*');
            }
            Type::Vector { elem, len } => {
                self.put(format_args!("<{len} x "));
                self.ty(elem);
                self.out.push('>');
            }
            Type::Array { elem, len } => {
                self.put(format_args!("[{len} x "));
                self.ty(elem);
                self.out.push(']');
            }
            Type::Struct { fields, packed } => self.struct_body(self.m.types().list(fields), packed),
            Type::Named { name, .. } | Type::Opaque { name } => self.name('%', name),
            Type::Function { ret, params } => {
                self.ty(ret);
                self.out.push_str(" (");
                self.list(self.m.types().list(params), |p, &ty| p.ty(ty));
                self.out.push(')');
            }
            Type::VarFunction { ret, params } => {
                self.ty(ret);
                self.out.push_str(" (");
                for &ty in self.m.types().list(params) {
                    self.ty(ty);
                    self.out.push_str(", ");
                }
                self.out.push_str("...)");
            }
        }
    }

    fn struct_body(&mut self, fields: &[TypeId], packed: bool) {
        let (open, close) = match (packed, fields.is_empty()) {
            (true, true) => ("<{", "}>"),
            (true, false) => ("<{ ", " }>"),
            (false, true) => ("{", "}"),
            (false, false) => ("{ ", " }"),
        };
        self.out.push_str(open);
        self.list(fields, |p, &ty| p.ty(ty));
        self.out.push_str(close);
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut print: impl FnMut(&mut Self, T)) {
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            print(self, item);
        }
    }

    // ---- values ----

    fn value(&mut self, value: Value) {
        match value.kind() {
            ValueKind::Inst(i) => self.put(format_args!("%v{i}")),
            ValueKind::Arg(i) => self.put(format_args!("%a{i}")),
            ValueKind::Global(i) => match self.m.global(i) {
                Some(global) => self.name('@', global.name),
                None => self.put(format_args!("<no global {i}>")),
            },
            ValueKind::Function(_) => match self.m.function(value) {
                Some(function) => self.name('@', function.name),
                None => self.out.push_str("<no function>"),
            },
            ValueKind::Const(i) => self.constant(self.m.constants().ty(i), self.m.constants().get(i)),
            ValueKind::Metadata(_) => self.md(value.as_metadata().unwrap_or(Md::NULL)),
            ValueKind::Local(i) => self.put(format_args!("<local {i}>")),
        }
    }

    fn module_value(&mut self, value: Value) {
        self.ty(self.m.module_type(value));
        self.out.push(' ');
        self.value(value);
    }

    fn typed(&mut self, body: &Body, value: Value) {
        self.ty(self.m.type_in(body, value));
        self.out.push(' ');
        self.value(value);
    }

    fn constant(&mut self, ty: TypeId, constant: Const<'_>) {
        match constant {
            Const::Null => match self.m.types().get(ty) {
                Type::Int(1) => self.out.push_str("false"),
                Type::Int(_) => self.out.push('0'),
                Type::Half | Type::BFloat | Type::Float | Type::Double => self.number(ty, 0),
                Type::Pointer { .. } => self.out.push_str("null"),
                _ => self.out.push_str("zeroinitializer"),
            },
            Const::Undef => self.out.push_str("undef"),
            Const::Poison => self.out.push_str("poison"),
            Const::Int(value) => self.number(ty, value as u64),
            Const::Float(bits) => self.number(ty, bits),
            Const::Data(elements) => {
                let elem = self.m.types().member(ty, 0).unwrap_or(TypeId::VOID);
                self.bracketed(ty, elements, |p, &bits| {
                    p.ty(elem);
                    p.out.push(' ');
                    p.number(elem, bits);
                });
            }
            Const::Aggregate(elements) => self.bracketed(ty, elements, |p, &value| p.module_value(value)),
            Const::Cast(op, value) => {
                self.put(format_args!("{} (", op.name()));
                self.module_value(value);
                self.out.push_str(" to ");
                self.ty(ty);
                self.out.push(')');
            }
            Const::Wide(words) => {
                let bits = self.m.types().bits(ty);
                self.out.push_str(&wide_decimal(words, bits));
            }
            Const::Binary(op, flags, operands) => {
                self.put(format_args!("{} ", op.name()));
                match op.flags() {
                    Flags::Wrap => self.wrap_flags(flags),
                    Flags::Exact => self.out.push_str(["", "exact "][usize::from(flags & 1)]),
                    Flags::Fast | Flags::None => {}
                }
                self.out.push('(');
                self.list(operands, |p, &value| p.module_value(value));
                self.out.push(')');
            }
            Const::Gep(operands) | Const::PlainGep(operands) => {
                self.out.push_str(match constant {
                    Const::Gep(_) => "getelementptr inbounds (",
                    _ => "getelementptr (",
                });
                let pointer = operands.first().map_or(TypeId::VOID, |&p| self.m.module_type(p));
                self.ty(self.m.types().pointee(pointer).unwrap_or(TypeId::VOID));
                self.out.push_str(", ");
                self.list(operands, |p, &value| p.module_value(value));
                self.out.push(')');
            }
        }
    }

    fn bracketed<T>(&mut self, ty: TypeId, items: &[T], print: impl FnMut(&mut Self, &T)) {
        let (open, close) = match self.m.types().get(ty) {
            Type::Vector { .. } => ("<", ">"),
            Type::Array { .. } => ("[", "]"),
            Type::Struct { packed: true, .. } | Type::Named { packed: true, .. } => ("<{ ", " }>"),
            _ => ("{ ", " }"),
        };
        self.out.push_str(open);
        self.list(items, print);
        self.out.push_str(close);
    }

    /// A number of scalar type by its bits.
    fn number(&mut self, ty: TypeId, bits: u64) {
        match self.m.types().get(ty) {
            Type::Int(1) => self.put(bits & 1 == 1),
            Type::Int(width) => {
                let shift = 64 - width.clamp(1, 64);
                self.put((bits << shift) as i64 >> shift);
            }
            Type::Half => self.put(format_args!("0xH{:04X}", bits & 0xffff)),
            Type::BFloat => self.put(format_args!("0xR{:04X}", bits & 0xffff)),
            Type::Float => self.float(widen(bits as u32)),
            _ => self.float(f64::from_bits(bits)),
        }
    }

    /// Decimal where that is exact, else the bits of the double of the same value.
    fn float(&mut self, value: f64) {
        let text = format!("{value:.6e}");
        if value.is_finite() && text.parse() == Ok(value) {
            // LLVM wants a sign and two digits in the exponent.
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent: i32 = exponent.parse().unwrap_or(0);
            self.put(format_args!(
                "{mantissa}e{}{:02}",
                if exponent < 0 { '-' } else { '+' },
                exponent.abs()
            ));
        } else {
            self.put(format_args!("0x{:016X}", value.to_bits()));
        }
    }

    // ---- symbols ----

    fn linkage(&mut self, linkage: Linkage) {
        self.out.push_str(match linkage {
            Linkage::External => "",
            Linkage::Internal => "internal ",
            Linkage::Private => "private ",
            Linkage::Appending => "appending ",
            Linkage::WeakAny => "weak ",
            Linkage::WeakOdr => "weak_odr ",
            Linkage::LinkOnceAny => "linkonce ",
            Linkage::LinkOnceOdr => "linkonce_odr ",
            Linkage::ExternWeak => "extern_weak ",
            Linkage::Common => "common ",
            Linkage::AvailableExternally => "available_externally ",
        });
    }

    fn globals(&mut self) {
        for (global, index) in self.m.globals().zip(0..) {
            self.name('@', global.name);
            self.out.push_str(" = ");
            if global.init.is_none() && global.linkage == Linkage::External {
                self.out.push_str("external ");
            }
            self.linkage(global.linkage);
            self.visibility(global.dso_local, global.visibility);
            self.unnamed_addr(global.unnamed_addr);
            if global.space != 0 {
                self.put(format_args!("addrspace({}) ", global.space));
            }
            if global.externally_initialized {
                self.out.push_str("externally_initialized ");
            }
            self.out.push_str(if global.constant { "constant " } else { "global " });
            self.ty(global.ty);
            if let Some(init) = global.init {
                self.out.push(' ');
                self.value(init);
            }
            self.section(", section ", global.section);
            if global.align != 0 {
                self.put(format_args!(", align {}", global.align));
            }
            self.symbol_attachments(Value::new(ValueKind::Global(index)), ",");
            self.out.push('\n');
        }
    }

    fn visibility(&mut self, dso_local: bool, visibility: Visibility) {
        self.out.push_str(if dso_local { "dso_local " } else { "" });
        self.out.push_str(match visibility {
            Visibility::Default => "",
            Visibility::Hidden => "hidden ",
            Visibility::Protected => "protected ",
        });
    }

    fn symbol_attachments(&mut self, symbol: Value, before: &str) {
        for &(_, kind, node) in self.m.attachments_of(symbol) {
            self.attachment(before, kind);
            self.md(node);
        }
    }

    fn attachment(&mut self, before: &str, kind: Attachment) {
        self.put(format_args!("{before} !{} ", self.m.attachment_name(kind)));
    }

    fn unnamed_addr(&mut self, kind: UnnamedAddr) {
        self.out.push_str(match kind {
            UnnamedAddr::None => "",
            UnnamedAddr::Local => "local_unnamed_addr ",
            UnnamedAddr::Global => "unnamed_addr ",
        });
    }

    fn section(&mut self, before: &str, section: Option<Str>) {
        if let Some(section) = section {
            self.out.push_str(before);
            self.quoted(self.m.text(section));
        }
    }

    fn function(&mut self, index: u32) {
        let function = &self.m.functions()[index as usize];
        let symbol = Value::new(ValueKind::Function(index));
        let (ret, params, variadic) = match self.m.types().get(function.ty) {
            Type::Function { ret, params } => (ret, params, false),
            Type::VarFunction { ret, params } => (ret, params, true),
            _ => return,
        };
        self.out.push_str(if function.body.is_some() { "\ndefine " } else { "\ndeclare" });
        if function.body.is_none() {
            self.symbol_attachments(symbol, "");
            self.out.push(' ');
        }
        self.linkage(function.linkage);
        self.visibility(function.dso_local, function.visibility);
        if function.fastcc {
            self.out.push_str("fastcc ");
        }
        self.attributes_of(function.attrs, AttrIndex::RETURN, "", " ");
        self.ty(ret);
        self.out.push(' ');
        self.name('@', function.name);
        self.out.push('(');
        let is_definition = function.body.is_some();
        self.list(self.m.types().list(params).iter().zip(0..), |p, (&ty, at)| {
            p.ty(ty);
            p.attributes_of(function.attrs, AttrIndex::param(at), " ", "");
            if is_definition {
                p.put(format_args!(" %a{at}"));
            }
        });
        if variadic {
            self.out.push_str(if params.is_empty() { "..." } else { ", ..." });
        }
        self.out.push_str(") ");
        self.unnamed_addr(function.unnamed_addr);
        self.function_group(function.attrs, "", " ");
        self.section("section ", function.section);
        if function.align != 0 {
            let space = if function.section.is_some() { " " } else { "" };
            self.put(format_args!("{space}align {}", function.align));
        }
        let trimmed = self.out.trim_end_matches(' ').len();
        self.out.truncate(trimmed);
        if let Some(body) = &function.body {
            self.symbol_attachments(symbol, "");
            self.out.push_str(" {\n");
            for (at, &block) in body.block_order().iter().enumerate() {
                if at > 0 {
                    self.out.push('\n');
                }
                self.put(format_args!("b{at}:\n"));
                for at in body.range(block) {
                    self.instruction(body, at);
                }
            }
            self.out.push('}');
        }
        self.out.push('\n');
    }

    fn function_group(&mut self, set: AttrSet, before: &str, after: &str) {
        if let Some(group) = self.m.attributes().group_of(set, AttrIndex::FUNCTION) {
            let number = self.group_numbers.get(group as usize).copied().unwrap_or(0);
            self.put(format_args!("{before}#{number}{after}"));
        }
    }

    fn attributes_of(&mut self, set: AttrSet, index: AttrIndex, before: &str, after: &str) {
        let table = self.m.attributes();
        if let Some(group) = table.group_of(set, index) {
            for &attr in table.group(group).1 {
                self.out.push_str(before);
                self.attribute(attr, false);
                self.out.push_str(after);
            }
        }
    }

    fn attribute(&mut self, attr: Attr, in_group: bool) {
        match attr {
            Attr::Flag(kind) => self.out.push_str(kind.name().unwrap_or("<unknown attribute>")),
            Attr::Int(kind, value) => {
                let name = kind.name().unwrap_or("<unknown attribute>");
                match (name, in_group) {
                    ("align", false) => self.put(format_args!("align {value}")),
                    ("align", true) => self.put(format_args!("align={value}")),
                    _ => self.put(format_args!("{name}({value})")),
                }
            }
            Attr::Type(kind, ty) => {
                self.out.push_str(kind.name().unwrap_or("<unknown attribute>"));
                if let Some(ty) = ty {
                    self.out.push('(');
                    self.ty(ty);
                    self.out.push(')');
                }
            }
            Attr::Text(key, value) => {
                self.quoted(self.m.text(key));
                let value = self.m.text(value);
                if !value.is_empty() {
                    self.out.push('=');
                    self.quoted(value);
                }
            }
        }
    }

    fn attribute_groups(&mut self) {
        let table = self.m.attributes();
        self.out.push('\n');
        for group in 0..table.group_count() as u32 {
            let (index, attrs) = table.group(group);
            if index == AttrIndex::FUNCTION {
                let number = self.group_numbers[group as usize];
                self.put(format_args!("attributes #{number} = {{"));
                for &attr in attrs {
                    self.out.push(' ');
                    self.attribute(attr, true);
                }
                self.out.push_str(" }\n");
            }
        }
    }

    // ---- instructions ----

    /// Blocks are named by their place, which is what is left of them in bitcode.
    fn label(&mut self, body: &Body, block: BlockId) {
        let place = body.position(block).unwrap_or(u32::MAX);
        self.put(format_args!("label %b{place}"));
    }

    fn fast(&mut self, flags: FastMath) {
        const NAMES: [(FastMath, &str); 7] = [
            (FastMath::REASSOC, "reassoc "),
            (FastMath::NNAN, "nnan "),
            (FastMath::NINF, "ninf "),
            (FastMath::NSZ, "nsz "),
            (FastMath::ARCP, "arcp "),
            (FastMath::CONTRACT, "contract "),
            (FastMath::AFN, "afn "),
        ];
        let flags = self.m.written_flags(flags);
        if flags == FastMath::FAST {
            self.out.push_str("fast ");
            return;
        }
        for (flag, name) in NAMES {
            if flags.0 & flag.0 != 0 {
                self.out.push_str(name);
            }
        }
    }

    fn instruction(&mut self, body: &Body, at: usize) {
        let inst = &body.insts()[at];
        self.out.push_str("  ");
        if inst.ty != TypeId::VOID {
            self.put(format_args!("%v{at} = "));
        }
        self.operation(body, inst);
        let attached = body.attached();
        let first = attached.partition_point(|a| (a.inst as usize) < at);
        for a in attached[first..].iter().take_while(|a| a.inst as usize == at) {
            self.attachment(",", a.kind);
            self.md(a.node);
        }
        self.location(body, at as u32);
        self.out.push('\n');
    }

    fn operation(&mut self, body: &Body, inst: &Inst) {
        if inst.op == Op::Call {
            return self.call(body, inst);
        }
        self.put(format_args!("{} ", inst.op.name()));
        let operands = || body.operands(inst);
        match inst.op {
            Op::Binary(op) => {
                match op.flags() {
                    Flags::Fast => self.fast(inst.fast_math()),
                    Flags::Wrap => self.wrap_flags(inst.flags),
                    Flags::Exact => self.out.push_str(["", "exact "][usize::from(inst.flags & 1)]),
                    Flags::None => {}
                }
                self.pair(body, inst);
            }
            Op::ICmp(predicate) => {
                self.put(format_args!("{} ", predicate.name()));
                self.pair(body, inst);
            }
            Op::FCmp(predicate) => {
                self.fast(inst.fast_math());
                self.put(format_args!("{} ", predicate.name()));
                self.pair(body, inst);
            }
            Op::Cast(_) => {
                self.typed(body, body.value(inst, 0));
                self.out.push_str(" to ");
                self.ty(inst.ty);
            }
            Op::Phi => {
                self.fast(inst.fast_math());
                self.ty(inst.ty);
                self.out.push(' ');
                self.list(body.pairs(inst), |p, (value, block)| {
                    p.out.push_str("[ ");
                    p.value(value);
                    p.put(format_args!(", %b{} ]", body.position(block).unwrap_or(u32::MAX)));
                });
            }
            Op::Gep => {
                self.out.push_str(if inst.flags & 1 != 0 { "inbounds " } else { "" });
                let pointer = self.m.type_in(body, body.value(inst, 0));
                self.ty(self.m.types().pointee(pointer).unwrap_or(TypeId::VOID));
                self.out.push_str(", ");
                self.list(operands(), |p, v| p.typed(body, v));
            }
            Op::Load => {
                self.out.push_str(if inst.flags & 1 != 0 { "volatile " } else { "" });
                self.ty(inst.ty);
                self.out.push_str(", ");
                self.typed(body, body.value(inst, 0));
                self.align(inst);
            }
            Op::Store => {
                self.out.push_str(if inst.flags & 1 != 0 { "volatile " } else { "" });
                self.typed(body, body.value(inst, 1));
                self.out.push_str(", ");
                self.typed(body, body.value(inst, 0));
                self.align(inst);
            }
            Op::Alloca => {
                self.ty(self.m.types().pointee(inst.ty).unwrap_or(TypeId::VOID));
                let count = body.value(inst, 0);
                if self.m.type_in(body, count) != TypeId::I32 || self.m.int_value(count) != Some(1) {
                    self.out.push_str(", ");
                    self.typed(body, count);
                }
                self.align(inst);
            }
            Op::FNeg | Op::Select => {
                self.fast(inst.fast_math());
                self.list(operands(), |p, v| p.typed(body, v));
            }
            Op::ExtractValue | Op::InsertValue => {
                self.list(operands(), |p, v| p.typed(body, v));
                for index in body.indices(inst) {
                    self.put(format_args!(", {index}"));
                }
            }
            Op::Br => self.list(body.successors(inst), |p, block| p.label(body, block)),
            Op::CondBr => {
                self.typed(body, body.value(inst, 0));
                self.out.push_str(", ");
                self.list(body.successors(inst), |p, block| p.label(body, block));
            }
            Op::Switch => {
                self.typed(body, body.value(inst, 0));
                self.out.push_str(", ");
                self.list(body.successors(inst).take(1), |p, block| p.label(body, block));
                self.out.push_str(" [");
                for (case, block) in body.pairs(inst) {
                    self.out.push_str("\n    ");
                    self.typed(body, case);
                    self.out.push_str(", ");
                    self.label(body, block);
                }
                self.out.push_str("\n  ]");
            }
            Op::Ret if operands().next().is_none() => self.out.push_str("void"),
            Op::Unreachable => {}
            _ => self.list(operands(), |p, v| p.typed(body, v)),
        }
    }

    fn wrap_flags(&mut self, flags: u8) {
        self.out.push_str(["", "nuw ", "nsw ", "nuw nsw "][usize::from(flags & 3)]);
    }

    fn pair(&mut self, body: &Body, inst: &Inst) {
        self.typed(body, body.value(inst, 0));
        self.out.push_str(", ");
        self.value(body.value(inst, 1));
    }

    fn align(&mut self, inst: &Inst) {
        if inst.align != 0 {
            self.put(format_args!(", align {}", inst.alignment()));
        }
    }

    fn call(&mut self, body: &Body, inst: &Inst) {
        let (callee, attrs) = (body.callee(inst), body.call_attrs(inst));
        self.out.push_str(if inst.flags & CALL_TAIL != 0 { "tail call " } else { "call " });
        self.fast(inst.fast_math());
        if self.m.function(callee).is_some_and(|f| f.fastcc) {
            self.out.push_str("fastcc ");
        }
        self.attributes_of(attrs, AttrIndex::RETURN, "", " ");
        let signature = self.m.types().pointee(self.m.type_in(body, callee)).unwrap_or(TypeId::VOID);
        match self.m.types().get(signature) {
            Type::VarFunction { .. } => self.ty(signature),
            _ => self.ty(inst.ty),
        }
        self.out.push(' ');
        self.value(callee);
        self.out.push('(');
        self.list(body.call_args(inst).zip(0..), |p, (value, at)| {
            p.ty(p.m.type_in(body, value));
            p.attributes_of(attrs, AttrIndex::param(at), " ", "");
            p.out.push(' ');
            match value.kind() {
                ValueKind::Local(i) => {
                    let local = body.locals().get(i as usize).copied().unwrap_or(value);
                    p.typed(body, local);
                }
                _ => p.value(value),
            }
        });
        self.out.push(')');
        self.function_group(attrs, " ", "");
    }

    // ---- metadata ----

    fn md(&mut self, md: Md) {
        let table = self.m.metadata();
        match md.kind() {
            MdKind::Null => self.out.push_str("null"),
            MdKind::Node(i) => self.put(format_args!("!{i}")),
            MdKind::Value(i) => match table.values().get(i as usize) {
                Some(&value) => self.module_value(value),
                None => self.out.push_str("<no value>"),
            },
            MdKind::String(i) => {
                self.out.push('!');
                match table.strings().get(i as usize) {
                    Some(&text) => self.quoted(self.m.text(text)),
                    None => self.out.push_str("\"\""),
                }
            }
        }
    }

    fn metadata(&mut self) {
        let table = self.m.metadata();
        self.out.push('\n');
        for named in table.named() {
            self.out.push('!');
            self.out.push_str(self.m.text(named.name));
            self.out.push_str(" = !{");
            self.list(&named.nodes, |p, &node| p.md(node));
            self.out.push_str("}\n");
        }
        self.out.push('\n');
        for node in 0..table.node_count() as u32 {
            let distinct = if table.is_distinct(node) { "distinct " } else { "" };
            if let Some((code, fields)) = table.debug(node) {
                self.put(format_args!("!{node} = {distinct}"));
                self.debug_node(code, fields);
                self.out.push('\n');
                continue;
            }
            self.put(format_args!("!{node} = {distinct}!{{"));
            self.list(table.node(node), |p, &operand| p.md(operand));
            self.out.push_str("}\n");
        }
        self.location_nodes();
    }
}

/// An integer of more than 64 bits, given by its words from the lowest.
fn wide_decimal(words: &[u64], bits: u32) -> String {
    let at = |i: usize| words.get(i).copied().unwrap_or(0);
    let negative = bits > 0 && at((bits as usize - 1) / 64) >> ((bits - 1) % 64) & 1 == 1;
    let mut digits: Vec<u32> =
        (0..(bits as usize).div_ceil(32)).map(|i| (at(i / 2) >> (i % 2 * 32)) as u32).collect();
    if let Some(top) = digits.last_mut().filter(|_| !bits.is_multiple_of(32)) {
        *top &= (1 << (bits % 32)) - 1;
    }
    if negative {
        let mut carry = true;
        for digit in &mut digits {
            let (sum, more) = (!*digit).overflowing_add(u32::from(carry));
            (*digit, carry) = (sum, more);
        }
        if let Some(top) = digits.last_mut().filter(|_| !bits.is_multiple_of(32)) {
            *top &= (1 << (bits % 32)) - 1;
        }
    }
    let mut text: Vec<u8> = Vec::new();
    while digits.iter().any(|&d| d != 0) {
        let mut rest = 0u64;
        for digit in digits.iter_mut().rev() {
            let value = rest << 32 | u64::from(*digit);
            *digit = (value / 10) as u32;
            rest = value % 10;
        }
        text.push(b'0' + rest as u8);
    }
    if text.is_empty() {
        text.push(b'0');
    }
    if negative {
        text.push(b'-');
    }
    text.iter().rev().map(|&b| char::from(b)).collect()
}

/// The double of the same value; NaNs keep sign, quiet bit and payload.
fn widen(bits: u32) -> f64 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let sign = u64::from(bits >> 31) << 63;
        f64::from_bits(sign | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29)
    } else {
        f64::from(value)
    }
}
