//! Parts of values: members, swizzles, elements, `.length()` (GLSL 4.60 sections 5.5 to 5.7 and 5.10).

use super::{Checker, codes, constant};
use crate::extension::Ext;
use crate::hir::{ExprId, ExprKind, Memory, Storage, Swizzle};
use crate::source::Span;
use crate::syntax::{self, BinaryOp, Ident};
use crate::types::{OpaqueKind, Type};
use crate::version::NEVER;
use airfoil_ir::Stage;
use airfoil_ir::diag::nearest;

/// The three sets of names of components.
const COMPONENT_SETS: [&[u8; 4]; 3] = [b"xyzw", b"rgba", b"stpq"];

/// Extensions that let samplers and blocks be indexed dynamically in ES.
const GPU_SHADER5_ES: &[Ext] = &[Ext::EXT_gpu_shader5, Ext::OES_gpu_shader5];

impl Checker<'_> {
    /// `base.name`.
    pub(crate) fn member(&mut self, base: &syntax::Expr<'_>, name: Ident, span: Span) -> ExprId {
        let mut value = self.place(base);
        if let Type::Reference(id) = self.ty(value) {
            value = self.dereference(value, id, base.span);
        }
        let ty = self.ty(value);
        match ty {
            Type::Error => value,
            Type::Struct(id) => {
                let fields = &self.unit.types.structs[id.0 as usize].fields;
                match fields.iter().position(|f| f.name == name.name) {
                    Some(i) => self.field(value, i as u32, span),
                    None => {
                        let names = fields.iter().map(|f| &self.unit.names[f.name]);
                        let near = nearest(&self.unit.names[name.name], names);
                        let near = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
                        let message = format!(
                            "{} has no member `{}`{near}",
                            self.type_name(ty),
                            &self.unit.names[name.name]
                        );
                        self.error_expr(name.span, codes::MEMBER, message)
                    }
                }
            }
            Type::Vector { .. } => self.swizzle(value, name, span),
            _ => {
                let message = format!(
                    "{} has no members, so no `{}` (GLSL 4.60 section 5.7)",
                    self.type_name(ty),
                    &self.unit.names[name.name]
                );
                self.error_expr(name.span, codes::MEMBER, message)
            }
        }
    }

    /// Member `field` of a structure or block.
    pub(crate) fn field(&mut self, base: ExprId, field: u32, span: Span) -> ExprId {
        let Some(s) = self.unit.types.as_struct(self.ty(base)) else {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        };
        let Some(ty) = s.fields.get(field as usize).map(|f| f.ty) else {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        };
        if self.as_const(base).is_some() {
            let before = &s.fields[..field as usize];
            let start = before.iter().fold(0u32, |n, f| n.saturating_add(self.unit.types.components(f.ty)));
            if let Some(part) = self.const_part(base, start, ty, span.lo) {
                return part;
            }
        }
        self.unit.add_expr(ExprKind::Field(base, field), ty, span.lo)
    }

    fn swizzle(&mut self, value: ExprId, name: Ident, span: Span) -> ExprId {
        let ty = self.ty(value);
        let Type::Vector { base, size } = ty else { return value };
        let text = &self.unit.names[name.name];
        let set = COMPONENT_SETS.iter().find(|set| text.bytes().all(|c| set.contains(&c)));
        let why = match set {
            None => Some(
                "components are named by letters of one of the sets xyzw, rgba and stpq (GLSL 4.60 section 5.5)",
            ),
            Some(_) if text.len() > 4 => Some("at most four components can be named (GLSL 4.60 section 5.5)"),
            Some(set)
                if text.bytes().any(|c| set.iter().position(|&s| s == c) >= Some(usize::from(size))) =>
            {
                Some("it has fewer components (GLSL 4.60 section 5.5)")
            }
            Some(_) => None,
        };
        if let Some(why) = why {
            let message = format!("{} has no `{text}`: {why}", self.type_name(ty));
            return self.error_expr(name.span, codes::MEMBER, message);
        }
        if size == 1 && !self.has_420pack() {
            let message =
                format!("{} has no `{text}`: scalars have components since GLSL 4.20", self.type_name(ty));
            return self.error_expr(name.span, codes::VERSION, message);
        }
        let mut swizzle = Swizzle { comps: [0; 4], len: text.len() as u8 };
        for (comp, c) in swizzle.comps.iter_mut().zip(text.bytes()) {
            *comp = set.and_then(|set| set.iter().position(|&s| s == c)).unwrap_or(0) as u8;
        }
        let result = Type::vector(base, swizzle.len);
        if let Some(o) = self.operand(value) {
            let parts: Option<Box<[u64]>> =
                swizzle.as_slice().iter().map(|&c| o.scalars.get(usize::from(c)).copied()).collect();
            if let Some(parts) = parts {
                return self.folded(result, parts, &[value], span.lo);
            }
        }
        self.unit.add_expr(ExprKind::Swizzle(value, swizzle), result, span.lo)
    }

    /// Whether the additions of GLSL 4.20 to expressions are available.
    pub(crate) fn has_420pack(&self) -> bool {
        self.lang.version.at_least(420, NEVER) || self.lang.ext(Ext::ARB_shading_language_420pack)
    }

    /// `base.name(args)`: only `length` exists.
    pub(crate) fn method(
        &mut self,
        base: &syntax::Expr<'_>,
        name: Ident,
        args: &[syntax::Expr<'_>],
        span: Span,
    ) -> ExprId {
        let value = self.place(base);
        for arg in args {
            self.expr(arg);
        }
        let ty = self.ty(value);
        if ty == Type::Error {
            return value;
        }
        if &self.unit.names[name.name] != "length" {
            let message =
                format!("unknown method `{}`: length() is the only one", &self.unit.names[name.name]);
            return self.error_expr(name.span, codes::MEMBER, message);
        }
        if !args.is_empty() {
            return self.error_expr(
                span,
                codes::CALL,
                "length() takes no arguments (GLSL 4.60 section 4.1.9)",
            );
        }
        let len = match ty {
            Type::Array(id) => {
                if !self.lang.version.at_least(120, 300) {
                    let message = "length() of arrays exists since GLSL 1.20 and GLSL ES 3.00 (section 5.7)";
                    return self.error_expr(span, codes::VERSION, message);
                }
                let len = self.unit.types.get_array(id).len;
                if len == 0 {
                    if self.is_runtime_array(value) {
                        if self.memory_of(value).contains(Memory::WRITEONLY) && self.lang.version.is_es() {
                            let message =
                                "length() of a writeonly array is not known (GLSL ES 3.10 section 4.9)";
                            return self.error_expr(span, codes::VALUE, message);
                        }
                        return self.unit.add_expr(ExprKind::Length(value), Type::INT, span.lo);
                    }
                    if self.lang.version.at_least(430, NEVER) && self.is_sized_by_linking(value) {
                        return self.unit.add_expr(ExprKind::Length(value), Type::INT, span.lo);
                    }
                    let message =
                        "length() of an array whose size is not declared yet (GLSL 4.60 section 4.1.9)";
                    return self.error_expr(span, codes::INDEX, message);
                }
                len
            }
            Type::Vector { size: 2.., .. } | Type::Matrix { .. } if self.has_420pack() => match ty {
                Type::Vector { size, .. } => u32::from(size),
                Type::Matrix { cols, .. } => u32::from(cols),
                _ => 0,
            },
            Type::Vector { size: 2.., .. } | Type::Matrix { .. } => {
                let message = "length() of vectors and matrices exists since GLSL 4.20 (section 5.5)";
                return self.error_expr(span, codes::VERSION, message);
            }
            _ => {
                let message = format!("{} has no length()", self.type_name(ty));
                return self.error_expr(span, codes::MEMBER, message);
            }
        };
        self.const_expr(Type::INT, Box::new([u64::from(len)]), span.lo)
    }

    /// Whether the linker gives an array without size its length: from the indices in use, unless it
    /// is indexed by vertex, where a layout qualifier gives the size.
    fn is_sized_by_linking(&self, expr: ExprId) -> bool {
        let var = match self.unit[expr].kind {
            ExprKind::Var(var) => Some(var),
            ExprKind::Field(block, _) => self.root(block),
            _ => None,
        };
        var.is_some_and(|var| {
            let v = &self.unit[var];
            let by_vertex = matches!(
                (self.lang.stage, v.qualifiers.storage),
                (Stage::TessControl | Stage::TessEval | Stage::Geometry, Storage::In)
                    | (Stage::TessControl, Storage::Out)
            );
            !self.lang.vulkan && !by_vertex && !v.qualifiers.storage.is_param()
        })
    }

    /// Whether an array without size is the last member of a buffer block, so that its length is known at run time.
    fn is_runtime_array(&self, expr: ExprId) -> bool {
        let ExprKind::Field(block, field) = self.unit[expr].kind else {
            // An array of resources without size (Vulkan) has no length.
            return false;
        };
        let is_last = match self.unit.types.as_struct(self.ty(block)) {
            Some(s) => s.block && field as usize + 1 == s.fields.len(),
            None => false,
        };
        is_last && self.root(block).is_some_and(|v| self.unit[v].qualifiers.storage == Storage::Buffer)
    }

    /// `base[index]`.
    pub(crate) fn index(&mut self, base: &syntax::Expr<'_>, index: &syntax::Expr<'_>, span: Span) -> ExprId {
        let value = self.place(base);
        let at = self.expr(index);
        let (ty, index_ty) = (self.ty(value), self.ty(at));
        if ty == Type::Error || index_ty == Type::Error {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        if let Type::Reference(_) = ty {
            self.readable(value, base.span);
            return self.binary(BinaryOp::Add, value, at, span);
        }
        let Some(element) = self.unit.types.element(ty) else {
            let message = format!("{} cannot be indexed (GLSL 4.60 section 5.7)", self.type_name(ty));
            return self.error_expr(base.span, codes::INDEX, message);
        };
        if !matches!(index_ty, Type::Vector { base, size: 1 } if base.is_integer()) {
            let message = format!(
                "an index must be an int or uint, not {} (GLSL 4.60 section 5.7)",
                self.type_name(index_ty)
            );
            return self.error_expr(index.span, codes::INDEX, message);
        }
        match self.int_const(at) {
            Some(i) => {
                if !self.index_in_range(value, ty, i, index.span) {
                    return self.unit.add_expr(ExprKind::Error, element, span.lo);
                }
                if self.as_const(value).is_some() {
                    let size = self.unit.types.components(element);
                    let start = u32::try_from(i).unwrap_or(u32::MAX).saturating_mul(size);
                    if let Some(part) = self.const_part(value, start, element, span.lo) {
                        return part;
                    }
                }
            }
            None => {
                if let Some(why) = self.must_be_constant(value, ty) {
                    self.error(index.span, codes::INDEX, why);
                    return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
                }
                self.es100_indexing(value, at, index.span);
                self.note_unbounded(value, ty);
            }
        }
        self.unit.add_expr(ExprKind::Index(value, at), element, span.lo)
    }

    /// Checks a constant index against the size; notes it where the size is not declared.
    fn index_in_range(&mut self, value: ExprId, ty: Type, i: i64, span: Span) -> bool {
        let len = match ty {
            Type::Array(id) => self.unit.types.get_array(id).len,
            Type::Matrix { cols, .. } => u32::from(cols),
            Type::Vector { size, .. } => u32::from(size),
            _ => return true,
        };
        let unsized_array = len == 0;
        if i < 0 || !unsized_array && i >= i64::from(len) {
            let message = if i < 0 {
                format!("index {i} is negative (GLSL 4.60 section 5.7)")
            } else {
                format!(
                    "index {i} is out of range: {} has {len} elements (GLSL 4.60 section 5.7)",
                    self.type_name(ty)
                )
            };
            self.error(span, codes::INDEX, message);
            return false;
        }
        let Ok(needed) = u32::try_from(i + 1) else {
            self.error(span, codes::INDEX, format!("index {i} is too large"));
            return false;
        };
        if unsized_array {
            self.note_min_len(value, needed);
        }
        true
    }

    /// Records that an array of resources without a size is indexed by a variable.
    fn note_unbounded(&mut self, array: ExprId, ty: Type) {
        if self.lang.ext(Ext::EXT_nonuniform_qualifier)
            && self.is_unsized(ty)
            && let ExprKind::Var(var) = self.unit[array].kind
        {
            let v = &mut self.unit[var];
            v.is_unbounded |= matches!(v.qualifiers.storage, Storage::Uniform | Storage::Buffer);
        }
    }

    /// Records that an array whose size is not declared has at least `len` elements.
    fn note_min_len(&mut self, array: ExprId, len: u32) {
        match self.unit[array].kind {
            ExprKind::Var(var) => {
                let v = &mut self.unit[var];
                v.min_len = v.min_len.max(len);
            }
            ExprKind::Field(block, field) => {
                if let Some(var) = self.root(block) {
                    let list = &mut self.unit[var].field_min_len;
                    match list.iter_mut().find(|(f, _)| *f == field) {
                        Some((_, n)) => *n = (*n).max(len),
                        None => list.push((field, len)),
                    }
                }
            }
            _ => {}
        }
    }

    /// Why an index into this must be a constant expression, if it must.
    fn must_be_constant(&self, value: ExprId, ty: Type) -> Option<&'static str> {
        let Type::Array(id) = ty else { return None };
        let version = self.lang.version;
        let array = self.unit.types.get_array(id);
        let root = self.root(value);
        let storage = root.map(|v| self.unit[v].qualifiers.storage);
        if array.len == 0
            && !self.is_runtime_array(value)
            && !self.is_sized_by_stage(value)
            && !self.lang.vulkan
        {
            return Some(
                "an array without a size can only be indexed by constant expressions (GLSL 4.60 section 4.1.9)",
            );
        }
        let gpu_shader5 = version.at_least(400, 320)
            || self.lang.extensions.contains_any(GPU_SHADER5_ES)
            || self.lang.ext(Ext::ARB_gpu_shader5);
        match self.unit.types.without_arrays(array.elem) {
            _ if gpu_shader5 => {}
            Type::Opaque(o) => match o.kind {
                OpaqueKind::Sampled if version.at_least(130, 300) => {
                    return Some(
                        "an array of samplers can only be indexed by constant expressions before GLSL 4.00 and GLSL ES 3.20 (section 4.1.7)",
                    );
                }
                OpaqueKind::Image if version.is_es() => {
                    return Some(
                        "an array of images can only be indexed by constant expressions (GLSL ES 3.10 section 4.1.7)",
                    );
                }
                _ => {}
            },
            Type::Struct(s) if self.unit.types.structs[s.0 as usize].block => match storage {
                Some(Storage::Uniform) => {
                    return Some(
                        "an array of uniform blocks can only be indexed by constant expressions before GLSL 4.00 and GLSL ES 3.20 (section 4.3.9)",
                    );
                }
                Some(Storage::Buffer) => {
                    return Some(
                        "an array of buffer blocks can only be indexed by constant expressions before GLSL 4.00 and GLSL ES 3.20 (section 4.3.9)",
                    );
                }
                _ => {}
            },
            _ => {}
        }
        let fragment_output = version.at_least(NEVER, 300)
            && self.unit.stage == Stage::Fragment
            && storage == Some(Storage::Out)
            && root.is_some_and(|v| self.unit[v].builtin.is_none());
        if version.is_es() && fragment_output {
            return Some(
                "an array of fragment outputs can only be indexed by constant expressions (GLSL ES 3.00 section 4.3.6)",
            );
        }
        None
    }

    /// Whether an array gets its size from the primitives of the stage: per-vertex inputs and outputs.
    fn is_sized_by_stage(&self, value: ExprId) -> bool {
        let ExprKind::Var(var) = self.unit[value].kind else { return false };
        let q = &self.unit[var].qualifiers;
        let stage = self.unit.stage;
        !q.patch
            && match q.storage {
                Storage::In => matches!(stage, Stage::TessControl | Stage::TessEval),
                Storage::Out => stage == Stage::TessControl,
                _ => false,
            }
    }

    /// The value of a constant integer expression, if it is one: for arguments with a range.
    pub(crate) fn const_ints(&self, expr: ExprId) -> Option<Vec<i64>> {
        let c = &self.unit[self.as_const(expr)?];
        let base = self.unit.types.without_arrays(c.ty).base().filter(|b| b.is_integer())?;
        Some(c.scalars.iter().map(|&x| constant::int_value(base, x)).collect())
    }
}
