//! Addresses, conversions and component shuffles are emitted once and reused in the code that they dominate.
//!
//! The IR has byte offsets, swizzles and typeless values instead, so passes cannot merge them. The table is direct-mapped and forgets on a collision, which keeps a lookup at a fixed cost.

use super::FunctionEmitter;
use crate::module::{Builder, CastOp, TypeId, Value, ValueKind};
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
    fn last(&mut self, b: &mut Builder<'_>, value: Value) -> Value {
        let ValueKind::Inst(id) = value.kind() else { return value };
        let (insts, body) = (b.body().insts(), b.body());
        let inst = &insts[id as usize];
        // The operation is left to the comparison.
        let hash = body.words(inst).iter().fold(u64::from(inst.ty.0), |hash, &word| {
            (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let at = (hash >> 32) as usize & (self.slots.len() - 1);
        let known = self.slots[at];
        if let Some(old) = insts.get(known.inst as usize)
            && (old.op, old.flags, old.ty) == (inst.op, inst.flags, inst.ty)
            && body.words(old) == body.words(inst)
            && self.scopes.is_open(known.scope)
        {
            b.remove_last();
            return Value::new(ValueKind::Inst(known.inst));
        }
        if self.active {
            self.slots[at] = Slot { inst: id, scope: self.scopes.current() };
        }
        value
    }
}

impl FunctionEmitter<'_> {
    /// Emits at most one instruction without side effects, or returns an equal one that dominates it.
    pub(crate) fn reuse(&mut self, emit: impl FnOnce(&mut Builder<'_>) -> Value) -> Value {
        let before = self.b.body().insts().len();
        let value = emit(&mut self.b);
        if self.b.body().insts().len() == before + 1 {
            self.state.reuse.last(&mut self.b, value)
        } else {
            value
        }
    }

    /// `getelementptr inbounds`
    pub(crate) fn gep(&mut self, pointer: Value, indices: &[Value]) -> Value {
        self.reuse(|b| b.gep(pointer, indices))
    }

    /// `bitcast`
    pub(crate) fn bitcast(&mut self, value: Value, ty: TypeId) -> Value {
        self.reuse(|b| b.bitcast(value, ty))
    }

    /// `zext`
    pub(crate) fn zext(&mut self, value: Value, ty: TypeId) -> Value {
        self.reuse(|b| b.cast(CastOp::ZExt, value, ty))
    }

    /// `extractelement`
    pub(crate) fn extract_lane(&mut self, vector: Value, lane: u32) -> Value {
        let index = self.lane_index(lane);
        self.reuse(|b| b.extract_element(vector, index))
    }

    /// `insertelement`
    pub(crate) fn insert_lane(&mut self, vector: Value, element: Value, lane: u32) -> Value {
        let index = self.lane_index(lane);
        self.reuse(|b| b.insert_element(vector, element, index))
    }

    /// `shufflevector`
    pub(crate) fn shuffle(&mut self, a: Value, b: Value, lanes: &[impl Copy + Into<Option<u32>>]) -> Value {
        self.reuse(|builder| builder.shuffle(a, b, lanes))
    }
}
