//! Analyses: facts that follow from the code. They are computed on demand and never stored in the body.

mod cache;
mod cfg;
mod usemap;

pub use cache::{Analyses, Keeps};
pub use cfg::Cfg;
pub use usemap::{UseMap, User};
