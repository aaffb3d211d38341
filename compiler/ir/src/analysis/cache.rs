//! Analyses of one function body, computed on demand and kept until a pass invalidates them.

use super::{Cfg, Divergence, Dominance, Liveness, LoopNest, PostDominance, UseMap};
use crate::body::Body;
use bitflags::bitflags;
use std::sync::Arc;

bitflags! {
    /// Analyses that a pass keeps valid.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::analysis::{Analyses, Keeps};
    /// use airfoil_ir::{Body, Builder};
    ///
    /// let mut body = Body::new();
    /// let mut analyses = Analyses::default();
    /// analyses.dominance(&body);
    /// let mut b = Builder::at_end(&mut body);
    /// let condition = b.imm_bool(true);
    /// assert_eq!(analyses.verify(b.body, Keeps::CONTROL_FLOW), Ok(()));
    /// // A new `if` has blocks of its own. Loops have not been computed, so nothing contradicts that claim.
    /// b.push_if(condition);
    /// let wrong = analyses.verify(&body, Keeps::DOMINANCE | Keeps::LOOPS);
    /// assert_eq!(wrong.unwrap_err(), "not kept as claimed: dominance");
    /// ```
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
        /// Users of values.
        const USES = 64;
        /// All that depends on blocks and edges only.
        const CONTROL_FLOW = Self::CFG.bits() | Self::DOMINANCE.bits() | Self::POST_DOMINANCE.bits()
            | Self::LOOPS.bits();
    }
}

/// The analyses of one body.
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::{Analyses, Keeps};
/// use airfoil_ir::{Body, Builder, SystemValue};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let id = b.load_system_value(SystemValue::vertex_id);
/// let mut analyses = Analyses::default();
/// assert_eq!(analyses.uses(b.body).users(id).len(), 0);
/// b.iadd(id, id);
/// // A result stays as it is until it is invalidated.
/// assert_eq!(analyses.uses(b.body).users(id).len(), 0);
/// analyses.invalidate(Keeps::CONTROL_FLOW);
/// assert_eq!(analyses.uses(b.body).users(id).len(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Analyses {
    cfg: Option<Arc<Cfg>>,
    dominance: Option<Dominance>,
    post_dominance: Option<PostDominance>,
    loops: Option<LoopNest>,
    liveness: Option<Liveness>,
    divergence: Option<Divergence>,
    uses: Option<UseMap>,
}

impl Analyses {
    fn edges(&mut self, body: &Body) -> &Arc<Cfg> {
        self.cfg.get_or_insert_with(|| Arc::new(Cfg::new(body)))
    }

    /// Block order and edges.
    pub fn cfg(&mut self, body: &Body) -> &Cfg {
        self.edges(body)
    }
}

macro_rules! cached {
    ($($(#[doc = $doc:literal])+ $name:ident: $ty:ident, $keeps:ident, $title:literal, $make:expr;)+) => {
        impl Analyses {
            $(
                $(#[doc = $doc])+
                pub fn $name(&mut self, body: &Body) -> &$ty {
                    let cfg = Arc::clone(self.edges(body));
                    let make: fn(&Arc<Cfg>, &Body) -> $ty = $make;
                    self.$name.get_or_insert_with(|| make(&cfg, body))
                }
            )+

            /// Forgets all analyses but the kept ones.
            pub fn invalidate(&mut self, keeps: Keeps) {
                if !keeps.contains(Keeps::CFG) {
                    self.cfg = None;
                }
                $(
                    if !keeps.contains(Keeps::$keeps) {
                        self.$name = None;
                    }
                )+
            }

            /// Recomputes the cached analyses that a pass claims to preserve, and compares: finds passes that claim too much.
            ///
            /// # Errors
            /// Names the analyses that the claim is wrong for.
            pub fn verify(&self, body: &Body, claimed: Keeps) -> Result<(), String> {
                let cfg = Arc::new(Cfg::new(body));
                let mut wrong: Vec<&str> = Vec::new();
                if claimed.contains(Keeps::CFG) && self.cfg.as_ref().is_some_and(|c| **c != *cfg) {
                    wrong.push("block order and edges");
                }
                $(
                    if claimed.contains(Keeps::$keeps)
                        && let Some(cached) = &self.$name
                    {
                        let make: fn(&Arc<Cfg>, &Body) -> $ty = $make;
                        if *cached != make(&cfg, body) {
                            wrong.push($title);
                        }
                    }
                )+
                if wrong.is_empty() { Ok(()) } else { Err(format!("not kept as claimed: {}", wrong.join(", "))) }
            }
        }
    };
}

cached! {
    /// Dominators.
    dominance: Dominance, DOMINANCE, "dominance", |cfg, _| Dominance::of(cfg);
    /// Post-dominators.
    post_dominance: PostDominance, POST_DOMINANCE, "post-dominance", PostDominance::of;
    /// The loop nest.
    loops: LoopNest, LOOPS, "loop nest", LoopNest::of;
    /// Live values.
    liveness: Liveness, LIVENESS, "liveness", Liveness::of;
    /// Divergent values and blocks.
    divergence: Divergence, DIVERGENCE, "divergence", Divergence::of;
    /// Users of every value.
    uses: UseMap, USES, "uses", |_, body| UseMap::new(body);
}
