//! Which computations must be exact: those that contribute to variables that are `precise` or `invariant`
//! (GLSL 4.60 sections 4.7.1 and 4.8).
//!
//! A variable is exact if it is declared so, or if its value contributes to one that is; functions whose results contribute
//! likewise. The operations that compute the value of an exact variable are marked `exact`.

use crate::hir::{ExprId, ExprKind, FuncId, StmtKind, StmtList, Unit, VarId};

/// The variables and functions that must be computed exactly.
#[derive(Debug, Default)]
pub struct Exact {
    /// By variable; empty if nothing is exact.
    vars: Vec<bool>,
    /// By function: its result.
    functions: Vec<bool>,
}

/// Something that expressions contribute to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sink {
    /// A variable or parameter.
    Var(VarId),
    /// The result of a function.
    Result(FuncId),
}

/// A source that contributes to a sink.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Value(ExprId),
    /// An `out` parameter that is copied back.
    Var(VarId),
}

impl Exact {
    /// Of a unit.
    pub fn new(unit: &Unit) -> Exact {
        let declared = |v: &crate::hir::Variable| v.qualifiers.precise || v.qualifiers.invariant;
        let member = |s: &crate::types::Struct| {
            s.fields.iter().any(|f| f.qualifiers.precise || f.qualifiers.invariant)
        };
        let any = unit.vars.iter().any(declared)
            || unit.functions.iter().any(|f| f.precise)
            || unit.types.structs.iter().any(member);
        if !any {
            return Exact::default();
        }
        let mut exact =
            Exact { vars: vec![false; unit.vars.len()], functions: vec![false; unit.functions.len()] };
        let flows = flows(unit);
        let mut work: Vec<Sink> = Vec::new();
        for (i, v) in unit.vars.iter().enumerate() {
            // One exact member makes the whole block exact.
            let inner = v.block.then(|| unit.types.as_struct(unit.types.without_arrays(v.ty))).flatten();
            if declared(v) || inner.is_some_and(member) {
                exact.mark(Sink::Var(VarId(i as u32)), &mut work);
            }
        }
        for (i, f) in unit.functions.iter().enumerate() {
            if f.precise {
                exact.mark(Sink::Result(FuncId(i as u32)), &mut work);
            }
        }
        let mut seen = vec![false; unit.exprs.len()];
        while let Some(sink) = work.pop() {
            let from = flows.partition_point(|&(s, _)| s < sink);
            for &(_, source) in flows[from..].iter().take_while(|&&(s, _)| s == sink) {
                match source {
                    Source::Var(v) => exact.mark(Sink::Var(v), &mut work),
                    Source::Value(e) => exact.mark_value(unit, e, &mut seen, &mut work),
                }
            }
        }
        exact
    }

    /// Whether values assigned to the variable are computed exactly.
    pub fn is_exact(&self, var: VarId) -> bool {
        self.vars.get(var.0 as usize).copied().unwrap_or(false)
    }

    /// Whether a function's result is computed exactly.
    pub fn is_exact_result(&self, f: FuncId) -> bool {
        self.functions.get(f.0 as usize).copied().unwrap_or(false)
    }

    fn mark(&mut self, sink: Sink, work: &mut Vec<Sink>) {
        let flag = match sink {
            Sink::Var(v) => &mut self.vars[v.0 as usize],
            Sink::Result(f) => &mut self.functions[f.0 as usize],
        };
        if !std::mem::replace(flag, true) {
            work.push(sink);
        }
    }

    /// Everything that an expression reads contributes to its value.
    fn mark_value(&mut self, unit: &Unit, e: ExprId, seen: &mut [bool], work: &mut Vec<Sink>) {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if std::mem::replace(&mut seen[e.0 as usize], true) {
                continue;
            }
            match unit[e].kind {
                ExprKind::Var(v) => self.mark(Sink::Var(v), work),
                ExprKind::Call(f, _) => self.mark(Sink::Result(f), work),
                ExprKind::CallSubroutine(..) => {
                    for (i, f) in unit.functions.iter().enumerate() {
                        if !f.subroutine_types.is_empty() {
                            self.mark(Sink::Result(FuncId(i as u32)), work);
                        }
                    }
                }
                _ => {}
            }
            // Arguments of calls contribute through the parameters.
            if !matches!(unit[e].kind, ExprKind::Call(..)) {
                each_operand(unit, e, |o| stack.push(o));
            }
        }
    }
}

/// Calls `f` with the operands of an expression.
pub fn each_operand(unit: &Unit, e: ExprId, mut f: impl FnMut(ExprId)) {
    match unit[e].kind {
        ExprKind::Error | ExprKind::Const(_) | ExprKind::Var(_) => {}
        ExprKind::Field(a, _)
        | ExprKind::Swizzle(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Convert(a)
        | ExprKind::NonUniform(a)
        | ExprKind::Dereference(a)
        | ExprKind::Address(a)
        | ExprKind::Length(a)
        | ExprKind::Step { operand: a, .. } => f(a),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Assign(a, b)
        | ExprKind::AssignOp(_, a, b)
        | ExprKind::Comma(a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Select(a, b, c) => {
            f(a);
            f(b);
            f(c);
        }
        ExprKind::Construct(l) | ExprKind::Call(_, l) | ExprKind::Builtin(_, l) => {
            unit.list(l).iter().for_each(|&a| f(a));
        }
        ExprKind::CallSubroutine(a, l) => {
            f(a);
            unit.list(l).iter().for_each(|&a| f(a));
        }
    }
}

/// The variable that an l-value is part of.
pub fn root_var(unit: &Unit, mut e: ExprId) -> Option<VarId> {
    loop {
        match unit[e].kind {
            ExprKind::Var(v) => return Some(v),
            ExprKind::Field(of, _)
            | ExprKind::Index(of, _)
            | ExprKind::Swizzle(of, _)
            | ExprKind::NonUniform(of) => e = of,
            _ => return None,
        }
    }
}

/// The pairs of a sink and a source that contributes to it, sorted.
fn flows(unit: &Unit) -> Vec<(Sink, Source)> {
    let mut flows = Vec::new();
    for (i, e) in unit.exprs.iter().enumerate() {
        match e.kind {
            ExprKind::Assign(l, r) | ExprKind::AssignOp(_, l, r) => {
                if let Some(v) = root_var(unit, l) {
                    flows.push((Sink::Var(v), Source::Value(r)));
                }
            }
            ExprKind::Call(f, args) => calls(unit, f, unit.list(args), &mut flows),
            ExprKind::CallSubroutine(_, args) => {
                for (f, function) in unit.functions.iter().enumerate() {
                    if !function.subroutine_types.is_empty() {
                        calls(unit, FuncId(f as u32), unit.list(args), &mut flows);
                    }
                }
            }
            // `out` arguments of built-in functions.
            ExprKind::Builtin(_, args) => {
                for v in unit.list(args).iter().filter_map(|&a| root_var(unit, a)) {
                    flows.push((Sink::Var(v), Source::Value(ExprId(i as u32))));
                }
            }
            _ => {}
        }
    }
    each_statement_flow(unit, |sink, e| flows.push((sink, Source::Value(e))));
    flows.sort_unstable();
    flows.dedup();
    flows
}

/// Calls `f` for every value that a declaration or a `return` gives to something.
pub fn each_statement_flow(unit: &Unit, mut f: impl FnMut(Sink, ExprId)) {
    unit.global_inits.iter().for_each(|&(v, e)| f(Sink::Var(v), e));
    for (i, function) in unit.functions.iter().enumerate() {
        if let Some(body) = function.body {
            statements(unit, FuncId(i as u32), body, &mut f);
        }
    }
}

fn calls(unit: &Unit, f: FuncId, args: &[ExprId], flows: &mut Vec<(Sink, Source)>) {
    for (&p, &arg) in unit[f].params.iter().zip(args) {
        flows.push((Sink::Var(p), Source::Value(arg)));
        if let Some(v) = root_var(unit, arg) {
            flows.push((Sink::Var(v), Source::Var(p)));
        }
    }
}

fn statements(unit: &Unit, f: FuncId, list: StmtList, flows: &mut impl FnMut(Sink, ExprId)) {
    for &s in unit.stmt_list(list) {
        match unit[s].kind {
            StmtKind::Declare(v, Some(e)) => flows(Sink::Var(v), e),
            StmtKind::Return(Some(e)) => flows(Sink::Result(f), e),
            StmtKind::Block(l) | StmtKind::Switch(_, l) => statements(unit, f, l, flows),
            StmtKind::If { then, els, .. } => {
                statements(unit, f, then, flows);
                statements(unit, f, els, flows);
            }
            StmtKind::Loop { before, body, .. } => {
                statements(unit, f, before, flows);
                statements(unit, f, body, flows);
            }
            _ => {}
        }
    }
}
