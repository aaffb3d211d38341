//! The command line of the conformance runner, for any compiler that is a [`Builder`].

use crate::engine::levels::Levels;
use crate::engine::{Engine, EngineKind};
use crate::report::{Answer, Case, Report, Verdict};
use crate::suites::accept::{self, Goal};
use crate::suites::amber;
use crate::suites::build::Builder;
use crate::suites::drive;
use crate::suites::expected;
use crate::suites::glsl::{self, Judge};
use crate::suites::run::{self as executing, Runner};
use crate::suites::variants;
use crate::{corpus, workers};
use clap::{Parser, ValueEnum};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Runs a suite over a folder of test data, in parallel, a crash isolated to its file.
#[derive(Parser, Debug)]
#[command(after_help = "Examples:
  airfoil-conformance accept ../shared/corpus/real-spv -O 2
  airfoil-conformance accept ../shared/corpus/robustness --goal verdict
  airfoil-conformance accept ../shared/corpus/real-spv --goal ir --execute
  airfoil-conformance accept FOLDER -O 2 --target macos14 --expect tests/expect/accept-metallib.txt
  airfoil-conformance accept FOLDER -O 0 --json result.json --min-percent 85
  airfoil-conformance piglit-parser ../shared/corpus/piglit-parser --filter glsl-1.30 --verbose
  airfoil-conformance glslang ../shared/corpus/glslang-test --vulkan
  airfoil-conformance cts ../shared/corpus/cts -O both
  airfoil-conformance cts ../shared/corpus/cts -O 2 --engine air
  airfoil-conformance amber ../shared/corpus/amber -O both
  airfoil-conformance amber ../shared/corpus/amber --engine vulkan --device llvmpipe
  airfoil-conformance piglit ../shared/corpus/piglit --engine vulkan
  airfoil-conformance accept ../shared/corpus/bench/core60 --engine vulkan
  airfoil-conformance variants ../shared/corpus/real-spv -O 0
  airfoil-conformance cts-build ../shared/corpus/cts --list-failures --min-group 'compile_fail=90'")]
struct Args {
    /// The suite to run.
    suite: Suite,
    /// A folder (or one file) of the suite's kind.
    folder: PathBuf,
    /// How much to optimise: 0 or 2. `both` (of `cts`, `piglit` and `amber`): 0 and 2, which have to give the same.
    #[arg(short = 'O', default_value = "2", value_parser = levels, value_name = "LEVEL")]
    levels: Levels,
    /// How far each file of `accept` has to come.
    #[arg(long, value_enum, default_value_t = GoalArg::Metallib)]
    goal: GoalArg,
    /// Check the IR after every pass.
    #[arg(long)]
    checked: bool,
    /// Execute before and after every pass, and compare the results.
    #[arg(long)]
    execute: bool,
    /// The engine that executes shaders.
    #[arg(long, value_enum, default_value_t)]
    engine: EngineKind,
    /// Part of the name of the device that `--engine vulkan` uses [default: the first one that has Vulkan 1.3].
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// The system that libraries of `accept` are for.
    #[arg(long, default_value_t)]
    target: airfoil::Target,
    /// The API that modules of `accept --goal spirv` are for: vulkan1.0 to vulkan1.3, opengl4.5, opengl4.6.
    #[arg(long)]
    spirv_target: Option<airfoil::spirv_out::Target>,
    /// Leave libraries and bitcode in this folder; of `cts`, `piglit` and `amber` the modules that `--engine air` executes.
    #[arg(long, value_name = "FOLDER")]
    emit: Option<PathBuf>,
    /// Judge GLSL that is written for Vulkan too.
    #[arg(long)]
    vulkan: bool,
    /// Only cases with this in their names.
    #[arg(long, value_name = "SUBSTRING")]
    filter: Option<String>,
    /// Show the request and the messages of each case that was tried: logs and sources.
    #[arg(long, short)]
    verbose: bool,
    /// Print the sorted names of failed and crashed cases, nothing else.
    #[arg(long)]
    list_failures: bool,
    /// Write counts and failures as JSON to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Files at a time.
    #[arg(short, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    jobs: usize,
    /// Exit with 1 if fewer than this many percent of the tried files pass.
    #[arg(long, value_name = "PERCENT", default_value_t = 100.0)]
    min_percent: f64,
    /// Instead of percentages: exit with 1 unless exactly the cases of this list fail (`name: reason` a line).
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// The same for a group of the table; may be given more than once.
    #[arg(long, value_name = "GROUP=PERCENT", value_parser = group_limit)]
    min_group: Vec<(String, f64)>,
    /// Longest time for a file, in seconds [default: 10; 120 for scripts of Amber, which draw large pictures].
    #[arg(long)]
    timeout: Option<u64>,
    /// Answer cases on the standard streams (used by the runner itself).
    #[arg(long, hide = true)]
    worker: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Suite {
    /// Any shader files, any kind.
    Accept,
    /// GLSL with a header that specifies whether it is accepted.
    PiglitParser,
    /// GLSL with a list of verdicts, EXPECT.tsv, beside it.
    Glslang,
    /// `.test` files of VK-GL-CTS: every case is built.
    CtsBuild,
    /// `.test` files of VK-GL-CTS: every case is built, every row of values is drawn.
    Cts,
    /// `.shader_test` files of piglit: their commands are run.
    Piglit,
    /// Scripts of Amber are executed. At -O 0 shaders are executed as the front ends make them.
    Amber,
    /// Files of one shader, `NAME.o0.spv`, `NAME.opt.spv` and so on, compute the same.
    Variants,
}

impl Suite {
    fn glsl(self) -> Option<glsl::Suite> {
        match self {
            Suite::Accept | Suite::Amber | Suite::Cts | Suite::Piglit | Suite::Variants => None,
            Suite::PiglitParser => Some(glsl::Suite::PiglitParser),
            Suite::Glslang => Some(glsl::Suite::Glslang),
            Suite::CtsBuild => Some(glsl::Suite::CtsBuild),
        }
    }

    /// Suites that execute the programs that they build.
    fn executing(self) -> Option<executing::Suite> {
        match self {
            Suite::Cts => Some(executing::Suite::Cts),
            Suite::Piglit => Some(executing::Suite::Piglit),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GoalArg {
    /// Valid IR.
    Ir,
    /// A library.
    Metallib,
    /// A SPIR-V module that spirv-val accepts and that executes as the shader.
    Spirv,
    /// No crash, no hang.
    Survive,
    /// The verdicts of EXPECT.tsv in the folder or above.
    Verdict,
}

fn levels(text: &str) -> Result<Levels, String> {
    use airfoil::OptLevel;
    Ok(match text {
        "0" => Levels::One(OptLevel::O0),
        "2" => Levels::One(OptLevel::O2),
        "both" => Levels::Both,
        _ => return Err("it is 0, 1, 2 or both".into()),
    })
}

fn group_limit(text: &str) -> Result<(String, f64), String> {
    let (group, percent) = text.rsplit_once('=').ok_or("it has no `=`")?;
    let percent = percent.parse().map_err(|_| format!("`{percent}` is not a number"))?;
    Ok((group.into(), percent))
}

impl Args {
    fn accept_options(&self) -> accept::Options {
        accept::Options {
            vulkan: self.vulkan,
            goal: match self.goal {
                GoalArg::Ir => Goal::Ir,
                GoalArg::Metallib => Goal::Metallib,
                GoalArg::Spirv => Goal::Spirv,
                GoalArg::Survive => Goal::Survive,
                GoalArg::Verdict => Goal::Verdict,
            },
            level: self.level(),
            checked: self.checked,
            execute: self.execute,
            target: self.target,
            spirv_target: self.spirv_target,
            emit: self.emit.clone(),
        }
    }

    fn amber_options(&self) -> amber::Options {
        amber::Options { levels: self.levels, engine: self.engine() }
    }

    fn engine(&self) -> Engine {
        Engine { kind: self.engine, keep: self.emit.clone(), device: self.device.clone() }
    }

    fn executing_options(&self) -> Option<executing::Options> {
        let suite = self.suite.executing()?;
        let (levels, engine) = (self.levels, self.engine());
        Some(executing::Options { suite, folder: self.folder.clone(), levels, engine })
    }

    /// The level of suites that execute at only one; [`run`] rejects `both` for these.
    fn level(&self) -> airfoil::OptLevel {
        match self.levels {
            Levels::One(level) => level,
            Levels::Both => airfoil::OptLevel::O2,
        }
    }

    /// Endings of the files that are cases.
    fn endings(&self) -> &'static [&'static str] {
        if matches!(self.suite, Suite::Amber) { amber::ENDINGS } else { accept::ENDINGS }
    }

    fn glsl_options(&self, suite: glsl::Suite) -> glsl::Options {
        glsl::Options { suite, folder: self.folder.clone(), vulkan: self.vulkan }
    }

    /// All cases of the suite that the filter lets through.
    fn cases(&self) -> io::Result<Vec<Case>> {
        let mut cases = match (self.suite.glsl(), self.executing_options()) {
            (Some(suite), _) => glsl::cases(&self.glsl_options(suite))?,
            (_, Some(options)) => executing::cases(&options)?,
            _ => corpus::files(&self.folder, self.endings())?
                .iter()
                .map(|f| Case { name: corpus::name(&self.folder, f), group: "" })
                .collect(),
        };
        if cases.is_empty() {
            return Err(io::Error::other(format!("{} has no files of this suite", self.folder.display())));
        }
        if let Some(part) = &self.filter {
            cases.retain(|case| case.name.contains(part));
            if cases.is_empty() {
                return Err(io::Error::other(format!("no case has `{part}` in its name")));
            }
        }
        Ok(cases)
    }
}

/// How a compiler is created when a suite needs it.
pub type Open<'a> = &'a dyn Fn() -> Result<Box<dyn Builder>, String>;

/// Runs the suite that the arguments of the process select.
pub fn main(open: Open<'_>) -> ExitCode {
    let args = Args::parse();
    let done = if args.worker { serve(&args, open) } else { run(&args, open) };
    done.unwrap_or_else(|e| {
        eprint(&format!("error: {e}"));
        ExitCode::FAILURE
    })
}

fn serve(args: &Args, open: Open<'_>) -> io::Result<ExitCode> {
    match args.suite.glsl() {
        Some(suite) => {
            let builder = open().map_err(io::Error::other)?;
            let mut judge = Judge::new(args.glsl_options(suite), builder.as_ref());
            workers::serve(args.verbose, |case| judge.run(case))?;
        }
        None if args.suite.executing().is_some() => {
            let builder = open().map_err(io::Error::other)?;
            let options = args.executing_options().ok_or_else(|| io::Error::other("nothing is executed"))?;
            let mut runner = Runner::new(options, builder.as_ref());
            workers::serve(args.verbose, |case| runner.run(case))?;
        }
        None if matches!(args.suite, Suite::Amber) => {
            let options = args.amber_options();
            workers::serve(args.verbose, |case| {
                Answer::plain(amber::run(&args.folder.join(case), &options))
            })?;
        }
        None if matches!(args.suite, Suite::Variants) => {
            let level = args.level();
            workers::serve(args.verbose, |case| {
                Answer::plain(variants::run(&args.folder.join(case), level))
            })?;
        }
        None => {
            if args.engine == EngineKind::Vulkan {
                let engine = args.engine();
                workers::serve(args.verbose, |case| {
                    Answer::plain(drive::run(&args.folder.join(case), args.vulkan, &engine))
                })?;
                return Ok(ExitCode::SUCCESS);
            }
            let options = args.accept_options();
            let accept = |case: &str| Answer::plain(accept::run(case, &args.folder.join(case), &options));
            workers::serve(args.verbose, accept)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn run(args: &Args, open: Open<'_>) -> io::Result<ExitCode> {
    let executes = args.suite.executing().is_some() || matches!(args.suite, Suite::Amber);
    if args.levels == Levels::Both && !executes {
        return Err(io::Error::other("this suite has one level: -O 0 or 2"));
    }
    if args.emit.is_some() && executes && args.engine != EngineKind::Air {
        return Err(io::Error::other("there are no AIR modules to leave: --engine air"));
    }
    if args.engine == EngineKind::Vulkan {
        if !executes && !matches!(args.suite, Suite::Accept) {
            return Err(io::Error::other(
                "Vulkan drivers execute the suites `accept`, `amber`, `cts` and `piglit`",
            ));
        }
        let engine = args.engine();
        match engine.device() {
            Ok(device) => eprint(&format!("device: {}", device.name())),
            Err(e) => return Err(io::Error::other(e.to_string())),
        }
    }
    if args.suite.glsl().is_some() || args.suite.executing().is_some() {
        // Reported once here instead of by every worker.
        open().map_err(io::Error::other)?;
    }
    let cases = args.cases()?;
    if let Some(folder) = &args.emit {
        std::fs::create_dir_all(folder)?;
    }
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let default = if matches!(args.suite, Suite::Amber) { 120 } else { 10 };
    let options = workers::Options {
        jobs: args.jobs,
        timeout: Duration::from_secs(args.timeout.unwrap_or(default)),
        // Drivers have a compiler and threads of their own.
        memory_kib: if args.engine == EngineKind::Vulkan { 4 << 20 } else { 1 << 20 },
        args: std::env::args().skip(1).collect(),
    };
    let answers = workers::run(&names, &options)?;
    let report = Report { results: cases.into_iter().zip(answers).collect() };
    let rows = match args.executing_options() {
        Some(options) => executing::rows(&options, &report).map_err(io::Error::other)?,
        None => None,
    };
    if let Some(file) = &args.json {
        let mut json = report.to_json();
        if let Some(rows) = rows {
            json["rows"] = rows.to_json();
        }
        std::fs::write(file, format!("{json:#}\n"))?;
    }
    // Errors are ignored: a closed output leaves no way to report them.
    let _ = print(args, &report);
    if let Some(rows) = rows.filter(|_| !args.list_failures) {
        let _ = writeln!(io::stdout(), "{rows}");
    }
    let counts = report.counts();
    let mut good = counts.crashed == 0 && counts.percent() >= args.min_percent && counts.passed > 0;
    if let Some(list) = &args.expect {
        let list = std::fs::read_to_string(list)?;
        let unexpected = expected::judge(&list, &report);
        good = unexpected.is_empty();
        unexpected.iter().for_each(|line| eprint(line));
    }
    let groups = report.groups();
    for (group, percent) in &args.min_group {
        let Some(counts) = groups.get(group.as_str()) else {
            return Err(io::Error::other(format!("no case is in the group `{group}`")));
        };
        good &= counts.percent() >= *percent;
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(args: &Args, report: &Report) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if args.list_failures {
        let mut names: Vec<&str> = report.failures().map(|(name, ..)| name).collect();
        names.sort_unstable();
        return names.iter().try_for_each(|name| writeln!(out, "{name}"));
    }
    for (case, answer) in &report.results {
        let (kind, reason) = match &answer.verdict {
            Verdict::Failed(reason) => ("failed ", reason.as_str()),
            Verdict::Crashed(reason) => ("crashed", reason.as_str()),
            Verdict::Passed if args.verbose => ("passed ", ""),
            Verdict::Skipped(reason) if args.verbose => ("skipped", reason.as_str()),
            Verdict::Passed | Verdict::Skipped(_) => continue,
        };
        let colon = if reason.is_empty() { "" } else { ": " };
        writeln!(out, "{kind} {}{colon}{reason}", case.name)?;
        for line in answer.log.lines() {
            writeln!(out, "    {line}")?;
        }
    }
    for (n, reason) in report.reasons().iter().take(20) {
        writeln!(out, "{n:>6} x {reason}")?;
    }
    write!(out, "{report}")
}

#[allow(clippy::print_stderr)]
fn eprint(message: &str) {
    eprintln!("{message}");
}
