//! Optional limits of GLSL ES 1.00: loops and indices are limited to those that can be unrolled (GLSL ES 1.00 appendix
//! A). Drivers of OpenGL ES accept the whole language; WebGL 1 enforces these limits.

use super::{Checker, codes};
use crate::hir::{ExprId, ExprKind, StmtId, StmtKind, Storage, VarId};
use crate::source::Span;
use crate::syntax::{BinaryOp, Condition, ForLoop};
use crate::types::{OpaqueKind, Type};
use airfoil_ir::Stage;

impl Checker<'_> {
    /// Whether the limits hold here.
    pub(crate) fn es100_limits(&self) -> bool {
        self.state.es100_limits && self.lang.version.is_es() && self.lang.version.number == 100
    }

    fn es100_error(&mut self, span: Span, rule: &str, section: &str) {
        self.error(span, codes::JUMP, format!("{rule} (GLSL ES 1.00 appendix {section})"));
    }

    /// `while` and `do` need not be supported (appendix A.4).
    pub(crate) fn es100_other_loop(&mut self, word: &str, span: Span) {
        if self.es100_limits() {
            let rule = format!("`{word}` loops are not supported: there are `for` loops only");
            self.es100_error(span, &rule, "A.4");
        }
    }

    /// Checks the form of a `for` loop whose parts have been checked, except for the body, and returns the loop index.
    /// `cond` and `step` are the second and third part, `init` the statements of the first (appendix A.4).
    pub(crate) fn es100_for(
        &mut self,
        for_loop: &ForLoop<'_>,
        init: &[StmtId],
        cond: Option<ExprId>,
        step: Option<ExprId>,
        span: Span,
    ) -> Option<VarId> {
        if !self.es100_limits() {
            return None;
        }
        let Some(index) = self.es100_index(init) else {
            let rule = "a `for` loop declares one loop index, an int or float with a constant value";
            self.es100_error(for_loop.init.span, rule, "A.4");
            return None;
        };
        let condition = matches!(for_loop.condition, Some(Condition::Expr(_)));
        if !condition || !cond.is_some_and(|c| self.es100_condition(c, index)) {
            let rule = "the condition of a `for` loop compares the loop index with a constant expression";
            self.es100_error(span, rule, "A.4");
        }
        if !step.is_some_and(|s| self.es100_step(s, index)) {
            let rule = "the third part of a `for` loop steps the loop index: ++, --, += or -= by a constant";
            self.es100_error(span, rule, "A.4");
        }
        Some(index)
    }

    /// The one variable that the first part declares, if it can be a loop index.
    fn es100_index(&self, init: &[StmtId]) -> Option<VarId> {
        let [only] = init else { return None };
        let StmtKind::Declare(var, Some(value)) = self.unit[*only].kind else { return None };
        let scalar = matches!(self.unit[var].ty, Type::INT | Type::FLOAT);
        (scalar && self.as_const(value).is_some()).then_some(var)
    }

    fn is_var(&self, expr: ExprId, var: VarId) -> bool {
        matches!(self.unit[expr].kind, ExprKind::Var(v) if v == var)
    }

    fn es100_condition(&self, cond: ExprId, index: VarId) -> bool {
        use BinaryOp as B;
        matches!(
            self.unit[cond].kind,
            ExprKind::Binary(B::Less | B::Greater | B::LessEqual | B::GreaterEqual | B::Equal | B::NotEqual, a, b)
                if self.is_var(a, index) && self.as_const(b).is_some()
        )
    }

    fn es100_step(&self, step: ExprId, index: VarId) -> bool {
        match self.unit[step].kind {
            ExprKind::AssignOp(BinaryOp::Add | BinaryOp::Sub, a, b) => {
                self.is_var(a, index) && self.as_const(b).is_some()
            }
            ExprKind::Step { operand, .. } => self.is_var(operand, index),
            _ => false,
        }
    }

    /// The loop index is not written in the body (appendix A.4).
    pub(crate) fn es100_write(&mut self, var: VarId, span: Span) {
        if self.exprs.loop_indices.contains(&var) {
            self.es100_error(span, "the index of a loop cannot be written in its body", "A.4");
        }
    }

    /// An index consists of constants and loop indices, except for uniforms of vertex shaders other than samplers
    /// (appendix A.5).
    pub(crate) fn es100_indexing(&mut self, value: ExprId, at: ExprId, span: Span) {
        if !self.es100_limits() || self.as_const(at).is_some() {
            return;
        }
        let sampler = matches!(
            self.unit.types.without_arrays(self.ty(value)),
            Type::Opaque(o) if o.kind == OpaqueKind::Sampled
        );
        let uniform = self.root(value).is_some_and(|v| self.unit[v].qualifiers.storage == Storage::Uniform);
        if uniform && !sampler && self.unit.stage == Stage::Vertex {
            return;
        }
        if !self.is_constant_index(at) {
            let rule = "an index must consist of constants and loop indices here";
            self.es100_error(span, rule, "A.5");
        }
    }

    /// Whether an expression consists of constants and loop indices alone.
    fn is_constant_index(&self, expr: ExprId) -> bool {
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            match self.unit[expr].kind {
                ExprKind::Const(_) => {}
                ExprKind::Var(var) if self.exprs.loop_indices.contains(&var) => {}
                ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Swizzle(a, _) => stack.push(a),
                ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => stack.extend([a, b]),
                ExprKind::Select(a, b, c) => stack.extend([a, b, c]),
                ExprKind::Construct(list) => stack.extend_from_slice(self.unit.list(list)),
                ExprKind::Builtin(builtin, list) if builtin.is_constant_function() => {
                    stack.extend_from_slice(self.unit.list(list));
                }
                _ => return false,
            }
        }
        true
    }
}
