//! Debug information in the text: `!DIFile(filename: …)` and its relatives, and the locations of instructions.
//!
//! A table ([`shape`]) has the names and forms of a record's fields; a record without an entry there
//! is written as a plain node of its fields.

mod shape;

use super::Printer;
use crate::module::{Body, Location, Md, MdKind, di, di_references};
use shape::{Form, shape};

impl Printer<'_> {
    /// One record of debug information.
    pub(super) fn debug_node(&mut self, code: u8, fields: &[u64]) {
        if code == di::EXPRESSION {
            self.out.push_str("!DIExpression(");
            self.list(fields.get(1..).unwrap_or(&[]), |p, word| p.put(word));
            return self.out.push(')');
        }
        let Some((name, shape)) = shape(code, fields) else { return self.plain_debug_node(code, fields) };
        self.put(format_args!("!{name}("));
        let mut comma = "";
        for &(at, label, form) in shape {
            let Some(&field) = fields.get(at) else { continue };
            if !form.is_shown(field) {
                continue;
            }
            self.put(format_args!("{comma}{label}: "));
            comma = ", ";
            match form {
                Form::Ref | Form::Need => self.md(Md::from_word(field)),
                Form::NeedText if Md::from_word(field) == Md::NULL => self.out.push_str("\"\""),
                Form::Text | Form::NeedText => self.bare_text(Md::from_word(field)),
                Form::Number | Form::Always => self.put(field),
                Form::Plain => self.put(field as i64),
                Form::Signed => self.put(signed(field)),
                Form::True | Form::False | Form::Bool => self.put(field != 0),
                Form::Named(names) | Form::Kind(names) => match names.iter().find(|n| n.0 == field) {
                    Some((_, name)) => self.put(name),
                    None => self.put(field),
                },
            }
        }
        self.out.push(')');
    }

    /// A string without the `!` that strings in nodes have.
    fn bare_text(&mut self, md: Md) {
        let before = self.out.len();
        self.md(md);
        if matches!(md.kind(), MdKind::String(_)) {
            self.out.remove(before);
        }
    }

    /// A record that has no entry in the table: its number and fields as a plain node.
    fn plain_debug_node(&mut self, code: u8, fields: &[u64]) {
        let references = di_references(code, fields).unwrap_or(0);
        self.put(format_args!("!{{!\"llvm.di.{code}\""));
        for (at, &field) in fields.iter().enumerate() {
            self.out.push_str(", ");
            if references >> at.min(63) & 1 == 1 {
                self.md(Md::from_word(field));
            } else {
                self.put(format_args!("i64 {}", field as i64));
            }
        }
        self.out.push('}');
    }

    /// `!dbg` of an instruction, if it has a source location.
    pub(super) fn location(&mut self, body: &Body, inst: u32) {
        let all = body.locations();
        let at = all.partition_point(|l| l.inst < inst);
        let Some(&location) = all.get(at).filter(|l| l.inst == inst && l.scope != Md::NULL) else { return };
        let (index, _) = self.locations.insert_full(Location { inst: 0, ..location });
        let number = self.m.metadata().node_count() + index;
        self.put(format_args!(", !dbg !{number}"));
    }

    /// The nodes of the locations that instructions have.
    pub(super) fn location_nodes(&mut self) {
        let first = self.m.metadata().node_count();
        for (at, location) in std::mem::take(&mut self.locations).into_iter().enumerate() {
            let Location { line, column, scope, inlined_at, implicit, .. } = location;
            self.put(format_args!("!{} = ", first + at));
            let fields =
                [0, u64::from(line), u64::from(column), scope.word(), inlined_at.word(), u64::from(implicit)];
            self.debug_node(di::LOCATION, &fields);
            self.out.push('\n');
        }
    }
}

/// A number with the sign in the lowest bit.
fn signed(word: u64) -> i64 {
    match (word & 1, word >> 1) {
        (0, value) => value as i64,
        (_, 0) => i64::MIN,
        (_, value) => -(value as i64),
    }
}
