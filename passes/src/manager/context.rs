//! The state that passes of a run share.

use airfoil_ir::analysis::{Analyses, Keeps};
use airfoil_ir::{FuncId, Shader};
use airfoil_rules::table::Table;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use slotmap::SecondaryMap;

/// State that the passes of a run share: cached analyses.
///
/// Only the [manager](super::Manager) creates it, so only the manager can run a pass: every pass of every compile is
/// validated, dumped, timed and checked if the options request it.
///
/// # Examples
/// ```
/// use airfoil_ir::{Diagnostic, text};
/// use airfoil_passes::{Changes, FunctionPass, Manager, PassInfo, Pipeline};
///
/// let shallow = FunctionPass::new(PassInfo::new("shallow", "rejects loops in loops", ""), |shader, context| {
///     for (id, function) in &shader.functions {
///         if context.analyses(id).loops(&function.body).loops().iter().any(|l| l.depth > 1) {
///             return Err(Diagnostic::error("E9000", format!("nested loops in {}", function.name)));
///         }
///     }
///     Ok(Changes::NONE)
/// });
/// # let code = "foil 1\nshader compute \"t\" {\n fn main {\n loop {\n loop {\n break\n }\n break\n }\n } }";
/// # let mut shader = text::parse(code).unwrap();
/// let faults = Manager::default().run(&Pipeline::of_pass(Box::new(shallow)), &mut shader).unwrap_err();
/// assert_eq!(faults[0].message, "nested loops in main");
/// ```
#[derive(Debug)]
pub struct Context {
    analyses: SecondaryMap<FuncId, Analyses>,
    /// How often each algebraic rule fired, if that is counted.
    rules: Option<RuleCounts>,
}

/// How often algebraic rules fired, by name.
pub(super) type RuleCounts = IndexMap<&'static str, u64, FxBuildHasher>;

impl Context {
    pub(super) fn new() -> Context {
        Context { analyses: SecondaryMap::new(), rules: None }
    }

    /// The analyses of a function.
    pub fn analyses(&mut self, function: FuncId) -> &mut Analyses {
        if !self.analyses.contains_key(function) {
            self.analyses.insert(function, Analyses::default());
        }
        &mut self.analyses[function]
    }

    /// Counts rules from now on.
    pub(super) fn start_counting_rules(&mut self) {
        self.rules = Some(RuleCounts::default());
    }

    /// The rules that fired since the last call.
    pub(super) fn take_rules(&mut self) -> Option<RuleCounts> {
        self.rules.take()
    }

    /// Notes rules that fired.
    pub(crate) fn count_rules(&mut self, table: &Table, fired: &[u16]) {
        let Some(rules) = &mut self.rules else { return };
        for &rule in fired {
            *rules.entry(table.rules[usize::from(rule)].name).or_insert(0) += 1;
        }
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
