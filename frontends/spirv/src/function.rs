//! Functions: follows the plan of a function and translates its instructions.

use crate::calls::declare;
use crate::error::*;
use crate::inline::make_plan;
use crate::locals::Stores;
use crate::repair::repair;
use crate::state::plan::{Plan, Step};
use crate::state::{
    Def, FunctionTranslator, Kind, Line, Phi, PhiHome, Reader, TranslatorBuffers, TyIx, Val, flag,
};
use crate::words::Inst;
use airfoil_ir::*;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
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
    // Holds the body that is built; the function has an empty one until then.
    let mut body = r.translator.body.take().unwrap_or_default();
    while next < r.queue.len() {
        let f = r.queue[next];
        next += 1;
        translate(r, f, next as u32, &mut body)?;
    }
    r.translator.body = Some(body);
    check_recursion(r)
}

/// Rejects functions that call themselves (SPIR-V 2.16.1): functions without remaining callers are removed one by one;
/// the rest forms cycles.
fn check_recursion(r: &Reader<'_>) -> Res<()> {
    if r.calls.is_empty() {
        return Ok(());
    }
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
    let s = &r.functions[f as usize];
    let Some(func) = s.func else { return Ok(()) };
    let head = Inst::at(r.words, s.at)?;
    // Two instructions come from five words, or fewer; passes insert half as many.
    body.reserve(s.words * 3 / 5);
    // An `if` without `else` has an empty block there.
    body.reserve_blocks(s.blocks + s.blocks / 2);
    let ty = s.ty;
    r.line = Line::default();
    let plan = make_plan(r, f)?;
    let entry = body.entry();
    let mut b = Builder::at(body, Cursor::BlockEnd(entry));
    b.raw = r.options.raw;
    b.share_values();
    let spare = std::mem::take(&mut r.translator);
    let mut fun = FunctionTranslator {
        r,
        b,
        func,
        index: f,
        serial,
        const_at: Cursor::BlockStart(entry),
        ret: None,
        phis: spare.phis,
        phi_stores: spare.phi_stores,
        first_phi: (0, 0),
        locals: spare.locals,
        smalls: [None; 16],
        var_derefs: spare.var_derefs,
        inlined: SmallVec::new(),
        nesting: 0,
        inst: head,
    };
    let result = fun.run(ty, &plan);
    let inst = fun.inst;
    result.map_err(|e| fun.r.locate(e, inst))?;
    let FunctionTranslator { phis, phi_stores, locals, var_derefs, .. } = fun;
    r.translator = TranslatorBuffers { phis, phi_stores, locals, var_derefs, body: None };
    r.translator.clear();
    repair(body, r, func);
    r.forget_locals();
    std::mem::swap(body, &mut r.shader.functions[func].body);
    Ok(())
}

impl<'w> FunctionTranslator<'_, 'w> {
    fn run(&mut self, ty: TyIx, plan: &Plan) -> Res<()> {
        self.parameters(ty)?;
        self.body(plan)?;
        self.locals.values.finish(self.b.body);
        Ok(())
    }

    /// Translates the blocks of a function.
    pub fn body(&mut self, plan: &Plan) -> Res<()> {
        let first_local = self.locals.len() as u32;
        self.find_locals(plan)?;
        self.find_phis(plan)?;
        self.find_stores(plan, first_local);
        let outer = self.nesting;
        let mut loops: SmallVec<[CfId; 8]> = SmallVec::new();
        let mut ifs: SmallVec<[CfId; 8]> = SmallVec::new();
        let depth = |ifs: &[CfId], loops: &[CfId]| match outer + ifs.len() + loops.len() {
            MAX_NESTING => fail(LIMIT, format!("ifs and loops nest deeper than {MAX_NESTING} levels")),
            _ => Ok(()),
        };
        let mut contexts: SmallVec<[u32; 16]> = SmallVec::new();
        let mut flags: SmallVec<[Option<VarId>; 16]> = smallvec![None; plan.contexts.len()];
        // Variables of the cases that fall through.
        let mut fell: SmallVec<[Option<VarId>; 4]> = smallvec![None; plan.cases.len()];
        for &step in &plan.steps {
            match step {
                Step::Block(b) => {
                    self.r.options.stop.check()?;
                    self.nesting = outer + ifs.len() + loops.len();
                    self.block(plan, b)?;
                }
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
                        self.locals.values.start_else(self.open_block());
                        self.b.push_else(cf);
                    }
                }
                Step::EndIf => {
                    if let Some(cf) = ifs.pop() {
                        self.close_if(cf);
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
                        let before = self.b.block();
                        let cf = self.b.push_loop();
                        self.locals.start_loop(before, self.b.block());
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
                    if let Some(block) = self.open_block() {
                        let jump = if context.is_loop { Jump::Continue } else { Jump::Break };
                        self.locals.values.leave(block, jump);
                        if jump == Jump::Break {
                            self.b.jump(jump);
                        }
                    }
                    if let Some(cf) = loops.pop() {
                        self.b.pop(cf);
                        self.locals.values.end_loop(self.b.block());
                    }
                    for &aim in &context.crossed {
                        let flag = self.flag(&mut flags, aim);
                        let var = self.b.deref_var(&self.r.shader.vars, flag);
                        let set = self.b.load_deref(var, Ty::BOOL);
                        let cf = self.b.push_if(set);
                        let via = via_of(plan, &contexts, aim);
                        let reached = self.locals.values.is_reached();
                        self.jump_to(plan, &contexts, aim, via);
                        self.b.pop(cf);
                        self.locals.values.set_reached(reached);
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
                    if !self.is_open() {
                        self.locals.values.leave(self.b.block(), Jump::Return);
                    }
                }
            }
        }
        self.nesting = outer;
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
        self.locals.values.start_if();
        if control != Control::None {
            self.b.body.set_control(cf, control);
        }
        Ok(cf)
    }

    fn close_if(&mut self, cf: CfId) {
        let mut end = self.open_block();
        if !self.locals.values.is_in_else() {
            self.locals.values.start_else(end);
            end = self.b.body.as_if(cf).map(|n| n.els().last);
        }
        self.b.pop(cf);
        self.locals.values.end_if(end, self.b.block());
    }

    /// The current block, unless it ends in a jump.
    fn open_block(&self) -> Option<BlockId> {
        self.is_open().then(|| self.b.block())
    }

    /// Jumps towards the end of a context: out of the innermost loop, or to the start of its own.
    fn jump_to(&mut self, plan: &Plan, contexts: &[u32], aim: u32, via: u32) {
        let direct = !crosses(plan, contexts, via);
        let again = direct && plan.contexts[aim as usize].is_loop;
        let jump = if again { Jump::Continue } else { Jump::Break };
        self.locals.values.leave(self.b.block(), jump);
        self.b.jump(jump);
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
        let first = self.first_phi.1;
        let from = first + self.phi_stores[first..].partition_point(|s| s.0 < b);
        for i in from..self.phi_stores.len() {
            let (pred, phi, value) = self.phi_stores[i];
            if pred != b {
                break;
            }
            let Phi { at, home, ty } = self.phis[phi as usize];
            self.at(at)?;
            match home {
                PhiHome::Local(local) => self.store_local(local, value)?,
                PhiHome::Var(var) => {
                    let (have, value) = self.value(value)?;
                    self.check_same(have, ty)?;
                    if value != Val::Undef {
                        let place = self.var_ptr(var, ty);
                        self.store(&place, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives the variables that become values their meaning.
    fn find_locals(&mut self, plan: &Plan) -> Res<()> {
        for &(id, ty) in &plan.locals.variables {
            if self.r.id(id).flags & flag::LOCAL != 0 {
                let local = self.locals.add(ty, self.r.types[ty as usize].shape);
                self.r.define(id, Def::Local(local))?;
            }
        }
        Ok(())
    }

    /// Finds the stores to locals inside each loop.
    fn find_stores(&mut self, plan: &Plan, first_local: u32) {
        let loops = plan.contexts.iter().any(|c| c.ir_loop);
        if self.locals.len() == 0 || !loops {
            return;
        }
        // Accesses by block: of phis at its start, of its instructions, to phis at its end.
        let mut accesses: SmallVec<[(u32, u8, u32, bool); 64]> =
            SmallVec::with_capacity(plan.locals.accesses.len());
        let block_of = |at: usize| plan.blocks.partition_point(|b| b.start <= at) as u32 - 1;
        for phi in &self.phis[self.first_phi.0..] {
            if let PhiHome::Local(local) = phi.home {
                accesses.push((block_of(phi.at), 0, local, false));
            }
        }
        for access in &plan.locals.accesses {
            if let Def::Local(local) = self.r.def(access.id) {
                accesses.push((access.block, 1, local, access.is_store));
            }
        }
        for &(pred, phi, _) in &self.phi_stores[self.first_phi.1..] {
            if let PhiHome::Local(local) = self.phis[phi as usize].home {
                accesses.push((pred, 2, local, true));
            }
        }
        accesses.sort_by_key(|a| (a.0, a.1));
        let mut stores = Stores { first_local, ..Stores::default() };
        // The first access of each local: the region, and the store if it is one. The last one.
        let own = self.locals.len() - first_local as usize;
        let mut first: SmallVec<[(u32, u32); 16]> = smallvec![(u32::MAX, u32::MAX); own];
        let mut last: SmallVec<[usize; 16]> = smallvec![0; own];
        // The end of each region in accesses; the open regions and loops.
        type Regions<T> = SmallVec<[T; 32]>;
        let (mut ends, mut around): (Regions<usize>, Regions<u32>) = (smallvec![0], smallvec![0]);
        let mut open: SmallVec<[usize; 8]> = SmallVec::new();
        let mut n = 0;
        for &step in &plan.steps {
            let start = |ends: &mut Regions<usize>, around: &mut Regions<u32>| {
                around.push(ends.len() as u32);
                ends.push(0);
            };
            let end = |ends: &mut Regions<usize>, around: &mut Regions<u32>, n| {
                if let Some(region) = around.pop() {
                    ends[region as usize] = n;
                }
            };
            match step {
                Step::Block(b) => {
                    let from = accesses.partition_point(|a| a.0 < b);
                    for &(_, _, local, is_store) in accesses[from..].iter().take_while(|a| a.0 == b) {
                        // Those of callers live longer.
                        if let Some(own) = local.checked_sub(first_local) {
                            let known = &mut first[own as usize];
                            if known.0 == u32::MAX {
                                let store = if is_store { stores.locals.len() as u32 } else { u32::MAX };
                                *known = (around.last().copied().unwrap_or(0), store);
                            }
                            last[own as usize] = n;
                        }
                        if is_store {
                            stores.locals.push(local);
                        }
                        n += 1;
                    }
                }
                Step::If(_) | Step::IfCases(..) | Step::IfCase(..) => start(&mut ends, &mut around),
                Step::Else => {
                    end(&mut ends, &mut around, n);
                    start(&mut ends, &mut around);
                }
                Step::EndIf => end(&mut ends, &mut around, n),
                Step::Enter(c) if plan.contexts[c as usize].ir_loop => {
                    open.push(stores.loops.len());
                    let at = stores.locals.len() as u32;
                    stores.loops.push((at, at));
                    start(&mut ends, &mut around);
                }
                Step::Leave(c) if plan.contexts[c as usize].ir_loop => {
                    end(&mut ends, &mut around, n);
                    if let Some(i) = open.pop() {
                        stores.loops[i].1 = stores.locals.len() as u32;
                    }
                }
                _ => {}
            }
        }
        ends[0] = n;
        let born = |(&(region, store), &last): (&(u32, u32), &usize)| match ends.get(region as usize) {
            Some(&end) if last < end => store,
            _ => u32::MAX,
        };
        stores.born = first.iter().zip(&last).map(born).collect();
        self.locals.set_stores(stores);
    }

    /// Makes a local for every phi and records the values that its predecessors store.
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
                let shape = self.r.types[ty as usize].shape;
                let home = if shape.is_none() || self.r.options.raw || self.r.options.keep_locals {
                    let ir = self.r.ir_type(ty)?;
                    PhiHome::Var(self.r.named_local(self.func, self.inst.word(2)?, ir))
                } else {
                    PhiHome::Local(self.locals.add(ty, shape))
                };
                let n = self.phis.len() as u32;
                for pair in self.inst.rest(3).chunks_exact(2) {
                    match self.r.id(pair[1]).def {
                        Def::Label(pred) if (pred.wrapping_sub(plan.labels) as usize) < plan.blocks.len() => {
                            self.phi_stores.push((pred - plan.labels, n, pair[0]));
                        }
                        _ => bail!(ID, "{} is not a block", self.r.show(pair[1])),
                    }
                }
                self.phis.push(Phi { at: self.inst.at, home, ty });
            }
        }
        self.phi_stores[self.first_phi.1..].sort_by_key(|s| (s.0, s.1));
        Ok(())
    }

    pub fn phi(&mut self) -> Res<()> {
        let at = self.inst.at;
        let own = &self.phis[self.first_phi.0..];
        let Ok(i) = own.binary_search_by_key(&at, |p| p.at) else {
            return fail(MALFORMED, "OpPhi must be at the start of its block");
        };
        let Phi { home, ty, .. } = own[i];
        let value = match home {
            PhiHome::Local(local) => self.load_local(local),
            PhiHome::Var(var) => {
                let place = self.var_ptr(var, ty);
                self.load(&place)?
            }
        };
        self.set(value, ty)
    }
}

/// Whether a loop other than that of `via` is between the current position and it.
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
