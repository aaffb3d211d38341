//! Runs a pipeline on inputs, with the dumps, checks and tables that the command line asks for.

use crate::Failure;
use crate::args::OptimizeArgs;
use crate::batch::{Log, Refused};
use crate::listing::unknown_pass;
use crate::load::Loaded;
use crate::report::{Console, MessageFormat};
use airfoil::passes::manager::{Manager, Options, PassStatistics, Statistics};
use airfoil::passes::{Pipeline, registry::Registry};
use airfoil::{Form, OptLevel, Pipelines};
use airfoil_check::{Runs, Watch, bisect};
use serde_json::json;
use std::io::{self, Write};
use std::time::Duration;

/// Which passes are run.
#[derive(Debug)]
pub enum Order {
    /// Those of `--passes`.
    Given(Pipeline),
    /// Those of `-O`.
    Level(Pipelines),
}

impl Order {
    /// The pipeline `text`, or that of the level.
    pub fn new(level: OptLevel, text: Option<&str>, console: Console) -> Result<Order, Failure> {
        let Some(text) = text else { return Ok(Order::Level(Pipelines::new(level))) };
        let fail = |fault| Failure::Reported(2, console.render(&[fault], "--passes", Some(text)));
        Pipeline::parse(text).map(Order::Given).map_err(fail)
    }

    /// The passes for shaders of a form.
    pub fn pipeline(&self, form: Form) -> &Pipeline {
        match self {
            Order::Given(pipeline) => pipeline,
            Order::Level(pipelines) => pipelines.for_form(form),
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
}

impl PassRun {
    /// The pipeline `text`, or that of the level, run as `args` say.
    pub fn new(args: &OptimizeArgs, text: Option<&str>, console: Console) -> Result<PassRun, Failure> {
        let order = Order::new(args.level, text, console)?;
        let mut dump_only: Vec<String> = Vec::new();
        let names = || args.print_before.iter().chain(&args.print_after);
        for name in names().filter(|name| *name != "all") {
            if Registry::builtin().find(name).is_none() {
                let (fault, advice) = unknown_pass(name);
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
            check_progress: args.validate_each,
            stop_after: args.stop_after,
            statistics: args.time_passes || args.stats,
            dump_before: !args.print_before.is_empty(),
            dump_after: !args.print_after.is_empty(),
            dump_only,
            ..Options::default()
        };
        Ok(PassRun { order, options, check: args.check_each, time: args.time_passes, stats: args.stats })
    }

    /// These passes, without dumps, checks and tables.
    pub fn plain(order: Order) -> PassRun {
        PassRun { order, options: Options::default(), check: false, time: false, stats: false }
    }

    /// Runs the passes; dumps go to the log.
    pub fn run(&self, loaded: &mut Loaded, log: &mut Log) -> Result<Statistics, Refused> {
        let mut sum = Statistics::default();
        let mut faults = Vec::new();
        let mut warnings = Vec::new();
        for shader in &mut loaded.shaders {
            let pipeline = self.order.pipeline(shader.form);
            let runs = Runs::default();
            let mut checked = match self.check {
                true => {
                    // What is executed has to be valid.
                    if let Err(list) = airfoil::validate(shader) {
                        faults.extend(list);
                        continue;
                    }
                    Some((shader.clone(), Watch::new(shader, &runs)))
                }
                false => None,
            };
            let mut writer = LogWriter(log);
            let mut manager = Manager::new(self.options.clone()).output(&mut writer);
            if let Some((_, watch)) = &mut checked {
                manager = manager.observer(|applied, shader| watch.applied(applied, shader));
            }
            let result = manager.run(pipeline, shader);
            sum.add(manager.statistics());
            drop(manager);
            faults.extend(result.err().into_iter().flatten());
            if let Some((original, watch)) = checked {
                warnings.extend(watch.warning());
                if watch.mismatch().is_some()
                    && let Ok(Some(found)) = bisect(&original, pipeline, &runs)
                {
                    // The same fault with the fewest passes that show it.
                    faults.pop();
                    faults.push(found.diagnostic());
                }
            }
        }
        if !warnings.is_empty() {
            loaded.tell(log, &warnings);
        }
        if faults.is_empty() { Ok(sum) } else { Err(loaded.refuse(log, &faults)) }
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
        out + &row("total", &total.runs.to_string(), stats, &micros(total.time))
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
        let value = json!({ "$message_type": "passes", "passes": sum.iter().map(pass).collect::<Vec<_>>() });
        format!("{value}\n")
    }
}

/// The log as a stream, so that what was dumped before a panic is kept.
struct LogWriter<'a>(&'a mut Log);

impl Write for LogWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.text(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
