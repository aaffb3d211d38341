//! Reasons why nothing was executed.

use std::fmt;

/// The reason why the driver was not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The driver, or this crate, lacks a feature.
    Unsupported(String),
    /// The driver reported an error.
    Failed(String),
}

pub(crate) type Res<T> = Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unsupported(message) => write!(f, "not supported: {message}"),
            Error::Failed(message) => write!(f, "the driver failed: {message}"),
        }
    }
}

impl std::error::Error for Error {}
