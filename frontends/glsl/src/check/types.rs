//! Resolves written types: arrays, structures.

use super::Checker;
use super::scope::Name;
use crate::extension::Ext;
use crate::hir::Qualifiers;
use crate::source::Span;
use crate::syntax::{Declarator, Dim, Expr, ExprKind, FieldDecl, StructSpec, TypeKind, TypeSpec};
use crate::types::{Base, Field, Struct, StructId, Type};
use crate::version::Avail;
use rustc_hash::FxHashMap;

/// Where arrays of arrays are.
const ARRAYS_OF_ARRAYS: Avail = Avail::since(430, 310).or(&[Ext::ARB_arrays_of_arrays]);

/// Most scalar components of one variable that does not live in a buffer.
pub(crate) const MAX_COMPONENTS: u32 = 1 << 24;

/// Most members of a structure, those of the structures in it counted, too: a walk over a type takes so many steps.
const MAX_LEAVES: u32 = 1 << 14;

/// Deepest nesting of structures and array dimensions in a type.
const MAX_TYPE_DEPTH: u32 = 64;

impl Checker<'_> {
    /// The type that is written; [`Type::Error`] after a report.
    pub fn resolve_type(&mut self, spec: &TypeSpec<'_>) -> Type {
        let base = match spec.kind {
            TypeKind::Void => Type::Void,
            TypeKind::Basic(ty) => ty,
            TypeKind::Named(name) => match self.lookup_struct(name) {
                Some(Name::Struct(id)) => self.unit.types.named(id),
                Some(Name::Error) => Type::Error,
                Some(_) => {
                    let message = format!("{} is not the name of a type", self.name(name));
                    self.error(spec.span, "E1001", message);
                    Type::Error
                }
                None => {
                    let message = format!("unknown type {}", self.name(name));
                    self.error(spec.span, "E1001", message);
                    Type::Error
                }
            },
            TypeKind::Struct(spec) => self.declare_struct(spec).map_or(Type::Error, Type::Struct),
        };
        self.array_of(base, spec.dims)
    }

    /// The array type of these dimensions, outermost first; dimensions without size have length 0.
    pub fn array_of(&mut self, elem: Type, dims: &[Dim<'_>]) -> Type {
        let mut ty = elem;
        for dim in dims.iter().rev() {
            // Every size is checked, even after an error.
            let len = match dim.size {
                Some(size) => self.array_size(size),
                None => Some(0),
            };
            let Some(len) = len else {
                ty = Type::Error;
                continue;
            };
            match ty {
                Type::Error => continue,
                Type::Void => {
                    self.error(dim.span, "E1005", "an array of void (GLSL 4.60 section 4.1.9)");
                    ty = Type::Error;
                    continue;
                }
                Type::Array(_) if !self.lang.has(&ARRAYS_OF_ARRAYS) => {
                    let message = "arrays of arrays need GLSL 4.30, GLSL ES 3.10 or GL_ARB_arrays_of_arrays (GLSL 4.60 section 4.1.9)";
                    self.error(dim.span, "E1005", message);
                    ty = Type::Error;
                    continue;
                }
                _ => {}
            }
            if self.type_depth(ty) >= MAX_TYPE_DEPTH {
                self.error(dim.span, "E1005", format!("a type is nested deeper than {MAX_TYPE_DEPTH}"));
                ty = Type::Error;
                continue;
            }
            let bytes = u64::from(self.unit.types.components(ty)) * u64::from(len.max(1)) * 4;
            if bytes > i32::MAX as u64 {
                self.error(dim.span, "E1005", "an array takes more than 2 GiB");
                ty = Type::Error;
                continue;
            }
            ty = self.unit.types.array(ty, len);
        }
        ty
    }

    /// The value of an array size.
    fn array_size(&mut self, size: &Expr<'_>) -> Option<u32> {
        let value = match size.kind {
            ExprKind::Const(Type::INT, bits) => i64::from(bits as u32 as i32),
            ExprKind::Const(Type::UINT, bits) => i64::from(bits as u32),
            _ => self.const_int(size, "an array size")?,
        };
        if value <= 0 {
            let message =
                format!("an array size must be greater than zero, not {value} (GLSL 4.60 section 4.1.9)");
            self.error(size.span, "E1005", message);
            return None;
        }
        if value > i64::from(i32::MAX) {
            self.error(size.span, "E1005", format!("array size {value} is too large"));
            return None;
        }
        Some(value as u32)
    }

    fn type_depth(&self, ty: Type) -> u32 {
        match ty {
            Type::Array(id) => 1 + self.type_depth(self.unit.types.get_array(id).elem),
            Type::Struct(id) => self.state.structs.get(id.0 as usize).map_or(1, |s| s.0),
            _ => 0,
        }
    }

    fn type_leaves(&self, ty: Type) -> u32 {
        match self.unit.types.without_arrays(ty) {
            Type::Struct(id) => self.state.structs.get(id.0 as usize).map_or(16, |s| s.1),
            _ => 1,
        }
    }

    /// Depth and number of members of a structure or block, if they are in bounds.
    pub(crate) fn measure_members(&mut self, fields: &[Field], span: Span) -> Option<(u32, u32)> {
        let depth = 1 + fields.iter().map(|f| self.type_depth(f.ty)).max().unwrap_or(0);
        let leaves = fields.iter().fold(1u32, |n, f| n.saturating_add(self.type_leaves(f.ty)));
        if depth > MAX_TYPE_DEPTH {
            self.error(span, "E1004", format!("structures are nested deeper than {MAX_TYPE_DEPTH}"));
            return None;
        }
        if leaves > MAX_LEAVES {
            self.error(span, "E1004", format!("a structure or block has more than {MAX_LEAVES} members"));
            return None;
        }
        Some((depth, leaves))
    }

    /// Adds a structure or block to the unit.
    pub(crate) fn add_struct(&mut self, s: Struct, measure: (u32, u32)) -> StructId {
        let id = self.unit.types.add_struct(s);
        // Built-in structures were added without us.
        self.state.structs.resize(id.0 as usize, (2, 64));
        self.state.structs.push(measure);
        id
    }

    /// Whether some array dimension after the outermost has no size.
    pub(crate) fn has_unsized_inner(&self, ty: Type) -> bool {
        let mut elem = match self.unit.types.as_array(ty) {
            Some(array) => array.elem,
            None => return false,
        };
        while let Some(array) = self.unit.types.as_array(elem) {
            if array.len == 0 {
                return true;
            }
            elem = array.elem;
        }
        false
    }

    /// Whether the outermost array dimension has no size.
    pub(crate) fn is_unsized(&self, ty: Type) -> bool {
        self.unit.types.as_array(ty).is_some_and(|a| a.len == 0)
    }

    /// Declares a structure.
    fn declare_struct(&mut self, spec: &StructSpec<'_>) -> Option<StructId> {
        if self.state.nesting > 0 && !(self.lang.version.number == 110 && self.state.in_struct) {
            let message =
                "a structure cannot be declared inside a structure or block (GLSL 4.60 section 4.1.8)";
            self.error(spec.span, "E1004", message);
        }
        if let Some(name) = spec.name {
            self.check_name(name, "structure");
        }
        self.state.nesting += 1;
        let outer = std::mem::replace(&mut self.state.in_struct, true);
        let mut fields = Vec::new();
        let mut seen = FxHashMap::default();
        for decl in spec.fields {
            self.struct_members(decl, &mut fields, &mut seen);
        }
        self.state.in_struct = outer;
        self.state.nesting -= 1;
        if fields.is_empty() && spec.fields.is_empty() {
            self.error(spec.span, "E1004", "a structure needs at least one member (GLSL 4.60 section 4.1.8)");
        }
        let measure = self.measure_members(&fields, spec.span)?;
        let name = spec.name.map(|n| n.name);
        let id =
            self.add_struct(Struct { name, fields, block: false, span: spec.span, reference: None }, measure);
        if let Some(name) = spec.name {
            self.declare_name(name, Name::Struct(id));
        }
        Some(id)
    }

    /// Declares the members of one declaration in a structure.
    fn struct_members(
        &mut self,
        decl: &FieldDecl<'_>,
        fields: &mut Vec<Field>,
        seen: &mut FxHashMap<crate::token::Symbol, Span>,
    ) {
        let given = self.read_qualifiers(decl.ty.qualifiers);
        self.only_precision(&given, "a structure member");
        let base = self.resolve_type(&decl.ty.ty);
        if base == Type::Void {
            self.error(
                decl.ty.ty.span,
                "E1004",
                "a structure member cannot be void (GLSL 4.60 section 4.1.1)",
            );
        }
        if decl.names.is_empty() && decl.ty.ty.span != Span::default() {
            self.error(decl.ty.ty.span, "E1004", "a structure member needs a name (GLSL 4.60 section 4.1.8)");
        }
        for name in decl.names {
            let mut ty = self.array_of(base, name.dims);
            if ty == Type::Void {
                ty = Type::Error;
            }
            self.member_name(name, seen);
            if self.is_unsized(ty) || self.has_unsized_inner(ty) {
                let message = "an array in a structure needs a size (GLSL 4.60 section 4.1.9)";
                self.error(name.name.span, "E1005", message);
                ty = Type::Error;
            }
            if super::precision::is_counter(self.unit.types.without_arrays(ty)) {
                let message =
                    "an atomic counter cannot be a member of a structure (GLSL 4.60 section 4.1.7.3)";
                self.error(name.name.span, "E1004", message);
            }
            let precision = self.precision(ty, given.precision, name.name.span);
            let qualifiers = Qualifiers { precision, ..Qualifiers::default() };
            fields.push(Field { name: name.name.name, ty, span: name.name.span, qualifiers, builtin: None });
        }
    }

    /// Checks the name of a member: not reserved, not twice.
    pub(crate) fn member_name(
        &mut self,
        name: &Declarator<'_>,
        seen: &mut FxHashMap<crate::token::Symbol, Span>,
    ) {
        self.check_name(name.name, "member");
        if seen.insert(name.name.name, name.name.span).is_some() {
            let message = format!("two members are named {}", self.name(name.name.name));
            self.error(name.name.span, "E1002", message);
        }
    }

    /// Whether a type is or holds 64-bit floats.
    pub(crate) fn has_double(&self, ty: Type) -> bool {
        self.unit.types.any(ty, &mut |t| t.base() == Some(Base::Double))
    }

    /// Whether a type is or holds integers of any width, or references.
    pub(crate) fn has_integer(&self, ty: Type) -> bool {
        self.unit.types.any(ty, &mut |t| t.as_number().base().is_some_and(Base::is_integer))
    }

    /// Whether a type is or holds booleans.
    pub(crate) fn has_bool(&self, ty: Type) -> bool {
        self.unit.types.any(ty, &mut |t| t.base() == Some(Base::Bool))
    }
}
