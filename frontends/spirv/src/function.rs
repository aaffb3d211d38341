//! Functions: follows the plan of a function and translates its instructions.

use crate::calls::declare;
use crate::error::*;
use crate::repair::repair;
use crate::state::{Def, FunctionTranslator, Kind, Line, Phi, Reader, TyIx, Val};
use crate::structure::{Plan, Step, plan};
use crate::words::Inst;
use airfoil_ir::*;
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use spirv::Op;

/// Ifs and loops nest at most this deep; operations with ifs of their own may add some levels below [`text::MAX_DEPTH`].
const MAX_NESTING: usize = 4000;

/// Translates the entry point and all that it calls.
pub(crate) fn translate_all(r: &mut Reader<'_>) -> Res<()> {
    let entry = match r.exported {
        Some(f) => f,
        None => {
            let id = r.entries[r.entry].function;
            let Def::Function(entry) = r.id(id).def else {
                bail!(ID, "{} is not a function", r.show(id));
            };
            entry
        }
    };
    let mut func = declare(r, entry)?;
    if r.exported.is_some() {
        func = r.wrap_export(entry, func)?;
    }
    r.shader.entry = Some(func);
    if r.shader.functions[func].params.is_empty() {
        r.shader.functions[func].name = r.shader.name.clone();
    } else {
        return fail(TYPE, "the entry point's function has parameters or a result");
    }
    let mut next = 0;
    // Holds the body that is built; an empty one of a declared function takes its place afterwards.
    let mut body = Body::new();
    while next < r.queue.len() {
        let f = r.queue[next];
        next += 1;
        translate(r, f, next as u32, &mut body)?;
    }
    check_recursion(r)
}

/// Refuses functions that call themselves (SPIR-V 2.16.1): functions that nothing calls are taken off one
/// after the other; what stays forms cycles.
fn check_recursion(r: &Reader<'_>) -> Res<()> {
    let mut callers: FxHashMap<u32, usize> = FxHashMap::default();
    let mut callees: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for &(from, to) in &r.calls {
        *callers.entry(to).or_default() += 1;
        callees.entry(from).or_default().push(to);
    }
    let mut free: Vec<u32> = r.queue.iter().copied().filter(|f| !callers.contains_key(f)).collect();
    let mut done = 0;
    while let Some(f) = free.pop() {
        done += 1;
        for &to in callees.get(&f).into_iter().flatten() {
            if let Some(n) = callers.get_mut(&to) {
                *n -= 1;
                if *n == 0 {
                    free.push(to);
                }
            }
        }
    }
    if done == r.queue.len() {
        return Ok(());
    }
    let cyclic = r.queue.iter().find(|f| callers.get(f).is_some_and(|&n| n > 0));
    let name = cyclic.map_or_else(String::new, |&f| r.show(r.functions[f as usize].id));
    bail!(UNSUPPORTED, "function {name} calls itself")
}

fn translate(r: &mut Reader<'_>, f: u32, serial: u32, body: &mut Body) -> Res<()> {
    let s = r.functions[f as usize];
    let Some(func) = s.func else { return Ok(()) };
    let head = Inst::at(r.words, s.at)?;
    r.line = Line::default();
    let plan = plan(r, head.end(), s.blocks).map_err(|e| r.locate(e, head))?;
    // Two instructions come from five words, or fewer.
    body.reserve(s.words * 2 / 5);
    let entry = body.entry();
    let mut b = Builder::at(body, Cursor::BlockEnd(entry));
    b.raw = r.options.raw;
    let mut fun = FunctionTranslator {
        r,
        b,
        func,
        index: f,
        serial,
        const_at: Cursor::BlockStart(entry),
        ret: None,
        phis: Vec::new(),
        phi_stores: Vec::new(),
        smalls: [None; 16],
        var_derefs: SecondaryMap::new(),
        inst: head,
    };
    let result = fun.run(s.ty, &plan);
    let inst = fun.inst;
    result.map_err(|e| fun.r.locate(e, inst))?;
    repair(body, r, func);
    r.forget_locals();
    std::mem::swap(body, &mut r.shader.functions[func].body);
    Ok(())
}

impl<'w> FunctionTranslator<'_, 'w> {
    fn run(&mut self, ty: TyIx, plan: &Plan) -> Res<()> {
        self.parameters(ty)?;
        self.find_phis(plan)?;
        let mut loops: Vec<CfId> = Vec::new();
        let mut ifs: Vec<CfId> = Vec::new();
        let depth = |ifs: &[CfId], loops: &[CfId]| match ifs.len() + loops.len() {
            MAX_NESTING => fail(LIMIT, format!("ifs and loops nest deeper than {MAX_NESTING} levels")),
            _ => Ok(()),
        };
        let mut contexts: Vec<u32> = Vec::new();
        let mut flags: Vec<Option<VarId>> = vec![None; plan.contexts.len()];
        // Variables of the cases that fall through.
        let mut fell: Vec<Option<VarId>> = vec![None; plan.cases.len()];
        for &step in &plan.steps {
            match step {
                Step::Block(b) => self.block(plan, b)?,
                Step::If(b) => {
                    depth(&ifs, &loops)?;
                    self.at(plan.blocks[b as usize].end)?;
                    let cond = self.inst.word(1)?;
                    let cond = self.ssa_of(cond, Ty::BOOL)?;
                    ifs.push(self.open_if(cond, plan.blocks[b as usize].control)?);
                }
                Step::IfCases(b, from, to) => {
                    depth(&ifs, &loops)?;
                    self.at(plan.blocks[b as usize].end)?;
                    let selector = self.inst.word(1)?;
                    let selector = self.int(selector)?;
                    let cond = self.matches(plan, selector, (from, to));
                    ifs.push(self.open_if(cond, Control::None)?);
                }
                Step::IfCase(b, n) => {
                    depth(&ifs, &loops)?;
                    self.at(plan.blocks[b as usize].end)?;
                    let selector = self.inst.word(1)?;
                    let selector = self.int(selector)?;
                    let case = &plan.cases[n as usize];
                    let mut cond = self.matches(plan, selector, case.groups);
                    if case.is_default {
                        cond = self.b.inot(cond);
                    }
                    if case.fallen_into {
                        let flag = self.flag(&mut fell, n - 1);
                        let var = self.b.deref_var(&self.r.shader.vars, flag);
                        let set = self.b.load_deref(var, Ty::BOOL);
                        cond = self.b.ior(set, cond);
                    }
                    if case.falls {
                        let flag = self.flag(&mut fell, n);
                        let no = self.b.imm_bool(false);
                        self.set_flag(flag, no);
                    }
                    ifs.push(self.open_if(cond, Control::None)?);
                }
                Step::Fall(n) => {
                    self.check_open()?;
                    let flag = self.flag(&mut fell, n);
                    let yes = self.b.imm_bool(true);
                    self.set_flag(flag, yes);
                }
                Step::Else => {
                    if let Some(&cf) = ifs.last() {
                        self.b.push_else(cf);
                    }
                }
                Step::EndIf => {
                    if let Some(cf) = ifs.pop() {
                        self.b.pop(cf);
                    }
                }
                Step::Enter(c) => {
                    contexts.push(c);
                    let context = &plan.contexts[c as usize];
                    if context.ir_loop {
                        depth(&ifs, &loops)?;
                        self.check_open()?;
                        for &aim in &context.crossed {
                            let flag = self.flag(&mut flags, aim);
                            let no = self.b.imm_bool(false);
                            self.set_flag(flag, no);
                        }
                        let cf = self.b.push_loop();
                        if context.is_loop {
                            let control = plan.blocks[context.target as usize].control;
                            self.b.body.set_control(cf, control);
                        }
                        loops.push(cf);
                    }
                }
                Step::Leave(c) => {
                    contexts.pop();
                    let context = &plan.contexts[c as usize];
                    if !context.ir_loop {
                        continue;
                    }
                    if !context.is_loop && self.is_open() {
                        self.b.jump(Jump::Break);
                    }
                    if let Some(cf) = loops.pop() {
                        self.b.pop(cf);
                    }
                    for &aim in &context.crossed {
                        let flag = self.flag(&mut flags, aim);
                        let var = self.b.deref_var(&self.r.shader.vars, flag);
                        let set = self.b.load_deref(var, Ty::BOOL);
                        let cf = self.b.push_if(set);
                        let via = via_of(plan, &contexts, aim);
                        self.jump_to(plan, &contexts, aim, via);
                        self.b.pop(cf);
                    }
                }
                Step::Goto(aim, via) => {
                    self.check_open()?;
                    if crosses(plan, &contexts, via) {
                        let flag = self.flag(&mut flags, aim);
                        let yes = self.b.imm_bool(true);
                        self.set_flag(flag, yes);
                    }
                    self.jump_to(plan, &contexts, aim, via);
                }
                Step::Exit(b, last) => {
                    self.at(plan.blocks[b as usize].end)?;
                    self.exit(last)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the selector of a switch is one of the literals of a range of groups.
    fn matches(&mut self, plan: &Plan, selector: InstrId, (from, to): (u32, u32)) -> InstrId {
        let bits = self.b.ty(selector).bits;
        let mut cond = None;
        for &literal in plan.groups[from as usize..to as usize].iter().flat_map(|g| &g.literals) {
            let literal = self.b.imm(bits, literal);
            let here = self.b.ieq(selector, literal);
            cond = Some(match cond {
                Some(c) => self.b.ior(c, here),
                None => here,
            });
        }
        cond.unwrap_or_else(|| self.b.imm_bool(false))
    }

    fn open_if(&mut self, cond: InstrId, control: Control) -> Res<CfId> {
        self.check_open()?;
        let cf = self.b.push_if(cond);
        if control != Control::None {
            self.b.body.set_control(cf, control);
        }
        Ok(cf)
    }

    /// Jumps towards the end of a context: out of the innermost loop, or to the start of its own.
    fn jump_to(&mut self, plan: &Plan, contexts: &[u32], aim: u32, via: u32) {
        let direct = !crosses(plan, contexts, via);
        let again = direct && plan.contexts[aim as usize].is_loop;
        self.b.jump(if again { Jump::Continue } else { Jump::Break });
    }

    fn flag(&mut self, flags: &mut [Option<VarId>], aim: u32) -> VarId {
        *flags[aim as usize].get_or_insert_with(|| {
            let ty = self.r.shader.types.vector(Scalar::Bool, 1);
            self.r.shader.add_local(self.func, "leave", ty)
        })
    }

    fn set_flag(&mut self, flag: VarId, value: InstrId) {
        let var = self.b.deref_var(&self.r.shader.vars, flag);
        self.b.store_deref(var, value);
    }

    // ---- blocks ----

    fn block(&mut self, plan: &Plan, b: u32) -> Res<()> {
        self.check_open()?;
        let block = &plan.blocks[b as usize];
        self.r.line = Line::default();
        self.b.loc = Loc::NONE;
        let mut at = block.start;
        while at < block.end {
            self.at(at)?;
            at = self.inst.end();
            self.instruction()?;
        }
        let from = self.phi_stores.partition_point(|s| s.0 < b);
        for i in from..self.phi_stores.len() {
            let (pred, phi, value) = self.phi_stores[i];
            if pred != b {
                break;
            }
            let Phi { at, var, ty } = self.phis[phi as usize];
            self.at(at)?;
            let (have, value) = self.value(value)?;
            self.check_same(have, ty)?;
            if value != Val::Undef {
                let place = self.var_ptr(var, ty);
                self.store(&place, value)?;
            }
        }
        Ok(())
    }

    /// Makes a variable for every phi and notes what its predecessors store.
    fn find_phis(&mut self, plan: &Plan) -> Res<()> {
        for block in plan.blocks.iter().filter(|b| b.is_reached()) {
            let mut at = block.start;
            while at < block.end {
                self.at(at)?;
                at = self.inst.end();
                match self.inst.op() {
                    Some(Op::Phi) => {}
                    Some(Op::Line | Op::NoLine | Op::ExtInst | Op::Nop) => continue,
                    _ => break,
                }
                let ty = self.r.type_of(self.inst.word(1)?)?;
                let place = matches!(self.r.kind(ty), Kind::Pointer { .. }) && !self.is_pointer_value(ty);
                if place || self.r.is_opaque(ty) {
                    bail!(UNSUPPORTED, "OpPhi of {} is not supported", self.r.show_type(ty));
                }
                let ir = self.r.ir_type(ty)?;
                let var = self.r.named_local(self.func, self.inst.word(2)?, ir);
                let n = self.phis.len() as u32;
                for pair in self.inst.rest(3).chunks_exact(2) {
                    match self.r.id(pair[1]).def {
                        Def::Label(pred) => self.phi_stores.push((pred, n, pair[0])),
                        _ => bail!(ID, "{} is not a block", self.r.show(pair[1])),
                    }
                }
                self.phis.push(Phi { at: self.inst.at, var, ty });
            }
        }
        self.phi_stores.sort_by_key(|s| (s.0, s.1));
        Ok(())
    }

    pub fn phi(&mut self) -> Res<()> {
        let at = self.inst.at;
        let Ok(i) = self.phis.binary_search_by_key(&at, |p| p.at) else {
            return fail(MALFORMED, "OpPhi must be at the start of its block");
        };
        let Phi { var, ty, .. } = self.phis[i];
        let place = self.var_ptr(var, ty);
        let value = self.load(&place)?;
        self.set(value, ty)
    }
}

/// Whether a loop other than that of `via` lies between the place and it.
fn crosses(plan: &Plan, contexts: &[u32], via: u32) -> bool {
    contexts.iter().rev().take_while(|&&c| c != via).any(|&c| plan.contexts[c as usize].ir_loop)
}

/// The context whose loop a jump to the end of `aim` leaves or continues.
fn via_of(plan: &Plan, contexts: &[u32], aim: u32) -> u32 {
    let above = contexts.iter().rev().take_while(|&&c| c != aim).last();
    match above {
        Some(&above) if !plan.contexts[aim as usize].is_loop && plan.contexts[above as usize].is_loop => {
            above
        }
        _ => aim,
    }
}
