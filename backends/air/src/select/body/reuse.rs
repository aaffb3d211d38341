//! Addresses, conversions and component shuffles are emitted once and reused in the code that they dominate.
//!
//! The IR has byte offsets, swizzles and typeless values instead, so passes cannot merge them. A lookup compares at most
//! [`PROBES`] slots, which bounds its cost; an instruction without a free slot is not recorded.

use crate::module::{Builder, Value, ValueKind};
use airfoil_ir::analysis::{DominatingScopes, ScopeId};
use airfoil_ir::{Body, Walk};

/// The instructions that later code can reuse.
pub(crate) struct Reuse {
    slots: Vec<Slot>,
    scopes: DominatingScopes,
    /// Whether the code being emitted dominates the rest of the region.
    active: bool,
}

/// An emitted instruction, and the region of the IR that it belongs to.
#[derive(Clone, Copy)]
struct Slot {
    inst: u32,
    scope: ScopeId,
}

/// Slots that a lookup compares.
const PROBES: usize = 8;

const EMPTY: Slot = Slot { inst: u32::MAX, scope: ScopeId::ROOT };

impl Reuse {
    pub(crate) fn new(body: &Body) -> Reuse {
        // The capacity of the body is not a property of the shader.
        let size = (2 * body.num_instrs()).next_power_of_two().clamp(256, 1 << 16);
        Reuse { slots: vec![EMPTY; size], scopes: DominatingScopes::new(), active: true }
    }

    /// Advances to the next step of the walk over the body.
    pub(crate) fn step(&mut self, body: &Body, step: Walk) {
        self.scopes.step(body, step);
    }

    /// Suspends reuse in code that does not dominate the code after it; returns the previous state.
    pub(crate) fn set_active(&mut self, active: bool) -> bool {
        std::mem::replace(&mut self.active, active)
    }

    /// Forgets everything, at the start of code that the code so far does not dominate.
    pub(crate) fn forget(&mut self) {
        self.slots.fill(EMPTY);
    }

    /// The region being emitted.
    pub(crate) fn scope(&self) -> ScopeId {
        self.scopes.current()
    }

    /// Whether code of a region dominates the current code.
    pub(crate) fn dominates(&self, scope: ScopeId) -> bool {
        self.active && self.scopes.is_open(scope)
    }

    /// The equal instruction that dominates the last one of the builder, which is then removed.
    pub(crate) fn last(&mut self, b: &mut Builder<'_>, value: Value) -> Value {
        let ValueKind::Inst(id) = value.kind() else { return value };
        let (insts, body) = (b.body().insts(), b.body());
        let inst = &insts[id as usize];
        // The operation is left to the comparison.
        let hash = body.words(inst).iter().fold(u64::from(inst.ty.0), |hash, &word| {
            (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let first = (hash >> 32) as usize;
        let mut free = None;
        for at in (first..first + PROBES).map(|at| at & (self.slots.len() - 1)) {
            let known = self.slots[at];
            let Some(old) = insts.get(known.inst as usize).filter(|_| self.scopes.is_open(known.scope))
            else {
                free = free.or(Some(at));
                // Nothing was put after an empty slot.
                if known.inst == EMPTY.inst {
                    break;
                }
                continue;
            };
            if (old.op, old.flags, old.ty) == (inst.op, inst.flags, inst.ty)
                && body.words(old) == body.words(inst)
            {
                b.remove_last();
                return Value::new(ValueKind::Inst(known.inst));
            }
        }
        if self.active
            && let Some(at) = free
        {
            self.slots[at] = Slot { inst: id, scope: self.scopes.current() };
        }
        value
    }
}
