//! State of lowering: the shader and the function under construction.

use super::Place;
use super::frame::Frame;
use super::home::Home;
use super::inline::Inlining;
use super::precise::Exact;
use super::relaxed::Relaxed;
use super::stores::Stores;
use super::survey::Survey;
use super::type_cache::TypeCache;
use crate::builtin::BuiltinVar;
use crate::hir::{self, ConstId, StmtId, Unit};
use crate::link::layout::Layouts;
use crate::types::Type;
use airfoil_ir::{Builder, Cursor, DepthMode, FuncId, InstrId, Loc, LocalValues, Shader, Stop, VarId};
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use smallvec::SmallVec;

/// A resource that is an opaque part of a variable or parameter.
#[derive(Clone, Copy, Debug)]
pub enum Leaf {
    /// A variable.
    Var(VarId),
    /// A parameter of the function that is lowered.
    Param(InstrId),
}

/// State of the shader under construction.
pub struct Module<'u> {
    /// The unit to lower.
    pub unit: &'u Unit,
    /// The shader under construction. The body of the current function is outside of it.
    pub shader: Shader,
    /// Layouts of blocks.
    pub layouts: Layouts<'u>,
    /// Resources that opaque parts of variables have become, in runs.
    pub leaves: Vec<Leaf>,
    pub(super) types: TypeCache,
    /// Where each variable lives.
    pub(super) homes: Vec<Home>,
    /// Variables of the members of interface blocks, in runs.
    pub(super) block_members: Vec<Option<VarId>>,
    /// The buffer of the default uniform block, and its members.
    pub(super) default_block: Option<VarId>,
    pub(super) default_members: Vec<(hir::VarId, u32)>,
    /// Variables that hold constants.
    pub(super) const_vars: FxHashMap<ConstId, VarId>,
    pub(super) equal_consts: FxHashMap<(Type, &'u [u64]), VarId>,
    pub(super) builtin_vars: Vec<(BuiltinVar, Option<hir::VarId>)>,
    pub(super) functions: Vec<Option<FuncId>>,
    /// Functions whose bodies are lowered one after the other.
    pub(super) queue: Vec<hir::FuncId>,
    pub(super) survey: Survey,
    /// Stores to local variables.
    pub(super) stores: Stores,
    /// Whether locals are SSA values and calls are replaced by code where possible.
    pub(super) values: bool,
    /// The locals of the function that is lowered that are SSA values.
    pub(super) locals: LocalValues,
    /// Locals and parameters that have a home, in order.
    pub(super) own_homes: Vec<hir::VarId>,
    pub(super) inlining: Inlining,
    pub(super) exact: Exact,
    pub(super) relaxed: Relaxed,
    /// Source strings that have been named, with their positions in the shader's list of files.
    pub(super) files: Vec<u32>,
    pub(super) depth_mode: DepthMode,
    pub(super) raw: bool,
    pub(super) stop: Stop,
}

/// State of the function under construction.
///
/// Methods used by the lowering of built-in functions:
///
/// * `l.b`: the builder; `l.m.unit`: the typed tree; `l.m.shader`: variables and types.
/// * `l.expr(id)`: value of any expression; `l.ssa(id)`: of a scalar or vector; `l.columns(id)`: of a matrix.
/// * `l.place(id)`: the place of an l-value (evaluated once), `l.load(&place)`, `l.store(&place, value)`;
///   `l.deref(&place)`: deref of memory for atomics, `l.opaque(id)`: derefs of texture (image, counter) and sampler.
/// * `l.builtin_var(BuiltinVar)`: place of a built-in variable that the checker has declared.
pub struct Lowerer<'u, 'm> {
    /// State of the shader.
    pub m: &'m mut Module<'u>,
    /// Makes instructions.
    pub b: Builder<'m>,
    /// The function under construction.
    pub func: FuncId,
    /// The function that is lowered.
    pub function: hir::FuncId,
    /// Byte of the source that is lowered.
    pub at: u32,
    /// The physical line of the source that is lowered, and its location.
    pub(super) line: (u32, u32, Loc),
    /// The destination of the result.
    pub(super) result: Option<Place>,
    /// The statement that is lowered.
    pub(super) statement: Option<StmtId>,
    /// Functions whose code replaces a call at the current position, outermost first.
    pub(super) inlined: SmallVec<[hir::FuncId; 8]>,
    /// Height of the trees of the functions around the current position.
    pub(super) levels: u32,
    /// Derefs of variables at the start of the function, and the position of the next.
    pub(super) derefs: SecondaryMap<VarId, InstrId>,
    pub(super) start: Cursor,
    /// Constructs around the current position, innermost last.
    pub(super) frames: Vec<Frame>,
    /// Whether control reaches the current position.
    pub(super) live: bool,
}
