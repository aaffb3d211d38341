//! Collects the diagnostics of linking.

use crate::diagnostics::MAX_DIAGNOSTICS;
use crate::hir::{Unit, VarId};
use crate::source::Span;
use airfoil_ir::{Diagnostic, Severity, Stage};

/// Errors and warnings of one link.
#[derive(Debug, Default)]
pub struct Report {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Report {
    /// An error of the program as a whole.
    pub fn error(&mut self, code: &'static str, message: impl Into<String>) {
        self.push(Diagnostic::error(code, message));
    }

    /// An error at a location of a unit.
    pub fn error_at(&mut self, unit: &Unit, span: Span, code: &'static str, message: impl Into<String>) {
        let d = Diagnostic::error(code, message);
        // Built-in declarations have no location.
        self.push(if span == Span::default() { d } else { d.at(unit.lines.place(span.lo)) });
    }

    /// An error at a variable's declaration.
    pub fn error_var(&mut self, unit: &Unit, var: VarId, code: &'static str, message: impl Into<String>) {
        self.error_at(unit, unit[var].span, code, message);
    }

    /// A warning of the program as a whole.
    pub fn warning(&mut self, code: &'static str, message: impl Into<String>) {
        self.push(Diagnostic::warning(code, message));
    }

    fn push(&mut self, d: Diagnostic) {
        self.errors += usize::from(d.severity == Severity::Error);
        if self.list.len() < MAX_DIAGNOSTICS && !self.list.contains(&d) {
            self.list.push(d);
        }
    }

    /// Whether the report has an error.
    pub fn failed(&self) -> bool {
        self.errors > 0
    }

    /// How many errors there are.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// All of them, in order of discovery.
    pub fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

/// The name of a stage in messages.
pub fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex shader",
        Stage::TessControl => "tessellation control shader",
        Stage::TessEval => "tessellation evaluation shader",
        Stage::Geometry => "geometry shader",
        Stage::Fragment => "fragment shader",
        Stage::Compute => "compute shader",
        Stage::Task => "task shader",
        Stage::Mesh => "mesh shader",
    }
}
