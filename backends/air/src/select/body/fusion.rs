//! Operations that take over operands: `llvm.fmuladd` for the product of a sum, `llvm.fshl` for two shifts, `extractelement` for
//! the selections and comparisons that choose a component of a vector.
//!
//! Apple's compiler writes `llvm.fmuladd` where fast math is off: the product may be rounded or not, which is the
//! meaning of `contract` on both operations. It saves one instruction.

use super::FunctionEmitter;
use crate::functions::Air;
use crate::module::{FastMath, TypeId, Value, ValueKind};
use crate::select::options::FastMathMode;
use crate::select::plan::usage::fusion;
use crate::select::types::Class;
use airfoil_ir::{Alu, AluOp, InstrId, Src, Ty};

impl FunctionEmitter<'_> {
    /// Whether operations are taken over by their use with these options.
    pub(super) fn fuses(&self, op: AluOp) -> bool {
        match op {
            AluOp::fmul => self.options.fast_math == FastMathMode::Relaxed,
            AluOp::bcsel | AluOp::ieq => true,
            _ => self.options.target.has_recent_intrinsics(),
        }
    }

    /// A sum with its product, or two shifts, as one call.
    pub(super) fn fused(&mut self, id: InstrId, alu: &Alu, ty: Ty, class: Class) -> Option<Value> {
        let body = self.body;
        let n = ty.comps;
        if let Some(i) = fusion::product(body, id, alu).filter(|_| self.fuses(AluOp::fmul)) {
            let product = body[alu.src(i).value].as_alu()?;
            let factors = [0, 1].map(|f| self.src(product.src(f), n, Class::Float));
            let addend = self.src(alu.src(1 - i), n, Class::Float);
            return Some(self.multiply_add(factors, addend, ty));
        }
        if alu.op == AluOp::bcsel {
            let component = fusion::component(body, id, alu)?;
            return Some(self.component(&component, class));
        }
        let [left, right] = fusion::funnel(body, id, alu).filter(|_| self.fuses(AluOp::ishl))?;
        let (left, right) = (body[alu.src(left).value].as_alu()?, body[alu.src(right).value].as_alu()?);
        let (high, low) = (self.src(left.src(0), n, Class::Int), self.src(right.src(0), n, Class::Int));
        let amount: Src = left.src(1);
        let amount = self.shift_amount(amount, ty);
        let ret = self.value_type(Class::Int, ty.bits, n);
        Some(self.call_by_type(Air::fshl, ret, &[high, low, amount], FastMath::NONE))
    }

    /// A component of a vector at a dynamic index; the last one if the index is out of range, where `extractelement` is undefined.
    fn component(&mut self, component: &fusion::Component, class: Class) -> Value {
        let body = self.body;
        let (vector, index) = (component.vector, component.index);
        let comps = body[vector].ty.comps;
        let whole = self.whole(vector, comps, class);
        let mut at = self.lane(index.value, index.swizzle.get(0), Class::Int);
        let masked = body[index.value].as_alu().filter(|a| a.op == AluOp::iand).is_some_and(|a| {
            a.srcs().any(|s| {
                let lane = s.swizzle.get(index.swizzle.get(0));
                self.constant_lanes(s.value).is_some_and(|lanes| lanes[lane] < u64::from(comps))
            })
        });
        if !masked {
            let last = self.b.module.i32(i32::from(comps) - 1);
            at = self.int_call(Air::min, false, TypeId::I32, &[at, last]);
        }
        self.reuse(|b| b.extract_element(whole, at))
    }

    /// A product and a sum that may be rounded once. Without flags, as Apple's compiler calls it.
    pub(super) fn multiply_add(&mut self, [a, b]: [Value; 2], c: Value, ty: Ty) -> Value {
        let ret = self.value_type(Class::Float, ty.bits, ty.comps);
        self.call_by_type(Air::fmuladd, ret, &[a, b, c], FastMath::NONE)
    }

    /// `fadd` with the operands in the order that old readers accept: the one that was defined later first. With the accumulator of a chain of
    /// sums in front, pipelines failed on iOS 16.
    pub(super) fn sum_of_floats(&mut self, a: Value, b: Value, flags: FastMath) -> Value {
        let later = match (a.kind(), b.kind()) {
            (ValueKind::Inst(a), ValueKind::Inst(b)) => b > a,
            (ValueKind::Arg(_), ValueKind::Inst(_)) => true,
            _ => false,
        };
        let swaps = later && self.options.target.orders_operands_of_sums();
        if swaps { self.b.fadd(b, a, flags) } else { self.b.fadd(a, b, flags) }
    }
}
