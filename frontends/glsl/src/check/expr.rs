//! Expressions: names, operators, assignments. Access to parts, calls and constructors have files of their own.

use super::scope::Name;
use super::{Checker, codes};
use crate::builtin::{BuiltinVar, constant, variable};
use crate::hir::{ConstId, Constant, ExprId, ExprKind, PrecisionHint, Storage, VarId};
use crate::source::Span;
use crate::syntax::{self, BinaryOp};
use crate::token::Symbol;
use crate::types::{Base, Type};
use airfoil_ir::Precision;
use airfoil_ir::diag::nearest;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most names that are searched for one that is similar to a misspelt one.
const MAX_SUGGESTIONS: usize = 1000;

/// State of checking expressions and statements.
#[derive(Debug, Default)]
pub(crate) struct ExprState {
    /// Scalar literals that have been seen: each is one constant.
    pub(crate) literals: FxHashMap<(Base, u64), ConstId>,
    /// Number of scalars in constants that were computed from other constants.
    pub(crate) folded: u64,
    /// Commas between constants that were folded: some constants must do without them.
    pub(crate) commas: u32,
    /// Ifs, loops and switches around the statement that is checked.
    pub(crate) flow: u32,
    /// Indices of the loops around the statement that is checked; kept only where GLSL ES 1.00 is limited.
    pub(crate) loop_indices: Vec<VarId>,
    /// A `return` came before, in this function.
    pub(crate) returned: bool,
}

impl Checker<'_> {
    /// Checks an expression whose value is read.
    pub fn expr(&mut self, expr: &syntax::Expr<'_>) -> ExprId {
        let id = self.place(expr);
        self.readable(id, expr.span);
        id
    }

    /// Checks an expression that may be written, indexed or queried for its length rather than read.
    pub(crate) fn place(&mut self, expr: &syntax::Expr<'_>) -> ExprId {
        use syntax::ExprKind as E;
        let span = expr.span;
        match expr.kind {
            E::Error => self.unit.add_expr(ExprKind::Error, Type::Error, span.lo),
            E::Ident(name) => self.named(name, span),
            E::Const(ty, bits) => self.literal(ty, bits, span.lo),
            E::Unary(op, operand) => {
                let operand = self.expr(operand);
                self.unary(op, operand, span)
            }
            E::Step { increment, prefix, operand } => {
                let id = self.place(operand);
                self.readable(id, operand.span);
                let step = self.step(increment, prefix, id, span);
                let what = if increment { "increment" } else { "decrement" };
                if self.ty(step) != Type::Error && !self.lvalue(id, operand.span, what) {
                    return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
                }
                step
            }
            E::Binary(..) | E::Comma(..) => self.chain(expr),
            E::Assign(op, left, right) => self.assign(op, left, right, span),
            E::Select(cond, a, b) => {
                let cond = self.expr(cond);
                let (a, b) = (self.expr(a), self.expr(b));
                self.select(cond, a, b, span)
            }
            E::Index(base, index) => self.index(base, index, span),
            E::Member(base, name) => self.member(base, name, span),
            E::Call(name, args) => self.call(name, args, span),
            E::Construct(ref ty, args) => self.constructor(ty, args, span),
            E::Method(base, name, args) => self.method(base, name, args, span),
        }
    }

    fn literal(&mut self, ty: Type, bits: u64, at: u32) -> ExprId {
        let Type::Vector { base, .. } = ty else {
            return self.const_expr(ty, Box::new([bits]), at);
        };
        let unit = &mut self.unit;
        let make = || unit.add_const(Constant { ty, scalars: Box::new([bits]) });
        let c = *self.exprs.literals.entry((base, bits)).or_insert_with(make);
        self.unit.add_expr(ExprKind::Const(c), ty, at)
    }

    /// Chains of binary operators are left-recursive and may be long: they are walked from their left end.
    fn chain(&mut self, expr: &syntax::Expr<'_>) -> ExprId {
        use syntax::ExprKind as E;
        let mut nodes: SmallVec<[&syntax::Expr<'_>; 8]> = SmallVec::new();
        let mut leftmost = expr;
        while let E::Binary(_, left, _) | E::Comma(left, _) = leftmost.kind {
            nodes.push(leftmost);
            leftmost = left;
        }
        let mut value = self.expr(leftmost);
        for node in nodes.into_iter().rev() {
            value = match node.kind {
                E::Binary(op, _, right) => {
                    let right = self.expr(right);
                    self.binary(op, value, right, node.span)
                }
                E::Comma(_, right) => {
                    let right = self.expr(right);
                    self.comma(value, right, node.span)
                }
                _ => value,
            };
        }
        value
    }

    fn assign(
        &mut self,
        op: Option<BinaryOp>,
        left: &syntax::Expr<'_>,
        right: &syntax::Expr<'_>,
        span: Span,
    ) -> ExprId {
        let place = self.place(left);
        if op.is_some() {
            self.readable(place, left.span);
        }
        let value = self.expr(right);
        let ty = self.ty(place);
        if ty == Type::Error || self.ty(value) == Type::Error || !self.lvalue(place, left.span, "assign to") {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        if let Some(op) = op {
            return self.assign_op(op, place, value, span);
        }
        if ty.is_array() && !self.lang.version.at_least(120, 300)
            || self.lang.version.is_es() && !self.lang.version.at_least(120, 300) && self.holds_array(ty)
        {
            let message = "arrays are assigned as a whole since GLSL 1.20 and GLSL ES 3.00 (section 5.8)";
            return self.error_expr(span, codes::VERSION, message);
        }
        match self.convert(value, ty) {
            Some(value) => self.unit.add_expr(ExprKind::Assign(place, value), ty, span.lo),
            None => {
                let message = format!(
                    "cannot assign {} to {} (GLSL 4.60 section 5.8)",
                    self.type_name(self.ty(value)),
                    self.type_name(ty)
                );
                self.error_expr(span, codes::OPERANDS, message)
            }
        }
    }

    /// Whether an array is anywhere in a type.
    pub(crate) fn holds_array(&self, ty: Type) -> bool {
        self.unit.types.any(ty, &mut |t| t.is_array())
    }

    fn named(&mut self, symbol: Symbol, span: Span) -> ExprId {
        match self.lookup(symbol, span) {
            Some(Name::Var(var)) => self.variable(var, span),
            Some(Name::Member(var, field)) => {
                let block = self.variable(var, span);
                self.field(block, field, span)
            }
            Some(Name::Constant(c)) => {
                let ty = self.unit[c].ty;
                self.unit.add_expr(ExprKind::Const(c), ty, span.lo)
            }
            Some(Name::Error) => self.unit.add_expr(ExprKind::Error, Type::Error, span.lo),
            Some(Name::Struct(_)) => {
                let message = format!("`{}` is a type, not a variable", &self.unit.names[symbol]);
                self.error_expr(span, codes::NAME, message)
            }
            Some(Name::Functions(_)) => {
                let message = format!("`{}` is a function, not a variable", &self.unit.names[symbol]);
                self.error_expr(span, codes::NAME, message)
            }
            None => self.unknown_variable(symbol, span),
        }
    }

    /// A variable: its value if it is a constant.
    pub(crate) fn variable(&mut self, var: VarId, span: Span) -> ExprId {
        self.mark_read(var);
        let v = &self.unit[var];
        let ty = v.ty;
        if v.builtin == Some(BuiltinVar::WorkGroupSize) {
            return self.work_group_size(ty, span);
        }
        match v.constant {
            Some(c) if v.qualifiers.storage == Storage::Const && !v.open => {
                let precision = self.precision_of_const(var);
                let id = self.unit.add_expr(ExprKind::Const(c), ty, span.lo);
                self.unit.set_const_precision(id, precision);
                id
            }
            _ => self.unit.add_expr(ExprKind::Var(var), ty, span.lo),
        }
    }

    /// `gl_WorkGroupSize`: a constant after the declaration of the size, undeclared before it.
    fn work_group_size(&mut self, ty: Type, span: Span) -> ExprId {
        let size = self.unit.layout.local_size;
        if size == [None; 3] && self.unit.layout.local_size_id == [None; 3] {
            let message = "gl_WorkGroupSize is used before the size of the workgroup is declared (GLSL 4.60 section 7.1.6)";
            return self.error_expr(span, codes::NAME, message);
        }
        let open = |id: &u32| self.state.open.contains(id);
        if self.unit.layout.local_size_id.iter().flatten().any(open) {
            // Constants that stay open are tried; with this one the size keeps its default.
            return self.error_expr(span, codes::NAME, "gl_WorkGroupSize of an open size");
        }
        let scalars = size.iter().map(|n| u64::from(n.unwrap_or(1))).collect();
        let id = self.const_expr(ty, scalars, span.lo);
        self.unit.set_const_precision(id, PrecisionHint(Precision::High));
        id
    }

    fn unknown_variable(&mut self, symbol: Symbol, span: Span) -> ExprId {
        if self.diags.full() {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        let name = &self.unit.names[symbol];
        let mut message = format!("`{name}` is not declared");
        if let Some(hint) = variable::hint(name, &self.lang).or_else(|| constant::hint(name, &self.lang)) {
            message = format!("{message}: {hint}");
        } else {
            let known = self.unit.vars.iter().take(MAX_SUGGESTIONS).map(|v| &self.unit.names[v.name]);
            if let Some(near) = nearest(name, known.filter(|n| !n.is_empty())) {
                message = format!("{message}; did you mean `{near}`?");
            }
        }
        // Reported once: the name is known to be wrong from here on.
        self.scopes.set(symbol, Name::Error, span);
        self.error_expr(span, codes::NAME, message)
    }
}
