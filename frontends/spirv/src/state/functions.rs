//! Entry points and functions.

use super::ids::Line;
use super::plan::Planned;
use super::types::TyIx;
use airfoil_ir::{FuncId, Name};

/// An entry point.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub name: Name,
    pub model: u32,
    pub function: u32,
    /// Offset of the first interface id and of the end.
    pub interface: (usize, usize),
    pub at: usize,
}

/// A function of the module.
#[derive(Clone, Debug)]
pub(crate) struct SFunction {
    /// Offset of OpFunction.
    pub at: usize,
    /// Id.
    pub id: u32,
    /// Type.
    pub ty: TyIx,
    /// Line of OpFunction.
    pub line: Line,
    /// Count of its words, without those of OpFunction.
    pub words: usize,
    /// Number of its blocks.
    pub blocks: usize,
    /// The function of the shader, if something calls it.
    pub func: Option<FuncId>,
    pub plan: Planned,
    /// Whether its code has been inlined somewhere.
    pub is_inlined: bool,
}
