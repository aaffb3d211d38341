//! Errors of writing.

use std::fmt;

/// The reason why a library cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError(String);

impl WriteError {
    pub(super) fn new(message: String) -> Self {
        Self(message)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WriteError {}
