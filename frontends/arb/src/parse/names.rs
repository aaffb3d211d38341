//! Names of variables, and names with dots and indices.

use super::{Parser, shorten};
use crate::errors::{Failure, KIND, NAME, RANGE, Res, fail, failure};
use crate::op::is_reserved;
use crate::path::{COLOR_WORDS, Captures, Face, MatrixModifier, Part};
use crate::rule::Rule;
use crate::token::Tok;
use airfoil_ir::diag::nearest;
use rustc_hash::FxHashMap;

/// The object that a name refers to.
#[derive(Clone, Copy, Debug)]
pub enum Symbol {
    /// An attribute.
    Attribute(u32),
    /// A single parameter.
    Param(u32),
    /// An array of parameters.
    Array(u32),
    /// A temporary.
    Temp(u32),
    /// An address register.
    Address(u32),
    /// A result.
    Result(u32),
    /// A variable whose declaration has failed.
    Failed,
}

impl Symbol {
    /// The kind of the object, for messages.
    pub fn kind(self) -> &'static str {
        match self {
            Symbol::Attribute(_) => "an attribute",
            Symbol::Param(_) => "a parameter",
            Symbol::Array(_) => "an array of parameters",
            Symbol::Temp(_) => "a temporary",
            Symbol::Address(_) => "an address register",
            Symbol::Result(_) => "a result",
            Symbol::Failed => "a variable",
        }
    }
}

/// Names that are declared.
pub type Names<'s> = FxHashMap<&'s str, Symbol>;

/// Names that are searched for one that is similar to a misspelt one.
const MAX_SIMILAR: usize = 256;

/// Rows that the parser could not match: the farthest byte, and the words that it could be.
#[derive(Default)]
struct Mismatch {
    token: usize,
    expected: Vec<&'static str>,
}

impl<'s> Parser<'s, '_> {
    /// A new name. It is declared by [`Parser::declare`] after its binding; until then its uses fail without an error.
    pub(super) fn new_name(&mut self) -> Res<&'s str> {
        let at = self.here();
        let Some(name) = self.word().filter(|w| !w.starts_with(|c: char| c.is_ascii_digit())) else {
            return self.unexpected("a name");
        };
        if is_reserved(name, self.target) {
            let message = format!("`{name}` is a reserved word {}", self.cite(Rule::Grammar));
            return fail(at, NAME, message);
        }
        if self.names.contains_key(name) {
            let message = format!("`{}` is declared twice {}", shorten(name), self.cite(Rule::Variables));
            return fail(at, NAME, message);
        }
        self.advance();
        self.names.insert(name, Symbol::Failed);
        Ok(name)
    }

    pub(super) fn declare(&mut self, name: &'s str, symbol: Symbol) {
        self.names.insert(name, symbol);
    }

    /// The object of a name, which is not a reserved word.
    pub(super) fn declared(&mut self, expected: &str) -> Res<Symbol> {
        let at = self.here();
        let Some(name) = self.word().filter(|name| !is_reserved(name, self.target)) else {
            return self.unexpected(expected);
        };
        match self.names.get(name) {
            // An empty message: the error has been reported.
            Some(Symbol::Failed) => fail(at, NAME, ""),
            Some(&symbol) => {
                self.advance();
                Ok(symbol)
            }
            None => Err(self.undeclared(at)),
        }
    }

    /// The error for the next token, a name that is not declared.
    pub(super) fn undeclared(&self, at: usize) -> Box<Failure> {
        let name = self.word().unwrap_or_default();
        let message = format!("`{}` is not declared {}", shorten(name), self.cite(Rule::Variables));
        let mut failure = failure(at, NAME, message);
        let known = self.names.keys().copied().filter(|known| *known != name);
        if self.names.len() <= MAX_SIMILAR
            && let Some(similar) = nearest(name, known)
        {
            failure.diagnostic = failure.diagnostic.help(format!("did you mean `{similar}`?"));
        }
        failure
    }

    /// Fails because an object is of another kind than the grammar requires.
    pub(super) fn wrong_kind<T>(&self, at: usize, expected: &str, found: Symbol, rule: Rule) -> Res<T> {
        let message = format!("expected {expected}, found {} {}", found.kind(), self.cite(rule));
        fail(at, KIND, message)
    }

    /// Matches the tokens after a head word against rows of parts and takes the longest match. `several` allows several rows
    /// of a matrix.
    pub(super) fn path(
        &mut self,
        rows: impl Iterator<Item = (usize, &'static [Part])>,
        several: bool,
        rule: Rule,
    ) -> Res<(usize, Captures)> {
        let start = self.at;
        let mut best: Option<(usize, usize, Captures)> = None;
        let mut mismatch = Mismatch { token: start, expected: Vec::new() };
        for (number, parts) in rows {
            self.at = start;
            match self.row(parts, several, rule, &mut mismatch)? {
                Some(captures) if best.is_none_or(|(end, ..)| self.at > end) => {
                    best = Some((self.at, number, captures));
                }
                _ => {}
            }
        }
        if let Some((end, number, captures)) = best {
            self.at = end;
            return Ok((number, captures));
        }
        self.at = mismatch.token;
        let list: Vec<String> = mismatch.expected.iter().map(|w| format!("`{w}`")).collect();
        self.unexpected(&list.join(" or "))
    }

    /// One row; an error if it matches but for a number out of range.
    fn row(
        &mut self,
        parts: &[Part],
        several: bool,
        rule: Rule,
        mismatch: &mut Mismatch,
    ) -> Res<Option<Captures>> {
        let mut c = Captures::default();
        for part in parts {
            let matched = match part {
                Part::W(word) => {
                    let found = self.dot_word(&[(word, ())]).is_some();
                    found || mismatch.at(self.at, self.is_char(b'.'), word)
                }
                Part::OptN(_) if !self.is_char(b'[') => true,
                Part::N(range) | Part::OptN(range) => {
                    if self.take(b'[') {
                        let (limit, name) = range.limit(self.limits);
                        c.index = self.integer_below(limit, name, rule)?;
                        self.expect(b']')?;
                        true
                    } else {
                        mismatch.at(self.at, false, "[")
                    }
                }
                Part::OptFace => {
                    c.face = self.dot_word(Face::WORDS).unwrap_or_default();
                    true
                }
                Part::OptColor => {
                    c.secondary = self.dot_word(COLOR_WORDS).unwrap_or_default();
                    true
                }
                Part::OptModifier => {
                    c.modifier = self.dot_word(MatrixModifier::WORDS).unwrap_or_default();
                    true
                }
                Part::Row => match self.matrix_rows(several)? {
                    Some((first, last)) => {
                        (c.row, c.last_row) = (first, last);
                        true
                    }
                    None => mismatch.at(self.at, self.is_char(b'.'), "row"),
                },
            };
            if !matched {
                return Ok(None);
            }
        }
        Ok(Some(c))
    }

    /// Takes `.` and a word of a list.
    fn dot_word<T: Copy>(&mut self, words: &[(&'static str, T)]) -> Option<T> {
        let next = self.peek_at(1);
        if !self.is_char(b'.') || next.kind != Tok::Word {
            return None;
        }
        let text = self.text_of(next);
        let found = words.iter().find(|(word, _)| *word == text)?;
        self.at += 2;
        Some(found.1)
    }

    /// `.row[a]`; with `several` also `.row[a..b]`, or nothing for all four.
    fn matrix_rows(&mut self, several: bool) -> Res<Option<(u8, u8)>> {
        if self.dot_word(&[("row", ())]).is_none() {
            return Ok(several.then_some((0, 3)));
        }
        self.expect(b'[')?;
        let first = self.integer_below(4, "the number of rows", Rule::Parameters)?;
        let at = self.here();
        let mut last = first;
        if self.peek().kind == Tok::Range {
            if !several {
                let message = format!("expected one row, found a range {}", self.cite(Rule::Parameters));
                return fail(at, KIND, message);
            }
            self.advance();
            let at = self.here();
            last = self.integer_below(4, "the number of rows", Rule::Parameters)?;
            self.ascending(at, first, last)?;
        }
        self.expect(b']')?;
        Ok(Some((first as u8, last as u8)))
    }

    /// A range must not be empty.
    pub(super) fn ascending(&self, at: usize, first: u32, last: u32) -> Res<()> {
        if first <= last {
            return Ok(());
        }
        let message = format!(
            "expected a range whose end is at least {first}, found {last} {}",
            self.cite(Rule::Parameters)
        );
        fail(at, RANGE, message)
    }
}

impl Mismatch {
    /// Records a word that is missing at a token, or at the one after a dot; returns false.
    fn at(&mut self, token: usize, dot: bool, word: &'static str) -> bool {
        let token = token + usize::from(dot);
        if token > self.token {
            self.token = token;
            self.expected.clear();
        }
        if token == self.token && !self.expected.contains(&word) {
            self.expected.push(word);
        }
        false
    }
}
