//! Attributes of functions, parameters and calls, and the groups of those of functions.

use super::Printer;
use crate::module::{Attr, AttrIndex, AttrSet};

impl Printer<'_> {
    pub(super) fn number_groups(&mut self) {
        let table = self.m.attributes();
        let mut next = 0;
        for group in 0..table.group_count() as u32 {
            self.group_numbers.push(next);
            next += u32::from(table.group(group).0 == AttrIndex::FUNCTION);
        }
    }

    pub(super) fn function_group(&mut self, set: AttrSet, before: &str, after: &str) {
        if let Some(group) = self.m.attributes().group_of(set, AttrIndex::FUNCTION) {
            let number = self.group_numbers.get(group as usize).copied().unwrap_or(0);
            self.put(format_args!("{before}#{number}{after}"));
        }
    }

    pub(super) fn attributes_of(&mut self, set: AttrSet, index: AttrIndex, before: &str, after: &str) {
        let table = self.m.attributes();
        if let Some(group) = table.group_of(set, index) {
            for &attr in table.group(group).1 {
                self.out.push_str(before);
                self.attribute(attr, false);
                self.out.push_str(after);
            }
        }
    }

    pub(super) fn attribute(&mut self, attr: Attr, in_group: bool) {
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

    pub(super) fn attribute_groups(&mut self) {
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
}
