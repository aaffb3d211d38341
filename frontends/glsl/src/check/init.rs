//! Initialisers (GLSL 4.60 section 4.1.11).

use super::construct::Args;
use super::{Checker, codes};
use crate::extension::Ext;
use crate::hir::{ExprId, ExprKind};
use crate::source::Span;
use crate::syntax::Init;
use crate::types::Type;

impl Checker<'_> {
    /// The value of an initialiser for a variable of type `ty`, and that type with array sizes that follow from the
    /// initialiser.
    pub fn initializer(&mut self, init: &Init<'_>, ty: Type) -> (ExprId, Type) {
        match init {
            Init::Expr(expr) => {
                let value = self.expr(expr);
                let from = self.ty(value);
                let ty = self.sized_like(ty, from);
                if ty == Type::Error || from == Type::Error {
                    return (self.unit.add_expr(ExprKind::Error, Type::Error, expr.span.lo), ty);
                }
                match self.convert(value, ty) {
                    Some(value) => (value, ty),
                    None => {
                        let message = format!(
                            "cannot initialise {} with {} (GLSL 4.60 section 4.3)",
                            self.type_name(ty),
                            self.type_name(from)
                        );
                        (self.error_expr(expr.span, codes::INITIALIZER, message), ty)
                    }
                }
            }
            Init::List(items, span) => {
                let null = items.is_empty() && self.lang.ext(Ext::EXT_null_initializer);
                if !self.has_420pack() && !null {
                    let message = if self.lang.version.is_es() {
                        "initialiser lists do not exist in GLSL ES"
                    } else {
                        "initialiser lists exist since GLSL 4.20 (section 4.1.11)"
                    };
                    return (self.error_expr(*span, codes::VERSION, message), ty);
                }
                self.list(items, *span, ty)
            }
        }
    }

    fn list(&mut self, items: &[Init<'_>], span: Span, ty: Type) -> (ExprId, Type) {
        if ty == Type::Error {
            return (self.unit.add_expr(ExprKind::Error, Type::Error, span.lo), ty);
        }
        if items.is_empty() {
            return (self.null(span, ty), ty);
        }
        let n = items.len() as u32;
        // Types of the members; one for all of an array, vector or matrix.
        let expected = match ty {
            Type::Array(id) => {
                let array = self.unit.types.get_array(id);
                if array.len == 0 { n } else { array.len }
            }
            Type::Matrix { cols, .. } => u32::from(cols),
            Type::Vector { size: size @ 2.., .. } => u32::from(size),
            Type::Struct(id) => self.unit.types.structs[id.0 as usize].fields.len() as u32,
            _ => {
                let message = format!(
                    "{} has no members to initialise by a list (GLSL 4.60 section 4.1.11)",
                    self.type_name(ty)
                );
                return (self.error_expr(span, codes::INITIALIZER, message), ty);
            }
        };
        if n != expected {
            let message = format!(
                "{} has {expected} members, {n} initialisers are given (GLSL 4.60 section 4.1.11)",
                self.type_name(ty)
            );
            return (self.error_expr(span, codes::INITIALIZER, message), ty);
        }
        let mut values = Args::new();
        let mut elem = self.unit.types.element(ty).unwrap_or(Type::Error);
        for (i, item) in items.iter().enumerate() {
            if let Type::Struct(id) = ty {
                elem = self.unit.types.structs[id.0 as usize].fields[i].ty;
            }
            let (value, sized) = self.initializer(item, elem);
            values.push(value);
            if ty.is_array() {
                // The first element determines sizes that were left open.
                elem = sized;
            }
        }
        let ty = if ty.is_array() { self.unit.types.array(elem, n) } else { ty };
        if values.iter().any(|&v| self.ty(v) == Type::Error) {
            return (self.unit.add_expr(ExprKind::Error, Type::Error, span.lo), ty);
        }
        (self.constructed(ty, &values, span), ty)
    }

    /// `{}`: all components zero (`GL_EXT_null_initializer`).
    fn null(&mut self, span: Span, ty: Type) -> ExprId {
        let sized =
            !self.unit.types.any(ty, &mut |t| self.unit.types.as_array(t).is_some_and(|a| a.len == 0));
        if !self.lang.ext(Ext::EXT_null_initializer) || !sized || self.unit.types.has_opaque(ty) {
            let message = format!(
                "cannot initialise {} with an empty list (GLSL 4.60 section 4.1.11)",
                self.type_name(ty)
            );
            return self.error_expr(span, codes::INITIALIZER, message);
        }
        let n = self.unit.types.components(ty) as usize;
        if n > 1 << 20 {
            return self.error_expr(
                span,
                codes::INITIALIZER,
                "the variable is too large for an initial value",
            );
        }
        self.folded(ty, vec![0; n].into(), &[], span.lo)
    }
}
