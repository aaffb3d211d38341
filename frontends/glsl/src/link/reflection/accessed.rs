//! The parts of blocks that expressions access: the others are not active, or not referenced by the stage.

use crate::hir::{Expr, ExprId, ExprKind, Unit, VarId};
use rustc_hash::FxHashSet;

/// Elements of an array of blocks.
pub(super) enum Elements {
    All,
    Some(FxHashSet<u32>),
}

impl Elements {
    /// Whether an element is one of them.
    pub fn has(&self, element: u32) -> bool {
        match self {
            Elements::All => true,
            Elements::Some(list) => list.contains(&element),
        }
    }
}

/// The value of a constant index.
fn constant_index(unit: &Unit, index: ExprId) -> Option<u32> {
    let constant = match unit[index].kind {
        ExprKind::Const(id) => Some(id),
        ExprKind::Var(v) => unit[v].constant,
        _ => None,
    };
    unit[constant?].scalars.first()?.to_owned().try_into().ok()
}

/// The elements of an array of blocks whose members expressions access, arrays of arrays in row-major order.
pub(super) fn accessed_elements(unit: &Unit, var: VarId) -> Elements {
    let mut list = FxHashSet::default();
    for expr in &unit.exprs {
        let ExprKind::Field(mut base, _) = expr.kind else { continue };
        let (mut element, mut stride) = (Some(0u32), 1u32);
        while let ExprKind::Index(array, index) = unit[base].kind {
            let at = constant_index(unit, index).map(|at| at.saturating_mul(stride));
            element = element.zip(at).map(|(a, b)| a.saturating_add(b));
            stride = stride.saturating_mul(unit.types.as_array(unit[array].ty).map_or(1, |a| a.len));
            base = array;
        }
        if !matches!(unit[base].kind, ExprKind::Var(v) if v == var) {
            continue;
        }
        match element {
            Some(element) => list.insert(element),
            None => return Elements::All,
        };
    }
    Elements::Some(list)
}

/// The members of `gl_in` or `gl_out` that expressions access: the others are not active.
pub(super) fn accessed_members(unit: &Unit, var: VarId) -> FxHashSet<u32> {
    let member = |expr: &Expr| {
        let ExprKind::Field(mut base, member) = expr.kind else { return None };
        while let ExprKind::Index(array, _) = unit[base].kind {
            base = array;
        }
        matches!(unit[base].kind, ExprKind::Var(v) if v == var).then_some(member)
    };
    unit.exprs.iter().filter_map(member).collect()
}
