//! Control flow: the walk over the blocks, branches, phis, and ends of invocations.

use super::FunctionEmitter;
use super::state::BlockState;
use crate::functions::Air;
use crate::module::{Attachment, BlockId as AirBlock, TypeId, Value};
use crate::select::errors;
use crate::select::plan::usage::Features;
use crate::select::types::Class;
use airfoil_ir::{BlockId, Body, InstrId, IntrinsicOp, Jump, Loc, Owner, Stage, Walk};
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
            self.b.start(head);
            self.state.blocks[entry].first = head;
        }
        let mut next = Some(Walk::Block(entry));
        while let Some(step) = next {
            self.state.reuse.step(self.body, step);
            next = self.body.next_step(step);
            let Walk::Block(block) = step else { continue };
            let Some(placed) = self.state.blocks.get(block).copied().filter(|p| p.reached) else { continue };
            if block != entry {
                self.b.start(placed.first);
            }
            self.state.blocks[block].opened = true;
            let body = self.body;
            // The outputs that a nested block writes reach only its return.
            let nested = !matches!(body.owner(block), Owner::Root);
            let outputs =
                if nested && returns(body, block) { self.state.outputs.clone() } else { Vec::new() };
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
            if !outputs.is_empty() {
                self.state.outputs = outputs;
            }
            // The branch gets the location of the last instruction.
            self.set_location(last);
        }
        if let Some(exit) = self.state.exit {
            self.b.start(exit);
            self.state.reuse.forget();
            self.join_outputs();
            self.return_outputs();
            self.set_location(Loc::NONE);
        }
        self.finish_phis();
        self.mark_progress();
        self.b.finish();
    }

    /// Whether a block is the first of a loop.
    pub(super) fn head_of_loop(&self, block: BlockId) -> bool {
        match self.body.owner(block) {
            Owner::Loop(cf) => self.body.as_loop(cf).is_some_and(|l| l.body().first == block),
            _ => false,
        }
    }

    /// Emits code into a block of the module that is not part of the structured control flow, and does not dominate the code after it.
    pub(crate) fn arm(&mut self, block: AirBlock, emit: impl FnOnce(&mut Self)) {
        self.b.start(block);
        let active = self.state.reuse.set_active(false);
        emit(self);
        self.state.reuse.set_active(active);
    }

    /// The block of the module where a block of the IR starts; it is reached from now on.
    pub(super) fn target(&mut self, block: BlockId) -> AirBlock {
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
        self.branch(block);
    }

    /// Marks the branches back to the heads of loops. GLSL leaves the consequences of endless loops to the platform (GLSL 4.60 section 6.3); one
    /// without an exit is not marked all the same, since the code after it would count as unreachable.
    fn mark_progress(&mut self) {
        for (branch, head) in std::mem::take(&mut self.state.latches) {
            let Owner::Loop(cf) = self.body.owner(head) else { continue };
            let after = self.body.cf(cf).next();
            let leaves = self.state.blocks.get(after).is_some_and(|b| b.reached);
            if !leaves && !self.state.skipped.contains_key(after) {
                continue;
            }
            let known = self.state.blocks[head].progress;
            let node = known.unwrap_or_else(|| self.progress_node());
            self.state.blocks[head].progress = Some(node);
            self.b.attach(branch, Attachment::LOOP, node);
        }
    }

    pub(super) fn go_to_exit(&mut self) {
        match self.state.exit {
            Some(exit) => {
                self.feed_exit();
                self.b.br(exit);
            }
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
            if let Some(value) = self.state.emitted[phi as usize].value {
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
        self.arm(yes, |this| {
            this.discard();
            this.b.br(next);
        });
        self.b.start(next);
    }

    /// Ends the invocation, here or where a condition holds.
    pub(crate) fn discard_and_leave(&mut self, condition: Option<InstrId>) {
        let (yes, next) = (self.b.block(), self.b.block());
        match condition {
            Some(condition) => {
                let condition = self.scalar(condition, Class::Int);
                self.b.cond_br(condition, yes, next);
                self.arm(yes, |this| this.halt(false));
                self.b.start(next);
            }
            // Code may follow, although it is not reached.
            None => {
                let always = self.b.module.bool(true);
                self.b.cond_br(always, yes, next);
                self.arm(yes, |this| this.halt(false));
                self.b.start(next);
            }
        }
    }
}

/// Whether a block ends with a return.
fn returns(body: &Body, block: BlockId) -> bool {
    matches!(body.jump(block), Some(Jump::Return))
}
