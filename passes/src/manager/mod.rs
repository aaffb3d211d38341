//! Runs pipelines: the order, the checks, the reports.
//!
//! * `mod.rs`: steps, loops, which passes can be skipped, the dumps.
//! * `checks.rs`: what is checked around a pass when the options ask for it.
//! * `statistics.rs`: what passes did and how long it took.
//!
//! With all checks off a pass costs a comparison and a call more than without the manager.

mod checks;
mod context;
mod statistics;

pub use context::Context;
pub use statistics::{PassStatistics, Statistics};

use crate::{PassInfo, Pipeline, Progress, Step, pipeline::LoopStep, pipeline::PassStep};
use airfoil_ir::{Diagnostic, InstrGroup, Shader, text};
use checks::Before;
use std::io::Write;
use std::time::Instant;

/// What the manager does besides running passes.
#[derive(Clone, Debug)]
pub struct Options {
    /// Validate the shader before the first pass and after each that made progress.
    pub validate: bool,
    /// Recompute the analyses that a pass claims to keep, and compare.
    pub check_analyses: bool,
    /// Check that the text of the shader changed if and only if the pass reported progress.
    pub check_progress: bool,
    /// Stop after this many applications of passes; skipped ones do not count.
    pub stop_after: Option<u64>,
    /// Most rounds of a loop that does not say otherwise.
    pub max_rounds: u32,
    /// Count and time passes.
    pub statistics: bool,
    /// Print the shader before passes.
    pub dump_before: bool,
    /// Print the shader after passes.
    pub dump_after: bool,
    /// Print also what passes without progress leave.
    pub dump_unchanged: bool,
    /// Print only around passes of these names; empty = all.
    pub dump_only: Vec<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            validate: false,
            check_analyses: false,
            check_progress: false,
            stop_after: None,
            max_rounds: 100,
            statistics: false,
            dump_before: false,
            dump_after: false,
            dump_unchanged: false,
            dump_only: Vec::new(),
        }
    }
}

impl Options {
    /// All checks.
    pub fn checked() -> Options {
        Options { validate: true, check_analyses: true, check_progress: true, ..Options::default() }
    }

    fn checks(&self) -> bool {
        self.validate || self.check_analyses || self.check_progress
    }

    fn dumps(&self, info: &PassInfo) -> bool {
        (self.dump_before || self.dump_after)
            && (self.dump_only.is_empty() || self.dump_only.iter().any(|n| n == info.name))
    }
}

/// Runs pipelines on shaders.
///
/// One manager can run many shaders one after the other; allocations are kept.
pub struct Manager<'a> {
    options: Options,
    context: Context,
    statistics: Statistics,
    output: Option<&'a mut dyn Write>,
    observer: Option<Observer<'a>>,
    applied: u64,
    last: Option<usize>,
}

/// A pass that has just been applied.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'p> {
    /// What the pass declares.
    pub info: &'static PassInfo,
    /// Its name and options.
    pub text: &'p str,
    /// Its number in the pipeline, see [`PassStep::key`].
    pub key: usize,
    /// How many passes have been applied, with this one; [`Options::stop_after`] counts the same way.
    pub number: u64,
}

/// Looks at the shader after a pass that made progress; a message stops the run.
type Observer<'a> = Box<dyn FnMut(Applied<'_>, &Shader) -> Result<(), Diagnostic> + 'a>;

/// The state of one run.
struct Run<'p> {
    pipeline: &'p Pipeline,
    /// Counts changes of the code.
    changes: u64,
    /// The last of them that did more than remove instructions that nothing uses.
    more_than_removal: u64,
    /// For every different pass: the change count, plus 1, at which it had nothing to do.
    idle_at: Vec<u64>,
}

impl Default for Manager<'_> {
    fn default() -> Self {
        Manager::new(Options::default())
    }
}

impl<'a> Manager<'a> {
    /// A manager.
    pub fn new(options: Options) -> Manager<'a> {
        Manager {
            options,
            context: Context::new(),
            statistics: Statistics::default(),
            output: None,
            observer: None,
            applied: 0,
            last: None,
        }
    }

    /// Where dumps go; without it there are none.
    #[must_use]
    pub fn output(mut self, output: &'a mut dyn Write) -> Manager<'a> {
        self.output = Some(output);
        self
    }

    /// Who looks at the shader after every pass that made progress; a message stops the run.
    #[must_use]
    pub fn observer(
        mut self,
        observer: impl FnMut(Applied<'_>, &Shader) -> Result<(), Diagnostic> + 'a,
    ) -> Manager<'a> {
        self.observer = Some(Box::new(observer));
        self
    }

    /// What the passes did in all runs so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Applications of passes so far, for [`Options::stop_after`].
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// The number in the pipeline of the pass that was applied last, also if it failed or panicked.
    pub fn last(&self) -> Option<usize> {
        self.last
    }

    /// Runs a pipeline.
    ///
    /// # Errors
    /// What a pass refuses, a check finds or a loop that does not settle; the shader may be half changed then.
    pub fn run(&mut self, pipeline: &Pipeline, shader: &mut Shader) -> Result<Progress, Vec<Diagnostic>> {
        self.context.clear();
        if self.options.validate {
            checks::validate(shader, "before the first pass")?;
        }
        let mut run =
            Run { pipeline, changes: 0, more_than_removal: 0, idle_at: vec![0; pipeline.num_keys()] };
        self.steps(&mut run, pipeline.steps(), shader)
    }

    fn stopped(&self) -> bool {
        self.options.stop_after.is_some_and(|n| self.applied >= n)
    }

    fn steps(
        &mut self,
        run: &mut Run<'_>,
        steps: &[Step],
        shader: &mut Shader,
    ) -> Result<Progress, Vec<Diagnostic>> {
        let mut progress = Progress::None;
        for step in steps {
            progress |= match step {
                Step::Pass(pass) => self.pass(run, pass, shader)?,
                Step::Loop(l) => self.repeat(run, l, shader)?,
            };
        }
        Ok(progress)
    }

    fn repeat(
        &mut self,
        run: &mut Run<'_>,
        l: &LoopStep,
        shader: &mut Shader,
    ) -> Result<Progress, Vec<Diagnostic>> {
        let mut progress = Progress::None;
        // A bound that the pipeline gives is meant as a limit, the manager's own as an alarm.
        let rounds = l.bound.unwrap_or(self.options.max_rounds);
        for _ in 0..rounds {
            let has_locals = |f: &airfoil_ir::Function| f.body.has(InstrGroup::LocalDeref);
            if l.locals && !shader.functions.values().any(has_locals) {
                return Ok(progress);
            }
            let round = self.steps(run, &l.steps, shader)?;
            progress |= round;
            if round == Progress::None || self.stopped() {
                return Ok(progress);
            }
        }
        match l.bound {
            Some(_) => Ok(progress),
            None => Err(vec![self.unsettled(run, l, shader)]),
        }
    }

    fn pass(
        &mut self,
        run: &mut Run<'_>,
        step: &PassStep,
        shader: &mut Shader,
    ) -> Result<Progress, Vec<Diagnostic>> {
        let info = step.pass().info();
        let last_change = if info.ignores_removals { run.more_than_removal } else { run.changes };
        if run.idle_at[step.key()] > last_change {
            if self.options.statistics {
                self.statistics.skipped(run.pipeline.key_text(step.key()));
            }
            return Ok(Progress::None);
        }
        if self.stopped() {
            return Ok(Progress::None);
        }
        self.applied += 1;
        self.last = Some(step.key());
        checks::takes(info, shader)?;
        let before = self.options.checks().then(|| Before::new(&self.options, shader, &mut self.context));
        if self.options.dump_before && self.options.dumps(info) {
            self.dump("Before", info, Some(shader))?;
        }
        let instrs = if self.options.statistics { shader.num_instrs() } else { 0 };
        let start = self.options.statistics.then(Instant::now);
        (self.context.settled, self.context.code_unchanged) = (false, false);

        let result = step.pass().run(shader, &mut self.context);

        let time = start.map(|s| s.elapsed());
        let progress = result.map_err(|d| vec![d])?;
        if let Some(time) = time {
            let name = run.pipeline.key_text(step.key());
            self.statistics.ran(name, progress, time, instrs, shader.num_instrs());
        }
        if let Some(before) = before {
            before.check(&self.options, info, progress, shader, &mut self.context)?;
        }
        checks::leaves(info, shader)?;
        if progress == Progress::Made {
            if !self.context.code_unchanged {
                run.changes += 1;
                if !info.removes_unused {
                    run.more_than_removal = run.changes;
                }
                self.context.invalidate(shader, info.keeps);
            }
            if info.name != "gather_info" {
                shader.gathered = None;
            }
        }
        if progress == Progress::Made
            && let Some(observer) = self.observer.as_mut()
        {
            let (text, number) = (run.pipeline.key_text(step.key()), self.applied);
            observer(Applied { info, text, key: step.key(), number }, shader).map_err(|d| vec![d])?;
        }
        if info.idempotent || self.context.settled || progress == Progress::None {
            run.idle_at[step.key()] = run.changes + 1;
        }
        if self.options.dump_after && self.options.dumps(info) {
            let shown = progress == Progress::Made || self.options.dump_unchanged;
            self.dump("After", info, shown.then_some(shader))?;
        }
        Ok(progress)
    }

    /// Writes a shader under a headline as LLVM's `-print-after-all` has it, which existing viewers read.
    fn dump(&mut self, when: &str, info: &PassInfo, shader: Option<&Shader>) -> Result<(), Vec<Diagnostic>> {
        let Some(output) = self.output.as_mut() else { return Ok(()) };
        let written = match shader {
            Some(s) => {
                write!(output, "; *** IR Dump {when} {} on {} ***\n{}\n", info.name, s.name, text::print(s))
            }
            None => writeln!(output, "; *** IR Dump {when} {} omitted because no change ***", info.name),
        };
        written.map_err(|e| vec![Diagnostic::error("E0815", format!("the dump cannot be written: {e}"))])
    }

    /// What is wrong with a loop that has used up its rounds: one round more, watched.
    fn unsettled(&mut self, run: &mut Run<'_>, l: &LoopStep, shader: &mut Shader) -> Diagnostic {
        let mut found = Vec::new();
        self.watch(run, &l.steps, shader, &mut found);
        let names: Vec<String> = found.iter().map(|(name, _)| format!("`{name}`")).collect();
        let flips: Vec<&str> = found.iter().map(|(_, flip)| flip.as_str()).collect();
        Diagnostic::error(
            "E0814",
            format!(
                "a loop of passes does not settle within {} rounds; {} keep reporting progress",
                self.options.max_rounds,
                names.join(", ")
            ),
        )
        .help(format!("in the last round {}", flips.join("; ")))
    }

    fn watch(
        &mut self,
        run: &mut Run<'_>,
        steps: &[Step],
        shader: &mut Shader,
        found: &mut Vec<(String, String)>,
    ) {
        for step in steps {
            match step {
                Step::Loop(l) => self.watch(run, &l.steps, shader, found),
                Step::Pass(p) => {
                    let before = text::print(shader);
                    let name = run.pipeline.key_text(p.key()).to_string();
                    if let Ok(Progress::Made) = self.pass(run, p, shader) {
                        let change = checks::first_change(&before, &text::print(shader));
                        found.push((name.clone(), format!("`{name}` {change}")));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
