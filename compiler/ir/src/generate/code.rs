//! Control flow of generated shaders.

use super::{Choices, Generator, LoopFrame};
use crate::alu::AluOp;
use crate::body::Cursor;
use crate::enums::{Modes, Stage};
use crate::ids::{BlockId, InstrId};
use crate::instr::{Alu, Instr, InstrKind, Jump, PhiSrc, Src};
use crate::value::Ty;

/// How control gets to the end of a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Falls through to the next block.
    Falls,
    /// It jumps away.
    Jumps,
    /// Not at all: the last block has no predecessors. It still has its edge to the next block.
    Unreached,
}

impl<C: Choices> Generator<'_, C> {
    /// The code of a function.
    pub(super) fn code(&mut self) {
        self.load_params();
        if self.region(0) == End::Falls {
            // Something to see from outside: without it most of the code is dead.
            for _ in 0..3 {
                self.store_somewhere();
            }
        }
    }

    /// Instructions, ifs and loops up to the end of a region.
    fn region(&mut self, depth: u32) -> End {
        let mut left = i64::from(2 + self.below(if depth == 0 { self.options.instrs } else { 12 }));
        while left > 0 && self.budget > 0 {
            left -= 1;
            let nest = depth < self.options.depth && self.one_in(9);
            if nest && self.one_in(3) {
                self.make_loop(depth);
            } else if nest {
                if !self.make_if(depth) {
                    return End::Unreached;
                }
            } else {
                self.instruction();
            }
        }
        if depth > 0 && self.one_in(6) && self.jump() { End::Jumps } else { End::Falls }
    }

    /// Ends the region with a jump, if one is possible here.
    fn jump(&mut self) -> bool {
        let jump = match self.below(6) {
            0 if self.shader.stage == Stage::Fragment => Jump::Halt,
            1 => Jump::Return,
            2 | 3 if !self.loops.is_empty() => Jump::Break,
            _ if !self.loops.is_empty() => Jump::Continue,
            _ => return false,
        };
        self.leave(jump);
        true
    }

    /// Puts in a jump and notes the values for the phis at its target.
    fn leave(&mut self, jump: Jump) {
        if matches!(jump, Jump::Break | Jump::Continue)
            && let Some(frame) = self.loops.pop()
        {
            let frame = self.note_edge(frame, jump);
            self.loops.push(frame);
        }
        // Not `insert_jump`: it would give the phis at the target undefined sources.
        self.push(InstrKind::Jump(jump), Ty::NONE);
    }

    fn note_edge(&mut self, mut frame: LoopFrame, jump: Jump) -> LoopFrame {
        if jump == Jump::Break {
            let values = frame.exit.iter().map(|&ty| self.value(ty)).collect();
            frame.breaks.push((self.block, values));
        } else {
            let mut values = vec![frame.next];
            values.extend(frame.head[1..].iter().map(|&ty| self.carried(&frame.phis, ty)));
            frame.continues.push((self.block, values));
        }
        frame
    }

    /// A value for the next iteration. Often a phi of the same loop header: phis that pass values on to each other
    /// hold those of earlier iterations, which passes confuse easily.
    fn carried(&mut self, phis: &[InstrId], ty: Ty) -> InstrId {
        if self.one_in(3)
            && let Some(&phi) = phis.iter().find(|&&phi| self.body[phi].ty == ty)
        {
            return phi;
        }
        self.value(ty)
    }

    /// An `if`; false if both sides jump, so that nothing follows.
    fn make_if(&mut self, depth: u32) -> bool {
        let cond = self.value(Ty::BOOL);
        let cf = self.body.insert_if(Cursor::BlockEnd(self.block), cond);
        let control = self.any();
        self.body.set_control(cf, control);
        let Some(n) = self.body.as_if(cf).cloned() else { return true };
        let tys: Vec<Ty> = (0..self.below(3)).map(|_| self.random_ty()).collect();
        let scope = self.values.len();
        let mut edges: Vec<(BlockId, Vec<InstrId>)> = Vec::new();
        let mut reached = false;
        for (i, side) in [n.then(), n.els()].into_iter().enumerate() {
            self.block = side.first;
            // Empty `else` sides are common.
            let end = if i == 1 && self.one_in(2) { End::Falls } else { self.region(depth + 1) };
            reached |= end == End::Falls;
            if end != End::Jumps {
                let values = tys.iter().map(|&ty| self.value(ty)).collect();
                edges.push((self.block, values));
            }
            self.values.truncate(scope);
        }
        self.block = n.next();
        if reached {
            self.phis(&tys, &edges);
        }
        reached
    }

    /// A loop that ends after a few rounds at the latest.
    fn make_loop(&mut self, depth: u32) {
        let mut head: Vec<Ty> = vec![Ty::B32];
        let carried = self.below(3);
        // Often of the counter's type, so that phis can pass it on.
        head.extend((0..carried).map(|_| if self.one_in(2) { Ty::B32 } else { self.random_ty() }));
        let exit: Vec<Ty> = (0..self.below(3)).map(|_| self.random_ty()).collect();
        let mut initial = vec![self.imm(0)];
        for &ty in &head[1..] {
            // Variables that only the loop assigns.
            let undefined = self.options.undef && self.one_in(3);
            let value = if undefined { self.value_of(InstrKind::Undef, ty) } else { self.value(ty) };
            initial.push(value);
        }
        let cf = self.body.insert_loop(Cursor::BlockEnd(self.block));
        let control = self.any();
        self.body.set_control(cf, control);
        let Some(n) = self.body.as_loop(cf).cloned() else { return };
        let scope = self.values.len();
        let before = self.block;
        self.block = n.body().first;
        let phis: Vec<InstrId> = head
            .iter()
            .zip(&initial)
            .map(|(&ty, &value)| {
                self.value_of(InstrKind::Phi([PhiSrc { pred: before, value }].into_iter().collect()), ty)
            })
            .collect();
        let (one, rounds) = (self.imm(1), 1 + self.below(4));
        let rounds = self.imm(rounds);
        let next = self.alu_of(AluOp::iadd, &[phis[0], one], Ty::B32);
        let done = self.alu_of(AluOp::uge, &[phis[0], rounds], Ty::BOOL);
        let frame =
            LoopFrame { head, phis: phis.clone(), next, exit, continues: Vec::new(), breaks: Vec::new() };
        self.loops.push(frame);
        // if done { break }
        let exit_if = self.body.insert_if(Cursor::BlockEnd(self.block), done);
        if let Some(e) = self.body.as_if(exit_if).cloned() {
            let inner = self.values.len();
            self.block = e.then().first;
            self.leave(Jump::Break);
            self.values.truncate(inner);
            self.block = e.next();
        }
        let end = self.region(depth + 1);
        let Some(mut frame) = self.loops.pop() else { return };
        if end != End::Jumps {
            frame = self.note_edge(frame, Jump::Continue);
        }
        for (pred, values) in &frame.continues {
            for (&phi, &value) in phis.iter().zip(values) {
                self.body.add_phi_src(phi, PhiSrc { pred: *pred, value });
            }
        }
        self.values.truncate(scope);
        self.block = n.next();
        self.phis(&frame.exit, &frame.breaks);
    }

    /// Phis at the start of the current block for the edges that lead to it.
    fn phis(&mut self, tys: &[Ty], edges: &[(BlockId, Vec<InstrId>)]) {
        if edges.is_empty() {
            return;
        }
        for (i, &ty) in tys.iter().enumerate() {
            let srcs = edges.iter().map(|(pred, values)| PhiSrc { pred: *pred, value: values[i] }).collect();
            let at = self.body.after_phis(self.block);
            let phi = self.body.insert(at, Instr::new(InstrKind::Phi(srcs), ty).at(self.loc));
            self.values.push((phi, ty));
        }
    }

    pub(super) fn alu_of(&mut self, op: AluOp, values: &[InstrId], ty: Ty) -> InstrId {
        let srcs: Vec<Src> = values.iter().map(|&v| v.into()).collect();
        self.value_of(InstrKind::Alu(Alu::new(op, ty.comps, &srcs)), ty)
    }

    /// Writes a value to where the outside, or at least the function, can see it.
    fn store_somewhere(&mut self) {
        let visible = Modes::OUT | Modes::SSBO;
        if self.shader.form == crate::enums::Form::Variables && self.one_in(2) {
            self.store_deref(visible);
        } else if self.shader.form != crate::enums::Form::Variables {
            self.store_lowered();
        } else {
            self.store_deref(visible | Modes::SHADER_TEMP);
        }
    }
}
