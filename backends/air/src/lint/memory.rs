//! Rules of the accesses in function bodies.

use super::entries::Entry;
use super::sizes::layout;
use super::{Finding, Lint};
use crate::module::{Body, CastOp, Const, Function, Inst, Op, Type, TypeId, Value, ValueKind};
use crate::rules::Rule;

/// Most bytes of an aggregate that may be loaded as a whole and used several times.
const WIDE: u64 = 64;
/// Longest chain of address computations that is followed.
const MAX_STEPS: usize = 64;

/// The entry that a body belongs to, and which of its arguments are marked `air.read`.
struct Context<'c> {
    body: &'c Body,
    read_only: Vec<u32>,
}

impl Lint<'_> {
    pub(super) fn bodies(&mut self) {
        let m = self.m;
        let entries = self.entries();
        for (index, function) in (0u32..).zip(m.functions()) {
            let Some(body) = &function.body else { continue };
            let entry = entries.iter().find(|e| e.index == index);
            let read_only = entry.map(|e| self.read_only(e)).unwrap_or_default();
            let context = Context { body, read_only };
            self.body(function, &context);
            if entry.is_some_and(|e| matches!(e.stage, "vertex" | "fragment")) {
                self.undefined_results(function, body);
            }
        }
    }

    /// Indices of the buffers that are marked `air.read`.
    fn read_only(&self, entry: &Entry<'_>) -> Vec<u32> {
        let own = self.inspection.entries.iter().find(|e| e.name == entry.name && e.stage == entry.stage);
        let items = own.map_or(&[][..], |e| &e.inputs).iter();
        items
            .filter(|i| matches!(i.kind.as_str(), "buffer") && i.access == "read")
            .filter_map(|i| u32::try_from(i.index?).ok())
            .collect()
    }

    fn find(&mut self, rule: Rule, function: &Function, at: usize, inst: &Inst, message: &str) {
        let finding = Finding::new(rule, message).in_function(self.m.text(function.name));
        self.found.push(Finding { inst: Some((at as u32, inst.op.name())), ..finding });
    }

    fn body(&mut self, function: &Function, c: &Context<'_>) {
        let mut wide = Vec::new();
        for (at, inst) in c.body.insts().iter().enumerate() {
            match inst.op {
                Op::Store => self.store(function, c, at, inst),
                Op::Load => {
                    self.byte_access(function, c, at, inst, inst.ty);
                    let aggregate = matches!(
                        self.m.types().get(inst.ty),
                        Type::Struct { .. } | Type::Named { .. } | Type::Array { .. }
                    );
                    if aggregate && layout(self.m, inst.ty).0 > WIDE {
                        wide.push(at as u32);
                    }
                }
                Op::Call => self.call(function, c, at, inst),
                _ => {}
            }
            let larger = |ty| self.m.types().pointee(ty).is_some_and(|to| to != TypeId::I8);
            if inst.op == Op::Cast(CastOp::BitCast)
                && larger(inst.ty)
                && self.byte_inside(c.body, c.body.value(inst, 0))
            {
                let message =
                    "the address of a byte inside of a threadgroup variable becomes that of a larger value";
                self.find(Rule::ByteGep, function, at, inst, message);
            }
        }
        if !wide.is_empty() {
            let mut uses = vec![0u32; c.body.insts().len()];
            for inst in c.body.insts() {
                for value in c.body.operands(inst) {
                    if let ValueKind::Inst(i) = value.kind() {
                        uses[i as usize] += 1;
                    }
                }
            }
            for at in wide.into_iter().filter(|&at| uses[at as usize] > 1) {
                let inst = &c.body.insts()[at as usize];
                let message = format!(
                    "an aggregate of {} bytes is loaded and used several times",
                    layout(self.m, inst.ty).0
                );
                self.find(Rule::WideAggregate, function, at as usize, inst, &message);
            }
        }
    }

    fn store(&mut self, function: &Function, c: &Context<'_>, at: usize, inst: &Inst) {
        let (pointer, stored) = (c.body.value(inst, 0), self.m.type_in(c.body, c.body.value(inst, 1)));
        let (root, cast) = self.root(c.body, pointer);
        if matches!(self.m.constant(root), Some(Const::Null)) {
            self.find(Rule::NullStore, function, at, inst, "a store through a null pointer");
        }
        if cast && self.is_alloca(c.body, root) {
            let message = "a store through an alloca that was cast to another address space";
            self.find(Rule::PrivateToDevice, function, at, inst, message);
        }
        self.writes(function, c, at, inst, root);
        self.byte_access(function, c, at, inst, stored);
    }

    /// A write through an argument that is marked as read.
    fn writes(&mut self, function: &Function, c: &Context<'_>, at: usize, inst: &Inst, root: Value) {
        if let ValueKind::Arg(index) = root.kind()
            && c.read_only.contains(&index)
        {
            let message = format!("a write through argument {index}, which is marked `air.read`");
            self.find(Rule::Access, function, at, inst, &message);
        }
    }

    fn call(&mut self, function: &Function, c: &Context<'_>, at: usize, inst: &Inst) {
        let ValueKind::Function(callee) = c.body.callee(inst).kind() else { return };
        let Some(callee) = self.m.functions().get(callee as usize) else { return };
        let name = self.m.text(callee.name);
        let atomic = name.starts_with("air.atomic.") && !name.contains(".load.");
        if !(atomic || name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memset.")) {
            return;
        }
        let Some(target) = c.body.call_args(inst).next() else { return };
        let root = self.root(c.body, target).0;
        self.writes(function, c, at, inst, root);
    }

    /// The value that an address is computed from, and whether a cast in between changes the address space.
    fn root(&self, body: &Body, mut value: Value) -> (Value, bool) {
        let mut cast = false;
        for _ in 0..MAX_STEPS {
            let next = match value.kind() {
                ValueKind::Inst(i) => match &body.insts()[i as usize] {
                    inst if inst.op == Op::Gep || inst.op == Op::Cast(CastOp::BitCast) => body.value(inst, 0),
                    inst if inst.op == Op::Cast(CastOp::AddrSpaceCast) => {
                        cast = true;
                        body.value(inst, 0)
                    }
                    _ => break,
                },
                ValueKind::Const(_) => match self.m.constant(value) {
                    Some(Const::Cast(CastOp::BitCast | CastOp::AddrSpaceCast, inner)) => inner,
                    Some(Const::Gep(list) | Const::PlainGep(list)) => match list.first() {
                        Some(&inner) => inner,
                        None => break,
                    },
                    _ => break,
                },
                _ => break,
            };
            value = next;
        }
        (value, cast)
    }

    fn is_alloca(&self, body: &Body, value: Value) -> bool {
        matches!(value.kind(), ValueKind::Inst(i) if body.insts()[i as usize].op == Op::Alloca)
    }

    /// The base of an address by bytes that may leave its object.
    fn byte_offset(&self, body: &Body, value: Value) -> Option<Value> {
        let ValueKind::Inst(i) = value.kind() else { return None };
        let inst = &body.insts()[i as usize];
        let operands: Vec<Value> = body.operands(inst).collect();
        let [base, _] = operands[..] else { return None };
        let bytes = self.m.types().pointee(self.m.type_in(body, base)) == Some(TypeId::I8);
        (inst.op == Op::Gep && inst.flags == 0 && bytes).then_some(base)
    }

    /// A load or store of a byte through two byte offsets in succession.
    fn byte_access(&mut self, function: &Function, c: &Context<'_>, at: usize, inst: &Inst, ty: TypeId) {
        if ty != TypeId::I8 {
            return;
        }
        let Some(base) = self.byte_offset(c.body, c.body.value(inst, 0)) else { return };
        let device =
            matches!(self.m.types().get(self.m.type_in(c.body, base)), Type::Pointer { space: 1, .. });
        if device && self.byte_offset(c.body, base).is_some() {
            let message =
                "the address of a byte is computed by two offsets without `inbounds`: add them first";
            self.find(Rule::ByteChain, function, at, inst, message);
        }
    }

    /// Whether an address is inside of a threadgroup variable that is an array of bytes: `[variable, 0, index]`.
    fn byte_gep(&self, operands: &[Value]) -> bool {
        let (Some(&base), Some(&index)) = (operands.first(), operands.get(2)) else { return false };
        let global = match base.kind() {
            ValueKind::Global(index) => self.m.global(index),
            _ => None,
        };
        let bytes = |ty| matches!(self.m.types().get(ty), Type::Array { elem: TypeId::I8, .. });
        global.is_some_and(|g| g.space == 3 && bytes(g.ty)) && self.m.int_value(index) != Some(0)
    }

    /// The same for a value.
    fn byte_inside(&self, body: &Body, value: Value) -> bool {
        match (value.kind(), self.m.constant(value)) {
            (ValueKind::Inst(i), _) => {
                let inst = &body.insts()[i as usize];
                inst.op == Op::Gep && self.byte_gep(&body.operands(inst).collect::<Vec<_>>())
            }
            (_, Some(Const::Gep(list) | Const::PlainGep(list))) => self.byte_gep(list),
            _ => false,
        }
    }

    /// A result that is undefined: a member that no `insertvalue` of the returned value gives.
    fn undefined_results(&mut self, function: &Function, body: &Body) {
        for (at, inst) in body.insts().iter().enumerate().filter(|(_, i)| i.op == Op::Ret) {
            let Some(result) = body.operands(inst).next() else { continue };
            let members = match self.m.types().get(self.m.type_in(body, result)) {
                Type::Struct { fields, .. } | Type::Named { fields, .. } => fields.len(),
                _ => 0,
            };
            let mut given = vec![false; members];
            let mut value = result;
            let undefined = |v: Value| matches!(self.m.constant(v), Some(Const::Undef | Const::Poison));
            let mut found = None;
            while let ValueKind::Inst(i) = value.kind() {
                let step = &body.insts()[i as usize];
                if step.op != Op::InsertValue {
                    break;
                }
                if let [member] = body.indices(step)
                    && let Some(given) = given.get_mut(*member as usize)
                {
                    if !*given && undefined(body.value(step, 1)) {
                        found = Some(*member as usize);
                    }
                    *given = true;
                }
                value = body.value(step, 0);
            }
            if undefined(value) {
                found = found.or_else(|| given.iter().position(|g| !g)).or((members == 0).then_some(0));
            }
            if let Some(member) = found {
                self.find(
                    Rule::UndefinedOutput,
                    function,
                    at,
                    inst,
                    &format!("result {member} is undefined"),
                );
            }
        }
    }
}
