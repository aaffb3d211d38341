//! Emission of instructions without side effects, each once in the code that it dominates.

use super::FunctionEmitter;
use crate::module::{Builder, CastOp, TypeId, Value};

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
