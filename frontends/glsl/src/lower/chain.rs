//! Long chains: right-recursive `else if` and `?:`.
//!
//! Each link nests one `if`, and the IR bounds nesting. After [`LONG`] links the chain becomes a loop that runs
//! once: each arm is an `if` of its own that leaves the loop at its end. A chain of `?:` whose parts are cheap and may all be
//! computed is a sequence of selections instead.

use super::frame::FrameKind;
use super::stores::Stored;
use super::{Lowerer, Place, Res, Value};
use crate::hir::{ExprId, ExprKind, StmtId, StmtKind, StmtList, Unit};
use crate::types::Type;
use airfoil_ir::{InstrId, Jump};

/// Links up to which a chain stays nested.
const LONG: usize = 64;

/// Condition and statements of the arms of a chain of `else if`, and the final `else`.
struct IfChain {
    arms: Vec<(ExprId, StmtList)>,
    otherwise: StmtList,
}

/// Conditions and values of a chain of `?:`, and the value if none of them holds.
struct SelectChain {
    arms: Vec<(ExprId, ExprId)>,
    otherwise: ExprId,
}

/// The chain that starts with an `if`, if it is long.
fn if_chain(unit: &Unit, cond: ExprId, then: StmtList, els: StmtList) -> Option<IfChain> {
    let links = std::iter::successors(Some((cond, then, els)), |&(.., els)| {
        let &[only] = unit.stmt_list(els) else { return None };
        match unit[only].kind {
            StmtKind::If { cond, then, els } => Some((cond, then, els)),
            _ => None,
        }
    });
    links.clone().nth(LONG)?;
    let mut otherwise = els;
    let arms = links.inspect(|l| otherwise = l.2).map(|(cond, then, _)| (cond, then)).collect();
    Some(IfChain { arms, otherwise })
}

/// The chain that starts with a choice, if it is long.
fn select_chain(unit: &Unit, link: (ExprId, ExprId, ExprId)) -> Option<SelectChain> {
    let links = std::iter::successors(Some(link), |&(.., otherwise)| match unit[otherwise].kind {
        ExprKind::Select(c, a, b) => Some((c, a, b)),
        _ => None,
    });
    links.clone().nth(LONG)?;
    let mut otherwise = link.2;
    let arms = links.inspect(|l| otherwise = l.2).map(|(c, a, _)| (c, a)).collect();
    Some(SelectChain { arms, otherwise })
}

impl Lowerer<'_, '_> {
    /// Makes the code of a long chain of `else if`; false if it is not long.
    pub fn long_if(&mut self, id: StmtId, cond: ExprId, then: StmtList, els: StmtList) -> Res<bool> {
        let Some(chain) = if_chain(self.m.unit, cond, then, els) else { return Ok(false) };
        self.enter(FrameKind::Body, true, self.m.stores.of(id));
        for (cond, then) in chain.arms {
            self.locate(self.m.unit[cond].at);
            let cond = self.ssa(cond)?;
            self.arm(cond, |l| l.stmts(then))?;
        }
        self.stmts(chain.otherwise)?;
        self.leave_body();
        self.leave()?;
        Ok(true)
    }

    /// The value of a long chain of `?:`; `None` if it is not long.
    pub fn long_select(&mut self, id: ExprId, link: (ExprId, ExprId, ExprId)) -> Res<Option<Value>> {
        let ty = self.m.unit[id].ty;
        let Some(chain) = select_chain(self.m.unit, link) else { return Ok(None) };
        let survey = &self.m.survey;
        let cheap = |&(c, a): &(ExprId, ExprId)| survey.is_cheap(c) && survey.is_cheap(a);
        let aggregate = matches!(ty, Type::Array(_) | Type::Struct(_));
        if !aggregate && ty != Type::Void && chain.arms.iter().all(cheap) && survey.is_cheap(chain.otherwise)
        {
            return self.selections(id, &chain).map(Some);
        }
        let result = match ty {
            Type::Void => None,
            ty => Some(Place::memory(self.temp(ty, "")?, ty)),
        };
        let stored = self.statement.map_or_else(Stored::default, |s| self.m.stores.within(s));
        self.enter(FrameKind::Body, true, stored);
        for (cond, value) in chain.arms {
            let cond = self.ssa(cond)?;
            self.arm(cond, |l| l.keep(result.as_ref(), value))?;
        }
        self.keep(result.as_ref(), chain.otherwise)?;
        self.leave_body();
        self.leave()?;
        match result {
            Some(place) => self.load(&place).map(Some),
            None => Ok(Some(Value::Void)),
        }
    }

    /// All values are computed; the first whose condition holds is taken.
    fn selections(&mut self, id: ExprId, chain: &SelectChain) -> Res<Value> {
        let mut arms = Vec::with_capacity(chain.arms.len());
        for &(cond, value) in &chain.arms {
            arms.push((self.ssa(cond)?, self.expr(value)?));
        }
        let mut result = self.expr(chain.otherwise)?;
        for (cond, value) in arms.into_iter().rev() {
            result = self.hinted(id, |l| l.zip(value, result, |l, a, b| l.b.bcsel(cond, a, b)))?;
        }
        Ok(result)
    }

    fn keep(&mut self, to: Option<&Place>, value: ExprId) -> Res<()> {
        let value = self.expr(value)?;
        to.map_or(Ok(()), |place| self.store(place, value))
    }

    /// An arm: runs if the condition holds, and then leaves the body.
    fn arm(&mut self, cond: InstrId, run: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        let cf = self.open_if(cond);
        run(self)?;
        self.leave_body();
        self.close_if(cf);
        self.live = true;
        Ok(())
    }

    /// Jumps to the end of the body of the innermost frame.
    fn leave_body(&mut self) {
        if !std::mem::replace(&mut self.live, false) {
            return;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.broken = true;
        }
        self.jump(Jump::Break);
    }
}
