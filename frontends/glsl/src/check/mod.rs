//! The checker: applies the rules of the language to the syntax tree and builds the typed tree.
//!
//! * Declarations: [`scope`], `types`, `qualifiers`, `layout`, `declare`, `block`, `function`, `redeclare`, `precision`, `limits_es100`.
//! * Expressions and statements: `expr`, `operator`, `call`, `construct`, `convert`, `lvalue`, `constant`, `init`, `stmt`.

mod access;
mod argument;
mod block;
mod call;
mod codes;
mod constant;
mod construct;
mod convert;
mod declare;
mod defaults;
mod expr;
mod formats;
mod function;
mod init;
mod layout;
mod layout_rules;
mod layout_table;
mod limits_es100;
mod lookup;
mod lvalue;
mod memory;
mod operator;
mod per_vertex;
mod precision;
mod qualifiers;
mod redeclare;
mod reference;
pub mod scope;
mod state;
mod stmt;
mod storage;
#[cfg(test)]
mod tests;
mod types;
mod unit;

pub use unit::{Source, check};

use crate::diagnostics::Diagnostics;
use crate::hir::{ConstId, Constant, ExprId, ExprKind, FuncId, Unit};
use crate::limits::Limits;
use crate::preprocess::Pragmas;
use crate::source::Span;
use crate::types::Type;
use crate::version::Language;
use scope::Scopes;

/// State of checking one shader.
pub struct Checker<'o> {
    /// The typed tree under construction.
    pub unit: Unit,
    /// Version, stage, extensions.
    pub lang: Language,
    /// Values of `gl_Max*` and the limits that are checked at compile time.
    pub limits: &'o Limits,
    /// Settings of `#pragma` directives.
    pub pragmas: Pragmas,
    /// Diagnostics.
    pub diags: Diagnostics,
    /// Names.
    pub scopes: Scopes,
    /// The function whose body is checked.
    pub function: Option<FuncId>,
    /// Loops around the statement that is checked.
    pub loops: u32,
    /// Switches around the statement that is checked, inside the innermost loop.
    pub switches: u32,
    /// State that declarations have set so far.
    pub(crate) state: state::State,
    /// State of expressions and statements.
    pub(crate) exprs: expr::ExprState,
}

impl Checker<'_> {
    /// Reports an error.
    pub fn error(&mut self, span: Span, code: &'static str, message: impl Into<String>) {
        self.diags.error(span, code, message);
    }

    /// Reports an error and returns the expression that silences its consequences.
    pub fn error_expr(&mut self, span: Span, code: &'static str, message: impl Into<String>) -> ExprId {
        self.diags.error(span, code, message);
        self.unit.add_expr(ExprKind::Error, Type::Error, span.lo)
    }

    /// Type of an expression.
    pub fn ty(&self, expr: ExprId) -> Type {
        self.unit[expr].ty
    }

    /// The value of an expression, if it is constant.
    pub fn as_const(&self, expr: ExprId) -> Option<ConstId> {
        if let ExprKind::Const(c) = self.unit[expr].kind { Some(c) } else { None }
    }

    /// A constant expression.
    pub fn const_expr(&mut self, ty: Type, scalars: Box<[u64]>, at: u32) -> ExprId {
        let c = self.unit.add_const(Constant { ty, scalars });
        self.unit.add_expr(ExprKind::Const(c), ty, at)
    }
}
