//! Bindings: attributes, results, and the states and constants of parameters.

use super::Parser;
use crate::attribute::{self, Attribute, Storage};
use crate::errors::{ALIASED, LIMIT, OPTION, Res, SYNTAX, UNSUPPORTED, fail};
use crate::option::Fog;
use crate::path::{Captures, Range};
use crate::result::{self, FRAGMENT_COLOR, POSITION, ResultVar};
use crate::rule::Rule;
use crate::state::{self, StateVector};
use crate::target::Target;
use crate::token::Tok;
use crate::unit::Bound;

/// The most elements that all arrays of a program have together; a limit of this reader.
const MAX_ELEMENTS: usize = 1 << 20;

impl Parser<'_, '_> {
    /// The word that begins names of attributes.
    pub(super) fn attribute_head(&self) -> &'static str {
        match self.target {
            Target::Vertex => "vertex",
            Target::Fragment => "fragment",
        }
    }

    /// Fails if a count exceeds its limit at a byte.
    pub(super) fn limit(&self, at: usize, count: usize, limit: u32, objects: &str) -> Res<()> {
        if count <= limit as usize {
            return Ok(());
        }
        fail(at, LIMIT, format!("expected at most {limit} {objects} {}", self.cite(Rule::Limits)))
    }

    // ---- attributes ----

    /// `vertex.normal`, with its head: a position in the list of attributes.
    pub(super) fn attribute(&mut self) -> Res<u32> {
        let at = self.here();
        let head = self.attribute_head();
        self.expect_word(head)?;
        let target = self.target;
        let rows = attribute::ROWS.iter().enumerate().filter(|(_, r)| r.programs.contains(target));
        let (row, c) = self.path(rows.map(|(n, r)| (n, r.parts)), false, Rule::Attributes)?;
        let attribute = Attribute { row, index: c.index, secondary: c.secondary };
        if attribute.info().storage == Storage::None {
            let message = format!(
                "weights and matrix indices of vertices are not supported {}",
                self.cite(Rule::Attributes)
            );
            return fail(at, UNSUPPORTED, message);
        }
        if let Some((n, generic)) = attribute.shared()
            && let Some(other) = self.storage.get_mut(n as usize)
        {
            if *other == Some(!generic) {
                let message = format!(
                    "`vertex.attrib[{n}]` and the conventional attribute of the same number cannot be bound together {}",
                    self.cite(Rule::Attributes)
                );
                return fail(at, ALIASED, message);
            }
            *other = Some(generic);
        }
        let (position, _) = self.unit.attributes.insert_full(attribute);
        let reserved = u32::from(self.unit.options.fog.is_some());
        let limit = self.limits.attributes.saturating_sub(reserved);
        self.limit(at, self.unit.attributes.len(), limit, "attributes")?;
        Ok(position as u32)
    }

    // ---- results ----

    /// `result.color`, with its head: a position in the list of results.
    pub(super) fn result(&mut self) -> Res<u32> {
        let at = self.here();
        self.expect_word("result")?;
        let target = self.target;
        let rows = result::ROWS.iter().enumerate().filter(|(_, r)| r.programs.contains(target));
        let (row, c) = self.path(rows.map(|(n, r)| (n, r.parts)), false, Rule::Results)?;
        let options = self.unit.options;
        if target == Target::Vertex && row == POSITION && options.position_invariant {
            let message = format!(
                "a program with the option ARB_position_invariant cannot write `result.position` {}",
                self.cite(Rule::FixedFunctions)
            );
            return fail(at, OPTION, message);
        }
        let indexed = self.at.checked_sub(1).map(|t| self.tokens[t].kind) == Some(Tok::Char(b']'));
        if row == FRAGMENT_COLOR && indexed && !options.draw_buffers {
            let message = "`result.color[n]` requires the option ARB_draw_buffers (ARB_draw_buffers section 3.11.4.5.3)";
            return fail(at, OPTION, message);
        }
        let (position, _) = self.unit.results.insert_full(ResultVar::new(row, &c));
        Ok(position as u32)
    }

    // ---- parameters ----

    /// A parameter that is bound: its position in the list of parameters.
    fn bind(&mut self, bound: Bound) -> u32 {
        self.unit.params.insert_full(bound).0 as u32
    }

    /// `state.fog.color` or `program.env[0]`, if one of them is next.
    fn state_or_program(&mut self, several: bool) -> Res<Option<Vec<Bound>>> {
        match self.word() {
            Some("state") => self.state(several).map(Some),
            Some("program") => self.program_parameters(several).map(Some),
            _ => Ok(None),
        }
    }

    fn state(&mut self, several: bool) -> Res<Vec<Bound>> {
        self.advance();
        let target = self.target;
        let rows = state::ROWS.iter().enumerate().filter(|(_, r)| r.programs.contains(target));
        let (row, c) = self.path(rows.map(|(n, r)| (n, r.parts)), several, Rule::Parameters)?;
        let build = |row_of_matrix| -> StateVector {
            (state::ROWS[row].build)(&Captures { row: row_of_matrix, ..c })
        };
        Ok((c.row..=c.last_row).map(|r| Bound::State(build(r))).collect())
    }

    fn program_parameters(&mut self, several: bool) -> Res<Vec<Bound>> {
        self.advance();
        self.expect(b'.')?;
        let (range, make): (Range, fn(u32) -> Bound) = match self.word() {
            Some("env") => (Range::EnvParameters, Bound::Env),
            Some("local") => (Range::LocalParameters, Bound::Local),
            _ => return self.unexpected("`env` or `local`"),
        };
        self.advance();
        self.expect(b'[')?;
        let (limit, name) = range.limit(self.limits);
        let first = self.integer_below(limit, name, Rule::Parameters)?;
        let mut last = first;
        if several && self.peek().kind == Tok::Range {
            self.advance();
            let at = self.here();
            last = self.integer_below(limit, name, Rule::Parameters)?;
            self.ascending(at, first, last)?;
        }
        self.expect(b']')?;
        Ok((first..=last).map(make).collect())
    }

    /// A number without sign.
    fn number(&mut self) -> Res<f32> {
        let token = self.peek();
        if !matches!(token.kind, Tok::Integer | Tok::Float) {
            return self.unexpected("a number");
        }
        self.advance();
        // Numbers that are too large are infinite, as everywhere in Rust.
        Ok(self.text_of(token).parse().unwrap_or(0.0))
    }

    fn signed_number(&mut self) -> Res<f32> {
        let negative = self.take(b'-');
        if !negative {
            self.take(b'+');
        }
        let number = self.number()?;
        Ok(if negative { -number } else { number })
    }

    /// A scalar, which is spread over a vector, or a vector in braces. Only declarations have signs before scalars.
    fn constant(&mut self, signed: bool) -> Res<Bound> {
        if !self.is_char(b'{') {
            let number = if signed { self.signed_number()? } else { self.number()? };
            return Ok(Bound::Constant([number.to_bits(); 4]));
        }
        self.advance();
        let mut vector = [0.0, 0.0, 0.0, 1.0];
        for (i, lane) in vector.iter_mut().enumerate() {
            *lane = self.signed_number()?;
            if i == 3 || !self.take(b',') {
                break;
            }
        }
        self.expect(b'}')?;
        Ok(Bound::Constant(vector.map(f32::to_bits)))
    }

    /// Whether a constant is next.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self.peek().kind, Tok::Integer | Tok::Float | Tok::Char(b'{'))
    }

    /// The binding of a single parameter; in an instruction if not in a declaration.
    pub(super) fn single_parameter(&mut self, declaration: bool) -> Res<u32> {
        let bound = match self.state_or_program(false)? {
            Some(list) => list.first().copied(),
            None => Some(self.constant(declaration)?),
        };
        match bound {
            Some(bound) => Ok(self.bind(bound)),
            None => self.unexpected("a parameter"),
        }
    }

    /// The bindings of an array, in braces.
    pub(super) fn array_parameters(&mut self) -> Res<Vec<u32>> {
        self.expect(b'{')?;
        let mut items = Vec::new();
        loop {
            let at = self.here();
            let list = match self.state_or_program(true)? {
                Some(list) => list,
                None => vec![self.constant(true)?],
            };
            self.elements += list.len();
            if self.elements > MAX_ELEMENTS {
                let message = format!("expected at most {MAX_ELEMENTS} elements of arrays in all");
                return fail(at, LIMIT, message);
            }
            items.extend(list.into_iter().map(|bound| self.bind(bound)));
            if !self.take(b',') {
                break;
            }
        }
        if !self.is_char(b'}') {
            return self.unexpected("`,` or `}`");
        }
        self.advance();
        Ok(items)
    }

    /// Instructions that are reserved for fixed functions.
    pub(super) fn reserved_instructions(&self) -> u32 {
        let position = if self.unit.options.position_invariant { 4 } else { 0 };
        position + self.unit.options.fog.map_or(0, Fog::instructions)
    }

    /// Fails because the grammar of vertex programs has something that fragment programs do not have.
    pub(super) fn only_in_vertex_programs<T>(&self, at: usize, construct: &str) -> Res<T> {
        fail(
            at,
            SYNTAX,
            format!("{construct} is available in vertex programs only {}", self.cite(Rule::Arrays)),
        )
    }
}
