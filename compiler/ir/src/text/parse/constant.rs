//! Initial values of variables.

use super::parser::{LIMIT, NUMBER, OPERANDS, Parser, Res};
use crate::text::lexer::Kind;
use crate::text::literal::read_literal;
use crate::text::print::Shape;
use crate::value::{Lanes, MAX_COMPONENTS};
use crate::var::Constant;

/// Initial values can nest this deep; types nest less.
const MAX_NESTING: usize = 255;

impl Parser<'_> {
    /// A literal of `bits` bits.
    pub(super) fn literal(&mut self, bits: u8) -> Res<u64> {
        if !matches!(self.tok.kind, Kind::Number | Kind::Word) {
            return self.expected("a number");
        }
        match read_literal(self.slice(), bits) {
            Ok(raw) => {
                self.advance();
                Ok(raw)
            }
            Err(message) => self.fail(self.tok.start, NUMBER, message),
        }
    }

    /// An initial value of a shape; `None` if its type has no parts.
    pub(super) fn initializer(&mut self, shape: Option<Shape>, depth: usize) -> Res<Constant> {
        if depth > MAX_NESTING {
            return self.fail(
                self.tok.start,
                LIMIT,
                format!("initial values nest deeper than {MAX_NESTING}"),
            );
        }
        if self.eat_word("zero") {
            return Ok(Constant::Zero);
        }
        if self.eat_word("raw") {
            let mut lanes: Lanes = [0; MAX_COMPONENTS];
            self.expect('(')?;
            for (i, lane) in lanes.iter_mut().enumerate() {
                if i > 0 {
                    self.expect(',')?;
                }
                *lane = self.literal(64)?;
            }
            self.expect(')')?;
            return Ok(Constant::Value(lanes));
        }
        if self.at('{') {
            return self.composite(shape, depth);
        }
        let at = self.tok.start;
        let Some(Shape::Vector(scalar, comps)) = shape else {
            let message = "the initial value of this type is `{...}` with its parts, or `zero`";
            return self.fail(at, OPERANDS, message);
        };
        let mut lanes: Lanes = [0; MAX_COMPONENTS];
        if self.eat('(') {
            for (i, lane) in lanes.iter_mut().take(comps as usize).enumerate() {
                if i > 0 {
                    self.expect(',')?;
                }
                *lane = self.literal(scalar.bits())?;
            }
            self.expect(')')?;
        } else {
            // One number applies to all components.
            let lane = self.literal(scalar.bits())?;
            lanes[..comps as usize].fill(lane);
        }
        Ok(Constant::Value(lanes))
    }

    fn composite(&mut self, shape: Option<Shape>, depth: usize) -> Res<Constant> {
        self.expect('{')?;
        self.skip_newlines();
        let mut parts = Vec::new();
        while !self.at('}') {
            let part = shape.and_then(|s| s.part(&self.shader.types, parts.len()));
            parts.push(self.initializer(part, depth + 1)?);
            let more = self.eat(',');
            self.skip_newlines();
            if !more && !self.at('}') {
                return self.expected("`,` or `}`");
            }
        }
        self.advance();
        Ok(Constant::Composite(parts.into()))
    }
}
