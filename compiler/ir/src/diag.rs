//! Diagnostics: messages with a code, a location and notes.

pub mod codes;

use std::fmt;

/// How bad it is.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Diagnostic, Severity, text};
///
/// let error = text::parse("foil 1").unwrap_err().remove(0);
/// let warning = Diagnostic { severity: Severity::Warning, ..error.clone() };
/// // The exit status of a command depends on the worst diagnostic.
/// let worst = [&error, &warning].iter().map(|diagnostic| diagnostic.severity).max();
/// assert_eq!(worst, Some(Severity::Error));
/// assert!(warning.to_string().starts_with("1:7: warning[E0101]: "));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The input is accepted.
    Warning,
    /// The input is rejected.
    Error,
}

/// Where it is.
///
/// # Examples
///
/// ```
/// use airfoil_ir::Place;
///
/// // Columns count characters, not bytes.
/// let source = "void main() {\n  /* é */ x = 1;\n}";
/// let place = Place::in_text(source, source.find('x').unwrap());
/// assert_eq!(place.to_string(), "2:11");
///
/// let source = Some(Box::new(("sky.vert".into(), 7)));
/// let word = Place::Word { offset: 40, result: Some("%color".into()), source };
/// assert_eq!(word.to_string(), "word 40, result %color, sky.vert:7");
/// assert_eq!(Place::Byte(255).to_string(), "byte 0xff");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular.
    #[default]
    None,
    /// A location in text; line and column count from 1, column 0 = whole line.
    Text {
        /// File name, empty for the input itself.
        file: Box<str>,
        /// Line.
        line: u32,
        /// Column in characters.
        column: u32,
    },
    /// A word of a SPIR-V module.
    Word {
        /// Offset in words from the start of the module.
        offset: usize,
        /// Debug name (or `%id`) of the instruction's result.
        result: Option<Box<str>>,
        /// Source file and line, if the module has them.
        source: Option<Box<(Box<str>, u32)>>,
    },
    /// A byte of a binary file.
    Byte(usize),
}

impl Place {
    /// Line and column of a byte of a text. The text is the input itself.
    pub fn in_text(text: &str, at: usize) -> Place {
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        let line = before.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
        let column = before[line_start..].chars().count() as u32 + 1;
        Place::Text { file: "".into(), line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::None => Ok(()),
            Place::Text { file, line, column } => {
                if !file.is_empty() {
                    write!(f, "{file}:")?;
                }
                write!(f, "{line}")?;
                if *column != 0 {
                    write!(f, ":{column}")?;
                }
                Ok(())
            }
            Place::Word { offset, result, source } => {
                write!(f, "word {offset}")?;
                if let Some(result) = result {
                    write!(f, ", result {result}")?;
                }
                if let Some((file, line)) = source.as_deref() {
                    write!(f, ", {file}:{line}")?;
                }
                Ok(())
            }
            Place::Byte(offset) => write!(f, "byte {offset:#x}"),
        }
    }
}

/// A located, worded message.
///
/// # Examples
///
/// ```
/// use airfoil_ir::text;
///
/// let errors = text::parse(
///     "foil 1 shader compute \"main\" { fn main {
///   %a = load_subgroup_size
///   %b = iad %a, %a
///   %c = fneg %d } }",
/// )
/// .unwrap_err();
/// assert_eq!(errors[0].to_string(), "3:8: error[E0102]: unknown operation `iad` (help: did you mean `iadd`?)");
/// // Reading continues after an error.
/// assert_eq!(errors[1].to_string(), "4:13: error[E0102]: the value `%d` is not defined before this use");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable code such as `E0504`; [`codes`] has the table.
    pub code: &'static str,
    /// The message: one sentence.
    pub message: String,
    /// Where.
    pub place: Place,
    /// Advice on how to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a location.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            place: Place::None,
            help: None,
        }
    }

    /// A warning without a location.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// This diagnostic with a location.
    #[must_use]
    pub fn at(mut self, place: Place) -> Diagnostic {
        self.place = place;
        self
    }

    /// This diagnostic with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place != Place::None {
            write!(f, "{}: ", self.place)?;
        }
        let word = if self.severity == Severity::Error { "error" } else { "warning" };
        write!(f, "{word}[{}]: {}", self.code, self.message)?;
        if let Some(help) = &self.help {
            write!(f, " (help: {help})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// The name among `names` that is most similar to a misspelt word, if one is similar: for "did you mean".
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (word.len() / 3 + 1).min(3);
    if word.len() > 40 {
        return None;
    }
    // The least distance wins, then the order of the alphabet, so that the order of names does not matter.
    names.into_iter().map(|n| (distance(word, n), n)).filter(|&(d, _)| d <= limit).min().map(|(_, n)| n)
}

/// Insertions, deletions and replacements of bytes between two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["copy_prop", "cse", "dce", "constant_folding"];
        assert_eq!(nearest("copyprop", names), Some("copy_prop"));
        assert_eq!(nearest("constantfolding", names), Some("constant_folding"));
        assert_eq!(nearest("dcee", names), Some("dce"));
        assert_eq!(nearest("algebraic", names), None);
    }
}
