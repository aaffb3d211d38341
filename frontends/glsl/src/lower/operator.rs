//! Binary operators: component by component, and the products of linear algebra.

use super::{Columns, Lowerer, MALFORMED, Res, Value, fail};
use crate::operators;
use crate::syntax::BinaryOp;
use crate::types::Type;
use airfoil_ir::{AluOp, InstrId, Src, Swizzle};

impl Lowerer<'_, '_> {
    /// A binary operator other than `&&`, `||`, `==` and `!=`.
    pub fn binary(&mut self, op: BinaryOp, a: Value, a_ty: Type, b: Value, b_ty: Type) -> Res<Value> {
        if op == BinaryOp::Mul
            && (a_ty.is_matrix() && !b_ty.is_scalar() || b_ty.is_matrix() && !a_ty.is_scalar())
        {
            return self.product(a, b);
        }
        let Some(base) = a_ty.as_number().base() else { return fail(MALFORMED, "an operator on no numbers") };
        let Some(alu) = operators::binary(op, base) else {
            return fail(MALFORMED, "an operator that its operands do not have");
        };
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let signed = b_ty.base().is_some_and(|b| b.is_signed());
            return self.zip(a, b, |l, a, b| {
                let by = l.as_32_bits(b, signed);
                l.b.alu(alu.op, &[a, by])
            });
        }
        self.zip(a, b, |l, a, b| if alu.swap { l.b.alu(alu.op, &[b, a]) } else { l.b.alu(alu.op, &[a, b]) })
    }

    /// The product of two matrices, or of a matrix and a vector. Sums run in order of the index, as in constant expressions.
    fn product(&mut self, a: Value, b: Value) -> Res<Value> {
        match (a, b) {
            (Value::Matrix(a), Value::Matrix(b)) => {
                let mut columns = Columns::new();
                for &column in &b {
                    columns.push(self.matrix_times_vector(&a, column)?);
                }
                Ok(Value::Matrix(columns))
            }
            (Value::Matrix(m), Value::Ssa(v)) => Ok(Value::Ssa(self.matrix_times_vector(&m, v)?)),
            (Value::Ssa(v), Value::Matrix(m)) => {
                let mut lanes = Columns::new();
                for &column in &m {
                    lanes.push(self.dot(v, column)?);
                }
                Ok(Value::Ssa(self.b.vec(&lanes)))
            }
            _ => fail(MALFORMED, "a product without a matrix"),
        }
    }

    /// The sum of the columns, each times its component of the vector.
    fn matrix_times_vector(&mut self, m: &[InstrId], v: InstrId) -> Res<InstrId> {
        if self.b.ty(v).comps as usize != m.len() {
            return fail(MALFORMED, "the sizes of a matrix and a vector do not fit");
        }
        let mut sum = None;
        for (i, &column) in m.iter().enumerate() {
            let ty = self.b.ty(column);
            let lane = Src { value: v, swizzle: Swizzle::splat(i, usize::from(ty.comps)) };
            let term = self.b.alu_of_shape(AluOp::fmul, ty, ty.bits, &[column.into(), lane]);
            sum = Some(match sum {
                Some(sum) => self.b.fadd(sum, term),
                None => term,
            });
        }
        sum.map_or_else(|| fail(MALFORMED, "a matrix without columns"), Ok)
    }

    /// The sum of the products of components.
    fn dot(&mut self, a: InstrId, b: InstrId) -> Res<InstrId> {
        let ty = self.b.ty(a);
        if self.b.ty(b) != ty {
            return fail(MALFORMED, "the sizes of a vector and a matrix do not fit");
        }
        let products = self.b.fmul(a, b);
        let mut sum = self.b.channel(products, 0);
        for i in 1..usize::from(ty.comps) {
            let term = self.b.channel(products, i);
            sum = self.b.fadd(sum, term);
        }
        Ok(sum)
    }
}
