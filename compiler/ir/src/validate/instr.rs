//! ALU instructions, constants, calls, and the rules for all instructions.

use super::deref::Derefs;
use super::vars::lanes_fit;
use super::{FunctionChecker, Rule};
use crate::alu::{AluProps, Base};
use crate::ids::InstrId;
use crate::instr::{Alu, Call, InstrKind};
use crate::value::Ty;

impl FunctionChecker<'_> {
    pub(super) fn check_instr(&mut self, id: InstrId, derefs: &Derefs) {
        let body = self.body;
        let instr = &body[id];
        let mut values = true;
        instr.visit_operands(|v| values &= body.get(v).is_some_and(|i| i.has_value()));
        self.expect(values, Rule::OperandValue, id, "an operand defines no value");
        let defines = match &instr.kind {
            InstrKind::Jump(_) | InstrKind::Call(_) => false,
            InstrKind::Intrinsic(i) => i.op.info().result.is_some(),
            _ => true,
        };
        let legal = if defines { instr.ty.is_legal() } else { instr.ty == Ty::NONE };
        self.expect(legal, Rule::ResultShape, id, format_args!("the result cannot have shape {}", instr.ty));
        self.check_deref_uses(id, derefs);
        match &instr.kind {
            InstrKind::Alu(alu) => self.check_alu(id, alu, instr.ty),
            InstrKind::Const(lanes) => {
                self.expect(lanes_fit(lanes, instr.ty), Rule::ConstantBits, id, "bits beyond the width");
            }
            InstrKind::Deref(d) => self.check_deref(id, d),
            InstrKind::Intrinsic(i) => self.check_intrinsic(id, i, instr.ty),
            InstrKind::Tex(t) => self.check_tex(id, t, instr.ty),
            InstrKind::Call(c) => self.check_call(id, c),
            InstrKind::Phi(_) | InstrKind::Undef | InstrKind::Jump(_) => {}
        }
    }

    fn check_alu(&mut self, id: InstrId, alu: &Alu, ty: Ty) {
        let info = alu.op.info();
        let sized = info.props.contains(AluProps::SIZED);
        let mut shared = None;
        let (mut widths, mut numbers, mut swizzles) = (true, true, true);
        for (i, (src, o)) in alu.srcs().zip(info.operands).enumerate() {
            let operand = self.ty(src.value);
            if operand.is_none() {
                continue;
            }
            if o.bits == 0 {
                widths &= *shared.get_or_insert(operand.bits) == operand.bits;
                numbers &= o.base.has_width(operand.bits);
                numbers &= !(sized && matches!(o.base, Base::Int | Base::Uint) && operand.bits == 1);
            } else {
                widths &= o.bits == operand.bits;
            }
            let lanes = info.operand_comps(i, ty.comps) as usize;
            swizzles &= src.swizzle.max_component(lanes) < operand.comps as usize
                && src.swizzle == src.swizzle.canonical(lanes);
        }
        self.expect(widths, Rule::AluOperand, id, "widths of the operands are not those of the operation");
        self.expect(
            swizzles,
            Rule::Swizzle,
            id,
            "a swizzle reads a component that does not exist or is not canonical",
        );
        let operands = alu.srcs().map(|src| self.ty(src.value)).filter(|ty| !ty.is_none());
        let own_width = sized || shared.is_none();
        let expected = info.shape(operands, Some(ty.comps), own_width.then_some(ty.bits)).ty;
        if info.result.bits == 0 {
            numbers &= info.result.base.has_width(ty.bits) || ty.bits != expected.bits;
            numbers &= !(sized && matches!(info.result.base, Base::Int | Base::Uint) && ty.bits == 1);
        }
        self.expect(numbers, Rule::NumberWidth, id, "no numbers of this width");
        self.expect(
            ty == expected,
            Rule::AluResult,
            id,
            format_args!("expected a result of shape {expected}"),
        );
    }

    fn check_call(&mut self, id: InstrId, call: &Call) {
        let Some(callee) = self.shader.functions.get(call.callee) else {
            return self.report_instr(Rule::CallCallee, id, "the called function does not exist");
        };
        let fits = call.args.len() == callee.params.len()
            && call.args.iter().zip(&callee.params).all(|(&arg, p)| {
                self.ty(arg) == p.ty
                    && match (p.pointee, self.body[arg].as_deref()) {
                        (Some((ty, modes)), Some(d)) => d.ty == ty && modes.contains(d.modes),
                        (None, None) => true,
                        _ => false,
                    }
            });
        self.expect(fits, Rule::CallArguments, id, "the arguments are not those that the parameters demand");
    }
}
