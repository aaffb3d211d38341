//! Constants.

use super::types::TyIx;
use super::values::Val;
use airfoil_ir::*;

/// A constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SConst {
    pub ty: TyIx,
    pub value: ConstValue,
    /// Its value in the function that is translated: serial number of the function and the value.
    pub cached: Option<(u32, Val)>,
    /// Offset of its instruction; 0 for parts that have none.
    pub at: u32,
    /// Depends on specialisation constants that stay open; the value is that of their defaults.
    pub open: bool,
    /// Variable that holds it, for large ones.
    pub var: Option<VarId>,
}

impl SConst {
    pub fn new(ty: TyIx, value: ConstValue) -> SConst {
        SConst { ty, value, cached: None, at: 0, open: false, var: None }
    }
}

/// Value of a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ConstValue {
    /// Scalar or vector.
    Lanes(Lanes),
    /// Parts: a range in the reader's list of parts.
    Parts(u32),
    /// All bits zero.
    Null,
    /// No particular bits.
    Undef,
}
