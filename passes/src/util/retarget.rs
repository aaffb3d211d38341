//! Points a deref at another variable, keeping its key, so that what hangs on it need not change.

use airfoil_ir::{Body, Builder, DerefKind, InstrId, InstrKind, Modes, TypeId, Types, VarId};

/// A step into an array that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayStep {
    /// One element.
    Index(InstrId),
    /// All elements.
    Wildcard,
}

impl ArrayStep {
    fn kind(self, parent: InstrId) -> DerefKind {
        match self {
            ArrayStep::Index(index) => DerefKind::Array { parent, index },
            ArrayStep::Wildcard => DerefKind::ArrayWildcard { parent },
        }
    }
}

/// The array step of a deref; `None` if it is another kind of deref.
pub fn array_step(kind: DerefKind) -> Option<(InstrId, ArrayStep)> {
    match kind {
        DerefKind::Array { parent, index } => Some((parent, ArrayStep::Index(index))),
        DerefKind::ArrayWildcard { parent } => Some((parent, ArrayStep::Wildcard)),
        _ => None,
    }
}

/// Makes `deref` the deref of what `steps` lead to from the variable `var` of type `ty`. The type of what it
/// points at must be the same as before.
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

/// Removes the derefs of a list, which is in the order of the text, that nothing uses.
pub fn remove_unused(body: &mut Body, derefs: &[InstrId]) {
    for &d in derefs.iter().rev() {
        if body.is_unused(d) {
            body.remove(d);
        }
    }
}
