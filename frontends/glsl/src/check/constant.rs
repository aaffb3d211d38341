//! Constant expressions are values: operators on constants are evaluated immediately, by the operations used at run time.
//!
//! The expressions that are constant by the rules of the language (GLSL 4.60 section 4.3.3) are exactly those that are
//! folded: nothing else becomes an `ExprKind::Const`.

use super::{Checker, codes};
use crate::hir::{ExprId, ExprKind, PrecisionHint};
use crate::operators::{eval_binary, eval_conversion, eval_unary};
use crate::syntax::{self, BinaryOp, UnaryOp};
use crate::types::{Base, Type, TypeTable};
use airfoil_ir::{bit_mask, sign_extend};

/// Most scalars in constants that folding computes from other constants: a bound on memory for hostile shaders.
const MAX_FOLDED: u64 = 1 << 22;

/// A scalar of another component type.
pub(crate) fn convert(scalars: &[u64], from: Base, to: Base) -> Box<[u64]> {
    scalars.iter().map(|&x| eval_conversion(from, to, x)).collect()
}

/// An integer scalar as a number.
pub(crate) fn int_value(base: Base, scalar: u64) -> i64 {
    let bits = u32::from(base.bits());
    if base.is_signed() {
        sign_extend(scalar, bits)
    } else {
        i64::try_from(scalar & bit_mask(bits)).unwrap_or(i64::MAX)
    }
}

/// A prefix operator.
pub(crate) fn unary(op: UnaryOp, base: Base, a: &[u64]) -> Option<Box<[u64]>> {
    a.iter().map(|&x| eval_unary(op, base, x)).collect()
}

/// An operand of a folded operator.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a> {
    /// Type.
    pub(crate) ty: Type,
    /// Scalars.
    pub(crate) scalars: &'a [u64],
}

/// A binary operator with operands that the rules of the language allow.
pub(crate) fn binary(
    op: BinaryOp,
    a: Operand<'_>,
    b: Operand<'_>,
    result: Type,
    types: &TypeTable,
) -> Option<Box<[u64]>> {
    if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
        let equal = equal(a, b, types)?;
        return Some(Box::new([u64::from(equal == (op == BinaryOp::Equal))]));
    }
    let base = a.ty.base()?;
    if op == BinaryOp::Mul && (a.ty.is_matrix() || b.ty.is_matrix()) && !a.ty.is_scalar() && !b.ty.is_scalar()
    {
        return product(base, a, b);
    }
    let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    let n = types.components(result) as usize;
    let lane = |o: Operand<'_>, i: usize| o.scalars.get(if o.scalars.len() == 1 { 0 } else { i }).copied();
    (0..n)
        .map(|i| {
            let (x, mut y) = (lane(a, i)?, lane(b, i)?);
            if shift {
                y = eval_conversion(b.ty.base()?, Base::Uint, y);
            }
            eval_binary(op, base, x, y)
        })
        .collect()
}

/// Whether two values of one type are equal in all scalars.
fn equal(a: Operand<'_>, b: Operand<'_>, types: &TypeTable) -> Option<bool> {
    let mut result = Some(true);
    let mut i = 0;
    for_each_base(types, a.ty, &mut |base| {
        let (x, y) = (a.scalars.get(i).copied(), b.scalars.get(i).copied());
        i += 1;
        let same = x.zip(y).and_then(|(x, y)| eval_binary(BinaryOp::Equal, base, x, y));
        result = match (result, same) {
            (Some(all), Some(same)) => Some(all && same != 0),
            _ => None,
        };
    });
    result
}

/// The component types of all scalars of a type, in order.
fn for_each_base(types: &TypeTable, ty: Type, visit: &mut dyn FnMut(Base)) {
    match ty {
        Type::Vector { base, .. } | Type::Matrix { base, .. } => {
            (0..types.components(ty)).for_each(|_| visit(base));
        }
        Type::Array(id) => {
            let array = types.get_array(id);
            (0..array.len).for_each(|_| for_each_base(types, array.elem, visit));
        }
        Type::Struct(id) => {
            types.structs[id.0 as usize].fields.iter().for_each(|f| for_each_base(types, f.ty, visit));
        }
        Type::Opaque(_) | Type::Reference(_) | Type::Void | Type::Error => {}
    }
}

/// The product of matrices and vectors: the products of each sum are added in order of the index, as lowering does.
fn product(base: Base, a: Operand<'_>, b: Operand<'_>) -> Option<Box<[u64]>> {
    // A vector on the left is one row, on the right one column.
    let (rows, inner) = match a.ty {
        Type::Matrix { cols, rows, .. } => (rows, cols),
        Type::Vector { size, .. } => (1, size),
        _ => return None,
    };
    let cols = if let Type::Matrix { cols, .. } = b.ty { cols } else { 1 };
    let (rows, inner, cols) = (usize::from(rows), usize::from(inner), usize::from(cols));
    let mut result = Vec::with_capacity(rows * cols);
    for col in 0..cols {
        for row in 0..rows {
            let mut sum = None;
            for k in 0..inner {
                let x = *a.scalars.get(k * rows + row)?;
                let y = *b.scalars.get(col * inner + k)?;
                let term = eval_binary(BinaryOp::Mul, base, x, y)?;
                sum = Some(match sum {
                    Some(sum) => eval_binary(BinaryOp::Add, base, sum, term)?,
                    None => term,
                });
            }
            result.push(sum?);
        }
    }
    Some(result.into())
}

/// A constructor whose arguments are right for its type.
pub(crate) fn construct(ty: Type, args: &[Operand<'_>]) -> Option<Box<[u64]>> {
    let (base, n) = match ty {
        Type::Vector { base, size } => (base, usize::from(size)),
        Type::Matrix { base, cols, rows } => {
            if let [arg] = args {
                let (cols, rows) = (usize::from(cols), usize::from(rows));
                match arg.ty {
                    Type::Vector { base: from, size: 1 } => {
                        let x = eval_conversion(from, base, *arg.scalars.first()?);
                        return Some(from_cells(cols, rows, |c, r| if c == r { x } else { 0 }));
                    }
                    Type::Matrix { base: from, cols: from_cols, rows: from_rows } => {
                        let one = eval_conversion(Base::Int, base, 1);
                        let (from_cols, from_rows) = (usize::from(from_cols), usize::from(from_rows));
                        return Some(from_cells(cols, rows, |c, r| {
                            if c < from_cols && r < from_rows {
                                eval_conversion(from, base, arg.scalars[c * from_rows + r])
                            } else if c == r {
                                one
                            } else {
                                0
                            }
                        }));
                    }
                    _ => {}
                }
            }
            (base, usize::from(cols) * usize::from(rows))
        }
        // Members are of the right types already.
        Type::Array(_) | Type::Struct(_) => {
            return Some(args.iter().flat_map(|a| a.scalars.iter().copied()).collect());
        }
        Type::Opaque(_) | Type::Reference(_) | Type::Void | Type::Error => return None,
    };
    if let [arg] = args
        && let Type::Vector { base: from, size: 1 } = arg.ty
    {
        return Some(vec![eval_conversion(from, base, *arg.scalars.first()?); n].into());
    }
    let mut scalars = Vec::with_capacity(n);
    for arg in args {
        let from = arg.ty.base()?;
        let room = n - scalars.len();
        scalars.extend(arg.scalars.iter().take(room).map(|&x| eval_conversion(from, base, x)));
    }
    (scalars.len() == n).then(|| scalars.into())
}

fn from_cells(cols: usize, rows: usize, cell: impl Fn(usize, usize) -> u64) -> Box<[u64]> {
    (0..cols).flat_map(|c| (0..rows).map(move |r| (c, r))).map(|(c, r)| cell(c, r)).collect()
}

impl Checker<'_> {
    /// A constant built from others, or an error when all of these together are too large.
    pub(crate) fn folded(&mut self, ty: Type, scalars: Box<[u64]>, from: &[ExprId], at: u32) -> ExprId {
        let before = self.exprs.folded;
        self.exprs.folded = before.saturating_add(scalars.len() as u64);
        if before > MAX_FOLDED {
            return self.unit.add_expr(ExprKind::Error, Type::Error, at);
        }
        if self.exprs.folded > MAX_FOLDED {
            let span = crate::source::Span { lo: at, hi: at };
            let message = format!("the constant expressions have more than {MAX_FOLDED} components together");
            return self.error_expr(span, codes::CONSTANT, message);
        }
        let precision = from.iter().map(|&e| self.unit.const_precision(e).0).max().unwrap_or_default();
        let id = self.const_expr(ty, scalars, at);
        self.unit.set_const_precision(id, PrecisionHint(precision));
        id
    }

    /// Components `start..start + n` of a constant.
    pub(crate) fn const_part(&mut self, expr: ExprId, start: u32, ty: Type, at: u32) -> Option<ExprId> {
        let c = self.as_const(expr)?;
        let n = self.unit.types.components(ty) as usize;
        let start = start as usize;
        let part: Box<[u64]> = self.unit[c].scalars.get(start..start.checked_add(n)?)?.into();
        Some(self.folded(ty, part, &[expr], at))
    }

    /// The constants that some expressions are, if all are.
    pub(crate) fn all_const(&self, exprs: &[ExprId]) -> bool {
        exprs.iter().all(|&e| self.as_const(e).is_some())
    }

    /// An expression that is constant, as an operand.
    pub(crate) fn operand(&self, expr: ExprId) -> Option<Operand<'_>> {
        let c = &self.unit[self.as_const(expr)?];
        Some(Operand { ty: c.ty, scalars: &c.scalars })
    }

    /// The value of an expression that is a constant integer.
    pub(crate) fn int_const(&self, expr: ExprId) -> Option<i64> {
        let c = &self.unit[self.as_const(expr)?];
        match c.ty {
            Type::Vector { base, size: 1 } if base.is_integer() => {
                c.scalars.first().map(|&x| int_value(base, x))
            }
            _ => None,
        }
    }

    /// The value of a constant integral expression; anything else is an error, in which `what` names the construct that
    /// requires one.
    pub fn const_int(&mut self, expr: &syntax::Expr<'_>, what: &str) -> Option<i64> {
        let commas = self.exprs.commas;
        let id = self.expr(expr);
        if self.exprs.commas != commas {
            let message = format!("{what} must not contain the comma operator (GLSL 4.60 section 4.3.3)");
            self.error(expr.span, codes::CONSTANT, message);
            return None;
        }
        if self.ty(id) == Type::Error || matches!(self.unit[id].kind, ExprKind::Error) {
            return None;
        }
        if let Some(value) = self.int_const(id) {
            return Some(value);
        }
        let ty = self.ty(id);
        let message = if matches!(ty, Type::Vector { base, size: 1 } if base.is_integer()) {
            format!("{what} must be a constant expression (GLSL 4.60 section 4.3.3)")
        } else {
            format!("{what} must be a constant integer, this is a {}", self.type_name(ty))
        };
        self.error(expr.span, codes::CONSTANT, message);
        None
    }
}
