//! The state of the parser: tokens, messages, names and the function that is read.

use super::Origins;
use crate::body::Body;
use crate::diag::nearest;
use crate::diag::{Diagnostic, Place};
use crate::enums::*;
use crate::ids::{BlockId, CfId, FuncId, InstrId, VarId};
use crate::intrinsic::SystemValue;
use crate::shader::{Param, Shader};
use crate::slot::{SLOT_NAMES, Slot};
use crate::text::lexer::{Kind, Token, suffix_end, token};
use crate::types::TypeId;
use rustc_hash::FxHashMap;

/// Ifs and loops can nest this deep in text.
pub const MAX_DEPTH: usize = 4096;

/// Parsing stops after this many errors.
pub(super) const MAX_ERRORS: usize = 20;

/// Syntax errors: something else was expected.
pub(super) const SYNTAX: &str = "E0101";
/// A name that nothing has.
pub(super) const UNKNOWN: &str = "E0102";
/// A name that is given twice.
pub(super) const TWICE: &str = "E0103";
/// Operands or shapes that do not fit the operation.
pub(super) const OPERANDS: &str = "E0104";
/// A number that is out of range.
pub(super) const NUMBER: &str = "E0105";
/// Too deep or too large.
pub(super) const LIMIT: &str = "E0106";
/// Code where there can be none.
pub(super) const PLACE: &str = "E0107";

/// The error has been noted.
#[derive(Clone, Copy, Debug)]
pub(in crate::text) struct Fail;

/// Result of parsing something.
pub(in crate::text) type Res<T> = Result<T, Fail>;

/// A call whose function is looked up when all functions are known.
pub(in crate::text) struct PendingCall<'a> {
    pub(super) caller: FuncId,
    pub(super) instr: InstrId,
    pub(super) callee: &'a str,
    pub(super) at: usize,
}

/// A source of a phi, looked up when the function ends.
pub(super) struct PendingSrc<'a> {
    pub(super) phi: InstrId,
    pub(super) pred: &'a str,
    pub(super) pred_at: usize,
    pub(super) value: &'a str,
    pub(super) value_at: usize,
}

/// Where a closing brace leads.
pub(super) enum Frame {
    Then(CfId),
    Else(CfId),
    Loop(CfId),
}

/// State of the function that is being read.
#[derive(Default)]
pub(in crate::text) struct Code<'a> {
    pub(super) body: Body,
    pub(super) function: FuncId,
    pub(super) params: Vec<Param>,
    pub(super) block: BlockId,
    /// The block has a label or an instruction.
    pub(super) started: bool,
    /// The block ends in a jump.
    pub(super) jumped: bool,
    pub(super) frames: Vec<Frame>,
    pub(super) blocks: FxHashMap<&'a str, BlockId>,
    /// Values whose names are numbers without large gaps.
    pub(super) dense: Vec<Option<InstrId>>,
    /// Values with other names.
    pub(super) named: FxHashMap<&'a str, InstrId>,
    pub(super) phis: Vec<PendingSrc<'a>>,
}

/// Depth of a type, and how many members it has with all that is nested in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) depth: u32,
    pub(super) total: u32,
}

/// Reads tokens one at a time and builds the shader.
pub(in crate::text) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) tok: Token,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) shader: Shader,
    pub(super) vars: FxHashMap<&'a str, VarId>,
    pub(super) structs: FxHashMap<&'a str, TypeId>,
    /// Members that have a plain name.
    pub(super) members: FxHashMap<(TypeId, &'a str), u32>,
    /// Depth and number of nested types, by type.
    pub(super) weights: Vec<Weight>,
    pub(super) functions: FxHashMap<&'a str, FuncId>,
    /// Calls; their functions may be declared later.
    pub(super) calls: Vec<PendingCall<'a>>,
    pub(super) code: Code<'a>,
    pub(super) no_entry: bool,
    /// Start of the statement that is being read.
    pub(super) statement: usize,
    pub(super) origins: Option<Origins<'a>>,
}

/// A name that can carry a suffix such as `.1`.
#[derive(Clone, Debug)]
pub(super) struct Name<'a> {
    /// As it is written: the key for looking up references.
    pub(super) raw: &'a str,
    /// Without quotes and suffix.
    pub(super) name: Box<str>,
    pub(super) at: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Parser<'a> {
        Parser {
            text,
            tok: token(text, 0),
            errors: Vec::new(),
            shader: Shader::new("", Stage::Vertex),
            vars: FxHashMap::default(),
            structs: FxHashMap::default(),
            members: FxHashMap::default(),
            weights: Vec::new(),
            functions: FxHashMap::default(),
            calls: Vec::new(),
            code: Code::default(),
            no_entry: false,
            statement: 0,
            origins: None,
        }
    }

    // ---- messages ----

    pub(super) fn fail<T>(&mut self, at: usize, code: &'static str, message: impl Into<String>) -> Res<T> {
        let place = self.place(at);
        self.errors.push(Diagnostic::error(code, message).at(place));
        Err(Fail)
    }

    /// Like `fail`, with advice.
    pub(super) fn fail_help<T>(
        &mut self,
        at: usize,
        code: &'static str,
        message: String,
        help: Option<String>,
    ) -> Res<T> {
        let failed = self.fail(at, code, message);
        if let Some(last) = self.errors.last_mut() {
            last.help = help;
        }
        failed
    }

    /// The word at `at` is none of `names`.
    pub(super) fn unknown<'n, T>(
        &mut self,
        at: usize,
        what: &str,
        word: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Res<T> {
        let help = nearest(word, names).map(|n| format!("did you mean `{n}`?"));
        self.fail_help(at, UNKNOWN, format!("unknown {what} `{}`", clip(word)), help)
    }

    pub(in crate::text) fn expected<T>(&mut self, what: &str) -> Res<T> {
        let found = match self.tok.kind {
            Kind::End => "the end of the text".to_string(),
            Kind::Newline => "the end of the line".to_string(),
            Kind::OpenQuote => "a quote without end".to_string(),
            _ => format!("`{}`", clip(self.slice())),
        };
        self.fail(self.tok.start, SYNTAX, format!("expected {what}, found {found}"))
    }

    /// Line and column of a position.
    pub(super) fn place(&self, at: usize) -> Place {
        Place::in_text(self.text, at)
    }

    // ---- tokens ----

    pub(in crate::text) fn slice(&self) -> &'a str {
        &self.text[self.tok.start..self.tok.end]
    }

    pub(super) fn advance(&mut self) {
        self.tok = token(self.text, self.tok.end);
    }

    /// The byte directly after the token.
    pub(super) fn next_byte(&self) -> u8 {
        self.text.as_bytes().get(self.tok.end).copied().unwrap_or(0)
    }

    pub(super) fn skip_newlines(&mut self) {
        while self.tok.kind == Kind::Newline {
            self.advance();
        }
    }

    pub(super) fn at(&self, c: char) -> bool {
        self.tok.kind == Kind::Punct(c)
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.at(c);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, c: char) -> Res<()> {
        if self.eat(c) { Ok(()) } else { self.expected(&format!("`{c}`")) }
    }

    /// The current token if it is a word.
    pub(super) fn at_word(&self) -> Option<&'a str> {
        (self.tok.kind == Kind::Word).then(|| self.slice())
    }

    pub(super) fn word(&mut self, what: &str) -> Res<&'a str> {
        let Some(word) = self.at_word() else { return self.expected(what) };
        self.advance();
        Ok(word)
    }

    pub(in crate::text) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word() == Some(word);
        if found {
            self.advance();
        }
        found
    }

    /// Whether the line, or the list in braces, has ended.
    pub(in crate::text) fn at_line_end(&self) -> bool {
        matches!(self.tok.kind, Kind::Newline | Kind::End | Kind::Punct('}'))
    }

    pub(super) fn line_end(&mut self) -> Res<()> {
        if self.at_line_end() { Ok(()) } else { self.expected("the end of the line") }
    }

    /// A number up to `max`.
    pub(in crate::text) fn number(&mut self, max: u64) -> Res<u64> {
        match self.number_if_any(max)? {
            Some(n) => Ok(n),
            None => self.expected("a number"),
        }
    }

    /// A number up to `max`, if the token is one.
    pub(in crate::text) fn number_if_any(&mut self, max: u64) -> Res<Option<u64>> {
        if self.tok.kind != Kind::Number {
            return Ok(None);
        }
        let text = self.slice();
        let value = match text.strip_prefix("0x") {
            Some(hex) if !hex.starts_with('+') => u64::from_str_radix(hex, 16),
            _ => text.parse(),
        };
        match value {
            Ok(n) if n <= max => {
                self.advance();
                Ok(Some(n))
            }
            Err(e) if *e.kind() != std::num::IntErrorKind::PosOverflow => self.expected("a number"),
            _ => {
                let message = format!("`{}` is too large: the limit is {max}", clip(text));
                self.fail(self.tok.start, NUMBER, message)
            }
        }
    }

    pub(super) fn u32(&mut self) -> Res<u32> {
        Ok(self.number(u64::from(u32::MAX))? as u32)
    }

    /// A name of an enumeration.
    pub(in crate::text) fn named<E: Named>(&mut self) -> Res<E> {
        // Names such as `2d` start with a digit.
        let word = if self.tok.kind == Kind::Number { self.slice() } else { self.at_word().unwrap_or("") };
        if let Some(value) = E::from_name(word) {
            self.advance();
            return Ok(value);
        }
        let names: Vec<&str> = E::ALL.iter().map(|v| v.name()).collect();
        if word.is_empty() || nearest(word, names.iter().copied()).is_none() {
            let list =
                if names.len() > 12 { format!("a name such as `{}`", names[1]) } else { one_of(&names) };
            return self.expected(&list);
        }
        self.unknown(self.tok.start, "name", word, names)
    }

    /// A set of flags: names with `|` between, or the number of the set.
    pub(super) fn flags(&mut self, names: &'static [(&'static str, u32)]) -> Res<u32> {
        let all = names.iter().fold(0, |bits, &(_, bit)| bits | bit);
        if let Some(bits) = self.number_if_any(u64::from(all))? {
            return Ok(bits as u32);
        }
        let mut bits = 0;
        loop {
            let at = self.tok.start;
            let Some(word) = self.at_word() else { return self.expected(&one_of_flags(names)) };
            self.advance();
            match names.iter().find(|(n, _)| *n == word) {
                Some((_, bit)) => bits |= bit,
                None => return self.unknown(at, "flag", word, names.iter().map(|(n, _)| *n)),
            }
            if !self.eat('|') {
                return Ok(bits);
            }
        }
    }

    /// A location: a number, `patch3`, or the name of a built-in.
    pub(in crate::text) fn slot(&mut self) -> Res<Slot> {
        if let Some(n) = self.number_if_any(u64::from(Slot::NUM_GENERIC) - 1)? {
            return Ok(Slot(Slot::GENERIC + n as u8));
        }
        let at = self.tok.start;
        let word = self.word("a location: a number, `patch` and a number, or the name of a built-in")?;
        let numbered = |prefix: &str| word.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
        let slot = numbered("patch")
            .and_then(Slot::patch)
            .or_else(|| numbered("slot").and_then(|n| u8::try_from(n).ok()).map(Slot))
            .or_else(|| Slot::from_name(word));
        match slot {
            Some(slot) => Ok(slot),
            None => self.unknown(at, "location", word, SLOT_NAMES.iter().map(|(n, _)| *n)),
        }
    }

    pub(in crate::text) fn system_value(&mut self) -> Res<SystemValue> {
        let at = self.tok.start;
        let word = self.word("the name of a system value")?;
        match SystemValue::from_name(word) {
            Some(sv) => Ok(sv),
            None => self.unknown(at, "system value", word, SystemValue::ALL.iter().map(|v| v.name())),
        }
    }

    /// Whether the token can be a name.
    pub(super) fn at_name(&self) -> bool {
        matches!(self.tok.kind, Kind::Word | Kind::Quoted)
    }

    /// A word or quoted text, with a suffix such as `.1` that keeps equal names apart.
    pub(super) fn name(&mut self, what: &str) -> Res<Name<'a>> {
        if !self.at_name() {
            return self.expected(what);
        }
        let Token { start, end, .. } = self.tok;
        let name = self.unquoted()?;
        self.tok.end = suffix_end(self.text, end);
        let raw = self.slice();
        self.advance();
        Ok(Name { raw, name, at: start })
    }

    /// Quoted text.
    pub(super) fn string(&mut self, what: &str) -> Res<Box<str>> {
        if self.tok.kind != Kind::Quoted {
            return self.expected(what);
        }
        let text = self.unquoted()?;
        self.advance();
        Ok(text)
    }

    /// The text of the current token, which is a word or in quotes.
    pub(super) fn unquoted(&mut self) -> Res<Box<str>> {
        let slice = self.slice();
        if self.tok.kind != Kind::Quoted {
            return Ok(slice.into());
        }
        let inner = &slice[1..slice.len() - 1];
        let mut out = String::with_capacity(inner.len());
        let mut rest = inner;
        while let Some(n) = rest.find('\\') {
            out.push_str(&rest[..n]);
            rest = &rest[n + 1..];
            let (c, used) = match rest.chars().next() {
                Some('n') => (Some('\n'), 1),
                Some('t') => (Some('\t'), 1),
                Some(c @ ('"' | '\\')) => (Some(c), 1),
                Some('u') => unicode_escape(rest),
                _ => (None, 0),
            };
            let Some(c) = c else {
                return self.fail(
                    self.tok.start,
                    SYNTAX,
                    "this text has an escape other than `\\\"`, `\\\\`, `\\n`, `\\t` and `\\u{...}`",
                );
            };
            out.push(c);
            rest = &rest[used..];
        }
        out.push_str(rest);
        Ok(out.into())
    }

    // ---- code ----

    /// The body that is being built.
    pub(super) fn body(&mut self) -> &mut Body {
        &mut self.code.body
    }

    /// Type and memory after a deref.
    pub(super) fn pointee(&self, value: InstrId) -> Option<(TypeId, Modes)> {
        self.code.body.get(value)?.as_deref().map(|d| (d.ty, d.modes))
    }
}

/// Character and length of an escape `u{...}`.
fn unicode_escape(text: &str) -> (Option<char>, usize) {
    let Some(end) = text.find('}') else { return (None, 0) };
    let digits = text.get(2..end).filter(|_| text.as_bytes().get(1) == Some(&b'{'));
    let c = digits.and_then(|d| u32::from_str_radix(d, 16).ok()).and_then(char::from_u32);
    (c, end + 1)
}

/// The start of a text that may be long.
pub(super) fn clip(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((n, _)) => format!("{}...", &text[..n]),
        None => text.to_string(),
    }
}

/// "`a`, `b` or `c`".
fn one_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => format!("`{name}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|n| format!("`{n}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}

fn one_of_flags(names: &[(&str, u32)]) -> String {
    one_of(&names.iter().map(|(n, _)| *n).collect::<Vec<_>>())
}
