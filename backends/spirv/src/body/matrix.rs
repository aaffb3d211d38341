//! Products of matrices and vectors: values of the IR are columns, and a product is the sum of the columns times the
//! components of the vector. Such sums become OpMatrixTimesVector. The operations of a sum that is exact are kept apart.

use super::{Code, Want};
use crate::errors::*;
use crate::module::Class;
use airfoil_ir::{Access, Alu, AluOp, Body, DerefKind, InstrId, IntrinsicOp, Modes, Shader, Src, Ty, Type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv::Op;

/// A product of a matrix and a vector.
#[derive(Clone, Debug)]
pub(super) struct Product {
    columns: SmallVec<[Src; 4]>,
    vector: InstrId,
    /// The last column is added as it is, or times this constant: the last component of the vector, as raw bits.
    last: Option<u64>,
    /// The matrix in memory whose columns these are.
    memory: Option<InstrId>,
}

/// The products of a body.
#[derive(Default)]
pub(super) struct Products {
    of: FxHashMap<InstrId, Product>,
    /// Operations that are part of a product, and loads that serve products only, by index.
    covered: Vec<bool>,
}

impl Products {
    pub fn new(shader: &Shader, body: &Body) -> Products {
        let mut products = Products { of: FxHashMap::default(), covered: vec![false; body.instr_capacity()] };
        // Sums after their parts.
        let sums: Vec<InstrId> = body.all_instrs().filter(|&i| sum(body, i).is_some()).collect();
        let mut loads: FxHashMap<InstrId, u32> = FxHashMap::default();
        for &root in sums.iter().rev() {
            if products.is_covered(root) {
                continue;
            }
            if let Some((product, parts)) = product(shader, body, root) {
                parts.iter().for_each(|p| products.covered[p.index()] = true);
                if product.memory.is_some() {
                    product.columns.iter().for_each(|c| *loads.entry(c.value).or_default() += 1);
                }
                products.of.insert(root, product);
            }
        }
        for (load, uses) in loads {
            products.covered[load.index()] = uses == body[load].uses();
        }
        products
    }

    pub fn is_covered(&self, instr: InstrId) -> bool {
        self.covered.get(instr.index()).copied().unwrap_or(false)
    }
}

/// The sum of two vectors that may be rounded differently.
fn sum(body: &Body, id: InstrId) -> Option<(InstrId, InstrId)> {
    let instr = &body[id];
    let alu = instr.as_alu().filter(|a| a.op == AluOp::fadd && !a.is_exact() && instr.ty.comps > 1)?;
    let whole = |i: usize| {
        let s = alu.src(i);
        let fits = body[s.value].ty == instr.ty && s.swizzle.is_identity(usize::from(instr.ty.comps));
        fits.then_some(s.value)
    };
    Some((whole(0)?, whole(1)?))
}

/// A column times component `lane` of a vector: the column and the vector.
fn term(body: &Body, id: InstrId, lane: usize) -> Option<(Src, InstrId)> {
    let instr = &body[id];
    let alu: &Alu = instr.as_alu().filter(|a| a.op == AluOp::fmul && !a.is_exact() && instr.uses() == 1)?;
    let comps = usize::from(instr.ty.comps);
    let spread = |s: Src| {
        let vector = body[s.value].ty.comps > 1 && body[s.value].as_const().is_none();
        vector && (0..comps).all(|i| s.swizzle.get(i) == lane)
    };
    match (spread(alu.src(0)), spread(alu.src(1))) {
        (_, true) => Some((alu.src(0), alu.src(1).value)),
        (true, false) => Some((alu.src(1), alu.src(0).value)),
        (false, false) => None,
    }
}

/// A column times one constant: the column and the constant.
fn scaled(body: &Body, id: InstrId) -> Option<(Src, u64)> {
    let instr = &body[id];
    let alu = instr.as_alu().filter(|a| a.op == AluOp::fmul && !a.is_exact() && instr.uses() == 1)?;
    let constant = |s: Src| {
        let lanes = body[s.value].as_const()?;
        let first = lanes[s.swizzle.get(0)];
        (1..usize::from(instr.ty.comps)).all(|i| lanes[s.swizzle.get(i)] == first).then_some(first)
    };
    let (a, b) = (alu.src(0), alu.src(1));
    match (constant(a), constant(b)) {
        (None, Some(scale)) => Some((a, scale)),
        (Some(scale), None) => Some((b, scale)),
        _ => None,
    }
}

fn product(shader: &Shader, body: &Body, root: InstrId) -> Option<(Product, SmallVec<[InstrId; 8]>)> {
    // The terms from the last to the first.
    let mut terms: SmallVec<[InstrId; 4]> = SmallVec::new();
    let mut parts: SmallVec<[InstrId; 8]> = SmallVec::new();
    let mut at = root;
    while let Some((left, right)) = sum(body, at) {
        if terms.len() == 3 || at != root && body[at].uses() != 1 {
            break;
        }
        if at != root {
            parts.push(at);
        }
        terms.push(right);
        at = left;
    }
    terms.push(at);
    terms.reverse();
    let mut columns: SmallVec<[Src; 4]> = SmallVec::new();
    let mut vector = None;
    let mut constant = None;
    for (lane, &t) in terms.iter().enumerate() {
        let last = lane + 1 == terms.len();
        match term(body, t, lane).filter(|&(_, v)| vector.is_none_or(|known| known == v)) {
            Some((column, v)) => {
                vector = Some(v);
                columns.push(column);
                parts.push(t);
            }
            // A translation.
            None if last && lane >= 2 && body[t].as_const().is_none() => match scaled(body, t) {
                Some((column, scale)) => {
                    constant = Some(scale);
                    columns.push(column);
                    parts.push(t);
                }
                None => {
                    constant = Some(airfoil_ir::alu::f64_to_bits(1.0, u32::from(body[t].ty.bits)));
                    columns.push(t.into());
                }
            },
            None => return None,
        }
    }
    if columns.len() < 2 {
        return None;
    }
    let memory = memory(shader, body, &columns, body[root].ty.comps);
    // A matrix of values pays from three columns on.
    if memory.is_none() && columns.len() < 3 {
        return None;
    }
    Some((Product { columns, vector: vector?, last: constant, memory }, parts))
}

/// The deref of the matrix whose columns are loaded from memory that is never written.
fn memory(shader: &Shader, body: &Body, columns: &[Src], rows: u8) -> Option<InstrId> {
    let mut matrix = None;
    for (i, column) in columns.iter().enumerate() {
        let load = body[column.value].as_intrinsic().filter(|l| l.op == IntrinsicOp::load_deref)?;
        if load.access().intersects(Access::VOLATILE | Access::NON_UNIFORM)
            || !column.swizzle.is_identity(usize::from(rows))
            || body[column.value].ty.comps != rows
        {
            return None;
        }
        let deref = body[load.src(0)].as_deref()?;
        let DerefKind::Array { parent, index } = deref.kind else { return None };
        let read_only = Modes::UBO | Modes::PUSH_CONST;
        let of = body[parent].as_deref().filter(|d| read_only.contains(d.modes))?;
        let Type::Matrix { cols, rows: r, .. } = shader.types[of.ty] else { return None };
        let fits = usize::from(cols) == columns.len() && r == rows;
        let same = matrix.is_none_or(|m| m == parent);
        if !fits || !same || body[index].as_const()?[0] != i as u64 {
            return None;
        }
        matrix = Some(parent);
    }
    matrix
}

impl Code<'_, '_, '_> {
    /// Writes a product; false if the instruction is none.
    pub(super) fn matrix_product(&mut self, id: InstrId, alu: &Alu) -> Res<bool> {
        let Some(product) = self.products.of.get(&id).cloned() else { return Ok(false) };
        let ty = self.ty(id);
        let n = product.columns.len() as u8;
        let column_type = self.value_type(Class::Float, ty)?;
        let matrix_type = self.w.m.declare(Op::TypeMatrix, &[column_type, u32::from(n)], 0).0;
        let want = Want::Exactly(Class::Float);
        let matrix = match product.memory {
            Some(deref) => {
                let pointer = self.pointer(deref)?;
                self.shared(Op::Load, matrix_type, &[pointer.id])
            }
            None => {
                let mut columns: SmallVec<[u32; 5]> = SmallVec::new();
                for &column in &product.columns {
                    columns.push(self.src(column, ty.comps, want)?);
                }
                if product.columns.iter().all(|c| self.body[c.value].as_const().is_some()) {
                    columns.insert(0, matrix_type);
                    self.w.m.declare(Op::ConstantComposite, &columns, 0).0
                } else {
                    self.shared(Op::CompositeConstruct, matrix_type, &columns)
                }
            }
        };
        let vector_ty = Ty::new(n, ty.bits);
        let vector = if let Some(last) = product.last {
            let known = self.first_components(product.vector, n - 1, want)?;
            let last = self.splat(Class::Float, vector_ty.with_comps(1), last)?;
            let t = self.value_type(Class::Float, vector_ty)?;
            self.shared(Op::CompositeConstruct, t, &[known, last])
        } else {
            self.first_components(product.vector, n, want)?
        };
        let value = self.op(Op::MatrixTimesVector, column_type, &[matrix, vector]);
        self.decorate_value(value, alu);
        self.define(id, value);
        Ok(true)
    }
}
