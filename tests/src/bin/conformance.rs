//! `airfoil-conformance`: runs a suite over a folder of test data.

use airfoil_tests::report::Report;
use airfoil_tests::suites::accept::{self, Goal};
use airfoil_tests::{corpus, workers};
use clap::{Parser, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Runs a suite over a folder of test data, in parallel, a crash isolated to its file.
#[derive(Parser, Debug)]
#[command(after_help = "Examples:
  airfoil-conformance accept ../shared/corpus/real-spv -O 2
  airfoil-conformance accept ../shared/corpus/robustness/spv --goal survive
  airfoil-conformance accept ../shared/corpus/real-spv --goal ir --execute
  airfoil-conformance accept FOLDER -O 0 --json result.json --min-percent 85")]
struct Args {
    /// What to run.
    suite: Suite,
    /// A folder (or one file) of the suite's kind.
    folder: PathBuf,
    /// How much to optimise: 0, 1 or 2.
    #[arg(short = 'O', default_value = "2", value_parser = clap::value_parser!(u8).range(0..=2))]
    level: u8,
    /// How far each file has to come.
    #[arg(long, value_enum, default_value_t = GoalArg::Metallib)]
    goal: GoalArg,
    /// Check the IR after every pass.
    #[arg(long)]
    checked: bool,
    /// Execute before and after every pass, and compare what is computed.
    #[arg(long)]
    execute: bool,
    /// Leave libraries and bitcode in this folder.
    #[arg(long, value_name = "FOLDER")]
    emit: Option<PathBuf>,
    /// Write counts and failures as JSON to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Files at a time.
    #[arg(short, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    jobs: usize,
    /// Exit with 1 if fewer than this many percent of the tried files pass.
    #[arg(long, value_name = "PERCENT", default_value_t = 100.0)]
    min_percent: f64,
    /// Longest time for a file, in seconds.
    #[arg(long, default_value_t = 10)]
    timeout: u64,
    /// Answer cases on the standard streams (used by the runner itself).
    #[arg(long, hide = true)]
    worker: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Suite {
    /// Any shader files, any kind.
    Accept,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GoalArg {
    /// Valid IR.
    Ir,
    /// A library.
    Metallib,
    /// No crash, no hang.
    Survive,
}

impl Args {
    fn accept_options(&self) -> accept::Options {
        use airfoil::OptLevel;
        accept::Options {
            goal: match self.goal {
                GoalArg::Ir => Goal::Ir,
                GoalArg::Metallib => Goal::Metallib,
                GoalArg::Survive => Goal::Survive,
            },
            level: [OptLevel::O0, OptLevel::O1, OptLevel::O2][usize::from(self.level)],
            checked: self.checked,
            execute: self.execute,
            emit: self.emit.clone(),
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = if args.worker { serve(&args) } else { run(&args) };
    done.unwrap_or_else(|e| {
        eprint(&format!("error: {e}"));
        ExitCode::FAILURE
    })
}

fn serve(args: &Args) -> std::io::Result<ExitCode> {
    let options = args.accept_options();
    workers::serve(|case| accept::run(case, &args.folder.join(case), &options))?;
    Ok(ExitCode::SUCCESS)
}

fn run(args: &Args) -> std::io::Result<ExitCode> {
    let Suite::Accept = args.suite;
    let files = corpus::files(&args.folder, accept::ENDINGS)?;
    if let Some(folder) = &args.emit {
        std::fs::create_dir_all(folder)?;
    }
    let cases: Vec<String> = files.iter().map(|f| name(&args.folder, f)).collect();
    let options = workers::Options {
        jobs: args.jobs,
        timeout: Duration::from_secs(args.timeout),
        memory_kib: 1 << 20,
        args: std::env::args().skip(1).collect(),
    };
    let verdicts = workers::run(&cases, &options)?;
    let report = Report { results: cases.into_iter().zip(verdicts).collect() };
    if let Some(file) = &args.json {
        std::fs::write(file, format!("{:#}\n", report.to_json()))?;
    }
    print(&report);
    let counts = report.counts();
    let good = counts.crashed == 0 && counts.percent() >= args.min_percent && counts.passed > 0;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Name of a case: its path below the folder; empty for the folder itself being the one file.
fn name(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).to_string_lossy().into_owned()
}

fn print(report: &Report) {
    use airfoil_tests::report::Verdict;
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    // Nobody is left to tell if the output is closed.
    let _ = (|| -> std::io::Result<()> {
        for (name, verdict) in &report.results {
            match verdict {
                Verdict::Failed(reason) => writeln!(out, "failed  {name}: {reason}")?,
                Verdict::Crashed(reason) => writeln!(out, "crashed {name}: {reason}")?,
                Verdict::Passed | Verdict::Skipped(_) => {}
            }
        }
        for (n, reason) in report.reasons().iter().take(20) {
            writeln!(out, "{n:>6} x {reason}")?;
        }
        write!(out, "{report}")
    })();
}

#[allow(clippy::print_stderr)]
fn eprint(message: &str) {
    eprintln!("{message}");
}
