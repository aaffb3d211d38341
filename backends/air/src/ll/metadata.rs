//! Metadata; debug information has a [module of its own](super::debug).

use super::Printer;
use crate::module::{Md, MdKind};

impl Printer<'_> {
    pub(super) fn md(&mut self, md: Md) {
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

    pub(super) fn metadata(&mut self) {
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
