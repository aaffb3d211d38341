//! The parser: statements, and the rules of the specifications as soon as they can be checked.

mod binding;
mod declare;
mod instruction;
mod names;
mod operand;

use crate::count;
use crate::errors::{
    Errors, Failure, HEADER, LEXICAL, LIMIT, MAX_ERRORS, OPTION, RANGE, Res, SYNTAX, fail, failure,
};
use crate::limits::Limits;
use crate::option::OPTIONS;
use crate::program::Source;
use crate::rule::Rule;
use crate::target::Target;
use crate::token::{Tok, Token, tokens};
use crate::unit::Unit;
use airfoil_ir::diag::nearest;
use names::Names;

/// Parses and checks a program.
pub fn parse<'s>(source: &Source<'s>, limits: &Limits) -> Result<Unit<'s>, Errors> {
    let text = source.text;
    let whole = |f: Box<Failure>| Errors::new(source, vec![*f]);
    if text.len() > limits.text_bytes as usize {
        let message = format!("expected at most {} bytes of text, found {}", limits.text_bytes, text.len());
        return Err(whole(failure(0, LIMIT, message)));
    }
    let Some(target) = crate::target_of(text.as_bytes()) else {
        let message = "expected `!!ARBvp1.0` or `!!ARBfp1.0` at the start of the program (ARB_vertex_program section 2.14.2)";
        return Err(whole(failure(0, HEADER, message)));
    };
    let mut parser = Parser {
        text,
        target,
        limits,
        tokens: tokens(text, target.header().len()),
        at: 0,
        names: Names::default(),
        unit: Unit::new(target),
        elements: 0,
        relative: Default::default(),
        storage: [None; 32],
    };
    let mut failures = parser.program();
    let mut unit = parser.unit;
    if failures.is_empty() {
        failures.extend(count::count(&mut unit, limits, text.len()).map(|f| *f));
    }
    unit.bind_fixed();
    if failures.is_empty() { Ok(unit) } else { Err(Errors::new(source, failures)) }
}

/// State of the parser.
struct Parser<'s, 'l> {
    text: &'s str,
    target: Target,
    limits: &'l Limits,
    tokens: Vec<Token>,
    at: usize,
    names: Names<'s>,
    unit: Unit<'s>,
    /// Elements of all arrays.
    elements: usize,
    /// The states in arrays with relative addressing.
    relative: rustc_hash::FxHashSet<u32>,
    /// Whether a generic attribute or the conventional one that shares its storage is bound.
    storage: [Option<bool>; 32],
}

impl<'s> Parser<'s, '_> {
    // ---- tokens ----

    fn peek(&self) -> Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn text_of(&self, token: Token) -> &'s str {
        &self.text[token.lo as usize..token.hi as usize]
    }

    /// The byte of the next token.
    fn here(&self) -> usize {
        self.peek().lo as usize
    }

    fn advance(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is_char(&self, c: u8) -> bool {
        self.peek().kind == Tok::Char(c)
    }

    /// Takes a character if it is next.
    fn take(&mut self, c: u8) -> bool {
        let found = self.is_char(c);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, c: u8) -> Res<()> {
        if self.take(c) { Ok(()) } else { self.unexpected(&format!("`{}`", char::from(c))) }
    }

    /// The next token, if it is a word.
    fn word(&self) -> Option<&'s str> {
        let token = self.peek();
        (token.kind == Tok::Word).then(|| self.text_of(token))
    }

    fn expect_word(&mut self, word: &str) -> Res<()> {
        if self.word() != Some(word) {
            return self.unexpected(&format!("`{word}`"));
        }
        self.advance();
        Ok(())
    }

    /// A rule of the specification with its section.
    fn cite(&self, rule: Rule) -> String {
        rule.cite(self.target)
    }

    /// Fails at the next token, which the grammar does not expect.
    fn unexpected<T>(&self, expected: &str) -> Res<T> {
        let token = self.peek();
        let text = self.text_of(token);
        let rule = self.cite(Rule::Grammar);
        let at = token.lo as usize;
        match token.kind {
            Tok::BadChar => {
                fail(at, LEXICAL, format!("the character {text:?} is not part of the language {rule}"))
            }
            Tok::BadNumber => fail(at, LEXICAL, format!("`{}` is not a number {rule}", shorten(text))),
            Tok::End => fail(at, SYNTAX, format!("expected {expected}, found the end of the program {rule}")),
            _ => fail(at, SYNTAX, format!("expected {expected}, found `{}` {rule}", shorten(text))),
        }
    }

    /// An integer; those that are too large are `u32::MAX`.
    fn integer(&mut self) -> Res<u32> {
        let token = self.peek();
        if token.kind != Tok::Integer {
            return self.unexpected("an integer");
        }
        self.advance();
        Ok(self.text_of(token).parse().unwrap_or(u32::MAX))
    }

    /// An integer from 0 to below a limit.
    fn integer_below(&mut self, limit: u32, name: &str, rule: Rule) -> Res<u32> {
        let at = self.here();
        let text = self.text_of(self.peek());
        let n = self.integer()?;
        if n >= limit {
            let message = format!(
                "expected an index below {name} = {limit}, found {} {}",
                shorten(text),
                self.cite(rule)
            );
            return fail(at, RANGE, message);
        }
        Ok(n)
    }

    // ---- statements ----

    /// The whole program.
    fn program(&mut self) -> Vec<Failure> {
        let mut failures = Vec::new();
        let mut options = true;
        while failures.len() < MAX_ERRORS {
            let start = self.at;
            let result = match self.word() {
                Some("END") => {
                    self.advance();
                    let end = self.end_of_text();
                    failures.extend(end.err().map(|e| *e));
                    break;
                }
                Some("OPTION") if options => self.option(),
                Some("OPTION") => {
                    let message = format!("options must precede all statements {}", self.cite(Rule::Options));
                    fail(self.here(), SYNTAX, message)
                }
                _ => {
                    options = false;
                    self.statement()
                }
            };
            let Err(failure) = result else { continue };
            match *failure {
                failure if !failure.diagnostic.message.is_empty() => failures.push(failure),
                // A use of a name whose declaration has failed is a consequence.
                _ if !failures.is_empty() => {}
                // A use in the declaration itself.
                failure => failures.push(*self.undeclared(failure.at)),
            }
            if self.peek().kind == Tok::End && self.at == start {
                break;
            }
            self.recover();
        }
        failures
    }

    /// Nothing may follow `END`.
    fn end_of_text(&mut self) -> Res<()> {
        match self.peek().kind {
            Tok::End => Ok(()),
            _ => self.unexpected("the end of the text after `END`"),
        }
    }

    /// Goes to the start of the next statement.
    fn recover(&mut self) {
        loop {
            match self.peek().kind {
                Tok::End => return,
                Tok::Word if self.word() == Some("END") => return,
                Tok::Char(b';') => {
                    self.advance();
                    return;
                }
                _ => _ = self.advance(),
            }
        }
    }

    fn option(&mut self) -> Res<()> {
        self.advance();
        let at = self.here();
        let Some(word) = self.word() else { return self.unexpected("the name of an option") };
        self.advance();
        let here = OPTIONS.iter().filter(|o| o.1.contains(self.target));
        let Some(&(_, _, effect)) = here.clone().find(|o| o.0 == word) else {
            let message =
                format!("the option `{}` is not supported {}", shorten(word), self.cite(Rule::Options));
            let mut failure = failure(at, OPTION, message);
            if let Some(name) = nearest(word, here.map(|o| o.0)) {
                failure.diagnostic = failure.diagnostic.help(format!("did you mean `{name}`?"));
            }
            return Err(failure);
        };
        if let Err((rule, message)) = self.unit.options.add(effect) {
            return fail(at, OPTION, format!("{message} {}", self.cite(rule)));
        }
        self.expect(b';')
    }

    fn statement(&mut self) -> Res<()> {
        let Some(word) = self.word() else { return self.unexpected("a statement or `END`") };
        match word {
            "ATTRIB" => self.attrib(),
            "PARAM" => self.param(),
            "TEMP" => self.temp(),
            "ADDRESS" if self.target == Target::Vertex => self.address(),
            "OUTPUT" => self.output(),
            "ALIAS" => self.alias(),
            _ => self.instruction(word),
        }?;
        self.expect(b';')
    }
}

/// The start of a text that may be long, for messages.
fn shorten(text: &str) -> &str {
    const LONGEST: usize = 64;
    text.char_indices().nth(LONGEST).map_or(text, |(at, _)| &text[..at])
}
