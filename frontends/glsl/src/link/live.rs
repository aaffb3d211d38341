//! The functions and global variables that `main` reaches. The rest is not part of the program (OpenGL 4.6 section 7.6, "active").

use crate::hir::{ExprId, ExprKind, ExprList, FuncId, Unit, VarId};

/// The functions and variables that `main` of a unit can reach.
#[derive(Clone, Debug, Default)]
pub struct Live {
    vars: Vec<bool>,
    functions: Vec<bool>,
}

impl Live {
    /// Finds it out.
    pub fn of(unit: &Unit) -> Live {
        let mut live =
            Live { vars: vec![false; unit.vars.len()], functions: vec![false; unit.functions.len()] };
        let mut work: Vec<FuncId> = unit.main.into_iter().collect();
        // Initialisers run before `main`.
        let mut exprs: Vec<ExprId> = Vec::new();
        for &(var, init) in &unit.global_inits {
            live.vars[var.0 as usize] = true;
            exprs.push(init);
        }
        while let Some(expr) = exprs.pop() {
            match unit[expr].kind {
                ExprKind::Var(v) => live.vars[v.0 as usize] = true,
                ExprKind::Call(f, _) => work.push(f),
                _ => {}
            }
            children(unit, expr, &mut |e| exprs.push(e));
        }
        while let Some(f) = work.pop() {
            if std::mem::replace(&mut live.functions[f.0 as usize], true) {
                continue;
            }
            let function = &unit[f];
            for v in &function.globals {
                live.vars[v.0 as usize] = true;
            }
            work.extend(function.calls.iter().copied());
        }
        live
    }

    /// Whether a variable is reached.
    pub fn var(&self, var: VarId) -> bool {
        self.vars.get(var.0 as usize).copied().unwrap_or(false)
    }

    /// Whether a function is reached.
    pub fn function(&self, function: FuncId) -> bool {
        self.functions.get(function.0 as usize).copied().unwrap_or(false)
    }
}

/// Visits the operands of an expression, in order.
pub fn children(unit: &Unit, expr: ExprId, visit: &mut dyn FnMut(ExprId)) {
    let list = |l: ExprList, visit: &mut dyn FnMut(ExprId)| {
        for &e in unit.list(l) {
            visit(e);
        }
    };
    match unit[expr].kind {
        ExprKind::Error | ExprKind::Const(_) | ExprKind::Var(_) => {}
        ExprKind::Field(a, _)
        | ExprKind::Swizzle(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Step { operand: a, .. }
        | ExprKind::Convert(a)
        | ExprKind::NonUniform(a)
        | ExprKind::Dereference(a)
        | ExprKind::Address(a)
        | ExprKind::Length(a) => visit(a),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Assign(a, b)
        | ExprKind::AssignOp(_, a, b)
        | ExprKind::Comma(a, b) => {
            visit(a);
            visit(b);
        }
        ExprKind::Select(a, b, c) => {
            visit(a);
            visit(b);
            visit(c);
        }
        ExprKind::Construct(l) | ExprKind::Call(_, l) | ExprKind::Builtin(_, l) => list(l, visit),
        ExprKind::CallSubroutine(a, l) => {
            visit(a);
            list(l, visit);
        }
    }
}
