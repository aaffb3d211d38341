//! Reasons why nothing was executed.

use ash::vk;
use std::fmt;

/// The reason why a submission was not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The device, or this crate, lacks a feature.
    Unsupported(String),
    /// The driver reported an error.
    Failed(String),
}

pub(crate) type Res<T> = Result<T, Error>;

pub(crate) fn unsupported<T>(message: impl Into<String>) -> Res<T> {
    Err(Error::Unsupported(message.into()))
}

impl From<vk::Result> for Error {
    fn from(result: vk::Result) -> Error {
        Error::Failed(format!("{result:?}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unsupported(message) => write!(f, "not supported: {message}"),
            Error::Failed(message) => write!(f, "the driver failed: {message}"),
        }
    }
}

impl std::error::Error for Error {}
