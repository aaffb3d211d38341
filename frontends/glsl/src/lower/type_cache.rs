//! Cached types of the IR.

use crate::types::Type;
use airfoil_ir::TypeId;
use rustc_hash::FxHashMap;

/// Types that have been created.
#[derive(Debug, Default)]
pub struct TypeCache {
    pub(super) structs: Vec<Option<StructInfo>>,
    pub(super) arrays: FxHashMap<Type, TypeId>,
    /// Types with layout, by the address of the layout, which [`crate::link::layout::Layouts`] keeps alive.
    pub(super) explicit: FxHashMap<(usize, bool), TypeId>,
}

/// A structure.
#[derive(Clone, Debug)]
pub(super) struct StructInfo {
    pub(super) ty: TypeId,
    /// Opaque parts, arrays not multiplied.
    pub(super) leaves: u32,
    /// Whether the type has anything but opaque parts.
    pub(super) data: bool,
    /// Some member holds a boolean.
    pub(super) bools: bool,
    /// Number of each member in the type; `None` if it has all members in order.
    pub(super) map: Option<Box<[Option<u32>]>>,
}
