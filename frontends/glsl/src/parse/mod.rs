//! The parser: recursive descent over the tokens, syntax tree in a bump arena.
//!
//! The grammar is that of GLSL 4.60 section 9 for all versions; the checker rejects features that a version lacks. Whether a
//! statement is a declaration shows from the tokens alone (two names in a row, or a name with brackets and a name), so the
//! parser needs no table of types.
//!
//! After an error it continues after the next `;` or at the `}` of the block, so that one run reports several.

mod declaration;
mod expression;
mod statement;
#[cfg(test)]
mod tests;
mod types;

use crate::diagnostics::Diagnostics;
use crate::extension::Ext;
use crate::preprocess::Preprocessed;
use crate::source::Span;
use crate::syntax::{Ident, MAX_DEPTH, MAX_HEIGHT, TranslationUnit};
use crate::token::{Interner, Tok, Token};
use bumpalo::Bump;
use smallvec::SmallVec;

/// A fault that has been reported already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// Result of parsing something.
pub(crate) type Parse<T> = Result<T, Reported>;

/// Parses the tokens of a shader.
pub fn parse<'a>(
    bump: &'a Bump,
    preprocessed: &mut Preprocessed,
    diags: &mut Diagnostics,
) -> TranslationUnit<'a> {
    parse_levels(bump, preprocessed, diags, MAX_DEPTH).0
}

/// The same with at most this many levels of nesting; returns whether there were more.
pub(crate) fn parse_levels<'a>(
    bump: &'a Bump,
    preprocessed: &mut Preprocessed,
    diags: &mut Diagnostics,
    levels: u32,
) -> (TranslationUnit<'a>, bool) {
    let unsigned_int = preprocessed.extensions.contains(Ext::EXT_gpu_shader4);
    let Preprocessed { tokens, wide, names, .. } = preprocessed;
    let mut parser = Parser {
        bump,
        tokens,
        wide,
        names,
        diags,
        at: 0,
        levels,
        depth: 0,
        too_deep: false,
        height: 0,
        stopped: false,
        unsigned_int,
    };
    let unit = parser.translation_unit();
    (unit, parser.too_deep)
}

/// State of parsing.
struct Parser<'a, 'p> {
    bump: &'a Bump,
    tokens: &'p [Token],
    wide: &'p [u64],
    names: &'p mut Interner,
    diags: &'p mut Diagnostics,
    /// Position of the next token. The last token is `Eof` and is never passed.
    at: usize,
    /// Deepest nesting that is allowed.
    levels: u32,
    /// Current nesting.
    depth: u32,
    /// Something nests deeper than is allowed.
    too_deep: bool,
    /// Height of the highest tree so far.
    height: u32,
    /// A limit was reached: later syntax errors are not reported.
    stopped: bool,
    /// `unsigned int` is a type (`GL_EXT_gpu_shader4`); in every version `unsigned` is a reserved word.
    unsigned_int: bool,
}

impl<'a> Parser<'a, '_> {
    fn token(&self) -> Token {
        self.tokens.get(self.at).copied().unwrap_or(Token { tok: Tok::Eof, len: 0, lo: 0, data: 0 })
    }

    fn tok(&self) -> Tok {
        self.token().tok
    }

    /// The kind of the token `n` further on.
    fn ahead(&self, n: usize) -> Tok {
        self.tokens.get(self.at + n).map_or(Tok::Eof, |t| t.tok)
    }

    fn span(&self) -> Span {
        self.token().span()
    }

    /// Location of the token before.
    fn previous(&self) -> Span {
        self.tokens.get(self.at.wrapping_sub(1)).map_or(Span::default(), |t| t.span())
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.tok != Tok::Eof {
            self.at += 1;
        }
        token
    }

    /// Takes a token of a kind if it is next.
    fn eat(&mut self, tok: Tok) -> bool {
        let found = self.tok() == tok;
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token of a kind, or reports that it is missing.
    fn expect(&mut self, tok: Tok) -> Parse<Span> {
        if self.tok() == tok {
            return Ok(self.advance().span());
        }
        Err(self.unexpected(&format!("`{}`", tok.text())))
    }

    /// Reports that something else was expected here.
    fn unexpected(&mut self, expected: &str) -> Reported {
        let token = self.token();
        let span = token.span();
        match token.tok {
            _ if self.stopped => {}
            Tok::Bad => self.diags.error(span, "E0701", format!("syntax error: expected {expected}")),
            Tok::Eof => {
                self.diags.error(
                    span,
                    "E0701",
                    format!("syntax error: unexpected end of file, expected {expected}"),
                );
            }
            Tok::Reserved => {
                let name = &self.names[crate::token::Symbol(token.data)];
                let message = format!("`{name}` is a reserved word (GLSL 4.60 section 3.6)");
                self.diags.error(span, "E0703", message);
            }
            _ => {
                let found = self.describe(token);
                self.diags.error(
                    span,
                    "E0701",
                    format!("syntax error: unexpected {found}, expected {expected}"),
                );
            }
        }
        Reported
    }

    /// A token as messages name it.
    fn describe(&self, token: Token) -> String {
        match token.tok {
            Tok::Ident => format!("`{}`", &self.names[crate::token::Symbol(token.data)]),
            Tok::Type => format!("`{}`", crate::basic_types::BASIC_TYPES[token.data as usize].name),
            Tok::IntConst
            | Tok::UintConst
            | Tok::Int16Const
            | Tok::Uint16Const
            | Tok::Int64Const
            | Tok::Uint64Const
            | Tok::FloatConst
            | Tok::HalfConst
            | Tok::DoubleConst
            | Tok::BoolConst
            | Tok::StringConst
            | Tok::Eof
            | Tok::Bad
            | Tok::Reserved => token.tok.text().to_string(),
            tok => format!("`{}`", tok.text()),
        }
    }

    /// Whether `unsigned int` is next.
    pub(super) fn at_unsigned_int(&self) -> bool {
        let token = self.token();
        self.unsigned_int
            && token.tok == Tok::Reserved
            && &self.names[crate::token::Symbol(token.data)] == "unsigned"
            && self.ahead(1) == Tok::Type
    }

    fn ident(&mut self, what: &str) -> Parse<Ident> {
        let token = self.token();
        if token.tok == Tok::Ident {
            self.advance();
            return Ok(Ident { name: crate::token::Symbol(token.data), span: token.span() });
        }
        Err(self.unexpected(what))
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= self.levels {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        self.height = self.height.max(self.depth);
        let result = parse(self);
        self.depth -= 1;
        result
    }

    #[cold]
    fn too_deep(&mut self, span: Span) -> Reported {
        self.too_deep = true;
        self.diags.error(
            span,
            "E0702",
            format!("statements, expressions and types nest deeper than {MAX_DEPTH} levels, the limit of this compiler"),
        );
        self.give_up()
    }

    /// Records the height of a tree.
    fn grow(&mut self, height: u32, span: Span) -> Parse<()> {
        self.height = self.height.max(height);
        if height <= MAX_HEIGHT {
            return Ok(());
        }
        let message = format!("a chain has more than {MAX_HEIGHT} links, the limit of this compiler");
        self.diags.error(span, "E0702", message);
        Err(self.give_up())
    }

    /// Nothing after the error can be parsed: it is the only one reported.
    fn give_up(&mut self) -> Reported {
        self.stopped = true;
        self.at = self.tokens.len().saturating_sub(1);
        Reported
    }

    /// A list in the arena.
    fn slice<T: Copy>(&self, list: &[T]) -> &'a [T] {
        self.bump.alloc_slice_copy(list)
    }

    /// Skips past the next `;`, or to the `}` that closes the block of the error. Braces that open on the way
    /// are skipped with all that is in them.
    fn recover(&mut self) {
        let mut open = 0u32;
        loop {
            match self.tok() {
                Tok::Eof => return,
                Tok::LBrace => open += 1,
                Tok::RBrace if open == 0 => return,
                Tok::RBrace => {
                    open -= 1;
                    if open == 0 {
                        self.advance();
                        // A block or structure may be followed by names and its semicolon.
                        if self.tok() == Tok::Semicolon {
                            self.advance();
                        }
                        return;
                    }
                }
                Tok::Semicolon if open == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    fn translation_unit(&mut self) -> TranslationUnit<'a> {
        let mut items = Vec::new();
        if self.tok() == Tok::Eof {
            // GLSL 4.60 section 9: a translation unit has one declaration at least.
            self.unexpected("a declaration");
        }
        while self.tok() != Tok::Eof && !self.diags.full() {
            match self.item() {
                Ok(item) => items.push(item),
                Err(Reported) => {
                    self.recover();
                    // A `}` too many ends nothing here.
                    if self.tok() == Tok::RBrace {
                        self.advance();
                    }
                }
            }
        }
        TranslationUnit { items: self.slice(&items), height: self.height }
    }

    /// Takes `first (, next)*`.
    fn comma_list<T>(&mut self, mut next: impl FnMut(&mut Self) -> Parse<T>) -> Parse<SmallVec<[T; 4]>> {
        let mut list = SmallVec::new();
        loop {
            list.push(next(self)?);
            if !self.eat(Tok::Comma) {
                return Ok(list);
            }
        }
    }
}
