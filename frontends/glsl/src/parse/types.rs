//! Types, qualifiers, structures and declared names.

use super::{Parse, Parser, Reported};
use crate::basic_types::BASIC_TYPES;
use crate::syntax::*;
use crate::token::{Symbol, Tok};
use crate::types::Type;
use smallvec::SmallVec;

/// Whether a keyword is a qualifier. `precise` and `invariant` are.
pub(super) fn is_qualifier(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Attribute
            | Tok::Varying
            | Tok::Const
            | Tok::Uniform
            | Tok::Buffer
            | Tok::Shared
            | Tok::In
            | Tok::Out
            | Tok::Inout
            | Tok::Layout
            | Tok::Centroid
            | Tok::Flat
            | Tok::Smooth
            | Tok::Noperspective
            | Tok::Patch
            | Tok::Sample
            | Tok::Invariant
            | Tok::Precise
            | Tok::Coherent
            | Tok::Volatile
            | Tok::Restrict
            | Tok::Readonly
            | Tok::Writeonly
            | Tok::Devicecoherent
            | Tok::Queuefamilycoherent
            | Tok::Workgroupcoherent
            | Tok::Subgroupcoherent
            | Tok::Nonprivate
            | Tok::Nonuniform
            | Tok::Pervertex
            | Tok::Perprimitive
            | Tok::TaskPayloadShared
            | Tok::Lowp
            | Tok::Mediump
            | Tok::Highp
            | Tok::Superp
            | Tok::Subroutine
    )
}

impl<'a> Parser<'a, '_> {
    /// Zero or more qualifiers.
    pub(super) fn qualifiers(&mut self) -> Parse<&'a [Qualifier<'a>]> {
        if !is_qualifier(self.tok()) {
            return Ok(&[]);
        }
        let mut list: SmallVec<[Qualifier<'a>; 4]> = SmallVec::new();
        while is_qualifier(self.tok()) {
            // `nonuniformEXT(x)` is an expression.
            if self.tok() == Tok::Nonuniform && self.ahead(1) == Tok::LParen {
                break;
            }
            let token = self.advance();
            let kind = match token.tok {
                Tok::Layout => QualifierKind::Layout(self.layout()?),
                Tok::Subroutine if self.tok() == Tok::LParen => {
                    self.advance();
                    let names = self.comma_list(|p| p.ident("the name of a subroutine type"))?;
                    self.expect(Tok::RParen)?;
                    QualifierKind::Subroutine(self.slice(&names))
                }
                word => QualifierKind::Word(word),
            };
            list.push(Qualifier { kind, span: token.span().to(self.previous()) });
        }
        Ok(self.slice(&list))
    }

    /// `(id, id = value, ...)` after `layout`.
    fn layout(&mut self) -> Parse<&'a [LayoutId<'a>]> {
        self.expect(Tok::LParen)?;
        let list = self.comma_list(|p| {
            let token = p.token();
            let name = if token.tok == Tok::Shared {
                // The one keyword among layout identifiers.
                p.advance();
                Ident { name: p.names.intern("shared"), span: token.span() }
            } else if token.tok == Tok::Reserved && &p.names[Symbol(token.data)] == "packed" {
                // Reserved everywhere else in versions that have blocks by extension only.
                p.advance();
                Ident { name: Symbol(token.data), span: token.span() }
            } else {
                p.ident("a layout identifier")?
            };
            let value = if p.eat(Tok::Equal) { Some(p.conditional_ref()?) } else { None };
            Ok(LayoutId { name, value })
        })?;
        self.expect(Tok::RParen)?;
        Ok(self.slice(&list))
    }

    /// A type with the dimensions that follow it directly.
    pub(super) fn type_spec(&mut self) -> Parse<TypeSpec<'a>> {
        let token = self.token();
        let kind = match token.tok {
            Tok::Void => {
                self.advance();
                TypeKind::Void
            }
            Tok::Type => {
                self.advance();
                TypeKind::Basic(BASIC_TYPES[token.data as usize].ty)
            }
            Tok::Ident => {
                self.advance();
                TypeKind::Named(Symbol(token.data))
            }
            Tok::Reserved if self.at_unsigned_int() => {
                self.advance();
                let base = self.advance();
                match BASIC_TYPES[base.data as usize].ty {
                    Type::INT => TypeKind::Basic(Type::UINT),
                    _ => {
                        let message = "`unsigned` can only be combined with `int` (GL_EXT_gpu_shader4)";
                        self.diags.error(base.span(), "E0703", message);
                        return Err(Reported);
                    }
                }
            }
            Tok::Struct => TypeKind::Struct(self.nested(Self::struct_spec)?),
            _ => return Err(self.unexpected("a type")),
        };
        let dims = self.dims()?;
        Ok(TypeSpec { kind, dims, span: token.span().to(self.previous()) })
    }

    /// Qualifiers and a type.
    pub(super) fn full_type(&mut self) -> Parse<FullType<'a>> {
        let qualifiers = self.qualifiers()?;
        let ty = self.type_spec()?;
        Ok(FullType { qualifiers, ty })
    }

    /// `[a][b]...`, possibly none.
    pub(super) fn dims(&mut self) -> Parse<&'a [Dim<'a>]> {
        if self.tok() != Tok::LBracket {
            return Ok(&[]);
        }
        let mut dims: SmallVec<[Dim<'a>; 4]> = SmallVec::new();
        while self.tok() == Tok::LBracket {
            let start = self.advance().span();
            let size = if self.tok() == Tok::RBracket { None } else { Some(self.conditional_ref()?) };
            let end = self.expect(Tok::RBracket)?;
            dims.push(Dim { size, span: start.to(end) });
            if dims.len() > MAX_DEPTH as usize {
                return Err(self.too_deep(start));
            }
        }
        Ok(self.slice(&dims))
    }

    fn struct_spec(&mut self) -> Parse<&'a StructSpec<'a>> {
        let start = self.expect(Tok::Struct)?;
        let name =
            if self.tok() == Tok::LBrace { None } else { Some(self.ident("the name of a structure")?) };
        let fields = self.fields()?;
        Ok(self.bump.alloc(StructSpec { name, fields, span: start.to(self.previous()) }))
    }

    /// `{ members }`, at least one.
    pub(super) fn fields(&mut self) -> Parse<&'a [FieldDecl<'a>]> {
        self.expect(Tok::LBrace)?;
        let mut fields: SmallVec<[FieldDecl<'a>; 8]> = SmallVec::new();
        loop {
            let ty = self.full_type()?;
            let names = self.comma_list(|p| {
                let name = p.ident("the name of a member")?;
                let dims = p.dims()?;
                if p.tok() == Tok::Equal {
                    let message = "a member has no initialiser (GLSL 4.60 section 4.1.8)";
                    p.diags.error(p.span(), "E0704", message);
                    p.advance();
                    p.initializer()?;
                }
                Ok(Declarator { name, dims, init: None })
            })?;
            self.expect(Tok::Semicolon)?;
            fields.push(FieldDecl { ty, names: self.slice(&names) });
            if self.eat(Tok::RBrace) {
                return Ok(self.slice(&fields));
            }
        }
    }

    /// After `=`: an expression or a list in braces.
    pub(super) fn initializer(&mut self) -> Parse<Init<'a>> {
        if self.tok() != Tok::LBrace {
            return Ok(Init::Expr(self.assignment_ref()?));
        }
        self.nested(|p| {
            let start = p.advance().span();
            let mut list: SmallVec<[Init<'a>; 8]> = SmallVec::new();
            // A trailing comma is accepted; the checker knows where the list may be empty (GL_EXT_null_initializer).
            while p.tok() != Tok::RBrace {
                list.push(p.initializer()?);
                if !p.eat(Tok::Comma) {
                    break;
                }
            }
            let end = p.expect(Tok::RBrace)?;
            Ok(Init::List(p.slice(&list), start.to(end)))
        })
    }
}
