//! Statements.

use super::types::is_qualifier;
use super::{Parse, Parser, Reported};
use crate::syntax::*;
use crate::token::Tok;
use smallvec::SmallVec;

impl<'a> Parser<'a, '_> {
    /// `{ ... }`.
    pub(super) fn block(&mut self) -> Parse<Block<'a>> {
        self.nested(|p| {
            let start = p.expect(Tok::LBrace)?;
            let mut stmts: SmallVec<[Stmt<'a>; 16]> = SmallVec::new();
            while !matches!(p.tok(), Tok::RBrace | Tok::Eof) && !p.diags.full() {
                match p.statement() {
                    Ok(stmt) => stmts.push(stmt),
                    Err(Reported) => p.recover(),
                }
            }
            let end = p.expect(Tok::RBrace)?;
            Ok(Block { stmts: p.slice(&stmts), span: start.to(end) })
        })
    }

    /// Whether a declaration is next rather than an expression.
    fn at_declaration(&self) -> bool {
        match self.tok() {
            Tok::Struct | Tok::Void | Tok::Precision => true,
            Tok::Nonuniform => self.ahead(1) != Tok::LParen,
            Tok::Type => self.behind_brackets() != Tok::LParen,
            Tok::Ident => match self.ahead(1) {
                Tok::Ident => true,
                Tok::LBracket => self.behind_brackets() == Tok::Ident,
                _ => false,
            },
            Tok::Reserved => self.at_unsigned_int() && self.ahead(2) != Tok::LParen,
            tok => is_qualifier(tok),
        }
    }

    /// The token after the brackets that follow the next token.
    fn behind_brackets(&self) -> Tok {
        let mut n = 1;
        let mut open = 0u32;
        loop {
            match self.ahead(n) {
                Tok::LBracket => open += 1,
                Tok::RBracket if open > 0 => open -= 1,
                Tok::Eof | Tok::Semicolon | Tok::LBrace | Tok::RBrace => return Tok::Eof,
                tok if open == 0 => return tok,
                _ => {}
            }
            n += 1;
        }
    }

    pub(super) fn statement(&mut self) -> Parse<Stmt<'a>> {
        let start = self.span();
        self.attributes()?;
        let kind = match self.tok() {
            Tok::Semicolon => {
                self.advance();
                StmtKind::Empty
            }
            Tok::LBrace => StmtKind::Block(self.block()?),
            Tok::If => return self.if_chain(),
            Tok::Switch => {
                self.advance();
                let selector = self.in_parens()?;
                StmtKind::Switch(selector, self.block()?)
            }
            Tok::Case => {
                self.advance();
                let value = self.expression_ref()?;
                self.expect(Tok::Colon)?;
                StmtKind::Case(value)
            }
            Tok::Default => {
                self.advance();
                self.expect(Tok::Colon)?;
                StmtKind::Default
            }
            Tok::While => {
                self.advance();
                self.expect(Tok::LParen)?;
                let condition = self.condition()?;
                self.expect(Tok::RParen)?;
                StmtKind::While(condition, self.sub_statement()?)
            }
            Tok::Do => {
                self.advance();
                let body = self.sub_statement()?;
                self.expect(Tok::While)?;
                let condition = self.in_parens()?;
                self.expect(Tok::Semicolon)?;
                StmtKind::DoWhile(body, condition)
            }
            Tok::For => self.for_loop()?,
            Tok::Break => self.jump(StmtKind::Break)?,
            Tok::Continue => self.jump(StmtKind::Continue)?,
            Tok::Discard => self.jump(StmtKind::Discard)?,
            Tok::Demote => self.jump(StmtKind::Demote)?,
            Tok::Terminate => self.jump(StmtKind::Terminate)?,
            Tok::Return => {
                self.advance();
                let value = if self.tok() == Tok::Semicolon { None } else { Some(self.expression_ref()?) };
                self.expect(Tok::Semicolon)?;
                StmtKind::Return(value)
            }
            _ if self.at_declaration() => {
                let declaration = self.declaration()?;
                StmtKind::Declaration(self.bump.alloc(declaration))
            }
            _ => {
                let e = self.expression_ref()?;
                self.expect(Tok::Semicolon)?;
                StmtKind::Expr(e)
            }
        };
        Ok(Stmt { kind, span: start.to(self.previous()) })
    }

    fn jump(&mut self, kind: StmtKind<'a>) -> Parse<StmtKind<'a>> {
        self.advance();
        self.expect(Tok::Semicolon)?;
        Ok(kind)
    }

    /// The statement under a loop or `if`.
    fn sub_statement(&mut self) -> Parse<&'a Stmt<'a>> {
        // A block is a level of its own.
        let stmt = if self.tok() == Tok::LBrace { self.statement() } else { self.nested(Self::statement) }?;
        Ok(self.bump.alloc(stmt))
    }

    /// `(expression)`.
    fn in_parens(&mut self) -> Parse<&'a Expr<'a>> {
        self.expect(Tok::LParen)?;
        let e = self.expression_ref()?;
        self.expect(Tok::RParen)?;
        Ok(e)
    }

    /// `if ... else if ... else ...`: in a loop, since such chains are long in generated shaders.
    fn if_chain(&mut self) -> Parse<Stmt<'a>> {
        let mut arms: SmallVec<[_; 4]> = SmallVec::new();
        let mut last = None;
        loop {
            let start = self.expect(Tok::If)?;
            let cond = self.in_parens()?;
            arms.push((start, cond, self.sub_statement()?));
            // Each arm is a level of the tree that others walk.
            self.grow(self.depth + arms.len() as u32, start)?;
            if !self.eat(Tok::Else) {
                break;
            }
            if self.tok() != Tok::If {
                last = Some(self.sub_statement()?);
                break;
            }
        }
        let end = self.previous();
        let mut stmt = None;
        for (start, cond, then) in arms.into_iter().rev() {
            let kind = StmtKind::If(cond, then, last);
            let node = &*self.bump.alloc(Stmt { kind, span: start.to(end) });
            last = Some(node);
            stmt = Some(*node);
        }
        stmt.ok_or(Reported)
    }

    fn for_loop(&mut self) -> Parse<StmtKind<'a>> {
        self.advance();
        self.expect(Tok::LParen)?;
        let init = {
            let start = self.span();
            let kind = if self.tok() == Tok::Semicolon {
                self.advance();
                StmtKind::Empty
            } else if self.at_declaration() {
                let declaration = self.declaration()?;
                StmtKind::Declaration(self.bump.alloc(declaration))
            } else {
                let e = self.expression_ref()?;
                self.expect(Tok::Semicolon)?;
                StmtKind::Expr(e)
            };
            Stmt { kind, span: start.to(self.previous()) }
        };
        let condition = if self.tok() == Tok::Semicolon { None } else { Some(self.condition()?) };
        self.expect(Tok::Semicolon)?;
        let step = if self.tok() == Tok::RParen { None } else { Some(self.expression_ref()?) };
        self.expect(Tok::RParen)?;
        let body = *self.sub_statement()?;
        Ok(StmtKind::For(self.bump.alloc(ForLoop { init, condition, step, body })))
    }

    fn condition(&mut self) -> Parse<Condition<'a>> {
        if !self.at_declaration() {
            return Ok(Condition::Expr(self.expression_ref()?));
        }
        let ty = self.full_type()?;
        let name = self.ident("a name")?;
        self.expect(Tok::Equal)?;
        Ok(Condition::Declaration(ty, name, self.initializer()?))
    }

    /// `[[unroll]]` and the like (`GL_EXT_control_flow_attributes`): hints that need not be taken. Says whether there are any.
    pub(super) fn attributes(&mut self) -> Parse<bool> {
        let mut any = false;
        while self.tok() == Tok::LBracket && self.ahead(1) == Tok::LBracket {
            self.advance();
            self.advance();
            self.comma_list(|p| {
                p.ident("an attribute")?;
                if p.eat(Tok::LParen) {
                    p.expression_ref()?;
                    p.expect(Tok::RParen)?;
                }
                Ok(())
            })?;
            self.expect(Tok::RBracket)?;
            self.expect(Tok::RBracket)?;
            any = true;
        }
        Ok(any)
    }
}
