//! Matrices: as values they are their columns.

use crate::error::*;
use crate::state::{FunctionTranslator, Kind, TyIx, Val};
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::Op;

impl FunctionTranslator<'_, '_> {
    /// The columns of a matrix.
    pub fn columns(&mut self, id: u32) -> Res<Columns> {
        let (ty, value) = self.value(id)?;
        self.columns_of(value, ty)
    }

    fn columns_of(&mut self, value: Val, ty: TyIx) -> Res<Columns> {
        let Kind::Matrix { column, n } = self.r.kind(ty) else {
            bail!(TYPE, "{} is not a matrix", self.r.show_type(ty));
        };
        let mut columns = Columns::new();
        for i in 0..u32::from(n) {
            let v = self.extract(value, ty, i)?;
            columns.push(self.ssa_from(v, column)?);
        }
        Ok(columns)
    }

    /// Defines the result as a matrix.
    pub fn set_columns(&mut self, columns: &[InstrId]) -> Res<()> {
        let ty = self.result_type()?;
        let Kind::Matrix { column, n } = self.r.kind(ty) else {
            return fail(TYPE, "the result is not a matrix");
        };
        let shape = self.r.shape(column)?;
        if columns.len() != n as usize || columns.iter().any(|&c| self.b.ty(c) != shape) {
            return fail(TYPE, "the operands do not fit the type of the result");
        }
        let parts: SmallVec<[Val; 4]> = columns.iter().map(|&c| Val::Ssa(c)).collect();
        let value = self.tree(&parts)?;
        self.set(value, ty)
    }

    /// An operation column by column.
    pub fn alu_on_matrices(&mut self, op: AluOp) -> Res<()> {
        let mut operands: SmallVec<[Columns; 2]> = SmallVec::new();
        for i in 0..op.num_operands() {
            operands.push(self.columns(self.inst.word(3 + i)?)?);
        }
        let n = operands.iter().map(|c| c.len()).min().unwrap_or(0);
        let mut columns = Columns::new();
        for c in 0..n {
            let values: Columns = operands.iter().map(|o| o[c]).collect();
            columns.push(self.checked_alu(op, &values)?);
        }
        self.set_columns(&columns)
    }

    pub fn matrix_op(&mut self, op: Op) -> Res<()> {
        let a = self.inst.word(3)?;
        match op {
            Op::Transpose => {
                let m = self.columns(a)?;
                let t = self.b.transpose(&m);
                self.set_columns(&t)
            }
            Op::MatrixTimesScalar => {
                let (m, s) = (self.columns(a)?, self.ssa(self.inst.word(4)?)?);
                let m: Res<Columns> = m.iter().map(|&c| self.checked_alu(AluOp::fmul, &[c, s])).collect();
                self.set_columns(&m?)
            }
            Op::MatrixTimesVector => {
                let (m, v) = (self.columns(a)?, self.ssa(self.inst.word(4)?)?);
                let v = self.matrix_times_vector(&m, v)?;
                self.set_ssa(v)
            }
            Op::VectorTimesMatrix => {
                let (v, m) = (self.ssa(a)?, self.columns(self.inst.word(4)?)?);
                let dots: Res<Columns> = m.iter().map(|&c| self.dot(v, c)).collect();
                let v = self.b.vec(&dots?);
                self.set_ssa(v)
            }
            Op::MatrixTimesMatrix => {
                let (m, n) = (self.columns(a)?, self.columns(self.inst.word(4)?)?);
                let mut columns = Columns::new();
                for &c in &n {
                    columns.push(self.matrix_times_vector(&m, c)?);
                }
                self.set_columns(&columns)
            }
            _ => {
                // OpOuterProduct
                let (u, v) = (self.ssa(a)?, self.ssa(self.inst.word(4)?)?);
                self.same_floats(u, v)?;
                let columns = self.b.outer_product(u, v);
                self.set_columns(&columns)
            }
        }
    }

    fn matrix_times_vector(&mut self, m: &[InstrId], v: InstrId) -> Res<InstrId> {
        if self.b.ty(v).comps as usize != m.len() {
            return fail(TYPE, "the sizes of the operands do not fit");
        }
        for &column in m {
            self.same_floats(column, v)?;
        }
        self.b.matrix_times_vector(m, v).ok_or_else(|| error(TYPE, "a matrix without columns"))
    }

    fn same_floats(&self, a: InstrId, b: InstrId) -> Res<()> {
        let (a, b) = (self.b.ty(a), self.b.ty(b));
        if a.bits != b.bits || a.bits < 16 {
            return fail(TYPE, "the operands are not floats of one width");
        }
        Ok(())
    }
}
