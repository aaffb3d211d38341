//! Expressions.

use super::{Columns, Lowerer, MALFORMED, Place, Res, Value, columns_of, fail, lanes_of, shape_of};
use crate::hir::{ExprId, ExprKind};
use crate::operators::{self, Conversion};
use crate::shapes::value_bits;
use crate::syntax::{BinaryOp, UnaryOp};
use crate::types::{Base, Type};
use airfoil_ir::{AluOp, InstrId, IntrinsicOp, Ty};
use smallvec::SmallVec;

impl Lowerer<'_, '_> {
    /// The value of an expression.
    pub fn expr(&mut self, id: ExprId) -> Res<Value> {
        let unit = self.m.unit;
        let e = unit[id];
        self.locate(e.at);
        match e.kind {
            ExprKind::Error => fail(MALFORMED, "an expression with errors"),
            ExprKind::Const(c) => {
                let place = self.const_place(c)?;
                self.load(&place)
            }
            ExprKind::Var(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Swizzle(..) => {
                let place = self.place(id)?;
                self.load(&place)
            }
            ExprKind::Unary(op, a) => {
                let v = self.expr(a)?;
                self.locate(e.at);
                self.hinted(id, |l| l.unary(op, v, e.ty))
            }
            ExprKind::Binary(..) => self.binary_chain(id),
            ExprKind::Select(c, a, b) => self.select(id, c, a, b),
            ExprKind::Assign(to, from) => self.assign(to, from),
            ExprKind::AssignOp(op, to, by) => self.assign_op(id, op, to, by),
            ExprKind::Step { increment, prefix, operand } => self.step(id, increment, prefix, operand),
            ExprKind::Comma(..) => {
                let mut rest: SmallVec<[ExprId; 8]> = SmallVec::new();
                let mut first = id;
                while let ExprKind::Comma(a, b) = unit[first].kind {
                    rest.push(b);
                    first = a;
                }
                self.effects(first)?;
                while let Some(next) = rest.pop() {
                    if rest.is_empty() {
                        return self.expr(next);
                    }
                    self.effects(next)?;
                }
                Ok(Value::Void)
            }
            ExprKind::Construct(list) => self.construct(id, unit.list(list)),
            ExprKind::NonUniform(a) | ExprKind::Address(a) => self.expr(a),
            ExprKind::Dereference(_) => fail(MALFORMED, "a block is not a value"),
            ExprKind::Convert(a) => {
                let from = unit[a].ty;
                let v = self.expr(a)?;
                self.hinted(id, |l| l.convert(v, from, e.ty))
            }
            ExprKind::Call(f, list) => self.call(f, unit.list(list)),
            ExprKind::CallSubroutine(of, list) => self.call_subroutine(of, unit.list(list), e.ty),
            ExprKind::Builtin(op, list) => {
                let value = self.builtin(id, op, unit.list(list))?;
                self.locate(e.at);
                Ok(value)
            }
            ExprKind::Length(of) => {
                if let Some(array) = unit.types.as_array(unit[of].ty).filter(|a| a.len != 0) {
                    return Ok(Value::Ssa(self.b.imm_u32(array.len)));
                }
                let place = self.place(of)?;
                let deref = self.deref(&place)?;
                Ok(Value::Ssa(self.b.intrinsic(IntrinsicOp::deref_buffer_array_length, Ty::B32, &[deref])))
            }
        }
    }

    /// Evaluates an expression for its effects only.
    pub fn effects(&mut self, id: ExprId) -> Res<()> {
        let unit = self.m.unit;
        match unit[id].kind {
            ExprKind::Const(_) | ExprKind::Var(_) => Ok(()),
            // The old value need not be kept.
            ExprKind::Step { increment, operand, .. } => {
                self.locate(unit[id].at);
                self.step(id, increment, true, operand).map(|_| ())
            }
            _ => self.expr(id).map(|_| ()),
        }
    }

    /// The value of a scalar or vector expression.
    pub fn ssa(&mut self, id: ExprId) -> Res<InstrId> {
        match self.expr(id)? {
            Value::Ssa(v) => Ok(v),
            _ => fail(MALFORMED, "a scalar or vector is expected"),
        }
    }

    /// The columns of a matrix expression; of a scalar or vector, its only column.
    pub fn columns(&mut self, id: ExprId) -> Res<Columns> {
        match self.expr(id)? {
            Value::Matrix(m) => Ok(m),
            Value::Ssa(v) => Ok(SmallVec::from_slice(&[v])),
            _ => fail(MALFORMED, "a matrix is expected"),
        }
    }

    /// A constant of scalar, vector or matrix type; `scalars` are those of a [`crate::hir::Constant`].
    pub fn const_value(&mut self, ty: Type, scalars: &[u64]) -> Res<Value> {
        if let (Some(shape), Some(base)) = (shape_of(ty), ty.base()) {
            return Ok(Value::Ssa(self.b.constant(shape, lanes_of(base, scalars))));
        }
        let (Some((_, shape)), Some(base)) = (columns_of(ty), ty.base()) else {
            return fail(MALFORMED, "a constant must be a scalar, vector or matrix");
        };
        let columns = scalars.chunks_exact(usize::from(shape.comps));
        Ok(Value::Matrix(columns.map(|c| self.b.constant(shape, lanes_of(base, c))).collect()))
    }

    /// Applies `f` to a scalar or vector, or to each column of a matrix.
    pub fn map(&mut self, value: Value, mut f: impl FnMut(&mut Self, InstrId) -> InstrId) -> Res<Value> {
        match value {
            Value::Ssa(v) => Ok(Value::Ssa(f(self, v))),
            Value::Matrix(m) => Ok(Value::Matrix(m.into_iter().map(|c| f(self, c)).collect())),
            _ => fail(MALFORMED, "a scalar, vector or matrix is expected"),
        }
    }

    /// Applies `f` to the columns of two values of which one may be a scalar and the other a matrix.
    pub fn zip(
        &mut self,
        a: Value,
        b: Value,
        mut f: impl FnMut(&mut Self, InstrId, InstrId) -> InstrId,
    ) -> Res<Value> {
        match (a, b) {
            (Value::Ssa(a), Value::Ssa(b)) => Ok(Value::Ssa(f(self, a, b))),
            (Value::Matrix(m), Value::Ssa(b)) => {
                Ok(Value::Matrix(m.into_iter().map(|c| f(self, c, b)).collect()))
            }
            (Value::Ssa(a), Value::Matrix(m)) => {
                Ok(Value::Matrix(m.into_iter().map(|c| f(self, a, c)).collect()))
            }
            (Value::Matrix(a), Value::Matrix(b)) if a.len() == b.len() => {
                Ok(Value::Matrix(a.into_iter().zip(b).map(|(a, b)| f(self, a, b)).collect()))
            }
            _ => fail(MALFORMED, "the operands do not fit each other"),
        }
    }

    fn unary(&mut self, op: UnaryOp, v: Value, ty: Type) -> Res<Value> {
        let alu = ty.base().and_then(|b| operators::unary(op, b));
        let Some(alu) = alu else { return fail(MALFORMED, "an operator that its operand does not have") };
        if alu == AluOp::mov {
            return Ok(v);
        }
        self.map(v, |l, v| l.b.alu(alu, &[v]))
    }

    /// A conversion of the base type.
    pub fn convert(&mut self, v: Value, from: Type, to: Type) -> Res<Value> {
        match (from.base(), to.base()) {
            (Some(from), Some(to)) if from != to => self.map(v, |l, v| l.convert_ssa(v, from, to)),
            _ => Ok(v),
        }
    }

    /// A conversion of a scalar or vector.
    pub fn convert_ssa(&mut self, v: InstrId, from: Base, to: Base) -> InstrId {
        match operators::conversion(from, to) {
            Conversion::Same => v,
            Conversion::Alu(op) => self.b.convert(op, v, value_bits(to)),
            Conversion::NotZero(op) => {
                let zero = self.b.zero(Ty::new(1, self.b.ty(v).bits));
                self.b.alu(op, &[v, zero])
            }
        }
    }

    /// A binary operator and all those on its left side, which may be very many.
    fn binary_chain(&mut self, id: ExprId) -> Res<Value> {
        let unit = self.m.unit;
        let mut chain: SmallVec<[(BinaryOp, ExprId, ExprId, ExprId); 8]> = SmallVec::new();
        let mut first = id;
        while let ExprKind::Binary(op, a, b) = unit[first].kind {
            chain.push((op, a, b, first));
            first = a;
        }
        let mut value = self.expr(first)?;
        for (op, a, b, id) in chain.into_iter().rev() {
            value = match op {
                BinaryOp::LogicAnd | BinaryOp::LogicOr => self.short_circuit(op, value, b)?,
                BinaryOp::Equal | BinaryOp::NotEqual => {
                    if self.m.survey.has_effects(b) {
                        value = self.snapshot(value, unit[a].ty)?;
                    }
                    let other = self.expr(b)?;
                    self.locate(unit[id].at);
                    Value::Ssa(self.hinted(id, |l| l.compare(op, value, other, unit[a].ty))?)
                }
                _ => {
                    let other = self.expr(b)?;
                    self.locate(unit[id].at);
                    self.hinted(id, |l| l.binary(op, value, unit[a].ty, other, unit[b].ty))?
                }
            };
        }
        Ok(value)
    }

    /// `&&` and `||`: the right side is evaluated only if it matters (GLSL 4.60 section 5.9).
    fn short_circuit(&mut self, op: BinaryOp, left: Value, right: ExprId) -> Res<Value> {
        let Value::Ssa(left) = left else { return fail(MALFORMED, "a boolean is expected") };
        let or = op == BinaryOp::LogicOr;
        match self.b.known_condition(left) {
            Some(known) if known == or => return Ok(Value::Ssa(left)),
            Some(_) => return self.expr(right),
            None => {}
        }
        if self.m.survey.is_cheap(right) {
            let right = self.ssa(right)?;
            return Ok(Value::Ssa(if or { self.b.ior(left, right) } else { self.b.iand(left, right) }));
        }
        let cf = self.open_if(left);
        let (then, els);
        if or {
            then = self.b.imm_bool(true);
            self.open_else(cf);
            els = self.ssa(right)?;
        } else {
            then = self.ssa(right)?;
            self.open_else(cf);
            els = self.b.imm_bool(false);
        }
        self.close_if(cf);
        match self.b.if_phi(cf, then, els) {
            Some(v) => Ok(Value::Ssa(v)),
            None => fail(MALFORMED, "a choice without sides"),
        }
    }

    /// `c ? a : b`: one side is evaluated.
    fn select(&mut self, id: ExprId, c: ExprId, a: ExprId, b: ExprId) -> Res<Value> {
        let ty = self.m.unit[id].ty;
        if let Some(value) = self.long_select(id, (c, a, b))? {
            return Ok(value);
        }
        let cond = self.ssa(c)?;
        if let Some(known) = self.b.known_condition(cond) {
            return self.expr(if known { a } else { b });
        }
        let aggregate = matches!(ty, Type::Array(_) | Type::Struct(_));
        if !aggregate && self.m.survey.is_cheap(a) && self.m.survey.is_cheap(b) {
            let (a, b) = (self.expr(a)?, self.expr(b)?);
            return self.hinted(id, |l| l.zip(a, b, |l, a, b| l.b.bcsel(cond, a, b)));
        }
        if aggregate {
            let to = self.temp(ty, "")?;
            let place = Place::memory(to, ty);
            let cf = self.open_if(cond);
            let v = self.expr(a)?;
            self.store(&place, v)?;
            self.open_else(cf);
            let v = self.expr(b)?;
            self.store(&place, v)?;
            self.close_if(cf);
            return Ok(Value::Memory(to));
        }
        let cf = self.open_if(cond);
        let then = self.expr(a)?;
        self.open_else(cf);
        let els = self.expr(b)?;
        self.close_if(cf);
        if then == Value::Void && els == Value::Void {
            return Ok(Value::Void);
        }
        let mut found = true;
        let value = self.zip(then, els, |l, a, b| {
            let phi = l.b.if_phi(cf, a, b);
            found &= phi.is_some();
            phi.unwrap_or(a)
        })?;
        if found { Ok(value) } else { fail(MALFORMED, "a choice without sides") }
    }
}
