//! Points a deref at another variable, keeping its ID, so that its users need not change.

use airfoil_ir::{Body, Builder, DerefKind, InstrId, InstrKind, Modes, TypeId, Types, VarId};

/// An array step that is preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayStep {
    /// One element.
    Index(InstrId),
    /// All elements.
    Wildcard,
}

impl ArrayStep {
    /// The deref of this step from a deref of an array.
    pub fn kind(self, parent: InstrId) -> DerefKind {
        match self {
            ArrayStep::Index(index) => DerefKind::Array { parent, index },
            ArrayStep::Wildcard => DerefKind::ArrayWildcard { parent },
        }
    }
}

/// The array step of a deref; `None` for other kinds.
pub fn array_step(kind: DerefKind) -> Option<(InstrId, ArrayStep)> {
    match kind {
        DerefKind::Array { parent, index } => Some((parent, ArrayStep::Index(index))),
        DerefKind::ArrayWildcard { parent } => Some((parent, ArrayStep::Wildcard)),
        _ => None,
    }
}

/// Turns `deref` into a chain of `steps` from the variable `var` of type `ty`. The type of its target must
/// not change.
pub fn retarget(
    body: &mut Body,
    types: &mut Types,
    deref: InstrId,
    (var, ty, modes): (VarId, TypeId, Modes),
    steps: &[ArrayStep],
) {
    let mut b = Builder::before(body, deref);
    let mut kind = DerefKind::Var(var);
    let mut at = ty;
    for step in steps {
        let parent = b.deref(kind, at, modes);
        kind = step.kind(parent);
        at = types.element(at).unwrap_or(at);
    }
    body.edit(deref, |i| {
        if let InstrKind::Deref(d) = &mut i.kind {
            d.kind = kind;
            d.modes = modes;
        }
    });
}

/// Removes the unused derefs of a list in program order.
pub fn remove_unused(body: &mut Body, derefs: &[InstrId]) {
    for &d in derefs.iter().rev() {
        if body.is_unused(d) {
            body.remove(d);
        }
    }
}
