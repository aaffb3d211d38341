//! Analyses of one function body, computed on demand and kept until a pass invalidates them.

use super::Cfg;
use crate::body::Body;
use bitflags::bitflags;

bitflags! {
    /// Analyses that a pass keeps valid.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Keeps: u8 {
        /// Block order and edges.
        const CFG = 1;
        /// Dominators.
        const DOMINANCE = 2;
        /// Post-dominators.
        const POST_DOMINANCE = 4;
        /// Loop nest.
        const LOOPS = 8;
        /// Live values.
        const LIVENESS = 16;
        /// Divergent values.
        const DIVERGENCE = 32;
        /// All that depends on blocks and edges only.
        const CONTROL_FLOW = Self::CFG.bits() | Self::DOMINANCE.bits() | Self::POST_DOMINANCE.bits()
            | Self::LOOPS.bits();
    }
}

/// The analyses of one body.
#[derive(Clone, Debug, Default)]
pub struct Analyses {
    cfg: Option<Cfg>,
}

impl Analyses {
    /// Block order and edges.
    pub fn cfg(&mut self, body: &Body) -> &Cfg {
        self.cfg.get_or_insert_with(|| Cfg::new(body))
    }

    /// Forgets all analyses but the kept ones.
    pub fn invalidate(&mut self, keeps: Keeps) {
        if !keeps.contains(Keeps::CFG) {
            self.cfg = None;
        }
    }
}
