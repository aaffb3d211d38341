//! Analyses: facts that follow from the code. They are computed on demand and never stored in the body.
//!
//! [`Analyses`] caches them; each can also be computed directly with `new`.

mod cache;
mod cfg;
mod counts;
mod divergence;
mod dominance;
mod effects;
mod graph;
mod instr_set;
mod liveness;
mod loops;
mod occupancy;
mod scopes;
#[cfg(test)]
mod tests;
mod usemap;

pub use cache::{Analyses, Keeps};
pub use cfg::Cfg;
pub use counts::Counts;
pub use divergence::Divergence;
pub use dominance::{Dominance, PostDominance};
pub use effects::{Effect, SHARED_MEMORY};
pub(crate) use instr_set::hash_of_value;
pub use instr_set::{InstrSet, Lookup, Occupied, Vacant};
pub use liveness::Liveness;
pub use loops::{LoopInfo, LoopNest};
pub use scopes::{DominatingScopes, ScopeId};
pub use usemap::{UseMap, User};
