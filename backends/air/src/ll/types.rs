//! Types and names.

use super::Printer;
use crate::module::{Str, Type, TypeId};

impl Printer<'_> {
    pub(super) fn quoted(&mut self, text: &str) {
        self.out.push('"');
        for byte in text.bytes() {
            match byte {
                b' '..=b'~' if byte != b'"' && byte != b'\\' => self.out.push(char::from(byte)),
                _ => self.put(format_args!("\\{byte:02X}")),
            }
        }
        self.out.push('"');
    }

    pub(super) fn name(&mut self, sigil: char, name: Str) {
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

    pub(super) fn ty(&mut self, id: TypeId) {
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

    pub(super) fn struct_body(&mut self, fields: &[TypeId], packed: bool) {
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

    pub(super) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut print: impl FnMut(&mut Self, T),
    ) {
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            print(self, item);
        }
    }
}
