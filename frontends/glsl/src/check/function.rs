//! Functions: prototypes, definitions, parameters, subroutines (GLSL 4.60 section 6.1).

use super::Checker;
use super::layout_table::{Key, context};
use super::qualifiers::Given;
use super::scope::Name;
use crate::builtin;
use crate::hir::{FuncId, Function, Qualifiers, Storage, VarId, Variable};
use crate::syntax::{Block, Declarator, FullType, Param, Prototype, TypeKind};
use crate::token::Tok;
use crate::types::Type;
use smallvec::SmallVec;

impl Checker<'_> {
    /// A function with its body.
    pub(crate) fn function_definition(&mut self, prototype: &Prototype<'_>, body: &Block<'_>) {
        let Some(id) = self.function_head(prototype, true) else { return };
        let first = self.unit.exprs.len() as u32;
        let stmts = self.function_body(id, body);
        self.state.bodies.push((id, first, self.unit.exprs.len() as u32));
        self.unit[id].body = Some(stmts);
        if self.name(prototype.name.name) == "main" {
            self.unit.main = Some(id);
        }
    }

    /// The head of a function; finds or adds its entry.
    pub(crate) fn function_head(&mut self, p: &Prototype<'_>, definition: bool) -> Option<FuncId> {
        let given = self.read_qualifiers(p.result.qualifiers);
        self.check_function_qualifiers(&given);
        if matches!(p.result.ty.kind, TypeKind::Struct(_)) {
            let message = "the type of a result cannot be declared in place (GLSL 4.60 section 6.1)";
            self.error(p.result.ty.span, "E1009", message);
        }
        let result = self.resolve_type(&p.result.ty);
        self.check_result(result, p);
        self.check_name(p.name, "function");
        let precision = match result {
            Type::Void => {
                if let Some((_, span)) = given.precision {
                    self.error(span, "E1011", "void has no precision (GLSL 4.60 section 4.7.2)");
                }
                Default::default()
            }
            _ => self.precision(result, given.precision, p.name.span),
        };
        let params: Vec<VarId> = p.params.iter().map(|param| self.parameter(param)).collect();
        for (i, &param) in params.iter().enumerate() {
            let (name, span) = (self.unit[param].name, self.unit[param].span);
            let repeated = params[..i].iter().any(|&q| self.unit[q].name == name);
            // Definitions are checked where the names get their meaning.
            if repeated && !definition && !self.name(name).is_empty() {
                let message = format!("two parameters are called {}", self.name(name));
                self.error(span, "E1002", message);
            }
        }
        if self.name(p.name.name) == "main" && (result != Type::Void || !params.is_empty()) {
            let message = "main must take no parameters and return void (GLSL 4.60 section 6.1)";
            self.error(p.span, "E1009", message);
        }
        let function = Function {
            name: p.name.name,
            result,
            precision,
            precise: given.precise.is_some(),
            params,
            body: None,
            span: p.span,
            is_subroutine_type: false,
            subroutine_types: Vec::new(),
            subroutine_index: None,
            calls: Vec::new(),
            globals: Vec::new(),
        };
        match given.subroutine {
            Some((_, false, _)) if definition => {
                let message = "a subroutine type cannot have a body (GLSL 4.60 section 6.1.2)";
                self.error(p.span, "E1009", message);
                return None;
            }
            Some((_, false, _)) => {
                self.subroutine_type(p, function);
                return None;
            }
            Some((_, true, span)) if !definition => {
                let message =
                    "a subroutine needs a body where its types are listed (GLSL 4.60 section 6.1.2)";
                self.error(span, "E1009", message);
            }
            _ => {}
        }
        self.check_builtin_redefinition(p, &function);
        let id = self.enter_function(p, function, definition)?;
        if let Some((names, true, _)) = given.subroutine {
            for name in names {
                self.subroutine_implementation(id, *name);
            }
            self.unit[id].subroutine_index = given.layout.layout.index;
        }
        Some(id)
    }

    fn check_function_qualifiers(&mut self, given: &Given<'_>) {
        let wrong = given
            .storage
            .map(|s| s.1)
            .or(given.constant)
            .or(given.interpolation.map(|i| i.1))
            .or(given.sampling.map(|s| s.1))
            .or(given.patch)
            .or(given.invariant)
            .or(given.memory_span);
        if let Some(span) = wrong {
            let message =
                "a return type can have only precise and a precision qualifier (GLSL 4.60 section 6.1)";
            self.error(span, "E1009", message);
        }
        if given.subroutine.is_some() {
            self.check_layout_context(&given.layout, context::SUBROUTINE);
            if let Some(index) = given.layout.find(Key::Index)
                && index.value >= self.limits.max_subroutines
            {
                let message = format!(
                    "subroutine index {} is out of range: GL_MAX_SUBROUTINES is {}",
                    index.value, self.limits.max_subroutines
                );
                self.error(index.span, "E1007", message);
            }
        } else if let Some(span) = given.layout.span() {
            self.error(span, "E1007", "a function cannot have a layout (GLSL 4.60 section 4.4)");
        }
    }

    fn check_result(&mut self, result: Type, p: &Prototype<'_>) {
        let span = p.result.ty.span;
        if self.unit.types.has_opaque(result) {
            self.error(span, "E1009", "a function cannot return an opaque type (GLSL 4.60 section 6.1)");
        } else if result.is_array() {
            if !self.lang.version.at_least(120, 300) {
                let message = "a function cannot return an array before GLSL 1.20 and GLSL ES 3.00 (GLSL ES 1.00 section 6.1)";
                self.error(span, "E1009", message);
            } else if self.is_unsized(result) || self.has_unsized_inner(result) {
                self.error(span, "E1005", "an array that is returned needs a size (GLSL 4.60 section 6.1)");
            }
        } else if self.lang.version.is_es()
            && self.lang.version.number == 100
            && self.unit.types.any(result, &mut |t| t.is_array())
        {
            let message = "a function cannot return a structure that contains an array before GLSL ES 3.00 (GLSL ES 1.00 section 6.1)";
            self.error(span, "E1009", message);
        }
    }

    /// A parameter as a variable.
    fn parameter(&mut self, param: &Param<'_>) -> VarId {
        let given = self.read_qualifiers(param.ty.qualifiers);
        let span = param.name.map_or(param.span, |n| n.span);
        if matches!(param.ty.ty.kind, TypeKind::Struct(_)) {
            let message = "the type of a parameter cannot be declared in place (GLSL 4.60 section 6.1)";
            self.error(param.ty.ty.span, "E1009", message);
        }
        let base = self.resolve_type(&param.ty.ty);
        let mut ty = self.array_of(base, param.dims);
        let storage = match given.storage {
            None | Some((Tok::In, _)) if given.constant.is_some() => Storage::ParamConst,
            None | Some((Tok::In, _)) => Storage::ParamIn,
            Some((Tok::Out, _)) => Storage::ParamOut,
            Some((Tok::Inout, _)) => Storage::ParamInOut,
            Some((word, at)) => {
                let message = format!("{} cannot qualify a parameter (GLSL 4.60 section 6.1.1)", word.text());
                self.error(at, "E1009", message);
                Storage::ParamIn
            }
        };
        let writes = storage.is_out_param();
        if let (true, Some(at)) = (writes, given.constant) {
            self.error(at, "E1009", "const contradicts out and inout (GLSL 4.60 section 6.1.1)");
        }
        let wrong = given
            .interpolation
            .map(|i| i.1)
            .or(given.sampling.map(|s| s.1))
            .or(given.patch)
            .or(given.invariant)
            .or(given.subroutine.map(|s| s.2))
            .or(given.layout.span());
        if let Some(at) = wrong {
            let message = "a parameter can have const, in, out, inout, precise, a precision and memory qualifiers only (GLSL 4.60 section 6.1.1)";
            self.error(at, "E1009", message);
        }
        if let Some(name) = param.name {
            self.check_name(name, "parameter");
        }
        if ty == Type::Void {
            self.error(span, "E1009", "a parameter cannot be void (GLSL 4.60 section 6.1)");
            ty = Type::Error;
        } else if self.is_unsized(ty) || self.has_unsized_inner(ty) {
            self.error(span, "E1005", "an array parameter needs a size (GLSL 4.60 section 6.1)");
            ty = Type::Error;
        } else if writes && self.unit.types.has_opaque(ty) {
            self.error(span, "E1004", "an opaque parameter cannot be out or inout (GLSL 4.60 section 4.1.7)");
        } else if writes && ty.is_array() && self.lang.version.number == 110 {
            self.error(
                span,
                "E1004",
                "an array parameter cannot be out or inout before GLSL 1.20 (GLSL 1.10 section 6.1)",
            );
        }
        self.check_memory(ty, &given, storage);
        self.check_size(ty, span);
        let mut q = Qualifiers {
            storage,
            precise: given.precise.is_some(),
            constant: given.constant.is_some(),
            memory: given.memory,
            ..Qualifiers::default()
        };
        q.precision = self.precision(ty, given.precision, span);
        let name = match param.name {
            Some(name) => name.name,
            None => self.unit.names.intern(""),
        };
        self.add_var(Variable::new(name, ty, q, span))
    }

    /// Built-in functions that cannot be redeclared.
    fn check_builtin_redefinition(&mut self, p: &Prototype<'_>, function: &Function) {
        if !self.lang.version.is_es() {
            return;
        }
        let name = self.name(p.name.name).to_owned();
        if !builtin::function::is_function(&name, &self.lang) {
            return;
        }
        if self.lang.version.number >= 300 {
            let message =
                format!("{name} is a built-in function and cannot be redeclared (GLSL ES 3.00 section 6.1)");
            self.error(p.name.span, "E1009", message);
            return;
        }
        // GLSL ES 1.00 allows overloads of built-in functions (section 6.1).
        let args: SmallVec<[Type; 6]> = function.params.iter().map(|&v| self.unit[v].ty).collect();
        if builtin::function::exact(&name, &args, &self.lang).is_some() {
            let message = format!("built-in function {name} cannot be redefined (GLSL ES 1.00 section 6.1)");
            self.error(p.name.span, "E1009", message);
        }
    }

    fn same_params(&self, a: &[VarId], b: &[VarId]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.unit[a].ty == self.unit[b].ty)
    }

    /// Whether qualifiers of parameters that must agree do.
    fn same_qualifiers(&self, a: &[VarId], b: &[VarId]) -> bool {
        let es = self.lang.version.is_es();
        a.iter().zip(b).all(|(&a, &b)| {
            let (a, b) = (&self.unit[a].qualifiers, &self.unit[b].qualifiers);
            a.storage == b.storage && a.memory == b.memory && (!es || a.precision == b.precision)
        })
    }

    /// Finds the entry of a function by its parameter types, or adds one.
    fn enter_function(&mut self, p: &Prototype<'_>, function: Function, definition: bool) -> Option<FuncId> {
        let key = self.function_key(p.name.name);
        let overloads: SmallVec<[FuncId; 2]> = match self.scopes.get(key) {
            Some(Name::Functions(list)) => list.clone(),
            Some(Name::Error) | None => SmallVec::new(),
            Some(_) => {
                let message = format!(
                    "{} is declared already as something other than a function (GLSL 4.60 section 4.2.2)",
                    self.name(p.name.name)
                );
                self.error(p.name.span, "E1002", message);
                return None;
            }
        };
        if self.state.block_names.contains(&p.name.name) {
            let message =
                format!("{} is the name of a block (GLSL 4.60 section 4.3.9)", self.name(p.name.name));
            self.error(p.name.span, "E1002", message);
            return None;
        }
        if self.state.subroutine_types.contains_key(&p.name.name) {
            let message =
                format!("{} is a subroutine type (GLSL 4.60 section 6.1.2)", self.name(p.name.name));
            self.error(p.name.span, "E1002", message);
            return None;
        }
        let found =
            overloads.iter().copied().find(|&f| self.same_params(&self.unit[f].params, &function.params));
        let Some(id) = found else {
            self.unit.functions.push(function);
            let id = FuncId(self.unit.functions.len() as u32 - 1);
            match self.scopes.functions_mut(key) {
                Some(list) => list.push(id),
                None => {
                    let list = Name::Functions(SmallVec::from_slice(&[id]));
                    if self.scopes.depth() == 0 {
                        self.scopes.set(key, list, p.name.span);
                    } else {
                        self.scopes.set_global(key, list);
                    }
                }
            }
            return Some(id);
        };
        let name = self.name(p.name.name).to_owned();
        if self.unit[id].result != function.result {
            let message = format!(
                "{name} was declared with the same parameters and another return type (GLSL 4.60 section 6.1)"
            );
            self.error(p.span, "E1009", message);
            return None;
        }
        if !self.same_qualifiers(&self.unit[id].params, &function.params)
            || (self.lang.version.is_es() && self.unit[id].precision != function.precision)
        {
            let message = format!("{name} was declared with other qualifiers (GLSL 4.60 section 6.1)");
            self.error(p.span, "E1009", message);
        }
        if definition {
            if self.unit[id].body.is_some() || self.state.bodies.iter().any(|b| b.0 == id) {
                let message = format!("{name} has a body already (GLSL 4.60 section 6.1)");
                self.error(p.span, "E1009", message);
                return None;
            }
            let f = &mut self.unit[id];
            f.params = function.params;
            f.span = function.span;
            f.precise |= function.precise;
        } else if self.lang.version.is_es() && self.lang.version.number == 100 && self.unit[id].body.is_none()
        {
            let message = format!("{name} is declared twice (GLSL ES 1.00 section 4.2.7)");
            self.error(p.span, "E1009", message);
        }
        Some(id)
    }

    /// `subroutine void f(...);`
    fn subroutine_type(&mut self, p: &Prototype<'_>, function: Function) {
        if self.scopes.get_here(p.name.name).is_some()
            || self.state.subroutine_types.contains_key(&p.name.name)
        {
            let message = format!(
                "{} is declared twice in one scope (GLSL 4.60 section 4.2.2)",
                self.name(p.name.name)
            );
            self.error(p.name.span, "E1002", message);
            return;
        }
        self.unit.functions.push(Function { is_subroutine_type: true, ..function });
        let id = FuncId(self.unit.functions.len() as u32 - 1);
        self.state.subroutine_types.insert(p.name.name, id);
    }

    /// A function is one of the choices for a subroutine type.
    fn subroutine_implementation(&mut self, id: FuncId, name: crate::syntax::Ident) {
        let Some(&ty) = self.state.subroutine_types.get(&name.name) else {
            let message =
                format!("{} is not a subroutine type (GLSL 4.60 section 6.1.2)", self.name(name.name));
            self.error(name.span, "E1009", message);
            return;
        };
        let same = self.unit[ty].result == self.unit[id].result
            && self.same_params(&self.unit[ty].params, &self.unit[id].params)
            && self.same_qualifiers(&self.unit[ty].params, &self.unit[id].params);
        if !same {
            let message = format!(
                "the function does not have the parameters and result of subroutine type {} (GLSL 4.60 section 6.1.2)",
                self.name(name.name)
            );
            self.error(name.span, "E1009", message);
            return;
        }
        if !self.unit[id].subroutine_types.contains(&ty) {
            self.unit[id].subroutine_types.push(ty);
        }
    }

    /// `subroutine uniform T name;`
    pub(crate) fn subroutine_uniforms(
        &mut self,
        full: &FullType<'_>,
        given: &Given<'_>,
        names: &[Declarator<'_>],
    ) {
        self.check_layout_context(&given.layout, context::UNIFORM_VAR);
        let ty = match full.ty.kind {
            TypeKind::Named(name) => self.state.subroutine_types.get(&name).copied(),
            _ => None,
        };
        let Some(ty) = ty else {
            let message = "a subroutine uniform needs a subroutine type (GLSL 4.60 section 6.1.2)";
            self.error(full.ty.span, "E1009", message);
            for name in names {
                self.scopes.set(name.name.name, Name::Error, name.name.span);
            }
            return;
        };
        for name in names {
            self.check_name(name.name, "variable");
            if name.init.is_some() {
                let message = "subroutine uniforms cannot have initial values (GLSL 4.60 section 6.1.2)";
                self.error(name.name.span, "E1008", message);
            }
            let elem = self.array_of(Type::UINT, full.ty.dims);
            let array = self.array_of(elem, name.dims);
            let mut q = Self::to_qualifiers(given, Storage::Uniform);
            q.subroutine = Some(ty);
            let var = self.add_var(Variable::new(name.name.name, array, q, name.name.span));
            self.declare_name(name.name, Name::Var(var));
        }
    }
}
