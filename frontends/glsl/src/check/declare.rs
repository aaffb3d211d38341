//! Variables, global and local, and the rules common to all declarations.

use super::Checker;
use super::layout_table::context;
use super::qualifiers::Given;
use super::scope::Name;
use super::types::MAX_COMPONENTS;
use crate::extension::Ext;
use crate::hir::{
    ConstId, Constant, ExprId, ExprKind, PrecisionHint, Qualifiers, StmtId, StmtKind, Storage, VarId,
    Variable,
};
use crate::shapes::from_ir_bits;
use crate::source::Span;
use crate::syntax::{Declaration, DeclarationKind, Declarator, FullType, Ident, Init, TypeKind};
use crate::token::{Symbol, Tok};
use crate::types::{Base, Type};
use crate::version::{Avail, NEVER};

/// Initialisers of uniforms.
const UNIFORM_INITIALIZERS: Avail = Avail::since(120, NEVER);
/// `const` variables whose value is not constant.
const READ_ONLY_VARIABLES: Avail = Avail::since(420, NEVER).or(&[Ext::ARB_shading_language_420pack]);

impl Checker<'_> {
    /// Whether a name belongs to the language.
    pub(crate) fn is_reserved(&self, name: Symbol) -> bool {
        self.name(name).starts_with("gl_")
    }

    /// Reports names that shaders cannot declare (GLSL 4.60 section 3.7).
    pub(crate) fn check_name(&mut self, ident: Ident, what: &str) {
        let text = self.name(ident.name);
        if text.starts_with("gl_") {
            let message = format!(
                "{text} cannot name a {what}: names that start with gl_ are reserved (GLSL 4.60 section 3.7)"
            );
            self.error(ident.span, "E1003", message);
        } else if text.contains("__") {
            let message =
                format!("{text}: names with two underscores in a row are reserved (GLSL 4.60 section 3.7)");
            if self.lang.version.is_es() && self.lang.version.number < 300 {
                self.error(ident.span, "E1003", message);
            } else {
                self.diags.warning(ident.span, "E1003", message);
            }
        }
    }

    /// Declares a name in the innermost scope; false, with a report, if it is taken there.
    pub(crate) fn declare_name(&mut self, ident: Ident, name: Name) -> bool {
        // Names of subroutine types and of blocks have no other use (GLSL 4.60 section 4.3.9).
        let subroutine = self.scopes.depth() == 0
            && (self.state.subroutine_types.contains_key(&ident.name)
                || self.state.block_names.contains(&ident.name));
        let taken = self.scopes.get_here(ident.name).is_some_and(|(old, _)| !matches!(old, Name::Error));
        if taken || subroutine {
            let message =
                format!("{} is declared twice in one scope (GLSL 4.60 section 4.2.2)", self.name(ident.name));
            self.error(ident.span, "E1002", message);
            return false;
        }
        if self.scopes.depth() == 0
            && self.lang.version.at_least(NEVER, 300)
            && crate::builtin::function::is_function(self.name(ident.name), &self.lang)
        {
            let message = format!(
                "{} is a built-in function, and those are in the same scope as global names (GLSL ES 3.00 section 4.2.2)",
                self.name(ident.name)
            );
            self.error(ident.span, "E1002", message);
            return false;
        }
        self.scopes.set(ident.name, name, ident.span);
        true
    }

    /// A declaration at global scope.
    pub(crate) fn global_declaration(&mut self, declaration: &Declaration<'_>) {
        match &declaration.kind {
            DeclarationKind::Variables(full, names) => self.global_variables(full, names),
            DeclarationKind::Prototype(prototype) => {
                self.function_head(prototype, false);
            }
            DeclarationKind::Precision { precision, ty } => self.precision_statement(*precision, ty),
            DeclarationKind::Block(block) => self.interface_block(block),
            DeclarationKind::Qualifiers(qualifiers, names) => {
                self.qualifier_declaration(qualifiers, names, declaration.span);
            }
        }
    }

    /// A declaration in a function.
    pub fn local_declaration(&mut self, declaration: &Declaration<'_>, out: &mut Vec<StmtId>) {
        match &declaration.kind {
            DeclarationKind::Variables(full, names) => self.local_variables(full, names, out),
            DeclarationKind::Prototype(prototype) => {
                if self.lang.version.at_least(120, 100) {
                    let message = "a function cannot be declared inside a function (GLSL 4.60 section 6.1, GLSL ES 1.00 section 6.1)";
                    self.error(prototype.span, "E1009", message);
                } else {
                    self.function_head(prototype, false);
                }
            }
            DeclarationKind::Precision { precision, ty } => self.precision_statement(*precision, ty),
            DeclarationKind::Block(block) => {
                let message = "a block cannot be declared inside a function (GLSL 4.60 section 4.3.9)";
                self.error(block.name.span, "E1010", message);
            }
            DeclarationKind::Qualifiers(qualifiers, names) => {
                self.qualifier_declaration(qualifiers, names, declaration.span);
            }
        }
    }

    /// The qualifiers that variables keep, except for precision.
    pub(crate) fn to_qualifiers(given: &Given<'_>, storage: Storage) -> Qualifiers {
        Qualifiers {
            storage,
            precision: PrecisionHint::default(),
            interpolation: given.interpolation.map(|i| i.0),
            sampling: given.sampling.map(|s| s.0),
            patch: given.patch.is_some(),
            invariant: given.invariant.is_some(),
            precise: given.precise.is_some(),
            constant: given.constant.is_some(),
            memory: given.memory,
            layout: given.layout.layout.clone(),
            subroutine: None,
        }
    }

    fn global_variables(&mut self, full: &FullType<'_>, names: &[Declarator<'_>]) {
        let given = self.read_qualifiers(full.qualifiers);
        let subroutine_uniform = matches!(given.subroutine, Some((_, false, _)))
            && matches!(given.storage, Some((Tok::Uniform, _)));
        if subroutine_uniform {
            self.subroutine_uniforms(full, &given, names);
            return;
        }
        if let Some((_, _, span)) = given.subroutine {
            self.error(
                span,
                "E1009",
                "only functions and uniforms can be subroutines (GLSL 4.60 section 6.1.2)",
            );
        }
        let base = self.resolve_type(&full.ty);
        if names.is_empty() {
            self.bare_type(full, &given, base);
            return;
        }
        let storage = self.global_storage(&given);
        self.check_qualifiers(&given, storage, "this variable");
        self.check_layout_context(&given.layout, self.variable_context(storage));
        for name in names {
            let mut ty = self.array_of(base, name.dims);
            if ty == Type::Void {
                self.error(name.name.span, "E1004", "a variable cannot be void (GLSL 4.60 section 4.1.1)");
                ty = Type::Error;
            }
            if self.is_reserved(name.name.name) {
                self.redeclare_builtin(name, ty, &given, storage);
            } else {
                self.global_variable(name, ty, &given, storage);
            }
        }
    }

    /// A type with qualifiers and without a name.
    fn bare_type(&mut self, full: &FullType<'_>, given: &Given<'_>, ty: Type) {
        self.check_bare_array(full, ty);
        let is_struct = matches!(full.ty.kind, TypeKind::Struct(_) | TypeKind::Named(_));
        if let Some((_, span)) = given.precision
            && is_struct
        {
            let message = "a structure cannot have a precision (GLSL 4.60 section 4.7.2)";
            self.error(span, "E1011", message);
        }
        if super::precision::is_counter(ty) && given.layout.span().is_some() {
            // The default offset of counters of a binding (GLSL 4.60 section 4.4.6.1).
            let layout = &given.layout.layout;
            match (layout.binding, layout.offset) {
                (Some(binding), offset) => {
                    self.state.counter_offsets.insert(binding, offset.unwrap_or(0));
                }
                (None, _) => {
                    let message = "a default for atomic counters needs a binding (GLSL 4.60 section 4.4.6.1)";
                    self.error(given.span, "E1007", message);
                }
            }
            return;
        }
        let storage = self.global_storage(given);
        if is_struct && given.layout.span().is_some() {
            self.check_layout_context(&given.layout, self.variable_context(storage));
        }
    }

    /// The context of the layout qualifiers that a variable of this storage can have.
    fn variable_context(&self, storage: Storage) -> u32 {
        match storage {
            Storage::In => context::IN_VAR,
            Storage::Out => context::OUT_VAR,
            Storage::InOut => context::INOUT_VAR,
            Storage::Uniform => context::UNIFORM_VAR,
            Storage::Const => context::CONST_VAR,
            _ => context::OTHER,
        }
    }

    /// Without a name, too, an array type needs its sizes where sizes are needed.
    fn check_bare_array(&mut self, full: &FullType<'_>, ty: Type) {
        let missing = self.has_unsized_inner(ty) || self.is_unsized(ty);
        if self.lang.version.is_es() && missing {
            self.error(full.ty.span, "E1005", "an array needs a size (GLSL ES 3.00 section 4.1.9)");
        }
    }

    fn global_variable(
        &mut self,
        name: &Declarator<'_>,
        mut ty: Type,
        given: &Given<'_>,
        mut storage: Storage,
    ) {
        let span = name.name.span;
        self.check_name(name.name, "variable");
        let mut value = None;
        if let Some(init) = &name.init {
            value = self.global_value(init, &mut ty, storage, span);
        } else if storage == Storage::Const && ty != Type::Error {
            self.error(span, "E1008", "a const variable needs an initial value (GLSL 4.60 section 4.3.2)");
            ty = Type::Error;
        }
        let constant = value.and_then(|v| self.as_const(v));
        let constant = self.specialized(constant, given);
        if storage == Storage::Const && constant.is_none() {
            storage = Storage::Global;
        }
        let mut q = Self::to_qualifiers(given, storage);
        q.constant = given.constant.is_some();
        q.precision = self.precision(ty, given.precision, span);
        self.check_global_type(ty, given, &q, span);
        self.check_size(ty, span);
        self.check_sized(ty, &q, name.init.is_some(), span);
        if self.extend_array(name.name, ty, &q) {
            if let Some(&Name::Var(var)) = self.scopes.get(name.name.name) {
                self.set_global_value(var, value, constant);
            }
            return;
        }
        self.invariant_all(&mut q);
        self.check_variable_layout(&mut q, ty, given, span);
        let var = self.add_var(Variable::new(name.name.name, ty, q, span));
        self.size_by_vertices(var);
        self.unit[var].open = storage == Storage::Const && ty.is_scalar() && self.stays_open(given);
        self.set_global_value(var, value, constant);
        if self.declare_name(name.name, Name::Var(var)) {
            self.claim_variable(var);
        }
    }

    /// Whether a constant is a specialization constant that stays open.
    fn stays_open(&self, given: &Given<'_>) -> bool {
        given.layout.layout.constant_id.is_some_and(|id| self.state.open.contains(&id))
    }

    /// The value of a specialization constant: that of the options, if they have one (GL_KHR_vulkan_glsl).
    fn specialized(&mut self, constant: Option<ConstId>, given: &Given<'_>) -> Option<ConstId> {
        let (Some(default), Some(id)) = (constant, given.layout.layout.constant_id) else { return constant };
        let ty = self.unit[default].ty;
        let (Some(bits), Some(base), true) = (self.spec_value(id), ty.base(), ty.is_scalar()) else {
            return constant;
        };
        let value = if base == Base::Bool { u64::from(bits != 0) } else { from_ir_bits(base, bits) };
        Some(self.unit.add_const(Constant { ty, scalars: Box::new([value]) }))
    }

    /// `layout(constant_id = N) gl_MaxSomething;`: the built-in constant becomes a specialization constant, whose default is
    /// its value (GL_KHR_vulkan_glsl).
    pub(crate) fn specialize_builtin(&mut self, name: Ident, default: ConstId, given: &Given<'_>) {
        let mut q = Self::to_qualifiers(given, Storage::Const);
        q.constant = true;
        let ty = self.unit[default].ty;
        let constant = self.specialized(Some(default), given);
        let var = self.add_var(Variable::new(name.name, ty, q, name.span));
        self.unit[var].constant = constant;
        self.unit[var].open = self.stays_open(given);
        self.scopes.set_global(name.name, Name::Var(var));
    }

    /// The value that the options give a specialization constant; the last one counts.
    pub(crate) fn spec_value(&self, id: u32) -> Option<u64> {
        self.state.spec.iter().rfind(|s| s.0 == id).map(|s| s.1)
    }

    /// `#pragma STDGL invariant(all)` (GLSL 4.60 section 4.8.1).
    pub(crate) fn invariant_all(&self, q: &mut Qualifiers) {
        if self.pragmas.invariant_all
            && q.storage == Storage::Out
            && self.lang.stage != airfoil_ir::Stage::Fragment
        {
            q.invariant = true;
        }
    }

    fn set_global_value(&mut self, var: VarId, value: Option<ExprId>, constant: Option<ConstId>) {
        match (value, constant) {
            (_, Some(constant)) => self.unit[var].constant = Some(constant),
            (Some(value), None) => self.unit.global_inits.push((var, value)),
            (None, None) => {}
        }
    }

    /// The initial value of a global variable.
    fn global_value(
        &mut self,
        init: &Init<'_>,
        ty: &mut Type,
        storage: Storage,
        span: Span,
    ) -> Option<ExprId> {
        let refused = match storage {
            Storage::Uniform if !self.lang.has(&UNIFORM_INITIALIZERS) || self.lang.vulkan => {
                Some("initial values of uniforms are not allowed here (GLSL 4.60 section 4.3.5)")
            }
            Storage::In => Some("inputs cannot have initial values (GLSL 4.60 section 4.3.4)"),
            Storage::Out | Storage::InOut => {
                Some("outputs cannot have initial values (GLSL 4.60 section 4.3.6)")
            }
            Storage::Shared if !self.lang.ext(Ext::EXT_null_initializer) => {
                Some("shared variables cannot have initial values (GLSL 4.60 section 4.3.8)")
            }
            Storage::Shared if !matches!(init, Init::List([], _)) => {
                Some("the initial value of a shared variable can only be {} (GL_EXT_null_initializer)")
            }
            _ if self.unit.types.has_opaque(*ty) => {
                Some("opaque variables cannot have initial values (GLSL 4.60 section 4.1.7)")
            }
            _ => None,
        };
        if let Some(message) = refused {
            self.error(span, "E1008", message);
            return None;
        }
        let first = self.unit.exprs.len() as u32;
        let (value, sized) = self.initializer(init, *ty);
        *ty = sized;
        if self.ty(value) == Type::Error {
            return None;
        }
        if self.as_const(value).is_some() {
            return Some(value);
        }
        let es =
            self.lang.version.is_es() && !self.lang.ext(Ext::EXT_shader_non_constant_global_initializers);
        match storage {
            // GLSL 4.20 lets const variables of functions, not global ones, have values that are not constant.
            // Constants that depend on open ones: with their defaults, they have been checked to be constant.
            Storage::Const if self.state.open.is_empty() => {
                let message =
                    "the value of a global const variable must be constant (GLSL 4.60 section 4.3.2)";
                self.error(span, "E1008", message);
                None
            }
            Storage::Uniform => {
                self.error(
                    span,
                    "E1008",
                    "the initial value of a uniform must be constant (GLSL 4.60 section 4.3.5)",
                );
                None
            }
            _ if es => {
                let message =
                    "the initial value of a global variable must be constant (GLSL ES 3.00 section 4.3)";
                self.error(span, "E1008", message);
                None
            }
            _ => {
                self.state.global_exprs.push((first, self.unit.exprs.len() as u32));
                Some(value)
            }
        }
    }

    /// Rejects variables that no implementation can hold.
    pub(crate) fn check_size(&mut self, ty: Type, span: Span) {
        if self.unit.types.components(ty) > MAX_COMPONENTS {
            let message = format!("a variable of type {} is too large", self.type_name(ty));
            self.error(span, "E1005", message);
        }
    }

    /// Whether array sizes may be missing.
    fn check_sized(&mut self, ty: Type, q: &Qualifiers, has_value: bool, span: Span) {
        if self.has_unsized_inner(ty) {
            let message =
                "only the outermost dimension of an array can be without size (GLSL 4.60 section 4.1.9)";
            self.error(span, "E1005", message);
        } else if self.is_unsized(ty) && self.lang.version.is_es() && !has_value {
            if self.is_arrayed(q.storage, q.patch) {
                return;
            }
            let message = "an array needs a size (GLSL ES 3.00 section 4.1.9)";
            self.error(span, "E1005", message);
        }
    }

    /// A second declaration of an array without size: gives it one. Returns false if it is another case.
    fn extend_array(&mut self, ident: Ident, ty: Type, q: &Qualifiers) -> bool {
        let Some((&Name::Var(var), _)) = self.scopes.get_here(ident.name) else { return false };
        let (Some(old), Some(new)) =
            (self.unit.types.as_array(self.unit[var].ty), self.unit.types.as_array(ty))
        else {
            return false;
        };
        let same = self.unit[var].qualifiers.storage == q.storage && old.elem == new.elem;
        if old.len != 0 || !same || self.lang.version.is_es() {
            return false;
        }
        if new.len != 0 {
            let needed = self.unit[var].min_len;
            if new.len < needed {
                let message = format!(
                    "{} has been indexed up to {}, it cannot have {} elements (GLSL 4.60 section 4.1.9)",
                    self.name(ident.name),
                    needed - 1,
                    new.len
                );
                self.error(ident.span, "E1005", message);
                return true;
            }
            self.unit[var].ty = ty;
            self.size_by_vertices(var);
        }
        true
    }

    /// Variables of a function.
    fn local_variables(&mut self, full: &FullType<'_>, names: &[Declarator<'_>], out: &mut Vec<StmtId>) {
        let given = self.local_qualifiers(full);
        let base = self.resolve_type(&full.ty);
        if self.may_be_restrict(&given) {
            self.check_memory(base, &given, Storage::Local);
        }
        if names.is_empty() {
            self.check_bare_array(full, base);
        }
        for name in names {
            let mut ty = self.array_of(base, name.dims);
            if ty == Type::Void {
                self.error(name.name.span, "E1004", "a variable cannot be void (GLSL 4.60 section 4.1.1)");
                ty = Type::Error;
            }
            self.local_variable(name.name, ty, &given, name.init.as_ref(), out);
        }
    }

    fn local_qualifiers<'a>(&mut self, full: &FullType<'a>) -> Given<'a> {
        let given = self.read_qualifiers(full.qualifiers);
        let wrong = given
            .storage
            .map(|s| s.1)
            .or(given.interpolation.map(|i| i.1))
            .or(given.sampling.map(|s| s.1))
            .or(given.patch)
            .or(given.invariant)
            .or(given.memory_span.filter(|_| !self.may_be_restrict(&given)))
            .or(given.subroutine.map(|s| s.2))
            .or(given.layout.span());
        if let Some(span) = wrong {
            let message = "a variable of a function can have const, precise and a precision only (GLSL 4.60 section 4.3)";
            self.error(span, "E1006", message);
        }
        given
    }

    fn local_variable(
        &mut self,
        ident: Ident,
        mut ty: Type,
        given: &Given<'_>,
        init: Option<&Init<'_>>,
        out: &mut Vec<StmtId>,
    ) -> VarId {
        self.check_name(ident, "variable");
        self.check_not_opaque(ty, ident.span);
        let value = init.map(|init| {
            let (value, sized) = self.initializer(init, ty);
            ty = sized;
            value
        });
        let constant = value.and_then(|v| self.as_const(v));
        let mut q =
            Qualifiers { precise: given.precise.is_some(), memory: given.memory, ..Qualifiers::default() };
        q.constant = given.constant.is_some();
        q.precision = self.precision(ty, given.precision, ident.span);
        if q.constant {
            match value {
                None => {
                    let message = "a const variable needs an initial value (GLSL 4.60 section 4.3.2)";
                    self.error(ident.span, "E1008", message);
                }
                Some(value) if constant.is_none() && self.ty(value) != Type::Error => {
                    if !self.lang.has(&READ_ONLY_VARIABLES) {
                        let message =
                            "the value of a const variable must be constant (GLSL 4.60 section 4.3.2)";
                        self.error(ident.span, "E1008", message);
                    }
                }
                Some(_) => {}
            }
            if constant.is_some() {
                q.storage = Storage::Const;
            }
        }
        self.check_size(ty, ident.span);
        self.check_sized(ty, &q, init.is_some(), ident.span);
        if self.extend_array(ident, ty, &q)
            && let Some(&Name::Var(var)) = self.scopes.get(ident.name)
        {
            if let Some(value) = value {
                let target = self.unit.add_expr(ExprKind::Var(var), ty, ident.span.lo);
                let assign = self.unit.add_expr(ExprKind::Assign(target, value), ty, ident.span.lo);
                let stmt = self.unit.add_stmt(StmtKind::Expr(assign), ident.span.lo);
                out.push(stmt);
            }
            return var;
        }
        let is_const = q.storage == Storage::Const;
        let mut variable = Variable::new(ident.name, ty, q, ident.span);
        variable.function = self.function;
        variable.constant = if is_const { constant } else { None };
        let var = self.add_var(variable);
        self.declare_name(ident, Name::Var(var));
        if !is_const {
            let stmt = self.unit.add_stmt(StmtKind::Declare(var, value), ident.span.lo);
            out.push(stmt);
        }
        var
    }

    /// Declares the variable of a condition; returns its value.
    pub fn declare_condition_variable(
        &mut self,
        full: &FullType<'_>,
        ident: Ident,
        init: &Init<'_>,
        out: &mut Vec<StmtId>,
    ) -> ExprId {
        let given = self.local_qualifiers(full);
        let ty = self.resolve_type(&full.ty);
        let var = self.local_variable(ident, ty, &given, Some(init), out);
        let ty = self.unit[var].ty;
        match self.unit[var].constant {
            Some(constant) => self.unit.add_expr(ExprKind::Const(constant), ty, ident.span.lo),
            None => self.unit.add_expr(ExprKind::Var(var), ty, ident.span.lo),
        }
    }
}
