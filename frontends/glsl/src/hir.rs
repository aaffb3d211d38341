//! The typed tree: a checked shader.
//!
//! Names are resolved, types are known, implicit conversions are written out, constant expressions are values. All
//! nodes live in the index arenas of their [`Unit`], which owns everything it needs.
//!
//! As in the syntax tree, chains of [`ExprKind::Binary`] and [`ExprKind::Comma`] are left-recursive and may be very
//! long on that side; all other nesting is limited.

use crate::builtin::{Builtin, BuiltinVar};
use crate::extension::ExtSet;
pub use crate::ids::{ConstId, ExprId, FuncId, StmtId, VarId};
use crate::link::layout::TypeLayout;
pub use crate::qualifiers::{Layout, MatrixLayout, Memory, Packing, PrecisionHint, Qualifiers, Storage};
use crate::source::{LineMap, Span};
use crate::syntax::{BinaryOp, UnaryOp};
use crate::token::{Interner, Symbol};
use crate::types::{StructId, Type, TypeTable};
use crate::version::Version;
use airfoil_ir::{DepthLayout, Precision, Primitive, Shader, Slot, Spacing, Stage};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A range of [`Unit::expr_lists`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExprList {
    /// First.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// A range of [`Unit::stmt_lists`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StmtList {
    /// First.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// A checked shader object, or several of one stage that the linker has joined.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Stage.
    pub stage: Stage,
    /// Version and profile.
    pub version: Version,
    /// Whether it follows `GL_KHR_vulkan_glsl`.
    pub vulkan: bool,
    /// Extensions that were enabled somewhere in it.
    pub extensions: ExtSet,
    /// Names.
    pub names: Interner,
    /// Source locations of bytes.
    pub lines: LineMap,
    /// Structures and arrays.
    pub types: TypeTable,
    /// All variables: global ones, built-in ones that are used, parameters, locals.
    pub vars: Vec<Variable>,
    /// All functions that are declared, those without a body included.
    pub functions: Vec<Function>,
    /// `main`, if it has a body.
    pub main: Option<FuncId>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Arguments.
    pub expr_lists: Vec<ExprId>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Members of statement lists.
    pub stmt_lists: Vec<StmtId>,
    /// Constants.
    pub consts: Vec<Constant>,
    /// Precisions of the constant expressions that are named constants, or contain such; the others have none. By
    /// expression.
    pub const_precisions: Vec<(ExprId, PrecisionHint)>,
    /// Initialisers of global variables that are not constants, in order of declaration: run before `main`.
    pub global_inits: Vec<(VarId, ExprId)>,
    /// Declarations of `layout(...) in;` and `layout(...) out;` about the stage.
    pub layout: StageLayout,
    /// The default uniform block, once the linker has laid it out.
    pub default_block: Option<DefaultBlock>,
    /// The block that redeclares the outputs of `gl_PerVertex`, if each is a variable of its own.
    pub per_vertex_out: Option<StructId>,
    /// Height of the highest tree in it: `deep`.
    pub height: u32,
    /// The shader that it describes, if another front end has read it.
    pub imported: Option<Arc<Imported>>,
}

/// The shader of a unit that another front end has read ([`crate::imported`]).
#[derive(Clone, Debug)]
pub struct Imported {
    /// The shader, without locations.
    pub shader: Shader,
    /// The declaration of each variable of its interface.
    pub vars: Vec<(VarId, airfoil_ir::VarId)>,
    /// Those that are atomic counters.
    pub counters: FxHashSet<airfoil_ir::VarId>,
    /// Members of arrays of blocks that transform feedback captures.
    pub captures: Vec<BlockCapture>,
    /// The layouts of blocks that no packing gives.
    pub layouts: Vec<(VarId, Arc<TypeLayout>)>,
    /// Other stages may be GLSL: [`crate::imported::Declarations::mixes`].
    pub mixes: bool,
}

/// A member of one element of an array of blocks that transform feedback captures. The blocks are a variable that is an array of
/// structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCapture {
    /// The array of blocks.
    pub var: VarId,
    /// The element, in order of memory.
    pub element: u32,
    /// Index of the member.
    pub member: u32,
    /// Index of the buffer.
    pub buffer: u32,
    /// Bytes from the start of the vertex.
    pub offset: u32,
}

/// An initial value or a constant: the scalars of the type in order, arrays, structures and matrix columns flattened.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Type.
    pub ty: Type,
    /// Bits of each scalar: booleans 0 or 1, integers sign-extended or not as they like above their width, 32-bit and 16-bit
    /// floats as bits of an `f32`, doubles as bits of an `f64`.
    pub scalars: Box<[u64]>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name; for a block without an instance name, the block's name.
    pub name: Symbol,
    /// Type. An array that was declared without a size and is only indexed by constants gets its size (largest index plus one)
    /// at the end of checking or linking.
    pub ty: Type,
    /// Qualifiers.
    pub qualifiers: Qualifiers,
    /// Where it is declared.
    pub span: Span,
    /// The built-in variable that it is (also when redeclared).
    pub builtin: Option<BuiltinVar>,
    /// Value of a `const`, initial value of a uniform or of a global variable with a constant initialiser.
    pub constant: Option<ConstId>,
    /// A specialization constant whose value is chosen after compilation; `constant` is its default.
    pub open: bool,
    /// The function that owns a parameter or local.
    pub function: Option<FuncId>,
    /// An interface block (its type is a block structure or array of these).
    pub block: bool,
    /// A block whose members are named without an instance name.
    pub nameless_block: bool,
    /// Named in a function body (static use, before dead code is removed).
    pub used: bool,
    /// Written in a function body.
    pub written: bool,
    /// Largest constant index plus one that was applied to an array without a size.
    pub min_len: u32,
    /// An array of resources without a size whose index varies: it has as many elements as the application binds
    /// (GL_EXT_nonuniform_qualifier).
    pub is_unbounded: bool,
    /// Largest constant index plus one applied to each member of a block that is an array without a size.
    pub field_min_len: Vec<(u32, u32)>,
    /// Location assigned by the linker.
    pub place: Placement,
    /// Locations that the linker assigned to the members of an input or output block, by member.
    pub field_places: Vec<Placement>,
}

impl Variable {
    /// A variable that is neither built-in nor used.
    pub fn new(name: Symbol, ty: Type, qualifiers: Qualifiers, span: Span) -> Variable {
        Variable {
            name,
            ty,
            qualifiers,
            span,
            builtin: None,
            constant: None,
            open: false,
            function: None,
            block: false,
            nameless_block: false,
            used: false,
            written: false,
            min_len: 0,
            is_unbounded: false,
            field_min_len: Vec::new(),
            place: Placement::default(),
            field_places: Vec::new(),
        }
    }
}

/// Location that the linker assigned to a variable or member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Slot of an input or output.
    pub slot: Option<Slot>,
    /// First component in the slot.
    pub component: u8,
    /// The scalars of an array are consecutive components, four to a slot.
    pub packed: bool,
    /// Blend source.
    pub index: u8,
    /// Descriptor set (Vulkan) of a resource.
    pub set: Option<u32>,
    /// Binding (or first binding of an array of resources).
    pub binding: Option<u32>,
    /// Byte offset in the default uniform block, or of an atomic counter.
    pub offset: Option<u32>,
    /// Location of a uniform, as returned by `glGetUniformLocation`.
    pub location: Option<u32>,
    /// The linker found that nothing reads it (an output) or writes it (an input): it is not part of the interface.
    pub dead: bool,
}

/// The default uniform block as a buffer: one layout for all stages of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultBlock {
    /// Binding of the buffer.
    pub binding: u32,
    /// Bytes.
    pub size: u32,
    /// The uniforms of this unit in it, by offset.
    pub members: Vec<(VarId, u32)>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name.
    pub name: Symbol,
    /// Type of the result.
    pub result: Type,
    /// Precision of the result.
    pub precision: PrecisionHint,
    /// Result declared `precise`.
    pub precise: bool,
    /// Parameters.
    pub params: Vec<VarId>,
    /// Body; `None` for a prototype whose definition is elsewhere.
    pub body: Option<StmtList>,
    /// Position of the head.
    pub span: Span,
    /// A subroutine type (`subroutine void f();`).
    pub is_subroutine_type: bool,
    /// Subroutine types that it implements.
    pub subroutine_types: Vec<FuncId>,
    /// `layout(index = n)` of a subroutine, or the index that the linker assigned.
    pub subroutine_index: Option<u32>,
    /// Functions that its body calls, each once, in order of first call (subroutine calls count for all that fit).
    pub calls: Vec<FuncId>,
    /// Global variables that its body names, each once, in order of first use.
    pub globals: Vec<VarId>,
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Type.
    pub ty: Type,
    /// First byte of the source.
    pub at: u32,
}

/// Components of a vector, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    /// Components, 0 to 3.
    pub comps: [u8; 4],
    /// How many.
    pub len: u8,
}

impl Swizzle {
    /// The components.
    pub fn as_slice(&self) -> &[u8] {
        &self.comps[..usize::from(self.len)]
    }
}

/// Which expression.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// Only in units with errors.
    Error,
    /// A constant.
    Const(ConstId),
    /// A variable.
    Var(VarId),
    /// Member of a structure or block.
    Field(ExprId, u32),
    /// Element of an array, column of a matrix, component of a vector; the index is an `int` or `uint`.
    Index(ExprId, ExprId),
    /// Components of a vector, or of a scalar (`x.xxx`).
    Swizzle(ExprId, Swizzle),
    /// Operator on operands of the right type: `-`, `+`, `!` (scalar bool), `~`.
    Unary(UnaryOp, ExprId),
    /// Operator; operands have the same base type (except shifts), scalars with vectors or matrices as in GLSL 4.60 section 5.9,
    /// `*` of vectors and matrices is the linear-algebraic product, `==` and `!=` give one `bool` for any type.
    Binary(BinaryOp, ExprId, ExprId),
    /// `&&`, `||` are `Binary`, evaluated with short circuit. `c ? a : b` evaluates one side only.
    Select(ExprId, ExprId, ExprId),
    /// Assignment; the value is the assigned one.
    Assign(ExprId, ExprId),
    /// `op=`; operands as for `Binary`; the left one is evaluated once. When the result's type differs from the left side's (no
    /// such case in the language) checking has failed.
    AssignOp(BinaryOp, ExprId, ExprId),
    /// `++` and `--`.
    Step {
        /// `++` or `--`.
        increment: bool,
        /// The value is the new one.
        prefix: bool,
        /// Operand.
        operand: ExprId,
    },
    /// `a, b`.
    Comma(ExprId, ExprId),
    /// Constructor of the node's type, arguments as written (GLSL 4.60 section 5.4). Structure and array constructors have one argument
    /// a member, already converted to its type. Arguments of scalar, vector and matrix constructors are scalars, vectors
    /// and matrices of any base type (the constructor converts components).
    Construct(ExprList),
    /// Implicit conversion to the node's type: same shape, another base type.
    Convert(ExprId),
    /// The block that a reference refers to, of block type: the base of `reference.member`.
    Dereference(ExprId),
    /// A reference as the `uint64_t` that is its address, or the reverse; the node's type determines which.
    Address(ExprId),
    /// `nonuniformEXT(x)`: the operand itself, which may differ between the invocations of a subgroup.
    NonUniform(ExprId),
    /// Call of a function of the shader. Arguments of `out` and `inout` parameters are l-values of possibly another base type
    /// (implicit conversion on copying back and forth).
    Call(FuncId, ExprList),
    /// Call through a subroutine uniform (an expression of subroutine type).
    CallSubroutine(ExprId, ExprList),
    /// A built-in function; arguments are converted to the parameter types of its overload.
    Builtin(&'static Builtin, ExprList),
    /// `.length()` of an array whose length is known at run time only (last member of a buffer block), as `int`.
    Length(ExprId),
}

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// First byte of the source.
    pub at: u32,
}

/// Which statement.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    /// An expression for its effects.
    Expr(ExprId),
    /// A local variable comes into being, with its initial value. `const` locals with constant value have no such statement.
    Declare(VarId, Option<ExprId>),
    /// Statements.
    Block(StmtList),
    /// `if`.
    If {
        /// A `bool`.
        cond: ExprId,
        /// If true.
        then: StmtList,
        /// If false.
        els: StmtList,
    },
    /// All loops: `for` and `while` test before the body, `do` after it. The declaration of a `for` is a statement before, in an
    /// enclosing `Block`.
    Loop {
        /// Run once each turn before the test: declares the variable of `while (bool b = f())`.
        before: StmtList,
        /// The test; `None` = always true.
        cond: Option<ExprId>,
        /// The test comes after the body (`do`).
        test_last: bool,
        /// Body.
        body: StmtList,
        /// Third part of `for`: run after the body and by `continue`.
        step: Option<ExprId>,
    },
    /// `switch`: the body's statements with `Case` and `Default` among them, at its top level only.
    Switch(ExprId, StmtList),
    /// A label with its constant (an int or uint of the selector's type).
    Case(ConstId),
    /// `default:`.
    Default,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<ExprId>),
    /// `discard`.
    Discard,
    /// `demote`.
    Demote,
    /// `terminateInvocation`.
    Terminate,
}

/// Declarations of `layout(...) in;` and `layout(...) out;` about the stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageLayout {
    /// `local_size_x`, `_y`, `_z`.
    pub local_size: [Option<u32>; 3],
    /// `local_size_x_id` and so on.
    pub local_size_id: [Option<u32>; 3],
    /// Those that stay open.
    pub local_size_open: [Option<u32>; 3],
    /// `local_size_variable`: the size is given when dispatched.
    pub local_size_variable: bool,
    /// Input primitive of geometry, domain of tessellation evaluation.
    pub input_primitive: Option<Primitive>,
    /// Output primitive of geometry.
    pub output_primitive: Option<Primitive>,
    /// `max_vertices`.
    pub max_vertices: Option<u32>,
    /// `invocations`.
    pub invocations: Option<u32>,
    /// `vertices` of tessellation control.
    pub vertices: Option<u32>,
    /// Spacing.
    pub spacing: Option<Spacing>,
    /// `cw` is true, `ccw` false.
    pub clockwise: Option<bool>,
    /// `point_mode`.
    pub point_mode: bool,
    /// `early_fragment_tests`.
    pub early_fragment_tests: bool,
    /// `post_depth_coverage`.
    pub post_depth_coverage: bool,
    /// `origin_upper_left` on `gl_FragCoord`.
    pub origin_upper_left: bool,
    /// `pixel_center_integer` on `gl_FragCoord`.
    pub pixel_center_integer: bool,
    /// `gl_FragCoord` was redeclared.
    pub frag_coord_redeclared: bool,
    /// `depth_any` and so on on `gl_FragDepth`.
    pub depth: Option<DepthLayout>,
    /// Default `stream` of outputs.
    pub stream: Option<u32>,
    /// Strides of transform-feedback buffers, by buffer.
    pub xfb_strides: Vec<(u32, u32)>,
    /// Default `xfb_buffer`.
    pub xfb_buffer: Option<u32>,
    /// `blend_support_*` equations, by their bit.
    pub blend_support: u32,
    /// `num_views`.
    pub num_views: Option<u32>,
    /// The views of the draws of a program, once it is linked; `None` if they are unknown.
    pub views: Option<u32>,
    /// `derivative_group_linear` is true, `derivative_group_quads` false.
    pub derivative_group: Option<bool>,
}

impl Unit {
    /// A unit without declarations.
    pub fn new(stage: Stage, version: Version) -> Unit {
        Unit {
            stage,
            version,
            vulkan: false,
            extensions: ExtSet::default(),
            names: Interner::default(),
            lines: LineMap::default(),
            types: TypeTable::default(),
            vars: Vec::new(),
            functions: Vec::new(),
            main: None,
            exprs: Vec::new(),
            expr_lists: Vec::new(),
            stmts: Vec::new(),
            stmt_lists: Vec::new(),
            consts: Vec::new(),
            const_precisions: Vec::new(),
            global_inits: Vec::new(),
            layout: StageLayout::default(),
            default_block: None,
            per_vertex_out: None,
            height: 0,
            imported: None,
        }
    }

    /// Whether it only links with other imported units.
    pub fn is_module(&self) -> bool {
        self.imported.as_ref().is_some_and(|i| !i.mixes)
    }

    /// Whether another front end has read it.
    pub fn is_imported(&self) -> bool {
        self.imported.is_some()
    }

    /// The expressions of a list.
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        &self.expr_lists[list.start as usize..(list.start + list.len) as usize]
    }

    /// The statements of a list.
    pub fn stmt_list(&self, list: StmtList) -> &[StmtId] {
        &self.stmt_lists[list.start as usize..(list.start + list.len) as usize]
    }

    /// Adds an expression.
    pub fn add_expr(&mut self, kind: ExprKind, ty: Type, at: u32) -> ExprId {
        self.exprs.push(Expr { kind, ty, at });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Precision of a constant expression.
    pub fn const_precision(&self, id: ExprId) -> PrecisionHint {
        let known = self.const_precisions.binary_search_by_key(&id, |c| c.0);
        known.map_or(PrecisionHint::default(), |i| self.const_precisions[i].1)
    }

    /// Records the precision of the constant expression that was added last.
    pub fn set_const_precision(&mut self, id: ExprId, precision: PrecisionHint) {
        if precision.0 != Precision::None {
            self.const_precisions.push((id, precision));
        }
    }

    /// Adds a list of expressions.
    pub fn add_list(&mut self, exprs: &[ExprId]) -> ExprList {
        let start = self.expr_lists.len() as u32;
        self.expr_lists.extend_from_slice(exprs);
        ExprList { start, len: exprs.len() as u32 }
    }

    /// Adds a statement.
    pub fn add_stmt(&mut self, kind: StmtKind, at: u32) -> StmtId {
        self.stmts.push(Stmt { kind, at });
        StmtId(self.stmts.len() as u32 - 1)
    }

    /// Adds a list of statements.
    pub fn add_stmts(&mut self, stmts: &[StmtId]) -> StmtList {
        let start = self.stmt_lists.len() as u32;
        self.stmt_lists.extend_from_slice(stmts);
        StmtList { start, len: stmts.len() as u32 }
    }

    /// Adds a constant.
    pub fn add_const(&mut self, constant: Constant) -> ConstId {
        self.consts.push(constant);
        ConstId(self.consts.len() as u32 - 1)
    }
}

macro_rules! index {
    ($( $field:ident [ $id:ident ] -> $node:ident )+) => { $(
        impl std::ops::Index<$id> for Unit {
            type Output = $node;
            fn index(&self, id: $id) -> &$node {
                &self.$field[id.0 as usize]
            }
        }
        impl std::ops::IndexMut<$id> for Unit {
            fn index_mut(&mut self, id: $id) -> &mut $node {
                &mut self.$field[id.0 as usize]
            }
        }
    )+ };
}

index! {
    vars[VarId] -> Variable
    functions[FuncId] -> Function
    exprs[ExprId] -> Expr
    stmts[StmtId] -> Stmt
    consts[ConstId] -> Constant
}
