//! Name lookup: the shader's own declarations, then the built-ins.

use super::Checker;
use super::redeclare::PER_VERTEX;
use super::scope::Name;
use crate::builtin;
use crate::hir::{Constant, VarId, Variable};
use crate::source::Span;
use crate::token::Symbol;
use crate::types::{StructId, Type};

/// Names of built-in structures with a built-in variable of each (GLSL 1.30 section 7.5, 7.4).
const BUILTIN_STRUCTS: &[(&str, &str)] = &[
    ("gl_DepthRangeParameters", "gl_DepthRange"),
    ("gl_FogParameters", "gl_Fog"),
    ("gl_LightModelParameters", "gl_LightModel"),
    ("gl_LightModelProducts", "gl_FrontLightModelProduct"),
    ("gl_LightProducts", "gl_FrontLightProduct"),
    ("gl_LightSourceParameters", "gl_LightSource"),
    ("gl_MaterialParameters", "gl_FrontMaterial"),
    ("gl_PointParameters", "gl_Point"),
];

impl Checker<'_> {
    /// The meaning of a name here; built-in variables and constants are declared on first use. `None` if it is unknown (functions
    /// that are built in are not found here).
    pub fn lookup(&mut self, symbol: Symbol, _span: Span) -> Option<Name> {
        if let Some(name) = self.scopes.get(symbol) {
            return Some(name.clone());
        }
        self.lookup_builtin(symbol)
    }

    /// Declares a built-in variable or constant that is not declared yet.
    pub(crate) fn lookup_builtin(&mut self, symbol: Symbol) -> Option<Name> {
        let text = &self.unit.names[symbol];
        if !text.starts_with("gl_") {
            return None;
        }
        let text = text.to_owned();
        // A redeclared gl_PerVertex has the members that it names and no others (GLSL 4.60 section 7.1).
        if self.state.per_vertex[1]
            && PER_VERTEX.contains(&text.as_str())
            && !self.state.per_vertex_members.contains(&symbol)
        {
            return None;
        }
        let name = if let Some(variable) =
            builtin::variable::declare(&text, &mut self.unit, &self.lang, self.limits)
        {
            let var = self.add_var(variable);
            self.size_by_vertices(var);
            Name::Var(var)
        } else if let Some((ty, scalars)) = self.builtin_constant(&text) {
            Name::Constant(self.unit.add_const(Constant { ty, scalars }))
        } else {
            return None;
        };
        self.scopes.set_global(symbol, name.clone());
        Some(name)
    }

    /// A built-in constant; `gl_WorkGroupSize` is one once the size is declared.
    fn builtin_constant(&self, text: &str) -> Option<(Type, Box<[u64]>)> {
        let (ty, scalars) = builtin::constant::constant(text, &self.lang, self.limits)?;
        Some((ty, scalars.into_iter().collect()))
    }

    /// The name under which functions are kept: GLSL 1.10 has a name space for functions and one for all else (GLSL 1.10 section
    /// 4.2.6), so theirs get a mark there that no name of the shader has.
    pub(crate) fn function_key(&mut self, name: Symbol) -> Symbol {
        if self.lang.version.number != 110 {
            return name;
        }
        let key = format!("{}(", self.name(name));
        self.unit.names.intern(&key)
    }

    /// Adds a variable to the unit.
    pub(crate) fn add_var(&mut self, variable: Variable) -> VarId {
        self.unit.vars.push(variable);
        VarId(self.unit.vars.len() as u32 - 1)
    }

    /// The structure of a name, built-in ones included.
    pub(crate) fn lookup_struct(&mut self, symbol: Symbol) -> Option<Name> {
        if let Some(name) = self.scopes.get(symbol) {
            return Some(name.clone());
        }
        let text = &self.unit.names[symbol];
        let (_, variable) = BUILTIN_STRUCTS.iter().find(|(name, _)| name == &text)?;
        let variable = self.unit.names.intern(variable);
        let id = self.struct_of_builtin(variable)?;
        self.scopes.set_global(symbol, Name::Struct(id));
        Some(Name::Struct(id))
    }

    fn struct_of_builtin(&mut self, variable: Symbol) -> Option<StructId> {
        let Some(Name::Var(var)) = self.lookup(variable, Span::default()) else { return None };
        match self.unit.types.without_arrays(self.unit[var].ty) {
            Type::Struct(id) => Some(id),
            _ => None,
        }
    }

    /// A type as users write it.
    pub fn type_name(&self, ty: Type) -> String {
        crate::basic_types::type_name(ty, &self.unit.types, &self.unit.names)
    }

    /// The text of a name.
    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        &self.unit.names[symbol]
    }
}
