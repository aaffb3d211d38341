//! Operators: operand and result types (GLSL 4.60 section 5.9).

use super::{Checker, codes, constant};
use crate::extension::Ext;
use crate::hir::{Expr, ExprId, ExprKind, PrecisionHint};
use crate::source::Span;
use crate::syntax::{BinaryOp, UnaryOp};
use crate::types::{Base, Type};

/// Groups of operators with the same rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Arithmetic,
    Modulus,
    Bits,
    Shift,
    Relation,
    Equality,
    Logic,
}

fn rule(op: BinaryOp) -> Rule {
    use BinaryOp as B;
    match op {
        B::Add | B::Sub | B::Mul | B::Div => Rule::Arithmetic,
        B::Mod => Rule::Modulus,
        B::BitAnd | B::BitOr | B::BitXor => Rule::Bits,
        B::Shl | B::Shr => Rule::Shift,
        B::Less | B::Greater | B::LessEqual | B::GreaterEqual => Rule::Relation,
        B::Equal | B::NotEqual => Rule::Equality,
        B::LogicAnd | B::LogicOr | B::LogicXor => Rule::Logic,
    }
}

/// Why an operator does not take its operands; `None` in [`Result`]'s error means that it has been reported.
type Refused = Option<&'static str>;

impl Checker<'_> {
    /// Operators on the bits of integers exist since 1.30 and ES 3.00.
    fn integer_operator(&mut self, text: &str, span: Span) -> bool {
        const EXTS: &[Ext] = &[Ext::EXT_gpu_shader4];
        if self.lang.version.at_least(130, 300) || self.lang.extensions.contains_any(EXTS) {
            return true;
        }
        let message = format!(
            "operator `{text}` is reserved in {}: it needs GLSL 1.30, GLSL ES 3.00 or GL_EXT_gpu_shader4",
            self.lang.version
        );
        self.error(span, codes::VERSION, message);
        false
    }

    /// A prefix operator other than `++` and `--`.
    pub(crate) fn unary(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> ExprId {
        let ty = self.ty(operand);
        if ty == Type::Error {
            return operand;
        }
        if op == UnaryOp::BitNot && !self.integer_operator("~", span) {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        let base = ty.base().filter(|&b| crate::operators::unary(op, b).is_some());
        let (Some(base), true) = (base, op != UnaryOp::Not || ty.is_scalar()) else {
            let needs = match op {
                UnaryOp::Plus | UnaryOp::Minus => "a number, vector or matrix",
                UnaryOp::Not => "a scalar bool",
                UnaryOp::BitNot => "an integer or a vector of integers",
            };
            let message = format!(
                "operator `{}` takes {needs}, not {} (GLSL 4.60 section 5.9)",
                op.text(),
                self.type_name(ty)
            );
            return self.error_expr(span, codes::OPERANDS, message);
        };
        if let Some(value) = self.operand(operand).and_then(|o| constant::unary(op, base, o.scalars)) {
            return self.folded(ty, value, &[operand], span.lo);
        }
        self.unit.add_expr(ExprKind::Unary(op, operand), ty, span.lo)
    }

    /// A binary operator.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> ExprId {
        if self.ty(a) == Type::Error || self.ty(b) == Type::Error {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        if op == BinaryOp::Sub && self.ty(a) == self.ty(b) && matches!(self.ty(a), Type::Reference(_)) {
            return self.reference_distance(a, b, span);
        }
        let (a, b, ty) = match self.operands(op, a, b, true, span) {
            Ok(typed) => typed,
            Err(why) => return self.refused(op, a, b, why, span),
        };
        let value = match (self.operand(a), self.operand(b)) {
            (Some(x), Some(y)) => constant::binary(op, x, y, ty, &self.unit.types),
            _ => None,
        };
        if let Some(value) = value {
            return self.folded(ty, value, &[a, b], span.lo);
        }
        self.unit.add_expr(ExprKind::Binary(op, a, b), ty, span.lo)
    }

    fn refused(&mut self, op: BinaryOp, a: ExprId, b: ExprId, why: Refused, span: Span) -> ExprId {
        if let Some(why) = why {
            let message = format!(
                "operator `{}` does not take {} and {}: {why} (GLSL 4.60 section 5.9)",
                op.text(),
                self.type_name(self.ty(a)),
                self.type_name(self.ty(b))
            );
            self.error(span, codes::OPERANDS, message);
        }
        self.unit.add_expr(ExprKind::Error, Type::Error, span.lo)
    }

    /// The operands with their types converted as the operator requires, and the type of the result. `both`: the left
    /// side may be converted, too (it may not when it is assigned to).
    fn operands(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        both: bool,
        span: Span,
    ) -> Result<(ExprId, ExprId, Type), Refused> {
        if [self.ty(a), self.ty(b)].iter().any(|t| matches!(t, Type::Reference(_))) {
            return self.reference_operands(op, a, b, both).map_err(Some);
        }
        let rule = rule(op);
        if matches!(rule, Rule::Modulus | Rule::Bits | Rule::Shift) && !self.integer_operator(op.text(), span)
        {
            return Err(None);
        }
        let (ta, tb) = (self.ty(a), self.ty(b));
        if rule == Rule::Equality && !(ta.base().is_some() && tb.base().is_some()) {
            return self.equal_aggregates(ta, tb).map(|()| (a, b, Type::BOOL)).map_err(Some);
        }
        let (Some(base_a), Some(base_b)) = (ta.base(), tb.base()) else {
            return Err(Some("it works on scalars, vectors and matrices"));
        };
        // The requirements of each group of operators on the components.
        let numbers = base_a != Base::Bool && base_b != Base::Bool;
        let integers = base_a.is_integer() && base_b.is_integer();
        match rule {
            Rule::Arithmetic | Rule::Relation if !numbers => return Err(Some("booleans are not numbers")),
            Rule::Modulus | Rule::Bits | Rule::Shift if !integers => {
                return Err(Some("it works on integers"));
            }
            Rule::Logic if ta != Type::BOOL || tb != Type::BOOL => {
                return Err(Some("it works on scalar booleans"));
            }
            _ => {}
        }
        if rule == Rule::Shift {
            let ty = shift_result(ta, tb).ok_or(Some("the sizes do not match"))?;
            return Ok((a, b, ty));
        }
        // One component type for both.
        let base = if base_a == base_b || self.base_converts(base_b, base_a) {
            base_a
        } else if both && self.base_converts(base_a, base_b) {
            base_b
        } else {
            return Err(Some(if self.lang.version.is_es() {
                "their component types differ, and there are no implicit conversions in GLSL ES"
            } else {
                "their component types differ and no implicit conversion makes them equal"
            }));
        };
        let (ta, tb) = (ta.with_base(base), tb.with_base(base));
        let ty = match rule {
            Rule::Relation => {
                if !ta.is_scalar() || !tb.is_scalar() {
                    return Err(Some("it compares scalars; for vectors there are lessThan() and so on"));
                }
                Type::BOOL
            }
            Rule::Equality => {
                if ta != tb {
                    return Err(Some("the types differ"));
                }
                Type::BOOL
            }
            Rule::Logic => Type::BOOL,
            Rule::Modulus | Rule::Bits if ta.is_matrix() || tb.is_matrix() => {
                return Err(Some("it works on integers"));
            }
            _ => arithmetic_result(op, ta, tb).ok_or(Some("the sizes do not match"))?,
        };
        Ok((self.convert_base(a, base_a, base), self.convert_base(b, base_b, base), ty))
    }

    /// `==` and `!=` on arrays, structures and other types that are not numbers.
    fn equal_aggregates(&self, a: Type, b: Type) -> Result<(), &'static str> {
        if a != b {
            return Err("the types differ");
        }
        if a == Type::Void {
            return Err("an expression of type void has no value");
        }
        if self.unit.types.has_opaque(a) {
            return Err("opaque types cannot be compared (section 4.1.7)");
        }
        let has_array = self.unit.types.any(a, &mut |t| t.is_array());
        if has_array && !self.lang.version.at_least(120, 300) {
            return Err("arrays are compared since GLSL 1.20 and GLSL ES 3.00");
        }
        Ok(())
    }

    /// `a op= b`; `a` is known to be an l-value or is reported elsewhere.
    pub(crate) fn assign_op(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> ExprId {
        if self.ty(a) == Type::Error || self.ty(b) == Type::Error {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        let ty = self.ty(a);
        match self.operands(op, a, b, false, span) {
            Ok((_, b, result)) if result == ty => {
                self.unit.add_expr(ExprKind::AssignOp(op, a, b), ty, span.lo)
            }
            Ok((_, _, result)) => {
                let message = format!(
                    "`{}=` would assign {} to {} (GLSL 4.60 section 5.8)",
                    op.text(),
                    self.type_name(result),
                    self.type_name(ty)
                );
                self.error_expr(span, codes::OPERANDS, message)
            }
            Err(why) => self.refused(op, a, b, why, span),
        }
    }

    /// `++` and `--` on an l-value.
    pub(crate) fn step(&mut self, increment: bool, prefix: bool, operand: ExprId, span: Span) -> ExprId {
        let ty = self.ty(operand);
        if ty == Type::Error {
            return operand;
        }
        let stepped = match self.reference_step(ty) {
            Some(Ok(_)) => true,
            Some(Err(why)) => return self.error_expr(span, codes::OPERANDS, why),
            None => ty.base().is_some_and(|b| b != Base::Bool),
        };
        if !stepped {
            let text = if increment { "++" } else { "--" };
            let message = format!(
                "operator `{text}` takes a number, vector or matrix, not {} (GLSL 4.60 section 5.9)",
                self.type_name(ty)
            );
            return self.error_expr(span, codes::OPERANDS, message);
        }
        self.unit.add_expr(ExprKind::Step { increment, prefix, operand }, ty, span.lo)
    }

    /// `cond ? a : b`.
    pub(crate) fn select(&mut self, cond: ExprId, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let (tc, ta, tb) = (self.ty(cond), self.ty(a), self.ty(b));
        if [tc, ta, tb].contains(&Type::Error) {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        if tc != Type::BOOL {
            let message = format!(
                "the condition of `?:` must be a scalar bool, not {} (GLSL 4.60 section 5.9)",
                self.type_name(tc)
            );
            return self.error_expr(span, codes::CONDITION, message);
        }
        let (a, b, ty) = if let Some(b) = self.convert(b, ta) {
            (a, b, ta)
        } else if let Some(a) = self.convert(a, tb) {
            (a, b, tb)
        } else {
            let message = format!(
                "the second and third operand of `?:` must have one type, these are {} and {} (GLSL 4.60 section 5.9)",
                self.type_name(ta),
                self.type_name(tb)
            );
            return self.error_expr(span, codes::OPERANDS, message);
        };
        if self.unit.types.has_opaque(ty) {
            let message =
                format!("`?:` cannot choose between {}s (GLSL 4.60 section 4.1.7)", self.type_name(ty));
            return self.error_expr(span, codes::OPERANDS, message);
        }
        if ty.is_array() && !self.lang.version.at_least(120, 300) {
            let message = "`?:` chooses between arrays since GLSL 1.20 and GLSL ES 3.00 (section 5.9)";
            return self.error_expr(span, codes::VERSION, message);
        }
        if let (Some(c), true) = (self.as_const(cond), self.all_const(&[a, b])) {
            let chosen = if self.unit[c].scalars.first() == Some(&1) { a } else { b };
            // The other one counts for the precision.
            let precision = self.unit.const_precision(a).0.max(self.unit.const_precision(b).0);
            if precision == self.unit.const_precision(chosen).0 {
                return chosen;
            }
            let Expr { kind, ty, at } = self.unit[chosen];
            let id = self.unit.add_expr(kind, ty, at);
            self.unit.set_const_precision(id, PrecisionHint(precision));
            return id;
        }
        self.unit.add_expr(ExprKind::Select(cond, a, b), ty, span.lo)
    }

    /// `a, b`.
    pub(crate) fn comma(&mut self, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let ty = self.ty(b);
        // Constant until GLSL 4.30 and GLSL ES 3.00, which take it out (GLSL 4.60 section 4.3.3).
        if !self.lang.version.at_least(430, 300) && self.all_const(&[a, b]) {
            self.exprs.commas += 1;
            return b;
        }
        self.unit.add_expr(ExprKind::Comma(a, b), ty, span.lo)
    }
}

/// Type of `a << b`: the left one's; a scalar cannot be shifted by a vector.
fn shift_result(a: Type, b: Type) -> Option<Type> {
    match (a, b) {
        (Type::Vector { size, .. }, Type::Vector { size: by, .. }) if by == 1 || by == size => Some(a),
        _ => None,
    }
}

/// Type of `+ - * /` on operands of one component type.
fn arithmetic_result(op: BinaryOp, a: Type, b: Type) -> Option<Type> {
    use Type::{Matrix, Vector};
    match (a, b) {
        _ if a == b && (!a.is_matrix() || op != BinaryOp::Mul) => Some(a),
        (_, Vector { size: 1, .. }) => Some(a),
        (Vector { size: 1, .. }, _) => Some(b),
        (Matrix { base, cols, rows }, Vector { size, .. }) if op == BinaryOp::Mul && cols == size => {
            Some(Vector { base, size: rows })
        }
        (Vector { base, size }, Matrix { cols, rows, .. }) if op == BinaryOp::Mul && rows == size => {
            Some(Vector { base, size: cols })
        }
        (Matrix { base, cols: inner, rows }, Matrix { cols, rows: other, .. })
            if op == BinaryOp::Mul && inner == other =>
        {
            Some(Matrix { base, cols, rows })
        }
        _ => None,
    }
}
