//! Derefs: their bases, their types, their permitted users.

use super::{FunctionChecker, Rule};
use crate::enums::Modes;
use crate::ids::InstrId;
use crate::instr::{Deref, DerefKind, InstrKind};
use crate::intrinsic::IntrinsicOp;
use crate::tex::TexSrc;
use crate::types::{Type, TypeId, Types};
use crate::value::Ty;
use slotmap::SecondaryMap;

/// Derefs that name several locations, because their path has a wildcard.
pub(super) type Derefs = SecondaryMap<InstrId, ()>;

impl FunctionChecker<'_> {
    pub(super) fn derefs(&self) -> Derefs {
        let mut wild = Derefs::new();
        for id in self.body.all_instrs() {
            let Some(d) = self.body[id].as_deref() else { continue };
            let here = matches!(d.kind, DerefKind::ArrayWildcard { .. });
            if here || d.parent().is_some_and(|p| wild.contains_key(p)) {
                wild.insert(id, ());
            }
        }
        wild
    }

    pub(super) fn check_deref(&mut self, id: InstrId, d: &Deref) {
        let types = &self.shader.types;
        self.expect(self.ty(id) == Ty::DEREF, Rule::DerefType, id, "derefs have shape 32x1");
        if d.ty.index() >= types.len() {
            return self.report_instr(Rule::DerefType, id, "the type does not exist");
        }
        if let DerefKind::Var(v) = d.kind {
            let Some(var) = self.shader.vars.get(v) else {
                return self.report_instr(Rule::DerefVariable, id, "the variable does not exist");
            };
            let own = var.mode != Modes::FUNCTION_TEMP || var.function == Some(self.id);
            self.expect(own, Rule::DerefVariable, id, "the variable belongs to another function");
            self.expect(d.ty == var.ty, Rule::DerefType, id, "the variable has another type");
            self.expect(d.modes == var.mode, Rule::DerefModes, id, "the variable has another mode");
            return;
        }
        if let DerefKind::Array { index, .. } | DerefKind::PtrAsArray { index, .. } = d.kind {
            self.expect(
                self.ty(index) == Ty::B32,
                Rule::DerefIndex,
                id,
                "the index must be one 32-bit integer",
            );
        }
        let Some(parent) = d.parent() else { return };
        let Some(from) = self.body[parent].as_deref() else {
            let pointer = matches!(d.kind, DerefKind::Cast { .. }) && {
                let ty = self.ty(parent);
                ty.comps == 1 && matches!(ty.bits, 32 | 64)
            };
            self.expect(pointer, Rule::DerefParent, id, "it does not start from a deref");
            return;
        };
        if from.ty.index() >= types.len() {
            // Reported at its definition.
            return;
        }
        let wild = matches!(d.kind, DerefKind::ArrayWildcard { .. });
        self.expect(
            !wild || !spans_blocks(types, from),
            Rule::CopyBlocks,
            id,
            "the wildcard spans several buffers",
        );
        let ok = match d.kind {
            DerefKind::Array { .. } | DerefKind::ArrayWildcard { .. } => is_element(types, from.ty, d.ty),
            DerefKind::Struct { field, .. } => match &types[from.ty] {
                Type::Struct(s) => s.members.get(field as usize).is_some_and(|m| m.ty == d.ty),
                _ => false,
            },
            DerefKind::PtrAsArray { .. } => from.ty == d.ty,
            DerefKind::Cast { .. } | DerefKind::Var(_) => true,
        };
        self.expect(ok, Rule::DerefType, id, "the type does not follow from the parent deref");
        let modes = from.modes.contains(d.modes) && !d.modes.is_empty();
        self.expect(modes, Rule::DerefModes, id, "the modes do not follow from the parent deref");
    }

    /// Checks which operands of an instruction are derefs, and with wildcards.
    pub(super) fn check_deref_uses(&mut self, id: InstrId, wild: &Derefs) {
        let body = self.body;
        let is_deref = |v: InstrId| body[v].as_deref().is_some();
        let any_deref = || {
            let mut any = false;
            body[id].visit_operands(|v| any |= is_deref(v));
            any
        };
        let (mut used, mut missing) = (true, false);
        let mut copies = false;
        match &body[id].kind {
            InstrKind::Deref(d) => {
                copies = !matches!(d.kind, DerefKind::Cast { .. });
                if let DerefKind::Array { index, .. } | DerefKind::PtrAsArray { index, .. } = d.kind {
                    used = !is_deref(index);
                }
            }
            InstrKind::Intrinsic(i) => {
                copies = i.op == IntrinsicOp::copy_deref;
                for (&v, shape) in i.srcs().iter().zip(i.op.info().operands) {
                    used &= shape.deref || !is_deref(v);
                    missing |= shape.deref && !is_deref(v);
                }
            }
            InstrKind::Tex(t) => {
                for &(role, v) in &t.srcs {
                    let takes = matches!(role, TexSrc::Texture | TexSrc::Sampler);
                    used &= takes || !is_deref(v);
                    missing |= takes && !is_deref(v);
                }
            }
            InstrKind::Call(_) => {}
            _ => used = !any_deref(),
        }
        self.expect(used, Rule::DerefUse, id, "a deref is used as a value");
        self.expect(!missing, Rule::DerefOperand, id, "an operand must be a deref");
        if !wild.is_empty() && !copies {
            let mut found = false;
            body[id].visit_operands(|v| found |= wild.contains_key(v));
            self.expect(!found, Rule::Wildcard, id, "only copies take derefs with wildcards");
        }
    }
}

/// Whether a deref leads to an array of buffers, each of which is bound for itself.
pub(super) fn spans_blocks(types: &Types, d: &Deref) -> bool {
    d.modes.intersects(Modes::UBO | Modes::SSBO)
        && matches!(types[d.ty], Type::Array { .. })
        && matches!(&types[types.without_arrays(d.ty)], Type::Struct(s) if s.block)
}

/// Whether `elem` is the type of the elements of `whole`: array elements, matrix columns, vector components.
fn is_element(types: &Types, whole: TypeId, elem: TypeId) -> bool {
    match (&types[whole], &types[elem]) {
        (Type::Array { elem: e, .. }, _) => *e == elem,
        (Type::Matrix { scalar, rows, .. }, Type::Vector { scalar: s, comps }) => {
            scalar == s && rows == comps
        }
        (Type::Vector { scalar, comps }, Type::Vector { scalar: s, comps: 1 }) => scalar == s && *comps > 1,
        _ => false,
    }
}

/// Whether two types are equal apart from explicit layout and names, without recursion.
pub(super) fn same_shape(types: &Types, a: TypeId, b: TypeId) -> bool {
    let mut work = vec![(a, b)];
    while let Some((a, b)) = work.pop() {
        if a == b {
            continue;
        }
        let same = match (&types[a], &types[b]) {
            (Type::Vector { .. }, Type::Vector { .. }) => types.value_ty(a) == types.value_ty(b),
            (
                Type::Matrix { scalar, cols, rows, .. },
                Type::Matrix { scalar: scalar2, cols: cols2, rows: rows2, .. },
            ) => (scalar, cols, rows) == (scalar2, cols2, rows2),
            (Type::Array { elem, len, .. }, Type::Array { elem: elem2, len: len2, .. }) => {
                work.push((*elem, *elem2));
                len == len2
            }
            (Type::Struct(s), Type::Struct(t)) => {
                work.extend(s.members.iter().zip(&t.members).map(|(m, n)| (m.ty, n.ty)));
                s.members.len() == t.members.len()
            }
            _ => false,
        };
        if !same {
            return false;
        }
    }
    true
}
