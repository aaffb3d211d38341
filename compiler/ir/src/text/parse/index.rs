//! Indices of intrinsics.

use super::parser::{NUMBER, Parser, Res};
use crate::intrinsic::{Align, Index, IndexKind, IndexValue, IoSemantics};
use crate::text::lexer::Kind;

impl Parser<'_> {
    /// The packed value of an index.
    pub(super) fn index_value(&mut self, index: Index) -> Res<u32> {
        let max = (1u64 << index.bits()) - 1;
        match index.kind() {
            IndexKind::Number => Ok(self.number(max)? as u32),
            IndexKind::Bool => match self.at_word() {
                Some(word @ ("true" | "false")) => {
                    self.advance();
                    Ok(u32::from(word == "true"))
                }
                _ => self.expected("`true` or `false`"),
            },
            IndexKind::ComponentMask => self.component_mask(),
            IndexKind::Align => self.align(),
            IndexKind::Io => self.io(),
            IndexKind::Enum(name) => {
                let word = self.slice();
                let names = || (0..=max as u32).map_while(name);
                if let Some(n) = names().position(|n| n == word) {
                    self.advance();
                    return Ok(n as u32);
                }
                match self.tok.kind {
                    Kind::Number => Ok(self.number(max)? as u32),
                    Kind::Word => {
                        self.unknown(self.tok.start, index.name(), word, names().collect::<Vec<_>>())
                    }
                    _ => self.expected(&format!("a name such as `{}`", name(1).unwrap_or("none"))),
                }
            }
            IndexKind::Flags(names) => self.flags(names),
        }
    }

    fn component_mask(&mut self) -> Res<u32> {
        if let Some(bits) = self.number_if_any(15)? {
            return Ok(bits as u32);
        }
        let word = self.at_word().unwrap_or("");
        let mask = word.chars().try_fold(0, |mask, c| {
            let bit = 1 << crate::value::COMPONENT_NAMES.iter().position(|&n| n == c)?;
            (mask & bit == 0).then_some(mask | bit)
        });
        match mask {
            Some(mask) if mask != 0 => {
                self.advance();
                Ok(mask)
            }
            _ => self.expected("the components that are written, such as `xyz`"),
        }
    }

    fn align(&mut self) -> Res<u32> {
        let at = self.tok.start;
        let mul = self.number(1 << 15)? as u16;
        if !mul.is_power_of_two() {
            return self.fail(at, NUMBER, format!("alignment `{mul}` is not a power of two"));
        }
        let offset = if self.eat('+') { self.number(0xfff)? as u16 } else { 0 };
        Ok(Align { mul, offset }.pack())
    }

    fn io(&mut self) -> Res<u32> {
        if !self.eat('(') {
            return Ok(IoSemantics::new(self.slot()?).pack());
        }
        let mut io = IoSemantics::new(self.slot()?);
        while !self.eat(')') {
            let at = self.tok.start;
            let word = self.word("a property of the access or `)`")?;
            match word {
                "medium_precision" => io.medium_precision = true,
                "invariant" => io.invariant = true,
                "per_primitive" => io.per_primitive = true,
                "slots" | "dual_source" | "stream" => {
                    self.expect('=')?;
                    match word {
                        "slots" => io.num_slots = self.number(63)? as u8,
                        "dual_source" => io.dual_source = self.number(1)? as u8,
                        _ => io.stream = self.number(3)? as u8,
                    }
                }
                _ => {
                    let names =
                        ["medium_precision", "invariant", "per_primitive", "slots", "dual_source", "stream"];
                    return self.unknown(at, "property", word, names);
                }
            }
        }
        Ok(io.pack())
    }
}
