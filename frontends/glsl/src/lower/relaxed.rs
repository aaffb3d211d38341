//! Which operations may be computed with medium precision: the precision of expressions (GLSL ES 3.20 section 4.7.3).
//!
//! An operation has the highest precision of its operands. Operands without one (literals, conversions of booleans) take it
//! from the others; if none of them has one, the operation takes it from the consumer of its value: another operation,
//! the variable that is assigned or initialised, a parameter, the result of the function. Built-in functions have rules
//! of their own (chapter 8). Operations without any precision have the full one. On desktop precision qualifiers have
//! no effect except in GLSL for Vulkan, where the default is `highp` (GLSL 4.60 section 4.7).
//!
//! One pass over the expressions upwards, one downwards.

use super::precise::{Sink, each_statement_flow};
use crate::builtin::op::CallPrecision;
use crate::hir::{ExprId, ExprKind, PrecisionHint, Unit, VarId};
use crate::types::{Base, Type};
use airfoil_ir::Precision;

/// Facts about all expressions; empty if no operation is relaxed.
#[derive(Debug, Default)]
pub struct Relaxed {
    /// Whether medium precision is enough for the operation.
    relaxed: Vec<bool>,
}

impl Relaxed {
    /// Of a unit.
    pub fn new(unit: &Unit) -> Relaxed {
        if !(unit.version.is_es() || unit.vulkan) || !has_relaxed(unit) {
            return Relaxed::default();
        }
        let mut hints = Hints { unit, own: Vec::with_capacity(unit.exprs.len()) };
        for i in 0..unit.exprs.len() as u32 {
            // Operands come before their users.
            let own = hints.value(ExprId(i));
            hints.own.push(own);
        }
        hints.consumers();
        let mut relaxed = vec![false; unit.exprs.len()];
        for i in (0..unit.exprs.len()).rev() {
            relaxed[i] = matches!(hints.operation(ExprId(i as u32)), Precision::Low | Precision::Medium);
        }
        Relaxed { relaxed }
    }

    /// Whether the operation of an expression may be computed with medium precision.
    pub fn is_relaxed(&self, id: ExprId) -> bool {
        self.relaxed.get(id.0 as usize).copied().unwrap_or(false)
    }
}

/// Whether anything is declared with less than full precision.
fn has_relaxed(unit: &Unit) -> bool {
    let relaxed = |p: PrecisionHint| matches!(p.0, Precision::Low | Precision::Medium);
    unit.vars.iter().any(|v| relaxed(v.qualifiers.precision))
        || unit.functions.iter().any(|f| relaxed(f.precision))
        || unit.types.structs.iter().any(|s| s.fields.iter().any(|f| relaxed(f.qualifiers.precision)))
}

struct Hints<'u> {
    unit: &'u Unit,
    /// Precision of the value of each expression, as far as it is known.
    own: Vec<Precision>,
}

impl Hints<'_> {
    /// Whether values of the type have a precision: numbers, arrays of them and opaque types; not booleans.
    fn has_precision(&self, ty: Type) -> bool {
        match self.unit.types.without_arrays(ty) {
            Type::Vector { base, .. } | Type::Matrix { base, .. } => base != Base::Bool,
            Type::Opaque(_) => true,
            _ => false,
        }
    }

    /// The precision of a declaration of the type. On desktop the default is `highp`.
    fn declared(&self, hint: PrecisionHint, ty: Type) -> Precision {
        match hint.0 {
            Precision::None if self.unit.vulkan && self.has_precision(ty) => Precision::High,
            known => known,
        }
    }

    /// Operands come before their users; for others only full precision is safe.
    fn of(&self, id: ExprId) -> Precision {
        self.own.get(id.0 as usize).copied().unwrap_or(Precision::High)
    }

    fn highest(&self, ids: &[ExprId]) -> Precision {
        ids.iter().map(|&id| self.of(id)).max().unwrap_or_default()
    }

    fn of_var(&self, var: VarId) -> Precision {
        let v = &self.unit[var];
        self.declared(v.qualifiers.precision, v.ty)
    }

    /// The precision of an expression without regard to its consumer.
    fn value(&self, id: ExprId) -> Precision {
        let unit = self.unit;
        if !self.has_precision(unit[id].ty) {
            return Precision::None;
        }
        match unit[id].kind {
            ExprKind::Error => Precision::None,
            ExprKind::Const(_) => unit.const_precision(id).0,
            ExprKind::Var(v) => self.of_var(v),
            ExprKind::Field(of, field) => {
                let of = unit.types.as_struct(unit[of].ty);
                let field = of.and_then(|s| s.fields.get(field as usize));
                field.map_or(Precision::High, |f| self.declared(f.qualifiers.precision, f.ty))
            }
            ExprKind::Index(a, _)
            | ExprKind::Swizzle(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::NonUniform(a)
            | ExprKind::Comma(_, a)
            | ExprKind::Assign(a, _)
            | ExprKind::AssignOp(_, a, _)
            | ExprKind::Step { operand: a, .. } => self.of(a),
            ExprKind::Binary(_, a, b) | ExprKind::Select(_, a, b) => self.highest(&[a, b]),
            ExprKind::Construct(list) => self.highest(unit.list(list)),
            ExprKind::Call(f, _) => self.declared(unit[f].precision, unit[f].result),
            ExprKind::CallSubroutine(..)
            | ExprKind::Length(_)
            | ExprKind::Dereference(_)
            | ExprKind::Address(_) => Precision::High,
            ExprKind::Builtin(builtin, list) => {
                let args = unit.list(list);
                match builtin.precision {
                    CallPrecision::Operands(n) => self.highest(&args[..args.len().min(n.into())]),
                    CallPrecision::Result(p) | CallPrecision::Full(p) => p,
                }
            }
        }
    }

    /// Values go to variables and results.
    fn consumers(&mut self) {
        let unit = self.unit;
        each_statement_flow(unit, |sink, value| {
            let precision = match sink {
                Sink::Var(v) => self.of_var(v),
                Sink::Result(f) => self.declared(unit[f].precision, unit[f].result),
            };
            self.give(value, precision);
        });
    }

    /// An operand without precision gets that of its consumer.
    fn give(&mut self, to: ExprId, precision: Precision) {
        if self.of(to) == Precision::None && self.has_precision(self.unit[to].ty) {
            self.own[to.0 as usize] = precision;
        }
    }

    fn give_all(&mut self, to: &[ExprId], precision: Precision) -> Precision {
        to.iter().for_each(|&id| self.give(id, precision));
        precision
    }

    /// The precision of the operation that an expression is, once that of its value is settled; operands get it.
    fn operation(&mut self, id: ExprId) -> Precision {
        let unit = self.unit;
        let value = self.of(id);
        match unit[id].kind {
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => self.give_all(&[a], value),
            ExprKind::Binary(_, a, b) => {
                let wholes = [unit[a].ty, unit[b].ty]
                    .iter()
                    .any(|t| t.is_array() || unit.types.as_struct(*t).is_some());
                // A comparison has a precision, its result has none.
                let precision = if self.has_precision(unit[id].ty) { value } else { self.highest(&[a, b]) };
                self.give_all(&[a, b], precision);
                // Arrays and structures are compared by code that counts.
                if wholes { Precision::None } else { precision }
            }
            ExprKind::Select(_, a, b) => self.give_all(&[a, b], value),
            ExprKind::Construct(list) => {
                let args = unit.list(list);
                if let Some(s) = unit.types.as_struct(unit[id].ty) {
                    for (f, &arg) in s.fields.iter().zip(args) {
                        let precision = self.declared(f.qualifiers.precision, f.ty);
                        self.give(arg, precision);
                    }
                    return Precision::None;
                }
                let precision = if self.has_precision(unit[id].ty) { value } else { self.highest(args) };
                self.give_all(args, precision)
            }
            ExprKind::AssignOp(_, to, by) => {
                let precision = self.highest(&[to, by]);
                self.give_all(&[by], precision)
            }
            ExprKind::Step { .. } => value,
            ExprKind::Index(a, _)
            | ExprKind::Swizzle(a, _)
            | ExprKind::NonUniform(a)
            | ExprKind::Comma(_, a) => {
                self.give(a, value);
                Precision::None
            }
            ExprKind::Assign(to, from) => {
                self.give(from, self.of(to));
                Precision::None
            }
            ExprKind::Builtin(builtin, list) => {
                let args = unit.list(list);
                match builtin.precision {
                    CallPrecision::Operands(n) => {
                        let args = &args[..args.len().min(n.into())];
                        let numbers = self.has_precision(unit[id].ty);
                        let precision = if numbers { value } else { self.highest(args) };
                        self.give_all(args, precision)
                    }
                    CallPrecision::Result(_) => self.highest(args),
                    CallPrecision::Full(_) => Precision::High,
                }
            }
            ExprKind::Call(f, list) => {
                for (&p, &arg) in unit[f].params.iter().zip(unit.list(list)) {
                    self.give(arg, self.of_var(p));
                }
                Precision::None
            }
            ExprKind::Error
            | ExprKind::Const(_)
            | ExprKind::Var(_)
            | ExprKind::Field(..)
            | ExprKind::CallSubroutine(..)
            | ExprKind::Dereference(_)
            | ExprKind::Address(_)
            | ExprKind::Length(_) => Precision::None,
        }
    }
}
