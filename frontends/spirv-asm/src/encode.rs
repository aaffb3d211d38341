//! Encodes instructions: tokens to words, following the grammar.

use crate::Options;
use crate::names::{self, Enumerant};
use crate::number::{Number, WORD};
use crate::token::{Kind, Token, place, tokens, version_comment};
use airfoil_ir::Diagnostic;
use rspirv::grammar::{Instruction, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// Malformed instructions.
const SYNTAX: &str = "E0321";
/// Unknown names.
const NAME: &str = "E0322";
/// Literals that do not fit.
const LITERAL: &str = "E0323";

/// Most errors reported.
const MAX_ERRORS: usize = 20;
/// The longest instruction, in words: the count has 16 bits (SPIR-V 1.6 section 2.3).
const MAX_WORDS: usize = 0xffff;
const MAGIC: u32 = 0x0723_0203;

/// An error and its byte offset.
struct Fault {
    at: usize,
    diagnostic: Diagnostic,
}

type Res<T> = Result<T, Box<Fault>>;

fn fail<T>(at: usize, code: &'static str, message: impl Into<String>) -> Res<T> {
    Err(Box::new(Fault { at, diagnostic: Diagnostic::error(code, message) }))
}

pub(crate) fn assemble(text: &str, options: &Options) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let (major, minor) = options.version.or_else(|| version_comment(text)).unwrap_or((1, 6));
    let tokens = tokens(text);
    let mut words = Vec::with_capacity(5 + tokens.len());
    words.extend([MAGIC, u32::from(major) << 16 | u32::from(minor) << 8, 0, 0, 0]);
    let mut assembler = Assembler { tokens, words, ..Assembler::default() };
    let mut faults = Vec::new();
    while assembler.at < assembler.tokens.len() && faults.len() < MAX_ERRORS {
        if let Err(fault) = assembler.instruction() {
            faults.push(fault.diagnostic.at(place(text, fault.at)));
            assembler.skip();
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    assembler.words[3] = assembler.ids.len() as u32 + 1;
    Ok(assembler.words)
}

#[derive(Default)]
struct Assembler<'s> {
    tokens: Vec<Token<'s>>,
    at: usize,
    words: Vec<u32>,
    /// Numbers of names.
    ids: FxHashMap<&'s str, u32>,
    /// Ids of numeric types.
    numbers: FxHashMap<u32, Number>,
    /// Types of values.
    types: FxHashMap<u32, u32>,
    /// Names of extended instruction sets.
    sets: FxHashMap<u32, String>,
}

/// The instruction that is assembled.
struct Current<'s> {
    name: &'s str,
    /// Where it begins in the text and in the words.
    at: usize,
    start: usize,
    /// The id before `=` until the result operand consumes it.
    result: Option<Token<'s>>,
    result_id: Option<u32>,
    /// Set after `!`: the next word is encoded by its form.
    raw: bool,
}

impl<'s> Assembler<'s> {
    fn peek(&self) -> Option<Token<'s>> {
        self.tokens.get(self.at).copied()
    }

    /// Whether an instruction begins at a token.
    fn begins(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let equals = self.tokens.get(at + 1).is_some_and(|t| t.kind == Kind::Equals);
        token.is_opcode() || token.is_id() && equals
    }

    /// The next token of this instruction.
    fn more(&self) -> Option<Token<'s>> {
        self.peek().filter(|_| !self.begins(self.at))
    }

    /// Goes to the next instruction.
    fn skip(&mut self) {
        // The opcode of `%a = OpX` is not the beginning of another one.
        while self.at < self.tokens.len()
            && (!self.begins(self.at) || self.at > 0 && self.tokens[self.at - 1].kind == Kind::Equals)
        {
            self.at += 1;
        }
    }

    fn instruction(&mut self) -> Res<()> {
        let Some(first) = self.peek() else { return Ok(()) };
        let result = (first.is_id() && self.begins(self.at)).then_some(first);
        self.at += if result.is_some() { 2 } else { 0 };
        let Some(op) = self.peek() else {
            return fail(first.at, SYNTAX, format!("`{} =` is not followed by an instruction", first.text));
        };
        let raw = op.kind == Kind::Word && op.text.starts_with('!');
        if !op.is_opcode() && !raw {
            return fail(op.at, SYNTAX, format!("`{}` is not the name of an instruction", op.text));
        }
        self.at += 1;
        let start = self.words.len();
        let mut current = Current { name: op.text, at: op.at, start, result, result_id: None, raw };
        if raw {
            self.words.push(raw_word(op)?);
            return self.rest(&mut current);
        }
        let Some(grammar) = names::opcode(&op.text[2..]) else {
            let mut diagnostic = Diagnostic::error(NAME, format!("unknown instruction `{}`", op.text));
            if let Some(near) = names::nearest_opcode(&op.text[2..]) {
                diagnostic = diagnostic.help(format!("did you mean `Op{near}`?"));
            }
            return Err(Box::new(Fault { at: op.at, diagnostic }));
        };
        self.words.push(0);
        self.operands(&mut current, grammar.operands)?;
        if current.raw {
            self.rest(&mut current)?;
        }
        if let Some(extra) = self.more() {
            return fail(extra.at, SYNTAX, format!("{} has no operand for `{}`", op.text, extra.text));
        }
        if let Some(result) = current.result {
            return fail(result.at, SYNTAX, format!("{} has no result", op.text));
        }
        let length = self.words.len() - start;
        if length > MAX_WORDS {
            return fail(
                op.at,
                SYNTAX,
                format!("this instruction has {length} words, the most are {MAX_WORDS}"),
            );
        }
        self.words[start] = (length as u32) << 16 | grammar.opcode as u32;
        self.remember(grammar, &current);
        Ok(())
    }

    /// Facts about this instruction that later ones need.
    fn remember(&mut self, grammar: &Instruction<'_>, current: &Current<'s>) {
        let Some(result) = current.result_id else { return };
        let operands = &self.words[current.start + 1..];
        match (grammar.opcode, operands) {
            (Op::TypeInt, [_, bits, signed]) => {
                self.numbers.insert(result, Number::Int { bits: *bits, signed: *signed != 0 });
            }
            // A type with an encoding is not an IEEE 754 type.
            (Op::TypeFloat, [_, bits]) => {
                self.numbers.insert(result, Number::Float { bits: *bits });
            }
            (Op::ExtInstImport, [_, name @ ..]) => {
                let bytes: Vec<u8> =
                    name.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
                self.sets.insert(result, String::from_utf8_lossy(&bytes).into_owned());
            }
            (_, [ty, ..])
                if grammar.operands.first().is_some_and(|o| o.kind == OperandKind::IdResultType) =>
            {
                self.types.insert(result, *ty);
            }
            _ => {}
        }
    }

    fn operands(&mut self, current: &mut Current<'s>, list: &[LogicalOperand]) -> Res<()> {
        for operand in list {
            match operand.quantifier {
                OperandQuantifier::One => self.operand(current, &operand.kind)?,
                OperandQuantifier::ZeroOrOne => {
                    if self.more().is_some_and(|token| could_be(&operand.kind, &token)) {
                        self.operand(current, &operand.kind)?;
                    }
                }
                OperandQuantifier::ZeroOrMore => {
                    while !current.raw && self.more().is_some() {
                        self.operand(current, &operand.kind)?;
                    }
                }
            }
            if current.raw {
                break;
            }
        }
        Ok(())
    }

    fn operand(&mut self, current: &mut Current<'s>, kind: &OperandKind) -> Res<()> {
        if *kind == OperandKind::IdResult {
            let Some(result) = current.result.take() else {
                let message = format!("{} has a result: write `%name = {0} ...`", current.name);
                return fail(current.at, SYNTAX, message);
            };
            let id = self.id(result)?;
            current.result_id = Some(id);
            return Ok(());
        }
        let Some(token) = self.more() else {
            return fail(
                current.at,
                SYNTAX,
                format!("{} needs more operands: {}", current.name, called(kind)),
            );
        };
        if token.kind == Kind::Word && token.text.starts_with('!') {
            current.raw = true;
            return Ok(());
        }
        self.at += 1;
        match kind {
            OperandKind::IdRef
            | OperandKind::IdResultType
            | OperandKind::IdScope
            | OperandKind::IdMemorySemantics => {
                self.id(token)?;
            }
            OperandKind::LiteralInteger => self.number(token, WORD)?,
            OperandKind::LiteralFloat => self.number(token, Number::Float { bits: 32 })?,
            OperandKind::LiteralString => self.string(token)?,
            OperandKind::LiteralContextDependentNumber => {
                let ty = self.words.get(current.start + 1);
                let Some(number) = ty.and_then(|ty| self.numbers.get(ty)).copied() else {
                    let message =
                        format!("the type of this {} is not an integer or floating-point type", current.name);
                    return fail(token.at, LITERAL, message);
                };
                self.number(token, number)?;
            }
            OperandKind::LiteralExtInstInteger => return self.extended(current, token),
            OperandKind::LiteralSpecConstantOpInteger => return self.spec_constant_op(current, token),
            OperandKind::PairLiteralIntegerIdRef => {
                let selector = self.words.get(current.start + 1);
                let ty =
                    selector.and_then(|s| self.types.get(s)).and_then(|ty| self.numbers.get(ty)).copied();
                self.number(token, ty.unwrap_or(Number::Int { bits: 32, signed: true }))?;
                self.operand(current, &OperandKind::IdRef)?;
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.id(token)?;
                self.operand(current, &OperandKind::LiteralInteger)?;
            }
            OperandKind::PairIdRefIdRef => {
                self.id(token)?;
                self.operand(current, &OperandKind::IdRef)?;
            }
            kind if names::is_named(kind) => {
                if token.kind != Kind::Word {
                    return fail(token.at, SYNTAX, format!("{} is needed here", called(kind)));
                }
                let Enumerant { word, parameters } = match names::enumerant(kind, token.text) {
                    Ok(enumerant) => enumerant,
                    Err(name) => {
                        return fail(token.at, NAME, format!("unknown {kind:?} `{name}`"));
                    }
                };
                self.words.push(word);
                self.operands(current, &parameters)?;
            }
            // Enumerants of extended sets that are not about shaders.
            _ => self.number(token, WORD)?,
        }
        Ok(())
    }

    /// The number or name of an extended instruction, and its operands.
    fn extended(&mut self, current: &mut Current<'s>, token: Token<'s>) -> Res<()> {
        let set = self.words.last().and_then(|id| self.sets.get(id));
        let found = set.and_then(|set| names::extended(set, token.text));
        if let Some(instruction) = found {
            self.words.push(instruction.opcode.into());
            return self.operands(current, instruction.operands);
        }
        let Ok(number) = WORD.parse(token.text) else {
            let message = match set {
                Some(set) => format!("unknown instruction `{}` of `{set}`", token.text),
                None => "this is not an extended instruction set; OpExtInstImport makes one".to_string(),
            };
            return fail(token.at, NAME, message);
        };
        self.words.push(number as u32);
        Ok(())
    }

    /// The opcode in a constant, and its operands.
    fn spec_constant_op(&mut self, current: &mut Current<'s>, token: Token<'s>) -> Res<()> {
        let Some(grammar) = names::opcode(token.text).filter(|_| token.kind == Kind::Word) else {
            return fail(token.at, NAME, format!("unknown instruction `{}`", token.text));
        };
        self.words.push(grammar.opcode as u32);
        let results = [OperandKind::IdResultType, OperandKind::IdResult];
        let at = grammar
            .operands
            .iter()
            .position(|o| !results.contains(&o.kind))
            .unwrap_or(grammar.operands.len());
        self.operands(current, &grammar.operands[at..])
    }

    /// The word after `!`, encoded by its form.
    fn rest(&mut self, current: &mut Current<'s>) -> Res<()> {
        while let Some(token) = self.more() {
            self.at += 1;
            match token.kind {
                Kind::String | Kind::Open => self.string(token)?,
                Kind::Word if token.is_id() => {
                    self.id(token)?;
                }
                Kind::Word if token.text.starts_with('!') => {
                    let word = raw_word(token)?;
                    self.words.push(word);
                }
                Kind::Word => {
                    let ty = [WORD, Number::Int { bits: 32, signed: true }, Number::Float { bits: 32 }];
                    let Some(word) = ty.iter().find_map(|ty| ty.parse(token.text).ok()) else {
                        return fail(
                            token.at,
                            LITERAL,
                            format!("`{}` is not a number, ID or string", token.text),
                        );
                    };
                    self.words.push(word as u32);
                }
                Kind::Equals => return fail(token.at, SYNTAX, "`=` is not expected here"),
            }
        }
        // An id before `=` counts as used if a raw word was given as the result operand.
        current.result = None;
        Ok(())
    }

    fn id(&mut self, token: Token<'s>) -> Res<u32> {
        if !token.is_id() {
            return fail(
                token.at,
                SYNTAX,
                format!("an id such as `%name` is needed here, not `{}`", token.text),
            );
        }
        let name = &token.text[1..];
        if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return fail(token.at, SYNTAX, format!("invalid ID `%{name}`: expected letters, digits and `_`"));
        }
        let next = self.ids.len() as u32 + 1;
        let id = *self.ids.entry(name).or_insert(next);
        self.words.push(id);
        Ok(id)
    }

    fn number(&mut self, token: Token<'s>, ty: Number) -> Res<()> {
        if token.kind != Kind::Word {
            return fail(token.at, SYNTAX, "a number is needed here");
        }
        let bits = match ty.parse(token.text) {
            Ok(bits) => bits,
            Err(message) => return fail(token.at, LITERAL, message),
        };
        self.words.push(bits as u32);
        if ty.is_wide() {
            self.words.push((bits >> 32) as u32);
        }
        Ok(())
    }

    /// A string: zero-terminated UTF-8, the first byte lowest (SPIR-V 1.6 section 2.2.1).
    fn string(&mut self, token: Token<'s>) -> Res<()> {
        match token.kind {
            Kind::String => {}
            Kind::Open => return fail(token.at, SYNTAX, "this string does not end"),
            _ => return fail(token.at, SYNTAX, format!("a string is needed here, not `{}`", token.text)),
        }
        let (mut word, mut count, mut escaped) = (0, 0, false);
        for byte in token.text.bytes() {
            if byte == b'\\' && !escaped {
                escaped = true;
                continue;
            }
            escaped = false;
            word |= u32::from(byte) << (8 * count);
            count += 1;
            if count == 4 {
                self.words.push(word);
                (word, count) = (0, 0);
            }
        }
        self.words.push(word);
        Ok(())
    }
}

/// The word after `!`.
fn raw_word(token: Token<'_>) -> Res<u32> {
    match WORD.parse(&token.text[1..]) {
        Ok(word) => Ok(word as u32),
        Err(message) => fail(token.at, LITERAL, message),
    }
}

/// Whether a token can be an operand that may be missing.
fn could_be(kind: &OperandKind, token: &Token<'_>) -> bool {
    match kind {
        OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => {
            token.is_id() || token.text.starts_with('!')
        }
        OperandKind::LiteralString => matches!(token.kind, Kind::String | Kind::Open),
        _ => true,
    }
}

/// The name of an operand in messages.
fn called(kind: &OperandKind) -> String {
    match kind {
        OperandKind::IdResultType => "the id of a type".into(),
        OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => "an id".into(),
        OperandKind::LiteralString => "a string".into(),
        kind if names::is_named(kind) => format!("a name of the kind {kind:?}"),
        _ => "a number".into(),
    }
}

#[cfg(test)]
mod tests;
