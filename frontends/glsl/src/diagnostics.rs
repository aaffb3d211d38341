//! Collects the diagnostics of a shader and renders them as OpenGL drivers do.

use crate::source::{LineMap, Span};
use airfoil_ir::{Diagnostic, Place, Severity, Stop};
use std::fmt::Write as _;

/// Most diagnostics that are kept.
pub const MAX_DIAGNOSTICS: usize = 100;

/// Diagnostics of one compilation, by byte range.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<(Span, Diagnostic)>,
    errors: usize,
    /// Stops the step that the diagnostics are of.
    pub stop: Stop,
}

impl Diagnostics {
    /// Those of a step that may be stopped.
    pub fn stopped_by(stop: Stop) -> Diagnostics {
        Diagnostics { stop, ..Diagnostics::default() }
    }

    /// Adds an error at a location.
    pub fn error(&mut self, span: Span, code: &'static str, message: impl Into<String>) {
        self.push(span, Diagnostic::error(code, message));
    }

    /// Adds a warning at a location.
    pub fn warning(&mut self, span: Span, code: &'static str, message: impl Into<String>) {
        self.push(span, Diagnostic::warning(code, message));
    }

    /// Adds a diagnostic. A second error at the same location is a consequence of the first and is dropped.
    pub fn push(&mut self, span: Span, diagnostic: Diagnostic) {
        let error = diagnostic.severity == Severity::Error;
        if error {
            self.errors += 1;
            let repeated =
                self.list.iter().rev().take(8).any(|(s, d)| *s == span && d.severity == Severity::Error);
            if repeated {
                return;
            }
        }
        if self.list.len() < MAX_DIAGNOSTICS {
            self.list.push((span, diagnostic));
        }
    }

    /// Whether the list has an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether the limit of diagnostics has been reached, or the step has to stop.
    pub fn full(&self) -> bool {
        self.list.len() >= MAX_DIAGNOSTICS || self.stop.is_over()
    }

    /// All of them with their byte ranges, in order of discovery.
    pub fn entries(&self) -> &[(Span, Diagnostic)] {
        &self.list
    }

    /// Appends the diagnostics of another step.
    pub fn append(&mut self, other: Diagnostics) {
        self.errors += other.errors;
        let room = MAX_DIAGNOSTICS.saturating_sub(self.list.len());
        self.list.extend(other.list.into_iter().take(room));
    }

    /// The diagnostics with lines and columns, in source order.
    pub fn finish(mut self, lines: &LineMap) -> Vec<Diagnostic> {
        self.list.sort_by_key(|(span, _)| span.lo);
        self.list
            .into_iter()
            .map(|(span, d)| if d.place == Place::None { d.at(lines.place(span.lo)) } else { d })
            .collect()
    }
}

/// The info log of an OpenGL driver: `0:12(5): error: ...`, one line each.
pub fn info_log(diagnostics: &[Diagnostic]) -> String {
    let mut log = String::new();
    for d in diagnostics {
        let word = if d.severity == Severity::Error { "error" } else { "warning" };
        match &d.place {
            Place::Text { file, line, column } => {
                let string = if file.is_empty() { "0" } else { file };
                let _ = writeln!(log, "{string}:{line}({column}): {word}: {}", d.message);
            }
            _ => {
                let _ = writeln!(log, "{word}: {}", d.message);
            }
        }
    }
    log
}
