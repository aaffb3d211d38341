//! The scanner: bytes to preprocessing tokens.

use crate::token::{Interner, Symbol, Tok};

/// Kinds of preprocessing tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// End of the source.
    Eof,
    /// End of a line, only inside a directive.
    Newline,
    /// End of a macro argument that is being expanded.
    End,
    /// A name: `data` is its symbol.
    Name,
    /// A number: `data` is its first byte in the scanned text, or with [`INTERNED`] the symbol of its text.
    Number,
    /// An `int` from the preprocessor (`__LINE__`): `data` is its value.
    Value,
    /// Operator or separator `tok`.
    Punct,
    /// `#`
    Hash,
    /// `##`
    HashHash,
    /// A string literal; `data` as for `Number`.
    Str,
    /// Characters that belong to no token; `data` as for `Number`.
    Other,
    /// A parameter in the body of a macro: `data` is its position.
    Param,
    /// The remains of a reported error.
    Bad,
}

/// White space or a comment precedes it.
pub(super) const SPACE: u8 = 1;
/// First of its line.
pub(super) const FIRST: u8 = 2;
/// Its text is interned.
pub(super) const INTERNED: u8 = 4;
/// It names a macro that must not be expanded (any more).
pub(super) const PAINTED: u8 = 8;
/// It comes from the body of a macro.
pub(super) const FROM_MACRO: u8 = 16;

/// A preprocessing token.
#[derive(Clone, Copy, Debug)]
pub(super) struct PTok {
    pub kind: Kind,
    /// Which operator it is.
    pub tok: Tok,
    pub flags: u8,
    /// As in [`crate::token::Token`].
    pub len: u16,
    /// Byte in the original text where messages point to.
    pub lo: u32,
    pub data: u32,
}

impl PTok {
    pub(super) fn end(lo: u32) -> PTok {
        PTok { kind: Kind::End, tok: Tok::Bad, flags: 0, len: 0, lo, data: 0 }
    }

    pub(super) fn is_punct(self, tok: Tok) -> bool {
        self.kind == Kind::Punct && self.tok == tok
    }

    pub(super) fn is_end(self) -> bool {
        matches!(self.kind, Kind::Eof | Kind::Newline | Kind::End)
    }
}

// Classes of bytes.
const OTHER: u8 = 0;
const BLANK: u8 = 1;
const LINE: u8 = 2;
const LETTER: u8 = 3;
const DIGIT: u8 = 4;
const PUNCT: u8 = 5;

static CLASS: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b' ' | b'\t' | 0x0b | 0x0c => BLANK,
            b'\n' | b'\r' => LINE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'.' | b',' | b';' | b':' | b'?' | b'+' | b'-'
            | b'*' | b'/' | b'%' | b'!' | b'~' | b'<' | b'>' | b'=' | b'&' | b'|' | b'^' | b'#' => PUNCT,
            _ => OTHER,
        };
        i += 1;
    }
    table
};

/// Whether a byte may be part of a name.
pub(super) fn is_name_byte(byte: u8) -> bool {
    matches!(CLASS[usize::from(byte)], LETTER | DIGIT)
}

/// Scans a text.
#[derive(Debug)]
pub(super) struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    joints: &'t [(u32, u32)],
    /// Position in `joints` that was used last.
    joint: usize,
    /// Next byte.
    pub pos: usize,
    /// Nothing but white space since the start of the line.
    first: bool,
    /// Ends of lines are tokens.
    pub directive: bool,
    /// Where a comment starts that does not end.
    pub open_comment: Option<u32>,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str, joints: &'t [(u32, u32)]) -> Scanner<'t> {
        // A byte order mark at the start is not part of the shader.
        let pos = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Scanner {
            text,
            bytes: text.as_bytes(),
            joints,
            joint: 0,
            pos,
            first: true,
            directive: false,
            open_comment: None,
        }
    }

    fn byte(&self, i: usize) -> u8 {
        self.bytes.get(i).copied().unwrap_or(0)
    }

    /// The byte of the original text for a byte of the scanned one.
    pub(super) fn original(&mut self, at: usize) -> u32 {
        let at = at as u32;
        if self.joints.is_empty() {
            return at;
        }
        let holds = |i: usize| {
            let after = i == 0 || self.joints.get(i - 1).is_some_and(|j| j.0 <= at);
            after && self.joints.get(i).is_none_or(|j| at < j.0)
        };
        if !holds(self.joint) {
            self.joint = if holds(self.joint + 1) {
                self.joint + 1
            } else {
                self.joints.partition_point(|j| j.0 <= at)
            };
        }
        if self.joint == 0 { at } else { at + self.joints[self.joint - 1].1 }
    }

    /// Text of a token that is not interned.
    pub(super) fn slice(&self, token: PTok) -> &'t str {
        let lo = token.data as usize;
        if token.len < u16::MAX {
            return self.text.get(lo..lo + usize::from(token.len)).unwrap_or("");
        }
        // Long tokens are rare: scan it again.
        let end = match token.kind {
            Kind::Number => self.number_end(lo),
            Kind::Str => self.string_end(lo),
            _ => lo,
        };
        self.text.get(lo..end).unwrap_or("")
    }

    /// The text between two bytes of the scanned text.
    pub(super) fn between(&self, lo: usize, hi: usize) -> &'t str {
        self.text.get(lo..hi).unwrap_or("")
    }

    /// Skips a comment that starts at `pos`; an open one is noted and skips all.
    fn skip_comment(&mut self) {
        let start = self.pos;
        if self.byte(start + 1) == b'/' {
            self.pos += 2;
            while self.pos < self.bytes.len() && CLASS[usize::from(self.bytes[self.pos])] != LINE {
                self.pos += 1;
            }
            return;
        }
        let mut i = start + 2;
        while i + 1 < self.bytes.len() {
            if self.bytes[i] == b'*' && self.bytes[i + 1] == b'/' {
                self.pos = i + 2;
                return;
            }
            i += 1;
        }
        self.open_comment = Some(self.original(start));
        self.pos = self.bytes.len();
    }

    /// The next token.
    pub(super) fn scan(&mut self, names: &mut Interner) -> PTok {
        let mut flags = 0;
        let class = loop {
            let Some(&byte) = self.bytes.get(self.pos) else {
                return self.token(Kind::Eof, Tok::Eof, flags, self.pos);
            };
            match CLASS[usize::from(byte)] {
                BLANK => {
                    self.pos += 1;
                    flags |= SPACE;
                }
                LINE if self.directive => return self.token(Kind::Newline, Tok::Bad, flags, self.pos),
                LINE => {
                    self.pos += 1;
                    self.first = true;
                    flags |= SPACE;
                }
                PUNCT if byte == b'/' && matches!(self.byte(self.pos + 1), b'/' | b'*') => {
                    self.skip_comment();
                    flags |= SPACE;
                }
                class => break class,
            }
        };
        if self.first {
            self.first = false;
            flags |= FIRST;
        }
        let start = self.pos;
        match class {
            LETTER => {
                self.pos += 1;
                while self.bytes.get(self.pos).is_some_and(|&b| is_name_byte(b)) {
                    self.pos += 1;
                }
                let symbol = names.intern(&self.text[start..self.pos]);
                PTok { data: symbol.0, ..self.token(Kind::Name, Tok::Ident, flags, start) }
            }
            DIGIT => self.number(start, flags),
            PUNCT if self.bytes[start] == b'.' && self.byte(start + 1).is_ascii_digit() => {
                self.number(start, flags)
            }
            PUNCT => {
                let (kind, tok, len) = self.punct(start);
                self.pos = start + len;
                self.token(kind, tok, flags, start)
            }
            _ if self.bytes[start] == b'"' => {
                self.pos = self.string_end(start);
                let closed = self.pos > start + 1 && self.bytes[self.pos - 1] == b'"';
                if !closed {
                    self.pos = start + 1;
                }
                let kind = if closed { Kind::Str } else { Kind::Other };
                PTok { data: start as u32, ..self.token(kind, Tok::Bad, flags, start) }
            }
            _ => {
                // Bytes outside ASCII are taken together: one message each word is enough.
                let ascii = self.bytes[start] < 0x80;
                self.pos += 1;
                while !ascii && self.byte(self.pos) >= 0x80 {
                    self.pos += 1;
                }
                PTok { data: start as u32, ..self.token(Kind::Other, Tok::Bad, flags, start) }
            }
        }
    }

    /// A token from `start` to `pos`.
    fn token(&mut self, kind: Kind, tok: Tok, flags: u8, start: usize) -> PTok {
        let lo = self.original(start);
        let len = (self.pos - start).min(usize::from(u16::MAX)) as u16;
        PTok { kind, tok, flags, len, lo, data: 0 }
    }

    fn number(&mut self, start: usize, flags: u8) -> PTok {
        self.pos = self.number_end(start);
        PTok { data: start as u32, ..self.token(Kind::Number, Tok::Bad, flags, start) }
    }

    /// End of a number with whatever letters and digits follow it: a bad suffix belongs to the number.
    fn number_end(&self, start: usize) -> usize {
        let mut i = start;
        let digits = |mut i: usize| {
            while self.byte(i).is_ascii_digit() {
                i += 1;
            }
            i
        };
        if self.byte(i) != b'0' || !matches!(self.byte(i + 1), b'x' | b'X') {
            i = digits(i);
            if self.byte(i) == b'.' {
                i = digits(i + 1);
            }
            if matches!(self.byte(i), b'e' | b'E') {
                let sign = usize::from(matches!(self.byte(i + 1), b'+' | b'-'));
                if self.byte(i + 1 + sign).is_ascii_digit() {
                    i = digits(i + 1 + sign);
                }
            }
        }
        while is_name_byte(self.byte(i)) {
            i += 1;
        }
        i
    }

    /// After the closing quote, or at the end of the line.
    fn string_end(&self, start: usize) -> usize {
        let mut i = start + 1;
        while i < self.bytes.len() {
            match self.bytes[i] {
                b'"' => return i + 1,
                b'\n' | b'\r' => return i,
                b'\\' if i + 1 < self.bytes.len() => i += 2,
                _ => i += 1,
            }
        }
        self.bytes.len()
    }

    #[rustfmt::skip]
    fn punct(&self, start: usize) -> (Kind, Tok, usize) {
        let [a, b, c] = [self.bytes[start], self.byte(start + 1), self.byte(start + 2)];
        let (tok, len) = match (a, b, c) {
            (b'<', b'<', b'=') => (Tok::ShlEqual, 3),
            (b'>', b'>', b'=') => (Tok::ShrEqual, 3),
            (b'<', b'<', _) => (Tok::Shl, 2),
            (b'>', b'>', _) => (Tok::Shr, 2),
            (b'+', b'+', _) => (Tok::PlusPlus, 2),
            (b'-', b'-', _) => (Tok::MinusMinus, 2),
            (b'<', b'=', _) => (Tok::LessEqual, 2),
            (b'>', b'=', _) => (Tok::GreaterEqual, 2),
            (b'=', b'=', _) => (Tok::EqualEqual, 2),
            (b'!', b'=', _) => (Tok::BangEqual, 2),
            (b'&', b'&', _) => (Tok::AmpAmp, 2),
            (b'|', b'|', _) => (Tok::PipePipe, 2),
            (b'^', b'^', _) => (Tok::CaretCaret, 2),
            (b'*', b'=', _) => (Tok::StarEqual, 2),
            (b'/', b'=', _) => (Tok::SlashEqual, 2),
            (b'%', b'=', _) => (Tok::PercentEqual, 2),
            (b'+', b'=', _) => (Tok::PlusEqual, 2),
            (b'-', b'=', _) => (Tok::MinusEqual, 2),
            (b'&', b'=', _) => (Tok::AmpEqual, 2),
            (b'^', b'=', _) => (Tok::CaretEqual, 2),
            (b'|', b'=', _) => (Tok::PipeEqual, 2),
            (b'#', b'#', _) => return (Kind::HashHash, Tok::Bad, 2),
            (b'#', ..) => return (Kind::Hash, Tok::Bad, 1),
            (b'(', ..) => (Tok::LParen, 1),
            (b')', ..) => (Tok::RParen, 1),
            (b'[', ..) => (Tok::LBracket, 1),
            (b']', ..) => (Tok::RBracket, 1),
            (b'{', ..) => (Tok::LBrace, 1),
            (b'}', ..) => (Tok::RBrace, 1),
            (b'.', ..) => (Tok::Dot, 1),
            (b',', ..) => (Tok::Comma, 1),
            (b';', ..) => (Tok::Semicolon, 1),
            (b':', ..) => (Tok::Colon, 1),
            (b'?', ..) => (Tok::Question, 1),
            (b'+', ..) => (Tok::Plus, 1),
            (b'-', ..) => (Tok::Minus, 1),
            (b'*', ..) => (Tok::Star, 1),
            (b'/', ..) => (Tok::Slash, 1),
            (b'%', ..) => (Tok::Percent, 1),
            (b'!', ..) => (Tok::Bang, 1),
            (b'~', ..) => (Tok::Tilde, 1),
            (b'<', ..) => (Tok::Less, 1),
            (b'>', ..) => (Tok::Greater, 1),
            (b'&', ..) => (Tok::Amp, 1),
            (b'|', ..) => (Tok::Pipe, 1),
            (b'^', ..) => (Tok::Caret, 1),
            _ => (Tok::Equal, 1),
        };
        (Kind::Punct, tok, len)
    }

    /// Whether the next token is `(`; nothing is consumed. In a directive, only on the same line.
    pub(super) fn at_paren(&self) -> bool {
        let mut i = self.pos;
        loop {
            match self.byte(i) {
                b' ' | b'\t' | 0x0b | 0x0c => i += 1,
                b'\n' | b'\r' if !self.directive => i += 1,
                b'/' if self.byte(i + 1) == b'/' => {
                    while i < self.bytes.len() && CLASS[usize::from(self.bytes[i])] != LINE {
                        i += 1;
                    }
                }
                b'/' if self.byte(i + 1) == b'*' => {
                    i += 2;
                    while i < self.bytes.len() && !(self.bytes[i] == b'*' && self.byte(i + 1) == b'/') {
                        i += 1;
                    }
                    i += 2;
                }
                byte => return byte == b'(',
            }
        }
    }

    /// Skips lines up to and including the `#` of the next directive; false at the end of the source.
    /// `pos` is at the end of a line.
    pub(super) fn skip_to_directive(&mut self) -> bool {
        let mut first = false;
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'\n' | b'\r' => {
                    first = true;
                    self.pos += 1;
                }
                b' ' | b'\t' | 0x0b | 0x0c => self.pos += 1,
                b'/' if matches!(self.byte(self.pos + 1), b'/' | b'*') => self.skip_comment(),
                b'#' if first => {
                    self.pos += 1;
                    self.first = false;
                    return true;
                }
                _ => {
                    first = false;
                    self.pos += 1;
                }
            }
        }
        false
    }
}

/// The one token that a text is, if it is one; its text is interned where a token has text.
pub(super) fn single(text: &str, names: &mut Interner) -> Option<PTok> {
    let mut scanner = Scanner::new(text, &[]);
    // Text that looks like a comment is not one: `/` and `/` do not paste to anything.
    let token = scanner.scan(names);
    (scanner.pos == text.len() && token.kind != Kind::Eof && token.flags & SPACE == 0)
        .then(|| interned(token, &scanner, names))
}

/// The token with its text interned, so that it does not depend on its scanner.
pub(super) fn interned(token: PTok, scanner: &Scanner<'_>, names: &mut Interner) -> PTok {
    let has_text = matches!(token.kind, Kind::Number | Kind::Str | Kind::Other);
    if !has_text || token.flags & INTERNED != 0 {
        return token;
    }
    let symbol: Symbol = names.intern(scanner.slice(token));
    PTok { data: symbol.0, flags: token.flags | INTERNED, ..token }
}
