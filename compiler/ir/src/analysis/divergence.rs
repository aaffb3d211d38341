//! Divergence: which values may differ between the invocations of a subgroup.
//!
//! The definition is NIR's (after Sampaio et al., "Divergence analysis", 2013): a value is *uniform* if all
//! invocations of the subgroup that execute its instruction together, in the same turn of all loops around
//! it, get the same bits; else it is *divergent*. Invocations that part at an `if` reconverge after it,
//! and those that leave a loop at different times reconverge after the loop.
//!
//! Sources of divergence:
//!
//! * Sources: stage inputs, system values that number invocations, results of atomics, private memory, memory
//!   that other invocations may write at the same time (stricter than NIR, which takes subgroups to run in
//!   lockstep), function parameters.
//! * Operands: an operation on divergent values.
//! * Phis after an `if` with a divergent condition, after a loop that invocations leave at different times,
//!   and at the start of a loop with divergent `continue`s.
//! * Time: a value that is uniform in a loop differs after it if invocations left in different iterations. This
//!   depends on the use: [`Divergence::is_divergent_at`].

use super::{Cfg, LoopNest, UseMap, User};
use crate::body::{Body, Walk};
use crate::enums::{Access, Modes};
use crate::ids::{BlockId, CfId, InstrId};
use crate::instr::{InstrKind, Intrinsic, Jump, PhiSrc};
use crate::intrinsic::Varies;
use slotmap::SecondaryMap;
use std::sync::Arc;

/// Divergent values, ifs, loops and blocks of a body.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{analysis::Divergence, text};
///
/// let shader = text::parse(r#"foil 1 shader compute "main" { fn main { loop {
///     %first = elect
///     %last = vote_all %first
///     if %first { break }
/// } } }"#)?;
/// let body = shader.entry_body().unwrap();
/// let [first, last, _] = body.all_instrs().collect::<Vec<_>>()[..] else { panic!("three instructions") };
/// let divergence = Divergence::new(body);
/// assert!(divergence.is_divergent(first) && !divergence.is_divergent(last));
/// // Invocations leave in different turns, each with the value of its turn.
/// assert!(divergence.is_divergent_at(body, last, body.root().last));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Divergence {
    cfg: Arc<Cfg>,
    nest: LoopNest,
    values: SecondaryMap<InstrId, ()>,
    ifs: SecondaryMap<CfId, ()>,
    loops: Vec<LoopState>,
    blocks: Vec<bool>,
}

/// How invocations go through a loop.
#[derive(Clone, Debug, Default, PartialEq)]
struct LoopState {
    /// They leave it in different turns.
    breaks: bool,
    /// Some start the next turn while others still execute this one.
    continues: bool,
}

impl Divergence {
    /// The divergence of a body.
    pub fn new(body: &Body) -> Divergence {
        Divergence::of(&Arc::new(Cfg::new(body)), body)
    }

    /// The divergence of a body whose blocks are in order already.
    pub fn of(cfg: &Arc<Cfg>, body: &Body) -> Divergence {
        let nest = LoopNest::of(cfg, body);
        let loops = vec![LoopState::default(); nest.loops().len()];
        let state = Divergence { cfg: Arc::clone(cfg), nest, loops, ..Divergence::default() };
        let mut solver = Solver { state, uses: UseMap::new(body), work: Vec::new(), body };
        for id in body.all_instrs() {
            solver.update(id);
        }
        solver.run();
        let mut done = solver.state;
        done.find_blocks(body);
        done
    }

    /// Whether a value is divergent where it is defined.
    pub fn is_divergent(&self, value: InstrId) -> bool {
        self.values.contains_key(value)
    }

    /// Whether a value is divergent when it is used in `block`: there, or because invocations left a loop
    /// between definition and use at different times.
    pub fn is_divergent_at(&self, body: &Body, value: InstrId, block: BlockId) -> bool {
        if self.is_divergent(value) {
            return true;
        }
        let mut around = self.nest.innermost(body.block_of(value));
        while let Some(l) = around {
            let info = &self.nest.loops()[l];
            if self.nest.contains(info, block) {
                return false;
            }
            if self.loops[l].breaks {
                return true;
            }
            around = info.parent;
        }
        false
    }

    /// Whether invocations may part at an `if`.
    pub fn is_divergent_if(&self, cf: CfId) -> bool {
        self.ifs.contains_key(cf)
    }

    /// Whether invocations may leave a loop in different turns.
    pub fn has_divergent_break(&self, cf: CfId) -> bool {
        self.loop_state(cf).is_some_and(|l| l.breaks)
    }

    /// Whether invocations may start an iteration of a loop from different blocks.
    pub fn has_divergent_continue(&self, cf: CfId) -> bool {
        self.loop_state(cf).is_some_and(|l| l.continues)
    }

    fn loop_state(&self, cf: CfId) -> Option<&LoopState> {
        self.loops.get(self.nest.position(cf)?)
    }

    /// Whether a block may run without some of the invocations that entered the function: under a divergent
    /// condition, in a loop that some have left or are ahead in, or after some have returned.
    pub fn is_divergent_block(&self, block: BlockId) -> bool {
        self.blocks[self.cfg.index(block)]
    }

    /// Fills in the blocks once values, ifs and loops are known.
    ///
    /// A divergent `return` in a loop concerns all of the outermost loop around it, which only the first walk
    /// discovers; the blocks that this adds are inside that loop, so the second walk finds all of them.
    fn find_blocks(&mut self, body: &Body) {
        let mut returning = vec![false; self.nest.loops().len()];
        for _ in 0..2 {
            self.walk_blocks(body, &mut returning);
        }
    }

    fn walk_blocks(&mut self, body: &Body, returning: &mut [bool]) {
        self.blocks.clear();
        let (mut parted, mut gone, mut next_loop) = (false, false, 0);
        let mut outer = Vec::new();
        for step in body.walk_cf() {
            match step {
                Walk::Block(b) => {
                    self.blocks.push(parted || gone);
                    let leaves = matches!(body.jump(b), Some(Jump::Return | Jump::Halt));
                    if leaves && (parted || gone) {
                        gone = true;
                        let mut around = self.nest.innermost(b);
                        while let Some(l) = around {
                            returning[l] = true;
                            around = self.nest.loops()[l].parent;
                        }
                    }
                }
                Walk::If(cf) => {
                    outer.push(parted);
                    parted |= self.ifs.contains_key(cf);
                }
                Walk::Loop(_) => {
                    outer.push(parted);
                    let l = &self.loops[next_loop];
                    parted |= l.breaks || l.continues || returning[next_loop];
                    next_loop += 1;
                }
                Walk::Else(_) => {}
                Walk::EndIf(_) | Walk::EndLoop(_) => parted = outer.pop().unwrap_or(false),
            }
        }
    }
}

/// Propagates divergence from values to the values and blocks that depend on them.
struct Solver<'a> {
    state: Divergence,
    uses: UseMap,
    work: Vec<InstrId>,
    body: &'a Body,
}

impl Solver<'_> {
    fn run(&mut self) {
        while let Some(value) = self.work.pop() {
            for i in 0..self.uses.users(value).len() {
                self.update_user(self.uses.users(value)[i]);
            }
        }
    }

    fn update_user(&mut self, user: User) {
        match user {
            User::Instr(id) => self.update(id),
            User::If(cf) => self.update_if(cf),
        }
    }

    fn update(&mut self, id: InstrId) {
        let divergent = self.body[id].has_value() && !self.state.is_divergent(id) && self.evaluate(id);
        if divergent {
            self.state.values.insert(id, ());
            self.work.push(id);
        }
    }

    fn update_phis(&mut self, block: BlockId) {
        let body = self.body;
        body.phis(block).for_each(|phi| self.update(phi));
    }

    fn update_if(&mut self, cf: CfId) {
        let Some(n) = self.body.as_if(cf) else { return };
        if self.state.is_divergent_if(cf) || !self.state.is_divergent_at(self.body, n.cond(), n.prev()) {
            return;
        }
        self.state.ifs.insert(cf, ());
        self.update_phis(n.next());
        let Some(l) = self.state.nest.innermost(n.prev()) else { return };
        // Jumps of the innermost loop below the `if` are taken by some invocations only.
        let cfg = Arc::clone(&self.state.cfg);
        let (first, last) = (cfg.index(n.then().first), cfg.index(n.els().last));
        let from = |blocks: &[BlockId], at: usize| blocks.partition_point(|&b| cfg.index(b) < at);
        let within = |blocks: &[BlockId]| {
            blocks.get(from(blocks, first)).map(|&b| cfg.index(b)).filter(|&i| i <= last)
        };
        let info = &self.state.nest.loops()[l];
        let continues = within(&info.continues);
        // Those that do not `continue` there may break later in this turn.
        let breaks = within(&info.breaks).is_some()
            || continues.is_some_and(|at| from(&info.breaks, at) < info.breaks.len());
        let (header, exit) = (info.header, info.exit);
        if continues.is_some() && !std::mem::replace(&mut self.state.loops[l].continues, true) {
            self.update_phis(header);
        }
        if breaks && !std::mem::replace(&mut self.state.loops[l].breaks, true) {
            self.update_phis(exit);
            self.update_users_behind(l);
        }
    }

    /// Values of a loop are divergent where they are used after it.
    fn update_users_behind(&mut self, l: usize) {
        let info = &self.state.nest.loops()[l];
        let outside: Vec<User> = self
            .state
            .nest
            .blocks(info)
            .iter()
            .flat_map(|&b| self.body.instrs(b))
            .flat_map(|value| self.uses.users(value))
            .filter(|user| {
                let block = match **user {
                    User::Instr(id) => self.body.block_of(id),
                    User::If(cf) => self.body.cf(cf).prev(),
                };
                !self.state.nest.contains(info, block)
            })
            .copied()
            .collect();
        outside.into_iter().for_each(|user| self.update_user(user));
    }

    fn evaluate(&self, id: InstrId) -> bool {
        let block = self.body.block_of(id);
        let at = |v: InstrId| self.body.get(v).is_some() && self.state.is_divergent_at(self.body, v, block);
        let instr = &self.body[id];
        let any_operand = || {
            let mut any = false;
            instr.visit_operands(|v| any |= at(v));
            any
        };
        match &instr.kind {
            InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) => false,
            InstrKind::Alu(_) | InstrKind::Deref(_) | InstrKind::Tex(_) => any_operand(),
            InstrKind::Call(_) => true,
            InstrKind::Phi(srcs) => self.evaluate_phi(block, srcs),
            InstrKind::Intrinsic(i) => match varies(self.body, i) {
                Varies::Uniform => false,
                Varies::Divergent | Varies::Memory | Varies::Cluster => true,
                Varies::Operands => any_operand(),
                Varies::First => i.srcs().first().is_some_and(|&v| at(v)),
                Varies::AllOperands => i.srcs().iter().all(|&v| at(v)),
            },
        }
    }

    fn evaluate_phi(&self, block: BlockId, srcs: &[PhiSrc]) -> bool {
        let body = self.body;
        // An undefined source may be taken to equal the others.
        let mut known =
            srcs.iter().filter(|s| body.get(s.value).is_some_and(|i| !matches!(i.kind, InstrKind::Undef)));
        let Some(first) = known.next() else { return false };
        if known.all(|s| s.value == first.value) {
            return self.state.is_divergent_at(body, first.value, block);
        }
        let merges = match body.prev_cf(block) {
            Some(cf) if body.as_if(cf).is_some() => self.state.is_divergent_if(cf),
            Some(cf) => self.state.has_divergent_break(cf),
            None => self.state.nest.innermost(block).is_some_and(|l| self.state.loops[l].continues),
        };
        merges
            || srcs
                .iter()
                .any(|s| body.get(s.value).is_some() && self.state.is_divergent_at(body, s.value, s.pred))
    }
}

/// Memory that nothing writes while the shader runs and that is the same for all invocations.
const CONSTANT: Modes = Modes::UNIFORM.union(Modes::UBO).union(Modes::PUSH_CONST).union(Modes::SPEC_CONST);

/// The divergence of an intrinsic's result; never `Memory` or `Cluster`.
fn varies(body: &Body, i: &Intrinsic) -> Varies {
    match i.op.varies() {
        Varies::Memory => {
            let modes = i.memory().map_or(Modes::all(), |m| match m.block {
                Some(block) if m.modes == Modes::all() => {
                    body.get(block).and_then(|d| d.as_deref()).map_or(Modes::all(), |d| d.modes)
                }
                _ => m.modes,
            });
            if CONSTANT.contains(modes) || reorders(i) { Varies::Operands } else { Varies::Divergent }
        }
        Varies::Cluster if i.cluster() == 0 => Varies::Uniform,
        Varies::Cluster => Varies::Divergent,
        varies => varies,
    }
}

fn reorders(i: &Intrinsic) -> bool {
    i.access().contains(Access::CAN_REORDER) && !i.access().contains(Access::VOLATILE)
}
