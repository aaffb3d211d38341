//! Function bodies.
//!
//! Operands are written as the distance back from the next value number; an operand that comes later is
//! followed by its type where the record does not imply it.

use super::Writer;
use super::bits::signed;
use super::codes::{block, function, metadata};
use crate::module::{
    Body, CALL_TAIL, FastMath, Flags, Function, Inst, Location, Module, Op, Type, TypeId, Value, ValueKind,
};

/// A function being written.
struct Scope<'a> {
    module: &'a Module,
    body: &'a Body,
    /// ID of the next value.
    next: u32,
}

/// Source locations still to be written, and the last one.
struct Locations<'a> {
    rest: &'a [Location],
    last: Option<Location>,
}

impl<'a> Locations<'a> {
    fn new(body: &'a Body) -> Self {
        Locations { rest: body.locations(), last: None }
    }
}

impl<'m> Writer<'m> {
    pub(super) fn function(&mut self, index: u32, function: &'m Function, body: &'m Body) {
        let module = self.module;
        let params = match module.types().get(function.ty) {
            Type::Function { params, .. } | Type::VarFunction { params, .. } => params.len() as u32,
            _ => 0,
        };
        let first = self.first_local + params;
        self.ids.clear();
        let mut next = first;
        for inst in body.insts() {
            self.ids.push(next);
            next += u32::from(inst.ty != TypeId::VOID);
        }
        self.bits.enter(block::FUNCTION, 4);
        self.bits.record(function::DECLAREBLOCKS, &[body.block_order().len() as u64]);
        self.locals(body);
        let mut scope = Scope { module, body, next: first };
        let mut locations = Locations::new(body);
        for (at, inst) in body.insts().iter().enumerate() {
            self.instruction(&scope, inst);
            self.location(&mut locations, at as u32);
            scope.next += u32::from(inst.ty != TypeId::VOID);
        }
        self.attachments(Value::new(ValueKind::Function(index)), body);
        self.bits.exit();
    }

    /// The values that debug intrinsics take as metadata, numbered after the module's metadata.
    fn locals(&mut self, body: &Body) {
        if body.locals().is_empty() {
            return;
        }
        self.bits.enter(block::METADATA, 4);
        for &value in body.locals() {
            let ty = self.module.type_in(body, value).index() as u64;
            self.bits.record(metadata::VALUE, &[ty, u64::from(self.id(value))]);
        }
        self.bits.exit();
    }

    /// The source location of the instruction just written.
    fn location(&mut self, locations: &mut Locations<'_>, inst: u32) {
        let Some((&location, rest)) = locations.rest.split_first() else { return };
        if location.inst != inst {
            return;
        }
        locations.rest = rest;
        let same = Location { inst: 0, ..location };
        if locations.last.replace(same) == Some(same) {
            return self.bits.record(function::DEBUG_LOC_AGAIN, &[]);
        }
        let number = |md| self.metadata_id(md).map_or(0, |id| id + 1);
        let ops = [
            u64::from(location.line),
            u64::from(location.column),
            number(location.scope),
            number(location.inlined_at),
            u64::from(location.implicit),
        ];
        self.bits.record(function::DEBUG_LOC, &ops);
    }

    fn attachments(&mut self, function: Value, body: &Body) {
        let own = self.module.attachments_of(function);
        if body.attached().is_empty() && own.is_empty() {
            return;
        }
        self.bits.enter(block::METADATA_ATTACHMENT, 3);
        if !own.is_empty() {
            self.bits.begin(metadata::ATTACHMENT, own.len() * 2);
            for &(_, kind, node) in own {
                let id = self.metadata_id(node).unwrap_or(0);
                self.bits.op(u64::from(kind.number()));
                self.bits.op(id);
            }
        }
        for same in body.attached().chunk_by(|a, b| a.inst == b.inst) {
            self.bits.begin(metadata::ATTACHMENT, 1 + same.len() * 2);
            self.bits.op(u64::from(same[0].inst));
            for attached in same {
                let id = self.metadata_id(attached.node).unwrap_or(0);
                self.bits.op(u64::from(attached.kind.number()));
                self.bits.op(id);
            }
        }
        self.bits.exit();
    }

    /// Distance back to a value whose type is known. Wraps for later ones, as readers expect.
    #[inline]
    fn push(&mut self, s: &Scope<'_>, value: Value) {
        let back = s.next.wrapping_sub(self.id(value));
        self.record.push(u64::from(back));
    }

    /// Distance back to a value, and the type of one that comes later.
    #[inline]
    fn push_typed(&mut self, s: &Scope<'_>, value: Value) {
        let id = self.id(value);
        self.record.push(u64::from(s.next.wrapping_sub(id)));
        if id >= s.next {
            self.record.push(s.module.type_in(s.body, value).index() as u64);
        }
    }

    fn push_block(&mut self, s: &Scope<'_>, block: crate::module::BlockId) {
        self.record.push(u64::from(s.body.position(block).unwrap_or(0)));
    }

    fn push_fast(&mut self, flags: FastMath) {
        if let Some(bits) = fast_bits(self.module.written_flags(flags)) {
            self.record.push(bits);
        }
    }

    fn instruction(&mut self, s: &Scope<'_>, inst: &Inst) {
        let body = s.body;
        let value = |at: usize| body.value(inst, at);
        let pointee = |v: Value| {
            let ty = s.module.types().pointee(s.module.type_in(body, v));
            ty.unwrap_or(TypeId::VOID).index() as u64
        };
        self.record.clear();
        let code = match inst.op {
            Op::Binary(op) => {
                self.push_typed(s, value(0));
                self.push(s, value(1));
                self.record.push(u64::from(op.code()));
                match op.flags() {
                    Flags::Fast => self.push_fast(inst.fast_math()),
                    Flags::Wrap | Flags::Exact if inst.flags != 0 => {
                        self.record.push(u64::from(inst.flags & 3))
                    }
                    _ => {}
                }
                function::BINOP
            }
            Op::Cast(op) => {
                self.push_typed(s, value(0));
                self.record.extend([inst.ty.index() as u64, op as u64]);
                function::CAST
            }
            Op::ICmp(predicate) => {
                self.push_typed(s, value(0));
                self.push(s, value(1));
                self.record.push(predicate as u64 + 32);
                function::CMP2
            }
            Op::FCmp(predicate) => {
                self.push_typed(s, value(0));
                self.push(s, value(1));
                self.record.push(predicate as u64);
                self.push_fast(inst.fast_math());
                function::CMP2
            }
            Op::FNeg => {
                self.push_typed(s, value(0));
                self.record.push(0);
                self.push_fast(inst.fast_math());
                function::UNOP
            }
            Op::Freeze => {
                self.push_typed(s, value(0));
                function::FREEZE
            }
            Op::Select => {
                self.push_typed(s, value(1));
                self.push(s, value(2));
                self.push_typed(s, value(0));
                self.push_fast(inst.fast_math());
                function::VSELECT
            }
            Op::Phi => {
                self.record.push(inst.ty.index() as u64);
                for (incoming, from) in body.pairs(inst) {
                    let back = i64::from(s.next) - i64::from(self.id(incoming));
                    self.record.push(signed(back));
                    self.push_block(s, from);
                }
                self.push_fast(inst.fast_math());
                function::PHI
            }
            Op::Call => {
                self.call(s, inst);
                function::CALL
            }
            Op::Gep => {
                self.record.extend([u64::from(inst.flags & 1), pointee(value(0))]);
                for operand in body.operands(inst) {
                    self.push_typed(s, operand);
                }
                function::GEP
            }
            Op::Load => {
                self.push_typed(s, value(0));
                let ty = inst.ty.index() as u64;
                self.record.extend([ty, u64::from(inst.align), u64::from(inst.flags & 1)]);
                function::LOAD
            }
            Op::Store => {
                self.push_typed(s, value(0));
                self.push_typed(s, value(1));
                self.record.extend([u64::from(inst.align), u64::from(inst.flags & 1)]);
                function::STORE
            }
            Op::Alloca => {
                /// The type given is the allocated one.
                const EXPLICIT_TYPE: u64 = 1 << 6;
                let pointee = s.module.types().pointee(inst.ty).unwrap_or(TypeId::VOID).index() as u64;
                let count = value(0);
                let count_ty = s.module.type_in(body, count).index() as u64;
                let align = u64::from(inst.align & 31) | EXPLICIT_TYPE;
                self.record.extend([pointee, count_ty, u64::from(self.id(count)), align]);
                function::ALLOCA
            }
            Op::ExtractElement => {
                self.push_typed(s, value(0));
                self.push_typed(s, value(1));
                function::EXTRACTELT
            }
            Op::InsertElement => {
                self.push_typed(s, value(0));
                self.push(s, value(1));
                self.push_typed(s, value(2));
                function::INSERTELT
            }
            Op::ShuffleVector => {
                self.push_typed(s, value(0));
                self.push(s, value(1));
                self.push_typed(s, value(2));
                function::SHUFFLEVEC
            }
            Op::ExtractValue => {
                self.push_typed(s, value(0));
                self.record.extend(body.indices(inst).iter().map(|&i| u64::from(i)));
                function::EXTRACTVAL
            }
            Op::InsertValue => {
                self.push_typed(s, value(0));
                self.push_typed(s, value(1));
                self.record.extend(body.indices(inst).iter().map(|&i| u64::from(i)));
                function::INSERTVAL
            }
            Op::Br => {
                body.successors(inst).for_each(|target| self.push_block(s, target));
                function::BR
            }
            Op::CondBr => {
                body.successors(inst).for_each(|target| self.push_block(s, target));
                self.push(s, value(0));
                function::BR
            }
            Op::Switch => {
                self.record.push(s.module.type_in(body, value(0)).index() as u64);
                self.push(s, value(0));
                if let Some(default) = body.successors(inst).next() {
                    self.push_block(s, default);
                }
                for (case, target) in body.pairs(inst) {
                    let id = u64::from(self.id(case));
                    self.record.push(id);
                    self.push_block(s, target);
                }
                function::SWITCH
            }
            Op::Ret => {
                if let Some(result) = body.operands(inst).next() {
                    self.push_typed(s, result);
                }
                function::RET
            }
            Op::Unreachable => function::UNREACHABLE,
        };
        self.bits.record(code, &self.record);
    }

    fn call(&mut self, s: &Scope<'_>, inst: &Inst) {
        /// A callee type follows.
        const EXPLICIT_TYPE: u64 = 1 << 15;
        /// Fast-math flags follow.
        const FAST_MATH: u64 = 1 << 17;
        const FASTCC: u64 = 8;
        let callee = s.body.callee(inst);
        let fastcc = s.module.function(callee).is_some_and(|f| f.fastcc);
        let fast = fast_bits(self.module.written_flags(inst.fast_math()));
        let convention = u64::from(inst.flags & CALL_TAIL != 0)
            | if fastcc { FASTCC << 1 } else { 0 }
            | EXPLICIT_TYPE
            | if fast.is_some() { FAST_MATH } else { 0 };
        self.record.extend([u64::from(s.body.call_attrs(inst).0), convention]);
        self.record.extend(fast);
        let signature = s.module.types().pointee(s.module.type_in(s.body, callee));
        self.record.push(signature.unwrap_or(TypeId::VOID).index() as u64);
        self.push_typed(s, callee);
        let known = match signature.map(|ty| s.module.types().get(ty)) {
            Some(Type::VarFunction { params, .. }) => params.len(),
            _ => usize::MAX,
        };
        for (at, argument) in s.body.call_args(inst).enumerate() {
            if at < known {
                self.push(s, argument);
            } else {
                self.push_typed(s, argument);
            }
        }
    }
}

/// Fast-math flags in bitcode. Bit 0 was `fast` as a whole up to LLVM 5 and is still read as that; the single
/// flags follow from bit 1 in the order of [`FastMath`].
fn fast_bits(flags: FastMath) -> Option<u64> {
    match flags {
        FastMath::NONE => None,
        FastMath::FAST => Some(0xff),
        FastMath(bits) => Some(u64::from(bits) << 1),
    }
}
