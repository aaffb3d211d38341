//! Redeclaration of `gl_PerVertex` (GLSL 4.60 section 7.1).

use super::Checker;
use super::block::IO_BLOCKS;
use super::qualifiers::Given;
use super::redeclare::PER_VERTEX;
use super::scope::Name;
use crate::hir::{Storage, VarId};
use crate::source::Span;
use crate::syntax::{Declarator, FieldDecl, InterfaceBlock};
use crate::types::{Field, Struct, Type};
use airfoil_ir::Stage;
use rustc_hash::FxHashSet;

impl Checker<'_> {
    /// A new declaration of the built-in block of inputs or outputs.
    pub(crate) fn redeclare_per_vertex(
        &mut self,
        block: &InterfaceBlock<'_>,
        given: &Given<'_>,
        storage: Storage,
    ) {
        let span = block.name.span;
        if !self.lang.has(&IO_BLOCKS) && !self.lang.version.at_least(140, 310) {
            self.error(span, "E1003", "gl_PerVertex cannot be redeclared here (GLSL 4.60 section 7.1)");
            return;
        }
        let side = usize::from(storage == Storage::Out);
        if std::mem::replace(&mut self.state.per_vertex[side], true) {
            self.error(span, "E1002", "gl_PerVertex is redeclared twice (GLSL 4.60 section 7.1)");
            return;
        }
        if given.layout.layout.location.is_some() {
            self.error(given.span, "E1007", "gl_PerVertex has no location (GLSL 4.60 section 4.4.1)");
        }
        match (storage, self.lang.stage) {
            (Storage::In, Stage::TessControl | Stage::TessEval | Stage::Geometry) => {
                self.redeclare_array(block, "gl_in");
            }
            (Storage::Out, Stage::TessControl) => self.redeclare_array(block, "gl_out"),
            (Storage::Out, Stage::Vertex | Stage::TessEval | Stage::Geometry) => {
                self.redeclare_members(block, given)
            }
            _ => {
                let message = "this stage has no such gl_PerVertex (GLSL 4.60 section 7.1)";
                self.error(span, "E1003", message);
            }
        }
    }

    /// The type of a member of a redeclaration.
    fn member_type(&mut self, decl: &FieldDecl<'_>, name: &Declarator<'_>) -> Type {
        let base = self.resolve_type(&decl.ty.ty);
        self.array_of(base, name.dims)
    }

    /// `gl_in[]` and `gl_out[]`: the block gets another type with the members that are left.
    fn redeclare_array(&mut self, block: &InterfaceBlock<'_>, text: &str) {
        let span = block.name.span;
        let instance = block.instance.as_ref();
        if instance.is_none_or(|i| self.name(i.name.name) != text || i.dims.len() != 1) {
            self.error(
                span,
                "E1002",
                format!("gl_PerVertex must be redeclared as {text}[] (GLSL 4.60 section 7.1)"),
            );
            return;
        }
        let symbol = self.unit.names.intern(text);
        let Some(Name::Var(var)) = self.lookup(symbol, span) else {
            self.error(span, "E1003", format!("{text} is not available here (GLSL 4.60 section 7.1)"));
            return;
        };
        if self.unit[var].used || self.unit[var].written {
            let message = format!("{text} is used before it is redeclared (GLSL 4.60 section 7.1)");
            self.error(span, "E1002", message);
        }
        let Some(array) = self.unit.types.as_array(self.unit[var].ty) else { return };
        let Some(old) = self.unit.types.as_struct(array.elem).cloned() else { return };
        let mut fields: Vec<Field> = Vec::new();
        for decl in block.fields {
            let given = self.read_qualifiers(decl.ty.qualifiers);
            for name in decl.names {
                let ty = self.member_type(decl, name);
                let Some(known) = old.fields.iter().find(|f| f.name == name.name.name) else {
                    self.unknown_member(name);
                    continue;
                };
                let mut field = known.clone();
                let fits = match (self.unit.types.as_array(known.ty), self.unit.types.as_array(ty)) {
                    (Some(a), Some(b)) => a.elem == b.elem,
                    _ => known.ty == ty,
                };
                if !fits {
                    self.wrong_member(name, ty, known.ty);
                    continue;
                }
                field.ty = ty;
                field.span = name.name.span;
                field.qualifiers.interpolation =
                    given.interpolation.map(|i| i.0).or(field.qualifiers.interpolation);
                field.qualifiers.invariant |= given.invariant.is_some();
                fields.push(field);
            }
        }
        let Some(measure) = self.measure_members(&fields, span) else { return };
        let id = self.add_struct(Struct { fields, span, ..old }, measure);
        let len = match instance.and_then(|i| i.dims.first()).and_then(|d| d.size) {
            Some(_) => instance.map_or(0, |i| {
                let sized = self.array_of(Type::FLOAT, i.dims);
                self.unit.types.as_array(sized).map_or(0, |a| a.len)
            }),
            None => array.len,
        };
        self.unit[var].ty = self.unit.types.array(Type::Struct(id), len);
        self.unit[var].span = span;
        self.size_by_vertices(var);
    }

    /// Outputs without an array: the variables are declared again one by one, the others no longer exist.
    fn redeclare_members(&mut self, block: &InterfaceBlock<'_>, of_block: &Given<'_>) {
        let span = block.name.span;
        if let Some(instance) = &block.instance {
            let message =
                "the output gl_PerVertex has no instance name in this stage (GLSL 4.60 section 7.1)";
            self.error(instance.name.span, "E1002", message);
            return;
        }
        if self.state.per_vertex_member.is_some() {
            let message = "gl_PerVertex is redeclared after one of its members (GLSL 4.60 section 7.1)";
            self.error(span, "E1002", message);
            return;
        }
        for text in PER_VERTEX {
            let used = self.unit.names.get(text).and_then(|s| self.scopes.get(s)).is_some_and(|n| match n {
                Name::Var(var) => self.unit[*var].used || self.unit[*var].written,
                _ => false,
            });
            if used {
                let message =
                    format!("{text} is used before gl_PerVertex is redeclared (GLSL 4.60 section 7.1)");
                self.error(span, "E1002", message);
                return;
            }
        }
        self.state.per_vertex_members =
            block.fields.iter().flat_map(|f| f.names).map(|n| n.name.name).collect();
        let of_block = &of_block.layout.layout;
        // The offset of the block is that of its first member; the others follow (GLSL 4.60 section 4.4.2.1).
        let mut next = of_block.xfb_offset;
        let mut seen = FxHashSet::default();
        let mut fields = Vec::new();
        for decl in block.fields {
            let given = self.read_qualifiers(decl.ty.qualifiers);
            for name in decl.names {
                if !seen.insert(name.name.name) {
                    let message = format!(
                        "{} is declared twice in gl_PerVertex (GLSL 4.60 section 4.2.2)",
                        self.name(name.name.name)
                    );
                    self.error(name.name.span, "E1002", message);
                }
                let ty = self.member_type(decl, name);
                let text = self.name(name.name.name).to_owned();
                let var: Option<VarId> = match self.lookup(name.name.name, name.name.span) {
                    Some(Name::Var(var))
                        if PER_VERTEX.contains(&text.as_str()) || self.is_extra_member(&text) =>
                    {
                        Some(var)
                    }
                    _ => None,
                };
                let Some(var) = var else {
                    self.unknown_member(name);
                    continue;
                };
                if !self.resize_builtin(var, ty, &text, name.name.span) {
                    continue;
                }
                let builtin = self.unit[var].builtin;
                let bytes = self.unit.types.components(ty).saturating_mul(4);
                let q = &mut self.unit[var].qualifiers;
                q.interpolation = given.interpolation.map(|i| i.0).or(q.interpolation);
                q.invariant |= given.invariant.is_some();
                q.precise |= given.precise.is_some();
                let own = &given.layout.layout;
                q.layout.xfb_buffer = own.xfb_buffer.or(of_block.xfb_buffer).or(q.layout.xfb_buffer);
                q.layout.xfb_offset = own.xfb_offset.or(next).or(q.layout.xfb_offset);
                if own.xfb_buffer.is_none() || own.xfb_buffer == of_block.xfb_buffer {
                    q.layout.xfb_stride = own.xfb_stride.or(of_block.xfb_stride).or(q.layout.xfb_stride);
                }
                next = next.and(q.layout.xfb_offset).map(|at| at.saturating_add(bytes));
                q.layout.stream = given.layout.layout.stream.or(q.layout.stream);
                let span = name.name.span;
                fields.push(Field { name: name.name.name, ty, span, qualifiers: q.clone(), builtin });
            }
        }
        if let Some(measure) = self.measure_members(&fields, span) {
            let name = Some(block.name.name);
            let declared = Struct { name, fields, block: true, span, reference: None };
            self.unit.per_vertex_out = Some(self.add_struct(declared, measure));
        }
        self.hide_per_vertex();
    }

    /// Forgets the built-in outputs that the redeclaration does not name.
    fn hide_per_vertex(&mut self) {
        for text in PER_VERTEX {
            let Some(symbol) = self.unit.names.get(text) else { continue };
            if !self.state.per_vertex_members.contains(&symbol) {
                self.scopes.forget_global(symbol);
            }
        }
    }

    /// Members that `gl_PerVertex` has by extensions (GL_AMD_vertex_shader_layer, GL_ARB_shader_viewport_layer_array).
    fn is_extra_member(&self, text: &str) -> bool {
        self.lang.stage != Stage::Geometry && matches!(text, "gl_Layer" | "gl_ViewportIndex")
    }

    fn unknown_member(&mut self, name: &Declarator<'_>) {
        let message = format!(
            "{} is not a member of gl_PerVertex here (GLSL 4.60 section 7.1)",
            self.name(name.name.name)
        );
        self.error(name.name.span, "E1002", message);
    }

    fn wrong_member(&mut self, name: &Declarator<'_>, ty: Type, known: Type) {
        let span: Span = name.name.span;
        if ty != Type::Error {
            let message = format!(
                "{} is redeclared with type {}, but it is {} (GLSL 4.60 section 7.1)",
                self.name(name.name.name),
                self.type_name(ty),
                self.type_name(known)
            );
            self.error(span, "E1002", message);
        }
    }
}
