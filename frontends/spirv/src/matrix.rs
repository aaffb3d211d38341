//! Matrices: as values they are their columns.

use crate::error::*;
use crate::function::Fun;
use crate::types::{Kind, TyIx};
use crate::value::Val;
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::Op;

/// Columns of a matrix.
pub(crate) type Columns = SmallVec<[InstrId; 4]>;

impl Fun<'_, '_> {
    /// The columns of a matrix.
    pub fn columns(&mut self, id: u32) -> Res<Columns> {
        let (ty, value) = self.value(id)?;
        self.columns_of(value, ty)
    }

    fn columns_of(&mut self, value: Val, ty: TyIx) -> Res<Columns> {
        let Kind::Matrix { column, n } = self.r.kind(ty) else {
            bail!(TYPE, "{} is no matrix", self.r.show_type(ty));
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
            return fail(TYPE, "the result is no matrix");
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
                let t = self.transpose(&m);
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
                let mut columns = Columns::new();
                for i in 0..self.b.ty(v).comps as usize {
                    columns.push(self.times_lane(u, v, i)?);
                }
                self.set_columns(&columns)
            }
        }
    }

    fn matrix_times_vector(&mut self, m: &[InstrId], v: InstrId) -> Res<InstrId> {
        if self.b.ty(v).comps as usize != m.len() {
            return fail(TYPE, "the sizes of the operands do not fit");
        }
        let mut sum = None;
        for (i, &column) in m.iter().enumerate() {
            let product = self.times_lane(column, v, i)?;
            sum = Some(match sum {
                Some(s) => self.add(s, product),
                None => product,
            });
        }
        sum.ok_or_else(|| error(TYPE, "a matrix without columns"))
    }

    /// A vector times component `i` of another.
    fn times_lane(&mut self, vector: InstrId, v: InstrId, i: usize) -> Res<InstrId> {
        let (ty, lane) = (self.b.ty(vector), self.b.ty(v));
        if ty.bits != lane.bits || ty.bits < 16 {
            return fail(TYPE, "the operands are not floats of one width");
        }
        let swizzle = Swizzle::splat(i, ty.comps as usize);
        let srcs = [vector.into(), Src { value: v, swizzle }];
        Ok(self.b.alu_of_shape(AluOp::fmul, ty, ty.bits, &srcs))
    }

    /// Sum of two values of one shape.
    fn add(&mut self, a: InstrId, b: InstrId) -> InstrId {
        let ty = self.b.ty(a);
        self.b.alu_of_shape(AluOp::fadd, ty, ty.bits, &[a.into(), b.into()])
    }

    /// Columns of the transposed matrix.
    pub fn transpose(&mut self, m: &[InstrId]) -> Columns {
        let rows = m.first().map_or(0, |&c| self.b.ty(c).comps as usize);
        (0..rows)
            .map(|r| {
                let row: SmallVec<[Src; 4]> = m.iter().map(|&c| Src::comp(c, r)).collect();
                self.b.vec_srcs(&row)
            })
            .collect()
    }

    fn product(&mut self, a: InstrId, b: InstrId) -> InstrId {
        self.b.fmul(a, b)
    }

    /// Element `r` of column `c`.
    fn at_of(&mut self, m: &[InstrId], c: usize, r: usize) -> InstrId {
        self.b.channel(m[c], r)
    }

    /// Determinant of the rows and columns that are listed.
    fn minor(&mut self, m: &[InstrId], columns: &[usize], rows: &[usize]) -> InstrId {
        if let ([c], [r]) = (columns, rows) {
            return self.at_of(m, *c, *r);
        }
        let mut sum = None;
        for (i, &c) in columns.iter().enumerate() {
            let rest: SmallVec<[usize; 4]> = columns.iter().copied().filter(|&k| k != c).collect();
            let inner = self.minor(m, &rest, &rows[1..]);
            let x = self.at_of(m, c, rows[0]);
            let term = self.product(x, inner);
            sum = Some(match sum {
                None => term,
                Some(s) if i % 2 == 1 => self.b.fsub(s, term),
                Some(s) => self.b.fadd(s, term),
            });
        }
        sum.unwrap_or_else(|| self.b.imm_f32(1.0))
    }

    /// Determinant of a square matrix.
    pub fn determinant(&mut self, m: &[InstrId]) -> Res<InstrId> {
        let n = m.len();
        if m.iter().any(|&c| self.b.ty(c).comps as usize != n) {
            return fail(TYPE, "the matrix is not square");
        }
        let all = [0, 1, 2, 3];
        Ok(self.minor(m, &all[..n], &all[..n]))
    }

    /// Inverse of a square matrix: the adjugate divided by the determinant.
    pub fn inverse(&mut self, m: &[InstrId]) -> Res<Columns> {
        let n = m.len();
        let det = self.determinant(m)?;
        let scale = self.b.frcp(det);
        let mut columns = Columns::new();
        for c in 0..n {
            let mut lanes = Columns::new();
            for r in 0..n {
                // Cofactor of the transposed place.
                let cs: SmallVec<[usize; 4]> = (0..n).filter(|&k| k != r).collect();
                let rs: SmallVec<[usize; 4]> = (0..n).filter(|&k| k != c).collect();
                let x = self.minor(m, &cs, &rs);
                lanes.push(if (c + r) % 2 == 1 { self.b.fneg(x) } else { x });
            }
            let column = self.b.vec(&lanes);
            columns.push(self.b.fmul(column, scale));
        }
        Ok(columns)
    }
}
