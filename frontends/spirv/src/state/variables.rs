//! Variables outside functions.

use super::captures::XfbDeco;
use super::types::TyIx;
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::StorageClass;

/// A variable outside functions.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub id: u32,
    /// Type of the memory.
    pub ty: TyIx,
    pub class: StorageClass,
    /// Constant with the initial value; 0 = none.
    pub initializer: u32,
    pub at: usize,
    pub state: GlobalState,
}

/// The translation of a variable.
#[derive(Clone, Debug)]
pub(crate) enum GlobalState {
    /// Nothing refers to it yet.
    Todo,
    /// A variable of the shader.
    Var(VarId),
    /// An array of one element, kept as the element.
    Single(VarId),
    /// A block split into its members.
    Block(Box<IoBlock>),
}

/// A block of inputs or outputs.
#[derive(Clone, Debug)]
pub(crate) struct IoBlock {
    /// Type of the structure.
    pub ty: TyIx,
    /// Lengths of the arrays around it, the outermost first; at most one.
    pub arrays: SmallVec<[u32; 1]>,
    /// Variables of the members, created when they are needed.
    pub members: Vec<Option<VarId>>,
    pub decorations: Vec<VarDeco>,
}

/// Decorations of a variable or member.
#[derive(Clone, Debug, Default)]
pub(crate) struct VarDeco {
    pub location: Option<u32>,
    pub component: u8,
    pub index: u8,
    pub binding: Option<u32>,
    pub set: Option<u32>,
    pub builtin: Option<u32>,
    pub interpolation: Interpolation,
    pub sampling: Sampling,
    pub patch: bool,
    pub per_primitive: bool,
    pub invariant: bool,
    pub access: Access,
    pub precision: Precision,
    pub stream: u8,
    pub offset: u32,
    pub xfb: XfbDeco,
}
