//! The state that passes of a run share.

use airfoil_ir::analysis::{Analyses, Keeps};
use airfoil_ir::{FuncId, Shader};
use slotmap::SecondaryMap;

/// State that the passes of a run share: cached analyses, and facts that a pass reports about its run.
///
/// Only the [manager](super::Manager) creates it, so only the manager can run a pass: every pass of every compile is
/// validated, dumped, timed and checked if the options ask for it.
#[derive(Debug)]
pub struct Context {
    analyses: SecondaryMap<FuncId, Analyses>,
    pub(super) settled: bool,
    pub(super) code_unchanged: bool,
}

impl Context {
    pub(super) fn new() -> Context {
        Context { analyses: SecondaryMap::new(), settled: false, code_unchanged: false }
    }

    /// The analyses of a function.
    pub fn analyses(&mut self, function: FuncId) -> &mut Analyses {
        if !self.analyses.contains_key(function) {
            self.analyses.insert(function, Analyses::default());
        }
        &mut self.analyses[function]
    }

    /// For passes that are not idempotent: this time a second run directly after this one would find nothing.
    pub fn settled(&mut self) {
        self.settled = true;
    }

    /// The progress of this run is not in the code of a function, so no pass has more to do than before.
    pub fn code_unchanged(&mut self) {
        self.code_unchanged = true;
    }

    /// Forgets everything, for another shader.
    pub fn clear(&mut self) {
        self.analyses.clear();
    }

    /// Forgets all analyses but the kept ones, and all of functions that are gone.
    pub fn invalidate(&mut self, shader: &Shader, keeps: Keeps) {
        self.analyses.retain(|f, _| shader.functions.contains_key(f));
        self.analyses.values_mut().for_each(|a| a.invalidate(keeps));
    }
}
