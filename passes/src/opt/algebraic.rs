//! Replaces operations by cheaper ones with the rules in `passes/rules`.
//!
//! Accepts any form. Preserves control flow. Covers identities, combination of constants, booleans, comparisons,
//! minimum and maximum, signs, shifts and bit fields, divisions by constants, conversions, packing, and functions such
//! as `pow` and `sqrt`; `airfoil rules list` lists the rules. A rule that may change the sign of a zero, assumes that
//! no operand is NaN or infinite, or rounds differently, does not apply to `exact` operations; the first three not to
//! floats whose special values must be preserved (SPIR-V SignedZeroInfNanPreserve), either. Constants become second
//! operands.
//!
//! A single walk in program order: the operands of an operation are simple when it is visited. Copies are propagated and
//! constants folded on the way. All rules are one table, found by the operation and by the operations of its operands.
//! Operands that become unused are removed, so that rules for values with one use see the right count.
//!
//! Source: NIR's `nir_opt_algebraic`; each rule names its own.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! 32x1 %2 = const 1.0
//! %3 = fmul %1.x, %2
//! %4 = fadd %3, %1.y
//! store_output %4, %0 io=0 mask=x
//! =>
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! %4 = fadd %1.x, %1.y
//! store_output %4, %0 io=0 mask=x
//! ```

mod equal;
mod facts;
mod matcher;
pub(super) mod rewrite;

use crate::opt::{constant_folding, copy_prop};
use crate::pass::OptionValue;
use crate::rules::TABLE;
use crate::{Changes, Context, Pass, PassInfo, PassOptions};
use airfoil_ir::{Body, Diagnostic, InstrId, InstrKind, Shader};
use airfoil_rules::table::Table;
use rewrite::Rewriter;
use std::hash::{Hash, Hasher};

crate::pass_options! {
    /// Options of the pass.
    pub struct Options {
        /// Names of rules that do not apply, separated by `+`.
        without: RuleSet = RuleSet::default(),
        /// Names of the only rules that apply, separated by `+`; empty for all.
        only: RuleSet = RuleSet::default(),
        /// Whether rules that lose accuracy apply, and special values of floats need not be preserved.
        fast: bool = false,
        /// Whether all float operations are exact.
        exact: bool = false,
    }
}

/// A set of rules, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSet(Vec<u16>);

impl RuleSet {
    fn contains(&self, rule: u16) -> bool {
        self.0.binary_search(&rule).is_ok()
    }
}

impl OptionValue for RuleSet {
    fn parse(text: &str) -> Result<RuleSet, String> {
        let mut set = Vec::new();
        for name in text.split('+').filter(|n| !n.is_empty()) {
            match TABLE.rules.iter().position(|rule| rule.name == name) {
                Some(rule) => set.push(rule as u16),
                None => {
                    let near = airfoil_ir::diag::nearest(name, TABLE.rules.iter().map(|r| r.name));
                    let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
                    return Err(format!("unknown rule `{name}`{hint}"));
                }
            }
        }
        set.sort_unstable();
        set.dedup();
        Ok(RuleSet(set))
    }

    fn text(&self) -> String {
        self.0.iter().map(|&rule| TABLE.rules[rule as usize].name).collect::<Vec<_>>().join("+")
    }
}

/// See the [module documentation](self).
#[derive(Debug)]
pub struct Algebraic {
    options: Options,
    table: &'static Table,
}

impl Default for Algebraic {
    fn default() -> Algebraic {
        Algebraic { options: Options::default(), table: &TABLE }
    }
}

impl Algebraic {
    /// The pass with other rules than its own.
    pub fn with_table(table: &'static Table) -> Algebraic {
        Algebraic { options: Options::default(), table }
    }
}

impl PassOptions for Algebraic {
    const OPTIONS: &'static [crate::OptionInfo] = Options::OPTIONS;

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.options.set(name, value)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        self.options.settings()
    }
}

static INFO: PassInfo =
    PassInfo::new("algebraic", "replaces operations by cheaper ones", include_str!("algebraic.rs"))
        .reads(Changes::INSTRUCTIONS)
        .options(Options::OPTIONS)
        .rounds()
        .nan_bits();

/// For `simplify`, which applies the rules in its own walk.
impl Algebraic {
    /// Widths of floats whose special values are preserved.
    pub(super) fn preserved(&self, shader: &Shader) -> u8 {
        if self.options.fast { 0 } else { shader.info.preserve_float_special }
    }

    /// Applies the rules to a body.
    pub(super) fn rewriter<'a>(&'a self, body: &'a mut Body, preserved: u8) -> Rewriter<'a> {
        body.start_settling(self.key(preserved));
        Rewriter::new(body, self.table, &self.options, preserved)
    }

    /// Identifies the rules that apply to an operation, for [`Body::start_settling`].
    fn key(&self, preserved: u8) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        let Options { without, only, fast, exact } = &self.options;
        (&without.0, &only.0, fast, exact, preserved, std::ptr::from_ref(self.table)).hash(&mut hasher);
        hasher.finish()
    }

    /// Counts rules that fired.
    pub(super) fn count(&self, context: &mut Context, fired: &[u16]) {
        context.count_rules(self.table, fired);
    }

    /// The same without a rule.
    pub(super) fn without(&self, rule: &str) -> Option<Algebraic> {
        let index = self.table.rules.iter().position(|r| r.name == rule)? as u16;
        let mut options = self.options.clone();
        let without = &mut options.without.0;
        without.push(index);
        without.sort_unstable();
        Some(Algebraic { options, table: self.table })
    }
}

impl Pass for Algebraic {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic> {
        let preserved = self.preserved(shader);
        let mut changes = Changes::NONE;
        for function in shader.functions.values_mut() {
            let mut rewriter = self.rewriter(&mut function.body, preserved);
            changes |= walk(&mut rewriter);
            self.count(context, &rewriter.fired);
        }
        Ok(changes)
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        self.options.settings()
    }

    fn without_rule(&self, rule: &str) -> Option<Box<dyn Pass>> {
        Some(Box::new(self.without(rule)?))
    }
}

fn walk(rewriter: &mut Rewriter<'_>) -> Changes {
    let mut progress = false;
    let mut phis: Vec<InstrId> = Vec::new();
    let mut block = Some(rewriter.body.entry());
    while let Some(b) = block {
        let mut next = rewriter.body.first_instr(b);
        while let Some(id) = next {
            match &rewriter.body[id].kind {
                InstrKind::Alu(_) => progress |= rewriter.simplify(id, 0),
                InstrKind::Phi(_) => phis.push(id),
                InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) => {}
                _ => progress |= copy_prop::whole_operands(rewriter.body, id),
            }
            next = rewriter.body.next(id);
        }
        if let Some(cf) = rewriter.body.next_cf(b)
            && let Some(cond) = rewriter.body.as_if(cf).map(|n| n.cond())
        {
            let whole = copy_prop::source(rewriter.body, cond);
            progress |= rewriter.body.map_condition(cf, |_| whole);
        }
        block = rewriter.body.next_block(b);
    }
    for phi in phis {
        progress |= copy_prop::whole_operands(rewriter.body, phi);
    }
    // Rules may apply now to values that had other uses, or to values of the next round of a loop.
    (Changes::INSTRUCTIONS | Changes::AGAIN).when(progress)
}

/// The constant or other operation that an operation on constants becomes.
fn folded(body: &Body, id: InstrId) -> Option<InstrKind> {
    let alu = body[id].as_alu()?;
    constant_folding::fold_alu(body, alu, body[id].ty)
}
