//! Statements that declare names.

use super::Parser;
use super::names::Symbol;
use crate::errors::{RANGE, Res, fail};
use crate::rule::Rule;
use crate::unit::Array;

impl<'s> Parser<'s, '_> {
    /// The keyword of a statement, a new name and `=`.
    fn named(&mut self) -> Res<&'s str> {
        self.advance();
        let name = self.new_name()?;
        self.expect(b'=')?;
        Ok(name)
    }

    pub(super) fn attrib(&mut self) -> Res<()> {
        let name = self.named()?;
        let attribute = self.attribute()?;
        self.declare(name, Symbol::Attribute(attribute));
        Ok(())
    }

    pub(super) fn output(&mut self) -> Res<()> {
        let name = self.named()?;
        let result = self.result()?;
        self.declare(name, Symbol::Result(result));
        Ok(())
    }

    pub(super) fn alias(&mut self) -> Res<()> {
        let name = self.named()?;
        let symbol = self.declared("the name of a variable")?;
        self.declare(name, symbol);
        Ok(())
    }

    /// Names with commas between them.
    fn names(&mut self, mut each: impl FnMut(&mut Self, usize, &'s str) -> Res<Symbol>) -> Res<()> {
        self.advance();
        loop {
            let at = self.here();
            let name = self.new_name()?;
            let symbol = each(self, at, name)?;
            self.declare(name, symbol);
            if !self.take(b',') {
                return Ok(());
            }
        }
    }

    pub(super) fn temp(&mut self) -> Res<()> {
        self.names(|p, at, name| {
            let reserved = u32::from(p.unit.options.fog.is_some());
            let limit = p.limits.temporaries.saturating_sub(reserved);
            p.unit.temps.push(name);
            p.limit(at, p.unit.temps.len(), limit, "temporaries")?;
            Ok(Symbol::Temp(p.unit.temps.len() as u32 - 1))
        })
    }

    pub(super) fn address(&mut self) -> Res<()> {
        self.names(|p, at, name| {
            p.unit.addresses.push(name);
            p.limit(at, p.unit.addresses.len(), p.limits.address_registers, "address registers")?;
            Ok(Symbol::Address(p.unit.addresses.len() as u32 - 1))
        })
    }

    pub(super) fn param(&mut self) -> Res<()> {
        self.advance();
        let name = self.new_name()?;
        if !self.is_char(b'[') {
            if !self.is_char(b'=') {
                return self.unexpected("`=` or `[`");
            }
            self.advance();
            let param = self.single_parameter(true)?;
            self.declare(name, Symbol::Param(param));
            return Ok(());
        }
        self.advance();
        let at = self.here();
        let size = if self.is_char(b']') { None } else { Some(self.integer()?) };
        if size.is_some_and(|n| n == 0 || n > self.limits.parameters) {
            let message = format!(
                "expected an array size from 1 to MAX_PROGRAM_PARAMETERS_ARB = {} {}",
                self.limits.parameters,
                self.cite(Rule::Grammar)
            );
            return fail(at, RANGE, message);
        }
        self.expect(b']')?;
        self.expect(b'=')?;
        let items = self.array_parameters()?;
        if let Some(n) = size.filter(|&n| n as usize != items.len()) {
            let message = format!(
                "expected {n} bindings for an array of that size, found {} {}",
                items.len(),
                self.cite(Rule::Parameters)
            );
            return fail(at, RANGE, message);
        }
        self.unit.arrays.push(Array { items, relative: false });
        self.declare(name, Symbol::Array(self.unit.arrays.len() as u32 - 1));
        Ok(())
    }
}
