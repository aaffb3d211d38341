//! Rules of memory attributes: `readnone`, `readonly` and `argmemonly` hold for every access of the body.
//!
//! LLVM's optimiser trusts these attributes, so a function that breaks them has undefined behaviour (LLVM language
//! reference, "Function Attributes"). Allocas and constants of the
//! module may be used by any function.

use super::Checker;
use crate::module::{
    Attr, AttrIndex, AttrKind, AttrSet, Body, Const, Function, Inst, Op, Type, Value, ValueKind,
};
use crate::rules::Rule;
use smallvec::{SmallVec, smallvec};

/// Address space of constant memory.
const CONSTANT: u32 = 2;

/// The promises of a function's attributes.
#[derive(Clone, Copy, Default)]
pub(super) struct Promise {
    pub(super) reads_nothing: bool,
    pub(super) writes_nothing: bool,
    arguments_only: bool,
}

/// The memory that a pointer leads to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    /// An alloca of the function, or a constant of the module.
    Local,
    /// Based on a parameter of the function.
    Argument,
    /// Anything else: threadgroup variables, pointers that were loaded or converted from integers.
    Other,
}

impl Checker<'_> {
    /// Every memory access keeps the promises of the function's attributes.
    pub(super) fn memory_attributes(&mut self, function: &Function) {
        let Some(body) = &function.body else { return };
        let promise = self.promise(&[function.attrs]);
        if !(promise.writes_nothing || promise.arguments_only) || self.has_deferred_size(function) {
            return;
        }
        for (at, inst) in body.insts().iter().enumerate() {
            self.inst = Some((at as u32, inst.op.name()));
            match inst.op {
                // Constant memory does not change, so reading it is not an effect.
                Op::Load if self.is_constant_memory(body, body.value(inst, 0)) => {}
                Op::Load => {
                    let memory = self.memory(body, body.value(inst, 0));
                    self.access_keeps(promise, memory, true, false);
                }
                Op::Store => {
                    let memory = self.memory(body, body.value(inst, 0));
                    self.access_keeps(promise, memory, false, true);
                }
                Op::Call => self.call_keeps(promise, body, inst),
                _ => {}
            }
        }
        self.inst = None;
    }

    fn call_keeps(&mut self, promise: Promise, body: &Body, inst: &Inst) {
        let ValueKind::Function(callee) = body.callee(inst).kind() else { return };
        let Some(callee) = self.m.functions().get(callee as usize) else { return };
        let called = self.promise(&[callee.attrs, body.call_attrs(inst)]);
        if called.reads_nothing {
            return;
        }
        // LLVM knows these by name.
        let copies = ["llvm.memcpy.", "llvm.memset.", "llvm.memmove.", "llvm.lifetime."];
        let name = self.m.text(callee.name);
        let memory = if called.arguments_only || copies.iter().any(|prefix| name.starts_with(prefix)) {
            let pointers = body.call_args(inst).filter(|&v| self.is_pointer(body, v));
            pointers.map(|v| self.memory(body, v)).max().unwrap_or(Memory::Local)
        } else {
            Memory::Other
        };
        self.access_keeps(promise, memory, true, !called.writes_nothing);
    }

    fn access_keeps(&mut self, promise: Promise, memory: Memory, reads: bool, writes: bool) {
        if memory == Memory::Local {
            return;
        }
        let rule = Rule::BrokenPromise;
        self.require_as(rule, !(promise.reads_nothing && reads), || "reads memory in a `readnone` function");
        self.require_as(
            rule,
            !(promise.writes_nothing && writes),
            || "writes memory in a function that is `readnone` or `readonly`",
        );
        self.require_as(
            rule,
            !(promise.arguments_only && memory == Memory::Other),
            || "accesses memory that is not based on a parameter in an `argmemonly` function",
        );
    }

    pub(super) fn promise(&self, sets: &[AttrSet]) -> Promise {
        let table = self.m.attributes();
        let mut promise = Promise::default();
        for &group in sets.iter().flat_map(|&set| table.set(set)) {
            let (index, attrs) = table.group(group);
            if index != AttrIndex::FUNCTION {
                continue;
            }
            for &attr in attrs {
                promise.reads_nothing |= attr == Attr::Flag(AttrKind::READ_NONE);
                promise.writes_nothing |= attr == Attr::Flag(AttrKind::READ_ONLY);
                promise.arguments_only |= attr == Attr::Flag(AttrKind::ARG_MEM_ONLY);
            }
        }
        promise.writes_nothing |= promise.reads_nothing;
        promise
    }

    /// Whether Apple's compiler replaces the function by a constant: the size of a tensor, which it declares `readnone` although it
    /// calls a function that is not.
    fn has_deferred_size(&self, function: &Function) -> bool {
        let table = self.m.attributes();
        let mut attrs = table.set(function.attrs).iter().flat_map(|&group| table.group(group).1);
        attrs.any(
            |&attr| matches!(attr, Attr::Text(key, _) if self.m.text(key) == "deferred-static-alloca-size"),
        )
    }

    fn is_constant_memory(&self, body: &Body, pointer: Value) -> bool {
        matches!(self.m.types().get(self.m.type_in(body, pointer)), Type::Pointer { space: CONSTANT, .. })
    }

    fn is_pointer(&self, body: &Body, value: Value) -> bool {
        !matches!(value.kind(), ValueKind::Metadata(_) | ValueKind::Local(_))
            && matches!(self.m.types().get(self.m.type_in(body, value)), Type::Pointer { .. })
    }

    /// The memory that a pointer leads to; of several possibilities the one with the fewest promises.
    fn memory(&self, body: &Body, pointer: Value) -> Memory {
        let is_pointer = |v| matches!(self.m.types().get(self.m.type_in(body, v)), Type::Pointer { .. });
        let mut phis: SmallVec<[u32; 4]> = SmallVec::new();
        let mut list: SmallVec<[Value; 4]> = smallvec![pointer];
        let mut found = Memory::Local;
        while let Some(value) = list.pop() {
            let memory = match value.kind() {
                ValueKind::Arg(_) => Memory::Argument,
                ValueKind::Global(i) => self.global_memory(i),
                ValueKind::Const(_) => match self.m.constant(value) {
                    Some(Const::Undef | Const::Null) => Memory::Local,
                    Some(Const::Gep(operands) | Const::PlainGep(operands)) => {
                        list.extend(operands.first().copied());
                        continue;
                    }
                    Some(Const::Cast(_, from)) if self.is_module_pointer(from) => {
                        list.push(from);
                        continue;
                    }
                    _ => Memory::Other,
                },
                ValueKind::Inst(i) => {
                    let inst = &body.insts()[i as usize];
                    match inst.op {
                        Op::Alloca => Memory::Local,
                        Op::Gep | Op::Cast(_) if is_pointer(body.value(inst, 0)) => {
                            list.push(body.value(inst, 0));
                            continue;
                        }
                        Op::Select => {
                            list.extend([body.value(inst, 1), body.value(inst, 2)]);
                            continue;
                        }
                        Op::Phi => {
                            if !phis.contains(&i) {
                                phis.push(i);
                                list.extend(body.pairs(inst).map(|(value, _)| value));
                            }
                            continue;
                        }
                        Op::Call if self.is_constant_handle(body, inst) => Memory::Local,
                        _ => Memory::Other,
                    }
                }
                _ => Memory::Other,
            };
            found = found.max(memory);
        }
        found
    }

    /// Whether a call returns a handle of a constant object, as `air.get_read_sampler` does.
    fn is_constant_handle(&self, body: &Body, call: &Inst) -> bool {
        let ValueKind::Function(callee) = body.callee(call).kind() else { return false };
        let pure =
            self.m.functions().get(callee as usize).is_some_and(|f| self.promise(&[f.attrs]).reads_nothing);
        pure && matches!(self.m.types().get(call.ty), Type::Pointer { space: CONSTANT, .. })
    }

    fn is_module_pointer(&self, value: Value) -> bool {
        matches!(self.m.types().get(self.m.module_type(value)), Type::Pointer { .. })
    }

    fn global_memory(&self, index: u32) -> Memory {
        match self.m.global(index) {
            Some(global) if global.space == CONSTANT => Memory::Local,
            _ => Memory::Other,
        }
    }
}
