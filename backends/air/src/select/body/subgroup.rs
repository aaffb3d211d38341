//! Barriers, subgroup and quad operations, and conversions that AIR has as one function.

use super::FunctionEmitter;
use super::texture::number_kind;
use crate::functions::{Air, ConversionMode, NumberKind, Word};
use crate::module::{FCmp, FastMath, ICmp, TypeId, Value};
use crate::select::errors;
use crate::select::plan::builtin_args::BuiltinArg;
use crate::select::types::{Class, scalar_type};
use airfoil_ir::{InstrId, Intrinsic, IntrinsicOp, Modes, ReduceOp, Scalar, Scope, Stage, Ty};
use smallvec::SmallVec;

/// How a combination of values over several invocations is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combination {
    /// Over the subgroup.
    Simd,
    /// Over the quad.
    Quad,
    /// Over the invocations up to this one.
    Inclusive,
    /// Over the invocations before this one.
    Exclusive,
}

/// The function of a combination, and how it reads its operand; `None` if Metal has no such function.
fn combination(op: ReduceOp, over: Combination) -> Option<(Air, NumberKind)> {
    use Combination::{Exclusive, Inclusive, Quad, Simd};
    use NumberKind::{Float, Signed, Unsigned};
    let kind = match op {
        ReduceOp::Fadd | ReduceOp::Fmul | ReduceOp::Fmin | ReduceOp::Fmax => Float,
        ReduceOp::Iadd | ReduceOp::Imul | ReduceOp::Umin | ReduceOp::Umax => Unsigned,
        ReduceOp::Imin | ReduceOp::Imax | ReduceOp::Iand | ReduceOp::Ior | ReduceOp::Ixor => Signed,
    };
    let function = match (op, over) {
        (ReduceOp::Iadd | ReduceOp::Fadd, Simd) => Air::simd_sum,
        (ReduceOp::Iadd | ReduceOp::Fadd, Quad) => Air::quad_sum,
        (ReduceOp::Iadd | ReduceOp::Fadd, Inclusive) => Air::simd_prefix_inclusive_sum,
        (ReduceOp::Iadd | ReduceOp::Fadd, Exclusive) => Air::simd_prefix_exclusive_sum,
        (ReduceOp::Imul | ReduceOp::Fmul, Simd) => Air::simd_product,
        (ReduceOp::Imul | ReduceOp::Fmul, Quad) => Air::quad_product,
        (ReduceOp::Imul | ReduceOp::Fmul, Inclusive) => Air::simd_prefix_inclusive_product,
        (ReduceOp::Imul | ReduceOp::Fmul, Exclusive) => Air::simd_prefix_exclusive_product,
        (ReduceOp::Imin | ReduceOp::Umin | ReduceOp::Fmin, Simd) => Air::simd_min,
        (ReduceOp::Imin | ReduceOp::Umin | ReduceOp::Fmin, Quad) => Air::quad_min,
        (ReduceOp::Imax | ReduceOp::Umax | ReduceOp::Fmax, Simd) => Air::simd_max,
        (ReduceOp::Imax | ReduceOp::Umax | ReduceOp::Fmax, Quad) => Air::quad_max,
        (ReduceOp::Iand, Simd) => Air::simd_and,
        (ReduceOp::Iand, Quad) => Air::quad_and,
        (ReduceOp::Ior, Simd) => Air::simd_or,
        (ReduceOp::Ior, Quad) => Air::quad_or,
        (ReduceOp::Ixor, Simd) => Air::simd_xor,
        (ReduceOp::Ixor, Quad) => Air::quad_xor,
        (
            ReduceOp::Imin
            | ReduceOp::Umin
            | ReduceOp::Fmin
            | ReduceOp::Imax
            | ReduceOp::Umax
            | ReduceOp::Fmax
            | ReduceOp::Iand
            | ReduceOp::Ior
            | ReduceOp::Ixor,
            Inclusive | Exclusive,
        ) => return None,
    };
    Some((function, kind))
}

impl FunctionEmitter<'_> {
    /// Exchanges with the lane that the second operand determines.
    pub(crate) fn exchange_with(&mut self, id: InstrId, base: Air, i: &Intrinsic, ty: Ty) {
        let lane = match self.constant_lanes(i.src(1)) {
            Some(lanes) => self.b.module.int(TypeId::I16, lanes[0] as i64),
            None => {
                let lane = self.scalar(i.src(1), Class::Int);
                self.b.trunc(lane, TypeId::I16)
            }
        };
        self.exchange(id, base, i.src(0), Some(lane), ty);
    }

    /// Exchanges with the lane of the quad whose index differs by `mask`.
    pub(crate) fn quad_swap(&mut self, id: InstrId, mask: i64, i: &Intrinsic, ty: Ty) {
        let mask = self.b.module.int(TypeId::I16, mask);
        self.exchange(id, Air::quad_shuffle_xor, i.src(0), Some(mask), ty);
    }

    pub(crate) fn ballot(&mut self, condition: Value) -> Value {
        self.air(Air::simd_ballot, TypeId::I64, &[condition])
    }

    /// Questions about a mask of lanes; subgroups have at most 64.
    pub(crate) fn mask_query(&mut self, id: InstrId, i: &Intrinsic) {
        use IntrinsicOp as Op;
        let words = self.whole(i.src(0), 4, Class::Int);
        let pair = self.resize(words, 2);
        let mut mask = self.bitcast(pair, TypeId::I64);
        let own = match i.op {
            Op::ballot_bit_extract => Some(self.scalar(i.src(1), Class::Int)),
            Op::inverse_ballot | Op::ballot_bit_count_inclusive | Op::ballot_bit_count_exclusive => {
                let lane = self.builtin_arg_value(BuiltinArg::ThreadIndexInSimdgroup);
                if lane.is_none() {
                    let message =
                        format!("`{}` does not exist in {} functions", i.op.name(), self.shader.stage);
                    return self.error_value(id, errors::OPERATION, message);
                }
                lane
            }
            _ => None,
        };
        let one = self.b.module.i64(1);
        let bit = own.map(|own| {
            let own = self.zext(own, TypeId::I64);
            let limit = self.b.module.i64(63);
            let own = self.b.and(own, limit);
            self.b.shl(one, own)
        });
        let bit = bit.unwrap_or(one);
        let below = self.b.sub(bit, one);
        let value = match i.op {
            Op::inverse_ballot | Op::ballot_bit_extract => {
                let zero = self.b.module.i64(0);
                let set = self.b.and(mask, bit);
                self.b.icmp(ICmp::Ne, set, zero)
            }
            Op::ballot_find_lsb | Op::ballot_find_msb => {
                let lsb = i.op == Op::ballot_find_lsb;
                let base = if lsb { Air::ctz } else { Air::clz };
                let defined = self.b.module.bool(false);
                let count = self.call_by_type(base, TypeId::I64, &[mask, defined], FastMath::NONE);
                let count = self.b.trunc(count, TypeId::I32);
                let top = self.b.module.i32(63);
                if lsb { count } else { self.b.sub(top, count) }
            }
            _ => {
                if i.op == Op::ballot_bit_count_inclusive {
                    let up_to = self.b.or(below, bit);
                    mask = self.b.and(mask, up_to);
                } else if i.op == Op::ballot_bit_count_exclusive {
                    mask = self.b.and(mask, below);
                }
                let count = self.call_by_type(Air::popcount, TypeId::I64, &[mask], FastMath::NONE);
                self.b.trunc(count, TypeId::I32)
            }
        };
        self.set(id, value, Class::Int);
    }

    pub(crate) fn vote(&mut self, id: InstrId, function: Air, condition: InstrId) {
        let c = self.scalar(condition, Class::Int);
        let value = self.air(function, TypeId::I1, &[c]);
        self.set(id, value, Class::Int);
    }

    /// All lanes equal the first one.
    pub(crate) fn vote_equal(&mut self, id: InstrId, i: &Intrinsic, class: Class) {
        let value = i.src(0);
        let ty = self.ty(value);
        let float = class == Class::Float;
        if ty.bits == 64 {
            let (code, what) =
                if float { (errors::DOUBLE, "doubles") } else { (errors::OPERATION, "64 bits") };
            return self.error_value(
                id,
                code,
                format!("votes on {what} do not exist in Metal: `lower_subgroups` lowers them"),
            );
        }
        let mut all: Option<Value> = None;
        for lane in 0..usize::from(ty.comps) {
            let own = self.lane(value, lane, class);
            let (own, bits) = self.widened(own, ty.bits);
            let first = self.exchange_scalar(Air::simd_broadcast_first, own, class, bits, None);
            let same = if float {
                self.b.fcmp(FCmp::Oeq, own, first, FastMath::NONE)
            } else {
                self.b.icmp(ICmp::Eq, own, first)
            };
            all = Some(match all {
                Some(all) => self.b.and(all, same),
                None => same,
            });
        }
        let Some(c) = all else { return self.set_undef(id) };
        let value = self.air(Air::simd_all, TypeId::I1, &[c]);
        self.set(id, value, Class::Int);
    }

    /// Booleans travel as words.
    fn widened(&mut self, value: Value, bits: u8) -> (Value, u8) {
        if bits == 1 { (self.zext(value, TypeId::I32), 32) } else { (value, bits) }
    }

    fn exchange_scalar(
        &mut self,
        base: Air,
        value: Value,
        class: Class,
        bits: u8,
        lane: Option<Value>,
    ) -> Value {
        let ret = scalar_type(class, bits);
        let mut args: SmallVec<[Value; 2]> = smallvec::smallvec![value];
        args.extend(lane);
        self.call_by_type(base, ret, &args, FastMath::NONE)
    }

    pub(crate) fn exchange(&mut self, id: InstrId, base: Air, value: InstrId, lane: Option<Value>, ty: Ty) {
        if ty.bits == 64 {
            // Both halves travel.
            let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
            let pair = self.value_type(Class::Int, 32, 2);
            for c in 0..usize::from(ty.comps) {
                let own = self.lane(value, c, Class::Int);
                let halves = self.bitcast(own, pair);
                let halves: SmallVec<[Value; 2]> = (0..2)
                    .map(|h| {
                        let half = self.extract_lane(halves, h);
                        self.exchange_scalar(base, half, Class::Int, 32, lane)
                    })
                    .collect();
                let both = self.vector_of(&halves);
                lanes.push(self.bitcast(both, TypeId::I64));
            }
            let result = self.vector_of(&lanes);
            return self.set(id, result, Class::Int);
        }
        let class = self.usage.class(id, ty.bits);
        let lanes: SmallVec<[Value; 4]> = (0..usize::from(ty.comps))
            .map(|c| {
                let own = self.lane(value, c, class);
                let (own, bits) = self.widened(own, ty.bits);
                let got = self.exchange_scalar(base, own, class, bits, lane);
                if ty.bits == 1 { self.b.trunc(got, TypeId::I1) } else { got }
            })
            .collect();
        let result = self.vector_of(&lanes);
        self.set(id, result, class);
    }

    pub(crate) fn combine(&mut self, id: InstrId, i: &Intrinsic, ty: Ty, over: Combination) {
        let Some((base, kind)) = combination(i.reduce_op(), over) else {
            let message = "scans over a subgroup exist in Metal for sums and products only: `lower_subgroups` lowers others";
            return self.error_value(id, errors::OPERATION, message);
        };
        if ty.bits == 64 {
            return self.error_value(
                id,
                errors::OPERATION,
                "subgroup operations on 64 bits do not exist in Metal: `lower_subgroups` lowers them",
            );
        }
        if ty.bits == 1 {
            return self.combine_bools(id, i, over);
        }
        let class = Class::of_kind(kind);
        let ret = scalar_type(class, ty.bits);
        let function = base.with([Word::number(self.b.module, kind, ret)]);
        let lanes: SmallVec<[Value; 4]> = (0..usize::from(ty.comps))
            .map(|c| {
                let own = self.lane(i.src(0), c, class);
                self.air(function, ret, &[own])
            })
            .collect();
        let result = self.vector_of(&lanes);
        self.set(id, result, class);
    }

    fn combine_bools(&mut self, id: InstrId, i: &Intrinsic, over: Combination) {
        let function = match (i.reduce_op(), over) {
            (ReduceOp::Iand, Combination::Simd) => Air::simd_all,
            (ReduceOp::Ior, Combination::Simd) => Air::simd_any,
            (ReduceOp::Iand, Combination::Quad) => Air::quad_all,
            (ReduceOp::Ior, Combination::Quad) => Air::quad_any,
            _ => {
                return self.error_value(
                    id,
                    errors::OPERATION,
                    "this combination of booleans over a subgroup does not exist in Metal: `lower_subgroups` lowers it",
                );
            }
        };
        let comps = usize::from(self.ty(id).comps);
        let lanes: SmallVec<[Value; 4]> = (0..comps)
            .map(|c| {
                let own = self.lane(i.src(0), c, Class::Int);
                self.air(function, TypeId::I1, &[own])
            })
            .collect();
        let result = self.vector_of(&lanes);
        self.set(id, result, Class::Int);
    }

    pub(crate) fn reduce(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        match i.cluster() {
            0 => self.combine(id, i, ty, Combination::Simd),
            1 => {
                let class = self.usage.class(id, ty.bits);
                let value = self.whole(i.src(0), ty.comps, class);
                self.set(id, value, class);
            }
            4 => self.combine(id, i, ty, Combination::Quad),
            n => {
                let message = format!(
                    "reductions over clusters of {n} do not exist in Metal (4 or all): `lower_subgroups` lowers them"
                );
                self.error_value(id, errors::OPERATION, message);
            }
        }
    }

    // ---- barriers ----

    pub(crate) fn barrier(&mut self, i: &Intrinsic) {
        let modes = i.memory_modes();
        let mut flags = 0;
        // 1 device memory, 2 threadgroup memory, 4 textures, 16 the payload.
        if modes.intersects(Modes::SSBO | Modes::GLOBAL) {
            flags |= 1;
        }
        if modes.contains(Modes::SHARED) {
            flags |= 2;
        }
        if modes.contains(Modes::IMAGE) {
            flags |= 4;
        }
        if modes.contains(Modes::TASK_PAYLOAD) && self.shader.stage == Stage::Task {
            flags |= 16;
        }
        let flags_value = self.b.module.i32(flags);
        match i.execution_scope() {
            Scope::Workgroup | Scope::QueueFamily | Scope::Device => {
                if !matches!(self.shader.stage, Stage::Compute | Stage::Task | Stage::Mesh) {
                    return self.error(
                        errors::OPERATION,
                        "only kernels, object and mesh functions can wait for their threadgroup",
                    );
                }
                let scope = self.b.module.i32(1);
                self.air(Air::wg_barrier, TypeId::VOID, &[flags_value, scope]);
            }
            Scope::Subgroup => self.simdgroup_barrier(flags_value),
            Scope::None | Scope::Invocation => {
                if flags == 0 || matches!(i.memory_scope(), Scope::None | Scope::Invocation) {
                    return;
                }
                if self.options.target.air() < Air::atomic_fence.info().since {
                    // No fences yet; the smallest barrier orders memory as well.
                    return self.simdgroup_barrier(flags_value);
                }
                let scope = match i.memory_scope() {
                    Scope::Subgroup => 4,
                    Scope::Workgroup => 1,
                    _ => 2,
                };
                // 5: sequentially consistent.
                let (order, scope) = (self.b.module.i32(5), self.b.module.i32(scope));
                self.air(Air::atomic_fence, TypeId::VOID, &[flags_value, order, scope]);
            }
        }
    }

    fn simdgroup_barrier(&mut self, flags: Value) {
        let scope = self.b.module.i32(4);
        self.air(Air::simdgroup_barrier, TypeId::VOID, &[flags, scope]);
    }

    // ---- conversions ----

    pub(crate) fn convert_air(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let (from, to) = (number_kind(i.src_type()), number_kind(i.dest_type()));
        if i.src_type() == Scalar::Float64 || i.dest_type() == Scalar::Float64 {
            return self.error_value(id, errors::DOUBLE, errors::no_double("convert_air"));
        }
        let value = self.whole(i.src(0), ty.comps, Class::of_kind(from));
        let ret = self.value_type(Class::of_kind(to), ty.bits, ty.comps);
        let mode = ConversionMode { rounding: i.rounding(), saturate: i.saturate() };
        let value = self.convert_call(value, from, ret, to, mode, FastMath::NONE);
        self.set(id, value, Class::of_kind(to));
    }
}
