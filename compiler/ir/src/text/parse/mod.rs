//! The parser: files and the head of a shader.
//!
//! Parsed shaders need not be valid: the validator checks the rules of the IR. The parser
//! rejects text without a representation in memory: unknown names, wrong operand counts, code after a jump.

mod body;
mod constant;
mod decl;
mod index;
mod instr;
mod origins;
mod parser;

pub use origins::Origins;
pub use parser::MAX_DEPTH;
pub(in crate::text) use parser::{Parser, Res};

use super::info::Fields;
use super::lexer::{Kind, token};
use crate::diag::Diagnostic;
use crate::enums::*;
use crate::shader::{Gathered, Shader};
use parser::SYNTAX;

/// Reads a shader.
///
/// Errors have a line and a column, and name the expected text and, for misspelt words, similar ones. Errors within
/// instructions do not keep the rest from being read, so there can be several, in order.
pub fn parse(text: &str) -> Result<Shader, Vec<Diagnostic>> {
    let mut p = Parser::new(text);
    match p.file() {
        Ok(()) if p.errors.is_empty() => Ok(p.shader),
        _ => Err(p.errors),
    }
}

impl Parser<'_> {
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
        self.shader.name = self.string("the name of the entry point in quotes")?.into();
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
}
