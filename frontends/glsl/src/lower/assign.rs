//! Assignments, `++` and `--`.

use super::precise::root_var;
use super::{Lowerer, MALFORMED, Place, Res, Value, fail};
use crate::hir::ExprId;
use crate::operators::{self, eval_conversion};
use crate::shapes::{to_ir_bits, value_bits};
use crate::syntax::BinaryOp;
use crate::types::Base;
use airfoil_ir::{AluFlags, Ty};

impl Lowerer<'_, '_> {
    /// Evaluates with the operations marked exact if `exact` holds or they are so already.
    pub fn with_exact<T>(&mut self, exact: bool, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let before = self.b.flags;
        self.b.flags.set(AluFlags::EXACT, exact || before.contains(AluFlags::EXACT));
        let result = f(self);
        self.b.flags = before;
        result
    }

    /// Emits the operation of an expression, marked relaxed if it may be. Operands are evaluated before.
    pub fn hinted<T>(&mut self, id: ExprId, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.b.flags;
        self.b.flags.set(AluFlags::RELAXED, self.m.relaxed.is_relaxed(id));
        let result = f(self);
        self.b.flags = before;
        result
    }

    fn is_exact_target(&self, to: ExprId) -> bool {
        root_var(self.m.unit, to).is_some_and(|v| self.m.exact.is_exact(v))
    }

    /// `to = from`.
    pub fn assign(&mut self, to: ExprId, from: ExprId) -> Res<Value> {
        let exact = self.is_exact_target(to);
        let place = self.place(to)?;
        let value = self.with_exact(exact, |l| l.expr(from))?;
        self.assign_value(&place, value)
    }

    /// Writes a value and returns the assigned one.
    fn assign_value(&mut self, place: &Place, value: Value) -> Res<Value> {
        if let Value::Memory(_) = value {
            self.store(place, value)?;
            return self.load(place);
        }
        self.store(place, value.clone())?;
        Ok(value)
    }

    /// `to op= by`.
    pub fn assign_op(&mut self, id: ExprId, op: BinaryOp, to: ExprId, by: ExprId) -> Res<Value> {
        let unit = self.m.unit;
        let exact = self.is_exact_target(to);
        let place = self.place(to)?;
        let value = self.with_exact(exact, |l| {
            let by_value = l.expr(by)?;
            let old = l.load(&place)?;
            l.hinted(id, |l| l.binary(op, old, unit[to].ty, by_value, unit[by].ty))
        })?;
        self.assign_value(&place, value)
    }

    /// `++` and `--`.
    pub fn step(&mut self, id: ExprId, increment: bool, prefix: bool, operand: ExprId) -> Res<Value> {
        let ty = self.m.unit[operand].ty;
        let count = self.m.unit.types.as_reference(ty).map_or(1, |r| r.stride);
        let exact = self.is_exact_target(operand);
        let place = self.place(operand)?;
        let old = self.load(&place)?;
        let Some(base) = ty.as_number().base() else { return fail(MALFORMED, "`++` of no number") };
        let op = if increment { BinaryOp::Add } else { BinaryOp::Sub };
        let Some(alu) = operators::binary(op, base) else { return fail(MALFORMED, "`++` of no number") };
        let one = to_ir_bits(base, eval_conversion(Base::Int, base, count.into()));
        let one = self.b.constant(Ty::new(1, value_bits(base)), [one, 0, 0, 0]);
        let new = self
            .with_exact(exact, |l| l.hinted(id, |l| l.map(old.clone(), |l, v| l.b.alu(alu.op, &[v, one]))))?;
        self.store(&place, new.clone())?;
        Ok(if prefix { new } else { old })
    }
}
