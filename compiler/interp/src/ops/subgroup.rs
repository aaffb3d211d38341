//! Operations over the invocations of the subgroup, which is the whole group, and over quads.

use super::alu;
use crate::machine::code::Op;
use crate::machine::lanes::{MAX_LANES, lanes};
use crate::machine::registers::{Reg, Registers};
use crate::memory::Value;
use airfoil_ir::{AluOp, Intrinsic, ReduceOp, Ty, bit_mask};

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

/// The invocations of a subgroup operation as one of them sees them.
pub(crate) struct Subgroup<'m> {
    registers: &'m Registers,
    /// Mask of the lanes that execute.
    active: u64,
    /// Shape of the result.
    ty: Ty,
    regs: &'m [Reg; 4],
    lane: usize,
}

fn bit(undef: bool, v: bool) -> Value {
    Value { bits: [u64::from(v), 0, 0, 0], undef: u8::from(undef) }
}

impl Subgroup<'_> {
    fn own(&self) -> Value {
        self.registers.get(self.regs[0], self.lane)
    }

    /// The second operand.
    fn second(&self) -> Value {
        self.registers.get(self.regs[1], self.lane)
    }

    /// Lanes of the quad; only the own one if the quad is not complete.
    fn quad(&self) -> u64 {
        let first = self.lane & !3;
        if first + 4 > self.registers.lanes { 1 << self.lane } else { 0xf << first }
    }

    fn first(&self) -> usize {
        self.active.trailing_zeros() as usize
    }

    fn truth(&self, lane: usize) -> bool {
        self.registers.get(self.regs[0], lane).bits[0] & 1 != 0
    }

    fn any_undef(&self, mask: u64, comps: u8) -> bool {
        lanes(mask & self.active).any(|l| self.registers.get(self.regs[0], l).undef & comps != 0)
    }

    /// The value of another lane; undefined if that is not active.
    fn from(&self, lane: u64, undef: bool) -> Value {
        let full = self.ty.full_mask();
        let mut value = Value { bits: [0; 4], undef: full };
        if lane < self.registers.lanes as u64 && self.active >> lane & 1 != 0 {
            value = self.registers.get(self.regs[0], lane as usize);
            value.undef &= full;
        }
        value.undef |= if undef { full } else { 0 };
        value
    }

    /// Lanes in a ballot.
    fn mask(&self) -> u64 {
        let own = self.own();
        (own.bits[0] | own.bits[1] << 32) & bit_mask(self.registers.lanes as u32)
    }

    /// A result that depends on a ballot.
    fn count(&self, v: u32) -> Value {
        Value { bits: [u64::from(v), 0, 0, 0], undef: u8::from(self.own().undef & 0xf != 0) }
    }

    pub(crate) fn any(&self) -> Value {
        bit(self.any_undef(self.active, 1), lanes(self.active).any(|l| self.truth(l)))
    }

    pub(crate) fn all(&self) -> Value {
        bit(self.any_undef(self.active, 1), lanes(self.active).all(|l| self.truth(l)))
    }

    pub(crate) fn quad_any(&self) -> Value {
        let (quad, here) = (self.quad(), self.quad() & self.active);
        let gone = quad != here || self.any_undef(quad, 1);
        bit(gone, lanes(here).any(|l| self.truth(l)))
    }

    pub(crate) fn quad_all(&self) -> Value {
        let (quad, here) = (self.quad(), self.quad() & self.active);
        let gone = quad != here || self.any_undef(quad, 1);
        bit(gone, lanes(here).all(|l| self.truth(l)))
    }

    /// Whether all active lanes have equal values: equal bits or equal floats.
    pub(crate) fn all_equal(&self, floats: bool) -> Value {
        let reg = self.regs[0];
        let comps = self.registers.comps(reg);
        let a = self.registers.get(reg, self.first());
        let width = self.registers.width(reg);
        let same = |l: usize| {
            let b = self.registers.get(reg, l);
            (0..usize::from(comps)).all(|c| {
                if !floats {
                    return a.bits[c] == b.bits[c];
                }
                let srcs = [[a.bits[c], 0, 0, 0], [b.bits[c], 0, 0, 0]];
                AluOp::feq.eval(width, Ty::BOOL, &srcs).is_some_and(|r| r[0] != 0)
            })
        };
        bit(self.any_undef(self.active, (1 << comps) - 1), lanes(self.active).all(same))
    }

    pub(crate) fn elect(&self) -> Value {
        bit(false, self.lane == self.first())
    }

    pub(crate) fn ballot(&self) -> Value {
        let v = lanes(self.active).filter(|&l| self.truth(l)).fold(0u64, |m, l| m | 1 << l);
        let undef = if self.any_undef(self.active, 1) { 0xf } else { 0 };
        Value { bits: [v & 0xffff_ffff, v >> 32, 0, 0], undef }
    }

    pub(crate) fn inverse_ballot(&self) -> Value {
        bit(self.own().undef & 1 != 0, self.mask() >> self.lane & 1 != 0)
    }

    pub(crate) fn ballot_bit(&self) -> Value {
        let (own, second) = (self.own(), self.second());
        let at = second.bits[0] & 127;
        let v = own.bits[(at / 32) as usize] >> (at % 32) & 1;
        bit(own.undef & 0xf != 0 || second.undef & 1 != 0, v != 0)
    }

    /// Number of bits in a ballot below a lane.
    pub(crate) fn bit_count(&self, below: u32) -> Value {
        self.count((self.mask() & bit_mask(below)).count_ones())
    }

    pub(crate) fn lane(&self) -> u32 {
        self.lane as u32
    }

    pub(crate) fn find_lsb(&self) -> Value {
        match self.mask() {
            0 => Value { bits: [0; 4], undef: 1 },
            mask => self.count(mask.trailing_zeros()),
        }
    }

    pub(crate) fn find_msb(&self) -> Value {
        match self.mask() {
            0 => Value { bits: [0; 4], undef: 1 },
            mask => self.count(63 - mask.leading_zeros()),
        }
    }

    /// The value of the lane that a function of the own lane and the second operand selects.
    pub(crate) fn shuffle(&self, of: impl Fn(u64, u64) -> u64) -> Value {
        let second = self.second();
        self.from(of(self.lane as u64, second.bits[0]), second.undef & 1 != 0)
    }

    pub(crate) fn read_first(&self) -> Value {
        self.from(self.first() as u64, false)
    }

    pub(crate) fn quad_broadcast(&self) -> Value {
        if self.quad().count_ones() != 4 {
            return self.from(self.lane as u64, false);
        }
        let second = self.second();
        let at = (self.lane as u64 & !3) | (second.bits[0] & 3);
        self.from(at, second.undef & 1 != 0 || second.bits[0] > 3)
    }

    /// The value of the lane of the quad whose index differs by `mask`.
    pub(crate) fn quad_swap(&self, mask: u64) -> Value {
        let mask = if self.quad().count_ones() == 4 { mask } else { 0 };
        self.from(self.lane as u64 ^ mask, false)
    }

    /// Combines the values of the active lanes of the own cluster.
    pub(crate) fn reduce(&self, i: &Intrinsic) -> Value {
        let cluster = |l: usize| (l as u32).checked_div(i.cluster());
        self.fold(i.reduce_op(), |l| cluster(l) == cluster(self.lane))
    }

    pub(crate) fn inclusive_scan(&self, i: &Intrinsic) -> Value {
        self.fold(i.reduce_op(), |l| l <= self.lane)
    }

    pub(crate) fn exclusive_scan(&self, i: &Intrinsic) -> Value {
        self.fold(i.reduce_op(), |l| l < self.lane)
    }

    fn fold(&self, op: ReduceOp, takes: impl Fn(usize) -> bool) -> Value {
        let ty = self.ty;
        let bits = u32::from(ty.bits);
        let mut sum: Option<Value> = None;
        for lane in lanes(self.active).filter(|&l| takes(l)) {
            let v = self.registers.get(self.regs[0], lane);
            sum = Some(match sum {
                None => Value { undef: v.undef & ty.full_mask(), ..v },
                Some(s) => Value {
                    bits: alu::eval(combine(op), bits, ty, &[s.bits, v.bits]),
                    undef: (s.undef | v.undef) & ty.full_mask(),
                },
            });
        }
        sum.unwrap_or_else(|| Value { bits: [identity(op, bits); 4], undef: 0 })
    }
}

/// Executes an operation over the subgroup or the quad: all lanes are computed before any result is written.
pub(crate) fn execute(
    registers: &mut Registers,
    active: u64,
    op: &Op,
    regs: &[Reg; 4],
    value: impl Fn(&Subgroup<'_>) -> Value,
) {
    registers.crossed = true;
    let mut results = [Value::default(); MAX_LANES];
    for lane in lanes(active) {
        results[lane] = value(&Subgroup { registers, active, ty: op.ty, regs, lane });
    }
    for lane in lanes(active) {
        registers.set(op.dst, lane, results[lane]);
    }
}
