//! Analyses: facts that follow from the code. They are computed on demand and never stored in the body.
//!
//! [`Analyses`] caches them; each can also be made directly with `new`.

mod cache;
mod cfg;
mod divergence;
mod dominance;
mod effects;
mod graph;
mod liveness;
mod loops;
#[cfg(test)]
mod tests;
mod usemap;

pub use cache::{Analyses, Keeps};
pub use cfg::Cfg;
pub use divergence::Divergence;
pub use dominance::{Dominance, PostDominance};
pub use effects::Effects;
pub use liveness::Liveness;
pub use loops::{LoopInfo, LoopNest};
pub use usemap::{UseMap, User};
