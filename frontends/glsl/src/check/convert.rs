//! Implicit conversions (GLSL 4.60 section 4.1.10) and their ranking in overload resolution (section 6.1).

use super::Checker;
use crate::extension::Ext;
use crate::hir::{ExprId, ExprKind};
use crate::types::{Base, Type};
use crate::version::NEVER;

/// How an argument fits a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Same type.
    Exact,
    /// `float` to `double`, which is better than all conversions below.
    FloatToDouble,
    /// Integer to `float`, which is better than integer to `double`.
    IntToFloat,
    /// Integer to `double`.
    IntToDouble,
    /// Any other conversion.
    Other,
}

impl Fit {
    /// Whether the specification ranks this above `other`.
    pub(crate) fn better_than(self, other: Fit) -> bool {
        match self {
            Fit::Exact => other != Fit::Exact,
            Fit::FloatToDouble => !matches!(other, Fit::Exact | Fit::FloatToDouble),
            Fit::IntToFloat => other == Fit::IntToDouble,
            Fit::IntToDouble | Fit::Other => false,
        }
    }
}

impl Checker<'_> {
    /// Whether the language converts anything implicitly: desktop since 1.20, ES by extension only.
    fn has_conversions(&self) -> bool {
        self.lang.version.at_least(120, NEVER) || self.lang.ext(Ext::EXT_shader_implicit_conversions)
    }

    /// Whether `int` becomes `uint`: since 4.00.
    fn int_to_uint(&self) -> bool {
        const EXTS: &[Ext] =
            &[Ext::ARB_gpu_shader5, Ext::MESA_shader_integer_functions, Ext::EXT_shader_implicit_conversions];
        self.lang.version.at_least(400, NEVER) || self.lang.extensions.contains_any(EXTS)
    }

    /// Whether components of one type become components of another.
    pub(crate) fn base_converts(&self, from: Base, to: Base) -> bool {
        if from == to {
            return true;
        }
        if from == Base::Bool || to == Base::Bool || !self.has_conversions() {
            return false;
        }
        let (a, b) = (from.bits(), to.bits());
        match (from.is_float(), to.is_float()) {
            (true, true) => a < b,
            (true, false) => false,
            // Every integer fits a double as well as it does; a float16_t only takes the short ones.
            (false, true) => a <= b || to == Base::Double,
            (false, false) if a == b => {
                from.is_signed() && to.is_unsigned() && (from != Base::Int || self.int_to_uint())
            }
            (false, false) => a < b,
        }
    }

    /// Whether a value of one type can be used where another is needed.
    pub fn can_convert(&self, from: Type, to: Type) -> bool {
        if from == to || from == Type::Error || to == Type::Error {
            return true;
        }
        let (Some(a), Some(b)) = (from.base(), to.base()) else { return false };
        from.with_base(b) == to && self.base_converts(a, b)
    }

    /// How well a value of one type fits where another is needed, if it does.
    pub(crate) fn fit(&self, from: Type, to: Type) -> Option<Fit> {
        if from == to || from == Type::Error || to == Type::Error {
            return Some(Fit::Exact);
        }
        if !self.can_convert(from, to) {
            return None;
        }
        let (a, b) = (from.base()?, to.base()?);
        Some(match b {
            Base::Double if a == Base::Float => Fit::FloatToDouble,
            Base::Double if a.is_integer() => Fit::IntToDouble,
            Base::Float if a.is_integer() => Fit::IntToFloat,
            _ => Fit::Other,
        })
    }

    /// The expression as a value of type `to`, by implicit conversion of this version of the language; `None` if there is none.
    pub fn convert(&mut self, expr: ExprId, to: Type) -> Option<ExprId> {
        let from = self.ty(expr);
        if from == to || from == Type::Error || to == Type::Error {
            return Some(expr);
        }
        if !self.can_convert(from, to) {
            return None;
        }
        let (a, b) = (from.base()?, to.base()?);
        Some(self.convert_base(expr, a, b))
    }

    /// The expression with components of another type, whether or not the language has such a conversion.
    pub(crate) fn convert_base(&mut self, expr: ExprId, from: Base, to: Base) -> ExprId {
        if from == to {
            return expr;
        }
        let ty = self.ty(expr).with_base(to);
        let at = self.unit[expr].at;
        if let Some(c) = self.as_const(expr) {
            let scalars = super::constant::convert(&self.unit[c].scalars, from, to);
            let precision = self.unit.const_precision(expr);
            let id = self.const_expr(ty, scalars, at);
            self.unit.set_const_precision(id, precision);
            return id;
        }
        self.unit.add_expr(ExprKind::Convert(expr), ty, at)
    }
}
