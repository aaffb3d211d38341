//! The function that is translated.

use super::reader::Reader;
use super::types::TyIx;
use super::values::{Ptr, Val};
use crate::error::*;
use crate::locals::Locals;
use crate::words::Inst;
use airfoil_ir::*;
use slotmap::SecondaryMap;
use smallvec::SmallVec;

/// A phi of the function: a local that the predecessors store to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phi {
    /// Offset of the instruction.
    pub at: usize,
    pub home: PhiHome,
    pub ty: TyIx,
}

/// The local of a phi.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PhiHome {
    /// A local as values.
    Local(u32),
    Var(VarId),
}

/// A function whose code is inlined.
#[derive(Debug)]
pub(crate) struct Inlined {
    /// Its index in the module.
    pub function: u32,
    /// The value that it returns.
    pub returned: Option<(TyIx, Val)>,
}

/// A function while it is translated.
pub(crate) struct FunctionTranslator<'a, 'w> {
    pub r: &'a mut Reader<'w>,
    pub b: Builder<'a>,
    pub func: FuncId,
    /// Index of the function in the module.
    pub index: u32,
    /// Distinguishes functions in the caches of constants.
    pub serial: u32,
    /// The position of the next constant in the first block.
    pub const_at: Cursor,
    /// Where results go; `None` for functions without.
    pub ret: Option<Ptr>,
    pub phis: Vec<Phi>,
    /// Stores at the end of blocks: predecessor, index of the phi, value. Sorted.
    pub phi_stores: Vec<(u32, u32, u32)>,
    /// The first phi and the first store of the function itself; others are those of its callers.
    pub first_phi: (usize, usize),
    /// Locals as values.
    pub locals: Locals,
    /// Constants 0 to 15.
    pub smalls: [Option<InstrId>; 16],
    /// Derefs of variables at the start of the function.
    pub var_derefs: SecondaryMap<VarId, InstrId>,
    /// Functions whose code is inlined around the instruction that is translated, the innermost last.
    pub inlined: SmallVec<[Inlined; 4]>,
    /// Number of ifs and loops around the block that is translated.
    pub nesting: usize,
    /// The instruction that is translated.
    pub inst: Inst<'w>,
}

impl FunctionTranslator<'_, '_> {
    /// Whether code may be appended at the cursor.
    pub fn is_open(&self) -> bool {
        self.b.body.jump(self.b.block()).is_none()
    }

    pub fn check_open(&self) -> Res<()> {
        if self.is_open() { Ok(()) } else { fail(CONTROL, "the control flow is not structured") }
    }

    /// Goes to an instruction.
    pub fn at(&mut self, at: usize) -> Res<()> {
        self.inst = Inst::at(self.r.words, at)?;
        Ok(())
    }
}
