//! Whether values are better held as floats or as integers, by vote of their definitions and uses.

use super::Usage;
use crate::select::types::Class;
use airfoil_ir::alu::Base;
use airfoil_ir::{Body, InstrId, InstrKind, Scalar};

impl Usage {
    pub(super) fn find(&self, mut at: u32) -> u32 {
        while self.cells[at as usize].parent != at {
            at = self.cells[at as usize].parent;
        }
        at
    }

    pub(super) fn find_and_shorten(&mut self, mut at: u32) -> u32 {
        while self.cells[at as usize].parent != at {
            let up = self.cells[self.cells[at as usize].parent as usize].parent;
            self.cells[at as usize].parent = up;
            at = up;
        }
        at
    }

    pub(super) fn vote(&mut self, value: InstrId, base: Base, weight: i32) {
        let sign = match base {
            Base::Float => weight,
            Base::Int | Base::Uint => -weight,
            Base::Bool | Base::Any => return,
        };
        let at = self.find_and_shorten(value.index() as u32) as usize;
        self.cells[at].score = self.cells[at].score.saturating_add(sign);
    }

    pub(super) fn vote_scalar(&mut self, value: InstrId, scalar: Scalar, weight: i32) {
        let base = match scalar {
            Scalar::Any | Scalar::Bool => Base::Any,
            s if s.is_float() => Base::Float,
            _ => Base::Int,
        };
        self.vote(value, base, weight);
    }

    /// Both values are better held alike. Constants fit everywhere and join nothing.
    pub(super) fn join(&mut self, body: &Body, a: InstrId, b: InstrId) {
        if matches!(body[b].kind, InstrKind::Const(_) | InstrKind::Undef) {
            return;
        }
        let (x, y) = (self.find_and_shorten(a.index() as u32), self.find_and_shorten(b.index() as u32));
        if x != y {
            // The older value stays the root, which keeps chains short.
            let (low, high) = (x.min(y), x.max(y));
            self.cells[high as usize].parent = low;
            let score = self.cells[high as usize].score;
            self.cells[low as usize].score = self.cells[low as usize].score.saturating_add(score);
        }
    }

    /// How a value of `bits` bits is better held.
    pub(crate) fn class(&self, value: InstrId, bits: u8) -> Class {
        if !matches!(bits, 16 | 32) {
            return Class::Int;
        }
        let at = self.find(value.index() as u32) as usize;
        if self.cells[at].score > 0 { Class::Float } else { Class::Int }
    }
}
