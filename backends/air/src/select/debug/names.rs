//! Variables inside of the function: their values, and where each of these starts.
//!
//! The names of values ([`airfoil_ir::Names`]) record that a variable gets a value in a block, at about a line. The
//! call of `llvm.dbg.value` is in that block, after the value and before the first instruction of the line or of a
//! later one; at the end of the block if there is none. The previous value of the variable ends there as well: a value
//! that has not been kept is emitted as `undef`, if there was one before. Stores to outputs set the value at the store.

use crate::module::Md;
use airfoil_ir::analysis::Dominance;
use airfoil_ir::{InstrId, Modes, NameId, NamedValue, Names, Scalar, Shader, Slot, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The key of a variable's record.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Name(NameId),
    Output(Slot, u8),
}

/// The records of the current block that have not been emitted.
#[derive(Default)]
pub(crate) struct Pending {
    pub(crate) records: Vec<NamedValue>,
    /// Records that wait for a value of this block.
    pub(crate) waiting: FxHashMap<InstrId, Vec<u32>>,
    /// Line and index of those whose values have been emitted.
    pub(crate) ready: BinaryHeap<Reverse<(u32, u32)>>,
    /// One more than the index of the last record of each variable that was emitted in this block.
    pub(crate) said: FxHashMap<NameId, u32>,
}

/// An output that the source names.
type Output = (String, TypeId);

/// Names in the whole function.
pub(crate) struct ValueNames<'a> {
    pub(crate) names: Option<&'a Names>,
    pub(crate) dominance: Option<Dominance>,
    pub(crate) outputs: FxHashMap<(Slot, u8), Output>,
    pub(crate) records: FxHashMap<Key, Md>,
    pub(crate) pending: Pending,
}

impl<'a> ValueNames<'a> {
    pub(crate) fn new(shader: &'a Shader) -> ValueNames<'a> {
        let body = shader.entry_body();
        let names = body.and_then(|b| b.names());
        // Stores to a copy of the output have emitted its values already.
        let copied: FxHashSet<&str> = names.iter().flat_map(|n| n.variables()).map(|v| &*v.name).collect();
        let outputs = shader.vars.values().filter(|v| {
            v.mode == Modes::OUT && v.index == 0 && !v.name.is_empty() && !copied.contains(&*v.name)
        });
        let outputs =
            outputs.filter_map(|v| Some(((v.location?, v.component), (v.name.to_string(), v.ty)))).collect();
        ValueNames {
            names,
            dominance: names.filter(|n| !n.is_empty()).and(body).map(Dominance::new),
            outputs,
            records: FxHashMap::default(),
            pending: Pending::default(),
        }
    }
}

/// Component type and number of components of a vector.
pub(crate) fn vector(shader: &Shader, ty: TypeId) -> Option<(Scalar, u8)> {
    match shader.types[ty] {
        Type::Vector { scalar, comps } => Some((scalar, comps)),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) | Type::Image(_) | Type::Sampler => None,
    }
}
