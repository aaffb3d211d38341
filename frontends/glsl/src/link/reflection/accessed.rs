//! The parts of blocks that expressions access: the others are not active, or not referenced by the stage.

use crate::hir::{ExprId, ExprKind, Storage, Unit, VarId, Variable};
use crate::link::interface::block_of;
use rustc_hash::{FxHashMap, FxHashSet};

/// The parts of a block that expressions access.
#[derive(Default)]
struct Parts {
    members: FxHashSet<u32>,
    /// Elements of an array of blocks, arrays of arrays in row-major order.
    elements: FxHashSet<u32>,
    /// An element is accessed by an index that is not constant.
    any: bool,
}

/// The parts of the arrays of blocks and built-in blocks of a stage that its expressions access.
pub(super) struct Accessed {
    /// `None` for a stage without expressions: another front end has read it, and all parts count as accessed.
    blocks: Option<FxHashMap<VarId, Parts>>,
}

impl Accessed {
    /// Reads the expressions of a stage, if it has such blocks.
    pub fn of(unit: &Unit) -> Accessed {
        if unit.is_imported() {
            return Accessed { blocks: None };
        }
        let mut blocks: FxHashMap<VarId, Parts> = (0u32..)
            .zip(&unit.vars)
            .filter(|(_, v)| has_parts(unit, v))
            .map(|(n, _)| (VarId(n), Parts::default()))
            .collect();
        if !blocks.is_empty() {
            for expr in &unit.exprs {
                if let ExprKind::Field(base, member) = expr.kind {
                    add(unit, base, member, &mut blocks);
                }
            }
        }
        Accessed { blocks: Some(blocks) }
    }

    /// Whether a member of an element of an array of blocks is accessed.
    pub fn element(&self, var: VarId, element: u32) -> bool {
        self.part(var, |parts| parts.any || parts.elements.contains(&element))
    }

    /// Whether a member of a built-in block is accessed.
    pub fn member(&self, var: VarId, member: u32) -> bool {
        self.part(var, |parts| parts.members.contains(&member))
    }

    fn part(&self, var: VarId, has: impl FnOnce(&Parts) -> bool) -> bool {
        self.blocks.as_ref().is_none_or(|blocks| blocks.get(&var).is_none_or(has))
    }
}

/// Whether a variable is a block of which parts can be unused.
fn has_parts(unit: &Unit, var: &Variable) -> bool {
    let is_array = matches!(var.qualifiers.storage, Storage::Uniform | Storage::Buffer)
        && unit.types.as_array(var.ty).is_some();
    (is_array || var.builtin.is_some()) && block_of(unit, var).is_some()
}

/// Adds the access of a member of `base`.
fn add(unit: &Unit, mut base: ExprId, member: u32, blocks: &mut FxHashMap<VarId, Parts>) {
    let (mut element, mut stride) = (Some(0u32), 1u32);
    while let ExprKind::Index(array, index) = unit[base].kind {
        let at = constant_index(unit, index).map(|at| at.saturating_mul(stride));
        element = element.zip(at).map(|(a, b)| a.saturating_add(b));
        stride = stride.saturating_mul(unit.types.as_array(unit[array].ty).map_or(1, |a| a.len));
        base = array;
    }
    let ExprKind::Var(var) = unit[base].kind else { return };
    let Some(parts) = blocks.get_mut(&var) else { return };
    parts.members.insert(member);
    match element {
        Some(element) => _ = parts.elements.insert(element),
        None => parts.any = true,
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
