//! Control flow: the tree of the IR as blocks with merge instructions.
//!
//! * An `if` is a block with OpSelectionMerge; one that only leaves or continues a loop needs none (SPIR-V 2.11.2).
//! * A loop has its first block as header, a continue target with the back edge, and a merge block. Phis of the header have
//!   two operands: values of several `continue` jumps are merged in the continue target.
//! * Code that control cannot reach is left out; a merge block without predecessors is OpUnreachable.

use super::{Code, Want};
use crate::errors::*;
use airfoil_ir::{BlockId, CfId, Control, If, InstrKind, Jump, Owner, Region, Walk};
use smallvec::SmallVec;
use spirv::Op;

/// An edge to a block: where it comes from, and the values of the block's phis.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    label: u32,
    values: SmallVec<[u32; 4]>,
}

/// The merge instruction of a loop, which precedes the end of its header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    merge: u32,
    cont: u32,
    control: u32,
}

/// An `if` or a loop that is open.
pub(super) struct Frame {
    cf: CfId,
    merge: u32,
    /// Label of the `else` side, if it has code.
    els: u32,
    /// The continue target of a loop.
    cont: u32,
    /// The header of a loop.
    header: u32,
    /// Positions of the operands of the header's phis for the back edge.
    patches: SmallVec<[usize; 4]>,
    back: SmallVec<[Edge; 2]>,
    /// The mark of the reusable instructions before it.
    mark: usize,
}

/// A side of an `if`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Empty,
    /// Only a `break` or `continue`.
    Exit(Jump),
    Code,
}

impl Code<'_, '_, '_> {
    pub(super) fn run(&mut self) -> Res<()> {
        let mut step = Some(Walk::Block(self.body.entry()));
        while let Some(s) = step {
            step = match s {
                Walk::Block(b) => self.block(b)?,
                Walk::If(cf) => self.start_if(cf)?,
                Walk::Else(cf) => self.start_else(cf),
                Walk::EndIf(cf) => self.end_if(cf)?,
                Walk::Loop(cf) => self.start_loop(cf)?,
                Walk::EndLoop(cf) => self.end_loop(cf)?,
            };
        }
        Ok(())
    }

    /// The step after the region of a block.
    fn after_region(&self, block: BlockId) -> Option<Walk> {
        match self.body.owner(block) {
            Owner::Root | Owner::Detached => None,
            Owner::Then(cf) => Some(Walk::Else(cf)),
            Owner::Else(cf) => Some(Walk::EndIf(cf)),
            Owner::Loop(cf) => Some(Walk::EndLoop(cf)),
        }
    }

    fn block(&mut self, block: BlockId) -> Res<Option<Walk>> {
        for instr in self.body.instrs(block) {
            if self.instruction(instr)? {
                return Ok(self.after_region(block));
            }
        }
        match self.body.jump(block) {
            Some(jump) => {
                match jump {
                    Jump::Break | Jump::Continue => {
                        let label = self.exit_edge(block, jump)?;
                        self.branch(label);
                    }
                    // Invocations that discard or demote have ended before.
                    Jump::Return | Jump::Halt => self.end_block(Op::Return, &[]),
                }
                return Ok(self.after_region(block));
            }
            None if self.body.next_cf(block).is_none() => match self.body.owner(block) {
                Owner::Root | Owner::Detached => self.end_block(Op::Return, &[]),
                Owner::Then(cf) | Owner::Else(cf) => {
                    let next = self.body.cf(cf).next();
                    self.edge_to(next, block)?;
                    let merge = self.frame_of(cf).map_or(0, |f| f.merge);
                    self.branch(merge);
                }
                Owner::Loop(_) => {
                    let label = self.exit_edge(block, Jump::Continue)?;
                    self.branch(label);
                }
            },
            None => {}
        }
        Ok(self.body.next_step(Walk::Block(block)))
    }

    fn frame_of(&self, cf: CfId) -> Option<&Frame> {
        self.frames.iter().rev().find(|f| f.cf == cf)
    }

    // ---- blocks ----

    pub(super) fn start(&mut self, label: u32) {
        self.effect(Op::Label, &[label]);
        self.label = label;
        self.loc = airfoil_ir::Loc::NONE;
    }

    /// Writes the merge instruction of a loop, if the block is its header and ends now.
    fn merge_loop(&mut self) {
        if let Some(Header { merge, cont, control }) = self.header.take() {
            self.effect(Op::LoopMerge, &[merge, cont, control]);
        }
    }

    pub(super) fn branch(&mut self, label: u32) {
        self.merge_loop();
        self.effect(Op::Branch, &[label]);
    }

    /// Ends the block by an instruction without successor.
    pub(super) fn end_block(&mut self, op: Op, operands: &[u32]) {
        self.leave_header();
        self.effect(op, operands);
    }

    /// Goes on in a block of its own, if the block is the header of a loop.
    pub(super) fn leave_header(&mut self) {
        if self.header.is_some() {
            let label = self.w.m.id();
            self.branch(label);
            self.start(label);
        }
    }

    /// Code that runs if a condition is true: `inside` writes it and returns whether it ended the block.
    pub(super) fn guarded(&mut self, condition: u32, inside: impl FnOnce(&mut Self) -> Res<bool>) -> Res<()> {
        self.leave_header();
        let (then, merge) = (self.w.m.id(), self.w.m.id());
        self.effect(Op::SelectionMerge, &[merge, 0]);
        self.effect(Op::BranchConditional, &[condition, then, merge]);
        self.start(then);
        if !inside(self)? {
            self.effect(Op::Branch, &[merge]);
        }
        self.start(merge);
        Ok(())
    }

    // ---- edges and phis ----

    fn phi_values(&mut self, to: BlockId, from: BlockId) -> Res<SmallVec<[u32; 4]>> {
        let mut values = SmallVec::new();
        for phi in self.body.phis(to) {
            let want = Want::Exactly(self.class(phi));
            let InstrKind::Phi(srcs) = &self.instr(phi).kind else { continue };
            values.push(match srcs.iter().find(|s| s.pred == from) {
                Some(s) => self.value(s.value, want)?,
                None => {
                    let type_id = self.result_type(phi)?;
                    self.w.m.undef(type_id)
                }
            });
        }
        Ok(values)
    }

    /// Records an edge from the end of a block, which is being written, to the block after an `if` or loop.
    fn edge_to(&mut self, to: BlockId, from: BlockId) -> Res<()> {
        let edge = Edge { values: self.phi_values(to, from)?, label: self.label };
        if let Some(entry) = self.edges.entry(to) {
            entry.or_default().push(edge);
        }
        Ok(())
    }

    /// Records the edge of a jump out of the innermost loop or to its start, and returns the block that it leads to.
    fn exit_edge(&mut self, from: BlockId, jump: Jump) -> Res<u32> {
        let Some(cf) = self.body.loop_around(from) else {
            return fail(NOT_WRITABLE, "a jump outside of a loop");
        };
        let Some(at) = self.frames.iter().rposition(|f| f.cf == cf) else {
            return fail(NOT_WRITABLE, "a jump outside of a loop");
        };
        let Some(l) = self.body.as_loop(cf) else { return fail(NOT_WRITABLE, "a jump outside of a loop") };
        if jump == Jump::Break {
            self.edge_to(l.next(), from)?;
            return Ok(self.frames[at].merge);
        }
        let edge = Edge { values: self.phi_values(l.body().first, from)?, label: self.label };
        self.frames[at].back.push(edge);
        Ok(self.frames[at].cont)
    }

    /// Phis of the edges that lead to the block that starts.
    fn merge_values(&mut self, types: &[u32], edges: &[Edge]) -> SmallVec<[u32; 4]> {
        let mut merged = SmallVec::new();
        for (i, &type_id) in types.iter().enumerate() {
            let first = edges[0].values[i];
            merged.push(if edges.iter().all(|e| e.values[i] == first) {
                first
            } else {
                let words: SmallVec<[u32; 8]> = edges.iter().flat_map(|e| [e.values[i], e.label]).collect();
                self.op(Op::Phi, type_id, &words)
            });
        }
        merged
    }

    fn phi_types(&mut self, block: BlockId) -> Res<SmallVec<[u32; 4]>> {
        let mut types = SmallVec::new();
        for phi in self.body.phis(block) {
            types.push(self.result_type(phi)?);
        }
        Ok(types)
    }

    /// Defines the phis of the block after an `if` or loop; false if control does not come there.
    fn place_phis(&mut self, block: BlockId) -> Res<bool> {
        let edges = self.edges.remove(block).unwrap_or_default();
        if edges.is_empty() {
            return Ok(false);
        }
        let types = self.phi_types(block)?;
        let values = self.merge_values(&types, &edges);
        for (phi, id) in self.body.phis(block).zip(values) {
            self.define(phi, id);
        }
        Ok(true)
    }

    /// Starts the block after an `if` or loop.
    fn continue_at(&mut self, label: u32, next: BlockId) -> Res<Option<Walk>> {
        self.start(label);
        if self.place_phis(next)? {
            return Ok(Some(Walk::Block(next)));
        }
        self.effect(Op::Unreachable, &[]);
        Ok(self.after_region(next))
    }

    // ---- ifs ----

    fn side(&self, region: Region) -> Side {
        if region.first != region.last {
            return Side::Code;
        }
        let mut instrs = self.body.instrs(region.first).filter(|&i| {
            // These write nothing.
            !matches!(self.instr(i).kind, InstrKind::Const(_) | InstrKind::Undef)
        });
        match (instrs.next().map(|i| &self.instr(i).kind), instrs.next()) {
            (None, _) => Side::Empty,
            (Some(&InstrKind::Jump(jump @ (Jump::Break | Jump::Continue))), None) => Side::Exit(jump),
            _ => Side::Code,
        }
    }

    fn start_if(&mut self, cf: CfId) -> Res<Option<Walk>> {
        let Some(node) = self.body.as_if(cf) else { return Ok(None) };
        let (then, els) = (self.side(node.then()), self.side(node.els()));
        let cond = self.value(node.cond(), Want::Exactly(crate::module::Class::Bool))?;
        match (then, els) {
            (Side::Exit(jump), Side::Empty) => {
                return self.conditional_exit(node, cond, jump, true);
            }
            (Side::Empty, Side::Exit(jump)) => {
                return self.conditional_exit(node, cond, jump, false);
            }
            _ => {}
        }
        self.leave_header();
        let merge = self.w.m.id();
        // Two empty sides would be two equal edges.
        let then_has_code = then != Side::Empty || els == Side::Empty;
        let then_label = if then_has_code { self.w.m.id() } else { merge };
        let else_label = if els == Side::Empty { merge } else { self.w.m.id() };
        for (empty, region) in [(!then_has_code, node.then()), (els == Side::Empty, node.els())] {
            if empty {
                self.edge_to(node.next(), region.first)?;
            }
        }
        let control = match node.control {
            Control::None => 0,
            Control::Flatten => 1,
            Control::Keep => 2,
        };
        self.effect(Op::SelectionMerge, &[merge, control]);
        self.effect(Op::BranchConditional, &[cond, then_label, else_label]);
        self.frames.push(Frame {
            cf,
            merge,
            els: if els == Side::Empty { 0 } else { else_label },
            cont: 0,
            header: 0,
            patches: SmallVec::new(),
            back: SmallVec::new(),
            mark: self.glue.mark(),
        });
        if !then_has_code {
            return Ok(Some(Walk::Else(cf)));
        }
        self.start(then_label);
        Ok(Some(Walk::Block(node.then().first)))
    }

    /// An `if` with nothing but a jump.
    fn conditional_exit(&mut self, node: &If, cond: u32, jump: Jump, then_exits: bool) -> Res<Option<Walk>> {
        let (exit, stay) = if then_exits { (node.then(), node.els()) } else { (node.els(), node.then()) };
        let target = self.exit_edge(exit.first, jump)?;
        self.edge_to(node.next(), stay.first)?;
        let next = self.w.m.id();
        self.merge_loop();
        let (a, b) = if then_exits { (target, next) } else { (next, target) };
        self.effect(Op::BranchConditional, &[cond, a, b]);
        self.continue_at(next, node.next())
    }

    fn start_else(&mut self, cf: CfId) -> Option<Walk> {
        let (els, mark) = self.frame_of(cf).map(|f| (f.els, f.mark))?;
        if els == 0 {
            return Some(Walk::EndIf(cf));
        }
        self.glue.forget(mark);
        self.start(els);
        Some(Walk::Block(self.body.as_if(cf)?.els().first))
    }

    fn end_if(&mut self, cf: CfId) -> Res<Option<Walk>> {
        let Some(frame) = self.frames.pop() else { return Ok(None) };
        self.glue.forget(frame.mark);
        let next = self.body.cf(cf).next();
        self.continue_at(frame.merge, next)
    }

    // ---- loops ----

    fn start_loop(&mut self, cf: CfId) -> Res<Option<Walk>> {
        let Some(node) = self.body.as_loop(cf) else { return Ok(None) };
        let first = node.body().first;
        let entry = Edge { values: self.phi_values(first, node.prev())?, label: self.label };
        let header = self.w.m.id();
        let (merge, cont) = (self.w.m.id(), self.w.m.id());
        self.branch(header);
        self.start(header);
        let types = self.phi_types(first)?;
        let phis: SmallVec<[_; 4]> = self.body.phis(first).collect();
        let mut patches = SmallVec::new();
        for (i, phi) in phis.into_iter().enumerate() {
            let id = self.op(Op::Phi, types[i], &[entry.values[i], entry.label, 0, cont]);
            patches.push(self.out.len() - 2);
            self.define(phi, id);
        }
        let control = match node.control {
            Control::None => 0,
            Control::Flatten => 1,
            Control::Keep => 2,
        };
        self.header = Some(Header { merge, cont, control });
        self.frames.push(Frame {
            cf,
            merge,
            els: 0,
            cont,
            header,
            patches,
            back: SmallVec::new(),
            mark: self.glue.mark(),
        });
        Ok(Some(Walk::Block(first)))
    }

    fn end_loop(&mut self, cf: CfId) -> Res<Option<Walk>> {
        let (Some(frame), Some(node)) = (self.frames.pop(), self.body.as_loop(cf)) else { return Ok(None) };
        self.glue.forget(frame.mark);
        self.start(frame.cont);
        let types = self.phi_types(node.body().first)?;
        let values = match frame.back.is_empty() {
            // Control never returns.
            true => types.iter().map(|&t| self.w.m.undef(t)).collect(),
            false => self.merge_values(&types, &frame.back),
        };
        for (&at, value) in frame.patches.iter().zip(values) {
            self.out[at] = value;
        }
        self.effect(Op::Branch, &[frame.header]);
        self.continue_at(frame.merge, node.next())
    }
}
