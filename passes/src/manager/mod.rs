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

use crate::pipeline::{GroupStep, LoopStep, PassStep, ProgramStep};
use crate::stages::stage_buffer::BufferLayout;
use crate::{PassInfo, Pipeline, Progress, Step};
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
    last: Option<PassStep>,
    last_shader: usize,
    buffers: Vec<Vec<BufferLayout>>,
}

/// A pass that has just been applied.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'p> {
    /// The declaration of the pass.
    pub info: &'static PassInfo,
    /// The pass, with its name and options as text.
    pub step: &'p PassStep,
    /// Index of the shader in the program.
    pub shader: usize,
    /// How many passes have been applied, with this one; [`Options::stop_after`] counts the same way.
    pub number: u64,
}

/// Looks at the shader after a pass that made progress; a message stops the run.
type Observer<'a> = Box<dyn FnMut(Applied<'_>, &Shader) -> Result<(), Diagnostic> + 'a>;

/// The state of one shader in a run.
#[derive(Clone, Default)]
struct Run {
    /// Index of the shader in the program.
    shader: usize,
    /// Counts changes of the code.
    changes: u64,
    /// The last of them that did more than remove unused instructions.
    more_than_removal: u64,
    /// Whether a pass changed the shader, since the last group began.
    changed: bool,
    /// For each different pass: the change count, plus 1, at which it had nothing to do.
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
            last_shader: 0,
            buffers: Vec::new(),
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

    /// The pass that was applied last, also if it failed or panicked.
    pub fn last(&self) -> Option<&PassStep> {
        self.last.as_ref()
    }

    /// Index of the shader that the last pass was applied to.
    pub fn last_shader(&self) -> usize {
        self.last_shader
    }

    /// Takes the buffers that stages share as the last run assigned them: per shader, or empty if there are none.
    pub fn take_buffers(&mut self) -> Vec<Vec<BufferLayout>> {
        std::mem::take(&mut self.buffers)
    }

    /// Runs a pipeline on a shader.
    ///
    /// # Errors
    /// What a pass refuses, a check finds or a loop that does not settle; the shader may be half changed then.
    pub fn run(&mut self, pipeline: &Pipeline, shader: &mut Shader) -> Result<Progress, Vec<Diagnostic>> {
        self.run_program(pipeline, std::slice::from_mut(shader))
    }

    /// Runs a pipeline on the shaders of a program. Steps that work on one shader at a time are done for one shader
    /// after the other; the errors of all shaders are returned.
    ///
    /// # Errors
    /// As [`Manager::run`].
    pub fn run_program(
        &mut self,
        pipeline: &Pipeline,
        shaders: &mut [Shader],
    ) -> Result<Progress, Vec<Diagnostic>> {
        if self.options.validate {
            let faults = shaders.iter().filter_map(|s| checks::validate(s, "before the first pass").err());
            let faults: Vec<Diagnostic> = faults.flatten().collect();
            if !faults.is_empty() {
                return Err(faults);
            }
        }
        self.buffers.clear();
        let run = |shader| Run { shader, idle_at: vec![0; pipeline.num_keys()], ..Run::default() };
        let mut runs: Vec<Run> = (0..shaders.len()).map(run).collect();
        self.program(&mut runs, pipeline.steps(), shaders)
    }

    /// Steps on all shaders.
    fn program(
        &mut self,
        runs: &mut [Run],
        steps: &[Step],
        shaders: &mut [Shader],
    ) -> Result<Progress, Vec<Diagnostic>> {
        let mut progress = Progress::None;
        let mut rest = steps;
        while let Some(first) = rest.first() {
            let together = rest.iter().take_while(|step| step.is_per_shader()).count();
            if together > 0 {
                progress |= self.each(runs, &rest[..together], shaders)?;
                rest = &rest[together..];
                continue;
            }
            progress |= match first {
                Step::Program(step) => self.program_pass(runs, step, shaders)?,
                Step::Group(group) => self.group(runs, group, shaders)?,
                Step::Include(pipeline) => self.included(runs, pipeline, |manager, runs| {
                    manager.program(runs, pipeline.steps(), shaders)
                })?,
                // The parser allows these in steps for one shader only.
                Step::Pass(_) | Step::Loop(_) | Step::On(_) => self.each(runs, &rest[..1], shaders)?,
            };
            rest = &rest[1..];
        }
        Ok(progress)
    }

    /// Steps on one shader after the other.
    fn each(
        &mut self,
        runs: &mut [Run],
        steps: &[Step],
        shaders: &mut [Shader],
    ) -> Result<Progress, Vec<Diagnostic>> {
        let (mut progress, mut faults) = (Progress::None, Vec::new());
        for (run, shader) in runs.iter_mut().zip(shaders) {
            self.context.clear();
            match self.steps(run, steps, shader) {
                Ok(made) => progress |= made,
                Err(list) => faults.extend(list),
            }
        }
        if faults.is_empty() { Ok(progress) } else { Err(faults) }
    }

    fn group(
        &mut self,
        runs: &mut [Run],
        group: &GroupStep,
        shaders: &mut [Shader],
    ) -> Result<Progress, Vec<Diagnostic>> {
        let outer: Vec<bool> = runs.iter_mut().map(|run| std::mem::take(&mut run.changed)).collect();
        let mut progress = self.program(runs, &group.steps, shaders)?;
        for (run, shader) in runs.iter_mut().zip(shaders).filter(|(run, _)| run.changed) {
            self.context.clear();
            progress |= self.steps(run, &group.cleanup, shader)?;
        }
        // A group around this one cleans up after the steps before it, too.
        runs.iter_mut().zip(outer).for_each(|(run, changed)| run.changed |= changed);
        Ok(progress)
    }

    /// The passes that a pass over all shaders chooses.
    fn program_pass(
        &mut self,
        runs: &mut [Run],
        step: &ProgramStep,
        shaders: &mut [Shader],
    ) -> Result<Progress, Vec<Diagnostic>> {
        let mut progress = Progress::None;
        let chosen = step.pass().steps(shaders).map_err(|fault| vec![fault])?;
        if !chosen.buffers.is_empty() {
            self.buffers = chosen.buffers;
        }
        for (at, pass) in chosen.passes {
            let mut pass = PassStep::new(pass);
            let Some((run, shader)) = runs.get_mut(at).zip(shaders.get_mut(at)) else { continue };
            pass.set_key(run.idle_at.len());
            run.idle_at.push(0);
            self.context.clear();
            progress |= self.pass(run, &pass, shader)?;
        }
        Ok(progress)
    }

    /// Runs with the passes of another pipeline, whose keys are its own.
    fn included<T>(
        &mut self,
        runs: &mut [Run],
        pipeline: &Pipeline,
        f: impl FnOnce(&mut Self, &mut [Run]) -> T,
    ) -> T {
        let own: Vec<Vec<u64>> = runs
            .iter_mut()
            .map(|run| std::mem::replace(&mut run.idle_at, vec![0; pipeline.num_keys()]))
            .collect();
        let result = f(self, runs);
        runs.iter_mut().zip(own).for_each(|(run, own)| run.idle_at = own);
        result
    }

    fn stopped(&self) -> bool {
        self.options.stop_after.is_some_and(|n| self.applied >= n)
    }

    fn steps(
        &mut self,
        run: &mut Run,
        steps: &[Step],
        shader: &mut Shader,
    ) -> Result<Progress, Vec<Diagnostic>> {
        let mut progress = Progress::None;
        for step in steps {
            progress |= match step {
                Step::Pass(pass) => self.pass(run, pass, shader)?,
                Step::Loop(l) => self.repeat(run, l, shader)?,
                Step::On(on) if on.stages.contains(&shader.stage) => self.steps(run, &on.steps, shader)?,
                Step::On(_) => Progress::None,
                Step::Include(pipeline) => {
                    let runs = std::slice::from_mut(run);
                    self.included(runs, pipeline, |m, runs| m.steps(&mut runs[0], pipeline.steps(), shader))?
                }
                Step::Program(_) | Step::Group(_) => unreachable!("not a step for one shader"),
            };
        }
        Ok(progress)
    }

    fn repeat(
        &mut self,
        run: &mut Run,
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
        run: &mut Run,
        step: &PassStep,
        shader: &mut Shader,
    ) -> Result<Progress, Vec<Diagnostic>> {
        let info = step.pass().info();
        let last_change = if info.ignores_removals { run.more_than_removal } else { run.changes };
        if run.idle_at[step.key()] > last_change {
            if self.options.statistics {
                self.statistics.skipped(step.text());
            }
            return Ok(Progress::None);
        }
        if self.stopped() {
            return Ok(Progress::None);
        }
        self.applied += 1;
        self.last = Some(step.clone());
        self.last_shader = run.shader;
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
            self.statistics.ran(step.text(), progress, time, instrs, shader.num_instrs());
        }
        if let Some(before) = before {
            before.check(&self.options, info, progress, shader, &mut self.context)?;
        }
        checks::leaves(info, shader)?;
        if progress == Progress::Made {
            run.changed = true;
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
            let applied = Applied { info, step, shader: run.shader, number: self.applied };
            observer(applied, shader).map_err(|d| vec![d])?;
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
    fn unsettled(&mut self, run: &mut Run, l: &LoopStep, shader: &mut Shader) -> Diagnostic {
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
        run: &mut Run,
        steps: &[Step],
        shader: &mut Shader,
        found: &mut Vec<(String, String)>,
    ) {
        for step in steps {
            match step {
                Step::Loop(l) => self.watch(run, &l.steps, shader, found),
                Step::On(on) => self.watch(run, &on.steps, shader, found),
                // A loop holds none of these but shared pipelines, which are presets that settle by themselves.
                Step::Program(_) | Step::Group(_) | Step::Include(_) => {}
                Step::Pass(p) => {
                    let before = text::print(shader);
                    let name = p.text().to_string();
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
