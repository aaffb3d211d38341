//! Errors in scripts.

use std::fmt;

/// An error in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line and column, from 1; 0 = the script as a whole.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
    /// In words.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line != 0 {
            write!(f, "{}:{}: ", self.line, self.column)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
