//! Precision qualifiers and their defaults (GLSL ES 3.00 section 4.5, GLSL 4.60 section 4.7).

use super::Checker;
use crate::hir::{PrecisionHint, VarId};
use crate::source::Span;
use crate::syntax::{TypeKind, TypeSpec};
use crate::token::Tok;
use crate::types::{Base, Opaque, OpaqueKind, Type};
use airfoil_ir::{Dim, Precision, Stage};

/// The precision that a keyword means.
pub(crate) fn precision_of_word(word: Tok) -> Precision {
    match word {
        Tok::Lowp => Precision::Low,
        Tok::Mediump => Precision::Medium,
        Tok::Highp => Precision::High,
        _ => Precision::None,
    }
}

/// The type whose default precision a type without its own has.
fn key(ty: Type) -> Option<Type> {
    match ty {
        Type::Vector { base: Base::Float, .. } | Type::Matrix { base: Base::Float, .. } => Some(Type::FLOAT),
        Type::Vector { base: Base::Int | Base::Uint, .. } => Some(Type::INT),
        Type::Opaque(_) => Some(ty),
        _ => None,
    }
}

impl Checker<'_> {
    /// Sets the precisions that a shader starts with.
    pub(crate) fn initial_precisions(&mut self) {
        if !self.lang.version.is_es() {
            return;
        }
        let fragment = self.lang.stage == Stage::Fragment;
        if !fragment {
            self.scopes.set_precision(Type::FLOAT, Precision::High);
        }
        self.scopes.set_precision(Type::INT, if fragment { Precision::Medium } else { Precision::High });
        let opaque = |kind, sampled, dim, external| {
            Type::Opaque(Opaque { kind, sampled, dim, arrayed: false, shadow: false, external })
        };
        let sampled = OpaqueKind::Sampled;
        for ty in [
            opaque(sampled, Base::Float, Dim::D2, false),
            opaque(sampled, Base::Float, Dim::Cube, false),
            opaque(sampled, Base::Float, Dim::D2, true),
        ] {
            self.scopes.set_precision(ty, Precision::Low);
        }
        for base in [Base::Float, Base::Int, Base::Uint] {
            self.scopes
                .set_precision(opaque(OpaqueKind::AtomicCounter, base, Dim::D2, false), Precision::High);
        }
    }

    /// `precision p t;`
    pub(crate) fn precision_statement(&mut self, precision: Tok, spec: &TypeSpec<'_>) {
        let ty = match spec.kind {
            TypeKind::Basic(ty) if spec.dims.is_empty() => ty,
            _ => Type::Void,
        };
        let allowed = matches!(ty, Type::Vector { base: Base::Float | Base::Int, size: 1 } | Type::Opaque(_));
        if !allowed {
            let message = "a default precision can be given to float, int and opaque types only (GLSL 4.60 section 4.7.4)";
            self.error(spec.span, "E1011", message);
            return;
        }
        let precision = precision_of_word(precision);
        if is_counter(ty) && precision != Precision::High {
            self.error(spec.span, "E1011", "atomic_uint can only be highp (GLSL 4.60 section 4.7.3)");
            return;
        }
        self.scopes.set_precision(ty, precision);
    }

    /// The precision of a named constant that is replaced by its value. Without a qualifier it is `highp` in GLSL for Vulkan, and on
    /// other desktops it does not matter.
    pub(crate) fn precision_of_const(&self, var: VarId) -> PrecisionHint {
        match self.unit[var].qualifiers.precision {
            PrecisionHint(Precision::None) if self.unit.vulkan => PrecisionHint(Precision::High),
            known => known,
        }
    }

    /// The precision of something of a type: its own one, else the default; an ES shader must have one.
    pub(crate) fn precision(
        &mut self,
        ty: Type,
        own: Option<(Precision, Span)>,
        span: Span,
    ) -> PrecisionHint {
        let elem = self.unit.types.without_arrays(ty);
        let key = key(elem);
        if let Some((precision, at)) = own {
            if key.is_none() && elem != Type::Error {
                let message = format!(
                    "{} cannot have a precision: only float, int, uint and opaque types have (GLSL 4.60 section 4.7.2)",
                    self.type_name(ty)
                );
                self.error(at, "E1011", message);
            } else if is_counter(elem) && precision != Precision::High {
                self.error(at, "E1011", "atomic_uint can only be highp (GLSL 4.60 section 4.7.3)");
            }
            return PrecisionHint(precision);
        }
        let Some(key) = key else { return PrecisionHint(Precision::None) };
        match self.scopes.precision(key) {
            Some(precision) => PrecisionHint(precision),
            None if self.lang.version.is_es() => {
                let message = format!(
                    "no precision is given for {}, and it has no default here (GLSL ES 3.00 section 4.5.4)",
                    self.type_name(elem)
                );
                self.error(span, "E1011", message);
                PrecisionHint(Precision::High)
            }
            None => PrecisionHint(Precision::None),
        }
    }
}

/// Whether a type is `atomic_uint`.
pub(crate) fn is_counter(ty: Type) -> bool {
    ty.as_opaque().is_some_and(|o| o.kind == OpaqueKind::AtomicCounter)
}
