//! The syntax tree, in a bump arena: the source as written, before any rule beyond the grammar is applied.
//!
//! Three kinds of chains may be very long in generated shaders, and the parser builds them without recursion:
//!
//! * Binary operators and commas are left-recursive: walks go down [`ExprKind::Binary`] and
//!   [`ExprKind::Comma`] in a loop.
//! * `a ? b : c ? d : ...` and `else if` are right-recursive, to a height of [`MAX_HEIGHT`] at most. Trees higher than
//!   [`MAX_DEPTH`] (see [`TranslationUnit::height`]) are walked on a thread with a deep stack: [`crate::deep`].
//!
//! All other nesting is limited to [`MAX_DEPTH`].

use crate::source::Span;
use crate::token::{Symbol, Tok};
use crate::types::Type;

/// Deepest nesting of parentheses, statements and types together that the parser accepts.
pub const MAX_DEPTH: u32 = 256;

/// Greatest height of a tree: nesting, postfix operators and right-recursive chains.
pub const MAX_HEIGHT: u32 = 10_000;

/// A name with its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// Name.
    pub name: Symbol,
    /// Where.
    pub span: Span,
}

/// A whole shader.
#[derive(Clone, Copy, Debug, Default)]
pub struct TranslationUnit<'a> {
    /// In order.
    pub items: &'a [Item<'a>],
    /// Height of the highest tree.
    pub height: u32,
}

/// Something at global scope.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// A declaration.
    Declaration(Declaration<'a>),
    /// A function with its body.
    Function(Prototype<'a>, Block<'a>),
    /// A semicolon alone.
    Empty(Span),
}

/// A declaration, global or local.
#[derive(Clone, Copy, Debug)]
pub struct Declaration<'a> {
    /// Declaration.
    pub kind: DeclarationKind<'a>,
    /// Where, semicolon included.
    pub span: Span,
}

/// Kind of a declaration.
#[derive(Clone, Copy, Debug)]
pub enum DeclarationKind<'a> {
    /// Variables of a type; no declarators for a structure alone (`struct S { ... };`, or a type alone: `float;`).
    Variables(FullType<'a>, &'a [Declarator<'a>]),
    /// A function without a body.
    Prototype(Prototype<'a>),
    /// A default precision.
    Precision {
        /// `lowp`, `mediump`, `highp`.
        precision: Tok,
        /// The type whose default it sets.
        ty: TypeSpec<'a>,
    },
    /// An interface block.
    Block(InterfaceBlock<'a>),
    /// Qualifiers without a type: `invariant gl_Position, x;`, `layout(early_fragment_tests) in;`.
    Qualifiers(&'a [Qualifier<'a>], &'a [Ident]),
}

/// A type with its qualifiers.
#[derive(Clone, Copy, Debug)]
pub struct FullType<'a> {
    /// Qualifiers in order of writing, repeated ones included.
    pub qualifiers: &'a [Qualifier<'a>],
    /// Type.
    pub ty: TypeSpec<'a>,
}

/// A qualifier.
#[derive(Clone, Copy, Debug)]
pub struct Qualifier<'a> {
    /// Which.
    pub kind: QualifierKind<'a>,
    /// Where.
    pub span: Span,
}

/// Which qualifier.
#[derive(Clone, Copy, Debug)]
pub enum QualifierKind<'a> {
    /// A keyword: storage, interpolation, precision, memory, `invariant`, `precise`, `subroutine` without a list.
    Word(Tok),
    /// `layout(...)`.
    Layout(&'a [LayoutId<'a>]),
    /// `subroutine(type, ...)`.
    Subroutine(&'a [Ident]),
}

/// An entry of `layout(...)`.
#[derive(Clone, Copy, Debug)]
pub struct LayoutId<'a> {
    /// Name; the keyword `shared` is the symbol of that name.
    pub name: Ident,
    /// The value after `=`.
    pub value: Option<&'a Expr<'a>>,
}

/// A type as written, with the array dimensions that follow it directly.
#[derive(Clone, Copy, Debug)]
pub struct TypeSpec<'a> {
    /// The expression before the brackets.
    pub kind: TypeKind<'a>,
    /// Array dimensions, outermost first.
    pub dims: &'a [Dim<'a>],
    /// Where, dimensions included.
    pub span: Span,
}

/// A type without array dimensions.
#[derive(Clone, Copy, Debug)]
pub enum TypeKind<'a> {
    /// `void`.
    Void,
    /// A built-in type.
    Basic(Type),
    /// A structure by name.
    Named(Symbol),
    /// A structure declared here.
    Struct(&'a StructSpec<'a>),
}

/// An array dimension.
#[derive(Clone, Copy, Debug)]
pub struct Dim<'a> {
    /// Size, if given.
    pub size: Option<&'a Expr<'a>>,
    /// Where, brackets included.
    pub span: Span,
}

/// A structure.
#[derive(Clone, Copy, Debug)]
pub struct StructSpec<'a> {
    /// Name, if it has one.
    pub name: Option<Ident>,
    /// Members.
    pub fields: &'a [FieldDecl<'a>],
    /// Where.
    pub span: Span,
}

/// Members of one type of a structure or block.
#[derive(Clone, Copy, Debug)]
pub struct FieldDecl<'a> {
    /// Type and qualifiers.
    pub ty: FullType<'a>,
    /// Names with their dimensions; an initialiser is an error that the parser reports.
    pub names: &'a [Declarator<'a>],
}

/// An interface block.
#[derive(Clone, Copy, Debug)]
pub struct InterfaceBlock<'a> {
    /// Qualifiers.
    pub qualifiers: &'a [Qualifier<'a>],
    /// Block name.
    pub name: Ident,
    /// Members.
    pub fields: &'a [FieldDecl<'a>],
    /// Name of the instance, with its dimensions.
    pub instance: Option<Declarator<'a>>,
}

/// A declared name.
#[derive(Clone, Copy, Debug)]
pub struct Declarator<'a> {
    /// Name.
    pub name: Ident,
    /// Dimensions after the name, outermost first.
    pub dims: &'a [Dim<'a>],
    /// Initialiser.
    pub init: Option<Init<'a>>,
}

/// An initialiser.
#[derive(Clone, Copy, Debug)]
pub enum Init<'a> {
    /// An expression.
    Expr(&'a Expr<'a>),
    /// `{ ... }`.
    List(&'a [Init<'a>], Span),
}

/// The head of a function.
#[derive(Clone, Copy, Debug)]
pub struct Prototype<'a> {
    /// Type of the result with qualifiers (precision, subroutine).
    pub result: FullType<'a>,
    /// Name.
    pub name: Ident,
    /// Parameters; `(void)` gives none.
    pub params: &'a [Param<'a>],
    /// Where, up to the closing parenthesis.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param<'a> {
    /// Type and qualifiers.
    pub ty: FullType<'a>,
    /// Name, if given.
    pub name: Option<Ident>,
    /// Dimensions after the name.
    pub dims: &'a [Dim<'a>],
    /// Where.
    pub span: Span,
}

/// Statements in braces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block<'a> {
    /// In order.
    pub stmts: &'a [Stmt<'a>],
    /// Where, braces included.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Stmt<'a> {
    /// Which.
    pub kind: StmtKind<'a>,
    /// Where.
    pub span: Span,
}

/// Which statement.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind<'a> {
    /// A semicolon alone.
    Empty,
    /// An expression.
    Expr(&'a Expr<'a>),
    /// A declaration.
    Declaration(&'a Declaration<'a>),
    /// `{ ... }`.
    Block(Block<'a>),
    /// `if`.
    If(&'a Expr<'a>, &'a Stmt<'a>, Option<&'a Stmt<'a>>),
    /// `switch`, with `Case` and `Default` among the statements.
    Switch(&'a Expr<'a>, Block<'a>),
    /// `case x:`.
    Case(&'a Expr<'a>),
    /// `default:`.
    Default,
    /// `while`.
    While(Condition<'a>, &'a Stmt<'a>),
    /// `do ... while`.
    DoWhile(&'a Stmt<'a>, &'a Expr<'a>),
    /// `for`.
    For(&'a ForLoop<'a>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<&'a Expr<'a>>),
    /// `discard`.
    Discard,
    /// `demote`.
    Demote,
    /// `terminateInvocation`.
    Terminate,
}

/// A `for` loop.
#[derive(Clone, Copy, Debug)]
pub struct ForLoop<'a> {
    /// First part: an expression, a declaration or empty.
    pub init: Stmt<'a>,
    /// Second part.
    pub condition: Option<Condition<'a>>,
    /// Third part.
    pub step: Option<&'a Expr<'a>>,
    /// Body.
    pub body: Stmt<'a>,
}

/// The condition of a `while` or `for`.
#[derive(Clone, Copy, Debug)]
pub enum Condition<'a> {
    /// An expression.
    Expr(&'a Expr<'a>),
    /// A variable that is declared there.
    Declaration(FullType<'a>, Ident, Init<'a>),
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr<'a> {
    /// Which.
    pub kind: ExprKind<'a>,
    /// Where.
    pub span: Span,
}

/// Which expression.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind<'a> {
    /// Placeholder for a reported error.
    Error,
    /// A name.
    Ident(Symbol),
    /// A literal constant: scalar type and bits (booleans 0 or 1, 32-bit floats as f32 bits, half floats as f32 bits).
    Const(Type, u64),
    /// A prefix operator other than `++` and `--`.
    Unary(UnaryOp, &'a Expr<'a>),
    /// `++x`, `--x`, `x++`, `x--`.
    Step {
        /// `++` or `--`.
        increment: bool,
        /// Written before the operand.
        prefix: bool,
        /// Operand.
        operand: &'a Expr<'a>,
    },
    /// A binary operator.
    Binary(BinaryOp, &'a Expr<'a>, &'a Expr<'a>),
    /// `=`, or `op=` with its operator.
    Assign(Option<BinaryOp>, &'a Expr<'a>, &'a Expr<'a>),
    /// `c ? a : b`.
    Select(&'a Expr<'a>, &'a Expr<'a>, &'a Expr<'a>),
    /// `a, b`.
    Comma(&'a Expr<'a>, &'a Expr<'a>),
    /// `a[i]`; no index only where a type is written (`float[](...)` becomes a call).
    Index(&'a Expr<'a>, &'a Expr<'a>),
    /// `a.name`.
    Member(&'a Expr<'a>, Ident),
    /// A function call or a constructor of a structure: `name(args)`. `f(void)` has no arguments.
    Call(Ident, &'a [Expr<'a>]),
    /// A constructor: `vec2(args)`, `float[2](args)`, `S[](args)`.
    Construct(TypeSpec<'a>, &'a [Expr<'a>]),
    /// `a.name(args)`: only `length` exists.
    Method(&'a Expr<'a>, Ident, &'a [Expr<'a>]),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `!`.
    Not,
    /// `~`.
    BitNot,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Mod,
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `<`.
    Less,
    /// `>`.
    Greater,
    /// `<=`.
    LessEqual,
    /// `>=`.
    GreaterEqual,
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `&`.
    BitAnd,
    /// `^`.
    BitXor,
    /// `|`.
    BitOr,
    /// `&&`.
    LogicAnd,
    /// `^^`.
    LogicXor,
    /// `||`.
    LogicOr,
}

impl BinaryOp {
    /// How it is written.
    pub const fn text(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Less => "<",
            BinaryOp::Greater => ">",
            BinaryOp::LessEqual => "<=",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::LogicAnd => "&&",
            BinaryOp::LogicXor => "^^",
            BinaryOp::LogicOr => "||",
        }
    }
}

impl UnaryOp {
    /// How it is written.
    pub const fn text(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
        }
    }
}
