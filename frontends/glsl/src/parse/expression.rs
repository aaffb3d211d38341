//! Expressions: precedence climbing over GLSL 4.60 section 5.1.

use super::{Parse, Parser, Reported};
use crate::syntax::*;
use crate::token::{Symbol, Tok, Token};
use crate::types::{Base, Type};
use smallvec::SmallVec;

/// An expression with the height of its tree, in which the left side of binary operators does not count.
#[derive(Clone, Copy)]
struct Tall<'a> {
    expr: Expr<'a>,
    height: u32,
}

/// Operator and precedence (higher binds tighter) of a token.
fn binary_op(tok: Tok) -> Option<(BinaryOp, u8)> {
    Some(match tok {
        Tok::Star => (BinaryOp::Mul, 11),
        Tok::Slash => (BinaryOp::Div, 11),
        Tok::Percent => (BinaryOp::Mod, 11),
        Tok::Plus => (BinaryOp::Add, 10),
        Tok::Minus => (BinaryOp::Sub, 10),
        Tok::Shl => (BinaryOp::Shl, 9),
        Tok::Shr => (BinaryOp::Shr, 9),
        Tok::Less => (BinaryOp::Less, 8),
        Tok::Greater => (BinaryOp::Greater, 8),
        Tok::LessEqual => (BinaryOp::LessEqual, 8),
        Tok::GreaterEqual => (BinaryOp::GreaterEqual, 8),
        Tok::EqualEqual => (BinaryOp::Equal, 7),
        Tok::BangEqual => (BinaryOp::NotEqual, 7),
        Tok::Amp => (BinaryOp::BitAnd, 6),
        Tok::Caret => (BinaryOp::BitXor, 5),
        Tok::Pipe => (BinaryOp::BitOr, 4),
        Tok::AmpAmp => (BinaryOp::LogicAnd, 3),
        Tok::CaretCaret => (BinaryOp::LogicXor, 2),
        Tok::PipePipe => (BinaryOp::LogicOr, 1),
        _ => return None,
    })
}

/// Operator of an assignment; `Some(None)` for `=`.
fn assignment_op(tok: Tok) -> Option<Option<BinaryOp>> {
    Some(match tok {
        Tok::Equal => None,
        Tok::StarEqual => Some(BinaryOp::Mul),
        Tok::SlashEqual => Some(BinaryOp::Div),
        Tok::PercentEqual => Some(BinaryOp::Mod),
        Tok::PlusEqual => Some(BinaryOp::Add),
        Tok::MinusEqual => Some(BinaryOp::Sub),
        Tok::ShlEqual => Some(BinaryOp::Shl),
        Tok::ShrEqual => Some(BinaryOp::Shr),
        Tok::AmpEqual => Some(BinaryOp::BitAnd),
        Tok::CaretEqual => Some(BinaryOp::BitXor),
        Tok::PipeEqual => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

impl<'a> Parser<'a, '_> {
    /// An expression, commas included.
    pub(super) fn expression_ref(&mut self) -> Parse<&'a Expr<'a>> {
        let tall = self.expression()?;
        Ok(self.bump.alloc(tall.expr))
    }

    /// An expression without a comma.
    pub(super) fn assignment_ref(&mut self) -> Parse<&'a Expr<'a>> {
        let tall = self.assignment()?;
        Ok(self.bump.alloc(tall.expr))
    }

    /// An expression without comma and assignment (constant expressions in declarations).
    pub(super) fn conditional_ref(&mut self) -> Parse<&'a Expr<'a>> {
        let tall = self.conditional()?;
        Ok(self.bump.alloc(tall.expr))
    }

    /// A node over operands of which the tallest has the height `below`.
    fn node(&mut self, kind: ExprKind<'a>, span: crate::source::Span, below: u32) -> Parse<Tall<'a>> {
        let height = below + 1;
        self.grow(self.depth + height, span)?;
        Ok(Tall { expr: Expr { kind, span }, height })
    }

    fn alloc(&self, tall: Tall<'a>) -> &'a Expr<'a> {
        self.bump.alloc(tall.expr)
    }

    fn expression(&mut self) -> Parse<Tall<'a>> {
        let mut left = self.assignment()?;
        while self.eat(Tok::Comma) {
            let right = self.assignment()?;
            let span = left.expr.span.to(right.expr.span);
            let height = left.height.max(right.height + 1);
            let kind = ExprKind::Comma(self.alloc(left), self.alloc(right));
            left = Tall { expr: Expr { kind, span }, height };
        }
        Ok(left)
    }

    fn assignment(&mut self) -> Parse<Tall<'a>> {
        let left = self.conditional()?;
        let Some(op) = assignment_op(self.tok()) else {
            return Ok(left);
        };
        self.assign(op, left)
    }

    /// The rest of an assignment after its left side.
    fn assign(&mut self, op: Option<BinaryOp>, left: Tall<'a>) -> Parse<Tall<'a>> {
        self.advance();
        let right = self.nested(Self::assignment)?;
        let span = left.expr.span.to(right.expr.span);
        let kind = ExprKind::Assign(op, self.alloc(left), self.alloc(right));
        self.node(kind, span, left.height.max(right.height))
    }

    fn conditional(&mut self) -> Parse<Tall<'a>> {
        let mut last = self.binary(0)?;
        if self.tok() != Tok::Question {
            return Ok(last);
        }
        // `a ? b : c ? d : ...` without recursion.
        let mut links: SmallVec<[(Tall<'a>, Tall<'a>); 4]> = SmallVec::new();
        while self.eat(Tok::Question) {
            let then = self.nested(Self::expression)?;
            self.expect(Tok::Colon)?;
            links.push((last, then));
            last = self.binary(0)?;
        }
        if let Some(op) = assignment_op(self.tok()) {
            last = self.assign(op, last)?;
        }
        for (cond, then) in links.into_iter().rev() {
            let span = cond.expr.span.to(last.expr.span);
            let below = cond.height.max(then.height).max(last.height);
            let kind = ExprKind::Select(self.alloc(cond), self.alloc(then), self.alloc(last));
            last = self.node(kind, span, below)?;
        }
        Ok(last)
    }

    /// Operators that bind tighter than `least`. All are left-associative.
    fn binary(&mut self, least: u8) -> Parse<Tall<'a>> {
        let mut left = self.unary()?;
        while let Some((op, precedence)) = binary_op(self.tok()) {
            if precedence <= least {
                break;
            }
            self.advance();
            let right = self.binary(precedence)?;
            let span = left.expr.span.to(right.expr.span);
            let height = left.height.max(right.height + 1);
            let kind = ExprKind::Binary(op, self.alloc(left), self.alloc(right));
            left = Tall { expr: Expr { kind, span }, height };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parse<Tall<'a>> {
        let token = self.token();
        let kind = match token.tok {
            Tok::Plus | Tok::Minus | Tok::Bang | Tok::Tilde | Tok::PlusPlus | Tok::MinusMinus => token.tok,
            _ => return self.postfix(),
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        let span = token.span().to(operand.expr.span);
        let inner = self.alloc(operand);
        let kind = match kind {
            Tok::Plus => ExprKind::Unary(UnaryOp::Plus, inner),
            Tok::Minus => ExprKind::Unary(UnaryOp::Minus, inner),
            Tok::Bang => ExprKind::Unary(UnaryOp::Not, inner),
            Tok::Tilde => ExprKind::Unary(UnaryOp::BitNot, inner),
            step => ExprKind::Step { increment: step == Tok::PlusPlus, prefix: true, operand: inner },
        };
        self.node(kind, span, operand.height)
    }

    fn postfix(&mut self) -> Parse<Tall<'a>> {
        let mut e = self.primary()?;
        loop {
            let token = self.token();
            match token.tok {
                Tok::LBracket => {
                    self.advance();
                    // `S[](...)`: a constructor whose size is counted.
                    if self.tok() == Tok::RBracket {
                        e = self.named_array_constructor(e)?;
                        continue;
                    }
                    let index = self.nested(Self::expression)?;
                    let end = self.expect(Tok::RBracket)?;
                    let span = e.expr.span.to(end);
                    let kind = ExprKind::Index(self.alloc(e), self.alloc(index));
                    e = self.node(kind, span, e.height.max(index.height))?;
                    if self.tok() == Tok::LParen {
                        e = self.named_array_constructor(e)?;
                    }
                }
                Tok::Dot => {
                    self.advance();
                    let name = self.ident("a member, components or `length()`")?;
                    let span = e.expr.span.to(name.span);
                    if self.tok() == Tok::LParen {
                        let (args, below) = self.arguments()?;
                        let span = span.to(self.previous());
                        let kind = ExprKind::Method(self.alloc(e), name, args);
                        e = self.node(kind, span, e.height.max(below))?;
                    } else {
                        let kind = ExprKind::Member(self.alloc(e), name);
                        e = self.node(kind, span, e.height)?;
                    }
                }
                Tok::PlusPlus | Tok::MinusMinus => {
                    self.advance();
                    let span = e.expr.span.to(token.span());
                    let increment = token.tok == Tok::PlusPlus;
                    let kind = ExprKind::Step { increment, prefix: false, operand: self.alloc(e) };
                    e = self.node(kind, span, e.height)?;
                }
                _ => return Ok(e),
            }
        }
    }

    /// Turns `S[a][b]` before `(`, or `S[a]` before `[]`, into a constructor of an array of structures. The cursor is at `(`
    /// or after the `[` of `[]`.
    fn named_array_constructor(&mut self, base: Tall<'a>) -> Parse<Tall<'a>> {
        let mut dims: SmallVec<[Dim<'a>; 4]> = SmallVec::new();
        let mut inner = base.expr;
        let name = loop {
            match inner.kind {
                ExprKind::Index(array, index) => {
                    dims.push(Dim { size: Some(index), span: index.span });
                    inner = *array;
                }
                ExprKind::Ident(name) => break name,
                _ => return Err(self.unexpected("an operator or `;`: only the name of a type can be called")),
            }
        };
        dims.reverse();
        while self.tok() == Tok::RBracket {
            let span = self.advance().span();
            dims.push(Dim { size: None, span });
            if self.tok() == Tok::LBracket {
                let more = self.dims()?;
                dims.extend_from_slice(more);
            }
        }
        let span = base.expr.span.to(self.previous());
        let ty = TypeSpec { kind: TypeKind::Named(name), dims: self.slice(&dims), span };
        self.constructor(ty, base.height)
    }

    fn constructor(&mut self, ty: TypeSpec<'a>, below: u32) -> Parse<Tall<'a>> {
        let (args, height) = self.arguments()?;
        let span = ty.span.to(self.previous());
        self.node(ExprKind::Construct(ty, args), span, below.max(height))
    }

    /// `(a, b, ...)`, `()` or `(void)`, with the height of the tallest.
    fn arguments(&mut self) -> Parse<(&'a [Expr<'a>], u32)> {
        self.expect(Tok::LParen)?;
        if self.tok() == Tok::Void && self.ahead(1) == Tok::RParen {
            self.advance();
        }
        if self.eat(Tok::RParen) {
            return Ok((&[], 0));
        }
        let mut height = 0;
        let args = self.nested(|p| {
            p.comma_list(|p| {
                let arg = p.assignment()?;
                height = height.max(arg.height);
                Ok(arg.expr)
            })
        })?;
        self.expect(Tok::RParen)?;
        Ok((self.slice(&args), height))
    }

    fn literal(&mut self, token: Token) -> Option<ExprKind<'a>> {
        let wide = || self.wide.get(token.data as usize).copied().unwrap_or(0);
        let narrow = u64::from(token.data);
        let (base, bits) = match token.tok {
            Tok::BoolConst => (Base::Bool, narrow),
            Tok::IntConst => (Base::Int, narrow),
            Tok::UintConst => (Base::Uint, narrow),
            Tok::Int16Const => (Base::Int16, narrow),
            Tok::Uint16Const => (Base::Uint16, narrow),
            Tok::Int64Const => (Base::Int64, wide()),
            Tok::Uint64Const => (Base::Uint64, wide()),
            Tok::FloatConst => (Base::Float, narrow),
            Tok::HalfConst => (Base::Half, narrow),
            Tok::DoubleConst => (Base::Double, wide()),
            _ => return None,
        };
        Some(ExprKind::Const(Type::scalar(base), bits))
    }

    fn primary(&mut self) -> Parse<Tall<'a>> {
        let token = self.token();
        let leaf = |kind| Ok(Tall { expr: Expr { kind, span: token.span() }, height: 1 });
        if let Some(kind) = self.literal(token) {
            self.advance();
            return leaf(kind);
        }
        match token.tok {
            Tok::Ident => {
                self.advance();
                let name = Symbol(token.data);
                if self.tok() != Tok::LParen {
                    return leaf(ExprKind::Ident(name));
                }
                let (args, height) = self.arguments()?;
                let ident = Ident { name, span: token.span() };
                let span = token.span().to(self.previous());
                self.node(ExprKind::Call(ident, args), span, height)
            }
            Tok::Type => {
                let ty = self.type_spec()?;
                self.constructor(ty, 0)
            }
            Tok::Reserved if self.at_unsigned_int() => {
                let ty = self.type_spec()?;
                self.constructor(ty, 0)
            }
            // `nonuniformEXT(x)` reads like a call.
            Tok::Nonuniform => {
                self.advance();
                let name = Ident { name: self.names.intern("nonuniformEXT"), span: token.span() };
                let (args, height) = self.arguments()?;
                let span = token.span().to(self.previous());
                self.node(ExprKind::Call(name, args), span, height)
            }
            Tok::LParen => {
                self.advance();
                let mut e = self.nested(Self::expression)?;
                let end = self.expect(Tok::RParen)?;
                e.expr.span = token.span().to(end);
                // A parenthesized expression is a tree of its own: `(a + b) + c` leans to the left like `a + b + c`.
                Ok(e)
            }
            Tok::StringConst => {
                self.advance();
                let message = "strings are not allowed here (GLSL 4.60 section 3.1 has no string literals)";
                self.diags.error(token.span(), "E0705", message);
                Err(Reported)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }
}
