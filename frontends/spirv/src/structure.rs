//! Control flow: the blocks of a function to a plan of nested ifs and loops.
//!
//! Blocks are ordered so that constructs are contiguous (reverse postorder that visits merge blocks and
//! continue targets first). Each block that several edges lead to, and each declared merge block, is the
//! *follow* of the block that precedes it: code that leaves the region before it normally arrives there. Everything
//! else is nested at its only predecessor. An edge to the follow of the innermost region needs no jump; an edge to the
//! follow of a loop is a `break`; for other edges the region becomes a loop that runs once, so that `break` works there
//! too. Jumps that cross loops set a flag that is tested after each of these loops.
//!
//! The cases of a switch with fall-through become ifs in a row instead, `if (fell || selector == k) { ... }`: nested, they
//! would take code that grows with the square of the cases. A case sets `fell` on the edge to the next one; that edge and
//! the edge to the merge block both lead to the end of its `if`.
//!
//! This takes every legal shape (SPIR-V 2.11) and reducible graphs beyond, without recursion.

use crate::blocks::{block_of, link, literal_words, scan};
use crate::error::*;
use crate::state::Reader;
use crate::state::plan::{Case, Context, Group, Merge, NONE, Plan, SBlock, Step};
use crate::words::Inst;
use smallvec::{SmallVec, smallvec};
use spirv::Op;
use std::ops::Range;

/// A list about the blocks of a function, which few functions have many of.
type Few<T> = SmallVec<[T; 32]>;

/// Upper limit of regions around a block, most of which become neither an `if` nor a loop.
const MAX_CONTEXTS: usize = 16_384;
/// Upper limit of pairs of a jump and a loop that it crosses: each is a test of a flag.
const MAX_CROSSED: usize = 1 << 19;
/// Words of a continue construct that may be repeated at each `continue`.
const SMALL_CONTINUE: usize = 64;
/// Cases that are tested one after the other before the list is cut in halves.
const LINEAR_CASES: usize = 8;

type Worklist = SmallVec<[Work; 16]>;

enum Work {
    Tree(u32),
    Edge(u32, u32),
    Step(Step),
    Leave(u32),
    /// Cases of a range of groups; the default is among them if the last is set.
    Cases {
        block: u32,
        from: u32,
        to: u32,
        default: u32,
    },
    /// A case of a switch with fall-through.
    Case(u32),
}

/// Makes the plan of the function whose blocks, about that many, start at `at`, in an empty one.
pub(crate) fn plan(r: &mut Reader<'_>, at: usize, blocks: usize, mut plan: Plan) -> Res<Plan> {
    plan.steps.reserve(3 * blocks);
    scan(r, at, blocks, &mut plan)?;
    link(r, &mut plan)?;
    if let [only] = &mut plan.blocks[..] {
        only.order = 0;
        plan.steps.extend([Step::Block(0), Step::Exit(0, true)]);
        return Ok(plan);
    }
    let order = order(&mut plan.blocks);
    place(&mut plan.blocks, &order, r)?;
    let active = smallvec![[NONE; 2]; plan.blocks.len()];
    let mut planner = Planner { r, plan, stack: Few::new(), active, gotos: SmallVec::new() };
    planner.run()?;
    Ok(planner.plan)
}

/// Gives the blocks that control can reach their order and returns them in it.
fn order(blocks: &mut [SBlock]) -> Few<u32> {
    let mut reached: Few<bool> = smallvec![false; blocks.len()];
    let mut stack: Few<u32> = smallvec![0];
    reached[0] = true;
    while let Some(b) = stack.pop() {
        for &s in &blocks[b as usize].succs {
            if !std::mem::replace(&mut reached[s as usize], true) {
                stack.push(s);
            }
        }
    }
    // Postorder with the merge block and the continue target before the successors; the last visited
    // comes first afterwards.
    let mut seen: Few<bool> = smallvec![false; blocks.len()];
    let mut post: Few<u32> = Few::with_capacity(blocks.len());
    let mut stack: Few<(u32, u32)> = smallvec![(0, 0)];
    seen[0] = true;
    while let Some((b, i)) = stack.last_mut() {
        let block = &blocks[*b as usize];
        let (first, second) = match block.merge {
            Merge::None => (None, None),
            Merge::Selection { merge } => (Some(merge), None),
            Merge::Loop { merge, cont } => (Some(merge), Some(cont)),
        };
        let n = block.succs.len();
        let next = match *i as usize {
            0 => first,
            1 => second,
            k if k - 2 < n => Some(block.succs[n - 1 - (k - 2)]),
            _ => {
                post.push(*b);
                stack.pop();
                continue;
            }
        };
        *i += 1;
        if let Some(next) = next
            && reached[next as usize]
            && !std::mem::replace(&mut seen[next as usize], true)
        {
            stack.push((next, 0));
        }
    }
    post.reverse();
    for (i, &b) in post.iter().enumerate() {
        blocks[b as usize].order = i as u32;
    }
    post
}

/// Decides for each block whether it is a follow, and where it is placed.
fn place(blocks: &mut [SBlock], order: &[u32], r: &Reader<'_>) -> Res<()> {
    // Headers that name a block as merge block or continue target; the outermost counts.
    let mut header: Few<u32> = smallvec![NONE; blocks.len()];
    for &b in order {
        let declare = |header: &mut [u32], target: u32| {
            // A block before its header can only come from a malformed module.
            let forward = blocks[target as usize].order > blocks[b as usize].order;
            if header[target as usize] == NONE && forward && blocks[target as usize].order != NONE {
                header[target as usize] = b;
            }
        };
        match blocks[b as usize].merge {
            Merge::None => {}
            Merge::Selection { merge } => declare(&mut header, merge),
            Merge::Loop { merge, cont } => {
                declare(&mut header, merge);
                let forward = blocks[cont as usize]
                    .preds
                    .iter()
                    .filter(|&&p| blocks[p as usize].order < blocks[cont as usize].order);
                let repeat =
                    header[merge as usize] != NONE - 1 && is_small_continue(blocks, b, merge, cont, r)?;
                if forward.count() > 1 && !repeat {
                    declare(&mut header, cont);
                } else if cont != b && header[cont as usize] == NONE {
                    // Nested at each edge that leads there.
                    header[cont as usize] = NONE - 1;
                }
            }
        }
    }
    for &b in order.iter().skip(1) {
        let me = &blocks[b as usize];
        let mut parent = NONE;
        let mut count = 0;
        for &p in &me.preds {
            let from = blocks[p as usize].order;
            if from < me.order {
                count += 1;
                if header[b as usize] >= NONE - 1 {
                    parent = if parent == NONE { p } else { common(blocks, parent, p) };
                }
            }
        }
        let mut follow = count > 1;
        match header[b as usize] {
            NONE => {}
            h if h == NONE - 1 => follow = false,
            h => {
                parent = h;
                follow = true;
            }
        }
        if parent == NONE {
            return fail(
                CONTROL,
                "the control flow is not structured: a block is entered only by back edges",
            );
        }
        let depth = blocks[parent as usize].depth + 1;
        let me = &mut blocks[b as usize];
        (me.parent, me.depth, me.follow) = (parent, depth, follow);
        if follow {
            // Parents come earlier in the order, so lists of follows are in order too.
            blocks[parent as usize].follows.push(b);
        }
    }
    Ok(())
}

/// The deepest block that both are placed below.
fn common(blocks: &[SBlock], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        if blocks[a as usize].depth >= blocks[b as usize].depth {
            a = blocks[a as usize].parent;
        } else {
            b = blocks[b as usize].parent;
        }
        if a == NONE || b == NONE {
            return 0;
        }
    }
    a
}

/// Whether the continue construct is one short block that only computes: it is repeated at each
/// `continue` then, which keeps the loop simple.
fn is_small_continue(blocks: &[SBlock], header: u32, merge: u32, cont: u32, r: &Reader<'_>) -> Res<bool> {
    let c = &blocks[cont as usize];
    if cont == header
        || c.merge != Merge::None
        || c.end - c.start > SMALL_CONTINUE
        || c.preds.len() > 16
        || !c.succs.contains(&header)
        || c.succs.iter().any(|&s| s != header && s != merge)
    {
        return Ok(false);
    }
    let mut at = c.start;
    while at < c.end {
        let inst = Inst::at(r.words, at)?;
        at = inst.end();
        let repeatable = match inst.op() {
            Some(
                Op::Load
                | Op::Store
                | Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::Phi
                | Op::Line
                | Op::NoLine,
            ) => true,
            Some(op) => {
                let n = op as u32;
                (Op::VectorExtractDynamic as u32..=Op::Transpose as u32).contains(&n)
                    || (Op::ConvertFToU as u32..=Op::BitCount as u32).contains(&n)
            }
            None => false,
        };
        if !repeatable {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Planner<'a, 'w> {
    r: &'a Reader<'w>,
    plan: Plan,
    /// Contexts around the current position, innermost last.
    stack: Few<u32>,
    /// Position in the stack of the context of each block: as a follow and as a loop header.
    active: Few<[u32; 2]>,
    /// Innermost context, context of the loop that is left or continued, context that is the aim.
    gotos: SmallVec<[(u32, u32, u32); 8]>,
}

impl Planner<'_, '_> {
    fn run(&mut self) -> Res<()> {
        let mut work: Worklist = smallvec![Work::Tree(0)];
        while let Some(w) = work.pop() {
            match w {
                Work::Tree(b) => self.tree(b, &mut work)?,
                Work::Edge(from, to) => self.edge(from, to, &mut work)?,
                Work::Step(s) => self.step(s)?,
                Work::Leave(c) => self.leave(c)?,
                Work::Cases { block, from, to, default } => {
                    self.cases(block, from, to, default, &mut work)?
                }
                Work::Case(case) => self.case(case, &mut work)?,
            }
        }
        let mut total = 0;
        for i in 0..self.gotos.len() {
            let (mut c, via, aim) = self.gotos[i];
            while c != via && c != NONE {
                if self.plan.contexts[c as usize].ir_loop {
                    let crossed = &mut self.plan.contexts[c as usize].crossed;
                    if !crossed.contains(&aim) {
                        crossed.push(aim);
                        total += 1;
                    }
                    if total > MAX_CROSSED {
                        return fail(LIMIT, "the control flow is too entangled");
                    }
                }
                c = self.plan.contexts[c as usize].parent;
            }
        }
        Ok(())
    }

    fn step(&mut self, step: Step) -> Res<()> {
        self.plan.steps.push(step);
        // Repeated continue constructs are few in sensible modules.
        if self.plan.steps.len() > 4096 + 256 * self.plan.blocks.len() {
            return fail(LIMIT, "the control flow is too entangled");
        }
        Ok(())
    }

    fn enter(&mut self, target: u32, is_loop: bool) -> Res<u32> {
        self.enter_case(target, is_loop, NONE, NONE)
    }

    /// Enters a context that edges to `falls_to` lead to as well.
    fn enter_case(&mut self, target: u32, is_loop: bool, case: u32, falls_to: u32) -> Res<u32> {
        if self.stack.len() >= MAX_CONTEXTS {
            bail!(LIMIT, "more than {MAX_CONTEXTS} constructs nest");
        }
        let c = self.plan.contexts.len() as u32;
        let parent = self.stack.last().copied().unwrap_or(NONE);
        let crossed = SmallVec::new();
        self.plan.contexts.push(Context {
            target,
            is_loop,
            ir_loop: is_loop,
            crossed,
            parent,
            falls_to,
            case,
        });
        self.active[target as usize][usize::from(is_loop)] = self.stack.len() as u32;
        if falls_to != NONE {
            self.active[falls_to as usize][0] = self.stack.len() as u32;
        }
        self.stack.push(c);
        self.step(Step::Enter(c))?;
        Ok(c)
    }

    fn leave(&mut self, c: u32) -> Res<()> {
        self.stack.pop();
        let Context { target, is_loop, falls_to, .. } = self.plan.contexts[c as usize];
        self.active[target as usize][usize::from(is_loop)] = NONE;
        if falls_to != NONE {
            self.active[falls_to as usize][0] = NONE;
        }
        self.step(Step::Leave(c))
    }

    /// A block and everything that is placed below it.
    fn tree(&mut self, b: u32, work: &mut Worklist) -> Res<()> {
        let block = &self.plan.blocks[b as usize];
        let is_loop = block.preds.iter().any(|&p| {
            let order = self.plan.blocks[p as usize].order;
            order != NONE && order >= block.order
        });
        if !is_loop && let Some(cases) = self.falling_cases(b)? {
            self.step(Step::Block(b))?;
            if let Merge::Selection { merge } = self.plan.blocks[b as usize].merge {
                work.push(Work::Tree(merge));
            }
            work.extend(cases.rev().map(Work::Case));
            return Ok(());
        }
        let block = &self.plan.blocks[b as usize];
        let follows = block.follows.clone();
        let mut inside = follows.len();
        if is_loop {
            let Merge::Loop { merge, .. } = block.merge else {
                let inst = Inst::at(self.r.words, block.end)?;
                let e = error(
                    CONTROL,
                    "the control flow is not structured: a branch leads back to a block that is not a loop header",
                );
                return Err(self.r.locate(e, inst));
            };
            if let Some(i) = follows.iter().position(|&f| f == merge) {
                inside = i;
            }
        }
        for &f in follows[inside..].iter().rev() {
            let c = self.enter(f, false)?;
            work_later(work, c, f);
        }
        if is_loop {
            let c = self.enter(b, true)?;
            work.push(Work::Leave(c));
        }
        for &f in follows[..inside].iter().rev() {
            let c = self.enter(f, false)?;
            work_later(work, c, f);
        }
        self.step(Step::Block(b))?;
        self.terminator(b, work)
    }

    fn terminator(&mut self, b: u32, work: &mut Worklist) -> Res<()> {
        let block = &self.plan.blocks[b as usize];
        let inst = Inst::at(self.r.words, block.end)?;
        match inst.op() {
            Some(Op::Branch) => work.push(Work::Edge(b, block.succs[0])),
            Some(Op::BranchConditional) if block.succs.len() == 1 => work.push(Work::Edge(b, block.succs[0])),
            Some(Op::BranchConditional) => {
                let (yes, no) = (block.succs[0], block.succs[1]);
                self.step(Step::If(b))?;
                // Where one side jumps away, the other need not be nested.
                if self.jumps(b, yes) && self.is_nested(b, no) {
                    work.push(Work::Edge(b, no));
                    work.push(Work::Step(Step::EndIf));
                    work.push(Work::Step(Step::Else));
                    work.push(Work::Edge(b, yes));
                } else if self.jumps(b, no) && self.is_nested(b, yes) {
                    work.push(Work::Edge(b, yes));
                    work.push(Work::Step(Step::EndIf));
                    work.push(Work::Edge(b, no));
                    work.push(Work::Step(Step::Else));
                } else {
                    work.push(Work::Step(Step::EndIf));
                    work.push(Work::Edge(b, no));
                    work.push(Work::Step(Step::Else));
                    work.push(Work::Edge(b, yes));
                }
            }
            Some(Op::Switch) => {
                let (from, to, default) = self.groups(inst)?;
                work.push(Work::Cases { block: b, from, to, default });
            }
            _ => self.step(Step::Exit(b, self.stack.is_empty()))?,
        }
        Ok(())
    }

    /// The cases of a switch by target, as a range of groups, and the target of the default case.
    fn groups(&mut self, inst: Inst<'_>) -> Res<(u32, u32, u32)> {
        let size = literal_words(self.r, inst.word(1)?);
        let default = block_of(self.r, inst.word(2)?, &self.plan)?;
        let first = self.plan.groups.len();
        let mut by_target = rustc_hash::FxHashMap::default();
        for case in inst.rest(3).chunks_exact(size + 1) {
            let target = block_of(self.r, case[size], &self.plan)?;
            if target == default {
                continue;
            }
            let literal = u64::from(case[0]) | if size == 2 { u64::from(case[1]) << 32 } else { 0 };
            let g = *by_target.entry(target).or_insert_with(|| {
                self.plan.groups.push(Group { target, literals: SmallVec::new() });
                self.plan.groups.len() - 1
            });
            self.plan.groups[g].literals.push(literal);
        }
        Ok((first as u32, self.plan.groups.len() as u32, default))
    }

    /// The cases of the switch at the end of a block, in the order of their code, if it has fall-through and nothing else
    /// joins its cases.
    fn falling_cases(&mut self, b: u32) -> Res<Option<Range<u32>>> {
        let block = &self.plan.blocks[b as usize];
        let Merge::Selection { merge } = block.merge else { return Ok(None) };
        let Some((&last, follows)) = block.follows.split_last() else { return Ok(None) };
        if last != merge || follows.is_empty() {
            return Ok(None);
        }
        let inst = Inst::at(self.r.words, block.end)?;
        if inst.op() != Some(Op::Switch) {
            return Ok(None);
        }
        let follows: SmallVec<[u32; 16]> = follows.into();
        let (from, to, default) = self.groups(inst)?;
        let case = |target, groups, is_default| Case {
            block: b,
            target,
            groups,
            is_default,
            fallen_into: false,
            falls: false,
            merge,
        };
        let mut cases: Vec<Case> = (from..to)
            .map(|g| case(self.plan.groups[g as usize].target, (g, g + 1), false))
            .chain([case(default, (from, to), true)])
            .filter(|case| case.target != merge)
            .collect();
        cases.sort_by_key(|case| self.plan.blocks[case.target as usize].order);
        // Both lists are in the order of the blocks.
        let mut found = 0;
        for i in 0..cases.len() {
            if follows.get(found) != Some(&cases[i].target) {
                continue;
            }
            found += 1;
            if i == 0 || !self.is_fallen_into(b, cases[i].target, cases[i - 1].target) {
                return self.forget_groups(from);
            }
            cases[i].fallen_into = true;
            cases[i - 1].falls = true;
        }
        if found != follows.len() {
            return self.forget_groups(from);
        }
        let first = self.plan.cases.len() as u32;
        self.plan.cases.extend(cases);
        Ok(Some(first..self.plan.cases.len() as u32))
    }

    fn forget_groups(&mut self, from: u32) -> Res<Option<Range<u32>>> {
        self.plan.groups.truncate(from as usize);
        Ok(None)
    }

    /// Whether all edges to a case of the switch at the end of `b` come from the switch and from the case `before`.
    fn is_fallen_into(&self, b: u32, case: u32, before: u32) -> bool {
        let block = &self.plan.blocks[case as usize];
        let forward = |&&p: &&u32| p != b && self.plan.blocks[p as usize].order < block.order;
        block.preds.iter().filter(forward).all(|&p| {
            let mut at = p;
            while at != before {
                at = self.plan.blocks[at as usize].parent;
                if at == NONE || at == b {
                    return false;
                }
            }
            true
        })
    }

    fn case(&mut self, n: u32, work: &mut Worklist) -> Res<()> {
        let case = self.plan.cases[n as usize];
        self.step(Step::IfCase(case.block, n))?;
        let next = if case.falls { self.plan.cases[n as usize + 1].target } else { NONE };
        let context = self.enter_case(case.merge, false, n, next)?;
        work.push(Work::Step(Step::EndIf));
        work.push(Work::Step(Step::Else));
        work.push(Work::Leave(context));
        work.push(match case.fallen_into {
            true => Work::Tree(case.target),
            false => Work::Edge(case.block, case.target),
        });
        Ok(())
    }

    /// Whether an edge becomes a jump.
    fn jumps(&self, from: u32, to: u32) -> bool {
        match self.context_of(from, to) {
            Some(at) => at != NONE && at as usize + 1 != self.stack.len(),
            None => false,
        }
    }

    /// Whether the target is placed at this edge.
    fn is_nested(&self, from: u32, to: u32) -> bool {
        self.context_of(from, to).is_none()
    }

    /// Position in the stack of the context that an edge leads to; `None` if the target is nested.
    fn context_of(&self, from: u32, to: u32) -> Option<u32> {
        let (f, t) = (&self.plan.blocks[from as usize], &self.plan.blocks[to as usize]);
        if t.order <= f.order {
            return Some(self.active[to as usize][1]);
        }
        t.follow.then(|| self.active[to as usize][0])
    }

    fn edge(&mut self, from: u32, to: u32, work: &mut Worklist) -> Res<()> {
        let Some(at) = self.context_of(from, to) else {
            work.push(Work::Tree(to));
            return Ok(());
        };
        if at == NONE {
            let inst = Inst::at(self.r.words, self.plan.blocks[from as usize].end)?;
            let e = error(
                CONTROL,
                "the control flow is not structured: a branch leaves its construct elsewhere than allowed",
            );
            return Err(self.r.locate(e, inst));
        }
        let at = at as usize;
        let aim = self.stack[at];
        let Context { falls_to, case, .. } = self.plan.contexts[aim as usize];
        if falls_to == to {
            self.step(Step::Fall(case))?;
        }
        if at + 1 == self.stack.len() {
            return Ok(());
        }
        let above = self.stack[at + 1];
        let via = if !self.plan.contexts[aim as usize].is_loop && self.plan.contexts[above as usize].is_loop {
            above
        } else {
            self.plan.contexts[aim as usize].ir_loop = true;
            aim
        };
        self.gotos.push((self.stack[self.stack.len() - 1], via, aim));
        self.step(Step::Goto(aim, via))
    }

    fn cases(&mut self, block: u32, from: u32, to: u32, default: u32, work: &mut Worklist) -> Res<()> {
        let n = (to - from) as usize;
        if n == 0 || (n == 1 && default == NONE) {
            let target = if n == 0 { default } else { self.plan.groups[from as usize].target };
            work.push(Work::Edge(block, target));
            return Ok(());
        }
        let middle = if n <= LINEAR_CASES { from + 1 } else { from + n as u32 / 2 };
        self.step(Step::IfCases(block, from, middle))?;
        work.push(Work::Step(Step::EndIf));
        work.push(Work::Cases { block, from: middle, to, default });
        work.push(Work::Step(Step::Else));
        work.push(Work::Cases { block, from, to: middle, default: NONE });
        Ok(())
    }
}

/// Plans to leave a context and continue with the block after it.
fn work_later(work: &mut Worklist, context: u32, follow: u32) {
    work.push(Work::Tree(follow));
    work.push(Work::Leave(context));
}
