//! Control flow: the walk over the blocks, branches, phis, and ends of invocations.

use super::FunctionEmitter;
use super::state::BlockState;
use crate::functions::Air;
use crate::module::{Attachment, BlockId as AirBlock, TypeId, Value};
use crate::select::errors;
use crate::select::plan::usage::Features;
use crate::select::types::Class;
use airfoil_ir::{BlockId, Cf, InstrId, IntrinsicOp, Jump, Loc, Owner, Stage};
use smallvec::SmallVec;

impl FunctionEmitter<'_> {
    /// Emits everything.
    pub(crate) fn run(mut self) {
        let entry = self.body.entry();
        let first = self.b.block();
        self.state.blocks.insert(entry, BlockState::reached(first));
        self.b.start(first);
        self.name_arguments();
        if self.usage.has(Features::COMPARES) {
            self.reserve_scratch(TypeId::I32);
            let four = self.value_type(Class::Int, 32, 4);
            self.reserve_scratch(four);
        }
        self.make_variables();
        self.name_memory();
        self.make_outputs();
        if self.usage.has(Features::EARLY_RETURN) {
            self.state.exit = Some(self.b.block());
        }
        self.set_location(Loc::NONE);
        if self.head_of_loop(entry) {
            // LLVM's entry block cannot be a branch target.
            let head = self.b.block();
            self.b.br(head);
            self.open(head);
            self.state.blocks[entry].first = head;
        }
        for block in self.body.blocks() {
            let Some(placed) = self.state.blocks.get(block).copied().filter(|p| p.reached) else { continue };
            if block != entry {
                self.open(placed.first);
            }
            self.state.blocks[block].opened = true;
            let body = self.body;
            let mut last = Loc::NONE;
            self.start_names(block);
            for id in body.instrs(block) {
                self.names_before(block, id);
                self.instruction(id);
                last = body[id].loc;
                self.set_location(last);
                self.names_after(id);
            }
            self.names_at_end(block);
            self.leave(block);
            // The branch belongs to what was done last.
            self.set_location(last);
        }
        if let Some(exit) = self.state.exit {
            self.open(exit);
            self.return_outputs();
            self.set_location(Loc::NONE);
        }
        self.finish_phis();
        self.mark_progress();
        self.b.finish();
    }

    /// Whether a block is the first of a loop.
    fn head_of_loop(&self, block: BlockId) -> bool {
        match self.body.owner(block) {
            Owner::Loop(cf) => self.body.as_loop(cf).is_some_and(|l| l.body().first == block),
            _ => false,
        }
    }

    /// Starts a block of the module, which invalidates the values cached for the previous one.
    pub(crate) fn open(&mut self, block: AirBlock) {
        self.b.start(block);
        self.state.epoch += 1;
        self.state.wide_indices.clear();
    }

    /// The block of the module where a block of the IR starts; it is reached from now on.
    fn target(&mut self, block: BlockId) -> AirBlock {
        if let Some(placed) = self.state.blocks.get_mut(block) {
            placed.reached = true;
            return placed.first;
        }
        let first = self.b.block();
        self.state.blocks.insert(block, BlockState::reached(first));
        first
    }

    /// Ends a block: incoming values of phis in its successors, then the branch.
    fn leave(&mut self, block: BlockId) {
        if self.b.is_terminated() {
            return;
        }
        let body = self.body;
        match body.jump(block) {
            Some(Jump::Return) => return self.go_to_exit(),
            Some(Jump::Halt) => return self.halt(self.discards_before_jump(block)),
            _ => {}
        }
        let successors = body.successors(block);
        for next in successors.into_iter().flatten() {
            self.feed_phis(block, next);
        }
        match successors {
            [Some(yes), Some(no)] => {
                let cond = match body.next_cf(block).map(|cf| body.cf(cf)) {
                    Some(Cf::If(n)) => n.cond(),
                    _ => return self.b.unreachable(),
                };
                let condition = self.scalar(cond, Class::Int);
                let (yes, no) = (self.target(yes), self.target(no));
                self.b.cond_br(condition, yes, no);
            }
            [Some(next), None] | [None, Some(next)] => {
                let target = self.target(next);
                self.b.br(target);
                if self.options.target.marks_progress() && self.state.blocks[next].opened {
                    self.state.latches.extend(self.b.last().map(|branch| (branch, next)));
                }
            }
            [None, None] => self.go_to_exit(),
        }
    }

    /// Marks the branches back to the heads of loops. GLSL leaves the consequences of endless loops to the platform (GLSL 4.60 section 6.3); one
    /// without an exit is not marked all the same, since the code after it would count as unreachable.
    fn mark_progress(&mut self) {
        for (branch, head) in std::mem::take(&mut self.state.latches) {
            let Owner::Loop(cf) = self.body.owner(head) else { continue };
            let after = self.body.cf(cf).next();
            if !self.state.blocks.get(after).is_some_and(|b| b.reached) {
                continue;
            }
            let known = self.state.blocks[head].progress;
            let node = known.unwrap_or_else(|| self.progress_node());
            self.state.blocks[head].progress = Some(node);
            self.b.attach(branch, Attachment::LOOP, node);
        }
    }

    fn go_to_exit(&mut self) {
        match self.state.exit {
            Some(exit) => self.b.br(exit),
            None => self.return_outputs(),
        }
    }

    /// Ends the invocation; the returned value does not matter, but is zero: Metal's rules have no undefined results.
    ///
    /// A fragment shader that has not discarded yet does so, since the returned value would be undefined.
    pub(crate) fn halt(&mut self, discarded: bool) {
        if self.shader.stage == Stage::Fragment && !discarded {
            self.air(Air::discard_fragment, TypeId::VOID, &[]);
        }
        match self.sig.ret {
            None => self.b.ret_void(),
            Some(ret) => {
                let value = self.b.module.null(ret);
                self.b.ret(value);
            }
        }
    }

    /// Whether the instruction before the jump of a block discards the fragment: no need to do it again.
    fn discards_before_jump(&self, block: BlockId) -> bool {
        use IntrinsicOp as Op;
        let before = self.body.last_instr(block).and_then(|jump| self.body.prev(jump));
        let op = before.and_then(|i| self.body[i].as_intrinsic()).map(|i| i.op);
        matches!(op, Some(Op::discard | Op::demote | Op::terminate))
    }

    /// Makes the values that the phis of `next` take from here.
    fn feed_phis(&mut self, block: BlockId, next: BlockId) {
        let body = self.body;
        for phi in body.phis(next) {
            let Some(srcs) = body[phi].as_phi() else { continue };
            let Some(src) = srcs.iter().find(|s| s.pred == block) else { continue };
            let (ty, class) = (body[phi].ty, self.usage.class(phi, body[phi].ty.bits));
            let value = self.whole(src.value, ty.comps, class);
            let Some(from) = self.b.current() else { continue };
            self.state.phis.push((phi.index() as u32, value, from));
        }
    }

    fn finish_phis(&mut self) {
        let mut list = std::mem::take(&mut self.state.phis);
        list.sort_by_key(|p| p.0);
        let mut incoming: SmallVec<[(Value, AirBlock); 8]> = SmallVec::new();
        let mut at = 0;
        while at < list.len() {
            let phi = list[at].0;
            incoming.clear();
            while at < list.len() && list[at].0 == phi {
                incoming.push((list[at].1, list[at].2));
                at += 1;
            }
            if let Some(value) = self.state.cached[phi as usize].value {
                self.b.set_incoming(value, &incoming);
            }
        }
    }

    // ---- ends of invocations ----

    pub(crate) fn discard(&mut self) {
        if self.shader.stage != Stage::Fragment {
            return self.error(errors::OPERATION, "only fragment functions can discard");
        }
        self.air(Air::discard_fragment, TypeId::VOID, &[]);
    }

    pub(crate) fn discard_where(&mut self, condition: InstrId) {
        let condition = self.scalar(condition, Class::Int);
        let (yes, next) = (self.b.block(), self.b.block());
        self.b.cond_br(condition, yes, next);
        self.open(yes);
        self.discard();
        self.b.br(next);
        self.open(next);
    }

    /// Ends the invocation, here or where a condition holds.
    pub(crate) fn discard_and_leave(&mut self, condition: Option<InstrId>) {
        let (yes, next) = (self.b.block(), self.b.block());
        match condition {
            Some(condition) => {
                let condition = self.scalar(condition, Class::Int);
                self.b.cond_br(condition, yes, next);
                self.open(yes);
                self.halt(false);
                self.open(next);
            }
            // Code may follow, although it is not reached.
            None => {
                let always = self.b.module.bool(true);
                self.b.cond_br(always, yes, next);
                self.open(yes);
                self.halt(false);
                self.open(next);
            }
        }
    }
}
