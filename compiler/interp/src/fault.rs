//! Why a shader was not executed to its end.

use std::fmt;

/// The reason why a shader was not executed to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Kind of fault.
    pub kind: FaultKind,
    /// The message.
    pub message: String,
    /// The instruction in text, if it happened at one.
    pub instruction: Option<Box<str>>,
    /// Source file (empty if unnamed) and line, if they are known.
    pub line: Option<(Box<str>, u32)>,
}

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Not supported by the interpreter.
    Unsupported,
    /// Execution takes more steps than allowed.
    Steps,
    /// Undefined behaviour: a branch on an undefined value, an access out of bounds, a barrier that not all
    /// invocations reach.
    Undefined,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line)) = &self.line {
            write!(f, "{file}{}{line}: ", if file.is_empty() { "line " } else { ":" })?;
        }
        f.write_str(&self.message)?;
        match &self.instruction {
            Some(instruction) => write!(f, ", in `{instruction}`"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

impl Fault {
    pub(crate) fn unsupported(message: impl Into<String>) -> Fault {
        Fault { kind: FaultKind::Unsupported, message: message.into(), instruction: None, line: None }
    }

    pub(crate) fn undefined(message: impl Into<String>) -> Fault {
        Fault { kind: FaultKind::Undefined, message: message.into(), instruction: None, line: None }
    }
}
