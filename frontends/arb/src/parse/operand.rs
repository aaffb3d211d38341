//! Operands and destinations of instructions.

use super::Parser;
use super::names::Symbol;
use crate::errors::{BOUND_TWICE, KIND, RANGE, Res, fail};
use crate::rule::Rule;
use crate::target::Target;
use crate::token::Tok;
use crate::unit::{Bound, Destination, Operand, Register, Select};
use smallvec::SmallVec;

/// Letters of components.
const SETS: [&[u8; 4]; 2] = [b"xyzw", b"rgba"];

/// Components that a word names, all of one set of letters; `None` for other words. At most four.
fn components(word: &str, target: Target) -> Option<(SmallVec<[u8; 4]>, usize)> {
    let sets = if target == Target::Fragment { &SETS[..] } else { &SETS[..1] };
    if word.is_empty() || word.len() > 4 {
        return None;
    }
    sets.iter().enumerate().find_map(|(n, set)| {
        let lanes = word.bytes().map(|b| set.iter().position(|c| *c == b).map(|c| c as u8));
        Some((lanes.collect::<Option<_>>()?, n))
    })
}

impl Parser<'_, '_> {
    /// `-` or `+`; whether it negates.
    fn sign(&mut self) -> bool {
        let negative = self.take(b'-');
        if !negative {
            self.take(b'+');
        }
        negative
    }

    /// Takes a dot and a word of components.
    fn suffix(&mut self, expected: &str) -> Res<Option<SmallVec<[u8; 4]>>> {
        if !self.take(b'.') {
            return Ok(None);
        }
        match self.word().and_then(|w| components(w, self.target)) {
            Some((lanes, _)) => {
                self.advance();
                Ok(Some(lanes))
            }
            None => self.unexpected(expected),
        }
    }

    /// A vector operand: sign, register, swizzle.
    pub(super) fn vector(&mut self) -> Res<Operand> {
        let negate = self.sign();
        let register = self.register()?;
        let at = self.here() + 1;
        let expected = "a swizzle of one or four components";
        let swizzle = match self.suffix(expected)? {
            None => [0, 1, 2, 3],
            Some(lanes) if lanes.len() == 1 => [lanes[0]; 4],
            Some(lanes) => match <[u8; 4]>::try_from(&lanes[..]) {
                Ok(lanes) => lanes,
                Err(_) => {
                    let message =
                        format!("expected {expected}, found {} {}", lanes.len(), self.cite(Rule::Operands));
                    return fail(at, KIND, message);
                }
            },
        };
        Ok(Operand { register, swizzle, negate })
    }

    /// A scalar operand: sign, register, component, which numbers need, too.
    pub(super) fn scalar(&mut self) -> Res<Operand> {
        let negate = self.sign();
        let register = self.register()?;
        let at = self.here();
        let expected = "a suffix of one component";
        let lane = match self.suffix(expected)? {
            Some(lanes) if lanes.len() == 1 => lanes[0],
            found => {
                let found = found.map_or("none".to_string(), |lanes| lanes.len().to_string());
                let message = format!("expected {expected}, found {found} {}", self.cite(Rule::Operands));
                return fail(at, KIND, message);
            }
        };
        Ok(Operand { register, swizzle: [lane; 4], negate })
    }

    /// The operand of SWZ, which has neither sign nor swizzle.
    pub(super) fn plain(&mut self) -> Res<Operand> {
        if matches!(self.peek().kind, Tok::Char(b'-' | b'+')) {
            let message = format!("the operand of SWZ cannot have a sign {}", self.cite(Rule::Swizzle));
            return fail(self.here(), KIND, message);
        }
        let register = self.register()?;
        if self.is_char(b'.') {
            let message = format!("the operand of SWZ cannot have a swizzle {}", self.cite(Rule::Swizzle));
            return fail(self.here(), KIND, message);
        }
        Ok(Operand { register, swizzle: [0, 1, 2, 3], negate: false })
    }

    /// The register of an operand.
    fn register(&mut self) -> Res<Register> {
        let at = self.here();
        match self.word() {
            Some(word) if word == self.attribute_head() => return Ok(Register::Attribute(self.attribute()?)),
            Some("state" | "program") => return Ok(Register::Param(self.single_parameter(false)?)),
            Some("result") => {
                let message = format!("a result cannot be read {}", self.cite(Rule::Results));
                return fail(at, KIND, message);
            }
            _ if self.is_constant() => return Ok(Register::Param(self.single_parameter(false)?)),
            _ => {}
        }
        match self.declared("an operand")? {
            Symbol::Attribute(a) => Ok(Register::Attribute(a)),
            Symbol::Param(p) => Ok(Register::Param(p)),
            Symbol::Temp(t) => Ok(Register::Temp(t)),
            Symbol::Array(array) => self.element(array),
            Symbol::Result(_) => {
                let message = format!("a result cannot be read {}", self.cite(Rule::Results));
                fail(at, KIND, message)
            }
            symbol => {
                let expected = "an attribute, a parameter or a temporary";
                self.wrong_kind(at, expected, symbol, Rule::Operands)
            }
        }
    }

    /// The index of an array.
    fn element(&mut self, array: u32) -> Res<Register> {
        self.expect(b'[')?;
        let at = self.here();
        if self.peek().kind == Tok::Integer {
            let len = self.unit.arrays[array as usize].items.len() as u32;
            let index = self.integer_below(len, "the size of the array", Rule::Parameters)?;
            self.expect(b']')?;
            return Ok(Register::Element { array, index });
        }
        if self.target == Target::Fragment {
            if self.peek().kind == Tok::Word {
                return self.only_in_vertex_programs(at, "relative addressing");
            }
            return self.unexpected("an integer");
        }
        let address = match self.declared("an integer or an address register")? {
            Symbol::Address(a) => a,
            symbol => return self.wrong_kind(at, "an address register", symbol, Rule::Arrays),
        };
        self.address_component()?;
        let offset = self.address_offset()?;
        self.expect(b']')?;
        self.make_relative(at, array)?;
        Ok(Register::Relative { array, address, offset })
    }

    /// `.x`, the only component of an address register.
    fn address_component(&mut self) -> Res<()> {
        self.expect(b'.')?;
        self.expect_word("x")
    }

    /// The constant that is added to an address.
    fn address_offset(&mut self) -> Res<i32> {
        let (limit, sign) = match self.peek().kind {
            Tok::Char(b'+') => (63, 1),
            Tok::Char(b'-') => (64, -1),
            _ => return Ok(0),
        };
        self.advance();
        let at = self.here();
        let offset = self.integer()?;
        if offset > limit {
            let message = format!("expected an offset from -64 to 63 {}", self.cite(Rule::Grammar));
            return fail(at, RANGE, message);
        }
        Ok(offset as i32 * sign)
    }

    /// The array is accessed with an address register: no state may be in such arrays twice.
    fn make_relative(&mut self, at: usize, array: u32) -> Res<()> {
        let array = &mut self.unit.arrays[array as usize];
        if array.relative {
            return Ok(());
        }
        array.relative = true;
        for &item in &array.items {
            let bound = self.unit.params[item as usize];
            if !matches!(bound, Bound::Constant(_)) && !self.relative.insert(item) {
                let name = crate::layout::parameter(bound);
                let message = format!(
                    "`{name}` cannot be bound twice in arrays with relative addressing {}",
                    self.cite(Rule::Parameters)
                );
                return fail(at, BOUND_TWICE, message);
            }
        }
        Ok(())
    }

    /// A destination and its mask.
    pub(super) fn destination(&mut self) -> Res<(Destination, u8)> {
        let at = self.here();
        let head = self.attribute_head();
        let destination = match self.word() {
            Some("result") => Destination::Result(self.result()?),
            Some(word) if word == head || matches!(word, "state" | "program") => {
                let kind = if word == head { "attributes" } else { "parameters" };
                let message = format!("{kind} cannot be written {}", self.cite(Rule::Destinations));
                return fail(at, KIND, message);
            }
            _ => match self.declared("a temporary or a result")? {
                Symbol::Temp(t) => Destination::Temp(t),
                Symbol::Result(r) => Destination::Result(r),
                symbol => {
                    return self.wrong_kind(at, "a temporary or a result", symbol, Rule::Destinations);
                }
            },
        };
        let at = self.here() + 1;
        let Some(lanes) = self.suffix("a write mask")? else { return Ok((destination, 0xf)) };
        if !lanes.is_sorted_by(|a, b| a < b) {
            let message = format!(
                "the components of a write mask must be in order, each at most once {}",
                self.cite(Rule::Destinations)
            );
            return fail(at, KIND, message);
        }
        Ok((destination, lanes.iter().fold(0, |mask, lane| mask | 1 << lane)))
    }

    /// The destination of ARL.
    pub(super) fn address_destination(&mut self) -> Res<Destination> {
        let at = self.here();
        match self.declared("an address register")? {
            Symbol::Address(a) => {
                self.address_component()?;
                Ok(Destination::Address(a))
            }
            symbol => self.wrong_kind(at, "an address register", symbol, Rule::Destinations),
        }
    }

    /// The four components of an extended swizzle.
    pub(super) fn extended_swizzle(&mut self) -> Res<[(Select, bool); 4]> {
        let mut lanes = [(Select::Constant(false), false); 4];
        let mut set = None;
        for (i, lane) in lanes.iter_mut().enumerate() {
            if i > 0 {
                self.expect(b',')?;
            }
            let negate = self.sign();
            let token = self.peek();
            let text = self.text_of(token);
            let select = match token.kind {
                Tok::Integer => match text.parse() {
                    Ok(0) => Some(Select::Constant(false)),
                    Ok(1) => Some(Select::Constant(true)),
                    _ => None,
                },
                Tok::Word => match components(text, self.target) {
                    Some((c, n)) if c.len() == 1 && set.is_none_or(|set| set == n) => {
                        set = Some(n);
                        Some(Select::Component(c[0]))
                    }
                    _ => None,
                },
                _ => None,
            };
            let Some(select) = select else {
                return self.unexpected("`0`, `1` or a component of one set of letters");
            };
            self.advance();
            *lane = (select, negate);
        }
        Ok(lanes)
    }
}
