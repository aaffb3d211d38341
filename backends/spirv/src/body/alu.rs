//! Operations on values.

use super::alu_table::{Rule, rule};
use super::{Code, Want};
use crate::classes::is_unsigned;
use crate::errors::*;
use crate::module::Class;
use airfoil_ir::alu::Base;
use airfoil_ir::{Alu, AluFlags, AluOp, InstrId, Src, Stage, Ty};
use smallvec::SmallVec;
use spirv::{Capability, Decoration, Op};

/// Whether GLSL.std.450 has an operation for floats of 16 and 32 bits only.
fn is_transcendental(op: AluOp) -> bool {
    matches!(
        op,
        AluOp::fsin
            | AluOp::fcos
            | AluOp::ftan
            | AluOp::fasin
            | AluOp::facos
            | AluOp::fatan
            | AluOp::fatan2
            | AluOp::fsinh
            | AluOp::fcosh
            | AluOp::ftanh
            | AluOp::fasinh
            | AluOp::facosh
            | AluOp::fatanh
            | AluOp::fpow
            | AluOp::fexp
            | AluOp::flog
            | AluOp::fexp2
            | AluOp::flog2
    )
}

impl Code<'_, '_, '_> {
    /// How an operation uses an operand.
    fn want(&self, alu: &Alu, i: usize) -> Want {
        match alu.op.info().operands[i].base {
            Base::Float => Want::Exactly(Class::Float),
            Base::Bool => Want::Exactly(Class::Bool),
            Base::Int | Base::Uint | Base::Any if is_unsigned(alu.op) => Want::Exactly(Class::Uint),
            Base::Int | Base::Uint | Base::Any => Want::Integer,
        }
    }

    /// Operand `i` with its swizzle.
    pub(super) fn operand(&mut self, id: InstrId, alu: &Alu, i: usize) -> Res<u32> {
        let want = self.want(alu, i);
        self.operand_as(id, alu, i, want)
    }

    /// Operand `i` with its swizzle, in a class.
    pub(super) fn operand_as(&mut self, id: InstrId, alu: &Alu, i: usize, want: Want) -> Res<u32> {
        let comps = alu.op.info().operand_comps(i, self.ty(id).comps);
        self.src(alu.src(i), comps, want)
    }

    pub(super) fn operands(&mut self, id: InstrId, alu: &Alu) -> Res<SmallVec<[u32; 4]>> {
        (0..alu.op.num_operands()).map(|i| self.operand(id, alu, i)).collect()
    }

    pub(super) fn alu(&mut self, id: InstrId, alu: &Alu) -> Res<()> {
        self.alu_capabilities(alu)?;
        if alu.op == AluOp::fadd && self.matrix_product(id, alu)? {
            return Ok(());
        }
        let value = self.alu_value(id, alu)?;
        self.define(id, value);
        Ok(())
    }

    fn alu_capabilities(&mut self, alu: &Alu) -> Res<()> {
        let fine =
            matches!(alu.op, AluOp::fddx_fine | AluOp::fddy_fine | AluOp::fddx_coarse | AluOp::fddy_coarse);
        if fine {
            self.w.m.require(Capability::DerivativeControl)?;
        }
        if alu.op.info().props.contains(airfoil_ir::alu::AluProps::QUAD) {
            self.needs_derivatives()?;
        }
        Ok(())
    }

    /// Derivatives exist in fragment shaders, and in compute shaders with derivative groups.
    pub(super) fn needs_derivatives(&mut self) -> Res<()> {
        match self.shader.stage {
            Stage::Fragment => Ok(()),
            Stage::Compute | Stage::Task | Stage::Mesh if self.shader.info.quad_groups => Ok(()),
            Stage::Compute | Stage::Task | Stage::Mesh => {
                self.w.m.require(Capability::ComputeDerivativeGroupLinearKHR)
            }
            stage => fail(OPERATION, format!("derivatives are not supported in {stage} shaders")),
        }
    }

    fn alu_value(&mut self, id: InstrId, alu: &Alu) -> Res<u32> {
        let ty = self.ty(id);
        let bits = self.ty(alu.src(0).value).bits;
        let value = match rule(alu.op) {
            Rule::Move => return self.moved(id, alu),
            Rule::Cast => {
                let v = self.operand(id, alu, 0)?;
                let type_id = self.result_type(id)?;
                self.op(Op::Bitcast, type_id, &[v])
            }
            Rule::Plain(Op::SConvert | Op::UConvert) if ty.bits == bits => {
                let want = Want::Exactly(self.class(id));
                return self.operand_as(id, alu, 0, want);
            }
            // Vulkan counts bits of 32-bit integers only.
            Rule::Plain(Op::BitCount) if bits != 32 => self.count_bits(id, alu)?,
            Rule::Plain(op) => {
                let operands = self.operands(id, alu)?;
                let type_id = self.result_type(id)?;
                self.op(op, type_id, &operands)
            }
            Rule::Typed(_) if bits != 32 => {
                return fail(
                    OPERATION,
                    format!("`{}` of {bits}-bit integers is not supported in SPIR-V", alu.op.name()),
                );
            }
            Rule::Typed(op) => {
                let class = self.class(id);
                let mut operands: SmallVec<[u32; 4]> = SmallVec::new();
                for i in 0..alu.op.num_operands() {
                    if alu.op.info().operands[i].count {
                        operands.push(self.count_operand(id, alu, i)?);
                    } else {
                        operands.push(self.operand_as(id, alu, i, Want::Exactly(class))?);
                    }
                }
                let type_id = self.result_type(id)?;
                self.op(op, type_id, &operands)
            }
            Rule::Logic(integers, booleans) => {
                let op = if bits == 1 { booleans } else { integers };
                let operands = self.operands(id, alu)?;
                let type_id = self.result_type(id)?;
                self.op(op, type_id, &operands)
            }
            Rule::Glsl32(op) if bits == 32 => {
                let operands = self.operands(id, alu)?;
                let type_id = self.result_type(id)?;
                self.glsl(op, type_id, &operands)
            }
            Rule::Glsl32(op) => self.find_bit(id, alu, op)?,
            Rule::Glsl(_) if bits == 64 && is_transcendental(alu.op) => {
                return fail(
                    OPERATION,
                    format!("`{}` of 64-bit floats is not supported in SPIR-V", alu.op.name()),
                );
            }
            Rule::Glsl(op) => {
                let operands = self.operands(id, alu)?;
                let type_id = self.result_type(id)?;
                self.glsl(op, type_id, &operands)
            }
            Rule::Half(op, member) => self.half(id, alu, op, member)?,
            Rule::Expand => self.expand(id, alu)?,
            Rule::Missing => {
                return fail(OPERATION, format!("`{}` is not supported in SPIR-V", alu.op.name()));
            }
        };
        self.decorate_value(value, alu);
        Ok(value)
    }

    /// A shift amount, offset or count: a scalar for bit fields.
    fn count_operand(&mut self, id: InstrId, alu: &Alu, i: usize) -> Res<u32> {
        let src = alu.src(i);
        let comps = self.ty(id).comps;
        let first = src.swizzle.get(0);
        let uniform = (1..usize::from(comps)).all(|lane| src.swizzle.get(lane) == first)
            || self.lanes(src.value).is_some_and(|lanes| {
                (1..usize::from(comps)).all(|lane| lanes[src.swizzle.get(lane)] == lanes[first])
            });
        if !uniform {
            return fail(
                OPERATION,
                format!(
                    "`{}` with an offset or count per component is not supported in SPIR-V",
                    alu.op.name()
                ),
            );
        }
        self.src(Src::comp(src.value, first), 1, Want::Integer)
    }

    /// Both halves are unsigned; the instruction is shared by the operations on either.
    fn half(&mut self, id: InstrId, alu: &Alu, op: Op, member: u32) -> Res<u32> {
        let ty = self.ty(id);
        let (a, b) = (
            self.operand_as(id, alu, 0, Want::Exactly(Class::Uint))?,
            self.operand_as(id, alu, 1, Want::Exactly(Class::Uint))?,
        );
        let part = self.value_type(Class::Uint, ty)?;
        let both = self.pair_type(part, part);
        let pair = self.shared(op, both, &[a, b]);
        Ok(self.op(Op::CompositeExtract, part, &[pair, member]))
    }

    /// A structure of two values.
    pub(super) fn pair_type(&mut self, a: u32, b: u32) -> u32 {
        self.w.m.declare(Op::TypeStruct, &[a, b], 0).0
    }

    /// Hints and demands of an operation.
    pub(super) fn decorate_value(&mut self, value: u32, alu: &Alu) {
        if alu.flags.is_empty() {
            return;
        }
        let m = &mut *self.w.m;
        if alu.flags.contains(AluFlags::EXACT) {
            m.decorate(value, Decoration::NoContraction, &[]);
        }
        if alu.flags.contains(AluFlags::RELAXED) {
            m.decorate(value, Decoration::RelaxedPrecision, &[]);
        }
        let wraps = matches!(alu.op, AluOp::iadd | AluOp::isub | AluOp::imul | AluOp::ineg | AluOp::ishl);
        if wraps && m.target().has(4) {
            if alu.flags.contains(AluFlags::NSW) {
                m.decorate(value, Decoration::NoSignedWrap, &[]);
            }
            if alu.flags.contains(AluFlags::NUW) && alu.op != AluOp::ineg {
                m.decorate(value, Decoration::NoUnsignedWrap, &[]);
            }
        }
    }

    // ---- moves ----

    fn moved(&mut self, id: InstrId, alu: &Alu) -> Res<u32> {
        let (class, ty) = (self.class(id), self.ty(id));
        if alu.op == AluOp::mov {
            return self.src(alu.src(0), ty.comps, Want::Exactly(class));
        }
        let srcs: SmallVec<[Src; 4]> = alu.srcs().collect();
        self.vector(&srcs, class, ty)
    }

    /// A vector of scalars, with as few instructions as possible.
    pub(super) fn vector(&mut self, srcs: &[Src], class: Class, ty: Ty) -> Res<u32> {
        let want = Want::Exactly(class);
        let constant = |code: &Self, s: &Src| code.lanes(s.value).map(|lanes| lanes[s.swizzle.get(0)]);
        if let Some(lanes) = srcs.iter().map(|s| constant(self, s)).collect::<Option<SmallVec<[u64; 4]>>>() {
            let lanes = std::array::from_fn(|i| lanes.get(i).copied().unwrap_or(0));
            return self.constant(class, ty, &lanes);
        }
        let type_id = self.value_type(class, ty)?;
        // All components of one or two vectors.
        let is_vector = |code: &Self, s: &Src| code.ty(s.value).comps > 1 && constant(code, s).is_none();
        let mut vectors: SmallVec<[InstrId; 4]> = SmallVec::new();
        for s in srcs {
            if !vectors.contains(&s.value) {
                vectors.push(s.value);
            }
        }
        if vectors.len() <= 2 && srcs.iter().all(|s| is_vector(self, s)) {
            let (a, b) = (vectors[0], vectors[vectors.len() - 1]);
            let from = self.ty(a);
            let (x, y) = (self.value(a, want)?, self.value(b, want)?);
            let first: SmallVec<[u32; 4]> = srcs.iter().map(|s| s.swizzle.get(0) as u32).collect();
            if a == b && from.comps == ty.comps && first.iter().enumerate().all(|(i, &c)| i as u32 == c) {
                return Ok(x);
            }
            let mut words: SmallVec<[u32; 6]> = SmallVec::from_slice(&[x, y]);
            words.extend(
                srcs.iter().zip(first).map(|(s, c)| if s.value == a { c } else { c + u32::from(from.comps) }),
            );
            return Ok(self.shared(Op::VectorShuffle, type_id, &words));
        }
        let mut parts: SmallVec<[u32; 4]> = SmallVec::new();
        let mut i = 0;
        while i < srcs.len() {
            let s = srcs[i];
            let run = srcs[i..]
                .iter()
                .enumerate()
                .take_while(|(k, t)| t.value == s.value && t.swizzle.get(0) == s.swizzle.get(0) + k)
                .count();
            let comps = usize::from(self.ty(s.value).comps);
            // A whole vector is one part.
            if run == comps && s.swizzle.get(0) == 0 || comps == 1 {
                parts.push(self.value(s.value, want)?);
                i += comps.max(1);
            } else if run > 1 && is_vector(self, &s) {
                let id = self.value(s.value, want)?;
                let part = self.value_type(class, ty.with_comps(run as u8))?;
                let mut words: SmallVec<[u32; 6]> = SmallVec::from_slice(&[id, id]);
                words.extend((0..run).map(|k| (s.swizzle.get(0) + k) as u32));
                parts.push(self.shared(Op::VectorShuffle, part, &words));
                i += run;
            } else {
                parts.push(self.src(Src::comp(s.value, s.swizzle.get(0)), 1, want)?);
                i += 1;
            }
        }
        Ok(self.shared(Op::CompositeConstruct, type_id, &parts))
    }
}
