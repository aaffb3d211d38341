//! Specialisation constants that stay open: each is a variable of mode `spec_const`, and computations with them
//! (OpSpecConstantOp, OpSpecConstantComposite) become code at the start of each function that needs it.
//!
//! The code is made by the translation of ordinary instructions: before reading, each such constant is written once more as
//! the instruction that computes the same in a function, with an id of its own beyond the module's. All constants have a value
//! as well, that of the defaults. Whoever asks for the value ([`Reader::fix`]) says with that that it must not change
//! later: the scalars that it depends on are recorded, and the module is read again with those closed.

use crate::error::*;
use crate::state::{FunctionTranslator, Reader, Val};
use crate::words::Inst;
use airfoil_ir::*;
use rustc_hash::FxHashSet;
use spirv::{Decoration, Op};

/// Operands of OpSpecConstantOp that are ids; the rest are numbers.
fn id_operands<'w>(inst: Inst<'w>) -> &'w [u32] {
    match inst.op() {
        Some(Op::SpecConstantOp) => {
            let operands = inst.rest(4);
            let ids = match inst.words.get(3).and_then(|&n| Op::from_u32(n)) {
                Some(Op::CompositeExtract) => 1,
                Some(Op::CompositeInsert | Op::VectorShuffle) => 2,
                _ => operands.len(),
            };
            &operands[..ids.min(operands.len())]
        }
        Some(Op::SpecConstantComposite) => inst.rest(3),
        _ => &[],
    }
}

impl Reader<'_> {
    /// Whether a constant that is declared stays open.
    pub fn stays_open(&self, inst: Inst<'_>, op: Op, id: u32) -> bool {
        if !self.open.code.on {
            return false;
        }
        match op {
            Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstant => {
                self.decoration(id, Decoration::SpecId).is_some()
                    && self.spec_value(id).is_none()
                    && !self.open.fixed.contains(&id)
            }
            Op::SpecConstantOp | Op::SpecConstantComposite => {
                let is_open = |&id: &u32| self.const_index(id).is_ok_and(|c| self.consts[c as usize].open);
                id_operands(inst).iter().any(is_open)
            }
            // These must not have specialisation constants as parts (SPIR-V 3.49.7); if they have, those are closed.
            Op::ConstantComposite => {
                inst.rest(3).iter().filter_map(|&id| self.const_index(id).ok()).for_each(|c| self.fix(c));
                false
            }
            _ => false,
        }
    }

    /// Notes that the value of a constant is used as it is now.
    pub fn fix(&self, c: u32) {
        if self.consts[c as usize].open {
            self.open.asked.borrow_mut().push(c);
        }
    }

    /// Open constants that a constant is made of, as far as `skip` does not stop the way.
    fn open_parts(&self, c: u32, skip: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut seen = FxHashSet::from_iter([c]);
        let mut todo = vec![c];
        let mut parts = Vec::new();
        while let Some(c) = todo.pop() {
            parts.push(c);
            let at = self.consts[c as usize].at as usize;
            let Ok(inst) = Inst::at(self.words, at) else { continue };
            for &id in id_operands(inst) {
                if let Ok(part) = self.const_index(id)
                    && self.consts[part as usize].open
                    && !skip(part)
                    && seen.insert(part)
                {
                    todo.push(part);
                }
            }
        }
        // Constants are declared before their uses.
        parts.sort_unstable();
        parts
    }

    /// Ids of the scalars on which the constants depend whose value was used.
    pub fn newly_fixed(&self) -> Vec<u32> {
        let mut done = FxHashSet::default();
        let mut ids = Vec::new();
        for &c in self.open.asked.borrow().iter() {
            if done.contains(&c) {
                continue;
            }
            for part in self.open_parts(c, |part| done.contains(&part)) {
                done.insert(part);
                let inst = Inst::at(self.words, self.consts[part as usize].at as usize);
                if let Ok(inst) = inst
                    && id_operands(inst).is_empty()
                {
                    ids.extend(inst.words.get(2).copied());
                }
            }
        }
        ids
    }
}

impl FunctionTranslator<'_, '_> {
    /// An open constant as a value; its code is made once in each function, at its start.
    pub fn open_constant(&mut self, c: u32) -> Res<Val> {
        let serial = self.serial;
        let has = |r: &Reader<'_>, c: u32| r.consts[c as usize].cached.filter(|v| v.0 == serial).map(|v| v.1);
        if let Some(value) = has(self.r, c) {
            return Ok(value);
        }
        // Parts first, so that no depth of nesting is a depth of calls.
        let r = &*self.r;
        let mut value = Val::Undef;
        for part in r.open_parts(c, |part| has(r, part).is_some()) {
            value = self.make_open(part)?;
            self.r.consts[part as usize].cached = Some((serial, value));
        }
        Ok(value)
    }

    fn make_open(&mut self, c: u32) -> Res<Val> {
        let at = self.r.consts[c as usize].at;
        let Some(&start) = self.r.open.code.at.get(&at) else { return self.load_open(c) };
        let inst = Inst::at(&self.r.open.code.words, start)?;
        let (before, cursor, flags, loc) = (self.inst, self.b.cursor, self.b.flags, self.b.loc);
        let follows = cursor == self.const_at;
        (self.inst, self.b.cursor, self.b.loc) = (inst, self.const_at, Loc::NONE);
        let done = self.instruction().and_then(|()| self.value(inst.word(2)?));
        self.inst = before;
        self.const_at = self.b.cursor;
        if !follows {
            self.b.cursor = cursor;
        }
        (self.b.flags, self.b.loc) = (flags, loc);
        let declared = Inst::at(self.r.words, at as usize)?;
        done.map(|(_, value)| value).map_err(|e| self.r.locate(e, declared))
    }

    /// A scalar is a load of its variable.
    fn load_open(&mut self, c: u32) -> Res<Val> {
        let constant = self.r.consts[c as usize];
        let inst = Inst::at(self.r.words, constant.at as usize)?;
        let id = inst.word(2)?;
        let var = match constant.var {
            Some(var) => var,
            None => {
                let ty = self.r.ir_type(constant.ty)?;
                let mut var = Variable::new(&self.r.name(id), ty, Modes::SPEC_CONST);
                var.binding = self.r.decoration(id, Decoration::SpecId).map(|d| d.operand());
                var.initializer = self.r.lanes_of(c).map(Constant::Value);
                let var = self.r.shader.add_var(var);
                self.r.consts[c as usize].var = Some(var);
                var
            }
        };
        let deref = self.global_deref(var);
        let shape = self.r.shape(constant.ty)?;
        let load = Intrinsic::new(IntrinsicOp::load_deref, &[deref]).with(Index::Access, Access::CAN_REORDER);
        let v = self.insert_at_start(Instr::new(InstrKind::Intrinsic(load), shape));
        Ok(Val::Ssa(v))
    }
}
