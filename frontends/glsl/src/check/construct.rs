//! Constructors (GLSL 4.60 section 5.4).

use super::scope::Name;
use super::{Checker, codes, constant};
use crate::extension::Ext;
use crate::hir::{ExprId, ExprKind};
use crate::source::Span;
use crate::syntax::{self, TypeKind, TypeSpec};
use crate::types::{Opaque, OpaqueKind, Type};
use smallvec::SmallVec;

/// Checked arguments.
pub(crate) type Args = SmallVec<[ExprId; 8]>;

impl Checker<'_> {
    /// `type(args)`.
    pub(crate) fn constructor(&mut self, ty: &TypeSpec<'_>, args: &[syntax::Expr<'_>], span: Span) -> ExprId {
        // `f[i](args)` looks like the constructor of an array, and calls an element of an array of subroutine uniforms.
        if let TypeKind::Named(name) = ty.kind
            && let Some(Name::Var(var)) = self.scopes.get(name)
        {
            let var = *var;
            if self.unit[var].qualifiers.subroutine.is_some() {
                return self.call_subroutine_element(var, ty, args, span);
            }
        }
        if let TypeKind::Struct(_) = ty.kind {
            let message = "a structure must be declared before it is constructed (GLSL 4.60 section 5.4.3)";
            self.error(ty.span, codes::CONSTRUCTOR, message);
        }
        let ty = self.resolve_type(ty);
        let values: Args = args.iter().map(|a| self.expr(a)).collect();
        self.construct(ty, values, args, span)
    }

    /// A constructor with checked arguments; `exprs` has the position of each.
    pub(crate) fn construct(
        &mut self,
        ty: Type,
        args: Args,
        exprs: &[syntax::Expr<'_>],
        span: Span,
    ) -> ExprId {
        if ty == Type::Error || args.iter().any(|&a| self.ty(a) == Type::Error) {
            return self.unit.add_expr(ExprKind::Error, Type::Error, span.lo);
        }
        if let Some(result) = self.construct_with_reference(ty, &args, span) {
            return result;
        }
        let result = match ty {
            Type::Vector { .. } | Type::Matrix { .. } => {
                self.construct_numbers(ty, &args, exprs).map(|()| (ty, args))
            }
            Type::Array(_) => self.construct_array(ty, args, exprs),
            Type::Struct(_) => self.construct_struct(ty, args, exprs).map(|args| (ty, args)),
            Type::Opaque(o) => self.construct_opaque(o, &args).map(|()| (ty, args)),
            Type::Reference(_) => Err((None, "it needs a uint64_t or another reference".to_owned())),
            Type::Void | Type::Error => Err((None, "void has no constructor".to_owned())),
        };
        match result {
            Ok((ty, args)) => self.constructed(ty, &args, span),
            Err((at, why)) => {
                let name = self.type_name(ty);
                let message = format!("cannot construct {name}: {why} (GLSL 4.60 section 5.4)");
                self.error_expr(at.unwrap_or(span), codes::CONSTRUCTOR, message)
            }
        }
    }

    /// The expression of a constructor whose arguments are right.
    pub(crate) fn constructed(&mut self, ty: Type, args: &[ExprId], span: Span) -> ExprId {
        let operands: Option<SmallVec<[_; 8]>> = args.iter().map(|&a| self.operand(a)).collect();
        if let Some(value) = operands.and_then(|operands| constant::construct(ty, &operands)) {
            return self.folded(ty, value, args, span.lo);
        }
        let list = self.unit.add_list(args);
        self.unit.add_expr(ExprKind::Construct(list), ty, span.lo)
    }

    /// Scalars, vectors and matrices.
    fn construct_numbers(
        &mut self,
        ty: Type,
        args: &[ExprId],
        exprs: &[syntax::Expr<'_>],
    ) -> Result<(), (Option<Span>, String)> {
        let needed = self.unit.types.components(ty);
        if args.is_empty() {
            return Err((None, "it needs an argument".to_owned()));
        }
        let mut given = 0;
        for (&arg, expr) in args.iter().zip(exprs) {
            let from = self.ty(arg);
            if from.base().is_none() {
                let why = format!("{} has no components", self.type_name(from));
                return Err((Some(expr.span), why));
            }
            if given >= needed {
                return Err((Some(expr.span), "this argument is not used: there are too many".to_owned()));
            }
            if ty.is_matrix() && from.is_matrix() {
                if args.len() > 1 {
                    return Err((Some(expr.span), "a matrix must be the only argument".to_owned()));
                }
                if !self.lang.version.at_least(120, 100) {
                    let why = "matrices are made from matrices since GLSL 1.20".to_owned();
                    return Err((Some(expr.span), why));
                }
                return Ok(());
            }
            given += self.unit.types.components(from);
        }
        let single_scalar = args.len() == 1 && self.ty(args[0]).is_scalar();
        if given < needed && !single_scalar {
            return Err((None, format!("expected {needed} components, found {given}")));
        }
        Ok(())
    }

    fn construct_array(
        &mut self,
        ty: Type,
        args: Args,
        exprs: &[syntax::Expr<'_>],
    ) -> Result<(Type, Args), (Option<Span>, String)> {
        if !self.lang.version.at_least(120, 300) {
            return Err((None, "arrays are constructed since GLSL 1.20 and GLSL ES 3.00".to_owned()));
        }
        let Some(array) = self.unit.types.as_array(ty) else { return Ok((ty, args)) };
        if self.unit.types.has_opaque(ty) {
            return Err((None, "opaque types have no constructors".to_owned()));
        }
        if args.is_empty() {
            return Err((None, "it needs an argument for each element".to_owned()));
        }
        if array.len != 0 && array.len as usize != args.len() {
            return Err((None, format!("expected {} elements, found {}", array.len, args.len())));
        }
        // An element without a size gets the one of the first argument.
        let elem = self.sized_like(array.elem, self.ty(args[0]));
        let mut converted = Args::new();
        for (&arg, expr) in args.iter().zip(exprs) {
            converted.push(self.element_of(arg, elem, expr.span)?);
        }
        Ok((self.unit.types.array(elem, args.len() as u32), converted))
    }

    fn element_of(&mut self, arg: ExprId, ty: Type, span: Span) -> Result<ExprId, (Option<Span>, String)> {
        let from = self.ty(arg);
        self.convert(arg, ty).ok_or_else(|| {
            let why = format!("expected {1}, found {0}", self.type_name(from), self.type_name(ty));
            (Some(span), why)
        })
    }

    /// The type with the sizes of arrays that it leaves open taken from another one.
    pub(crate) fn sized_like(&mut self, ty: Type, from: Type) -> Type {
        let (Some(a), Some(b)) = (self.unit.types.as_array(ty), self.unit.types.as_array(from)) else {
            return ty;
        };
        let elem = self.sized_like(a.elem, b.elem);
        let len = if a.len == 0 { b.len } else { a.len };
        self.unit.types.array(elem, len)
    }

    fn construct_struct(
        &mut self,
        ty: Type,
        args: Args,
        exprs: &[syntax::Expr<'_>],
    ) -> Result<Args, (Option<Span>, String)> {
        let Some(s) = self.unit.types.as_struct(ty) else { return Ok(args) };
        if s.block {
            return Err((None, "a block has no constructor".to_owned()));
        }
        let types: SmallVec<[Type; 8]> = s.fields.iter().map(|f| f.ty).collect();
        if self.unit.types.has_opaque(ty) {
            return Err((None, "opaque types have no constructors".to_owned()));
        }
        if types.len() != args.len() {
            return Err((None, format!("expected {} members, found {}", types.len(), args.len())));
        }
        let mut converted = Args::new();
        for ((&arg, ty), expr) in args.iter().zip(types).zip(exprs) {
            converted.push(self.element_of(arg, ty, expr.span)?);
        }
        Ok(converted)
    }

    /// Vulkan: a texture with a sampler (`GL_KHR_vulkan_glsl`).
    fn construct_opaque(&mut self, ty: Opaque, args: &[ExprId]) -> Result<(), (Option<Span>, String)> {
        let types: SmallVec<[Type; 2]> = args.iter().map(|&a| self.ty(a)).collect();
        if !self.lang.vulkan || !self.lang.ext(Ext::KHR_vulkan_glsl) || ty.kind != OpaqueKind::Sampled {
            return Err((None, "opaque types have no constructors".to_owned()));
        }
        let [Type::Opaque(texture), Type::Opaque(sampler)] = types[..] else {
            return Err((None, "it needs a texture and a sampler".to_owned()));
        };
        let fits = texture == Opaque { kind: OpaqueKind::Texture, shadow: false, ..ty };
        if !fits {
            return Err((None, format!("{} is another kind of texture", self.type_name(types[0]))));
        }
        if sampler.kind != OpaqueKind::Sampler || sampler.shadow && !ty.shadow {
            return Err((None, format!("{} is not a sampler for this texture", self.type_name(types[1]))));
        }
        Ok(())
    }
}
