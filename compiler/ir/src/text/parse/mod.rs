//! The parser: tokens, messages and the head of a shader.
//!
//! What parses need not be valid: the validator says whether a shader keeps the promises of the IR. The parser
//! rejects text without a representation in memory: unknown names, wrong operand counts, code after a jump.

mod body;
mod constant;
mod decl;
mod index;
mod instr;

use super::info::Fields;
use super::lexer::{Kind, Token, suffix_end, token};
use crate::body::Body;
use crate::diag::nearest;
use crate::diag::{Diagnostic, Place};
use crate::enums::*;
use crate::ids::{FuncId, InstrId, VarId};
use crate::intrinsic::SystemValue;
use crate::shader::{Gathered, Shader};
use crate::slot::{SLOT_NAMES, Slot};
use crate::types::TypeId;
use rustc_hash::FxHashMap;

/// Ifs and loops can nest this deep in text.
pub const MAX_DEPTH: usize = 1000;

/// More errors than this are not worth reading.
const MAX_ERRORS: usize = 20;

/// Syntax errors: something else was expected.
const SYNTAX: &str = "E0101";
/// A name that nothing has.
const UNKNOWN: &str = "E0102";
/// A name that is given twice.
const TWICE: &str = "E0103";
/// Operands or shapes that do not fit the operation.
const OPERANDS: &str = "E0104";
/// A number that is out of range.
const NUMBER: &str = "E0105";
/// Too deep or too large.
const LIMIT: &str = "E0106";
/// Code where there can be none.
const PLACE: &str = "E0107";

/// The error has been noted.
#[derive(Clone, Copy, Debug)]
pub(in crate::text) struct Fail;

/// Result of parsing something.
pub(in crate::text) type Res<T> = Result<T, Fail>;

/// Reads a shader.
///
/// Errors tell line, column, what was expected and, for misspelt words, what may be meant. Errors within
/// instructions do not keep the rest from being read, so there can be several, in order.
pub fn parse(text: &str) -> Result<Shader, Vec<Diagnostic>> {
    let mut p = Parser::new(text);
    match p.file() {
        Ok(()) if p.errors.is_empty() => Ok(p.shader),
        _ => Err(p.errors),
    }
}

/// Reads tokens one at a time and builds the shader on the way.
pub(in crate::text) struct Parser<'a> {
    text: &'a str,
    tok: Token,
    errors: Vec<Diagnostic>,
    shader: Shader,
    vars: FxHashMap<&'a str, VarId>,
    structs: FxHashMap<&'a str, TypeId>,
    /// Members that have a plain name.
    members: FxHashMap<(TypeId, &'a str), u32>,
    /// Depth and number of nested types, by type.
    weights: Vec<decl::Weight>,
    functions: FxHashMap<&'a str, FuncId>,
    /// Calls; their functions may be declared later.
    calls: Vec<body::PendingCall<'a>>,
    code: body::Code<'a>,
    no_entry: bool,
}

/// A name that can carry a suffix such as `.1`.
#[derive(Clone, Debug)]
struct Name<'a> {
    /// As it is written: what references are looked up by.
    raw: &'a str,
    /// Without quotes and suffix.
    name: Box<str>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
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
            code: body::Code::default(),
            no_entry: false,
        }
    }

    // ---- messages ----

    fn fail<T>(&mut self, at: usize, code: &'static str, message: impl Into<String>) -> Res<T> {
        let place = self.place(at);
        self.errors.push(Diagnostic::error(code, message).at(place));
        Err(Fail)
    }

    /// Like `fail`, with advice.
    fn fail_help<T>(
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
    fn unknown<'n, T>(
        &mut self,
        at: usize,
        what: &str,
        word: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Res<T> {
        let help = nearest(word, names).map(|n| format!("did you mean `{n}`?"));
        self.fail_help(at, UNKNOWN, format!("unknown {what} `{}`", clip(word)), help)
    }

    fn expected<T>(&mut self, what: &str) -> Res<T> {
        let found = match self.tok.kind {
            Kind::End => "the end of the text".to_string(),
            Kind::Newline => "the end of the line".to_string(),
            Kind::OpenQuote => "a quote without end".to_string(),
            _ => format!("`{}`", clip(self.slice())),
        };
        self.fail(self.tok.start, SYNTAX, format!("expected {what}, found {found}"))
    }

    /// Line and column of a position.
    fn place(&self, at: usize) -> Place {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        let line = before.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
        let column = before[line_start..].chars().count() as u32 + 1;
        Place::Text { file: "".into(), line, column }
    }

    // ---- tokens ----

    fn slice(&self) -> &'a str {
        &self.text[self.tok.start..self.tok.end]
    }

    fn advance(&mut self) {
        self.tok = token(self.text, self.tok.end);
    }

    /// The byte directly after the token.
    fn next_byte(&self) -> u8 {
        self.text.as_bytes().get(self.tok.end).copied().unwrap_or(0)
    }

    fn skip_newlines(&mut self) {
        while self.tok.kind == Kind::Newline {
            self.advance();
        }
    }

    fn at(&self, c: char) -> bool {
        self.tok.kind == Kind::Punct(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.at(c);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, c: char) -> Res<()> {
        if self.eat(c) { Ok(()) } else { self.expected(&format!("`{c}`")) }
    }

    /// The current token if it is a word.
    fn at_word(&self) -> Option<&'a str> {
        (self.tok.kind == Kind::Word).then(|| self.slice())
    }

    fn word(&mut self, what: &str) -> Res<&'a str> {
        let Some(word) = self.at_word() else { return self.expected(what) };
        self.advance();
        Ok(word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
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

    fn line_end(&mut self) -> Res<()> {
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

    fn u32(&mut self) -> Res<u32> {
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
    fn flags(&mut self, names: &'static [(&'static str, u32)]) -> Res<u32> {
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
    fn at_name(&self) -> bool {
        matches!(self.tok.kind, Kind::Word | Kind::Quoted)
    }

    /// A word or quoted text, with a suffix such as `.1` that keeps equal names apart.
    fn name(&mut self, what: &str) -> Res<Name<'a>> {
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
    fn string(&mut self, what: &str) -> Res<Box<str>> {
        if self.tok.kind != Kind::Quoted {
            return self.expected(what);
        }
        let text = self.unquoted()?;
        self.advance();
        Ok(text)
    }

    /// The text of the current token, which is a word or in quotes.
    fn unquoted(&mut self) -> Res<Box<str>> {
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

    // ---- the head ----

    fn file(&mut self) -> Res<()> {
        self.skip_newlines();
        if !self.eat_word("foil") {
            return self.expected("`foil 1`");
        }
        let at = self.tok.start;
        if self.number(u64::from(u32::MAX))? != 1 {
            return self.fail(
                at,
                SYNTAX,
                "this version of the text form is unknown: only `foil 1` can be read",
            );
        }
        self.skip_newlines();
        if !self.eat_word("shader") {
            return self.expected("`shader`");
        }
        self.shader.stage = self.named()?;
        self.shader.name = self.string("the name of the entry point in quotes")?;
        self.expect('{')?;
        self.skip_newlines();
        while !self.at('}') {
            self.item()?;
            self.line_end()?;
            self.skip_newlines();
        }
        self.advance();
        self.skip_newlines();
        if self.tok.kind != Kind::End {
            return self.expected("the end of the text");
        }
        self.resolve_calls();
        if self.shader.entry.is_none() && !self.no_entry {
            self.shader.entry = self.shader.functions.keys().next();
        }
        Ok(())
    }

    /// A line, or a declaration in braces, directly in the shader.
    fn item(&mut self) -> Res<()> {
        let at = self.tok.start;
        let word = self.word("a declaration or `}`")?;
        match word {
            "form" => self.shader.form = self.named()?,
            "file" => {
                let name = self.string("the name of a source file in quotes")?;
                self.shader.files.push(name);
            }
            "no_entry" => self.no_entry = true,
            "gathered" => self.gathered()?,
            "struct" => _ = self.declare_struct(false)?,
            "block" => _ = self.declare_struct(true)?,
            "fn" => self.function(false)?,
            "entry" => {
                if !self.eat_word("fn") {
                    return self.expected("`fn`");
                }
                self.function(true)?;
            }
            _ if Modes::NAMES.iter().any(|(n, _)| *n == word) => {
                self.tok = token(self.text, at);
                self.variable(None)?;
            }
            _ => {
                let mut info = std::mem::take(&mut self.shader.info);
                let read = info.read(word, self);
                self.shader.info = info;
                match read {
                    Some(result) => result?,
                    None => {
                        let modes = Modes::NAMES.iter().map(|(n, _)| *n);
                        let others =
                            ["form", "file", "no_entry", "gathered", "struct", "block", "fn", "entry"];
                        let names =
                            crate::shader::StageInfo::NAMES.iter().copied().chain(modes).chain(others);
                        return self.unknown(at, "declaration", word, names);
                    }
                }
            }
        }
        Ok(())
    }

    fn gathered(&mut self) -> Res<()> {
        self.expect('{')?;
        self.skip_newlines();
        let mut gathered = Gathered::default();
        while !self.at('}') {
            let at = self.tok.start;
            let word = self.word("a property or `}`")?;
            match gathered.read(word, self) {
                Some(result) => result?,
                None => return self.unknown(at, "property", word, Gathered::NAMES.iter().copied()),
            }
            self.line_end()?;
            self.skip_newlines();
        }
        self.advance();
        self.shader.gathered = Some(gathered);
        Ok(())
    }

    /// The body that is being built.
    fn body(&mut self) -> &mut Body {
        &mut self.code.body
    }

    /// Type and memory after a deref.
    fn pointee(&self, value: InstrId) -> Option<(TypeId, Modes)> {
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
fn clip(text: &str) -> String {
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
