//! Function calls: overload resolution (GLSL 4.60 section 6.1) over user and built-in functions.

use super::construct::Args;
use super::convert::Fit;
use super::scope::Name;
use super::{Checker, codes};
use crate::builtin::function::{self, Dir, Prototype};
use crate::builtin::op::Lowering;
use crate::hir::{ExprId, ExprKind, FuncId, Storage, VarId};
use crate::source::Span;
use crate::syntax::{self, Ident, TypeSpec};
use crate::token::Symbol;
use crate::types::Type;
use crate::version::NEVER;
use airfoil_ir::diag::nearest;
use smallvec::SmallVec;

/// Most candidates that a message lists.
const MAX_LISTED: usize = 4;

/// A parameter when overloads are compared.
type Parameter = (Type, Dir);

/// A candidate for a misspelt name.
#[derive(Clone, Debug)]
struct Candidate {
    params: SmallVec<[Parameter; 6]>,
    which: Which,
}

#[derive(Clone, Debug)]
enum Which {
    User(FuncId),
    Builtin(Box<Prototype>),
}

/// The result of the search for the best candidate.
enum Choice {
    One(Which),
    None,
    Ambiguous,
}

/// How a storage qualifier of a parameter passes values.
pub(crate) fn direction(storage: Storage) -> Dir {
    match storage {
        Storage::ParamOut => Dir::Out,
        Storage::ParamInOut => Dir::InOut,
        _ => Dir::In,
    }
}

impl Checker<'_> {
    /// `name(args)`.
    pub(crate) fn call(&mut self, name: Ident, args: &[syntax::Expr<'_>], span: Span) -> ExprId {
        match self.scopes.get(name.name) {
            Some(Name::Struct(id)) => {
                let ty = self.unit.types.named(*id);
                let values: Args = args.iter().map(|a| self.expr(a)).collect();
                return self.construct(ty, values, args, span);
            }
            Some(&Name::Var(var)) if self.unit[var].qualifiers.subroutine.is_some() => {
                let callee = self.unit.add_expr(ExprKind::Var(var), self.unit[var].ty, name.span.lo);
                self.mark_read(var);
                return self.call_subroutine(callee, var, args, span);
            }
            // GLSL 1.10 keeps functions and variables apart (section 4.2.6).
            Some(Name::Var(_) | Name::Member(..) | Name::Constant(_)) if self.lang.version.number != 110 => {
                self.check_all(args);
                let message = format!("`{}` is a variable, not a function", &self.unit.names[name.name]);
                return self.error_expr(name.span, codes::NAME, message);
            }
            Some(Name::Error) => {
                self.check_all(args);
                return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
            }
            _ => {}
        }
        if &self.unit.names[name.name] == "nonuniformEXT" {
            return self.non_uniform(args, span);
        }
        let values: Args = args.iter().map(|a| self.place(a)).collect();
        let types: SmallVec<[Type; 8]> = values.iter().map(|&v| self.ty(v)).collect();
        if types.contains(&Type::Error) {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        match self.resolve(name, &types) {
            Some(Which::User(f)) => self.call_user(f, values, args, span),
            Some(Which::Builtin(p)) => self.call_builtin(&p, values, args, name, span),
            None => self.unit.add_expr(ExprKind::Error, Type::Error, span.lo),
        }
    }

    /// Checks arguments for their own sake.
    fn check_all(&mut self, args: &[syntax::Expr<'_>]) {
        for arg in args {
            self.place(arg);
        }
    }

    /// `nonuniformEXT(x)` is its argument, marked; a constant needs no mark.
    fn non_uniform(&mut self, args: &[syntax::Expr<'_>], span: Span) -> ExprId {
        if let [arg] = args {
            let value = self.expr(arg);
            let crate::hir::Expr { kind, ty, .. } = self.unit[value];
            if matches!(kind, ExprKind::Const(_) | ExprKind::Error) {
                return value;
            }
            return self.unit.add_expr(ExprKind::NonUniform(value), ty, span.lo);
        }
        self.check_all(args);
        self.error_expr(span, codes::CALL, "nonuniformEXT takes one argument (GL_EXT_nonuniform_qualifier)")
    }

    /// The callee of a call; reports errors.
    fn resolve(&mut self, name: Ident, types: &[Type]) -> Option<Which> {
        let key = self.function_key(name.name);
        let user: SmallVec<[FuncId; 4]> = match self.scopes.get(key) {
            Some(Name::Functions(list)) => list.iter().copied().collect(),
            _ => SmallVec::new(),
        };
        // Parameters and arguments of the same types: nearly all calls.
        if let Some(f) = user.iter().copied().find(|&f| self.takes_exactly(f, types)) {
            return Some(Which::User(f));
        }
        // On desktop a function of the shader hides all built-in ones of its name; in ES it overloads them. Shaders for Vulkan are
        // written for a compiler that finds built-in functions of just these types in any case.
        let text = self.unit.names[name.name].to_owned();
        let builtins = user.is_empty() || self.lang.version.is_es();
        if (builtins || self.lang.vulkan)
            && let Some(p) = function::exact(&text, types, &self.lang)
        {
            return Some(Which::Builtin(Box::new(p)));
        }
        let mut candidates: Vec<Candidate> = user.iter().map(|&f| self.user_candidate(f)).collect();
        if builtins {
            candidates.extend(
                function::prototypes_with(&text, types.len(), &self.lang).into_iter().map(builtin_candidate),
            );
        }
        match self.choose(&candidates, types) {
            Choice::One(which) => return Some(which),
            Choice::Ambiguous => {
                let list = self.show_candidates(&text, &candidates);
                let message = format!(
                    "the call {} fits several functions equally well: {list} (GLSL 4.60 section 6.1)",
                    self.show_call(&text, types.iter().map(|&t| (t, Dir::In)))
                );
                self.error(name.span, codes::AMBIGUOUS, message);
            }
            Choice::None => self.no_function(name, &text, &user, types),
        }
        None
    }

    /// Whether a function of the shader has just these parameter types.
    fn takes_exactly(&self, f: FuncId, types: &[Type]) -> bool {
        let f = &self.unit[f];
        !f.is_subroutine_type
            && f.params.len() == types.len()
            && f.params.iter().zip(types).all(|(&p, &t)| self.unit[p].ty == t)
    }

    fn user_candidate(&self, f: FuncId) -> Candidate {
        let params = self.unit[f].params.iter().map(|&p| {
            let p = &self.unit[p];
            (p.ty, direction(p.qualifiers.storage))
        });
        Candidate { params: params.collect(), which: Which::User(f) }
    }

    /// How an argument fits a parameter.
    fn fit_argument(&self, arg: Type, (param, dir): Parameter) -> Option<Fit> {
        match dir {
            Dir::In => self.fit(arg, param),
            // The value is converted when it is copied out.
            Dir::Out => self.fit(param, arg),
            // No two types convert into each other.
            Dir::InOut => (arg == param).then_some(Fit::Exact),
        }
    }

    fn choose(&self, candidates: &[Candidate], types: &[Type]) -> Choice {
        let fits = |c: &Candidate| -> Option<SmallVec<[Fit; 8]>> {
            if c.params.len() != types.len() {
                return None;
            }
            c.params.iter().zip(types).map(|(&p, &t)| self.fit_argument(t, p)).collect()
        };
        let viable: Vec<(usize, SmallVec<[Fit; 8]>)> =
            candidates.iter().enumerate().filter_map(|(i, c)| Some((i, fits(c)?))).collect();
        let which = |i: usize| Choice::One(candidates[i].which.clone());
        match &viable[..] {
            [] => return Choice::None,
            [(i, _)] => return which(*i),
            _ => {}
        }
        if let Some((i, _)) = viable.iter().find(|(_, fits)| fits.iter().all(|&f| f == Fit::Exact)) {
            return which(*i);
        }
        if !self.ranks_conversions() {
            // Built-in functions alone: the first overload that fits, in order of the table, as int converts to float
            // before double.
            return Choice::Ambiguous;
        }
        // The one that is better than every other: for some argument, and worse for none. It has to survive one pass.
        let better = |a: &[Fit], b: &[Fit]| {
            a.iter().zip(b).any(|(x, y)| x.better_than(*y))
                && !a.iter().zip(b).any(|(x, y)| y.better_than(*x))
        };
        let mut best = 0;
        for i in 1..viable.len() {
            if !better(&viable[best].1, &viable[i].1) {
                best = i;
            }
        }
        let wins = viable.iter().enumerate().all(|(i, (_, fits))| i == best || better(&viable[best].1, fits));
        if wins { which(viable[best].0) } else { Choice::Ambiguous }
    }

    /// Whether conversions are ranked (since 4.00); before, a call that needs one must fit one function only.
    fn ranks_conversions(&self) -> bool {
        use crate::extension::Ext;
        const EXTS: &[Ext] = &[
            Ext::ARB_gpu_shader5,
            Ext::ARB_gpu_shader_fp64,
            Ext::MESA_shader_integer_functions,
            Ext::EXT_shader_implicit_conversions,
        ];
        self.lang.version.at_least(400, NEVER) || self.lang.extensions.contains_any(EXTS)
    }

    fn no_function(&mut self, name: Ident, text: &str, user: &[FuncId], types: &[Type]) {
        if self.diags.full() {
            return;
        }
        let call = self.show_call(text, types.iter().map(|&t| (t, Dir::In)));
        let mut known: Vec<Candidate> = user.iter().map(|&f| self.user_candidate(f)).collect();
        if user.is_empty() || self.lang.version.is_es() {
            known.extend(function::prototypes(text, &self.lang).into_iter().take(64).map(builtin_candidate));
        }
        let message = if !known.is_empty() {
            // Those with the right number of arguments are more informative.
            known.sort_by_key(|c| c.params.len() != types.len());
            format!(
                "no function fits the call {call}; there is {} (GLSL 4.60 section 6.1)",
                self.show_candidates(text, &known)
            )
        } else if let Some(hint) = function::hint(text, &self.lang) {
            format!("`{text}` is not declared: {hint}")
        } else {
            let functions = self.unit.functions.iter().map(|f| &self.unit.names[f.name]);
            let mut names: Vec<&str> = functions.collect();
            function::names(&self.lang).for_each(|n| names.push(n));
            let near = nearest(text, names);
            let near = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
            format!("the function `{text}` is not declared{near} (GLSL 4.60 section 6.1)")
        };
        self.error(name.span, codes::CALL, message);
    }

    fn show_call(&self, name: &str, params: impl Iterator<Item = Parameter>) -> String {
        let params: Vec<String> = params
            .map(|(ty, dir)| {
                let dir = match dir {
                    Dir::In => "",
                    Dir::Out => "out ",
                    Dir::InOut => "inout ",
                };
                format!("{dir}{}", self.type_name(ty))
            })
            .collect();
        format!("{name}({})", params.join(", "))
    }

    fn show_candidates(&self, name: &str, candidates: &[Candidate]) -> String {
        let mut list: Vec<String> = candidates
            .iter()
            .take(MAX_LISTED)
            .map(|c| self.show_call(name, c.params.iter().copied()))
            .collect();
        if candidates.len() > MAX_LISTED {
            list.push("...".to_owned());
        }
        list.join(", ")
    }

    /// Checks and converts one argument; `None` if it is invalid.
    pub(crate) fn argument(&mut self, arg: ExprId, (ty, dir): Parameter, span: Span) -> Option<ExprId> {
        match dir {
            Dir::In => {
                self.readable(arg, span);
                self.convert(arg, ty)
            }
            Dir::Out | Dir::InOut => {
                if dir == Dir::InOut {
                    self.readable(arg, span);
                }
                let whole_array = self.ty(arg).is_array() && !self.lang.version.at_least(120, 100);
                if whole_array {
                    let message =
                        "arrays are passed to out and inout parameters since GLSL 1.20 (section 6.1.1)";
                    self.error(span, codes::VERSION, message);
                    return None;
                }
                self.lvalue(arg, span, "pass to an out or inout parameter").then_some(arg)
            }
        }
    }

    fn call_user(&mut self, f: FuncId, mut values: Args, args: &[syntax::Expr<'_>], span: Span) -> ExprId {
        let result = self.unit[f].result;
        let params: SmallVec<[VarId; 8]> = self.unit[f].params.iter().copied().collect();
        if self.unit[f].is_subroutine_type {
            let message =
                "a subroutine type is called through a subroutine uniform (GLSL 4.60 section 6.1.2)";
            return self.error_expr(span, codes::CALL, message);
        }
        let mut good = true;
        for ((value, &param), arg) in values.iter_mut().zip(&params).zip(args) {
            let p = &self.unit[param];
            let parameter = (p.ty, direction(p.qualifiers.storage));
            match self.argument(*value, parameter, arg.span) {
                Some(converted) => *value = converted,
                None => good = false,
            }
            good &= self.memory_fits(*value, param, arg.span);
        }
        if !good {
            return self.unit.add_expr(ExprKind::Error, result, span.lo);
        }
        let list = self.unit.add_list(&values);
        self.unit.add_expr(ExprKind::Call(f, list), result, span.lo)
    }

    fn call_builtin(
        &mut self,
        p: &Prototype,
        mut values: Args,
        args: &[syntax::Expr<'_>],
        name: Ident,
        span: Span,
    ) -> ExprId {
        let mut good = true;
        for ((value, param), arg) in values.iter_mut().zip(&p.params).zip(args) {
            // Interpolants and operands of atomics are l-values.
            let converted = if param.interpolant {
                self.interpolant(*value, arg.span)
            } else if param.memory {
                self.memory_operand(*value, arg.span)
            } else {
                self.argument(*value, (param.ty, param.dir), arg.span)
            };
            match converted {
                Some(converted) => *value = converted,
                None => good = false,
            }
        }
        good = good && self.builtin_rules(p, &values, args, name, span);
        if !good {
            return self.unit.add_expr(ExprKind::Error, p.result, span.lo);
        }
        // Since 1.20 and in all of ES, built-in functions of constants are constant (GLSL 4.60 section 4.3.3).
        let may_fold = p.builtin.is_constant_function() && self.lang.version.at_least(120, 100);
        if may_fold
            && !values.is_empty()
            && self.all_const(&values)
            && let Some(value) = self.fold_call(p, &values)
        {
            return self.folded(p.result, value, &values, span.lo);
        }
        let list = self.unit.add_list(&values);
        self.unit.add_expr(ExprKind::Builtin(p.builtin, list), p.result, span.lo)
    }

    /// The value of a built-in function of constants.
    fn fold_call(&self, p: &Prototype, values: &[ExprId]) -> Option<Box<[u64]>> {
        let constants: Option<SmallVec<[_; 4]>> =
            values.iter().map(|&v| self.as_const(v).map(|c| &self.unit[c])).collect();
        let pure = match &p.builtin.lowering {
            Lowering::Pure(pure) => pure,
            // A constant does not vary, so its derivative is 0 (GLSL 4.60 section 4.3.3).
            Lowering::Derivative(..) => {
                return Some(vec![0; self.unit.types.components(p.result) as usize].into());
            }
            _ => return None,
        };
        crate::lower::fold::fold_builtin(pure, &constants?, p.result, &self.unit.types)
    }

    /// A call of an element of an array of subroutine uniforms, which the parser reads as a constructor.
    pub(crate) fn call_subroutine_element(
        &mut self,
        var: VarId,
        ty: &TypeSpec<'_>,
        args: &[syntax::Expr<'_>],
        span: Span,
    ) -> ExprId {
        self.mark_read(var);
        let mut callee = self.unit.add_expr(ExprKind::Var(var), self.unit[var].ty, span.lo);
        for dim in ty.dims {
            let Some(size) = dim.size else {
                return self.error_expr(dim.span, codes::INDEX, "an index is missing");
            };
            let at = self.expr(size);
            if self.ty(at) == Type::Error {
                return at;
            }
            let Some(array) = self.unit.types.as_array(self.ty(callee)) else {
                let message = "only arrays of subroutine uniforms can be indexed";
                return self.error_expr(dim.span, codes::INDEX, message);
            };
            if self.ty(at) != Type::INT && self.ty(at) != Type::UINT {
                return self.error_expr(size.span, codes::INDEX, "an index must be an int or uint");
            }
            if self.int_const(at).is_some_and(|i| i < 0 || i >= i64::from(array.len)) {
                return self.error_expr(size.span, codes::INDEX, "the index is out of range");
            }
            callee = self.unit.add_expr(ExprKind::Index(callee, at), array.elem, span.lo);
        }
        self.call_subroutine(callee, var, args, span)
    }

    /// A call through a subroutine uniform.
    fn call_subroutine(
        &mut self,
        callee: ExprId,
        var: VarId,
        args: &[syntax::Expr<'_>],
        span: Span,
    ) -> ExprId {
        let Some(f) = self.unit[var].qualifiers.subroutine else {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        };
        if self.ty(callee).is_array() {
            let message = "an array of subroutine uniforms is called by element (GLSL 4.60 section 6.1.2)";
            self.check_all(args);
            return self.error_expr(span, codes::CALL, message);
        }
        let result = self.unit[f].result;
        let params = self.user_candidate(f).params;
        let mut values: Args = args.iter().map(|a| self.place(a)).collect();
        if values.iter().any(|&v| self.ty(v) == Type::Error) {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        let types: SmallVec<[Type; 8]> = values.iter().map(|&v| self.ty(v)).collect();
        let fits = types.len() == params.len()
            && types.iter().zip(&params).all(|(&t, &p)| self.fit_argument(t, p).is_some());
        if !fits {
            let name = self.unit.names[self.unit[var].name].to_owned();
            let message = format!(
                "the call {} does not fit {} (GLSL 4.60 section 6.1.2)",
                self.show_call(&name, types.iter().map(|&t| (t, Dir::In))),
                self.show_call(&name, params.iter().copied())
            );
            return self.error_expr(span, codes::CALL, message);
        }
        let mut good = true;
        for ((value, &param), arg) in values.iter_mut().zip(&params).zip(args) {
            match self.argument(*value, param, arg.span) {
                Some(converted) => *value = converted,
                None => good = false,
            }
        }
        if !good {
            return self.unit.add_expr(ExprKind::Error, result, span.lo);
        }
        let list = self.unit.add_list(&values);
        self.unit.add_expr(ExprKind::CallSubroutine(callee, list), result, span.lo)
    }

    /// The variable of a built-in name, marked as used; for functions that read built-in variables.
    pub(crate) fn use_builtin(&mut self, name: &str) {
        let symbol: Symbol = self.unit.names.intern(name);
        if let Some(Name::Var(var)) = self.lookup(symbol, Span::default()) {
            self.mark_read(var);
            // A node of its own, so that the variable counts as named by the function (`Function::globals`).
            let ty = self.unit[var].ty;
            self.unit.add_expr(ExprKind::Var(var), ty, 0);
        }
    }
}

fn builtin_candidate(p: Prototype) -> Candidate {
    Candidate { params: p.params.iter().map(|p| (p.ty, p.dir)).collect(), which: Which::Builtin(Box::new(p)) }
}
