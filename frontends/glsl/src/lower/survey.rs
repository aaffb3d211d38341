//! Facts about expressions and statements, computed before lowering in one pass over the nodes of the unit.

use crate::hir::{Expr, ExprId, ExprKind, Memory, StmtId, StmtKind, StmtList, Storage, Unit};
use crate::syntax::BinaryOp;
use crate::types::Type;

/// Nodes that may be computed needlessly to save a branch.
const CHEAP: u8 = 16;

/// Facts about an expression.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Operations, roughly; saturates.
    size: u8,
    /// It writes something, or might.
    effects: bool,
    /// It may be computed where the program does not compute it: it cannot fail and has no effects.
    speculable: bool,
    /// Its value is marked by `nonuniformEXT`, or computed from values that are.
    non_uniform: bool,
    /// Height of its tree.
    height: u16,
}

const UNKNOWN: Facts =
    Facts { size: u8::MAX, effects: true, speculable: false, non_uniform: false, height: 0 };

/// Facts about all expressions and statements.
#[derive(Debug, Default)]
pub struct Survey {
    exprs: Vec<Facts>,
    /// Loops that a `continue` refers to; switches that a `break` leaves from the middle of a section.
    stmts: Vec<bool>,
}

/// The targets of `break` and `continue`.
#[derive(Clone, Copy, Default)]
struct Around {
    in_loop: Option<StmtId>,
    in_switch: Option<StmtId>,
}

impl Survey {
    /// Of a unit.
    pub fn new(unit: &Unit) -> Survey {
        let mut survey = Survey { exprs: Vec::with_capacity(unit.exprs.len()), stmts: Vec::new() };
        for e in &unit.exprs {
            // Operands come before their users; nothing is known of others.
            let facts = survey.expr(unit, e);
            survey.exprs.push(facts);
        }
        survey.stmts = vec![false; unit.stmts.len()];
        for f in &unit.functions {
            if let Some(body) = f.body {
                survey.stmts_in(unit, body, Around::default());
            }
        }
        survey
    }

    /// Whether evaluating it may write something.
    pub fn has_effects(&self, id: ExprId) -> bool {
        self.facts(id).effects
    }

    /// Whether it is cheaper to compute unconditionally than to branch around.
    pub fn is_cheap(&self, id: ExprId) -> bool {
        let f = self.facts(id);
        f.speculable && f.size <= CHEAP
    }

    /// Whether it is marked by `nonuniformEXT`, or computed from such a value (GL_EXT_nonuniform_qualifier).
    pub fn is_non_uniform(&self, id: ExprId) -> bool {
        self.facts(id).non_uniform
    }

    /// Whether it is short enough to be repeated in the code.
    pub fn is_short(&self, id: ExprId) -> bool {
        self.facts(id).size <= CHEAP
    }

    /// Whether a `continue` refers to the loop.
    pub fn is_continued(&self, id: StmtId) -> bool {
        self.stmts[id.0 as usize]
    }

    /// Whether a `break` leaves the switch from the middle of a section.
    pub fn is_broken(&self, id: StmtId) -> bool {
        self.stmts[id.0 as usize]
    }

    /// Height of the tree of statements.
    pub fn height(&self, unit: &Unit, stmts: &[StmtId]) -> u32 {
        let list = |l: StmtList| self.height(unit, unit.stmt_list(l));
        let expr = |e: ExprId| u32::from(self.facts(e).height);
        let of = |&s: &StmtId| match unit[s].kind {
            StmtKind::Expr(e) | StmtKind::Declare(_, Some(e)) | StmtKind::Return(Some(e)) => expr(e),
            StmtKind::Block(l) => list(l),
            StmtKind::If { cond, then, els } => expr(cond).max(list(then)).max(list(els)),
            StmtKind::Loop { before, cond, body, step, .. } => {
                let parts = cond.map_or(0, expr).max(step.map_or(0, expr));
                parts.max(list(before)).max(list(body))
            }
            StmtKind::Switch(selector, l) => expr(selector).max(list(l)),
            _ => 0,
        };
        1 + stmts.iter().map(of).max().unwrap_or(0)
    }

    fn facts(&self, id: ExprId) -> Facts {
        self.exprs.get(id.0 as usize).copied().unwrap_or(UNKNOWN)
    }

    fn all(&self, own: u8, of: &[ExprId]) -> Facts {
        let mut sum = Facts { size: own, effects: false, speculable: true, non_uniform: false, height: 0 };
        for &id in of {
            let f = self.facts(id);
            sum.size = sum.size.saturating_add(f.size);
            sum.effects |= f.effects;
            sum.speculable &= f.speculable;
            sum.non_uniform |= f.non_uniform;
            sum.height = sum.height.max(f.height);
        }
        sum.height = sum.height.saturating_add(1);
        sum
    }

    fn expr(&self, unit: &Unit, e: &Expr) -> Facts {
        let no_speculation = |f: Facts| Facts { speculable: false, ..f };
        let writes = |f: Facts| Facts { effects: true, speculable: false, ..f };
        let is_const = |id: ExprId| matches!(unit[id].kind, ExprKind::Const(_));
        let large = |ty: Type| matches!(ty, Type::Array(_) | Type::Struct(_));
        match e.kind {
            ExprKind::Error => UNKNOWN,
            ExprKind::Const(_) => self.all(0, &[]),
            ExprKind::Var(v) => {
                let non_uniform = unit[v].qualifiers.memory.contains(Memory::NON_UNIFORM);
                let facts = Facts { non_uniform, ..self.all(1, &[]) };
                // Reads of memory that others write stay in their order.
                if unit[v].qualifiers.storage == Storage::Buffer { no_speculation(facts) } else { facts }
            }
            ExprKind::Field(of, _) | ExprKind::Swizzle(of, _) => self.all(0, &[of]),
            ExprKind::Index(of, index) => {
                let facts = self.all(1, &[of, index]);
                // An index may be known to be in range only at its position in the program.
                if is_const(index) { facts } else { no_speculation(facts) }
            }
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => self.all(1, &[a]),
            ExprKind::Binary(op, a, b) => {
                let matrices = unit[a].ty.is_matrix() || unit[b].ty.is_matrix() || large(unit[a].ty);
                let mut facts = self.all(if matrices { 8 } else { 1 }, &[a, b]);
                // Chains to the left are lowered without recursion.
                facts.height = self.facts(a).height.max(self.facts(b).height.saturating_add(1));
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Mod)
                    && unit[b].ty.base().is_some_and(|b| !b.is_float())
                    && !is_const(b);
                if divides || large(unit[a].ty) { no_speculation(facts) } else { facts }
            }
            ExprKind::Select(c, a, b) => {
                let facts = self.all(1, &[c, a, b]);
                if large(e.ty) { no_speculation(facts) } else { facts }
            }
            // The address may be invalid where the program does not read it.
            ExprKind::Dereference(a) => no_speculation(Facts { non_uniform: false, ..self.all(1, &[a]) }),
            ExprKind::Address(a) => self.all(0, &[a]),
            ExprKind::NonUniform(a) => Facts { non_uniform: true, ..self.all(0, &[a]) },
            ExprKind::Comma(a, b) => {
                let height = self.facts(a).height.max(self.facts(b).height.saturating_add(1));
                Facts { height, ..self.all(0, &[a, b]) }
            }
            ExprKind::Assign(a, b) => writes(self.all(0, &[a, b])),
            ExprKind::AssignOp(_, a, b) => writes(self.all(1, &[a, b])),
            ExprKind::Step { operand, .. } => writes(self.all(1, &[operand])),
            ExprKind::Construct(list) => {
                let facts = self.all(1, unit.list(list));
                if large(e.ty) || e.ty.as_opaque().is_some() { no_speculation(facts) } else { facts }
            }
            // The result of a function is as its declaration specifies, whatever the arguments are.
            ExprKind::Call(_, list) => writes(Facts { non_uniform: false, ..self.all(64, unit.list(list)) }),
            ExprKind::CallSubroutine(of, list) => {
                let facts = self.all(64, unit.list(list));
                writes(Facts {
                    size: facts.size.saturating_add(self.facts(of).size),
                    non_uniform: false,
                    ..facts
                })
            }
            ExprKind::Builtin(builtin, list) => {
                let facts = self.all(2, unit.list(list));
                if builtin.cheap {
                    facts
                } else {
                    writes(Facts { size: facts.size.max(8), non_uniform: false, ..facts })
                }
            }
            ExprKind::Length(of) => no_speculation(self.all(1, &[of])),
        }
    }

    fn stmts_in(&mut self, unit: &Unit, list: StmtList, around: Around) {
        // Statements nest as deeply as the parser allows.
        for &s in unit.stmt_list(list) {
            self.stmt(unit, s, around);
        }
    }

    fn stmt(&mut self, unit: &Unit, id: StmtId, around: Around) {
        match unit[id].kind {
            StmtKind::Block(list) => self.stmts_in(unit, list, around),
            StmtKind::If { then, els, .. } => {
                self.stmts_in(unit, then, around);
                self.stmts_in(unit, els, around);
            }
            StmtKind::Loop { before, body, .. } => {
                let inside = Around { in_loop: Some(id), in_switch: None };
                self.stmts_in(unit, before, inside);
                self.stmts_in(unit, body, inside);
            }
            StmtKind::Switch(_, list) => {
                let inside = Around { in_switch: Some(id), ..around };
                let stmts = unit.stmt_list(list);
                for (i, &s) in stmts.iter().enumerate() {
                    let last = stmts.get(i + 1).is_none_or(|&n| {
                        matches!(unit[n].kind, StmtKind::Case(_) | StmtKind::Default | StmtKind::Break)
                    });
                    if last {
                        self.last_of_section(unit, s, inside);
                    } else {
                        self.stmt(unit, s, inside);
                    }
                }
            }
            StmtKind::Break => {
                if let Some(s) = around.in_switch {
                    self.stmts[s.0 as usize] = true;
                }
            }
            StmtKind::Continue => {
                if let Some(s) = around.in_loop {
                    self.stmts[s.0 as usize] = true;
                }
            }
            _ => {}
        }
    }

    /// The last statement of a section: a `break` there needs no jump.
    fn last_of_section(&mut self, unit: &Unit, id: StmtId, around: Around) {
        match unit[id].kind {
            StmtKind::Break => {}
            StmtKind::Block(list) => {
                let stmts = unit.stmt_list(list);
                if let Some((&last, before)) = stmts.split_last() {
                    for &s in before {
                        self.stmt(unit, s, around);
                    }
                    self.last_of_section(unit, last, around);
                }
            }
            _ => self.stmt(unit, id, around),
        }
    }
}

/// Whether control never continues after a statement.
pub fn always_jumps(unit: &Unit, id: StmtId) -> bool {
    match unit[id].kind {
        StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_)
        | StmtKind::Discard
        | StmtKind::Terminate => true,
        StmtKind::Block(list) => unit.stmt_list(list).iter().any(|&s| always_jumps(unit, s)),
        StmtKind::If { then, els, .. } => {
            let jumps = |list| unit.stmt_list(list).iter().any(|&s| always_jumps(unit, s));
            jumps(then) && jumps(els)
        }
        _ => false,
    }
}
