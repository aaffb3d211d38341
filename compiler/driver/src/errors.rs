//! The error type of the crate.

use airfoil_ir::Diagnostic;
use std::fmt;
use std::ops::Deref;

/// The diagnostics of a failed compile.
///
/// It is an [`Error`](std::error::Error) and prints all of its diagnostics, one per line. It dereferences to a slice of
/// them.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors(Vec<Diagnostic>);

impl Errors {
    /// The diagnostics.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.0
    }
}

impl Deref for Errors {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.0
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, diagnostic) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

impl From<Vec<Diagnostic>> for Errors {
    fn from(diagnostics: Vec<Diagnostic>) -> Errors {
        Errors(diagnostics)
    }
}

impl From<Diagnostic> for Errors {
    fn from(diagnostic: Diagnostic) -> Errors {
        Errors(vec![diagnostic])
    }
}

impl From<Errors> for Vec<Diagnostic> {
    fn from(errors: Errors) -> Vec<Diagnostic> {
        errors.0
    }
}

impl IntoIterator for Errors {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'e> IntoIterator for &'e Errors {
    type Item = &'e Diagnostic;
    type IntoIter = std::slice::Iter<'e, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_diagnostics_are_printed() -> Result<(), Box<dyn std::error::Error>> {
        fn fails() -> Result<(), Box<dyn std::error::Error>> {
            let first = Diagnostic::error("E0001", "one");
            Err(Errors::from(vec![first, Diagnostic::error("E0002", "two")]))?;
            Ok(())
        }
        let error = fails().err().ok_or("no error")?;
        let text = error.to_string();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.contains("one") && text.contains("two"), "{text}");
        let errors = error.downcast::<Errors>()?;
        assert_eq!(errors.iter().map(|d| d.message.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        Ok(())
    }
}
