//! Rules of function bodies: blocks, dominance, and the types of every instruction.

use super::Checker;
use super::cfg::Cfg;
use crate::ll::type_text;
use crate::module::{
    BlockId, Body, CALL_TAIL, CastOp, Const, FastMath, Flags, Function, Inst, Op, Type, TypeId, Value,
    ValueKind,
};
use crate::rules::Rule;

/// Largest alignment LLVM 5 reads, as log2 + 1.
const MAX_ALIGN: u8 = 30;

/// Whether a call has metadata among its arguments, as those of debug intrinsics alone have.
fn takes_metadata(body: &Body, inst: &Inst) -> bool {
    body.operands(inst).any(|v| matches!(v.kind(), ValueKind::Metadata(_) | ValueKind::Local(_)))
}

impl Checker<'_> {
    pub(super) fn body(&mut self, function: &Function) {
        let Some(body) = &function.body else { return };
        if !self.blocks(body) {
            return;
        }
        let cfg = Cfg::new(body);
        let mut block_of = vec![0u32; body.insts().len()];
        for (position, &block) in body.block_order().iter().enumerate() {
            block_of[body.range(block)].fill(position as u32);
        }
        for (position, &block) in body.block_order().iter().enumerate() {
            let position = position as u32;
            let mut phis_over = false;
            for at in body.range(block) {
                let inst = &body.insts()[at];
                self.inst = Some((at as u32, inst.op.name()));
                if inst.op == Op::Phi {
                    self.require(!phis_over, || "phi after another instruction of its block");
                    self.phi(body, inst, &cfg, position);
                } else {
                    phis_over = true;
                }
                if self.operands(body, function, inst, at as u32, &cfg, &block_of) {
                    self.instruction(body, function, inst);
                    if inst.op == Op::Call && takes_metadata(body, inst) {
                        self.debug_call(body, inst, at as u32);
                    }
                }
            }
        }
        self.inst = None;
        self.locals(function, body);
        self.require(cfg.preds.first().is_some_and(Vec::is_empty), || "the entry block is a branch target");
        for attached in body.attached() {
            let inst = body.insts().get(attached.inst as usize);
            self.inst = inst.map(|i| (attached.inst, i.op.name()));
            let node = matches!(attached.node.kind(), crate::module::MdKind::Node(_));
            self.require(inst.is_some() && node, || {
                format!("!{} is not a node", self.m.attachment_name(attached.kind))
            });
        }
    }

    /// Blocks are placed, not empty, and end in their only terminator.
    fn blocks(&mut self, body: &Body) -> bool {
        let before = self.found.len();
        self.require(!body.block_order().is_empty(), || "the body has no block");
        let covered: usize = body.block_order().iter().map(|&b| body.range(b).len()).sum();
        self.require(covered == body.insts().len(), || "an instruction is outside of all blocks");
        for &block in body.block_order() {
            let range = body.range(block);
            let insts = &body.insts()[range.clone()];
            let name = block.index();
            self.require(insts.last().is_some_and(|i| i.op.is_terminator()), || {
                format!("block b{name} does not end in a terminator")
            });
            for (inst, at) in insts.iter().zip(range.clone()) {
                self.inst = Some((at as u32, inst.op.name()));
                self.require(at + 1 == range.end || !inst.op.is_terminator(), || {
                    format!("terminator in the middle of block b{name}")
                });
                for target in body.successors(inst) {
                    self.require(body.position(target).is_some(), || {
                        format!("branch to block b{}, which was never placed", target.index())
                    });
                }
            }
            self.inst = None;
        }
        self.found.len() == before
    }

    /// One incoming value for each edge into the block, of the phi's type.
    fn phi(&mut self, body: &Body, inst: &Inst, cfg: &Cfg, block: u32) {
        let mut incoming: Vec<(u32, Value)> = Vec::new();
        for (value, from) in body.pairs(inst) {
            match body.position(from) {
                Some(position) => incoming.push((position, value)),
                None => self
                    .report(format!("incoming value from block b{}, which was never placed", from.index())),
            }
        }
        incoming.sort_unstable();
        let mut preds = cfg.preds[block as usize].clone();
        preds.sort_unstable();
        let same = preds.iter().copied().eq(incoming.iter().map(|p| p.0));
        self.require_as(Rule::PhiRecord, same, || "incoming blocks are not the predecessors of its block");
        let differ = incoming.windows(2).any(|p| p[0].0 == p[1].0 && p[0].1 != p[1].1);
        self.require_as(Rule::PhiRecord, !differ, || "two values come from one block");
    }

    /// Operands exist, have a value, and are computed before. False if one does not exist.
    fn operands(
        &mut self,
        body: &Body,
        function: &Function,
        inst: &Inst,
        at: u32,
        cfg: &Cfg,
        block_of: &[u32],
    ) -> bool {
        let params = match self.m.types().get(function.ty) {
            Type::Function { params, .. } => params.len(),
            _ => 0,
        };
        let mut froms = body.pairs(inst).map(|p| p.1);
        let here = block_of[at as usize];
        let mut all = true;
        for value in body.operands(inst) {
            let from: Option<BlockId> = if inst.op == Op::Phi { froms.next() } else { None };
            let exists = match value.kind() {
                ValueKind::Inst(i) => (i as usize) < body.insts().len(),
                ValueKind::Arg(i) => (i as usize) < params,
                ValueKind::Const(i) => (i as usize) < self.m.constants().len(),
                ValueKind::Global(i) => self.m.global(i).is_some(),
                ValueKind::Function(i) => (i as usize) < self.m.functions().len(),
                ValueKind::Metadata(_) => true,
                ValueKind::Local(i) => (i as usize) < body.locals().len(),
            };
            all &= self.require(exists, || format!("operand {value:?} does not exist"));
            let ValueKind::Inst(i) = value.kind() else { continue };
            if !exists {
                continue;
            }
            all &= self.require(body.insts()[i as usize].ty != TypeId::VOID, || {
                format!("operand %v{i} has no value")
            });
            let defined = block_of[i as usize];
            let dominates = match from.map(|b| body.position(b)) {
                // A phi uses its value at the end of the incoming block.
                Some(Some(pred)) => cfg.dominates(defined, pred),
                Some(None) => true,
                None if defined == here => i < at || !cfg.is_reachable(here),
                None => cfg.dominates(defined, here),
            };
            self.require(dominates, || format!("operand %v{i} is not computed on every way here"));
        }
        all
    }

    fn instruction(&mut self, body: &Body, function: &Function, inst: &Inst) {
        let (m, types) = (self.m, self.m.types());
        let words = body.words(inst).len();
        let ty = |v: Value| m.type_in(body, v);
        let at = |i: usize| ty(body.value(inst, i));
        let fp_flags = match inst.op {
            Op::Binary(op) => op.flags() == Flags::Fast,
            Op::FCmp(_) => true,
            Op::Call => types.is_fp(inst.ty),
            _ => false,
        };
        let flags_allowed = match inst.op {
            Op::Binary(op) => match op.flags() {
                Flags::None => 0,
                Flags::Exact => 1,
                Flags::Wrap => 3,
                Flags::Fast => FastMath::FAST.0,
            },
            Op::Call => CALL_TAIL | if fp_flags { FastMath::FAST.0 } else { 0 },
            Op::FCmp(_) | Op::Phi => FastMath::FAST.0,
            Op::Gep | Op::Load | Op::Store => 1,
            _ => 0,
        };
        self.require(inst.flags & !flags_allowed == 0, || {
            "flags that the operation cannot have (fast-math flags are for float arithmetic, fcmp and calls)"
        });
        let enough = match inst.op {
            Op::Binary(_) | Op::ICmp(_) | Op::FCmp(_) | Op::Store | Op::ExtractElement => words == 2,
            Op::Select | Op::InsertElement | Op::ShuffleVector | Op::CondBr => words == 3,
            Op::Call | Op::Gep | Op::ExtractValue | Op::Switch => words >= 2,
            Op::InsertValue => words >= 3,
            Op::Cast(_) | Op::FNeg | Op::Freeze | Op::Load | Op::Alloca | Op::Br => words == 1,
            Op::Phi => words >= 2,
            Op::Ret => words <= 1,
            Op::Unreachable => words == 0,
        };
        if !self.require(enough, || format!("{words} operand words")) {
            return;
        }
        match inst.op {
            Op::Binary(op) => {
                let kind = if op.is_fp() { types.is_fp(inst.ty) } else { types.is_int(inst.ty) };
                self.require(kind, || format!("works on `{}`", type_text(m, inst.ty)));
                self.same(at(0), inst.ty, "first operand");
                self.same(at(1), inst.ty, "second operand");
            }
            Op::ICmp(_) | Op::FCmp(_) => {
                let operand = at(0);
                let kind = match inst.op {
                    Op::FCmp(_) => types.is_fp(operand),
                    _ => types.is_int(operand) || types.is_pointer(operand),
                };
                self.require(kind, || format!("compares `{}`", type_text(m, operand)));
                self.same(at(1), operand, "second operand");
                let fits = types.scalar(inst.ty) == TypeId::I1
                    && types.vector_len(inst.ty) == types.vector_len(operand);
                self.require(fits, || format!("gives `{}`", type_text(m, inst.ty)));
            }
            Op::Cast(op) => {
                let from = at(0);
                let bools = [from, inst.ty].map(|ty| types.scalar(ty)).contains(&TypeId::I1);
                let rule = match op {
                    CastOp::BitCast if bools => Rule::BoolBitcast,
                    CastOp::AddrSpaceCast => Rule::GenericCast,
                    _ => Rule::MalformedModule,
                };
                self.require_as(rule, self.cast_fits(op, from, inst.ty), || {
                    format!("from `{}` to `{}`", type_text(m, from), type_text(m, inst.ty))
                });
            }
            Op::FNeg => self.require_later(Rule::FNeg, || "`fneg`"),
            Op::Freeze => self.require_later(Rule::Freeze, || "`freeze`"),
            Op::Select => {
                let condition = at(0);
                let len = types.vector_len(condition);
                let fits = types.scalar(condition) == TypeId::I1
                    && (len.is_none() || len == types.vector_len(inst.ty))
                    && self.is_sized(inst.ty);
                self.require(fits, || format!("condition of type `{}`", type_text(m, condition)));
                self.same(at(1), inst.ty, "first value");
                self.same(at(2), inst.ty, "second value");
            }
            Op::Phi => {
                self.require(self.is_sized(inst.ty), || format!("of type `{}`", type_text(m, inst.ty)));
                if inst.flags != 0 {
                    self.require_later(Rule::PhiFlags, || "a phi with fast-math flags");
                }
                for (value, _) in body.pairs(inst) {
                    let found = ty(value);
                    self.require_as(Rule::PhiRecord, found == inst.ty, || {
                        format!(
                            "incoming value is `{}`, not `{}`",
                            type_text(m, found),
                            type_text(m, inst.ty)
                        )
                    });
                }
            }
            Op::Call => self.call(body, inst),
            Op::Gep => {
                let indices: Vec<Value> = body.operands(inst).skip(1).collect();
                match self.gep_result(at(0), &indices, ty) {
                    Ok(element) => {
                        let (base, result) = (types.get(at(0)), types.get(inst.ty));
                        let fits = matches!(
                            (base, result),
                            (Type::Pointer { space: x, .. }, Type::Pointer { space: y, pointee })
                                if x == y && pointee == element
                        );
                        self.require(fits, || format!("gives `{}`", type_text(m, inst.ty)));
                    }
                    Err(message) => self.report(message),
                }
            }
            Op::Load => self.access(at(0), inst.ty, inst),
            Op::Store => self.access(at(0), at(1), inst),
            Op::Alloca => {
                let count = at(0);
                let is_count = types.is_int(count) && types.vector_len(count).is_none();
                self.require(is_count, || format!("element count of type `{}`", type_text(m, count)));
                match types.get(inst.ty) {
                    Type::Pointer { pointee, space: 0 } if self.is_sized(pointee) => self.alignment(inst),
                    _ => self.report(format!("gives `{}`", type_text(m, inst.ty))),
                }
            }
            Op::ExtractElement => {
                let vector = at(0);
                self.require(types.vector_len(vector).is_some(), || "first operand is not a vector");
                self.same(inst.ty, types.scalar(vector), "result");
                self.lane(at(1));
            }
            Op::InsertElement => {
                self.require(types.vector_len(inst.ty).is_some(), || "result is not a vector");
                self.same(at(0), inst.ty, "vector");
                self.same(at(1), types.scalar(inst.ty), "element");
                self.lane(at(2));
            }
            Op::ShuffleVector => self.shuffle(body, inst),
            Op::ExtractValue | Op::InsertValue => {
                let mut part = Some(at(0));
                for &index in body.indices(inst) {
                    part =
                        part.filter(|&p| types.vector_len(p).is_none()).and_then(|p| types.member(p, index));
                }
                match part {
                    None => self.report(format!(
                        "no member {:?} in `{}`",
                        body.indices(inst),
                        type_text(m, at(0))
                    )),
                    Some(part) if inst.op == Op::ExtractValue => self.same(inst.ty, part, "result"),
                    Some(part) => {
                        self.same(at(1), part, "inserted value");
                        self.same(inst.ty, at(0), "result");
                    }
                }
            }
            Op::CondBr => self.same(at(0), TypeId::I1, "condition"),
            Op::Switch => self.switch(body, inst),
            Op::Ret => {
                let result = body.operands(inst).next().map_or(TypeId::VOID, ty);
                self.require(self.returns(function, result), || {
                    format!("returns `{}`, which the function does not", type_text(m, result))
                });
            }
            Op::Br | Op::Unreachable => {}
        }
    }

    fn same(&mut self, found: TypeId, wanted: TypeId, what: &str) {
        let m = self.m;
        self.require(found == wanted, || {
            format!("{what} is `{}`, not `{}`", type_text(m, found), type_text(m, wanted))
        });
    }

    fn lane(&mut self, ty: TypeId) {
        let int = matches!(self.m.types().get(ty), Type::Int(_));
        self.require(int, || "the lane index is not an integer");
    }

    fn alignment(&mut self, inst: &Inst) {
        self.require(
            (1..=MAX_ALIGN).contains(&inst.align),
            || "has no alignment, or one that is not a power of two up to 2^29",
        );
    }

    fn access(&mut self, pointer: TypeId, value: TypeId, inst: &Inst) {
        match self.m.types().pointee(pointer) {
            Some(pointee) => self.same(value, pointee, "value in memory"),
            None => return self.report(format!("address of type `{}`", self.text(pointer))),
        }
        self.require(self.is_sized(value), || "the value has no size");
        self.alignment(inst);
    }

    fn call(&mut self, body: &Body, inst: &Inst) {
        let callee = body.callee(inst);
        let callee_ty = self.m.type_in(body, callee);
        let signature = self.m.types().pointee(callee_ty).map(|s| self.m.types().get(s));
        let Some(Type::Function { ret, params }) = signature else {
            return self.report(format!("callee of type `{}`", self.text(callee_ty)));
        };
        self.same(inst.ty, ret, "result");
        let given = body.call_args(inst).len();
        self.require(given == params.len(), || format!("{given} arguments for {} parameters", params.len()));
        for (value, &param) in body.call_args(inst).zip(self.m.types().list(params)) {
            self.same(self.m.type_in(body, value), param, "argument");
        }
        self.attribute_places(body.call_attrs(inst), given);
    }

    fn shuffle(&mut self, body: &Body, inst: &Inst) {
        let (m, types) = (self.m, self.m.types());
        let (a, mask) = (m.type_in(body, body.value(inst, 0)), body.value(inst, 2));
        let Some(len) = types.vector_len(a) else { return self.report("first operand is not a vector") };
        self.same(m.type_in(body, body.value(inst, 1)), a, "second operand");
        let mask_ty = m.type_in(body, mask);
        let fits = types.scalar(inst.ty) == types.scalar(a)
            && types.vector_len(inst.ty).is_some()
            && types.vector_len(mask_ty) == types.vector_len(inst.ty)
            && types.scalar(mask_ty) == TypeId::I32;
        self.require(fits, || format!("gives `{}`", type_text(m, inst.ty)));
        let limit = u64::from(len) * 2;
        let in_range = match m.constant(mask) {
            Some(Const::Null | Const::Undef) => true,
            Some(Const::Data(lanes)) => lanes.iter().all(|&l| l < limit),
            Some(Const::Aggregate(lanes)) => lanes.iter().all(|&l| match m.int_value(l) {
                Some(lane) => u64::try_from(lane).is_ok_and(|l| l < limit),
                None => m.constant(l) == Some(Const::Undef),
            }),
            _ => false,
        };
        self.require(in_range, || "the mask is not a constant, or has a lane that does not exist");
    }

    fn switch(&mut self, body: &Body, inst: &Inst) {
        let selector = self.m.type_in(body, body.value(inst, 0));
        let int = matches!(self.m.types().get(selector), Type::Int(_));
        self.require(int, || "the selector is not an integer");
        let mut cases = Vec::new();
        for (case, _) in body.pairs(inst) {
            match self.m.int_value(case) {
                Some(value) if self.m.module_type(case) == selector => cases.push(value),
                _ => self.report("a case is not a constant of the selector's type"),
            }
        }
        cases.sort_unstable();
        let twice = cases.windows(2).any(|p| p[0] == p[1]);
        self.require(!twice, || "two cases have one value");
    }
}
