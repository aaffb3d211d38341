//! Global variables and functions.

use super::Printer;
use crate::module::{Attachment, AttrIndex, Linkage, Str, Type, UnnamedAddr, Value, ValueKind, Visibility};

impl Printer<'_> {
    pub(super) fn linkage(&mut self, linkage: Linkage) {
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

    pub(super) fn globals(&mut self) {
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

    pub(super) fn visibility(&mut self, dso_local: bool, visibility: Visibility) {
        self.out.push_str(if dso_local { "dso_local " } else { "" });
        self.out.push_str(match visibility {
            Visibility::Default => "",
            Visibility::Hidden => "hidden ",
            Visibility::Protected => "protected ",
        });
    }

    pub(super) fn symbol_attachments(&mut self, symbol: Value, before: &str) {
        for &(_, kind, node) in self.m.attachments_of(symbol) {
            self.attachment(before, kind);
            self.md(node);
        }
    }

    pub(super) fn attachment(&mut self, before: &str, kind: Attachment) {
        self.put(format_args!("{before} !{} ", self.m.attachment_name(kind)));
    }

    pub(super) fn unnamed_addr(&mut self, kind: UnnamedAddr) {
        self.out.push_str(match kind {
            UnnamedAddr::None => "",
            UnnamedAddr::Local => "local_unnamed_addr ",
            UnnamedAddr::Global => "unnamed_addr ",
        });
    }

    pub(super) fn section(&mut self, before: &str, section: Option<Str>) {
        if let Some(section) = section {
            self.out.push_str(before);
            self.quoted(self.m.text(section));
        }
    }

    pub(super) fn function(&mut self, index: u32) {
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
}
