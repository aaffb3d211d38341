//! The stores to local variables, in the order of the statements: a loop has to know those inside it before its body is lowered.
//!
//! A declaration counts as a store. A variable that is declared inside a loop does not pass a value on to its next iteration.

use super::precise::root_var;
use super::survey::Survey;
use crate::hir::{ExprId, ExprKind, StmtId, StmtKind, StmtList, Unit, VarId};

/// Positions in the list of stores that belong to a statement.
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    start: u32,
    /// The first after the test of a loop.
    body: u32,
    end: u32,
}

/// The stores inside a loop of the IR.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stored {
    start: u32,
    end: u32,
    /// Variables declared at this position or later are local to the loop.
    inner: u32,
}

/// The stores of a unit.
#[derive(Debug, Default)]
pub struct Stores {
    vars: Vec<VarId>,
    /// By statement.
    ranges: Vec<Range>,
    /// Statements with a `return` in them.
    returns: Vec<bool>,
    /// Position after the declaration of each variable, 0 for parameters.
    declared: Vec<u32>,
    /// Variables that a varying index selects a part of to write.
    in_memory: Vec<bool>,
    /// Expressions that remain to be visited.
    work: Vec<ExprId>,
}

impl Stores {
    /// Of a unit.
    pub fn new(unit: &Unit, survey: &Survey) -> Stores {
        let mut stores = Stores {
            ranges: vec![Range::default(); unit.stmts.len()],
            returns: vec![false; unit.stmts.len()],
            declared: vec![0; unit.vars.len()],
            in_memory: vec![false; unit.vars.len()],
            ..Stores::default()
        };
        let walk = Walk { unit, survey };
        for f in &unit.functions {
            if let Some(body) = f.body {
                stores.list_of(walk, body);
            }
        }
        stores
    }

    /// Whether parts of a variable are written by a varying index, so that it is not a value.
    pub fn is_in_memory(&self, var: VarId) -> bool {
        self.in_memory.get(var.0 as usize).copied().unwrap_or(true)
    }

    /// Whether there is a `return` in a statement.
    pub fn returns(&self, id: StmtId) -> bool {
        self.returns[id.0 as usize]
    }

    /// The stores inside a statement that is a loop as a whole.
    pub fn of(&self, id: StmtId) -> Stored {
        let Range { start, end, .. } = self.ranges[id.0 as usize];
        Stored { start, end, inner: start }
    }

    /// The stores inside the body of a loop.
    pub fn of_body(&self, id: StmtId) -> Stored {
        let Range { body, end, .. } = self.ranges[id.0 as usize];
        Stored { start: body, end, inner: body }
    }

    /// The stores inside a statement that has a loop in it.
    pub fn within(&self, id: StmtId) -> Stored {
        let Range { start, end, .. } = self.ranges[id.0 as usize];
        Stored { start, end, inner: u32::MAX }
    }

    /// The variables that are stored to, repeated or not.
    pub fn list(&self, of: Stored) -> &[VarId] {
        &self.vars[of.start as usize..of.end as usize]
    }

    /// Whether the loop passes the value of a variable on.
    pub fn is_kept(&self, of: Stored, var: VarId) -> bool {
        self.declared[var.0 as usize] <= of.inner
    }

    fn here(&self) -> u32 {
        self.vars.len() as u32
    }

    fn list_of(&mut self, walk: Walk<'_>, list: StmtList) -> bool {
        // Statements nest as deeply as the parser allows.
        walk.unit.stmt_list(list).iter().fold(false, |any, &s| self.stmt(walk, s) | any)
    }

    /// Visits a statement; whether there is a `return` in it.
    fn stmt(&mut self, walk: Walk<'_>, id: StmtId) -> bool {
        let start = self.here();
        let mut body = start;
        let returns = match walk.unit[id].kind {
            StmtKind::Expr(e) => {
                self.expr(walk, e);
                false
            }
            StmtKind::Declare(var, init) => {
                self.vars.push(var);
                self.declared[var.0 as usize] = self.here();
                if let Some(init) = init {
                    self.expr(walk, init);
                }
                false
            }
            StmtKind::Block(list) => self.list_of(walk, list),
            StmtKind::If { cond, then, els } => {
                self.expr(walk, cond);
                self.list_of(walk, then) | self.list_of(walk, els)
            }
            StmtKind::Loop { before, cond, body: inner, step, .. } => {
                let mut returns = self.list_of(walk, before);
                cond.into_iter().for_each(|e| self.expr(walk, e));
                body = self.here();
                returns |= self.list_of(walk, inner);
                step.into_iter().for_each(|e| self.expr(walk, e));
                returns
            }
            StmtKind::Switch(selector, list) => {
                self.expr(walk, selector);
                self.list_of(walk, list)
            }
            StmtKind::Return(value) => {
                value.into_iter().for_each(|e| self.expr(walk, e));
                true
            }
            StmtKind::Case(_)
            | StmtKind::Default
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Discard
            | StmtKind::Demote
            | StmtKind::Terminate => false,
        };
        self.ranges[id.0 as usize] = Range { start, body, end: self.here() };
        self.returns[id.0 as usize] = returns;
        returns
    }

    /// Visits an expression.
    fn expr(&mut self, walk: Walk<'_>, e: ExprId) {
        self.work.push(e);
        while let Some(e) = self.work.pop() {
            if walk.survey.has_effects(e) {
                self.effects(walk, e);
            }
        }
    }

    fn effects(&mut self, walk: Walk<'_>, e: ExprId) {
        let unit = walk.unit;
        match unit[e].kind {
            ExprKind::Assign(to, _) | ExprKind::AssignOp(_, to, _) | ExprKind::Step { operand: to, .. } => {
                self.store(unit, to);
            }
            ExprKind::Call(f, list) => {
                for (&p, &arg) in unit[f].params.iter().zip(unit.list(list)) {
                    if unit[p].qualifiers.storage.is_out_param() {
                        self.store(unit, arg);
                    }
                }
            }
            // Conservative: every argument that is an l-value counts as written.
            ExprKind::CallSubroutine(_, list) | ExprKind::Builtin(_, list) => {
                unit.list(list).iter().for_each(|&arg| self.store(unit, arg));
            }
            _ => {}
        }
        super::precise::each_operand(unit, e, |operand| self.work.push(operand));
    }

    /// A store to the variable of an l-value; nothing for other expressions.
    fn store(&mut self, unit: &Unit, to: ExprId) {
        let Some(var) = root_var(unit, to) else { return };
        if unit[var].function.is_none() && !unit[var].qualifiers.storage.is_param() {
            return;
        }
        self.vars.push(var);
        let mut part = to;
        while let ExprKind::Field(of, _)
        | ExprKind::Index(of, _)
        | ExprKind::Swizzle(of, _)
        | ExprKind::NonUniform(of) = unit[part].kind
        {
            if let ExprKind::Index(_, index) = unit[part].kind
                && !matches!(unit[index].kind, ExprKind::Const(_))
            {
                self.in_memory[var.0 as usize] = true;
            }
            part = of;
        }
    }
}

/// The tree and facts about it.
#[derive(Clone, Copy)]
struct Walk<'u> {
    unit: &'u Unit,
    survey: &'u Survey,
}
