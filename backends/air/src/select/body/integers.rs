//! Integer operations: minima, division, shifts, counts and bit fields.

use super::FunctionEmitter;
use crate::functions::Air;
use crate::module::{FastMath, ICmp, Value};
use crate::select::types::{Class, scalar_type};
use airfoil_ir::{Alu, AluOp, Src, Ty, bit_mask};
use smallvec::SmallVec;

impl FunctionEmitter<'_> {
    pub(super) fn min_max(&mut self, op: AluOp, alu: &Alu, ty: Ty) -> Value {
        use AluOp as O;
        let n = ty.comps;
        let (a, b) = (self.src(alu.src(0), n, Class::Int), self.src(alu.src(1), n, Class::Int));
        let (name, signed, predicate) = match op {
            O::imin => (Air::min, true, ICmp::Slt),
            O::umin => (Air::min, false, ICmp::Ult),
            O::imax => (Air::max, true, ICmp::Sgt),
            _ => (Air::max, false, ICmp::Ugt),
        };
        // Vector forms of Metal's functions were broken in some releases of macOS.
        if n == 1 && ty.bits != 1 {
            let ret = scalar_type(Class::Int, ty.bits);
            return self.int_call(name, signed, ret, &[a, b]);
        }
        if ty.bits != 1 && self.options.target.has_recent_intrinsics() {
            let function = match op {
                O::imin => Air::smin,
                O::umin => Air::umin,
                O::imax => Air::smax,
                _ => Air::umax,
            };
            let ret = self.value_type(Class::Int, ty.bits, n);
            return self.call_by_type(function, ret, &[a, b], FastMath::NONE);
        }
        let first = self.b.icmp(predicate, a, b);
        self.b.select(first, a, b)
    }

    /// Division that never divides by zero, which LLVM takes as a promise about the whole program: a quotient by zero
    /// is 0, as the table specifies.
    pub(super) fn divide(&mut self, alu: &Alu, ty: Ty) -> Value {
        use AluOp as O;
        let n = ty.comps;
        let (a, b) = (self.src(alu.src(0), n, Class::Int), self.src(alu.src(1), n, Class::Int));
        let signed = matches!(alu.op, O::idiv | O::irem | O::imod);
        let mask = bit_mask(u32::from(ty.bits));
        let divisor = alu.src(1);
        let known = self.constant_lanes(divisor.value).map(|lanes| {
            (0..usize::from(n)).map(|i| lanes[divisor.swizzle.get(i)]).collect::<SmallVec<[u64; 4]>>()
        });
        let safe = known.is_some_and(|lanes| lanes.iter().all(|&l| l != 0 && (!signed || l != mask)));
        let (zero, one) = (self.int_const(0, ty), self.int_const(1, ty));
        let (mut d, mut by_zero) = (b, None);
        if !safe {
            let is_zero = self.b.icmp(ICmp::Eq, b, zero);
            by_zero = Some(is_zero);
            let mut bad = is_zero;
            if signed {
                let minus_one = self.int_const(mask, ty);
                let least = self.int_const(1 << (ty.bits - 1), ty);
                let (x, y) = (self.b.icmp(ICmp::Eq, b, minus_one), self.b.icmp(ICmp::Eq, a, least));
                let overflow = self.b.and(x, y);
                bad = self.b.or(bad, overflow);
            }
            d = self.b.select(bad, one, b);
        }
        match alu.op {
            O::idiv | O::udiv => {
                let q = if signed { self.b.sdiv(a, d) } else { self.b.udiv(a, d) };
                match by_zero {
                    Some(by_zero) => self.b.select(by_zero, zero, q),
                    None => q,
                }
            }
            O::umod => self.b.urem(a, d),
            O::irem => self.b.srem(a, d),
            _ => {
                // The remainder takes the sign of the divisor.
                let r = self.b.srem(a, d);
                let signs = self.b.xor(r, d);
                let (differ, some) = (self.b.icmp(ICmp::Slt, signs, zero), self.b.icmp(ICmp::Ne, r, zero));
                let adjust = self.b.and(differ, some);
                let sum = self.b.add(r, d);
                self.b.select(adjust, sum, r)
            }
        }
    }

    pub(super) fn shift_amount(&mut self, src: Src, ty: Ty) -> Value {
        let width = u64::from(ty.bits) - 1;
        if let Some(lanes) = self.constant_lanes(src.value) {
            let lanes: SmallVec<[u64; 4]> =
                (0..usize::from(ty.comps)).map(|i| lanes[src.swizzle.get(i)] & width).collect();
            return self.constant(&lanes, ty.bits, Class::Int);
        }
        let by = self.src(src, ty.comps, Class::Int);
        let by = self.int_width(by, 32, ty.bits, ty.comps, false);
        let mask = self.int_const(width, ty);
        self.reuse(|b| b.and(by, mask))
    }

    /// An integer in another width.
    pub(crate) fn int_width(&mut self, value: Value, from: u8, to: u8, comps: u8, signed: bool) -> Value {
        let air = self.value_type(Class::Int, to, comps);
        match from.cmp(&to) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.reuse(|b| b.trunc(value, air)),
            std::cmp::Ordering::Less if signed => self.reuse(|b| b.sext(value, air)),
            std::cmp::Ordering::Less => self.zext(value, air),
        }
    }

    pub(super) fn count_bits(&mut self, op: AluOp, src: Src, n: u8) -> Value {
        use AluOp as O;
        let bits = self.bits(src.value);
        let ty = Ty::new(n, bits);
        let air = self.value_type(Class::Int, bits, n);
        let mut a = self.src(src, n, Class::Int);
        if op == O::bit_count {
            let count = self.call_by_type(Air::popcount, air, &[a], FastMath::NONE);
            return self.int_width(count, bits, 32, n, false);
        }
        if op == O::ifind_msb {
            let shift = self.int_const(u64::from(bits) - 1, ty);
            let sign = self.b.ashr(a, shift);
            a = self.b.xor(a, sign);
        }
        let base = if op == O::find_lsb { Air::ctz } else { Air::clz };
        // False: zero is defined and counts all bits.
        let defined = self.b.module.bool(false);
        let count = self.call_by_type(base, air, &[a, defined], FastMath::NONE);
        let word = Ty::new(n, 32);
        if op == O::find_lsb {
            let zero = self.int_const(0, ty);
            let none = self.b.icmp(ICmp::Eq, a, zero);
            let count = self.int_width(count, bits, 32, n, false);
            let minus_one = self.int_const(u64::from(u32::MAX), word);
            return self.b.select(none, minus_one, count);
        }
        let count = self.int_width(count, bits, 32, n, false);
        let top = self.int_const(u64::from(bits) - 1, word);
        self.b.sub(top, count)
    }

    pub(super) fn bitfield(&mut self, op: AluOp, alu: &Alu, ty: Ty) -> Value {
        use AluOp as O;
        let ret = scalar_type(Class::Int, ty.bits);
        // The functions take one offset and count; vectors go lane by lane.
        let lanes: SmallVec<[Value; 4]> = (0..usize::from(ty.comps))
            .map(|lane| {
                let args: SmallVec<[Value; 4]> =
                    alu.srcs().map(|s| self.lane(s.value, s.swizzle.get(lane), Class::Int)).collect();
                match op {
                    O::bitfield_insert => self.int_call(Air::insert_bits, false, ret, &args),
                    _ => self.int_call(Air::extract_bits, op == O::ibitfield_extract, ret, &args),
                }
            })
            .collect();
        self.vector_of(&lanes)
    }
}
