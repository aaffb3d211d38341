//! Runs pipelines.
//!
//! * `mod.rs`: the manager and its options.
//! * `steps.rs`: the order: steps over one shader or all shaders, loops, groups.
//! * `apply.rs`: one run of a pass, with the dumps and checks that the options request.
//! * `history.rs`: which runs can be skipped.
//! * `checks.rs`, `compare.rs`: checks around a pass.
//! * `settle.rs`: the message for a loop that does not settle.
//! * `statistics.rs`: counts and times.
//!
//! With all checks off, the manager adds a comparison and a call to the cost of a pass.

mod apply;
mod checks;
mod compare;
mod context;
mod history;
mod settle;
mod statistics;
mod steps;

pub use context::Context;
pub use statistics::{PassStatistics, Statistics};

use crate::pipeline::{PassStep, ProgramStep};
use crate::stages::stage_buffer::BufferLayout;
use crate::{Changes, PassInfo, Pipeline};
use airfoil_ir::{Diagnostic, Shader};
use history::History;
use std::io::Write;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Options of the manager besides the pipeline.
///
/// # Examples
/// ```
/// use airfoil_ir::{Shader, Stage};
/// use airfoil_passes::{Manager, Pipeline, manager::Options};
///
/// let pipeline = Pipeline::parse("cse, dce").unwrap();
/// let mut dump = Vec::new();
/// let options = Options { dump_after: true, dump_only: vec!["dce".into()], ..Options::default() };
/// let mut shader = Shader::new("main", Stage::Vertex);
/// let done = Manager::new(options).output(&mut dump).run(&pipeline, &mut shader);
/// assert!(done.is_ok());
/// // Nothing about `cse`, and one line for a run that changed nothing.
/// assert_eq!(String::from_utf8(dump).unwrap(), "; *** IR Dump After dce omitted because no change ***\n");
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Validate the shader before the first pass and after each that made progress.
    pub validate: bool,
    /// Recompute the analyses that are valid after the changes that a pass reports, and compare.
    pub check_analyses: bool,
    /// Check that passes report what they change: nothing if and only if the text of the shader is the same, and all
    /// kinds of changes that were made.
    pub check_changes: bool,
    /// Run passes on a copy of the shader where they are skipped, and check that they change nothing.
    pub check_skips: bool,
    /// Stop after this many applications of passes; skipped ones do not count.
    pub stop_after: Option<u64>,
    /// Most rounds of a loop that does not specify a bound.
    pub max_rounds: u32,
    /// Count and time passes.
    pub statistics: bool,
    /// Print the shader before passes.
    pub dump_before: bool,
    /// Print the shader after passes.
    pub dump_after: bool,
    /// Also print the shader after passes without progress.
    pub dump_unchanged: bool,
    /// Print only around passes of these names; empty = all.
    pub dump_only: Vec<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            validate: false,
            check_analyses: false,
            check_changes: false,
            check_skips: false,
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
        Options {
            validate: true,
            check_analyses: true,
            check_changes: true,
            check_skips: true,
            ..Options::default()
        }
    }

    fn checks(&self) -> bool {
        self.validate || self.check_analyses || self.check_changes
    }

    fn dumps(&self, info: &PassInfo) -> bool {
        (self.dump_before || self.dump_after)
            && (self.dump_only.is_empty() || self.dump_only.iter().any(|n| *n == info.name))
    }
}

/// Runs pipelines on shaders.
///
/// One manager can run many shaders one after the other; allocations are kept.
///
/// # Examples
/// ```
/// use airfoil_ir::text;
/// use airfoil_passes::{Changes, Manager, Pipeline, manager::Options};
///
/// let mut shader = text::parse(r#"foil 1
/// shader vertex "main" {
///   fn main {
///     %id = load_vertex_id
///     %twice = iadd %id, %id
///   } }"#)?;
/// let pipeline = Pipeline::parse("loop(cse, dce)").unwrap();
/// let mut manager = Manager::new(Options::checked());
/// assert_eq!(manager.run(&pipeline, &mut shader)?, Changes::UNUSED);
/// // Both passes in the first round, and `cse` does not read removals of unused instructions.
/// assert_eq!((shader.num_instrs(), manager.applied()), (0, 2));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
pub struct Manager<'a> {
    options: Options,
    context: Context,
    statistics: Statistics,
    output: Option<&'a mut dyn Write>,
    observer: Option<Observer<'a>>,
    follower: Option<Follower<'a>>,
    clock: fn() -> Duration,
    applied: u64,
    last: Option<PassStep>,
    last_shader: usize,
    buffers: Vec<Vec<BufferLayout>>,
}

/// A pass that has just been applied.
///
/// # Examples
/// ```
/// # use airfoil_ir::{Builder, Function, Shader, Stage, Ty};
/// use airfoil_passes::{Manager, Pipeline};
/// # let mut main = Function::new("main");
/// # Builder::at_end(&mut main.body).undef(Ty::B32);
/// # let mut shader = Shader::new("main", Stage::Fragment);
/// # shader.add_function(main);
///
/// // A shader with one instruction, which is not used.
/// let mut seen = Vec::new();
/// let mut manager = Manager::default().observer(|applied, shader| {
///     seen.push((applied.number, applied.info.name.to_string(), shader.num_instrs()));
///     Ok(())
/// });
/// assert!(manager.run(&Pipeline::parse("constant_folding, dce, cse").unwrap(), &mut shader).is_ok());
/// drop(manager);
/// // Runs without changes are counted, but not observed.
/// assert_eq!(seen, [(2, "dce".into(), 0)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Applied<'p> {
    /// The declaration of the pass.
    pub info: &'p PassInfo,
    /// The pass, with its name and options as text.
    pub step: &'p PassStep,
    /// Index of the shader in the program.
    pub shader: usize,
    /// How many passes have been applied, with this one; [`Options::stop_after`] counts the same way.
    pub number: u64,
}

/// Looks at the shader after a pass that made progress; a message stops the run.
type Observer<'a> = Box<dyn FnMut(Applied<'_>, &Shader) -> Result<(), Diagnostic> + 'a>;

/// A step of a run, for [`Manager::follower`].
///
/// # Examples
/// ```
/// use airfoil_ir::{Shader, Stage};
/// use airfoil_passes::{Manager, Pipeline, manager::Event};
///
/// let pipeline = Pipeline::parse("dce, remove_phis, dce, lower_distances").unwrap();
/// let mut seen = Vec::new();
/// let mut manager = Manager::default().follower(|event| seen.push(match event {
///     Event::Chooses(step) => format!("{} chooses", step.text()),
///     Event::Skipped { step, .. } => format!("{} skipped", step.text()),
///     Event::Ran { step, changes, .. } => format!("{} {changes:?}", step.text()),
/// }));
/// let _ = manager.run(&pipeline, &mut Shader::new("main", Stage::Compute));
/// drop(manager);
/// // There are no phis, and nothing changed after the first run of `dce`.
/// assert_eq!(seen, ["dce Changes(0x0)", "remove_phis skipped", "dce skipped", "lower_distances chooses"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Event<'p> {
    /// A pass over all shaders is about to choose passes for them; those that it chooses are not in the pipeline.
    Chooses(&'p ProgramStep),
    /// A pass is left out, since it cannot have anything to do.
    Skipped {
        /// The pass.
        step: &'p PassStep,
        /// Index of the shader in the program.
        shader: usize,
    },
    /// A pass ran.
    Ran {
        /// The pass.
        step: &'p PassStep,
        /// Index of the shader in the program.
        shader: usize,
        /// The kinds of its changes.
        changes: Changes,
        /// How long it took.
        time: Duration,
        /// The shader after it.
        after: &'p Shader,
    },
}

/// Receives every step of a run.
type Follower<'a> = Box<dyn FnMut(Event<'_>) + 'a>;

/// Time since the first call.
fn system_clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// The state of one shader in a run.
#[derive(Clone, Default)]
struct Run {
    /// Index of the shader in the program.
    shader: usize,
    /// Whether a pass changed the shader, since the last group began.
    changed: bool,
    /// The changes by passes, and the time of each pass's last run.
    history: History,
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
            follower: None,
            clock: system_clock,
            applied: 0,
            last: None,
            last_shader: 0,
            buffers: Vec::new(),
        }
    }

    /// Sets the destination of dumps, which are off by default.
    #[must_use]
    pub fn output(mut self, output: &'a mut dyn Write) -> Manager<'a> {
        self.output = Some(output);
        self
    }

    /// Sets the function that looks at the shader after every pass that made progress; a message stops the run.
    #[must_use]
    pub fn observer(
        mut self,
        observer: impl FnMut(Applied<'_>, &Shader) -> Result<(), Diagnostic> + 'a,
    ) -> Manager<'a> {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Sets the function that receives every step, those without progress included.
    #[must_use]
    pub fn follower(mut self, follower: impl FnMut(Event<'_>) + 'a) -> Manager<'a> {
        self.follower = Some(Box::new(follower));
        self
    }

    /// The clock that passes are timed with, for platforms on which the standard library has none: time since any
    /// fixed point.
    #[must_use]
    pub fn clock(mut self, clock: fn() -> Duration) -> Manager<'a> {
        self.clock = clock;
        self
    }

    /// The statistics of the passes in all runs so far.
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
    /// Errors of passes, failed checks, and loops that do not settle; the shader may be half changed then.
    pub fn run(&mut self, pipeline: &Pipeline, shader: &mut Shader) -> Result<Changes, Vec<Diagnostic>> {
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
    ) -> Result<Changes, Vec<Diagnostic>> {
        if self.options.validate {
            let faults = shaders.iter().filter_map(|s| checks::validate(s, "before the first pass").err());
            let faults: Vec<Diagnostic> = faults.flatten().collect();
            if !faults.is_empty() {
                return Err(faults);
            }
        }
        self.buffers.clear();
        let run = |shader| Run { shader, changed: false, history: History::new(pipeline.num_keys()) };
        let mut runs: Vec<Run> = (0..shaders.len()).map(run).collect();
        self.program(&mut runs, pipeline.steps(), shaders)
    }
}

#[cfg(test)]
mod tests;
