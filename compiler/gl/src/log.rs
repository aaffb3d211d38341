//! Info logs: diagnostics that name the shader object they are about.

use airfoil::ir::{Diagnostic, Place, Severity};
use std::fmt;

/// The messages of a compile or a link. It prints as the info log of a driver: `name:line(column): error: message`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log(Vec<Diagnostic>);

impl Log {
    /// The diagnostics, in source order.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<Diagnostic>> for Log {
    fn from(diagnostics: Vec<Diagnostic>) -> Log {
        Log(diagnostics)
    }
}

impl From<Diagnostic> for Log {
    fn from(diagnostic: Diagnostic) -> Log {
        Log(vec![diagnostic])
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&airfoil::glsl::info_log(&self.0))
    }
}

impl std::error::Error for Log {}

/// Source strings of one object; those of the objects of a link are numbered one after the other, so that locations identify
/// their object.
pub(crate) const STRINGS: u32 = 1 << 16;

/// The number of a source string in a link, from the index of its object.
pub(crate) fn string_in_link(object: usize, string: u32) -> u32 {
    (object as u32).saturating_mul(STRINGS).saturating_add(string.min(STRINGS - 1))
}

/// Replaces the source strings in locations by the name of their object, and the index of the string if it is not the first.
pub(crate) fn name_objects(list: &mut [Diagnostic], names: &[&str]) {
    for d in list {
        if let Place::Text { file, .. } = &mut d.place
            && let Some(name) = file_name(file, names)
        {
            *file = name.into();
        }
    }
}

/// The name of a source string.
pub(crate) fn file_name(file: &str, names: &[&str]) -> Option<String> {
    let number: u32 = if file.is_empty() { 0 } else { file.parse().ok()? };
    let name = names.get((number / STRINGS) as usize)?;
    Some(match number % STRINGS {
        0 if name.is_empty() => "0".to_owned(),
        0 => (*name).to_owned(),
        string if name.is_empty() => string.to_string(),
        string => format!("{name}:{string}"),
    })
}
