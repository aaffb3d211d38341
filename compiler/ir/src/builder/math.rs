//! Functions of several instructions that source languages have as one: geometry, matrices, interpolation curves.
//!
//! Front ends share them, so that equal source gives equal code. Operands must have the shapes that a function
//! names; a matrix is the slice of its columns.

use super::Builder;
use crate::alu::{AluFlags, AluOp};
use crate::ids::InstrId;
use crate::instr::Src;
use crate::value::{Swizzle, Ty};
use smallvec::SmallVec;

/// Columns of a matrix.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Columns, Ty};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let matrix: Columns =
///     [[1, 2], [3, 4], [5, 6]].iter().map(|c| b.constant(Ty::new(2, 8), [c[0], c[1], 0, 0])).collect();
/// // Three columns of two rows become two columns of three rows.
/// let transposed = b.transpose(&matrix);
/// assert!(transposed.iter().map(|&c| body[c].as_const().unwrap()).eq(&[[1, 3, 5, 0], [2, 4, 6, 0]]));
/// // Only square matrices have an inverse.
/// assert_eq!(Builder::at_end(&mut body).inverse(&matrix), None);
/// ```
pub type Columns = SmallVec<[InstrId; 4]>;

/// Determinants of parts of one matrix; those of two rows and columns are computed once.
struct Minors<'m> {
    columns: &'m [InstrId],
    /// By mask of columns, then mask of rows.
    pairs: [[Option<InstrId>; 16]; 16],
}

/// Positions of the one bits of a mask.
fn places(mask: usize) -> impl Iterator<Item = usize> {
    (0..4).filter(move |i| mask >> i & 1 == 1)
}

impl Minors<'_> {
    /// Determinant of the columns and rows in the masks, which have equally many bits.
    fn of(&mut self, b: &mut Builder<'_>, columns: usize, rows: usize) -> Option<InstrId> {
        let row = places(rows).next()?;
        let n = columns.count_ones();
        if n == 1 {
            let column = places(columns).next()?;
            return Some(b.channel(self.columns[column], row));
        }
        if n == 2
            && let Some(known) = self.pairs[columns][rows]
        {
            return Some(known);
        }
        // Expansion along the first row, with alternating signs.
        let mut sum: Option<InstrId> = None;
        for (i, column) in places(columns).enumerate() {
            let element = Src::comp(self.columns[column], row);
            let bits = b.ty(element.value).bits;
            let (rest_columns, rest_rows) = (columns & !(1 << column), rows & !(1 << row));
            let inner = if n == 2 {
                Src::comp(self.columns[places(rest_columns).next()?], places(rest_rows).next()?)
            } else {
                self.of(b, rest_columns, rest_rows)?.into()
            };
            let term = b.alu_of_shape(AluOp::fmul, Ty::new(1, bits), bits, &[element, inner]);
            sum = Some(match sum {
                None => term,
                Some(s) if i % 2 == 1 => b.fsub(s, term),
                Some(s) => b.fadd(s, term),
            });
        }
        if n == 2 {
            self.pairs[columns][rows] = sum;
        }
        sum
    }
}

impl Builder<'_> {
    /// A float constant as wide as `like`.
    pub fn imm_float_like(&mut self, like: InstrId, value: f64) -> InstrId {
        let bits = self.ty(like).bits;
        self.imm_float(bits, value)
    }

    // ---- vectors ----

    /// Sum of the products of the components; the product of scalars.
    pub fn fdot(&mut self, a: InstrId, b: InstrId) -> InstrId {
        let op = match self.ty(a).comps {
            1 => AluOp::fmul,
            2 => AluOp::fdot2,
            3 => AluOp::fdot3,
            _ => AluOp::fdot4,
        };
        self.alu(op, &[a, b])
    }

    /// Length of a vector.
    pub fn length(&mut self, v: InstrId) -> InstrId {
        if self.ty(v).comps == 1 {
            return self.fabs(v);
        }
        let square = self.fdot(v, v);
        self.fsqrt(square)
    }

    /// The vector of length 1 in the same direction; the sign of a scalar.
    pub fn normalize(&mut self, v: InstrId) -> InstrId {
        if self.ty(v).comps == 1 {
            return self.fsign(v);
        }
        let square = self.fdot(v, v);
        let scale = self.frsq(square);
        self.fmul(v, scale)
    }

    /// Cross product of two vectors of three components.
    pub fn cross(&mut self, a: InstrId, b: InstrId) -> InstrId {
        let (a1, b1) = (self.swizzle(a, &[1, 2, 0]), self.swizzle(b, &[2, 0, 1]));
        let (a2, b2) = (self.swizzle(a, &[2, 0, 1]), self.swizzle(b, &[1, 2, 0]));
        let (x, y) = (self.fmul(a1, b1), self.fmul(a2, b2));
        self.fsub(x, y)
    }

    /// `n` if `dot(reference, i) < 0`, else `-n`.
    pub fn face_forward(&mut self, n: InstrId, i: InstrId, reference: InstrId) -> InstrId {
        let d = self.fdot(reference, i);
        let zero = self.imm_float_like(d, 0.0);
        let is_negative = self.flt(d, zero);
        let back = self.fneg(n);
        self.bcsel(is_negative, n, back)
    }

    /// `i - 2 * dot(n, i) * n`.
    pub fn reflect(&mut self, i: InstrId, n: InstrId) -> InstrId {
        let d = self.fdot(n, i);
        let two = self.imm_float_like(d, 2.0);
        let d = self.fmul(two, d);
        let d = self.fmul(d, n);
        self.fsub(i, d)
    }

    /// Direction of `i` after refraction at a surface with normal `n` (GLSL 4.60 section 8.5); `eta` is a scalar of
    /// any float width.
    pub fn refract(&mut self, i: InstrId, n: InstrId, eta: InstrId) -> InstrId {
        let bits = self.ty(i).bits;
        let eta = if self.ty(eta).bits == bits { eta } else { self.convert(AluOp::f2f, eta, bits) };
        let d = self.fdot(n, i);
        let (zero, one) = (self.imm_float_like(d, 0.0), self.imm_float_like(d, 1.0));
        let square = self.fmul(d, d);
        let k = self.fsub(one, square);
        let eta2 = self.fmul(eta, eta);
        let k = self.fmul(eta2, k);
        let k = self.fsub(one, k);
        let root = self.fsqrt(k);
        let along = self.fmul(eta, d);
        let along = self.fadd(along, root);
        let (x, y) = (self.fmul(eta, i), self.fmul(along, n));
        let bent = self.fsub(x, y);
        let total = self.flt(k, zero);
        self.bcsel(total, zero, bent)
    }

    // ---- per component ----

    /// 0 where `x < edge`, else 1.
    pub fn step(&mut self, edge: InstrId, x: InstrId) -> InstrId {
        let below = self.flt(x, edge);
        let (zero, one) = (self.imm_float_like(x, 0.0), self.imm_float_like(x, 1.0));
        self.bcsel(below, zero, one)
    }

    /// Hermite curve from 0 at `low` to 1 at `high`.
    pub fn smooth_step(&mut self, low: InstrId, high: InstrId, x: InstrId) -> InstrId {
        let (d, range) = (self.fsub(x, low), self.fsub(high, low));
        let t = self.fdiv(d, range);
        let t = self.fsat(t);
        let (two, three) = (self.imm_float_like(t, 2.0), self.imm_float_like(t, 3.0));
        let double = self.fmul(two, t);
        let slope = self.fsub(three, double);
        let square = self.fmul(t, t);
        self.fmul(square, slope)
    }

    /// Fraction and integral part, both with the sign of `v`.
    pub fn modf(&mut self, v: InstrId) -> (InstrId, InstrId) {
        let whole = self.alu(AluOp::ftrunc, &[v]);
        (self.fsub(v, whole), whole)
    }

    /// Whether a float is NaN, whatever optimisations assume about floats.
    pub fn is_nan(&mut self, v: InstrId) -> InstrId {
        self.exactly(|b| b.fneu(v, v))
    }

    /// Whether a float is an infinity, whatever optimisations assume about floats.
    pub fn is_inf(&mut self, v: InstrId) -> InstrId {
        self.exactly(|b| {
            let abs = b.fabs(v);
            let infinity = b.imm_float_like(v, f64::INFINITY);
            b.feq(abs, infinity)
        })
    }

    /// The instructions of `build`, flagged as exact.
    fn exactly(&mut self, build: impl FnOnce(&mut Self) -> InstrId) -> InstrId {
        let flags = self.flags;
        self.flags |= AluFlags::EXACT;
        let result = build(self);
        self.flags = flags;
        result
    }

    // ---- booleans ----

    /// Whether all components of a boolean vector are true.
    pub fn all(&mut self, v: InstrId) -> InstrId {
        match self.ty(v).comps {
            1 => v,
            2 => self.alu(AluOp::ball2, &[v]),
            3 => self.alu(AluOp::ball3, &[v]),
            _ => self.alu(AluOp::ball4, &[v]),
        }
    }

    /// Whether a component of a boolean vector is true.
    pub fn any(&mut self, v: InstrId) -> InstrId {
        match self.ty(v).comps {
            1 => v,
            2 => self.alu(AluOp::bany2, &[v]),
            3 => self.alu(AluOp::bany3, &[v]),
            _ => self.alu(AluOp::bany4, &[v]),
        }
    }

    // ---- matrices ----

    /// A vector times component `i` of another.
    pub fn times_lane(&mut self, vector: InstrId, v: InstrId, i: usize) -> InstrId {
        let ty = self.ty(vector);
        let swizzle = Swizzle::splat(i, ty.comps as usize);
        self.alu_of_shape(AluOp::fmul, ty, ty.bits, &[vector.into(), Src { value: v, swizzle }])
    }

    /// `m * v`: the sum, in order, of each column times its component. `None` for a matrix without columns.
    pub fn matrix_times_vector(&mut self, m: &[InstrId], v: InstrId) -> Option<InstrId> {
        let mut sum: Option<InstrId> = None;
        for (i, &column) in m.iter().enumerate() {
            let product = self.times_lane(column, v, i);
            sum = Some(match sum {
                Some(s) => {
                    let ty = self.ty(s);
                    self.alu_of_shape(AluOp::fadd, ty, ty.bits, &[s.into(), product.into()])
                }
                None => product,
            });
        }
        sum
    }

    /// Columns of `u * transpose(v)`.
    pub fn outer_product(&mut self, u: InstrId, v: InstrId) -> Columns {
        (0..self.ty(v).comps as usize).map(|i| self.times_lane(u, v, i)).collect()
    }

    /// Columns of the transposed matrix.
    pub fn transpose(&mut self, m: &[InstrId]) -> Columns {
        let rows = m.first().map_or(0, |&c| self.ty(c).comps as usize);
        (0..rows)
            .map(|r| {
                let row: SmallVec<[Src; 4]> = m.iter().map(|&c| Src::comp(c, r)).collect();
                self.vec_srcs(&row)
            })
            .collect()
    }

    /// Whether the matrix is square, with two to four columns.
    fn is_square(&self, m: &[InstrId]) -> bool {
        (2..=4).contains(&m.len()) && m.iter().all(|&c| self.ty(c).comps as usize == m.len())
    }

    /// Determinant; `None` if the matrix is not square.
    pub fn determinant(&mut self, m: &[InstrId]) -> Option<InstrId> {
        if !self.is_square(m) {
            return None;
        }
        let all = (1 << m.len()) - 1;
        Minors { columns: m, pairs: Default::default() }.of(self, all, all)
    }

    /// Inverse: the adjugate divided by the determinant; `None` if the matrix is not square.
    pub fn inverse(&mut self, m: &[InstrId]) -> Option<Columns> {
        if !self.is_square(m) {
            return None;
        }
        let n = m.len();
        let all = (1 << n) - 1;
        let mut minors = Minors { columns: m, pairs: Default::default() };
        let determinant = minors.of(self, all, all)?;
        let scale = self.frcp(determinant);
        let mut columns = Columns::new();
        for c in 0..n {
            let mut lanes = Columns::new();
            for r in 0..n {
                // Cofactor of the transposed element.
                let x = minors.of(self, all & !(1 << r), all & !(1 << c))?;
                lanes.push(if (c + r) % 2 == 1 { self.fneg(x) } else { x });
            }
            let column = self.vec(&lanes);
            columns.push(self.fmul(column, scale));
        }
        Some(columns)
    }
}
