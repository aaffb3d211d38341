//! Unrolls loops with a constant trip count, and computes the results of loops that depend on constants only.
//!
//! Accepts any form. A loop is followed iteration by iteration with the values that are known: constants, and all that is computed
//! from them. If that reaches a `break` on every path, the trip count is known. The loop is replaced by
//!
//! * its results, if all of them are known: a closed form, whatever the trip count;
//! * the code of its iterations, with known values folded and ifs on known conditions decided, if that has no more instructions
//!   than the loop, or at most `tiny` of them for up to four iterations;
//! * the code of its iterations also if an index into a local or constant array becomes constant, up to `limit` instructions:
//!   then the array need not be memory. A hint to unroll has the same effect.
//!
//! Without a hint the copy may not have more loops than there were, since each loop that remains costs more than its
//! instructions.
//!
//! A loop is never unrolled in part: instruction caches are small, and drivers unroll again. Loops with convergent
//! instructions, calls and returns stay, as do those with a hint not to unroll. Inner loops come first, and are followed
//! with the loop around them if unrolling them alone does not pay. Cost: at most `steps` instructions followed per
//! loop, fewer where the condition is not known in the first iteration.
//!
//! Source: NIR's `nir_opt_loop_unroll`, whose loop analysis solves for the trip count instead.
//!
//! ```foil-example
//! b0:
//! 32x1 %0 = const 0
//! 32x1 %1 = const 3
//! 32x1 %2 = const 1
//! loop {
//!   b1:
//!   32x1 %3 = phi b0: %0, b4: %7
//!   32x1 %4 = phi b0: %0, b4: %6
//!   1x1 %5 = ilt %3, %1
//!   if %5 {
//!     b2:
//!   } else {
//!     b3:
//!     break
//!   }
//!   b4:
//!   32x1 %6 = iadd %4, %3
//!   32x1 %7 = iadd %3, %2
//! }
//! b5:
//! store_output %4, %0 io=0 mask=x
//! =>
//! 32x1 %0 = const 3
//! 32x1 %1 = const 0
//! 32x1 %2 = const 3
//! 32x1 %3 = const 1
//! store_output %0, %1 io=0 mask=x
//! ```

use crate::util::evaluate::{Known, evaluate};
use crate::util::loops::inner_loops_first;
use crate::{Changes, Constructs, Context, Pass, PassInfo, PassOptions, each_body, pass_options};
use airfoil_ir::{
    BlockId, Body, CfId, Control, Cursor, DerefKind, Diagnostic, Instr, InstrId, InstrKind, Jump, Lanes,
    Modes, PhiSrc, Region, Shader, Ty, Walk,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pass_options! {
    /// See the [module documentation](self).
    pub struct LoopUnroll {
        /// Maximum number of instructions where an index becomes constant, or where the source asks for it.
        limit: u32 = 512,
        /// Maximum number of instructions of up to four iterations.
        tiny: u32 = 24,
        /// Maximum number of instructions that are followed per loop.
        steps: u32 = 4000,
    }
}

static INFO: PassInfo = PassInfo::new(
    "loop_unroll",
    "unrolls loops with a constant trip count, and computes constant results",
    include_str!("loop_unroll.rs"),
)
.options(LoopUnroll::OPTIONS)
.reads(Changes::CODE)
.needs(Constructs::JUMP);

/// Ifs nest at most this deep in a loop that is followed.
const MAX_DEPTH: u32 = 64;

impl Pass for LoopUnroll {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            if body.num_cfs() == 0 {
                return Changes::NONE;
            }
            let loops = inner_loops_first(body);
            let mut known = Known::default();
            loops
                .into_iter()
                .fold(Changes::NONE, |p, cf| p | Changes::CODE.when(self.visit(body, cf, &mut known)))
        }))
    }
}

/// How a region was left.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// At its last block.
    Falls(BlockId),
    Break(BlockId),
    Continue(BlockId),
}

/// The loop cannot be followed.
struct Unknown;

impl LoopUnroll {
    fn visit(&self, body: &mut Body, cf: CfId, known: &mut Known) -> bool {
        let Some(l) = body.as_loop(cf) else { return false };
        let (region, control) = (l.body(), l.control);
        // A loop whose condition depends on nothing known is not followed at all.
        let starts_known = body.phis(region.first).any(|phi| {
            let from = |s: &PhiSrc| s.pred == l.prev() && body[s.value].as_const().is_some();
            body[phi].as_phi().is_some_and(|srcs| srcs.iter().any(from))
        });
        if !starts_known {
            return false;
        }
        let mut size = None;
        let mut loops = None;
        let pays = |count: u32, copy: &Follower<'_>| {
            let most = match control {
                Control::None
                    if copy.loops > 1
                        && copy.loops > *loops.get_or_insert_with(|| loops_in(copy.body, region)) =>
                {
                    return false;
                }
                _ if copy.size == 0 => return true,
                Control::Keep => return false,
                Control::Flatten => self.limit,
                Control::None if copy.indices > 0 => self.limit,
                Control::None if count <= 4 => {
                    self.tiny.max(*size.get_or_insert_with(|| size_of(copy.body, region)))
                }
                Control::None => *size.get_or_insert_with(|| size_of(copy.body, region)),
            };
            copy.size <= most
        };
        let mut trial = Follower::new(body, cf, None, known, self);
        if trial.iterations(pays).is_err() {
            return false;
        }
        // The copy takes the same way.
        let followed = trial.followed.into_iter().rev().collect();
        let mut copy = Follower::new(body, cf, Some(Copy::default()), known, self);
        (copy.followed, copy.steps) = (followed, u32::MAX);
        copy.iterations(|_, _| true).is_ok()
    }
}

/// Instructions of a loop that a copy may have as well, and its branches.
fn size_of(body: &Body, region: Region) -> u32 {
    let counts = |id: InstrId| {
        let kind = &body[id].kind;
        !matches!(kind, InstrKind::Const(_) | InstrKind::Phi(_) | InstrKind::Deref(_) | InstrKind::Undef)
    };
    let in_block = |b: BlockId| {
        let branch = body.next_cf(b).is_some_and(|cf| body.as_if(cf).is_some());
        body.instrs(b).filter(|&id| counts(id)).count() as u32 + u32::from(branch)
    };
    body.blocks_in(region).map(in_block).sum()
}

/// A loop and those inside of it.
fn loops_in(body: &Body, region: Region) -> u32 {
    let starts = |b: BlockId| body.next_cf(b).is_some_and(|cf| body.as_loop(cf).is_some());
    1 + body.blocks_in(region).filter(|&b| starts(b)).count() as u32
}

/// The copies of the iterations.
#[derive(Default)]
struct Copy {
    /// The value for each value of the loop, as of the last iteration.
    values: FxHashMap<InstrId, InstrId>,
    constants: FxHashMap<(Lanes, Ty), InstrId>,
    /// The block for each block of the nested loop being copied.
    blocks: FxHashMap<BlockId, BlockId>,
}

/// Follows a loop iteration by iteration; copies its code if there is a copy.
struct Follower<'b> {
    body: &'b mut Body,
    cf: CfId,
    copy: Option<Copy>,
    /// Values of the loop that are known in the current iteration.
    known: &'b mut Known,
    /// Instructions that may still be followed.
    steps: u32,
    /// Maximum of `size`.
    limit: u32,
    /// Instructions that are not known: the size of the copy.
    size: u32,
    /// Indices into arrays that have become constant.
    indices: u32,
    /// Inner loops that remain loops.
    loops: u32,
    /// For each inner loop, in the order in which they are met, whether it is followed. Reversed for the copy.
    followed: Vec<bool>,
    /// The block at whose end the copy continues; `None` is that before the loop.
    at: Option<BlockId>,
}

impl<'b> Follower<'b> {
    fn new(
        body: &'b mut Body,
        cf: CfId,
        copy: Option<Copy>,
        known: &'b mut Known,
        options: &LoopUnroll,
    ) -> Follower<'b> {
        let LoopUnroll { limit, tiny, steps } = *options;
        known.clear();
        Follower {
            body,
            cf,
            copy,
            known,
            steps,
            limit: limit.max(tiny),
            size: 0,
            indices: 0,
            loops: 0,
            followed: Vec::new(),
            at: None,
        }
    }

    /// Follows all iterations, as long as `pays` accepts their count so far. A copy replaces the loop.
    fn iterations(&mut self, pays: impl FnMut(u32, &Self) -> bool) -> Result<(), Unknown> {
        let Some(l) = self.body.as_loop(self.cf) else { return Err(Unknown) };
        let (region, next) = (l.body(), l.next());
        self.follow(self.cf, 0, pays)?;
        if self.copy.is_some() {
            self.replace_loop(region, next);
        }
        Ok(())
    }

    /// Follows a loop to its end, with the phis after it.
    fn follow(
        &mut self,
        cf: CfId,
        depth: u32,
        mut pays: impl FnMut(u32, &Self) -> bool,
    ) -> Result<(), Unknown> {
        let Some(l) = self.body.as_loop(cf) else { return Err(Unknown) };
        let (region, next) = (l.body(), l.next());
        let mut from = l.prev();
        for iteration in 0.. {
            self.steps = self.steps.checked_sub(1).ok_or(Unknown)?;
            self.enter(region.first, from);
            let end = self.region(region, depth)?;
            // The last iteration ends in the condition: it is not counted.
            let count = if matches!(end, End::Break(_)) { iteration } else { iteration + 1 };
            if !pays(count, self) {
                return Err(Unknown);
            }
            match end {
                End::Falls(block) | End::Continue(block) => from = block,
                End::Break(block) => {
                    self.enter(next, block);
                    return Ok(());
                }
            }
        }
        Err(Unknown)
    }

    /// An inner loop: follows it if that is possible, and otherwise copies it as a loop.
    fn inner_loop(&mut self, cf: CfId, depth: u32) -> Result<(), Unknown> {
        if self.copy.is_some() {
            // The trial decided.
            return match self.followed.pop() {
                Some(true) => self.follow(cf, depth + 1, |_, _| true),
                _ => self.nested_loop(cf),
            };
        }
        let (known, steps) = (self.known.entries(), self.steps);
        let (size, indices, loops) = (self.size, self.indices, self.loops);
        let at = self.followed.len();
        self.followed.push(true);
        if self.follow(cf, depth + 1, |_, _| true).is_ok() {
            return Ok(());
        }
        self.followed.truncate(at);
        self.followed.push(false);
        // The steps that it took still count.
        self.steps = self.steps.min(steps);
        self.known.reset(known);
        (self.size, self.indices, self.loops) = (size, indices, loops);
        self.nested_loop(cf)
    }

    /// The known lanes of a value, in or before the loop.
    fn lanes(&self, value: InstrId) -> Option<Lanes> {
        self.known.get(value).or_else(|| self.body[value].as_const()).copied()
    }

    /// The value in the copy.
    fn value(&mut self, old: InstrId) -> InstrId {
        let known = self.known.get(old).copied();
        let Some(copy) = &mut self.copy else { return old };
        let Some(lanes) = known else { return copy.values.get(&old).copied().unwrap_or(old) };
        let ty = self.body[old].ty;
        let body = &mut *self.body;
        *copy.constants.entry((lanes, ty)).or_insert_with(|| {
            let entry = Cursor::BlockStart(body.entry());
            body.insert(entry, Instr::new(InstrKind::Const(lanes), ty))
        })
    }

    /// Gives the phis of a block the values from a predecessor, all at once.
    fn enter(&mut self, block: BlockId, pred: BlockId) {
        let phis: SmallVec<[InstrId; 8]> = self.body.phis(block).collect();
        let mut new: SmallVec<[(InstrId, Option<Lanes>, InstrId); 8]> = SmallVec::new();
        for phi in phis {
            let from = self.body[phi].as_phi().and_then(|srcs| srcs.iter().find(|s| s.pred == pred));
            if let Some(value) = from.map(|s| s.value) {
                let lanes = self.lanes(value);
                let copy = if lanes.is_none() { self.value(value) } else { value };
                new.push((phi, lanes, copy));
            }
        }
        for (phi, lanes, value) in new {
            self.set(phi, lanes, value);
        }
    }

    fn set(&mut self, old: InstrId, lanes: Option<Lanes>, value: InstrId) {
        match lanes {
            Some(lanes) => self.known.insert(old, lanes),
            None => {
                self.known.remove(old);
                if let Some(copy) = &mut self.copy {
                    copy.values.insert(old, value);
                }
            }
        }
    }

    /// The position where the copy continues.
    fn cursor(&self) -> Cursor {
        let before = self.body.cf(self.cf).prev();
        Cursor::BlockEnd(self.at.unwrap_or(before))
    }

    fn region(&mut self, region: Region, depth: u32) -> Result<End, Unknown> {
        if depth > MAX_DEPTH {
            return Err(Unknown);
        }
        let mut block = region.first;
        loop {
            let mut next = self.body.first_instr(block);
            while let Some(id) = next {
                next = self.body.next(id);
                match self.body[id].kind {
                    InstrKind::Phi(_) => {}
                    InstrKind::Jump(Jump::Break) => return Ok(End::Break(block)),
                    InstrKind::Jump(Jump::Continue) => return Ok(End::Continue(block)),
                    InstrKind::Jump(Jump::Return | Jump::Halt) => return Err(Unknown),
                    _ => self.instr(id)?,
                }
            }
            let Some(cf) = self.body.next_cf(block) else { return Ok(End::Falls(block)) };
            if self.body.as_loop(cf).is_some() {
                self.inner_loop(cf, depth)?;
            } else if let Some(end) = self.nested_if(cf, depth)? {
                return Ok(end);
            }
            block = self.body.cf(cf).next();
        }
    }

    fn instr(&mut self, id: InstrId) -> Result<(), Unknown> {
        self.steps = self.steps.checked_sub(1).ok_or(Unknown)?;
        if self.body[id].is_convergent() || self.size > self.limit {
            return Err(Unknown);
        }
        let lanes = evaluate(self.body, id, |v| self.lanes(v));
        if lanes.is_some() {
            self.set(id, lanes, id);
            return Ok(());
        }
        match &self.body[id].kind {
            InstrKind::Deref(d) => {
                if let DerefKind::Array { index, .. } = d.kind {
                    let found = self.known.get(index).is_some();
                    let private = Modes::FUNCTION_TEMP | Modes::SHADER_TEMP;
                    self.indices += u32::from(found && private.contains(d.modes));
                }
            }
            InstrKind::Undef => {}
            _ => self.size += 1,
        }
        let new = if self.copy.is_some() { self.copy_instr(id) } else { id };
        self.set(id, None, new);
        Ok(())
    }

    fn copy_instr(&mut self, id: InstrId) -> InstrId {
        let mut instr = self.body[id].clone();
        instr.map_operands(|v| self.value(v));
        let at = self.cursor();
        self.body.insert(at, instr)
    }

    /// An `if`; returns how it was left, unless at its end.
    fn nested_if(&mut self, cf: CfId, depth: u32) -> Result<Option<End>, Unknown> {
        let Some(n) = self.body.as_if(cf).cloned() else { return Err(Unknown) };
        if let Some(lanes) = self.lanes(n.cond()) {
            let side = if lanes[0] & 1 != 0 { n.then() } else { n.els() };
            return Ok(match self.region(side, depth + 1)? {
                End::Falls(block) => {
                    self.enter(n.next(), block);
                    None
                }
                end => Some(end),
            });
        }
        self.size += 1;
        let cond = self.value(n.cond());
        let outer = self.at;
        let new = match self.copy {
            None => None,
            Some(_) => {
                let at = self.cursor();
                let new = self.body.insert_if(at, cond);
                self.body.set_control(new, n.control);
                self.body.as_if(new).cloned().map(|sides| (new, sides))
            }
        };
        let mut ends = Vec::with_capacity(2);
        for (side, taken) in [(n.then(), true), (n.els(), false)] {
            if let Some((_, sides)) = &new {
                self.at = Some(if taken { sides.then().first } else { sides.els().first });
            }
            let End::Falls(end) = self.region(side, depth + 1)? else { return Err(Unknown) };
            ends.push((end, self.at));
        }
        // Before the loop, the block after the `if` is found through the loop.
        self.at = match (outer, &new) {
            (Some(_), Some((cf, _))) => Some(self.body.cf(*cf).next()),
            _ => outer,
        };
        let join = new.map(|(cf, _)| self.body.cf(cf).next());
        let phis: Vec<InstrId> = self.body.phis(n.next()).collect();
        for phi in phis {
            let from = |body: &Body, pred| {
                body[phi].as_phi().and_then(|srcs| srcs.iter().find(|s| s.pred == pred)).map(|s| s.value)
            };
            let values: Option<Vec<InstrId>> = ends.iter().map(|&(end, _)| from(self.body, end)).collect();
            let Some(values) = values else { return Err(Unknown) };
            let lanes = match (self.lanes(values[0]), self.lanes(values[1])) {
                (Some(a), Some(b)) if a == b => Some(a),
                _ => None,
            };
            let mut new = phi;
            if let (None, Some(join)) = (lanes, join) {
                let source = |this: &mut Self, i: usize| {
                    let (value, end) = (this.value(values[i]), ends[i].1);
                    PhiSrc { pred: end.unwrap_or(join), value }
                };
                let srcs = [source(self, 0), source(self, 1)];
                let kind = InstrKind::Phi(srcs.into_iter().collect());
                new = self.body.insert(Cursor::BlockEnd(join), Instr::new(kind, self.body[phi].ty));
            }
            self.set(phi, lanes, new);
        }
        Ok(None)
    }

    /// An inner loop that remains a loop: its phis are not known.
    fn nested_loop(&mut self, cf: CfId) -> Result<(), Unknown> {
        let mut steps = Vec::new();
        let mut step = Walk::Loop(cf);
        while step != Walk::EndLoop(cf) {
            self.loops += u32::from(matches!(step, Walk::Loop(_)));
            steps.push(step);
            step = self.body.next_step(step).ok_or(Unknown)?;
        }
        let outer = self.at;
        let mut open: Vec<CfId> = Vec::new();
        // Phis of the loop and their copies, which get their sources at the end.
        let mut phis: Vec<(InstrId, InstrId)> = Vec::new();
        let after = self.body.cf(cf).next();
        steps.push(Walk::EndLoop(cf));
        let before = self.body.cf(cf).prev();
        if self.copy.is_some() {
            let Cursor::BlockEnd(at) = self.cursor() else { return Err(Unknown) };
            self.map_block(before, at);
        }
        for step in steps {
            match step {
                Walk::Block(b) => {
                    if let Some(at) = self.at {
                        self.map_block(b, at);
                    }
                    self.nested_block(b, &mut phis)?;
                }
                Walk::If(old) => {
                    self.size += 1;
                    let Some(n) = self.body.as_if(old).cloned() else { return Err(Unknown) };
                    let cond = self.value(n.cond());
                    if self.copy.is_some() {
                        let at = self.cursor();
                        let new = self.body.insert_if(at, cond);
                        self.body.set_control(new, n.control);
                        open.push(new);
                        self.at = self.body.as_if(new).map(|n| n.then().first);
                    }
                }
                Walk::Else(_) => {
                    if let Some(&new) = open.last() {
                        self.at = self.body.as_if(new).map(|n| n.els().first);
                    }
                }
                Walk::Loop(old) => {
                    if self.copy.is_some() {
                        let control = self.body.as_loop(old).map_or(Control::None, |l| l.control);
                        let at = self.cursor();
                        let new = self.body.insert_loop(at);
                        self.body.set_control(new, control);
                        open.push(new);
                        self.at = self.body.as_loop(new).map(|l| l.body().first);
                    }
                }
                Walk::EndIf(_) | Walk::EndLoop(_) => {
                    if let Some(new) = open.pop() {
                        self.at = Some(self.body.cf(new).next());
                    }
                }
            }
        }
        // The phis after the loop.
        let last = self.at;
        let ids: Vec<InstrId> = self.body.phis(after).collect();
        for phi in ids {
            self.nested_phi(phi, &mut phis);
        }
        self.at = if outer.is_some() { last } else { None };
        for (old, new) in phis {
            let srcs = self.body[old].as_phi().unwrap_or_default().to_vec();
            let mut copies = Vec::with_capacity(srcs.len());
            for s in srcs {
                let value = self.value(s.value);
                let block = self.copy.as_ref().and_then(|c| c.blocks.get(&s.pred)).copied();
                copies.push(PhiSrc { pred: block.ok_or(Unknown)?, value });
            }
            self.body.set_kind(new, InstrKind::Phi(copies.into_iter().collect()));
        }
        Ok(())
    }

    fn map_block(&mut self, old: BlockId, new: BlockId) {
        if let Some(copy) = &mut self.copy {
            copy.blocks.insert(old, new);
        }
    }

    fn nested_block(&mut self, block: BlockId, phis: &mut Vec<(InstrId, InstrId)>) -> Result<(), Unknown> {
        let mut next = self.body.first_instr(block);
        while let Some(id) = next {
            next = self.body.next(id);
            match self.body[id].kind {
                InstrKind::Phi(_) => self.nested_phi(id, phis),
                InstrKind::Jump(Jump::Return | Jump::Halt) => return Err(Unknown),
                InstrKind::Jump(jump) => {
                    if let Some(at) = self.at.filter(|_| self.copy.is_some()) {
                        self.body.insert_jump(at, jump);
                    }
                }
                _ => self.instr(id)?,
            }
        }
        Ok(())
    }

    /// A phi of a nested loop: an empty one for now.
    fn nested_phi(&mut self, phi: InstrId, phis: &mut Vec<(InstrId, InstrId)>) {
        let mut new = phi;
        if self.copy.is_some() {
            let at = self.cursor();
            let (ty, loc) = (self.body[phi].ty, self.body[phi].loc);
            new = self.body.insert(at, Instr::new(InstrKind::Undef, ty).at(loc));
            phis.push((phi, new));
        }
        self.set(phi, None, new);
    }

    /// Uses the copy's values after the loop and deletes the loop.
    fn replace_loop(&mut self, region: Region, next: BlockId) {
        let phis: Vec<InstrId> = self.body.phis(next).collect();
        for phi in phis {
            let value = self.value(phi);
            self.body.replace_uses(phi, value);
            self.body.remove(phi);
        }
        // Uses inside, to find values with others.
        let mut inside: FxHashMap<InstrId, u32> = FxHashMap::default();
        let blocks: Vec<BlockId> = self.body.blocks_in(region).collect();
        for &block in &blocks {
            for id in self.body.instrs(block) {
                self.body[id].visit_operands(|v| *inside.entry(v).or_default() += 1);
            }
            if let Some(n) = self.body.next_cf(block).and_then(|cf| self.body.as_if(cf)) {
                *inside.entry(n.cond()).or_default() += 1;
            }
        }
        for &block in &blocks {
            let ids: Vec<InstrId> = self.body.instrs(block).collect();
            for id in ids {
                if self.body[id].uses() > inside.get(&id).copied().unwrap_or(0) {
                    let value = self.value(id);
                    self.body.replace_uses(id, value);
                }
            }
        }
        self.body.delete_cf(self.cf);
    }
}
