//! Changes and times of passes.

use super::context::RuleCounts;
use crate::Changes;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::fmt;
use std::time::Duration;

/// The counts of one pass in all its runs.
///
/// # Examples
/// ```
/// # use airfoil_ir::{Builder, Function, Shader, Stage};
/// use airfoil_passes::{Manager, Pipeline, manager::Options};
/// # let mut shader = Shader::new("main", Stage::Fragment);
/// # let mut main = Function::new("main");
/// # Builder::at_end(&mut main.body).imm_f32(1.0);
/// # shader.add_function(main);
///
/// // A shader with one instruction, which is not used.
/// let mut manager = Manager::new(Options { statistics: true, ..Options::default() });
/// assert!(manager.run(&Pipeline::parse("loop(dce), cse").unwrap(), &mut shader).is_ok());
/// let (_, counts) = manager.statistics().iter().find(|(name, _)| *name == "dce").unwrap();
/// // In the second round of the loop nothing is new for the pass.
/// assert_eq!((counts.runs, counts.changed, counts.skipped), (1, 1, 1));
/// assert_eq!((counts.before, counts.after), (1, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassStatistics {
    /// Runs.
    pub runs: u64,
    /// Runs that made progress.
    pub changed: u64,
    /// Runs that were skipped.
    pub skipped: u64,
    /// Time of all runs.
    pub time: Duration,
    /// Instructions before its runs, added up.
    pub before: u64,
    /// Instructions after its runs, added up.
    pub after: u64,
}

/// The counts of passes, by name and options, in the order of their first runs.
///
/// # Examples
/// ```
/// use airfoil_ir::text;
/// use airfoil_passes::{Manager, Pipeline, manager::Options};
///
/// let mut shader = text::parse(r#"foil 1
/// shader vertex "main" {
///   out uint twice location=0
///   fn main {
///     32x1 %id = load_vertex_id
///     32x1 %negative = ineg %id
///     32x1 %same = ineg %negative
///     store_deref &twice, %same
///   } }"#)?;
/// let mut manager = Manager::new(Options { statistics: true, ..Options::default() });
/// let _ = manager.run(&Pipeline::parse("algebraic").unwrap(), &mut shader)?;
/// assert_eq!(manager.statistics().rules(), [("ineg_ineg", 1)]);
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    passes: IndexMap<String, PassStatistics, FxBuildHasher>,
    rules: RuleCounts,
}

impl Statistics {
    /// Passes and their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PassStatistics)> {
        self.passes.iter().map(|(name, s)| (name.as_str(), s))
    }

    /// The algebraic rules that fired, with the number of times, the most frequent first.
    pub fn rules(&self) -> Vec<(&'static str, u64)> {
        let mut rules: Vec<(&'static str, u64)> = self.rules.iter().map(|(&name, &n)| (name, n)).collect();
        rules.sort_by_key(|&(name, n)| (std::cmp::Reverse(n), name));
        rules
    }

    pub(super) fn rules_fired(&mut self, fired: &RuleCounts) {
        for (&name, &n) in fired {
            *self.rules.entry(name).or_insert(0) += n;
        }
    }

    /// Adds the counts of another manager.
    pub fn add(&mut self, other: &Statistics) {
        for (name, s) in other.iter() {
            let sum = self.entry(name);
            sum.runs += s.runs;
            sum.changed += s.changed;
            sum.skipped += s.skipped;
            sum.time += s.time;
            sum.before += s.before;
            sum.after += s.after;
        }
        self.rules_fired(&other.rules);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.passes.clear();
        self.rules.clear();
    }

    fn entry(&mut self, name: &str) -> &mut PassStatistics {
        if !self.passes.contains_key(name) {
            self.passes.insert(name.to_string(), PassStatistics::default());
        }
        &mut self.passes[name]
    }

    pub(super) fn skipped(&mut self, name: &str) {
        self.entry(name).skipped += 1;
    }

    pub(super) fn ran(&mut self, name: &str, changes: Changes, time: Duration, before: usize, after: usize) {
        let s = self.entry(name);
        s.runs += 1;
        s.changed += u64::from(changes.is_progress());
        s.time += time;
        s.before += before as u64;
        s.after += after as u64;
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.passes.keys().map(String::len).max().unwrap_or(0).max(4);
        writeln!(
            f,
            "{:width$} {:>7} {:>8} {:>8} {:>11}   instructions",
            "pass", "runs", "changed", "skipped", "us"
        )?;
        let mut total = Duration::ZERO;
        for (name, s) in self.iter() {
            total += s.time;
            let us = s.time.as_secs_f64() * 1e6;
            writeln!(
                f,
                "{name:width$} {:>7} {:>8} {:>8} {us:>11.1}   {} -> {}",
                s.runs, s.changed, s.skipped, s.before, s.after
            )?;
        }
        writeln!(f, "{:width$} {:>7} {:>8} {:>8} {:>11.1}", "total", "", "", "", total.as_secs_f64() * 1e6)?;
        let rules = self.rules();
        if !rules.is_empty() {
            let width = rules.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
            writeln!(f, "\n{:width$} {:>7}", "rule", "fired")?;
            for (name, n) in rules {
                writeln!(f, "{name:width$} {n:>7}")?;
            }
        }
        Ok(())
    }
}
