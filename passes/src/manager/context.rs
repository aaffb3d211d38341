//! The state that passes of a run share.

use airfoil_ir::analysis::{Analyses, Keeps};
use airfoil_ir::{FuncId, Shader};
use slotmap::SecondaryMap;

/// State that the passes of a run share: cached analyses.
///
/// Only the [manager](super::Manager) creates it, so only the manager can run a pass: every pass of every compile is
/// validated, dumped, timed and checked if the options ask for it.
#[derive(Debug)]
pub struct Context {
    analyses: SecondaryMap<FuncId, Analyses>,
}

impl Context {
    pub(super) fn new() -> Context {
        Context { analyses: SecondaryMap::new() }
    }

    /// The analyses of a function.
    pub fn analyses(&mut self, function: FuncId) -> &mut Analyses {
        if !self.analyses.contains_key(function) {
            self.analyses.insert(function, Analyses::default());
        }
        &mut self.analyses[function]
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
