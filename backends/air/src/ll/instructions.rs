//! Instructions.

use super::Printer;
use crate::module::{
    AttrIndex, BlockId, Body, CALL_TAIL, FastMath, Flags, Inst, Op, Type, TypeId, ValueKind,
};

impl Printer<'_> {
    /// Blocks are named by their position, since bitcode keeps no names.
    pub(super) fn label(&mut self, body: &Body, block: BlockId) {
        let place = body.position(block).unwrap_or(u32::MAX);
        self.put(format_args!("label %b{place}"));
    }

    pub(super) fn fast(&mut self, flags: FastMath) {
        const NAMES: [(FastMath, &str); 7] = [
            (FastMath::REASSOC, "reassoc "),
            (FastMath::NNAN, "nnan "),
            (FastMath::NINF, "ninf "),
            (FastMath::NSZ, "nsz "),
            (FastMath::ARCP, "arcp "),
            (FastMath::CONTRACT, "contract "),
            (FastMath::AFN, "afn "),
        ];
        let flags = self.m.written_flags(flags);
        if flags == FastMath::FAST {
            self.out.push_str("fast ");
            return;
        }
        for (flag, name) in NAMES {
            if flags.0 & flag.0 != 0 {
                self.out.push_str(name);
            }
        }
    }

    pub(super) fn instruction(&mut self, body: &Body, at: usize) {
        let inst = &body.insts()[at];
        self.out.push_str("  ");
        if inst.ty != TypeId::VOID {
            self.put(format_args!("%v{at} = "));
        }
        self.operation(body, inst);
        let attached = body.attached();
        let first = attached.partition_point(|a| (a.inst as usize) < at);
        for a in attached[first..].iter().take_while(|a| a.inst as usize == at) {
            self.attachment(",", a.kind);
            self.md(a.node);
        }
        self.location(body, at as u32);
        self.out.push('\n');
    }

    pub(super) fn operation(&mut self, body: &Body, inst: &Inst) {
        if inst.op == Op::Call {
            return self.call(body, inst);
        }
        self.put(format_args!("{} ", inst.op.name()));
        let operands = || body.operands(inst);
        match inst.op {
            Op::Binary(op) => {
                match op.flags() {
                    Flags::Fast => self.fast(inst.fast_math()),
                    Flags::Wrap => self.wrap_flags(inst.flags),
                    Flags::Exact => self.out.push_str(["", "exact "][usize::from(inst.flags & 1)]),
                    Flags::None => {}
                }
                self.pair(body, inst);
            }
            Op::ICmp(predicate) => {
                self.put(format_args!("{} ", predicate.name()));
                self.pair(body, inst);
            }
            Op::FCmp(predicate) => {
                self.fast(inst.fast_math());
                self.put(format_args!("{} ", predicate.name()));
                self.pair(body, inst);
            }
            Op::Cast(_) => {
                self.typed(body, body.value(inst, 0));
                self.out.push_str(" to ");
                self.ty(inst.ty);
            }
            Op::Phi => {
                self.fast(inst.fast_math());
                self.ty(inst.ty);
                self.out.push(' ');
                self.list(body.pairs(inst), |p, (value, block)| {
                    p.out.push_str("[ ");
                    p.value(value);
                    p.put(format_args!(", %b{} ]", body.position(block).unwrap_or(u32::MAX)));
                });
            }
            Op::Gep => {
                self.out.push_str(if inst.flags & 1 != 0 { "inbounds " } else { "" });
                let pointer = self.m.type_in(body, body.value(inst, 0));
                self.ty(self.m.types().pointee(pointer).unwrap_or(TypeId::VOID));
                self.out.push_str(", ");
                self.list(operands(), |p, v| p.typed(body, v));
            }
            Op::Load => {
                self.out.push_str(if inst.flags & 1 != 0 { "volatile " } else { "" });
                self.ty(inst.ty);
                self.out.push_str(", ");
                self.typed(body, body.value(inst, 0));
                self.align(inst);
            }
            Op::Store => {
                self.out.push_str(if inst.flags & 1 != 0 { "volatile " } else { "" });
                self.typed(body, body.value(inst, 1));
                self.out.push_str(", ");
                self.typed(body, body.value(inst, 0));
                self.align(inst);
            }
            Op::Alloca => {
                self.ty(self.m.types().pointee(inst.ty).unwrap_or(TypeId::VOID));
                let count = body.value(inst, 0);
                if self.m.type_in(body, count) != TypeId::I32 || self.m.int_value(count) != Some(1) {
                    self.out.push_str(", ");
                    self.typed(body, count);
                }
                self.align(inst);
            }
            Op::FNeg | Op::Select => {
                self.fast(inst.fast_math());
                self.list(operands(), |p, v| p.typed(body, v));
            }
            Op::ExtractValue | Op::InsertValue => {
                self.list(operands(), |p, v| p.typed(body, v));
                for index in body.indices(inst) {
                    self.put(format_args!(", {index}"));
                }
            }
            Op::Br => self.list(body.successors(inst), |p, block| p.label(body, block)),
            Op::CondBr => {
                self.typed(body, body.value(inst, 0));
                self.out.push_str(", ");
                self.list(body.successors(inst), |p, block| p.label(body, block));
            }
            Op::Switch => {
                self.typed(body, body.value(inst, 0));
                self.out.push_str(", ");
                self.list(body.successors(inst).take(1), |p, block| p.label(body, block));
                self.out.push_str(" [");
                for (case, block) in body.pairs(inst) {
                    self.out.push_str("\n    ");
                    self.typed(body, case);
                    self.out.push_str(", ");
                    self.label(body, block);
                }
                self.out.push_str("\n  ]");
            }
            Op::Ret if operands().next().is_none() => self.out.push_str("void"),
            Op::Unreachable => {}
            _ => self.list(operands(), |p, v| p.typed(body, v)),
        }
    }

    pub(super) fn wrap_flags(&mut self, flags: u8) {
        self.out.push_str(["", "nuw ", "nsw ", "nuw nsw "][usize::from(flags & 3)]);
    }

    pub(super) fn pair(&mut self, body: &Body, inst: &Inst) {
        self.typed(body, body.value(inst, 0));
        self.out.push_str(", ");
        self.value(body.value(inst, 1));
    }

    pub(super) fn align(&mut self, inst: &Inst) {
        if inst.align != 0 {
            self.put(format_args!(", align {}", inst.alignment()));
        }
    }

    pub(super) fn call(&mut self, body: &Body, inst: &Inst) {
        let (callee, attrs) = (body.callee(inst), body.call_attrs(inst));
        self.out.push_str(if inst.flags & CALL_TAIL != 0 { "tail call " } else { "call " });
        self.fast(inst.fast_math());
        if self.m.function(callee).is_some_and(|f| f.fastcc) {
            self.out.push_str("fastcc ");
        }
        self.attributes_of(attrs, AttrIndex::RETURN, "", " ");
        let signature = self.m.types().pointee(self.m.type_in(body, callee)).unwrap_or(TypeId::VOID);
        match self.m.types().get(signature) {
            Type::VarFunction { .. } => self.ty(signature),
            _ => self.ty(inst.ty),
        }
        self.out.push(' ');
        self.value(callee);
        self.out.push('(');
        self.list(body.call_args(inst).zip(0..), |p, (value, at)| {
            p.ty(p.m.type_in(body, value));
            p.attributes_of(attrs, AttrIndex::param(at), " ", "");
            p.out.push(' ');
            match value.kind() {
                ValueKind::Local(i) => {
                    let local = body.locals().get(i as usize).copied().unwrap_or(value);
                    p.typed(body, local);
                }
                _ => p.value(value),
            }
        });
        self.out.push(')');
        self.function_group(attrs, " ", "");
    }
}
