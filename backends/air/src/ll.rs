//! Printer of a module as LLVM assembly (`.ll`).
//!
//! Every local value has a name (`%a0` arguments, `%v0` results, `b0:` blocks), since LLVM up to 9 rejects
//! numbered parameters; so the text can be read by LLVM 5 to 14.

mod attributes;
mod constants;
mod debug;
mod instructions;
mod metadata;
mod symbols;
mod types;

use crate::module::{Location, Module, Type, TypeId};
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
    /// Source locations, which get a node each after those of the module.
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
}
