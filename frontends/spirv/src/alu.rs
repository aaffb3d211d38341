//! Arithmetic, comparisons, logic, bits, derivatives.

use crate::error::*;
use crate::state::{FunctionTranslator, Val};
use airfoil_ir::alu::{AluShape, AluType, Base};
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::Op;

/// Operands of an operation and their shapes.
pub(crate) type Operands = SmallVec<[(Src, Ty); 4]>;

/// Order of the operands in the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As in SPIR-V.
    Straight,
    /// The first two are swapped.
    Swapped,
}

/// Operations that are one operation of the IR.
pub(crate) fn alu_of(op: Op) -> Option<(AluOp, Order)> {
    use AluOp as A;
    use Order::{Straight, Swapped};
    Some(match op {
        Op::SNegate => (A::ineg, Straight),
        Op::FNegate => (A::fneg, Straight),
        Op::IAdd => (A::iadd, Straight),
        Op::FAdd => (A::fadd, Straight),
        Op::ISub => (A::isub, Straight),
        Op::FSub => (A::fsub, Straight),
        Op::IMul => (A::imul, Straight),
        Op::FMul => (A::fmul, Straight),
        Op::UDiv => (A::udiv, Straight),
        Op::SDiv => (A::idiv, Straight),
        Op::FDiv => (A::fdiv, Straight),
        Op::UMod => (A::umod, Straight),
        Op::SRem => (A::irem, Straight),
        Op::SMod => (A::imod, Straight),
        Op::FRem => (A::frem, Straight),
        Op::FMod => (A::fmod, Straight),
        Op::FmaKHR => (A::ffma, Straight),
        Op::VectorTimesScalar => (A::fmul, Straight),
        Op::QuantizeToF16 => (A::fquantize2f16, Straight),
        Op::LessOrGreater | Op::FOrdNotEqual => (A::fneo, Straight),
        Op::Ordered => (A::ford, Straight),
        Op::Unordered => (A::funord, Straight),
        Op::LogicalEqual => (A::ieq, Straight),
        Op::LogicalNotEqual => (A::ine, Straight),
        Op::LogicalOr => (A::ior, Straight),
        Op::LogicalAnd => (A::iand, Straight),
        Op::LogicalNot => (A::inot, Straight),
        Op::IEqual => (A::ieq, Straight),
        Op::INotEqual => (A::ine, Straight),
        Op::UGreaterThan => (A::ult, Swapped),
        Op::SGreaterThan => (A::ilt, Swapped),
        Op::UGreaterThanEqual => (A::uge, Straight),
        Op::SGreaterThanEqual => (A::ige, Straight),
        Op::ULessThan => (A::ult, Straight),
        Op::SLessThan => (A::ilt, Straight),
        Op::ULessThanEqual => (A::uge, Swapped),
        Op::SLessThanEqual => (A::ige, Swapped),
        Op::FOrdEqual => (A::feq, Straight),
        Op::FUnordEqual => (A::fequ, Straight),
        Op::FUnordNotEqual => (A::fneu, Straight),
        Op::FOrdLessThan => (A::flt, Straight),
        Op::FUnordLessThan => (A::fltu, Straight),
        Op::FOrdGreaterThan => (A::flt, Swapped),
        Op::FUnordGreaterThan => (A::fltu, Swapped),
        Op::FOrdLessThanEqual => (A::fge, Swapped),
        Op::FUnordLessThanEqual => (A::fgeu, Swapped),
        Op::FOrdGreaterThanEqual => (A::fge, Straight),
        Op::FUnordGreaterThanEqual => (A::fgeu, Straight),
        Op::ShiftRightLogical => (A::ushr, Straight),
        Op::ShiftRightArithmetic => (A::ishr, Straight),
        Op::ShiftLeftLogical => (A::ishl, Straight),
        Op::BitwiseOr => (A::ior, Straight),
        Op::BitwiseXor => (A::ixor, Straight),
        Op::BitwiseAnd => (A::iand, Straight),
        Op::Not => (A::inot, Straight),
        Op::BitFieldInsert => (A::bitfield_insert, Straight),
        Op::BitFieldSExtract => (A::ibitfield_extract, Straight),
        Op::BitFieldUExtract => (A::ubitfield_extract, Straight),
        Op::BitReverse => (A::bitfield_reverse, Straight),
        Op::DPdx => (A::fddx, Straight),
        Op::DPdy => (A::fddy, Straight),
        Op::DPdxFine => (A::fddx_fine, Straight),
        Op::DPdyFine => (A::fddy_fine, Straight),
        Op::DPdxCoarse => (A::fddx_coarse, Straight),
        Op::DPdyCoarse => (A::fddy_coarse, Straight),
        _ => return None,
    })
}

impl FunctionTranslator<'_, '_> {
    /// An ALU operation whose operands have been checked against its row.
    pub fn checked_alu(&mut self, op: AluOp, values: &[InstrId]) -> Res<InstrId> {
        let operands: Operands = values.iter().map(|&v| (v.into(), self.b.ty(v))).collect();
        self.checked_srcs(op, &operands)
    }

    /// An ALU operation whose operands, with their shapes, have been checked against its row. Scalars are
    /// spread over vectors.
    pub fn checked_srcs(&mut self, op: AluOp, operands: &[(Src, Ty)]) -> Res<InstrId> {
        let info = op.info();
        if operands.len() != info.operands.len() {
            bail!(TYPE, "{} has the wrong number of operands", self.inst.name());
        }
        let logic =
            matches!(op, AluOp::iand | AluOp::ior | AluOp::ixor | AluOp::inot | AluOp::ieq | AluOp::ine);
        let types: SmallVec<[Ty; 4]> = operands.iter().map(|&(_, ty)| ty).collect();
        if let Some(i) = info.mismatch(&types) {
            return self.wrong_operand(types[i]);
        }
        // Integers and booleans are different types here, even for the operations of the IR that take both.
        let is_number = |o: &AluType| matches!(o.base, Base::Int | Base::Uint);
        let boolean = types.iter().zip(info.operands).find(|(ty, o)| ty.bits == 1 && is_number(o));
        if let (Some((&ty, _)), false) = (boolean, logic) {
            return self.wrong_operand(ty);
        }
        let AluShape { ty, bits, comps } = info.shape(types, None, None);
        let mut srcs: SmallVec<[Src; 4]> = SmallVec::new();
        for (&(src, ty), o) in operands.iter().zip(info.operands) {
            let spread = o.comps == 0 && ty.comps == 1;
            let swizzle =
                if spread { Swizzle::splat(src.swizzle.get(0), comps as usize) } else { src.swizzle };
            srcs.push(Src { value: src.value, swizzle });
        }
        Ok(self.b.alu_of_shape(op, ty, bits, &srcs))
    }

    #[cold]
    fn wrong_operand(&self, ty: Ty) -> Res<InstrId> {
        fail(TYPE, format!("an operand of {} has the wrong shape {ty}", self.inst.name()))
    }

    /// An integer value as 32-bit components.
    pub fn in_u32(&mut self, v: InstrId) -> InstrId {
        if self.b.ty(v).bits == 32 { v } else { self.b.convert(AluOp::u2u, v, 32) }
    }

    /// An integer value in the width of the result.
    pub fn fit_result(&mut self, v: InstrId, signed: bool) -> Res<InstrId> {
        let want = self.r.shape(self.result_type()?)?.bits;
        Ok(if self.b.ty(v).bits == want {
            v
        } else {
            self.b.convert(if signed { AluOp::i2i } else { AluOp::u2u }, v, want)
        })
    }

    /// Everything that works on scalars and vectors.
    pub fn alu_op(&mut self, op: Op) -> Res<()> {
        if let Some((alu, order)) = alu_of(op) {
            return self.plain_alu(alu, order);
        }
        let inst = self.inst;
        let value = match op {
            Op::Dot => {
                let (a, b) = (self.ssa(inst.word(3)?)?, self.ssa(inst.word(4)?)?);
                self.dot(a, b)?
            }
            Op::Any | Op::All => {
                let a = self.ssa(inst.word(3)?)?;
                let all = op == Op::All;
                let op = match (self.b.ty(a).comps, all) {
                    (1, _) => None,
                    (2, true) => Some(AluOp::ball2),
                    (3, true) => Some(AluOp::ball3),
                    (_, true) => Some(AluOp::ball4),
                    (2, false) => Some(AluOp::bany2),
                    (3, false) => Some(AluOp::bany3),
                    (_, false) => Some(AluOp::bany4),
                };
                match op {
                    Some(op) => self.checked_alu(op, &[a])?,
                    None => a,
                }
            }
            Op::IsNan => {
                let a = self.float_operand()?;
                self.b.is_nan(a)
            }
            Op::IsInf => {
                let a = self.float_operand()?;
                self.b.is_inf(a)
            }
            Op::IsFinite | Op::IsNormal => {
                let a = self.float_operand()?;
                let flags = self.b.flags;
                self.b.flags |= AluFlags::EXACT;
                let abs = self.b.fabs(a);
                let bits = self.b.ty(a).bits;
                let infinity = self.b.imm_float(bits, f64::INFINITY);
                let below = self.b.flt(abs, infinity);
                let value = if op == Op::IsFinite {
                    below
                } else {
                    let exponent = match bits {
                        16 => -14,
                        32 => -126,
                        _ => -1022,
                    };
                    let least = self.b.imm_float(bits, 2f64.powi(exponent));
                    let above = self.b.fge(abs, least);
                    self.b.iand(above, below)
                };
                self.b.flags = flags;
                value
            }
            Op::SignBitSet => {
                let a = self.ssa(inst.word(3)?)?;
                let zero = self.b.imm(self.b.ty(a).bits, 0);
                self.checked_alu(AluOp::ilt, &[a, zero])?
            }
            Op::BitCount => {
                let a = self.ssa(inst.word(3)?)?;
                let n = self.checked_alu(AluOp::bit_count, &[a])?;
                self.fit_result(n, false)?
            }
            Op::Fwidth | Op::FwidthFine | Op::FwidthCoarse => {
                let (x, y) = match op {
                    Op::Fwidth => (AluOp::fddx, AluOp::fddy),
                    Op::FwidthFine => (AluOp::fddx_fine, AluOp::fddy_fine),
                    _ => (AluOp::fddx_coarse, AluOp::fddy_coarse),
                };
                let a = self.ssa(inst.word(3)?)?;
                let (x, y) = (self.checked_alu(x, &[a])?, self.checked_alu(y, &[a])?);
                let (x, y) = (self.b.fabs(x), self.b.fabs(y));
                self.b.fadd(x, y)
            }
            Op::IAddCarry => return self.pair(AluOp::iadd, AluOp::uadd_carry),
            Op::ISubBorrow => return self.pair(AluOp::isub, AluOp::usub_borrow),
            Op::UMulExtended => return self.pair(AluOp::imul, AluOp::umul_high),
            Op::SMulExtended => return self.pair(AluOp::imul, AluOp::imul_high),
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.integer_dot(op)?
            }
            _ => bail!(UNSUPPORTED, "{} is not supported", inst.name()),
        };
        self.set_ssa(value)
    }

    /// The only operand, a float.
    fn float_operand(&mut self) -> Res<InstrId> {
        let v = self.ssa(self.inst.word(3)?)?;
        match self.b.ty(v) {
            Ty { bits: 16.., .. } => Ok(v),
            ty => self.wrong_operand(ty),
        }
    }

    fn plain_alu(&mut self, alu: AluOp, order: Order) -> Res<()> {
        let mut operands = Operands::new();
        for (i, operand) in alu.info().operands.iter().enumerate() {
            let id = self.inst.word(3 + i)?;
            let (ty, value) = self.value(id)?;
            if matches!(value, Val::Tree(_)) {
                return self.alu_on_matrices(alu);
            }
            let (mut src, mut shape) = self.src_from(value, ty)?;
            // Shift amounts, offsets and counts have any width in SPIR-V and 32 bits in the IR.
            if operand.count && !matches!(shape.bits, 1 | 32) {
                let v = self.ssa_from(value, ty)?;
                src = self.in_u32(v).into();
                shape = shape.with_bits(32);
            }
            operands.push((src, shape));
        }
        if order == Order::Swapped {
            operands.swap(0, 1);
        }
        let value = self.checked_srcs(alu, &operands)?;
        self.set_ssa(value)
    }

    /// Sum of products of floats.
    pub fn dot(&mut self, a: InstrId, b: InstrId) -> Res<InstrId> {
        let op = match self.b.ty(a).comps {
            1 => AluOp::fmul,
            2 => AluOp::fdot2,
            3 => AluOp::fdot3,
            _ => AluOp::fdot4,
        };
        self.checked_alu(op, &[a, b])
    }

    /// Two results of the same operands as a structure.
    fn pair(&mut self, low: AluOp, high: AluOp) -> Res<()> {
        let (a, b) = (self.ssa(self.inst.word(3)?)?, self.ssa(self.inst.word(4)?)?);
        let (x, y) = (self.checked_alu(low, &[a, b])?, self.checked_alu(high, &[a, b])?);
        self.set_parts(&[Val::Ssa(x), Val::Ssa(y)])
    }

    /// Defines the result as a structure of scalars and vectors.
    pub fn set_parts(&mut self, parts: &[Val]) -> Res<()> {
        let ty = self.result_type()?;
        if self.r.parts(ty).map(|p| p.0) != Some(parts.len() as u32) {
            bail!(TYPE, "the result of {} has the wrong type", self.inst.name());
        }
        for (i, &p) in parts.iter().enumerate() {
            let want = self.r.shape(self.r.part(ty, i as u32)?)?;
            if let Val::Ssa(v) = p
                && self.b.ty(v) != want
            {
                bail!(TYPE, "the result of {} has the wrong type", self.inst.name());
            }
        }
        let value = self.tree(parts)?;
        self.set(value, ty)
    }

    /// SPV_KHR_integer_dot_product: the products and the sum have the width of the result.
    fn integer_dot(&mut self, op: Op) -> Res<InstrId> {
        let bits = self.r.shape(self.result_type()?)?.bits;
        let signs = match op {
            Op::SDot | Op::SDotAccSat => [true, true],
            Op::UDot | Op::UDotAccSat => [false, false],
            _ => [true, false],
        };
        let mut operands = [None; 2];
        for (i, operand) in operands.iter_mut().enumerate() {
            let mut v = self.ssa(self.inst.word(3 + i)?)?;
            if self.b.ty(v) == Ty::B32 {
                v = self.b.alu(AluOp::unpack_32_4x8, &[v]);
            }
            let ty = self.b.ty(v);
            if ty.bits == 1 || bits == 1 {
                return fail(TYPE, "the dot product needs integers");
            }
            if ty.bits != bits {
                v = self.b.convert(if signs[i] { AluOp::i2i } else { AluOp::u2u }, v, bits);
            }
            *operand = Some(v);
        }
        let [Some(a), Some(b)] = operands else { return fail(TYPE, "the dot product needs two operands") };
        let products = self.checked_alu(AluOp::imul, &[a, b])?;
        let mut sum = self.b.channel(products, 0);
        for c in 1..self.b.ty(products).comps as usize {
            let x = self.b.channel(products, c);
            sum = self.b.iadd(sum, x);
        }
        let add = match op {
            Op::SDotAccSat | Op::SUDotAccSat => AluOp::iadd_sat,
            Op::UDotAccSat => AluOp::uadd_sat,
            _ => return Ok(sum),
        };
        let acc = self.ssa(self.inst.word(5)?)?;
        self.checked_alu(add, &[sum, acc])
    }
}
