//! Operations over the invocations of the subgroup, which is the whole group, and of quads.

use crate::machine::{MAX_LANES, Machine, lanes};
use crate::memory::Value;
use crate::program::{Op, Reg};
use airfoil_ir::{AluOp, Intrinsic, IntrinsicOp, ReduceOp, Ty, bit_mask};

/// The ALU operation of a reduction.
fn combine(op: ReduceOp) -> AluOp {
    match op {
        ReduceOp::Iadd => AluOp::iadd,
        ReduceOp::Fadd => AluOp::fadd,
        ReduceOp::Imul => AluOp::imul,
        ReduceOp::Fmul => AluOp::fmul,
        ReduceOp::Imin => AluOp::imin,
        ReduceOp::Umin => AluOp::umin,
        ReduceOp::Fmin => AluOp::fmin,
        ReduceOp::Imax => AluOp::imax,
        ReduceOp::Umax => AluOp::umax,
        ReduceOp::Fmax => AluOp::fmax,
        ReduceOp::Iand => AluOp::iand,
        ReduceOp::Ior => AluOp::ior,
        ReduceOp::Ixor => AluOp::ixor,
    }
}

/// The value that changes nothing.
fn identity(op: ReduceOp, bits: u32) -> u64 {
    use airfoil_ir::alu::f64_to_bits;
    match op {
        ReduceOp::Iadd | ReduceOp::Ior | ReduceOp::Ixor | ReduceOp::Umax => 0,
        ReduceOp::Fadd => f64_to_bits(0.0, bits),
        ReduceOp::Imul => 1,
        ReduceOp::Fmul => f64_to_bits(1.0, bits),
        ReduceOp::Imin => bit_mask(bits - 1),
        ReduceOp::Umin | ReduceOp::Iand => bit_mask(bits),
        ReduceOp::Fmin => f64_to_bits(f64::INFINITY, bits),
        ReduceOp::Imax => 1 << (bits - 1),
        ReduceOp::Fmax => f64_to_bits(f64::NEG_INFINITY, bits),
    }
}

impl Machine<'_> {
    /// Intrinsics over subgroups and quads; false if it is none.
    pub(crate) fn subgroup_intrinsic(&mut self, op: &Op, i: &Intrinsic, regs: &[Reg; 4]) -> bool {
        let mut results = [Value::default(); MAX_LANES];
        let active = self.active;
        for lane in lanes(active) {
            match self.group_value(op, i, regs, lane) {
                Some(v) => results[lane] = v,
                None => return false,
            }
        }
        for lane in lanes(active) {
            self.set(op.dst, lane, results[lane]);
        }
        true
    }

    /// The value of another lane; undefined where that is not active.
    fn other(&self, reg: Reg, lane: u64, mask: u8) -> Value {
        if lane < self.env.lanes as u64 && self.active >> lane & 1 != 0 {
            let v = self.get(reg, lane as usize);
            return Value { undef: v.undef & mask, ..v };
        }
        Value { bits: [0; 4], undef: mask }
    }

    fn group_value(&self, op: &Op, i: &Intrinsic, regs: &[Reg; 4], lane: usize) -> Option<Value> {
        use IntrinsicOp as O;
        let n = lane as u64;
        let first = self.active.trailing_zeros() as usize;
        let own = self.get(regs[0], lane);
        let second = self.get(regs[1], lane);
        let full = op.ty.full_mask();
        let quad = if (lane & !3) + 4 > self.env.lanes { 1u64 << lane } else { 0xf << (lane & !3) };
        let bit =
            |undef: bool, v: bool| Some(Value { bits: [u64::from(v), 0, 0, 0], undef: u8::from(undef) });
        let any_undef =
            |mask: u64, comps: u8| lanes(mask & self.active).any(|l| self.get(regs[0], l).undef & comps != 0);
        let truth = |l: usize| self.get(regs[0], l).bits[0] & 1 != 0;
        let from = |at: u64, undef: bool| {
            let v = self.other(regs[0], at, full);
            Some(if undef { Value { undef: full, ..v } } else { v })
        };
        let all_lanes = bit_mask(self.env.lanes as u32);
        let mask = (own.bits[0] | own.bits[1] << 32) & all_lanes;
        let number = |v: u64| Some(Value { bits: [v, 0, 0, 0], undef: u8::from(own.undef & 0xf != 0) });
        match i.op {
            O::vote_any => bit(any_undef(self.active, 1), lanes(self.active).any(truth)),
            O::vote_all => bit(any_undef(self.active, 1), lanes(self.active).all(truth)),
            O::quad_vote_any | O::quad_vote_all => {
                let gone = quad & !self.active != 0 || any_undef(quad, 1);
                let here = quad & self.active;
                let any = i.op == O::quad_vote_any;
                bit(gone, if any { lanes(here).any(truth) } else { lanes(here).all(truth) })
            }
            O::vote_ieq | O::vote_feq => {
                let comps = self.comps(regs[0]);
                let mask = (1u8 << comps) - 1;
                let a = self.get(regs[0], first);
                let same = |l: usize| {
                    let b = self.get(regs[0], l);
                    (0..usize::from(comps)).all(|c| {
                        if i.op == O::vote_ieq {
                            return a.bits[c] == b.bits[c];
                        }
                        let width = self.widths.get(regs[0] as usize).map_or(32, |&w| u32::from(w));
                        let srcs = [[a.bits[c], 0, 0, 0], [b.bits[c], 0, 0, 0]];
                        AluOp::feq.eval(width, Ty::BOOL, &srcs).is_some_and(|r| r[0] != 0)
                    })
                };
                bit(any_undef(self.active, mask), lanes(self.active).all(same))
            }
            O::elect => bit(false, lane == first),
            O::ballot => {
                let v = lanes(self.active).filter(|&l| truth(l)).fold(0u64, |m, l| m | 1 << l);
                let undef = if any_undef(self.active, 1) { 0xf } else { 0 };
                Some(Value { bits: [v & 0xffff_ffff, v >> 32, 0, 0], undef })
            }
            O::inverse_ballot => bit(own.undef & 1 != 0, mask >> lane & 1 != 0),
            O::ballot_bit_extract => {
                let at = second.bits[0] & 127;
                let v = own.bits[(at / 32) as usize] >> (at % 32) & 1;
                bit(own.undef & 0xf != 0 || second.undef & 1 != 0, v != 0)
            }
            O::ballot_bit_count_reduce => number(u64::from(mask.count_ones())),
            O::ballot_bit_count_inclusive => number(u64::from((mask & bit_mask(n as u32 + 1)).count_ones())),
            O::ballot_bit_count_exclusive => number(u64::from((mask & bit_mask(n as u32)).count_ones())),
            O::ballot_find_lsb | O::ballot_find_msb if mask == 0 => Some(Value { bits: [0; 4], undef: 1 }),
            O::ballot_find_lsb => number(u64::from(mask.trailing_zeros())),
            O::ballot_find_msb => number(u64::from(63 - mask.leading_zeros())),
            O::read_invocation | O::shuffle => from(second.bits[0], second.undef & 1 != 0),
            O::read_first_invocation => from(first as u64, false),
            O::shuffle_xor => from(n ^ second.bits[0], second.undef & 1 != 0),
            O::shuffle_up => from(n.wrapping_sub(second.bits[0]), second.undef & 1 != 0),
            O::shuffle_down => from(n + second.bits[0], second.undef & 1 != 0),
            O::quad_broadcast if quad.count_ones() == 4 => {
                from((n & !3) | (second.bits[0] & 3), second.undef & 1 != 0 || second.bits[0] > 3)
            }
            O::quad_swap_horizontal if quad.count_ones() == 4 => from(n ^ 1, false),
            O::quad_swap_vertical if quad.count_ones() == 4 => from(n ^ 2, false),
            O::quad_swap_diagonal if quad.count_ones() == 4 => from(n ^ 3, false),
            O::quad_broadcast | O::quad_swap_horizontal | O::quad_swap_vertical | O::quad_swap_diagonal => {
                from(n, false)
            }
            O::reduce => {
                let size = i.cluster();
                let cluster = |l: usize| (l as u32).checked_div(size);
                Some(self.fold(op.ty, i.reduce_op(), regs[0], |l| cluster(l) == cluster(lane)))
            }
            O::inclusive_scan => Some(self.fold(op.ty, i.reduce_op(), regs[0], |l| l <= lane)),
            O::exclusive_scan => Some(self.fold(op.ty, i.reduce_op(), regs[0], |l| l < lane)),
            _ => None,
        }
    }

    fn fold(&self, ty: Ty, op: ReduceOp, reg: Reg, takes: impl Fn(usize) -> bool) -> Value {
        let bits = u32::from(ty.bits);
        let mut sum: Option<Value> = None;
        for lane in lanes(self.active).filter(|&l| takes(l)) {
            let v = self.get(reg, lane);
            sum = Some(match sum {
                None => Value { undef: v.undef & ty.full_mask(), ..v },
                Some(s) => Value {
                    bits: combine(op).eval(bits, ty, &[s.bits, v.bits]).unwrap_or_default(),
                    undef: (s.undef | v.undef) & ty.full_mask(),
                },
            });
        }
        sum.unwrap_or_else(|| Value { bits: [identity(op, bits); 4], undef: 0 })
    }
}
