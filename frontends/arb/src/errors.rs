//! Errors of a program, with positions in bytes.

use crate::lines::Lines;
use crate::program::Source;
use airfoil_ir::Diagnostic;
use std::fmt;

/// The header is missing.
pub const HEADER: &str = "E1301";
/// A character or number is malformed.
pub const LEXICAL: &str = "E1302";
/// The text does not follow the grammar.
pub const SYNTAX: &str = "E1303";
/// A name is not declared, declared twice, or reserved.
pub const NAME: &str = "E1304";
/// A variable of the wrong kind.
pub const KIND: &str = "E1305";
/// A number is out of range.
pub const RANGE: &str = "E1306";
/// An option is unknown, or in conflict with another.
pub const OPTION: &str = "E1307";
/// The program exceeds a limit.
pub const LIMIT: &str = "E1308";
/// A generic and a conventional attribute that share storage.
pub const ALIASED: &str = "E1309";
/// A unit is sampled with several targets.
pub const TARGETS: &str = "E1310";
/// A state is bound twice for relative addressing.
pub const BOUND_TWICE: &str = "E1311";
/// The IR cannot express it.
pub const UNSUPPORTED: &str = "E1312";

/// The most errors of a program that are kept.
pub const MAX_ERRORS: usize = 20;

/// An error at a byte.
#[derive(Debug)]
pub struct Failure {
    /// The byte; the length of the text for an error of the program as a whole.
    pub at: usize,
    /// Code, message and advice.
    pub diagnostic: Diagnostic,
}

/// A result, or the error.
pub type Res<T> = Result<T, Box<Failure>>;

/// Fails at a byte.
pub fn fail<T>(at: usize, code: &'static str, message: impl Into<String>) -> Res<T> {
    Err(failure(at, code, message))
}

/// An error at a byte.
pub fn failure(at: usize, code: &'static str, message: impl Into<String>) -> Box<Failure> {
    Box::new(Failure { at, diagnostic: Diagnostic::error(code, message) })
}

/// The errors of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    /// `PROGRAM_ERROR_POSITION_ARB`: the byte of the first error, or the length of the text if the error is one of the program
    /// as a whole.
    pub position: usize,
    /// The errors in the order of the text, with line and column; at least one, at most 20.
    pub diagnostics: Vec<Diagnostic>,
}

impl Errors {
    /// The errors of a source. There must be one at least.
    pub(crate) fn new(source: &Source<'_>, mut failures: Vec<Failure>) -> Errors {
        failures.sort_by_key(|f| f.at);
        let lines = Lines::new(source.text);
        let position = failures.first().map_or(source.text.len(), |f| f.at);
        let diagnostics = failures
            .into_iter()
            .map(|f| f.diagnostic.at(lines.place(source.name, source.text, f.at)))
            .collect();
        Errors { position, diagnostics }
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, diagnostic) in self.diagnostics.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            diagnostic.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

impl From<Errors> for Vec<Diagnostic> {
    fn from(errors: Errors) -> Vec<Diagnostic> {
        errors.diagnostics
    }
}
