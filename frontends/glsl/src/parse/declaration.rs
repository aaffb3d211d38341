//! Declarations and functions.

use super::{Parse, Parser};
use crate::source::Span;
use crate::syntax::*;
use crate::token::Tok;
use smallvec::SmallVec;

impl<'a> Parser<'a, '_> {
    /// Something at global scope.
    pub(super) fn item(&mut self) -> Parse<Item<'a>> {
        if self.tok() == Tok::Semicolon {
            return Ok(Item::Empty(self.advance().span()));
        }
        let start = self.span();
        // Functions have attributes before or after the parameters (GL_EXT_subgroup_uniform_control_flow).
        let attributed = self.attributes()?;
        let declaration = self.declaration_head(start)?;
        if let DeclarationKind::Prototype(prototype) = declaration.kind {
            self.attributes()?;
            if self.tok() == Tok::LBrace {
                let body = self.block()?;
                return Ok(Item::Function(prototype, body));
            }
        } else if attributed {
            self.diags.error(start, "E0701", "only functions and statements have attributes");
        }
        self.end_declaration(declaration).map(Item::Declaration)
    }

    /// A declaration with its semicolon.
    pub(super) fn declaration(&mut self) -> Parse<Declaration<'a>> {
        let start = self.span();
        let declaration = self.declaration_head(start)?;
        self.end_declaration(declaration)
    }

    fn end_declaration(&mut self, mut declaration: Declaration<'a>) -> Parse<Declaration<'a>> {
        let end = match self.tok() {
            Tok::Semicolon => self.advance().span(),
            _ => match declaration.kind {
                DeclarationKind::Variables(_, []) => {
                    return Err(self.unexpected("a name or `;`"));
                }
                DeclarationKind::Variables(..) => return Err(self.unexpected("`,`, `=`, `[` or `;`")),
                DeclarationKind::Prototype(_) => return Err(self.unexpected("`;` or `{`")),
                _ => return Err(self.unexpected("`;`")),
            },
        };
        declaration.span = declaration.span.to(end);
        Ok(declaration)
    }

    /// A declaration up to its semicolon or function body.
    fn declaration_head(&mut self, start: Span) -> Parse<Declaration<'a>> {
        let kind = if self.tok() == Tok::Precision {
            self.advance();
            let token = self.token();
            if !matches!(token.tok, Tok::Lowp | Tok::Mediump | Tok::Highp) {
                return Err(self.unexpected("`lowp`, `mediump` or `highp`"));
            }
            self.advance();
            let ty = self.type_spec()?;
            DeclarationKind::Precision { precision: token.tok, ty }
        } else {
            let qualifiers = self.qualifiers()?;
            match (self.tok(), self.ahead(1)) {
                (Tok::Semicolon, _) if !qualifiers.is_empty() => DeclarationKind::Qualifiers(qualifiers, &[]),
                (Tok::Ident, Tok::Semicolon | Tok::Comma) if !qualifiers.is_empty() => {
                    let names = self.comma_list(|p| p.ident("a name"))?;
                    DeclarationKind::Qualifiers(qualifiers, self.slice(&names))
                }
                (Tok::Ident, Tok::LBrace) if !qualifiers.is_empty() => {
                    DeclarationKind::Block(self.nested(|p| p.interface_block(qualifiers))?)
                }
                _ => self.typed_declaration(qualifiers)?,
            }
        };
        Ok(Declaration { kind, span: start.to(self.previous()) })
    }

    fn typed_declaration(&mut self, qualifiers: &'a [Qualifier<'a>]) -> Parse<DeclarationKind<'a>> {
        let ty = FullType { qualifiers, ty: self.type_spec()? };
        if self.tok() == Tok::Semicolon {
            return Ok(DeclarationKind::Variables(ty, &[]));
        }
        if self.tok() == Tok::Ident && self.ahead(1) == Tok::LParen {
            return Ok(DeclarationKind::Prototype(self.prototype(ty)?));
        }
        // The first declarator may be empty (GLSL 3.30 section 9, init_declarator_list): `int, a;`.
        self.eat(Tok::Comma);
        let names = self.comma_list(Self::declarator)?;
        Ok(DeclarationKind::Variables(ty, self.slice(&names)))
    }

    /// `name[dims] = init`.
    fn declarator(&mut self) -> Parse<Declarator<'a>> {
        let name = self.ident("a name")?;
        let dims = self.dims()?;
        let init = if self.eat(Tok::Equal) { Some(self.initializer()?) } else { None };
        Ok(Declarator { name, dims, init })
    }

    fn interface_block(&mut self, qualifiers: &'a [Qualifier<'a>]) -> Parse<InterfaceBlock<'a>> {
        let name = self.ident("the name of a block")?;
        let fields = self.fields()?;
        let instance = if self.tok() == Tok::Ident {
            let name = self.ident("a name")?;
            Some(Declarator { name, dims: self.dims()?, init: None })
        } else {
            None
        };
        Ok(InterfaceBlock { qualifiers, name, fields, instance })
    }

    fn prototype(&mut self, result: FullType<'a>) -> Parse<Prototype<'a>> {
        let name = self.ident("the name of a function")?;
        self.expect(Tok::LParen)?;
        let mut params: SmallVec<[Param<'a>; 4]> = SmallVec::new();
        let nothing = self.tok() == Tok::RParen || (self.tok() == Tok::Void && self.ahead(1) == Tok::RParen);
        if nothing {
            self.eat(Tok::Void);
        } else {
            params = self.comma_list(Self::param)?;
        }
        let end = self.expect(Tok::RParen)?;
        Ok(Prototype { result, name, params: self.slice(&params), span: result.ty.span.to(end) })
    }

    fn param(&mut self) -> Parse<Param<'a>> {
        let start = self.span();
        let ty = self.full_type()?;
        let name = if self.tok() == Tok::Ident { Some(self.ident("a name")?) } else { None };
        let dims = if name.is_some() { self.dims()? } else { &[] };
        if self.tok() == Tok::Equal {
            self.diags.error(
                self.span(),
                "E0704",
                "a parameter has no default value (GLSL 4.60 section 6.1)",
            );
            self.advance();
            self.initializer()?;
        }
        Ok(Param { ty, name, dims, span: start.to(self.previous()) })
    }
}
