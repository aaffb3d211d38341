//! `#if` and related directives, and the integer expressions in directives (GLSL 4.60 section 3.3).

use super::engine::{Condition, Engine};
use super::number::{self, IntSuffix, Literal};
use super::scan::{Kind, PTok};
use crate::token::{Symbol, Tok};

/// The kinds of conditional directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    If,
    Ifdef,
    Ifndef,
    Elif,
    Else,
    Endif,
}

impl Word {
    pub(super) fn find(word: &str) -> Option<Word> {
        Some(match word {
            "if" => Word::If,
            "ifdef" => Word::Ifdef,
            "ifndef" => Word::Ifndef,
            "elif" => Word::Elif,
            "else" => Word::Else,
            "endif" => Word::Endif,
            _ => return None,
        })
    }
}

/// Precedence of a binary operator in `#if`; 0 for other tokens.
fn precedence(tok: Tok) -> u8 {
    match tok {
        Tok::PipePipe => 1,
        Tok::AmpAmp => 2,
        Tok::Pipe => 3,
        Tok::Caret => 4,
        Tok::Amp => 5,
        Tok::EqualEqual | Tok::BangEqual => 6,
        Tok::Less | Tok::Greater | Tok::LessEqual | Tok::GreaterEqual => 7,
        Tok::Shl | Tok::Shr => 8,
        Tok::Plus | Tok::Minus => 9,
        Tok::Star | Tok::Slash | Tok::Percent => 10,
        _ => 0,
    }
}

/// An expression could not be evaluated; this is reported.
struct Failed;

/// Evaluates an expression token by token.
struct Evaluator<'e, 't> {
    engine: &'e mut Engine<'t>,
    /// Next token.
    token: PTok,
    /// `#if` rather than `#line`.
    condition: bool,
}

impl Evaluator<'_, '_> {
    fn advance(&mut self) {
        self.token = self.engine.next_expanded();
    }

    fn fail<T>(&mut self, code: &'static str, message: &str) -> Result<T, Failed> {
        if self.token.kind != Kind::Bad {
            let message = format!("{message} (GLSL 4.60 section 3.3)");
            self.engine.error(self.token, code, message);
        }
        Err(Failed)
    }

    /// An operand with its unary operators; `live` is false where the value does not matter.
    fn unary(&mut self, live: bool) -> Result<i64, Failed> {
        self.engine.depth += 1;
        let most = self.engine.options.max_nesting;
        let value = if self.engine.depth > most {
            self.engine.too_deep = true;
            let message =
                format!("this expression nests deeper than {most} levels, the limit of this compiler");
            self.fail("E0614", &message)
        } else {
            self.operand(live)
        };
        self.engine.depth -= 1;
        value
    }

    fn operand(&mut self, live: bool) -> Result<i64, Failed> {
        let token = self.token;
        match (token.kind, token.tok) {
            (Kind::Punct, Tok::Plus) => {
                self.advance();
                self.unary(live)
            }
            (Kind::Punct, Tok::Minus) => {
                self.advance();
                Ok(self.unary(live)?.wrapping_neg())
            }
            (Kind::Punct, Tok::Tilde) => {
                self.advance();
                Ok(!self.unary(live)?)
            }
            (Kind::Punct, Tok::Bang) => {
                self.advance();
                Ok(i64::from(self.unary(live)? == 0))
            }
            (Kind::Punct, Tok::LParen) => {
                self.advance();
                let value = self.binary(1, live)?;
                if !self.token.is_punct(Tok::RParen) {
                    return self.fail("E0614", "')' is missing");
                }
                self.advance();
                Ok(value)
            }
            (Kind::Value, _) => {
                self.advance();
                Ok(i64::from(token.data))
            }
            (Kind::Number, _) => self.number(),
            (Kind::Name, _) if self.engine.is_defined_operator(token) => self.defined(),
            (Kind::Name, _) => {
                if live && (self.engine.version.is_es() || !self.condition) {
                    let text = self.engine.text(token).into_owned();
                    return self.fail("E0616", &format!("'{text}' is not defined, or takes arguments"));
                }
                self.advance();
                Ok(0)
            }
            _ if token.is_end() => self.fail("E0614", "expected an integer expression"),
            _ => {
                let text = self.engine.text(token).into_owned();
                self.fail("E0614", &format!("'{text}' is not allowed in an integer expression"))
            }
        }
    }

    fn number(&mut self) -> Result<i64, Failed> {
        let text = self.engine.text(self.token).into_owned();
        let value = match number::parse(&text) {
            Ok(Literal::Int(Some(value), _, IntSuffix::None | IntSuffix::U)) => value,
            Ok(Literal::Int(None, ..)) => return self.fail("E0614", "this number is too large"),
            Ok(_) => return self.fail("E0614", &format!("'{text}' is not a 32-bit integer")),
            Err(message) => return self.fail("E0614", &message),
        };
        self.advance();
        Ok(value as i64)
    }

    /// `defined X` or `defined(X)`; the name is not expanded.
    fn defined(&mut self) -> Result<i64, Failed> {
        self.token = self.engine.pull();
        let parens = self.token.is_punct(Tok::LParen);
        if parens {
            self.token = self.engine.pull();
        }
        if self.token.kind != Kind::Name {
            return self.fail("E0614", "a name must follow 'defined'");
        }
        let defined = self.engine.has_macro(Symbol(self.token.data));
        if parens {
            self.token = self.engine.pull();
            if !self.token.is_punct(Tok::RParen) {
                return self.fail("E0614", "expected ')' after the name in 'defined('");
            }
        }
        self.advance();
        Ok(i64::from(defined))
    }

    /// Binary operators at least as strong as `min`.
    fn binary(&mut self, min: u8, live: bool) -> Result<i64, Failed> {
        let mut left = self.unary(live)?;
        loop {
            let operator = self.token;
            let strength = if operator.kind == Kind::Punct { precedence(operator.tok) } else { 0 };
            if strength < min || strength == 0 {
                return Ok(left);
            }
            self.advance();
            let needed = match operator.tok {
                Tok::AmpAmp => live && left != 0,
                Tok::PipePipe => live && left == 0,
                _ => live,
            };
            let right = self.binary(strength + 1, needed)?;
            if right == 0 && live && matches!(operator.tok, Tok::Slash | Tok::Percent) {
                self.engine.error(operator, "E0615", "division by zero in a directive");
                return Err(Failed);
            }
            left = apply(operator.tok, left, right);
        }
    }
}

/// A binary operator; division by zero gives 0 (only where the value does not matter).
fn apply(tok: Tok, a: i64, b: i64) -> i64 {
    match tok {
        Tok::PipePipe => i64::from(a != 0 || b != 0),
        Tok::AmpAmp => i64::from(a != 0 && b != 0),
        Tok::Pipe => a | b,
        Tok::Caret => a ^ b,
        Tok::Amp => a & b,
        Tok::EqualEqual => i64::from(a == b),
        Tok::BangEqual => i64::from(a != b),
        Tok::Less => i64::from(a < b),
        Tok::Greater => i64::from(a > b),
        Tok::LessEqual => i64::from(a <= b),
        Tok::GreaterEqual => i64::from(a >= b),
        Tok::Shl => a.wrapping_shl((b & 63) as u32),
        Tok::Shr => a.wrapping_shr((b & 63) as u32),
        Tok::Plus => a.wrapping_add(b),
        Tok::Minus => a.wrapping_sub(b),
        Tok::Star => a.wrapping_mul(b),
        Tok::Slash => a.checked_div(b).unwrap_or(0),
        _ => a.checked_rem(b).unwrap_or(0),
    }
}

impl Engine<'_> {
    /// The value of the expression of `#if` or `#elif`; false if it cannot be evaluated.
    fn condition(&mut self) -> bool {
        self.in_condition = true;
        let token = self.next_expanded();
        let mut evaluator = Evaluator { engine: self, token, condition: true };
        let value = evaluator.binary(1, true);
        let rest = evaluator.token;
        if value.is_ok() && !rest.is_end() && rest.kind != Kind::Bad {
            let text = self.text(rest).into_owned();
            self.error(rest, "E0612", format!("'{text}' after the expression (GLSL 4.60 section 3.3)"));
        }
        self.in_condition = false;
        self.drop_frames();
        value.is_ok_and(|v| v != 0)
    }

    /// One or two integers of `#line`, with the token after them; `None` if there is an error (which is reported).
    pub(super) fn line_numbers(&mut self) -> Option<(i64, Option<i64>, PTok)> {
        let token = self.next_expanded();
        let mut evaluator = Evaluator { engine: self, token, condition: false };
        let first = evaluator.binary(1, true).ok()?;
        let mut second = None;
        if !evaluator.token.is_end() && evaluator.token.kind != Kind::Str {
            second = Some(evaluator.binary(1, true).ok()?);
        }
        let rest = evaluator.token;
        Some((first, second, rest))
    }

    /// Drops the macro expansions that remain of an expression that could not be evaluated.
    pub(super) fn drop_frames(&mut self) {
        while !self.frames.is_empty() {
            self.pop_frame();
        }
    }

    /// A conditional directive in text that is not skipped.
    pub(super) fn conditional(&mut self, word: Word, at: PTok) {
        match word {
            Word::If | Word::Ifdef | Word::Ifndef => {
                let value = self.opening(word);
                let span = self.span(at);
                self.conditions.push(Condition { span, taken: value, else_seen: false, dead: false });
                if !value {
                    self.skip_groups();
                }
            }
            Word::Elif | Word::Else => {
                if self.alternative(word, at) {
                    if word == Word::Else {
                        self.end_of_directive("#else");
                    }
                    self.skip_groups();
                }
            }
            Word::Endif => {
                if self.conditions.pop().is_none() {
                    self.error(at, "E0613", "#endif without #if (GLSL 4.60 section 3.3)");
                }
                self.end_of_directive("#endif");
            }
        }
    }

    /// Whether the first group of an `#if`, `#ifdef` or `#ifndef` is taken.
    fn opening(&mut self, word: Word) -> bool {
        if word == Word::If {
            return self.condition();
        }
        let name = self.scan();
        let directive = if word == Word::Ifdef { "#ifdef" } else { "#ifndef" };
        if name.kind != Kind::Name {
            self.error(name, "E0611", format!("{directive} needs a name (GLSL 4.60 section 3.3)"));
            return false;
        }
        let value = self.has_macro(Symbol(name.data)) == (word == Word::Ifdef);
        self.end_of_directive(directive);
        value
    }

    /// Records an `#elif` or `#else`; false if it is not allowed here.
    fn alternative(&mut self, word: Word, at: PTok) -> bool {
        let name = if word == Word::Elif { "#elif" } else { "#else" };
        let Some(open) = self.conditions.last_mut() else {
            self.error(at, "E0613", format!("{name} without #if (GLSL 4.60 section 3.3)"));
            return false;
        };
        if open.else_seen {
            self.error(at, "E0613", format!("{name} after #else (GLSL 4.60 section 3.3)"));
            return false;
        }
        open.else_seen = word == Word::Else;
        true
    }

    /// Skips groups until one is taken, or the conditional ends. Nested conditionals are followed, but not
    /// evaluated.
    fn skip_groups(&mut self) {
        while !self.stopped {
            self.scanner.directive = false;
            if !self.scanner.skip_to_directive() {
                self.report_open_comment();
                return;
            }
            self.scanner.directive = true;
            let token = self.scan();
            let word = match token.kind {
                Kind::Name => Word::find(&self.names[Symbol(token.data)]),
                _ => None,
            };
            let Some(word) = word else { continue };
            let dead = self.conditions.last().is_some_and(|c| c.dead);
            match word {
                Word::If | Word::Ifdef | Word::Ifndef => {
                    let span = self.span(token);
                    self.conditions.push(Condition { span, taken: true, else_seen: false, dead: true });
                }
                Word::Elif | Word::Else => {
                    if !self.alternative(word, token) {
                        continue;
                    }
                    let waiting = self.conditions.last().is_some_and(|c| !c.taken);
                    if word == Word::Else && !dead {
                        self.end_of_directive("#else");
                    }
                    if waiting && (word == Word::Else || self.condition()) {
                        if let Some(open) = self.conditions.last_mut() {
                            open.taken = true;
                        }
                        return;
                    }
                }
                Word::Endif => {
                    self.conditions.pop();
                    if !dead {
                        self.end_of_directive("#endif");
                        return;
                    }
                }
            }
        }
    }

    /// Reports tokens up to the end of a directive's line.
    pub(super) fn end_of_directive(&mut self, directive: &str) {
        let token = self.scan();
        if !token.is_end() {
            let text = self.text(token).into_owned();
            self.error(token, "E0612", format!("'{text}' after {directive} (GLSL 4.60 section 3.3)"));
        }
    }
}
