//! Structured control flow: where `break` and `continue` go.
//!
//! Loops of the IR are endless. A `continue` repeats the short third part of a `for` (or the test of a `do`) and jumps to the
//! start; if that part is long, the body becomes a loop that runs once, which `continue` leaves. A `switch` that is left from
//! the middle of a section becomes such a loop too. A jump across these sets a flag that is tested after each of them.

use super::frame::{Aim, Frame, FrameKind};
use super::stores::Stored;
use super::{Lowerer, Res};
use crate::hir::{ExprId, StmtId, StmtList};
use airfoil_ir::{Jump, Modes, Scalar, Ty, VarId, Variable};
use smallvec::SmallVec;

impl Lowerer<'_, '_> {
    /// Enters a construct; as a loop of the IR if `ir_loop` holds, which stores to the variables `stored`.
    pub fn enter(&mut self, kind: FrameKind, ir_loop: bool, stored: Stored) {
        let cf = ir_loop.then(|| self.open_loop(stored));
        self.frames.push(Frame { kind, cf, broken: false, crossed: SmallVec::new() });
    }

    /// Leaves the innermost construct; control continues after it if something broke out of it.
    pub fn leave(&mut self) -> Res<()> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let Some(cf) = frame.cf else {
            self.live |= frame.broken;
            return Ok(());
        };
        self.close_loop(cf);
        self.live = frame.broken;
        for &(_, flag) in &frame.crossed {
            let deref = self.var_deref(flag);
            let back = self.b.cursor;
            let before = self.b.body.cf(cf).prev();
            self.b.cursor = self.b.body.before_jump(before);
            let no = self.b.imm_bool(false);
            self.b.store_deref(deref, no);
            self.b.cursor = back;
        }
        for (i, &(aim, flag)) in frame.crossed.iter().enumerate() {
            if !frame.broken && i + 1 == frame.crossed.len() {
                self.live = true;
                return self.jump_to(aim);
            }
            let deref = self.var_deref(flag);
            let set = self.b.load_deref(deref, Ty::BOOL);
            let cf = self.open_if(set);
            self.live = true;
            self.jump_to(aim)?;
            self.close_if(cf);
            self.live = frame.broken;
        }
        Ok(())
    }

    /// `break`.
    pub fn break_statement(&mut self) -> Res<()> {
        let frame = self.frames.iter().rposition(|f| !matches!(f.kind, FrameKind::Body));
        frame.map_or(Ok(()), |f| self.jump_to(Aim::Break(f)))
    }

    /// `continue`.
    pub fn continue_statement(&mut self) -> Res<()> {
        let frame = self.frames.iter().rposition(|f| matches!(f.kind, FrameKind::Loop { .. }));
        frame.map_or(Ok(()), |f| self.jump_to(Aim::Continue(f)))
    }

    /// Jumps; no code follows.
    fn jump_to(&mut self, aim: Aim) -> Res<()> {
        if !self.live {
            return Ok(());
        }
        // The frame that is left or whose loop continues.
        let target = match aim {
            Aim::Break(f) => f,
            Aim::Continue(f) => f + usize::from(self.is_wrapped(f)),
        };
        let innermost = self.frames.iter().rposition(|f| f.cf.is_some());
        match innermost {
            Some(inner) if inner > target => {
                let flag = self.flag(aim, target, inner);
                let deref = self.var_deref(flag);
                let yes = self.b.imm_bool(true);
                self.b.store_deref(deref, yes);
                self.jump(Jump::Break);
            }
            _ if matches!(aim, Aim::Continue(f) if f == target) => {
                self.loop_tail(target)?;
                self.jump(Jump::Continue);
            }
            _ => {
                let frame = &mut self.frames[target];
                frame.broken = true;
                // The end of a section of a switch that is not a loop.
                if frame.cf.is_some() {
                    self.jump(Jump::Break);
                }
            }
        }
        self.live = false;
        Ok(())
    }

    fn is_wrapped(&self, frame: usize) -> bool {
        matches!(self.frames[frame].kind, FrameKind::Loop { wrapped: true, .. })
    }

    /// The flag of a jump that crosses the frames between; each of them asks it.
    fn flag(&mut self, aim: Aim, target: usize, inner: usize) -> VarId {
        let known = self.frames[target + 1..=inner]
            .iter()
            .find_map(|f| f.crossed.iter().find(|(a, _)| *a == aim).map(|&(_, flag)| flag));
        let flag = known.unwrap_or_else(|| {
            let ty = self.m.shader.types.vector(Scalar::Bool, 1);
            let mut var = Variable::new("leave", ty, Modes::FUNCTION_TEMP);
            var.function = Some(self.func);
            self.m.shader.add_var(var)
        });
        // Only the innermost records it: after it, the jump continues and is recorded at the next one.
        let frame = &mut self.frames[inner];
        if !frame.crossed.iter().any(|(a, _)| *a == aim) {
            frame.crossed.push((aim, flag));
        }
        flag
    }

    /// The code at the end of each iteration: the third part of `for`, the test of `do`.
    fn loop_tail(&mut self, frame: usize) -> Res<()> {
        let FrameKind::Loop { step, test, .. } = self.frames[frame].kind else { return Ok(()) };
        if let Some(step) = step {
            self.effects(step)?;
        }
        match test {
            Some(test) => self.exit_unless(frame, test),
            None => Ok(()),
        }
    }

    /// Leaves the loop of a frame, the innermost of the IR, unless a test is true.
    fn exit_unless(&mut self, frame: usize, test: ExprId) -> Res<()> {
        let test = self.ssa(test)?;
        if self.b.known_condition(test) == Some(true) {
            return Ok(());
        }
        let done = self.b.inot(test);
        let cf = self.open_if(done);
        self.jump(Jump::Break);
        self.close_if(cf);
        self.frames[frame].broken = true;
        Ok(())
    }

    /// A loop.
    pub fn loop_statement(&mut self, id: StmtId, parts: &LoopParts) -> Res<()> {
        let LoopParts { before, cond, test_last, body, step } = *parts;
        let test = cond.filter(|_| test_last);
        let long = [step, test].into_iter().flatten().any(|e| !self.m.survey.is_short(e));
        let wrapped = long && self.m.survey.is_continued(id);
        self.enter(FrameKind::Loop { wrapped, step, test }, true, self.m.stores.of(id));
        let frame = self.frames.len() - 1;
        self.stmts(before)?;
        if let (Some(test), false) = (cond, test_last) {
            self.exit_unless(frame, test)?;
        }
        if wrapped {
            self.enter(FrameKind::Body, true, self.m.stores.of_body(id));
            self.stmts(body)?;
            if self.live {
                self.frames[frame + 1].broken = true;
                self.jump(Jump::Break);
            }
            self.leave()?;
        } else {
            self.stmts(body)?;
        }
        if self.live {
            self.loop_tail(frame)?;
        }
        self.leave()
    }
}

/// The parts of a loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopParts {
    /// Run before the test.
    pub before: StmtList,
    /// Test.
    pub cond: Option<ExprId>,
    /// The test comes after the body.
    pub test_last: bool,
    /// Body.
    pub body: StmtList,
    /// Run after the body.
    pub step: Option<ExprId>,
}
