//! L-values (GLSL 4.60 section 5.8) and readability.

use super::{Checker, codes};
use crate::builtin::BuiltinVar;
use crate::hir::{ExprId, ExprKind, Memory, Storage, VarId};
use crate::source::Span;
use crate::types::Type;
use airfoil_ir::Stage;

impl Checker<'_> {
    /// The variable that an expression names a part of.
    pub(crate) fn root(&self, mut expr: ExprId) -> Option<VarId> {
        loop {
            match self.unit[expr].kind {
                ExprKind::Var(var) => return Some(var),
                ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) => {
                    expr = base
                }
                _ => return None,
            }
        }
    }

    /// Memory qualifiers of an expression: those of its variable and of the members in its path.
    pub(crate) fn memory_of(&self, mut expr: ExprId) -> Memory {
        let mut memory = Memory::empty();
        loop {
            match self.unit[expr].kind {
                ExprKind::Var(var) => return memory | self.unit[var].qualifiers.memory,
                ExprKind::Field(base, field) => {
                    if let Some(s) = self.unit.types.as_struct(self.ty(base)) {
                        memory |=
                            s.fields.get(field as usize).map_or(Memory::empty(), |f| f.qualifiers.memory);
                    }
                    expr = base;
                }
                ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) => expr = base,
                _ => return memory,
            }
        }
    }

    /// Records that a variable is named in a function.
    pub(crate) fn mark_read(&mut self, var: VarId) {
        self.unit[var].used = true;
    }

    /// Records that a variable is written.
    pub(crate) fn mark_written(&mut self, var: VarId) {
        let var = &mut self.unit[var];
        var.used = true;
        var.written = true;
    }

    /// Why a variable cannot be written.
    fn why_constant(&self, var: VarId) -> Option<&'static str> {
        let v = &self.unit[var];
        Some(match v.qualifiers.storage {
            Storage::Const => "it is const",
            Storage::In if self.unit.stage == Stage::Vertex && v.builtin.is_none() => {
                "it is a vertex attribute, which is read-only"
            }
            Storage::In => "it is an input of the stage, which is read-only",
            Storage::Uniform => "it is uniform, which is read-only",
            Storage::ParamConst => "it is a const parameter",
            Storage::Buffer if v.qualifiers.memory.contains(Memory::READONLY) => "it is readonly",
            Storage::Local | Storage::Global if v.qualifiers.constant => "it is const",
            _ => return None,
        })
    }

    /// Checks that an expression can be written and marks its variable as written; `what` names the operation (`assign
    /// to`).
    pub(crate) fn lvalue(&mut self, expr: ExprId, span: Span, what: &str) -> bool {
        let mut cur = expr;
        // The outermost index that was passed: for outputs of tessellation control the vertex.
        let mut vertex = None;
        let why = loop {
            match self.unit[cur].kind {
                ExprKind::Error => return false,
                ExprKind::Var(var) => {
                    let name = self.unit.names[self.unit[var].name].to_owned();
                    if let Some(why) = self.why_constant(var) {
                        let message = format!("cannot {what} `{name}`: {why} (GLSL 4.60 section 5.8)");
                        self.error(span, codes::LVALUE, message);
                        return false;
                    }
                    if !self.vertex_is_own(var, vertex) {
                        let message = format!(
                            "cannot {what} `{name}`: outputs of a vertex are written at [gl_InvocationID] only (GLSL 4.60 section 4.3.6)"
                        );
                        self.error(span, codes::LVALUE, message);
                        return false;
                    }
                    self.es100_write(var, span);
                    self.mark_written(var);
                    break self.whole_unwritable(self.ty(expr));
                }
                ExprKind::Field(base, field) => {
                    let field = self.unit.types.as_struct(self.ty(base)).map(|s| &s.fields[field as usize]);
                    if field.is_some_and(|f| f.qualifiers.memory.contains(Memory::READONLY)) {
                        break Some("it is readonly");
                    }
                    cur = base;
                }
                ExprKind::Index(base, index) => {
                    vertex = Some(index);
                    cur = base;
                }
                ExprKind::Swizzle(base, swizzle) => {
                    let comps = swizzle.as_slice();
                    if comps.iter().enumerate().any(|(i, c)| comps[..i].contains(c)) {
                        break Some("a component is named twice");
                    }
                    cur = base;
                }
                ExprKind::Dereference(_) => break self.whole_unwritable(self.ty(expr)),
                ExprKind::Const(_) => break Some("it is constant"),
                ExprKind::Select(..) => break Some("`?:` does not yield an l-value"),
                ExprKind::Comma(..) => break Some("`,` does not yield an l-value"),
                ExprKind::Call(..) | ExprKind::CallSubroutine(..) | ExprKind::Builtin(..) => {
                    break Some("a function call is not an l-value");
                }
                ExprKind::Construct(_) => break Some("a constructor is not an l-value"),
                _ => break Some("an operator does not yield an l-value"),
            }
        };
        if let Some(why) = why {
            self.error(span, codes::LVALUE, format!("cannot {what} this: {why} (GLSL 4.60 section 5.8)"));
            return false;
        }
        true
    }

    /// Why something is not written as a whole because of its type.
    fn whole_unwritable(&self, ty: Type) -> Option<&'static str> {
        if self.unit.types.has_opaque(ty) {
            return Some("opaque types are not l-values");
        }
        if self.unit.types.as_struct(self.unit.types.without_arrays(ty)).is_some_and(|s| s.block) {
            return Some("a block cannot be written as a whole");
        }
        if self.unit.types.as_array(ty).is_some_and(|a| a.len == 0) {
            return Some("its size is not known");
        }
        None
    }

    /// Tessellation control writes outputs of its own vertex only.
    fn vertex_is_own(&self, var: VarId, index: Option<ExprId>) -> bool {
        let v = &self.unit[var];
        let per_vertex = self.unit.stage == Stage::TessControl
            && v.qualifiers.storage == Storage::Out
            && !v.qualifiers.patch
            && v.ty.is_array();
        if !per_vertex {
            return true;
        }
        let Some(index) = index else { return false };
        match self.unit[index].kind {
            ExprKind::Var(i) => self.unit[i].builtin == Some(BuiltinVar::InvocationId),
            ExprKind::Error => true,
            _ => false,
        }
    }

    /// Checks that an expression has a value that can be read.
    pub(crate) fn readable(&mut self, expr: ExprId, span: Span) {
        let why = match self.unit[expr].kind {
            ExprKind::Var(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Swizzle(..) => {
                self.why_unreadable(expr)
            }
            _ => None,
        };
        if let Some(why) = why {
            self.error(span, codes::VALUE, why);
            self.unit[expr].kind = ExprKind::Error;
            self.unit[expr].ty = Type::Error;
        }
    }

    fn why_unreadable(&self, expr: ExprId) -> Option<&'static str> {
        let ty = self.ty(expr);
        if let Type::Array(id) = ty
            && self.unit.types.get_array(id).len == 0
        {
            return Some(
                "an array without a size can only be indexed or asked for its length (GLSL 4.60 section 4.1.9)",
            );
        }
        if let Some(s) = self.unit.types.as_struct(ty)
            && s.block
        {
            return Some("a block is not a value: name a member (GLSL 4.60 section 4.3.9)");
        }
        let writeonly = self.memory_of(expr).contains(Memory::WRITEONLY);
        let Some(var) = self.root(expr) else {
            let why = "it is writeonly, it cannot be read (GLSL 4.60 section 4.10)";
            return (writeonly && self.is_in_referenced_block(expr)).then_some(why);
        };
        let v = &self.unit[var];
        if v.qualifiers.subroutine.is_some() {
            return Some("a subroutine uniform can only be called (GLSL 4.60 section 6.1.2)");
        }
        if v.qualifiers.storage == Storage::Buffer && writeonly {
            return Some("it is writeonly, it cannot be read (GLSL 4.60 section 4.10)");
        }
        None
    }
}
