//! Statements (GLSL 4.60 chapter 6).

use super::scope::Name;
use super::{Checker, codes};
use crate::extension::Ext;
use crate::hir::{ExprId, ExprKind, FuncId, StmtId, StmtKind, StmtList};
use crate::source::Span;
use crate::syntax::{self, Block, Condition, ForLoop, Stmt};
use crate::types::Type;
use crate::version::NEVER;
use airfoil_ir::Stage;
use rustc_hash::FxHashSet;

/// Statements under construction.
type Out = Vec<StmtId>;

impl Checker<'_> {
    /// Checks the body of a function: its parameters and its outermost block share one scope (GLSL 4.60 section 4.2.2).
    pub fn function_body(&mut self, function: FuncId, body: &Block<'_>) -> StmtList {
        let outer = self.function.replace(function);
        self.loops = 0;
        self.switches = 0;
        self.exprs.flow = 0;
        self.exprs.returned = false;
        self.scopes.push();
        for param in self.unit[function].params.clone() {
            let (name, span) = (self.unit[param].name, self.unit[param].span);
            if self.unit.names[name].is_empty() {
                continue;
            }
            if self.scopes.get_here(name).is_some() {
                let message = format!("two parameters are called `{}`", &self.unit.names[name]);
                self.error(span, codes::NAME, message);
            }
            self.scopes.set(name, Name::Var(param), span);
        }
        // In GLSL 1.10 and 1.20 and in GLSL ES 1.00 the body is nested in the scope of the parameters.
        let nested = !self.lang.version.at_least(130, 300);
        if nested {
            self.scopes.push();
        }
        let mut out = Out::new();
        for stmt in body.stmts {
            self.statement(stmt, &mut out);
        }
        if nested {
            self.scopes.pop();
        }
        self.scopes.pop();
        let f = &self.unit[function];
        if f.result != Type::Void && f.result != Type::Error && !self.exprs.returned {
            let span = f.span;
            let message = format!(
                "`{}` returns {} but has no return statement (GLSL 4.60 section 6.1)",
                &self.unit.names[f.name],
                self.type_name(f.result)
            );
            self.error(span, codes::RETURN, message);
        }
        self.function = outer;
        self.unit.add_stmts(&out)
    }

    fn add(&mut self, out: &mut Out, kind: StmtKind, span: Span) {
        out.push(self.unit.add_stmt(kind, span.lo));
    }

    /// A statement in a scope of its own: a branch or the body of a loop.
    fn scoped(&mut self, stmt: &Stmt<'_>) -> StmtList {
        self.scopes.push();
        let list = self.unscoped(stmt);
        self.scopes.pop();
        list
    }

    /// The statements of a branch or body, in the scope that is open: a block there opens no other one.
    fn unscoped(&mut self, stmt: &Stmt<'_>) -> StmtList {
        let mut out = Out::new();
        self.exprs.flow += 1;
        match stmt.kind {
            syntax::StmtKind::Block(block) => {
                for stmt in block.stmts {
                    self.statement(stmt, &mut out);
                }
            }
            _ => self.statement(stmt, &mut out),
        }
        self.exprs.flow -= 1;
        self.unit.add_stmts(&out)
    }

    fn statement(&mut self, stmt: &Stmt<'_>, out: &mut Out) {
        use syntax::StmtKind as S;
        let span = stmt.span;
        // More messages would be dropped, and looking for similar names takes time.
        if self.diags.full() {
            return;
        }
        match stmt.kind {
            S::Empty => {}
            S::Expr(expr) => {
                let id = self.expr(expr);
                // Expressions without effect are checked and dropped.
                if !matches!(self.unit[id].kind, ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Error) {
                    self.add(out, StmtKind::Expr(id), span);
                }
            }
            S::Declaration(declaration) => self.local_declaration(declaration, out),
            S::Block(block) => {
                self.scopes.push();
                let mut inner = Out::new();
                for stmt in block.stmts {
                    self.statement(stmt, &mut inner);
                }
                self.scopes.pop();
                let list = self.unit.add_stmts(&inner);
                self.add(out, StmtKind::Block(list), span);
            }
            S::If(cond, then, els) => {
                let cond = self.condition(cond, "if");
                let then = self.scoped(then);
                let els = els.map_or(StmtList::default(), |els| self.scoped(els));
                self.add(out, StmtKind::If { cond, then, els }, span);
            }
            S::Switch(selector, body) => self.switch(selector, &body, span, out),
            S::Case(label) => {
                self.expr(label);
                self.error(
                    span,
                    codes::SWITCH,
                    "`case` is allowed directly in a switch only (GLSL 4.60 section 6.2)",
                );
            }
            S::Default => {
                self.error(
                    span,
                    codes::SWITCH,
                    "`default` is allowed directly in a switch only (GLSL 4.60 section 6.2)",
                );
            }
            S::While(ref condition, body) => {
                self.es100_other_loop("while", span);
                self.scopes.push();
                let mut before = Out::new();
                let cond = self.loop_condition(condition, "while", &mut before);
                let body = self.loop_body(body, false);
                self.scopes.pop();
                let before = self.unit.add_stmts(&before);
                let kind = StmtKind::Loop { before, cond: Some(cond), test_last: false, body, step: None };
                self.add(out, kind, span);
            }
            S::DoWhile(body, cond) => {
                self.es100_other_loop("do", span);
                let body = self.loop_body(body, true);
                let cond = self.condition(cond, "while");
                let before = StmtList::default();
                let kind = StmtKind::Loop { before, cond: Some(cond), test_last: true, body, step: None };
                self.add(out, kind, span);
            }
            S::For(for_loop) => self.for_loop(for_loop, span, out),
            S::Break => {
                if self.loops == 0 && self.switches == 0 {
                    self.error(
                        span,
                        codes::JUMP,
                        "`break` outside of a loop or switch (GLSL 4.60 section 6.4)",
                    );
                } else {
                    self.add(out, StmtKind::Break, span);
                }
            }
            S::Continue => {
                if self.loops == 0 {
                    self.error(span, codes::JUMP, "`continue` outside of a loop (GLSL 4.60 section 6.4)");
                } else {
                    self.add(out, StmtKind::Continue, span);
                }
            }
            S::Return(value) => self.return_statement(value, span, out),
            S::Discard => self.fragment_jump(StmtKind::Discard, "discard", span, out),
            S::Demote => self.fragment_jump(StmtKind::Demote, "demote", span, out),
            S::Terminate => self.fragment_jump(StmtKind::Terminate, "terminateInvocation", span, out),
        }
    }

    fn fragment_jump(&mut self, kind: StmtKind, name: &str, span: Span, out: &mut Out) {
        if self.unit.stage != Stage::Fragment {
            let message = format!("`{name}` exists in fragment shaders only (GLSL 4.60 section 6.4)");
            self.error(span, codes::JUMP, message);
            return;
        }
        self.add(out, kind, span);
    }

    /// A condition: a scalar `bool`.
    fn condition(&mut self, expr: &syntax::Expr<'_>, what: &str) -> ExprId {
        let id = self.expr(expr);
        self.must_be_bool(id, what, expr.span);
        id
    }

    fn must_be_bool(&mut self, id: ExprId, what: &str, span: Span) {
        let ty = self.ty(id);
        if ty != Type::BOOL && ty != Type::Error {
            let message = format!(
                "the condition of `{what}` must be a scalar bool, not {} (GLSL 4.60 section 6.2)",
                self.type_name(ty)
            );
            self.error(span, codes::CONDITION, message);
        }
    }

    fn loop_condition(&mut self, condition: &Condition<'_>, what: &str, before: &mut Out) -> ExprId {
        match condition {
            Condition::Expr(expr) => self.condition(expr, what),
            Condition::Declaration(ty, name, init) => {
                let id = self.declare_condition_variable(ty, *name, init, before);
                self.must_be_bool(id, what, name.span);
                id
            }
        }
    }

    fn loop_body(&mut self, body: &Stmt<'_>, own_scope: bool) -> StmtList {
        let switches = std::mem::replace(&mut self.switches, 0);
        self.loops += 1;
        let list = if own_scope { self.scoped(body) } else { self.unscoped(body) };
        self.loops -= 1;
        self.switches = switches;
        list
    }

    fn for_loop(&mut self, for_loop: &ForLoop<'_>, span: Span, out: &mut Out) {
        self.scopes.push();
        let mut stmts = Out::new();
        self.statement(&for_loop.init, &mut stmts);
        let mut before = Out::new();
        let cond = for_loop.condition.as_ref().map(|c| self.loop_condition(c, "for", &mut before));
        let step = for_loop.step.map(|step| self.expr(step));
        let index = self.es100_for(for_loop, &stmts, cond, step, span);
        self.exprs.loop_indices.extend(index);
        let body = self.loop_body(&for_loop.body, false);
        let outer = self.exprs.loop_indices.len() - usize::from(index.is_some());
        self.exprs.loop_indices.truncate(outer);
        self.scopes.pop();
        let before = self.unit.add_stmts(&before);
        self.add(&mut stmts, StmtKind::Loop { before, cond, test_last: false, body, step }, span);
        if let [only] = stmts[..] {
            out.push(only);
        } else {
            let list = self.unit.add_stmts(&stmts);
            self.add(out, StmtKind::Block(list), span);
        }
    }

    fn switch(&mut self, selector: &syntax::Expr<'_>, body: &Block<'_>, span: Span, out: &mut Out) {
        if !self.lang.version.at_least(130, 300) && !self.lang.ext(Ext::EXT_gpu_shader4) {
            self.error(
                span,
                codes::VERSION,
                "`switch` exists since GLSL 1.30 and GLSL ES 3.00 (section 6.2)",
            );
        }
        let selector_span = selector.span;
        let selector = self.expr(selector);
        let mut ty = self.ty(selector);
        if !matches!(ty, Type::INT | Type::UINT | Type::Error) {
            let message = format!(
                "the selector of a switch must be an int or uint, not {} (GLSL 4.60 section 6.2)",
                self.type_name(ty)
            );
            self.error(selector_span, codes::SWITCH, message);
            ty = Type::Error;
        }
        self.scopes.push();
        self.switches += 1;
        self.exprs.flow += 1;
        let mut labels = FxHashSet::default();
        let mut inner = Out::new();
        let mut has_default = false;
        let mut last_label = None;
        for (i, stmt) in body.stmts.iter().enumerate() {
            match stmt.kind {
                syntax::StmtKind::Case(label) => {
                    last_label = Some(stmt.span);
                    self.case_label(label, ty, &mut labels, &mut inner);
                    continue;
                }
                syntax::StmtKind::Default => {
                    if std::mem::replace(&mut has_default, true) {
                        let message = "a switch can have only one `default` (GLSL 4.60 section 6.2)";
                        self.error(stmt.span, codes::SWITCH, message);
                    }
                    last_label = Some(stmt.span);
                    self.add(&mut inner, StmtKind::Default, stmt.span);
                    continue;
                }
                _ if i == 0 => {
                    let message = "a statement precedes the first label of a switch (GLSL 4.60 section 6.2)";
                    self.error(stmt.span, codes::SWITCH, message);
                }
                _ => {}
            }
            last_label = None;
            self.statement(stmt, &mut inner);
        }
        self.exprs.flow -= 1;
        self.switches -= 1;
        self.scopes.pop();
        if let Some(label) = last_label {
            self.label_at_end(label);
        }
        let list = self.unit.add_stmts(&inner);
        self.add(out, StmtKind::Switch(selector, list), span);
    }

    /// No statement after the last label: an error in most versions, unspecified in some.
    fn label_at_end(&mut self, span: Span) {
        let version = self.lang.version;
        let message = "no statement after the last label of a switch (GLSL 4.60 section 6.2)";
        let lenient =
            if version.is_es() { version.number == 310 } else { matches!(version.number, 440 | 450) };
        if lenient {
            self.diags.warning(span, codes::SWITCH, message);
        } else {
            self.error(span, codes::SWITCH, message);
        }
    }

    fn case_label(&mut self, label: &syntax::Expr<'_>, ty: Type, labels: &mut FxHashSet<u64>, out: &mut Out) {
        let mut id = self.expr(label);
        let from = self.ty(id);
        if from == Type::Error {
            return;
        }
        if !matches!(from, Type::INT | Type::UINT) || self.as_const(id).is_none() {
            let message = "a case label must be a constant int or uint (GLSL 4.60 section 6.2)";
            self.error(label.span, codes::SWITCH, message);
            return;
        }
        if ty != Type::Error && from != ty {
            // int and uint convert where the language does that; a label of the other type fits an int selector, too.
            let converts = self.can_convert(from, ty) || self.can_convert(ty, from);
            if !converts {
                let message = format!(
                    "the label is {}, the selector is {} (GLSL 4.60 section 6.2)",
                    self.type_name(from),
                    self.type_name(ty)
                );
                self.error(label.span, codes::SWITCH, message);
                return;
            }
            if let (Some(a), Some(b)) = (from.base(), ty.base()) {
                id = self.convert_base(id, a, b);
            }
        }
        let Some(c) = self.as_const(id) else { return };
        let value = self.unit[c].scalars.first().map_or(0, |&x| x & 0xffff_ffff);
        if !labels.insert(value) {
            let message = "two labels of a switch are equal (GLSL 4.60 section 6.2)";
            self.error(label.span, codes::SWITCH, message);
            return;
        }
        self.add(out, StmtKind::Case(c), label.span);
    }

    fn return_statement(&mut self, value: Option<&syntax::Expr<'_>>, span: Span, out: &mut Out) {
        self.exprs.returned = true;
        let result = self.function.map_or(Type::Error, |f| self.unit[f].result);
        let Some(expr) = value else {
            if result != Type::Void && result != Type::Error {
                let message = format!(
                    "`return` without a value in a function that returns {} (GLSL 4.60 section 6.4)",
                    self.type_name(result)
                );
                self.error(span, codes::RETURN, message);
            }
            self.add(out, StmtKind::Return(None), span);
            return;
        };
        let id = self.expr(expr);
        let ty = self.ty(id);
        if ty == Type::Error || result == Type::Error {
            return;
        }
        if result == Type::Void {
            let message = "`return` with a value in a void function (GLSL 4.60 section 6.4)";
            self.error(expr.span, codes::RETURN, message);
            return;
        }
        // Results are converted since 4.20.
        let converts = self.has_420pack() || self.lang.version.at_least(NEVER, 310);
        let id = if ty == result || converts { self.convert(id, result) } else { None };
        match id {
            Some(id) => self.add(out, StmtKind::Return(Some(id)), span),
            None => {
                let message = format!(
                    "a function that gives {} returns {} (GLSL 4.60 section 6.4)",
                    self.type_name(result),
                    self.type_name(ty)
                );
                self.error(expr.span, codes::RETURN, message);
            }
        }
    }
}
