//! ALU operations.
//!
//! Simple ones are rows of tables: an LLVM instruction, an `air.*` function, a comparison. Operations that AIR lacks
//! are expanded here.

use super::FunctionEmitter;
use super::alu_tables::{
    Conversion, Fast, FloatFunction, conversion, float_compare, float_function, int_binary, int_compare,
    int_function, packing,
};
use crate::functions::{Air, ConversionMode, NumberKind, Word};
use crate::module::{BinOp, CastOp, FastMath, ICmp, IntFlags, TypeId, Value};
use crate::select::errors;
use crate::select::options::FastMathMode;
use crate::select::types::{Class, scalar_type};
use airfoil_ir::alu::Base;
use airfoil_ir::{Alu, AluFlags, AluOp, InstrId, Src, Ty, bit_mask};
use smallvec::SmallVec;

impl FunctionEmitter<'_> {
    /// Emits one ALU instruction.
    pub(crate) fn alu(&mut self, id: InstrId, alu: &Alu, ty: Ty) {
        let info = alu.op.info();
        // Doubles do not exist; moving their bits is fine.
        let double_result = info.result.base == Base::Float && ty.bits == 64;
        let double_operand = alu
            .srcs()
            .zip(info.operands)
            .any(|(s, o)| o.base == Base::Float && o.bits == 0 && self.bits(s.value) == 64);
        if double_result || double_operand {
            return self.error_value(id, errors::DOUBLE, errors::no_double(alu.op.name()));
        }
        let class = match info.result.base {
            Base::Float => Class::Float,
            Base::Any => self.usage.class(id, ty.bits),
            _ => Class::Int,
        };
        let value = match self.fused(id, alu, ty, class) {
            Some(value) => value,
            None => self.alu_value(alu, ty, class),
        };
        self.set(id, value, class);
    }

    fn alu_value(&mut self, alu: &Alu, ty: Ty, class: Class) -> Value {
        use AluOp as O;
        let (op, exact, n) = (alu.op, alu.is_exact(), ty.comps);
        let operand_bits = self.bits(alu.src(0).value);
        let flags = self.flags(exact, if ty.bits == 1 { operand_bits } else { ty.bits });
        if let Some(op) = int_binary(op) {
            let (a, b) = (self.src(alu.src(0), n, Class::Int), self.src(alu.src(1), n, Class::Int));
            let flags = int_flags(alu.flags, op);
            return match op {
                // Byte offsets are decomposed into these.
                BinOp::Add | BinOp::Mul => self.reuse(|builder| builder.binary(op, a, b, flags)),
                _ => self.b.binary(op, a, b, flags),
            };
        }
        if let Some(predicate) = float_compare(op) {
            let (a, b) = (self.src(alu.src(0), n, Class::Float), self.src(alu.src(1), n, Class::Float));
            let flags = if flags == FastMath::FAST { flags } else { FastMath::NONE };
            return self.b.fcmp(predicate, a, b, flags);
        }
        if let Some(predicate) = int_compare(op) {
            let (a, b) = (self.src(alu.src(0), n, Class::Int), self.src(alu.src(1), n, Class::Int));
            return self.b.icmp(predicate, a, b);
        }
        if let Some(function) = float_function(op) {
            let args: SmallVec<[Value; 3]> = alu.srcs().map(|s| self.src(s, n, Class::Float)).collect();
            return self.float_function(function, exact, ty, &args, flags);
        }
        if let Some(c) = conversion(op) {
            return self.convert(alu.src(0), n, ty.bits, &c, flags);
        }
        if let Some((name, signed)) = int_function(op) {
            let (a, b) = (self.src(alu.src(0), n, Class::Int), self.src(alu.src(1), n, Class::Int));
            let ret = self.value_type(Class::Int, ty.bits, n);
            return self.int_call(name, signed, ret, &[a, b]);
        }
        if let Some((name, pack, comps)) = packing(op) {
            return self.pack(name, pack, comps, alu.src(0));
        }
        match op {
            O::mov => self.src(alu.src(0), n, class),
            O::bcsel => {
                let c = self.src(alu.src(0), n, Class::Int);
                let (a, b) = (self.src(alu.src(1), n, class), self.src(alu.src(2), n, class));
                self.b.select(c, a, b)
            }
            O::vec2 | O::vec3 | O::vec4 => self.gather_lanes(alu, class),
            O::fadd | O::fsub | O::fmul | O::fdiv => {
                let (a, b) = (self.src(alu.src(0), n, Class::Float), self.src(alu.src(1), n, Class::Float));
                match op {
                    O::fadd => self.sum_of_floats(a, b, flags),
                    O::fsub => self.b.fsub(a, b, flags),
                    O::fmul => self.b.fmul(a, b, flags),
                    _ => self.b.fdiv(a, b, flags),
                }
            }
            O::fneg => {
                let a = self.src(alu.src(0), n, Class::Float);
                self.b.fneg(a, flags)
            }
            O::frcp => {
                let a = self.src(alu.src(0), n, Class::Float);
                let one = self.float_const(1.0, ty);
                self.b.fdiv(one, a, flags)
            }
            O::fmod => {
                // x - y * floor(x / y), as GLSL defines it.
                let (a, b) = (self.src(alu.src(0), n, Class::Float), self.src(alu.src(1), n, Class::Float));
                let q = self.b.fdiv(a, b, flags);
                let q =
                    self.float_function((Air::floor, Air::fast_floor, Fast::Finite), exact, ty, &[q], flags);
                let q = self.b.fmul(b, q, flags);
                self.b.fsub(a, q, flags)
            }
            O::fmad => {
                let [a, b, c] = self.three(alu, n);
                if !exact && self.fuses(O::fmul) {
                    return self.multiply_add([a, b], c, ty);
                }
                let product = self.b.fmul(a, b, flags);
                self.sum_of_floats(product, c, flags)
            }
            O::flrp => {
                let [a, b, c] = self.three(alu, n);
                if !exact && self.options.fast_math == FastMathMode::Fast {
                    let ret = self.value_type(Class::Float, ty.bits, n);
                    return self.call_by_type(Air::mix, ret, &[a, b, c], flags);
                }
                let one = self.float_const(1.0, ty);
                let rest = self.b.fsub(one, c, flags);
                let x = self.b.fmul(a, rest, flags);
                if !exact && self.fuses(O::fmul) {
                    return self.multiply_add([b, c], x, ty);
                }
                let y = self.b.fmul(b, c, flags);
                self.sum_of_floats(x, y, flags)
            }
            O::ffract => {
                let a = self.src(alu.src(0), n, Class::Float);
                let ret = self.value_type(Class::Float, ty.bits, n);
                if !exact && self.options.fast_math == FastMathMode::Fast {
                    let name = if ty.bits == 32 { Air::fast_fract } else { Air::fract };
                    return self.call_by_type(name, ret, &[a], flags);
                }
                // air.fract stays below 1, the table does not.
                let floor = self.call_by_type(Air::floor, ret, &[a], flags);
                self.b.fsub(a, floor, flags)
            }
            O::fldexp => self.ldexp(alu, ty, flags),
            O::frexp_sig | O::frexp_exp => self.frexp(alu, n),
            O::fquantize2f16 => self.quantize(alu.src(0), n),
            O::fdot2 | O::fdot3 | O::fdot4 => self.dot(alu, ty, flags),
            O::idiv | O::udiv | O::irem | O::umod | O::imod => self.divide(alu, ty),
            O::ineg => {
                let a = self.src(alu.src(0), n, Class::Int);
                let zero = self.int_const(0, ty);
                self.b.binary(BinOp::Sub, zero, a, int_flags(alu.flags, BinOp::Sub))
            }
            O::inot => {
                let a = self.src(alu.src(0), n, Class::Int);
                let ones = self.int_const(bit_mask(u32::from(ty.bits)), ty);
                self.b.xor(a, ones)
            }
            O::iabs => {
                let a = self.src(alu.src(0), n, Class::Int);
                let zero = self.int_const(0, ty);
                let (negative, negated) = (self.b.icmp(ICmp::Slt, a, zero), self.b.sub(zero, a));
                self.b.select(negative, negated, a)
            }
            O::isign => {
                let a = self.src(alu.src(0), n, Class::Int);
                let (zero, one) = (self.int_const(0, ty), self.int_const(1, ty));
                let sign = self.int_const(u64::from(ty.bits) - 1, ty);
                let negative = self.b.ashr(a, sign);
                let positive = self.b.icmp(ICmp::Sgt, a, zero);
                self.b.select(positive, one, negative)
            }
            O::imin | O::imax | O::umin | O::umax => self.min_max(op, alu, ty),
            O::uadd_carry | O::usub_borrow => {
                let (a, b) = (self.src(alu.src(0), n, Class::Int), self.src(alu.src(1), n, Class::Int));
                let a = if op == O::uadd_carry { self.b.add(a, b) } else { a };
                let less = self.b.icmp(ICmp::Ult, a, b);
                let air = self.value_type(Class::Int, ty.bits, n);
                self.zext(less, air)
            }
            O::imul_2x32_64 | O::umul_2x32_64 => {
                let (a, b) = (self.src(alu.src(0), n, Class::Int), self.src(alu.src(1), n, Class::Int));
                let air = self.value_type(Class::Int, 64, n);
                let cast = if op == O::imul_2x32_64 { CastOp::SExt } else { CastOp::ZExt };
                let (a, b) = (self.b.cast(cast, a, air), self.b.cast(cast, b, air));
                self.b.mul(a, b)
            }
            O::ishl | O::ishr | O::ushr => {
                let a = self.src(alu.src(0), n, Class::Int);
                let by = self.shift_amount(alu.src(1), ty);
                match op {
                    O::ishl => self.reuse(|b| b.shl(a, by)),
                    O::ishr => self.b.ashr(a, by),
                    _ => self.b.lshr(a, by),
                }
            }
            O::bitfield_reverse => {
                let a = self.src(alu.src(0), n, Class::Int);
                let ret = self.value_type(Class::Int, ty.bits, n);
                self.call_by_type(Air::reverse_bits, ret, &[a], FastMath::NONE)
            }
            O::bit_count | O::ufind_msb | O::ifind_msb | O::find_lsb => self.count_bits(op, alu.src(0), n),
            O::ubitfield_extract | O::ibitfield_extract | O::bitfield_insert => self.bitfield(op, alu, ty),
            O::ball2 | O::ball3 | O::ball4 | O::bany2 | O::bany3 | O::bany4 => {
                let comps = op.info().operands[0].comps;
                let a = self.src(alu.src(0), comps, Class::Int);
                let all = matches!(op, O::ball2 | O::ball3 | O::ball4);
                let name = if all { Air::all } else { Air::any };
                let operand = self.b.type_of(a);
                let function = name.of(self.b.module, operand);
                self.air(function, TypeId::I1, &[a])
            }
            O::b2f => {
                let c = self.src(alu.src(0), n, Class::Int);
                let (one, zero) = (self.float_const(1.0, ty), self.float_const(0.0, ty));
                self.b.select(c, one, zero)
            }
            O::b2i => {
                let c = self.src(alu.src(0), n, Class::Int);
                let air = self.value_type(Class::Int, ty.bits, n);
                if ty.bits == 1 { c } else { self.zext(c, air) }
            }
            O::pack_64_2x32 | O::pack_64_4x16 | O::pack_32_2x16 | O::pack_32_4x8 => {
                let comps = op.info().operands[0].comps;
                let a = self.src(alu.src(0), comps, Class::Int);
                self.bitcast(a, scalar_type(Class::Int, ty.bits))
            }
            O::unpack_64_2x32 | O::unpack_64_4x16 | O::unpack_32_2x16 | O::unpack_32_4x8 => {
                let a = self.src(alu.src(0), 1, Class::Int);
                let air = self.value_type(Class::Int, ty.bits, n);
                self.bitcast(a, air)
            }
            O::pack_half_2x16 => {
                let a = self.src(alu.src(0), 2, Class::Float);
                let half = self.value_type(Class::Float, 16, 2);
                let half = self.convert_call(
                    a,
                    NumberKind::Float,
                    half,
                    NumberKind::Float,
                    ConversionMode::DEFAULT,
                    FastMath::NONE,
                );
                self.bitcast(half, TypeId::I32)
            }
            O::unpack_half_2x16 => {
                let a = self.src(alu.src(0), 1, Class::Int);
                let half = self.value_type(Class::Float, 16, 2);
                let half = self.bitcast(a, half);
                let float = self.value_type(Class::Float, 32, 2);
                self.convert_call(
                    half,
                    NumberKind::Float,
                    float,
                    NumberKind::Float,
                    ConversionMode::DEFAULT,
                    FastMath::NONE,
                )
            }
            O::fddx | O::fddx_fine | O::fddx_coarse => self.derivative(Air::dfdx, alu, ty),
            O::fddy | O::fddy_fine | O::fddy_coarse => self.derivative(Air::dfdy, alu, ty),
            other => {
                self.error(errors::OPERATION, format!("`{}` cannot be selected for Metal", other.name()));
                let air = self.value_type(class, ty.bits, n);
                self.b.module.undef(air)
            }
        }
    }

    fn three(&mut self, alu: &Alu, n: u8) -> [Value; 3] {
        [0, 1, 2].map(|i| self.src(alu.src(i), n, Class::Float))
    }

    // ---- constants ----

    pub(crate) fn float_const(&mut self, value: f64, ty: Ty) -> Value {
        let bits = airfoil_ir::alu::f64_to_bits(value, u32::from(ty.bits));
        self.constant(&[bits; 4][..usize::from(ty.comps)], ty.bits, Class::Float)
    }

    pub(crate) fn int_const(&mut self, value: u64, ty: Ty) -> Value {
        self.constant(&[value; 4][..usize::from(ty.comps)], ty.bits, Class::Int)
    }

    // ---- floats ----

    fn float_function(
        &mut self,
        (precise, fast, when): FloatFunction,
        exact: bool,
        ty: Ty,
        args: &[Value],
        flags: FastMath,
    ) -> Value {
        let allowed = match (when, self.options.fast_math) {
            (Fast::Never, _) | (_, FastMathMode::Precise) => false,
            (Fast::Approximate, _) => true,
            (Fast::Finite, mode) => mode == FastMathMode::Fast && flags == FastMath::FAST,
        };
        let name = if allowed && !exact && ty.bits == 32 { fast } else { precise };
        let ret = self.value_type(Class::Float, ty.bits, ty.comps);
        self.call_by_type(name, ret, args, flags)
    }

    fn derivative(&mut self, base: Air, alu: &Alu, ty: Ty) -> Value {
        let a = self.src(alu.src(0), ty.comps, Class::Float);
        let ret = self.value_type(Class::Float, ty.bits, ty.comps);
        if self.shader.stage != airfoil_ir::Stage::Fragment {
            self.error(errors::OPERATION, "derivatives exist only in fragment functions");
        }
        let flags = self.flags(alu.is_exact(), ty.bits);
        self.call_by_type(base, ret, &[a], flags)
    }

    fn dot(&mut self, alu: &Alu, ty: Ty, flags: FastMath) -> Value {
        let n = alu.op.info().operands[0].comps;
        let precise = alu.is_exact() || self.options.fast_math == FastMathMode::Precise;
        let (a, b) = (self.src(alu.src(0), n, Class::Float), self.src(alu.src(1), n, Class::Float));
        if !precise {
            let operand = self.b.type_of(a);
            let ret = scalar_type(Class::Float, ty.bits);
            let function = Air::dot.of(self.b.module, operand);
            return self.air_with(function, ret, &[a, b], flags);
        }
        let products = self.b.fmul(a, b, flags);
        let mut sum = self.extract_lane(products, 0);
        for lane in 1..u32::from(n) {
            let x = self.extract_lane(products, lane);
            sum = self.sum_of_floats(sum, x, flags);
        }
        sum
    }

    fn ldexp(&mut self, alu: &Alu, ty: Ty, flags: FastMath) -> Value {
        let (a, e) =
            (self.src(alu.src(0), ty.comps, Class::Float), self.src(alu.src(1), ty.comps, Class::Int));
        let ret = self.value_type(Class::Float, ty.bits, ty.comps);
        let product = self.call_by_type(Air::ldexp, ret, &[a, e], flags);
        if ty.bits == 32 && !self.options.denorms {
            return product;
        }
        // A subnormal product is zero with its sign, which `air.ldexp` leaves to the mode: GLSL 4.60 section 8.3 lets
        // either be, and all engines are to give the same.
        let (exponent, sign) = if ty.bits == 16 { (0x7c00, 0x8000) } else { (0x7f80_0000, 0x8000_0000) };
        let word = self.value_type(Class::Int, ty.bits, ty.comps);
        let bits = self.bitcast(product, word);
        let [exponent, sign, zero] = [exponent, sign, 0].map(|n| self.int_const(n, ty));
        let scale = self.b.and(bits, exponent);
        let tiny = self.b.icmp(ICmp::Eq, scale, zero);
        let flushed = self.b.and(bits, sign);
        let result = self.b.select(tiny, flushed, bits);
        self.bitcast(result, ret)
    }

    /// Significand and exponent by bits. Subnormal numbers count as zero, as AIR flushes them by default.
    fn frexp(&mut self, alu: &Alu, n: u8) -> Value {
        let bits = self.bits(alu.src(0).value);
        let word = Ty::new(n, 32);
        let int = self.value_type(Class::Int, 32, n);
        let float = self.value_type(Class::Float, 32, n);
        let mut a = self.src(alu.src(0), n, Class::Float);
        if bits == 16 {
            a = self.convert_call(
                a,
                NumberKind::Float,
                float,
                NumberKind::Float,
                ConversionMode::DEFAULT,
                FastMath::NONE,
            );
        }
        let raw = self.bitcast(a, int);
        let (shift, mask) = (self.int_const(23, word), self.int_const(255, word));
        let field = self.b.lshr(raw, shift);
        let field = self.b.and(field, mask);
        let zero = self.int_const(0, word);
        let (is_zero, is_large) = (self.b.icmp(ICmp::Eq, field, zero), self.b.icmp(ICmp::Eq, field, mask));
        let special = self.b.or(is_zero, is_large);
        if alu.op == AluOp::frexp_exp {
            let bias = self.int_const((-126i64) as u64, word);
            let exponent = self.b.add(field, bias);
            return self.b.select(special, zero, exponent);
        }
        let (keep, half) = (self.int_const(0x807f_ffff, word), self.int_const(0x3f00_0000, word));
        let significand = self.b.and(raw, keep);
        let significand = self.b.or(significand, half);
        let significand = self.bitcast(significand, float);
        let result = self.b.select(special, a, significand);
        if bits == 16 {
            let half = self.value_type(Class::Float, 16, n);
            return self.convert_call(
                result,
                NumberKind::Float,
                half,
                NumberKind::Float,
                ConversionMode::DEFAULT,
                FastMath::NONE,
            );
        }
        result
    }

    fn quantize(&mut self, src: Src, n: u8) -> Value {
        let a = self.src(src, n, Class::Float);
        let (half, float) = (self.value_type(Class::Float, 16, n), self.value_type(Class::Float, 32, n));
        let int = self.value_type(Class::Int, 32, n);
        let word = Ty::new(n, 32);
        let rounded = self.convert_call(
            a,
            NumberKind::Float,
            half,
            NumberKind::Float,
            ConversionMode::DEFAULT,
            FastMath::NONE,
        );
        let rounded = self.convert_call(
            rounded,
            NumberKind::Float,
            float,
            NumberKind::Float,
            ConversionMode::DEFAULT,
            FastMath::NONE,
        );
        // Below the smallest normal half only the sign is left.
        let raw = self.bitcast(rounded, int);
        let (low, sign) = (self.int_const(0x7fff_ffff, word), self.int_const(0x8000_0000, word));
        let magnitude = self.b.and(raw, low);
        let least = self.int_const(0x3880_0000, word);
        let small = self.b.icmp(ICmp::Ult, magnitude, least);
        let original = self.bitcast(a, int);
        let zero = self.b.and(original, sign);
        let zero = self.bitcast(zero, float);
        self.b.select(small, zero, rounded)
    }

    // ---- conversions ----

    fn convert(&mut self, src: Src, n: u8, to_bits: u8, c: &Conversion, flags: FastMath) -> Value {
        let from_bits = self.bits(src.value);
        let a = self.src(src, n, Class::of_kind(c.from));
        let ret = self.value_type(Class::of_kind(c.to), to_bits, n);
        if from_bits == to_bits && (c.from == c.to) {
            return a;
        }
        if c.mode == ConversionMode::DEFAULT {
            match (c.from, c.to) {
                (NumberKind::Float, NumberKind::Float) if n == 1 => {
                    return if to_bits > from_bits { self.b.fpext(a, ret) } else { self.b.fptrunc(a, ret) };
                }
                (NumberKind::Signed, NumberKind::Signed) => {
                    return self.int_width(a, from_bits, to_bits, n, true);
                }
                (NumberKind::Unsigned, NumberKind::Unsigned) => {
                    return self.int_width(a, from_bits, to_bits, n, false);
                }
                _ => {}
            }
        }
        self.convert_call(a, c.from, ret, c.to, c.mode, flags)
    }

    /// `air.convert.<to>.<from>` with suffixes for rounding and saturation.
    pub(crate) fn convert_call(
        &mut self,
        value: Value,
        from: NumberKind,
        ret: TypeId,
        to: NumberKind,
        mode: ConversionMode,
        flags: FastMath,
    ) -> Value {
        let source = self.b.type_of(value);
        let m = &*self.b.module;
        let words = [Word::number(m, to, ret), Word::number(m, from, source), Word::Mode(mode)];
        self.air_with(Air::convert.with(words), ret, &[value], flags)
    }

    fn pack(&mut self, base: Air, pack: bool, comps: u8, src: Src) -> Value {
        let floats = self.value_type(Class::Float, 32, comps);
        let (arg, ret) = if pack {
            (self.src(src, comps, Class::Float), TypeId::I32)
        } else {
            (self.src(src, 1, Class::Int), floats)
        };
        let function = base.of(self.b.module, floats);
        self.air(function, ret, &[arg])
    }
}

fn int_flags(flags: AluFlags, op: BinOp) -> IntFlags {
    if !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) {
        return IntFlags::NONE;
    }
    let mut word = 0;
    if flags.contains(AluFlags::NUW) {
        word |= IntFlags::NUW.0;
    }
    if flags.contains(AluFlags::NSW) {
        word |= IntFlags::NSW.0;
    }
    IntFlags(word)
}
