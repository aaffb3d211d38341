//! The loops of a body.

use airfoil_ir::{Body, CfId, Walk};
use smallvec::SmallVec;

/// All loops, each after those inside of it.
pub(crate) fn inner_loops_first(body: &Body) -> SmallVec<[CfId; 8]> {
    body.walk_cf().filter_map(|s| if let Walk::EndLoop(cf) = s { Some(cf) } else { None }).collect()
}
