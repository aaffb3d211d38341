//! Conversions and bit casts.

use crate::error::*;
use crate::state::{FunctionTranslator, Kind, flag};
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::{Decoration, Op};

/// Roundings of FPRoundingMode by value: nearest even, toward zero, up, down.
const F2F: [AluOp; 4] = [AluOp::f2f, AluOp::f2f_rtz, AluOp::f2f_rtp, AluOp::f2f_rtn];
const F2I: [AluOp; 4] = [AluOp::f2i_rte, AluOp::f2i, AluOp::f2i_rtp, AluOp::f2i_rtn];
const F2I_SAT: [AluOp; 4] = [AluOp::f2i_rte_sat, AluOp::f2i_sat, AluOp::f2i_rtp_sat, AluOp::f2i_rtn_sat];
const F2U: [AluOp; 4] = [AluOp::f2u_rte, AluOp::f2u, AluOp::f2u_rtp, AluOp::f2u_rtn];
const F2U_SAT: [AluOp; 4] = [AluOp::f2u_rte_sat, AluOp::f2u_sat, AluOp::f2u_rtp_sat, AluOp::f2u_rtn_sat];
const I2F: [AluOp; 4] = [AluOp::i2f, AluOp::i2f_rtz, AluOp::i2f_rtp, AluOp::i2f_rtn];
const U2F: [AluOp; 4] = [AluOp::u2f, AluOp::u2f_rtz, AluOp::u2f_rtp, AluOp::u2f_rtn];

impl FunctionTranslator<'_, '_> {
    pub fn conversion(&mut self, op: Op) -> Res<()> {
        let id = self.inst.word(2)?;
        let flags = self.r.id(id).flags;
        let saturate = flags & flag::SATURATED != 0;
        let rounding = if flags & flag::ROUNDING == 0 {
            None
        } else {
            self.r.decoration(id, Decoration::FPRoundingMode).map(|d| d.operand() as usize & 3)
        };
        // Without decoration: to nearest even, but toward zero for integers.
        let (nearest, zero) = (rounding.unwrap_or(0), rounding.unwrap_or(1));
        let alu = match (op, saturate) {
            (Op::ConvertFToU, false) => F2U[zero],
            (Op::ConvertFToU, true) => F2U_SAT[zero],
            (Op::ConvertFToS, false) => F2I[zero],
            (Op::ConvertFToS, true) => F2I_SAT[zero],
            (Op::ConvertSToF, _) => I2F[nearest],
            (Op::ConvertUToF, _) => U2F[nearest],
            (Op::FConvert, _) => F2F[nearest],
            (Op::UConvert, false) => AluOp::u2u,
            (Op::UConvert, true) => AluOp::u2u_sat,
            (Op::SConvert, false) => AluOp::i2i,
            (Op::SConvert, true) => AluOp::i2i_sat,
            (Op::SatConvertSToU, _) => AluOp::i2u_sat,
            _ => AluOp::u2i_sat,
        };
        let v = self.ssa(self.inst.word(3)?)?;
        let (from, to) = (self.b.ty(v), self.r.shape(self.result_type()?)?);
        let floats = |float: bool, bits: u8| if float { bits >= 16 } else { bits >= 8 };
        let from_float = matches!(op, Op::ConvertFToU | Op::ConvertFToS | Op::FConvert);
        let to_float = matches!(op, Op::ConvertSToF | Op::ConvertUToF | Op::FConvert);
        if !floats(from_float, from.bits) || !floats(to_float, to.bits) {
            return fail(TYPE, "the operand cannot be converted to this type");
        }
        let v = self.b.convert(alu, v, to.bits);
        self.set_ssa(v)
    }

    /// OpConvertPtrToU and OpConvertUToPtr: zero-extended or cut where the widths differ.
    pub fn op_convert_pointer(&mut self, op: Op) -> Res<()> {
        let (have, value) = self.value(self.inst.word(3)?)?;
        let ty = self.result_type()?;
        let pointer = if op == Op::ConvertPtrToU { have } else { ty };
        if !self.r.is_physical(pointer) {
            bail!(TYPE, "{} of something else than a PhysicalStorageBuffer pointer", self.inst.name());
        }
        let (v, to) = (self.ssa_from(value, have)?, self.r.shape(ty)?);
        if self.b.ty(v).comps != 1 || self.b.ty(v).bits == 1 || to.bits == 1 {
            bail!(TYPE, "{} needs an integer", self.inst.name());
        }
        let v = self.b.convert(AluOp::u2u, v, to.bits);
        self.set_ssa(v)
    }

    pub fn op_bitcast(&mut self) -> Res<()> {
        let ty = self.result_type()?;
        if matches!(self.r.kind(ty), Kind::Pointer { .. }) && !self.r.is_physical(ty) {
            return fail(UNSUPPORTED, "OpBitcast to a pointer without physical address is not supported");
        }
        let to = self.r.shape(ty)?;
        let v = self.ssa(self.inst.word(3)?)?;
        let from = self.b.ty(v);
        let size = |t: Ty| u32::from(t.comps) * u32::from(t.bits);
        if size(from) != size(to) || from.bits == 1 || to.bits == 1 {
            bail!(TYPE, "a value of shape {from} cannot be seen as one of shape {to}");
        }
        let v = if from.bits == to.bits {
            v
        } else if from.bits < to.bits {
            self.join(v, to)
        } else {
            self.cut(v, to)
        };
        self.set_ssa(v)
    }

    /// Joins components to wider ones, the lowest first.
    fn join(&mut self, v: InstrId, to: Ty) -> InstrId {
        let from = self.b.ty(v);
        let group = to.bits / from.bits;
        let op = match (from.bits, to.bits) {
            (32, 64) => Some(AluOp::pack_64_2x32),
            (16, 64) => Some(AluOp::pack_64_4x16),
            (16, 32) => Some(AluOp::pack_32_2x16),
            (8, 32) => Some(AluOp::pack_32_4x8),
            _ => None,
        };
        let mut lanes: SmallVec<[InstrId; 4]> = SmallVec::new();
        for i in 0..to.comps {
            let part: SmallVec<[u8; 4]> = (i * group..(i + 1) * group).collect();
            let part = self.b.swizzle(v, &part);
            lanes.push(match op {
                Some(op) => self.b.alu(op, &[part]),
                None => {
                    let mut all = self.b.imm(to.bits, 0);
                    for c in 0..group {
                        let x = self.b.channel(part, c as usize);
                        let x = self.b.convert(AluOp::u2u, x, to.bits);
                        let by = self.b.imm_u32(u32::from(c) * u32::from(from.bits));
                        let x = self.b.ishl(x, by);
                        all = self.b.ior(all, x);
                    }
                    all
                }
            });
        }
        self.b.vec(&lanes)
    }

    /// Cuts components into narrower ones, the lowest first.
    fn cut(&mut self, v: InstrId, to: Ty) -> InstrId {
        let from = self.b.ty(v);
        let group = from.bits / to.bits;
        let op = match (from.bits, to.bits) {
            (64, 32) => Some(AluOp::unpack_64_2x32),
            (64, 16) => Some(AluOp::unpack_64_4x16),
            (32, 16) => Some(AluOp::unpack_32_2x16),
            (32, 8) => Some(AluOp::unpack_32_4x8),
            _ => None,
        };
        let mut lanes: SmallVec<[Src; 4]> = SmallVec::new();
        for i in 0..from.comps as usize {
            let x = self.b.channel(v, i);
            let whole = op.map(|op| self.b.alu(op, &[x]));
            for c in 0..group as usize {
                lanes.push(match whole {
                    Some(w) => Src::comp(w, c),
                    None => {
                        let by = self.b.imm_u32(c as u32 * u32::from(to.bits));
                        let part = self.b.ushr(x, by);
                        self.b.convert(AluOp::u2u, part, to.bits).into()
                    }
                });
            }
        }
        self.b.vec_srcs(&lanes)
    }
}
