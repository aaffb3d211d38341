//! Info logs: diagnostics that name the shader object they are about.

use airfoil::ir::{Diagnostic, Place, Severity, diag::codes};
use serde::{Deserialize, Serialize};
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

/// A message as it is stored: of an error or warning, code, message, file with line and column, help.
#[derive(Serialize, Deserialize)]
pub(crate) struct Message {
    is_error: bool,
    code: String,
    message: String,
    place: Option<(String, u32, u32)>,
    help: Option<String>,
}

impl Log {
    /// The messages for [`Log::restored`], if they are about GLSL only.
    pub(crate) fn stored(&self) -> Option<Vec<Message>> {
        let message = |d: &Diagnostic| {
            let place = match &d.place {
                Place::None => None,
                Place::Text { file, line, column } => Some((file.to_string(), *line, *column)),
                Place::Word { .. } | Place::Byte(_) => return None,
            };
            Some(Message {
                is_error: d.severity == Severity::Error,
                code: d.code.to_owned(),
                message: d.message.clone(),
                place,
                help: d.help.clone(),
            })
        };
        self.0.iter().map(message).collect()
    }

    /// The log with these messages; `None` if one has an unknown code.
    pub(crate) fn restored(list: Vec<Message>) -> Option<Log> {
        let diagnostic = |m: Message| {
            let code = codes::find(&m.code)?.code;
            let place = m.place.map(|(file, line, column)| Place::Text { file: file.into(), line, column });
            let severity = if m.is_error { Severity::Error } else { Severity::Warning };
            let place = place.unwrap_or_default();
            Some(Diagnostic { severity, code, message: m.message, place, help: m.help })
        };
        list.into_iter().map(diagnostic).collect::<Option<_>>().map(Log)
    }
}

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
