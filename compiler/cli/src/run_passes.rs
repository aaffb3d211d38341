//! Runs a pipeline on inputs, with the dumps, checks and tables that the command line requests.

use crate::Failure;
use crate::args::OptimizeArgs;
use crate::batch::{Log, Refused};
use crate::changes::{Changes, Form as ChangedForm};
use crate::listing::unknown_pass;
use crate::load::Loaded;
use crate::report::{Console, MessageFormat};
use airfoil::Diagnostic;
use airfoil::air::plan::{self, PlanOptions};
use airfoil::passes::Pipeline;
use airfoil::passes::manager::{Manager, Options, PassStatistics, Statistics};
use airfoil::passes::registry::Registry;
use airfoil::{Form, OptLevel, Shader};
use airfoil_check::{ProgramWatch, Runs, bisect_program};
use serde_json::json;
use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The order of passes that the command line requests.
#[derive(Debug)]
pub enum Order {
    /// That of `--passes` or `--plan`.
    Given(Pipeline),
    /// The preset of `-O`, without a target.
    Preset(OptLevel),
    /// The first part of the compile plan of `-O`, up to the form that a backend takes.
    Optimize(OptLevel),
    /// The compile plan of `-O` for the target.
    Plan(OptLevel),
}

impl Order {
    /// The pipeline `text`, or the compile plan of the level.
    pub fn new(
        level: OptLevel,
        text: Option<&str>,
        registry: &Registry,
        console: Console,
    ) -> Result<Order, Failure> {
        let Some(text) = text else { return Ok(Order::Plan(level)) };
        let fail = |fault| Failure::Reported(2, console.render(&[fault], "--passes", Some(text)));
        Pipeline::parse_with(text, registry).map(Order::Given).map_err(fail)
    }

    /// The passes for the shaders of a program.
    pub fn pipeline(&self, shaders: &[Shader]) -> Cow<'_, Pipeline> {
        match self {
            Order::Given(pipeline) => Cow::Borrowed(pipeline),
            Order::Optimize(level) => Cow::Owned(plan::preset_plan(shaders, *level)),
            Order::Plan(level) => {
                let options = PlanOptions { level: *level, ..PlanOptions::default() };
                Cow::Owned(plan::compile_plan(shaders, &options))
            }
            Order::Preset(level) => {
                let lowered = shaders.iter().any(|s| s.form != Form::Variables);
                let name = if lowered { "loop(values)" } else { level.name() };
                Cow::Owned(Pipeline::parse(name).unwrap_or_default())
            }
        }
    }
}

/// Passes with the options to run them.
#[derive(Debug)]
pub struct PassRun {
    order: Order,
    options: Options,
    /// Execute the shader before and after each pass.
    check: bool,
    time: bool,
    stats: bool,
    print_changed: Option<ChangedForm>,
    dump_dir: Option<PathBuf>,
}

impl PassRun {
    /// The pipeline `text`, or that of the level, run with the options of `args`.
    pub fn new(args: &OptimizeArgs, order: Order, registry: &Registry) -> Result<PassRun, Failure> {
        let mut dump_only: Vec<String> = Vec::new();
        let names = || args.print_before.iter().chain(&args.print_after);
        for name in names().filter(|name| *name != "all") {
            if registry.find(name).is_none() {
                let (fault, advice) = unknown_pass(name, registry);
                return Err(Failure::Usage(fault, advice));
            }
            dump_only.push(name.clone());
        }
        if names().any(|name| name == "all") {
            dump_only.clear();
        }
        let options = Options {
            validate: args.validate_each || args.check_each,
            check_analyses: args.validate_each,
            check_changes: args.validate_each,
            check_skips: args.validate_each,
            stop_after: args.stop_after,
            statistics: args.time_passes || args.stats,
            dump_before: !args.print_before.is_empty(),
            dump_after: !args.print_after.is_empty(),
            dump_only,
            ..Options::default()
        };
        Ok(PassRun {
            order,
            options,
            check: args.check_each,
            time: args.time_passes,
            stats: args.stats,
            print_changed: args.print_changed,
            dump_dir: args.dump_dir.clone(),
        })
    }

    /// These passes, without dumps, checks and tables.
    pub fn plain(order: Order) -> PassRun {
        let options = Options::default();
        let (print_changed, dump_dir) = (None, None);
        PassRun { order, options, check: false, time: false, stats: false, print_changed, dump_dir }
    }

    /// Runs the passes of the order; dumps go to the log.
    pub fn run(&self, loaded: &mut Loaded, log: &mut Log) -> Result<Statistics, Refused> {
        let pipeline = self.order.pipeline(&loaded.shaders).into_owned();
        let run = |shaders: &mut [Shader], manager: &mut Manager<'_>| manager.run_program(&pipeline, shaders);
        self.run_with(&pipeline, run, loaded, log).map(|(_, statistics)| statistics)
    }

    /// Runs a pipeline through a manager that dumps, checks and counts as the command line requests.
    pub fn run_with<T>(
        &self,
        pipeline: &Pipeline,
        run: impl FnOnce(&mut [Shader], &mut Manager<'_>) -> Result<T, Vec<Diagnostic>>,
        loaded: &mut Loaded,
        log: &mut Log,
    ) -> Result<(T, Statistics), Refused> {
        let runs = Runs::default();
        let mut checked = None;
        if self.check {
            // Only valid shaders are executed.
            let faults = loaded.shaders.iter().filter_map(|s| airfoil::steps::validate(s).err());
            let faults: Vec<Diagnostic> = faults.flatten().collect();
            if !faults.is_empty() {
                return Err(loaded.refuse(log, &faults));
            }
            checked = Some((loaded.shaders.clone(), ProgramWatch::new(&loaded.shaders, &runs)));
        }
        let shared = RefCell::new(&mut *log);
        let (mut writer, mut out) = (LogWriter(&shared), LogWriter(&shared));
        let mut changes = (self.print_changed.is_some() || self.dump_dir.is_some())
            .then(|| Changes::new(self.print_changed, self.dump_dir.clone(), &loaded.shaders, loaded.name()));
        let mut manager = Manager::new(self.options.clone()).output(&mut writer);
        if let Some(changes) = &mut changes {
            changes.start(&loaded.shaders, &mut out);
            manager = manager.follower(|event| changes.follow(&event, &mut out));
        }
        if let Some((_, watch)) = &mut checked {
            manager = manager.observer(|applied, shader| watch.applied(applied, shader));
        }
        let result = run(&mut loaded.shaders, &mut manager);
        let statistics = manager.statistics().clone();
        drop(manager);
        if let Some(fault) = changes.and_then(Changes::fault) {
            return Err(loaded.refuse(log, &[fault]));
        }
        let mut warnings = Vec::new();
        let mut found = None;
        if let Some((originals, watch)) = checked {
            warnings.extend(watch.warnings());
            if watch.differs() {
                // The same fault with the fewest passes that show it.
                found = bisect_program(&originals, pipeline, &runs).ok().flatten();
            }
        }
        if !warnings.is_empty() {
            loaded.tell(log, &warnings);
        }
        match (result, found) {
            (Ok(value), _) => Ok((value, statistics)),
            (Err(_), Some(found)) => Err(loaded.refuse(log, &[found.diagnostic()])),
            (Err(faults), None) => Err(loaded.refuse(log, &faults)),
        }
    }

    /// Writes the tables about all inputs.
    pub fn report(&self, statistics: &[Statistics], console: Console) {
        if !self.options.statistics {
            return;
        }
        let mut sum = Statistics::default();
        statistics.iter().for_each(|s| sum.add(s));
        console.write(&match console.format {
            MessageFormat::Json => self.json(&sum),
            _ => self.table(&sum),
        });
    }

    fn table(&self, sum: &Statistics) -> String {
        let width = sum.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max("total".len());
        let row = |name: &str, runs: &str, stats: [&str; 3], time: &str| {
            let mut line = format!("{name:width$} {runs:>6}");
            if self.stats {
                line += &format!(" {:>8} {:>8}", stats[0], stats[1]);
            }
            if self.time {
                line += &format!(" {time:>11}");
            }
            if self.stats {
                line += &format!("   {}", stats[2]);
            }
            line.trim_end().to_string() + "\n"
        };
        let micros = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e6);
        let mut out = row("pass", "runs", ["changed", "skipped", "instructions"], "us");
        let mut total = PassStatistics::default();
        for (name, s) in sum.iter() {
            let change = format!("{} -> {}", s.before, s.after);
            let stats = [s.changed.to_string(), s.skipped.to_string(), change];
            out += &row(name, &s.runs.to_string(), stats.each_ref().map(String::as_str), &micros(s.time));
            total.runs += s.runs;
            total.changed += s.changed;
            total.skipped += s.skipped;
            total.time += s.time;
        }
        let stats = [&*total.changed.to_string(), &*total.skipped.to_string(), ""];
        out += &row("total", &total.runs.to_string(), stats, &micros(total.time));
        let rules = sum.rules();
        if self.stats && !rules.is_empty() {
            let width = rules.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
            out += &format!("\n{:width$} {:>6}\n", "rule", "fired");
            for (name, n) in rules {
                out += &format!("{name:width$} {n:>6}\n");
            }
        }
        out
    }

    fn json(&self, sum: &Statistics) -> String {
        let pass = |(name, s): (&str, &PassStatistics)| {
            let mut value = json!({ "pass": name, "runs": s.runs });
            if self.stats {
                value["changed"] = s.changed.into();
                value["skipped"] = s.skipped.into();
                value["instructions"] = json!([s.before, s.after]);
            }
            if self.time {
                value["microseconds"] = (s.time.as_secs_f64() * 1e6).into();
            }
            value
        };
        let mut value =
            json!({ "$message_type": "passes", "passes": sum.iter().map(pass).collect::<Vec<_>>() });
        if self.stats {
            value["rules"] =
                sum.rules().into_iter().map(|(name, n)| json!({ "rule": name, "fired": n })).collect();
        }
        format!("{value}\n")
    }
}

/// The log as a stream, so that dumps before a panic are kept.
struct LogWriter<'a, 'l>(&'a RefCell<&'l mut Log>);

impl Write for LogWriter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().text(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
