//! One row of the table of codes.

/// One row of the table.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{diag::codes, text};
///
/// let info = codes::find("E0103").unwrap();
/// assert_eq!(info.meaning, "A name is defined twice.");
/// // The example causes the error.
/// let text = format!("foil 1 shader compute \"main\" {{ fn main {{ {} }} }}", info.example);
/// let errors = text::parse(&text).unwrap_err();
/// assert_eq!(errors[0].code, info.code);
/// assert_eq!(codes::find("E9999"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code, such as `E0504`. Codes are never reused.
    pub code: &'static str,
    /// The condition that the code reports, in one or two sentences.
    pub meaning: &'static str,
    /// The rule that is violated, if a specification has one.
    pub section: Option<&'static str>,
    /// An input, option or situation that causes it. Lines are separated by `\n`.
    pub example: &'static str,
}

/// A row with a section.
pub(super) const fn rule(
    code: &'static str,
    meaning: &'static str,
    section: &'static str,
    example: &'static str,
) -> CodeInfo {
    CodeInfo { code, meaning, section: Some(section), example }
}

/// A row without a section.
pub(super) const fn row(code: &'static str, meaning: &'static str, example: &'static str) -> CodeInfo {
    CodeInfo { code, meaning, section: None, example }
}
