//! Operations that take several instructions.

use super::{Code, Want};
use crate::errors::*;
use crate::module::Class;
use airfoil_ir::{Alu, AluOp, InstrId, Swizzle, Ty, bit_mask};
use smallvec::SmallVec;
use spirv::{Decoration, FPRoundingMode, GlslStd450Op, Op};

/// A float on whose rounding a conversion depends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Round {
    Zero,
    Even,
    Up,
    Down,
}

const UINT: Want = Want::Exactly(Class::Uint);

impl Code<'_, '_, '_> {
    /// The value of an operation.
    pub(super) fn expand(&mut self, id: InstrId, alu: &Alu) -> Res<u32> {
        use AluOp as A;
        let ty = self.ty(id);
        match alu.op {
            A::bcsel => self.select(id, alu),
            A::fmul => self.multiply(id, alu),
            A::fmad => {
                let [a, b, c] = self.three(id, alu)?;
                let t = self.result_type(id)?;
                let product = self.op(Op::FMul, t, &[a, b]);
                self.w.m.decorate(product, Decoration::NoContraction, &[]);
                let sum = self.op(Op::FAdd, t, &[product, c]);
                if !alu.is_exact() {
                    self.w.m.decorate(sum, Decoration::NoContraction, &[]);
                }
                Ok(sum)
            }
            A::fsat => {
                let a = self.operand(id, alu, 0)?;
                let (t, zero, one) = (self.result_type(id)?, self.float(ty, 0.0)?, self.float(ty, 1.0)?);
                Ok(self.glsl(GlslStd450Op::NClamp, t, &[a, zero, one]))
            }
            A::frcp => {
                let a = self.operand(id, alu, 0)?;
                let (t, one) = (self.result_type(id)?, self.float(ty, 1.0)?);
                Ok(self.op(Op::FDiv, t, &[one, a]))
            }
            A::frexp_sig | A::frexp_exp => {
                let float = self.ty(alu.src(0).value).with_comps(ty.comps);
                let a = self.operand(id, alu, 0)?;
                let significand = self.value_type(Class::Float, float)?;
                let exponent = self.value_type(Class::Sint, ty.with_bits(32))?;
                let both = self.pair_type(significand, exponent);
                let words = [self.w.m.glsl(), GlslStd450Op::FrexpStruct as u32, a];
                let pair = self.shared(Op::ExtInst, both, &words);
                if alu.op == A::frexp_sig {
                    return Ok(self.op(Op::CompositeExtract, significand, &[pair, 0]));
                }
                let e = self.op(Op::CompositeExtract, exponent, &[pair, 1]);
                self.as_result(id, e, Class::Sint)
            }
            A::ford | A::funord => {
                let (a, b) = (self.operand(id, alu, 0)?, self.operand(id, alu, 1)?);
                let t = self.result_type(id)?;
                let (test, join) = if alu.op == A::ford {
                    (Op::FOrdEqual, Op::LogicalAnd)
                } else {
                    (Op::FUnordNotEqual, Op::LogicalOr)
                };
                let (x, y) = (self.op(test, t, &[a, a]), self.op(test, t, &[b, b]));
                for v in [x, y] {
                    self.w.m.decorate(v, Decoration::NoContraction, &[]);
                }
                Ok(self.op(join, t, &[x, y]))
            }
            A::ishl => self.shift(id, alu, Op::ShiftLeftLogical),
            A::ishr => self.shift(id, alu, Op::ShiftRightArithmetic),
            A::ushr => self.shift(id, alu, Op::ShiftRightLogical),
            A::b2f | A::b2i => {
                let class = self.class(id);
                let cond = self.operand(id, alu, 0)?;
                let one =
                    if class == Class::Float { self.float(ty, 1.0)? } else { self.splat(class, ty, 1)? };
                let (t, zero) = (self.result_type(id)?, self.splat(class, ty, 0)?);
                Ok(self.op(Op::Select, t, &[cond, one, zero]))
            }
            A::iadd_sat | A::uadd_sat | A::isub_sat | A::usub_sat => self.saturated_sum(id, alu),
            A::ihadd | A::uhadd | A::irhadd | A::urhadd => self.average(id, alu),
            A::imul_2x32_64 | A::umul_2x32_64 => {
                let signed = alu.op == A::imul_2x32_64;
                let wide = self.value_type(Class::Uint, ty)?;
                let op = if signed { Op::SConvert } else { Op::UConvert };
                let a = self.operand_as(id, alu, 0, UINT)?;
                let a = self.op(op, wide, &[a]);
                let b = self.operand_as(id, alu, 1, UINT)?;
                let b = self.op(op, wide, &[b]);
                let product = self.op(Op::IMul, wide, &[a, b]);
                self.as_result(id, product, Class::Uint)
            }
            A::f2f => self.narrowed(id, alu, None),
            A::f2f_rtz => self.narrowed(id, alu, Some(Round::Zero)),
            A::f2f_rtp => self.narrowed(id, alu, Some(Round::Up)),
            A::f2f_rtn => self.narrowed(id, alu, Some(Round::Down)),
            A::f2i_rte => self.float_to_int(id, alu, Round::Even, true, false),
            A::f2i_rtp => self.float_to_int(id, alu, Round::Up, true, false),
            A::f2i_rtn => self.float_to_int(id, alu, Round::Down, true, false),
            A::f2u_rte => self.float_to_int(id, alu, Round::Even, false, false),
            A::f2u_rtp => self.float_to_int(id, alu, Round::Up, false, false),
            A::f2u_rtn => self.float_to_int(id, alu, Round::Down, false, false),
            A::f2i_sat => self.float_to_int(id, alu, Round::Zero, true, true),
            A::f2i_rte_sat => self.float_to_int(id, alu, Round::Even, true, true),
            A::f2i_rtp_sat => self.float_to_int(id, alu, Round::Up, true, true),
            A::f2i_rtn_sat => self.float_to_int(id, alu, Round::Down, true, true),
            A::f2u_sat => self.float_to_int(id, alu, Round::Zero, false, true),
            A::f2u_rte_sat => self.float_to_int(id, alu, Round::Even, false, true),
            A::f2u_rtp_sat => self.float_to_int(id, alu, Round::Up, false, true),
            A::f2u_rtn_sat => self.float_to_int(id, alu, Round::Down, false, true),
            A::i2i_sat => self.saturated_int(id, alu, true, true),
            A::i2u_sat => self.saturated_int(id, alu, true, false),
            A::u2i_sat => self.saturated_int(id, alu, false, true),
            A::u2u_sat => self.saturated_int(id, alu, false, false),
            op => fail(OPERATION, format!("`{}` is not supported in SPIR-V", op.name())),
        }
    }

    fn three(&mut self, id: InstrId, alu: &Alu) -> Res<[u32; 3]> {
        Ok([self.operand(id, alu, 0)?, self.operand(id, alu, 1)?, self.operand(id, alu, 2)?])
    }

    /// An integer in the class of the result.
    fn as_result(&mut self, id: InstrId, value: u32, have: Class) -> Res<u32> {
        if self.class(id) == have {
            return Ok(value);
        }
        let t = self.result_type(id)?;
        Ok(self.op(Op::Bitcast, t, &[value]))
    }

    fn select(&mut self, id: InstrId, alu: &Alu) -> Res<u32> {
        let (class, ty) = (self.class(id), self.ty(id));
        let cond = alu.src(0);
        let lanes = usize::from(ty.comps);
        let same = (1..lanes).all(|i| cond.swizzle.get(i) == cond.swizzle.get(0));
        // One condition selects whole vectors since SPIR-V 1.4.
        let comps = if same && self.w.m.target().has(4) { 1 } else { ty.comps };
        let cond = self.src(cond, comps, Want::Exactly(Class::Bool))?;
        let a = self.operand_as(id, alu, 1, Want::Exactly(class))?;
        let b = self.operand_as(id, alu, 2, Want::Exactly(class))?;
        let t = self.result_type(id)?;
        Ok(self.op(Op::Select, t, &[cond, a, b]))
    }

    fn multiply(&mut self, id: InstrId, alu: &Alu) -> Res<u32> {
        let ty = self.ty(id);
        let lanes = usize::from(ty.comps);
        let t = self.result_type(id)?;
        let spread = |i: usize| {
            let s = alu.src(i);
            let constant = self.lanes(s.value).is_some();
            lanes > 1 && !constant && (1..lanes).all(|k| s.swizzle.get(k) == s.swizzle.get(0))
        };
        let scalar = if spread(1) {
            Some(1)
        } else if spread(0) {
            Some(0)
        } else {
            None
        };
        if let Some(i) = scalar {
            let vector = self.operand(id, alu, 1 - i)?;
            let s = alu.src(i);
            let src = airfoil_ir::Src { value: s.value, swizzle: Swizzle::scalar(s.swizzle.get(0)) };
            let scalar = self.src(src, 1, Want::Exactly(Class::Float))?;
            return Ok(self.op(Op::VectorTimesScalar, t, &[vector, scalar]));
        }
        let (a, b) = (self.operand(id, alu, 0)?, self.operand(id, alu, 1)?);
        Ok(self.op(Op::FMul, t, &[a, b]))
    }

    /// Amounts are modulo the width in the IR and undefined beyond it in SPIR-V.
    fn shift(&mut self, id: InstrId, alu: &Alu, op: Op) -> Res<u32> {
        let ty = self.ty(id);
        let most = u64::from(ty.bits) - 1;
        let a = self.operand(id, alu, 0)?;
        let src = alu.src(1);
        let amount = if let Some(lanes) = self.lanes(src.value) {
            let cut = std::array::from_fn(|i| lanes[src.swizzle.get(i)] & most);
            self.constant(Class::Uint, ty.with_bits(32), &cut)?
        } else {
            let amount = self.operand(id, alu, 1)?;
            if self.is_below(src.value, most) {
                amount
            } else {
                let t = self.value_type(Class::Uint, ty.with_bits(32))?;
                let mask = self.splat(Class::Uint, ty.with_bits(32), most)?;
                self.shared(Op::BitwiseAnd, t, &[amount, mask])
            }
        };
        let t = self.result_type(id)?;
        Ok(self.op(op, t, &[a, amount]))
    }

    /// Whether no component of a value exceeds `most`, a mask of low bits: it is masked or a short bit field.
    fn is_below(&self, value: InstrId, most: u64) -> bool {
        let Some(alu) = self.instr(value).as_alu() else { return false };
        let small = |i: usize| {
            let s = alu.src(i);
            self.lanes(s.value)
                .is_some_and(|l| (0..usize::from(self.ty(value).comps)).all(|c| l[s.swizzle.get(c)] <= most))
        };
        match alu.op {
            AluOp::iand => small(0) || small(1),
            AluOp::umin => small(0) || small(1),
            AluOp::b2i => true,
            _ => false,
        }
    }

    fn saturated_sum(&mut self, id: InstrId, alu: &Alu) -> Res<u32> {
        let ty = self.ty(id);
        let bits = u32::from(ty.bits);
        let (a, b) = (self.operand_as(id, alu, 0, UINT)?, self.operand_as(id, alu, 1, UINT)?);
        let t = self.value_type(Class::Uint, ty)?;
        let bools = self.value_type(Class::Bool, ty.with_bits(1))?;
        let value = match alu.op {
            AluOp::uadd_sat => {
                let sum = self.op(Op::IAdd, t, &[a, b]);
                let wrapped = self.op(Op::ULessThan, bools, &[sum, a]);
                let most = self.splat(Class::Uint, ty, bit_mask(bits))?;
                self.op(Op::Select, t, &[wrapped, most, sum])
            }
            AluOp::usub_sat => {
                let difference = self.op(Op::ISub, t, &[a, b]);
                let wrapped = self.op(Op::ULessThan, bools, &[a, b]);
                let zero = self.splat(Class::Uint, ty, 0)?;
                self.op(Op::Select, t, &[wrapped, zero, difference])
            }
            _ => {
                // Overflow changes the sign against that of `a`, unless `b` (for a difference) has the same sign.
                let subtract = alu.op == AluOp::isub_sat;
                let sum = self.op(if subtract { Op::ISub } else { Op::IAdd }, t, &[a, b]);
                let changed = self.op(Op::BitwiseXor, t, &[sum, a]);
                let other = self.op(Op::BitwiseXor, t, &[if subtract { a } else { sum }, b]);
                let both = self.op(Op::BitwiseAnd, t, &[changed, other]);
                let zero = self.splat(Class::Uint, ty, 0)?;
                let overflow = self.op(Op::SLessThan, bools, &[both, zero]);
                let negative = self.op(Op::SLessThan, bools, &[a, zero]);
                let least = self.splat(Class::Uint, ty, 1 << (bits - 1))?;
                let most = self.splat(Class::Uint, ty, bit_mask(bits - 1))?;
                let limit = self.op(Op::Select, t, &[negative, least, most]);
                self.op(Op::Select, t, &[overflow, limit, sum])
            }
        };
        self.as_result(id, value, Class::Uint)
    }

    /// `(a & b) + ((a ^ b) >> 1)`, or `(a | b) - ((a ^ b) >> 1)` rounded up.
    fn average(&mut self, id: InstrId, alu: &Alu) -> Res<u32> {
        let ty = self.ty(id);
        let (a, b) = (self.operand_as(id, alu, 0, UINT)?, self.operand_as(id, alu, 1, UINT)?);
        let t = self.value_type(Class::Uint, ty)?;
        let up = matches!(alu.op, AluOp::irhadd | AluOp::urhadd);
        let signed = matches!(alu.op, AluOp::ihadd | AluOp::irhadd);
        let common = self.op(if up { Op::BitwiseOr } else { Op::BitwiseAnd }, t, &[a, b]);
        let differ = self.op(Op::BitwiseXor, t, &[a, b]);
        let one = self.splat(Class::Uint, ty.with_bits(32), 1)?;
        let shift = if signed { Op::ShiftRightArithmetic } else { Op::ShiftRightLogical };
        let half = self.op(shift, t, &[differ, one]);
        let value = self.op(if up { Op::ISub } else { Op::IAdd }, t, &[common, half]);
        self.as_result(id, value, Class::Uint)
    }

    /// A conversion between floats. One that is only stored has its rounding as a decoration; the others have the rounding
    /// of the device, so directed rounding takes one step back if it went beyond the number.
    fn narrowed(&mut self, id: InstrId, alu: &Alu, round: Option<Round>) -> Res<u32> {
        let ty = self.ty(id);
        let from = self.ty(alu.src(0).value).with_comps(ty.comps);
        let a = self.operand(id, alu, 0)?;
        let (t, wide) = (self.value_type(Class::Float, ty)?, self.value_type(Class::Float, from)?);
        if ty.bits == from.bits {
            return Ok(a);
        }
        let near = self.op(Op::FConvert, t, &[a]);
        let by_decoration = matches!(round, None | Some(Round::Zero));
        if by_decoration && self.stored.contains(&id) {
            let mode = if round.is_none() { FPRoundingMode::RTE } else { FPRoundingMode::RTZ };
            self.w.m.decorate(near, Decoration::FPRoundingMode, &[mode as u32]);
            return Ok(near);
        }
        let Some(round) = round.filter(|_| ty.bits < from.bits) else { return Ok(near) };
        let bools = self.value_type(Class::Bool, ty.with_bits(1))?;
        let bits = self.value_type(Class::Uint, ty)?;
        let back = self.op(Op::FConvert, wide, &[near]);
        let beyond = match round {
            Round::Up => self.op(Op::FOrdLessThan, bools, &[back, a]),
            Round::Down => self.op(Op::FOrdGreaterThan, bools, &[back, a]),
            Round::Zero | Round::Even => {
                let (x, y) =
                    (self.glsl(GlslStd450Op::FAbs, wide, &[back]), self.glsl(GlslStd450Op::FAbs, wide, &[a]));
                self.op(Op::FOrdGreaterThan, bools, &[x, y])
            }
        };
        // The bits of a float count its magnitude.
        let near_bits = self.op(Op::Bitcast, bits, &[near]);
        let one = self.splat(Class::Uint, ty, 1)?;
        let less = self.splat(Class::Uint, ty, bit_mask(u32::from(ty.bits)))?;
        let step = match round {
            Round::Zero | Round::Even => less,
            Round::Up | Round::Down => {
                let sign = self.splat(Class::Uint, ty, 1 << (u32::from(ty.bits) - 1))?;
                let negative = self.op(Op::UGreaterThanEqual, bools, &[near_bits, sign]);
                let (if_negative, if_positive) = if round == Round::Up { (less, one) } else { (one, less) };
                self.op(Op::Select, bits, &[negative, if_negative, if_positive])
            }
        };
        let next = self.op(Op::IAdd, bits, &[near_bits, step]);
        let value = self.op(Op::Select, bits, &[beyond, next, near_bits]);
        Ok(self.op(Op::Bitcast, t, &[value]))
    }

    /// Rounds first; a saturated result replaces values beyond the range, and NaN by 0.
    fn float_to_int(
        &mut self,
        id: InstrId,
        alu: &Alu,
        round: Round,
        signed: bool,
        saturate: bool,
    ) -> Res<u32> {
        let ty = self.ty(id);
        let from = self.ty(alu.src(0).value).with_comps(ty.comps);
        let mut a = self.operand(id, alu, 0)?;
        let float = self.value_type(Class::Float, from)?;
        let rounding = match round {
            Round::Zero => None,
            Round::Even => Some(GlslStd450Op::RoundEven),
            Round::Up => Some(GlslStd450Op::Ceil),
            Round::Down => Some(GlslStd450Op::Floor),
        };
        if let Some(op) = rounding {
            a = self.glsl(op, float, &[a]);
        }
        let class = if signed { self.class(id) } else { Class::Uint };
        let t = self.value_type(class, ty)?;
        let mut value = self.op(if signed { Op::ConvertFToS } else { Op::ConvertFToU }, t, &[a]);
        if saturate {
            let bools = self.value_type(Class::Bool, ty.with_bits(1))?;
            let magnitude = u32::from(ty.bits) - u32::from(signed);
            // 65504 is the largest number of 16 bits.
            let bound = |power: u32| {
                if from.bits == 16 && power > 15 { f64::INFINITY } else { 2f64.powi(power as i32) }
            };
            let above = self.float(from, bound(magnitude))?;
            let beyond = self.op(Op::FOrdGreaterThanEqual, bools, &[a, above]);
            let most = self.splat(class, ty, bit_mask(magnitude))?;
            value = self.op(Op::Select, t, &[beyond, most, value]);
            let (limit, least) =
                if signed { (-bound(magnitude), 1 << (u32::from(ty.bits) - 1)) } else { (0.0, 0) };
            let limit = self.float(from, limit)?;
            let below = self.op(Op::FOrdLessThanEqual, bools, &[a, limit]);
            let least = self.splat(class, ty, least)?;
            value = self.op(Op::Select, t, &[below, least, value]);
            let nan = self.op(Op::IsNan, bools, &[a]);
            let zero = self.splat(class, ty, 0)?;
            value = self.op(Op::Select, t, &[nan, zero, value]);
        }
        self.as_result(id, value, class)
    }

    /// Clamps in the wider of both types.
    fn saturated_int(&mut self, id: InstrId, alu: &Alu, from_signed: bool, to_signed: bool) -> Res<u32> {
        let ty = self.ty(id);
        let from = self.ty(alu.src(0).value).with_comps(ty.comps);
        let wide = ty.with_bits(ty.bits.max(from.bits));
        let mut a = self.operand_as(id, alu, 0, UINT)?;
        let t = self.value_type(Class::Uint, wide)?;
        if from.bits < wide.bits {
            a = self.op(if from_signed { Op::SConvert } else { Op::UConvert }, t, &[a]);
        }
        let magnitude = u32::from(ty.bits) - u32::from(to_signed);
        if from_signed {
            let least = if to_signed { (u64::MAX << magnitude) & bit_mask(u32::from(wide.bits)) } else { 0 };
            let least = self.splat(Class::Uint, wide, least)?;
            a = self.glsl(GlslStd450Op::SMax, t, &[a, least]);
        }
        // A signed maximum does not fit the signed type if the result is as wide and unsigned.
        if magnitude < u32::from(wide.bits) {
            let most = self.splat(Class::Uint, wide, bit_mask(magnitude))?;
            let op = if from_signed && to_signed { GlslStd450Op::SMin } else { GlslStd450Op::UMin };
            a = self.glsl(op, t, &[a, most]);
        }
        let mut value = a;
        if ty.bits < wide.bits {
            let narrow = self.value_type(Class::Uint, ty)?;
            value = self.op(Op::UConvert, narrow, &[a]);
        }
        self.as_result(id, value, Class::Uint)
    }

    /// Set bits of integers other than 32-bit ones: zero-extended, or the sum of both halves.
    pub(super) fn count_bits(&mut self, id: InstrId, alu: &Alu) -> Res<u32> {
        let ty = self.ty(id);
        let words = self.words_of(id, alu, false)?;
        let t = self.value_type(Class::Uint, ty)?;
        let mut sum = None;
        for word in words {
            let n = self.op(Op::BitCount, t, &[word]);
            sum = Some(match sum {
                None => n,
                Some(s) => self.op(Op::IAdd, t, &[s, n]),
            });
        }
        self.as_result(id, sum.unwrap_or_default(), Class::Uint)
    }

    /// The first operand as 32-bit words, the low one first.
    fn words_of(&mut self, id: InstrId, alu: &Alu, signed: bool) -> Res<SmallVec<[u32; 2]>> {
        let comps = self.ty(id).comps;
        let bits = self.ty(alu.src(0).value).bits;
        let word = Ty::new(comps, 32);
        let a = self.operand_as(id, alu, 0, UINT)?;
        let t = self.value_type(Class::Uint, word)?;
        if bits < 32 {
            let op = if signed { Op::SConvert } else { Op::UConvert };
            return Ok(SmallVec::from_slice(&[self.op(op, t, &[a])]));
        }
        let low = self.op(Op::UConvert, t, &[a]);
        let wide = self.value_type(Class::Uint, word.with_bits(64))?;
        let by = self.splat(Class::Uint, word, 32)?;
        let shifted = self.op(Op::ShiftRightLogical, wide, &[a, by]);
        let high = self.op(Op::UConvert, t, &[shifted]);
        Ok(SmallVec::from_slice(&[low, high]))
    }

    /// The index of a bit in integers other than 32-bit ones.
    pub(super) fn find_bit(&mut self, id: InstrId, alu: &Alu, op: GlslStd450Op) -> Res<u32> {
        let ty = self.ty(id);
        let signed = op == GlslStd450Op::FindSMsb;
        let words = self.words_of(id, alu, signed)?;
        let t = self.value_type(Class::Uint, ty)?;
        let bools = self.value_type(Class::Bool, ty.with_bits(1))?;
        let &[low, high] = &words[..] else {
            let value = self.glsl(op, t, &words);
            return self.as_result(id, value, Class::Uint);
        };
        let none = self.splat(Class::Uint, ty, u64::from(u32::MAX))?;
        let half = self.splat(Class::Uint, ty, 32)?;
        let value = if op == GlslStd450Op::FindILsb {
            let (l, h) = (self.glsl(op, t, &[low]), self.glsl(op, t, &[high]));
            let beyond = self.op(Op::IAdd, t, &[h, half]);
            let empty = self.op(Op::IEqual, bools, &[h, none]);
            let upper = self.op(Op::Select, t, &[empty, none, beyond]);
            let found = self.op(Op::INotEqual, bools, &[l, none]);
            self.op(Op::Select, t, &[found, l, upper])
        } else {
            // Below the high word, bits that differ from the sign count.
            let sign = if signed {
                let by = self.splat(Class::Uint, ty, 31)?;
                self.op(Op::ShiftRightArithmetic, t, &[high, by])
            } else {
                self.splat(Class::Uint, ty, 0)?
            };
            let (h, l) =
                (self.op(Op::BitwiseXor, t, &[high, sign]), self.op(Op::BitwiseXor, t, &[low, sign]));
            let msb = GlslStd450Op::FindUMsb;
            let (h, l) = (self.glsl(msb, t, &[h]), self.glsl(msb, t, &[l]));
            let beyond = self.op(Op::IAdd, t, &[h, half]);
            let found = self.op(Op::INotEqual, bools, &[h, none]);
            self.op(Op::Select, t, &[found, beyond, l])
        };
        self.as_result(id, value, Class::Uint)
    }
}
