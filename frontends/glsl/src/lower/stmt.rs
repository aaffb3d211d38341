//! Statements.

use super::flow::LoopParts;
use super::{Lowerer, MALFORMED, Res, fail};
use crate::hir::{StmtId, StmtKind, StmtList};
use airfoil_ir::{IntrinsicOp, Jump, Ty};

impl Lowerer<'_, '_> {
    /// Lowers statements in order; unreachable ones are omitted.
    pub fn stmts(&mut self, list: StmtList) -> Res<()> {
        let unit = self.m.unit;
        self.stmt_slice(unit.stmt_list(list))
    }

    /// Likewise.
    pub fn stmt_slice(&mut self, stmts: &[StmtId]) -> Res<()> {
        for &s in stmts {
            if !self.live {
                break;
            }
            self.stmt(s)?;
        }
        Ok(())
    }

    /// The body of the function.
    pub fn body(&mut self, list: StmtList) -> Res<()> {
        let unit = self.m.unit;
        let stmts = unit.stmt_list(list);
        // A `return` at the end needs no jump.
        if let Some((&last, before)) = stmts.split_last()
            && let StmtKind::Return(value) = unit[last].kind
        {
            self.stmt_slice(before)?;
            if self.live {
                self.locate(unit[last].at);
                self.set_result(value)?;
            }
            return Ok(());
        }
        self.stmt_slice(stmts)
    }

    /// The result of the function.
    pub fn set_result(&mut self, value: Option<crate::hir::ExprId>) -> Res<()> {
        let Some(value) = value else { return Ok(()) };
        let exact = self.m.exact.is_exact_result(self.function);
        let v = self.with_exact(exact, |l| l.expr(value))?;
        match &self.result {
            Some(place) => self.store(&place.clone(), v),
            // `return f();` of a void function.
            None => Ok(()),
        }
    }

    /// A statement.
    pub fn stmt(&mut self, id: StmtId) -> Res<()> {
        let around = self.statement.replace(id);
        let result = self.stmt_at(id);
        self.statement = around;
        result
    }

    fn stmt_at(&mut self, id: StmtId) -> Res<()> {
        let unit = self.m.unit;
        let s = unit[id];
        self.locate(s.at);
        self.m.stop.check()?;
        match s.kind {
            StmtKind::Expr(e) => self.effects(e),
            StmtKind::Declare(var, init) => {
                self.m.home(var, self.func)?;
                if let Some(init) = init {
                    let exact = self.m.exact.is_exact(var);
                    let value = self.with_exact(exact, |l| l.expr(init))?;
                    let place = self.var_place(var)?;
                    self.store(&place, value)?;
                }
                Ok(())
            }
            StmtKind::Block(list) => self.stmts(list),
            StmtKind::If { cond, then, els } => {
                if self.long_if(id, cond, then, els)? {
                    return Ok(());
                }
                let cond = self.ssa(cond)?;
                if let Some(known) = self.b.known_condition(cond) {
                    return self.stmts(if known { then } else { els });
                }
                let cf = self.open_if(cond);
                self.stmts(then)?;
                let live = std::mem::replace(&mut self.live, true);
                if els.len > 0 {
                    self.open_else(cf);
                    self.stmts(els)?;
                }
                self.close_if(cf);
                self.live |= live;
                Ok(())
            }
            StmtKind::Loop { before, cond, test_last, body, step } => {
                self.loop_statement(id, &LoopParts { before, cond, test_last, body, step })
            }
            StmtKind::Switch(selector, list) => self.switch(id, selector, list),
            StmtKind::Case(_) | StmtKind::Default => fail(MALFORMED, "a label outside of a switch"),
            StmtKind::Break => self.break_statement(),
            StmtKind::Continue => self.continue_statement(),
            StmtKind::Return(value) => {
                self.set_result(value)?;
                self.jump_out(Jump::Return);
                Ok(())
            }
            StmtKind::Discard => {
                self.b.intrinsic(IntrinsicOp::discard, Ty::NONE, &[]);
                self.jump_out(Jump::Halt);
                Ok(())
            }
            StmtKind::Terminate => {
                self.b.intrinsic(IntrinsicOp::terminate, Ty::NONE, &[]);
                self.jump_out(Jump::Halt);
                Ok(())
            }
            StmtKind::Demote => {
                self.b.intrinsic(IntrinsicOp::demote, Ty::NONE, &[]);
                Ok(())
            }
        }
    }

    fn jump_out(&mut self, jump: Jump) {
        self.jump(jump);
        self.live = false;
    }
}
