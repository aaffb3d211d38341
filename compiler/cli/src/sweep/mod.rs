//! `airfoil sweep`: every shader of a corpus under many pipelines, and the search for an order of passes.
//!
//! * `mod.rs`: the command. `pipelines.rs`: files of pipelines. `shard.rs`: a part of the corpus.
//! * `evaluate.rs`: one pipeline on one file: sizes, and the check by execution.
//! * `stored.rs`: rows of earlier sweeps.
//! * `search.rs`: orders of passes, random ones and then neighbours of the best. `cost.rs`: their cost.

mod cost;
pub mod evaluate;
#[cfg(feature = "parquet")]
mod parquet_file;
pub mod pipelines;
mod search;
mod shard;
mod stored;

use crate::Failure;
use crate::args::{JobArgs, ReadArgs};
use crate::batch::{self, Log, Tally};
use crate::load::load;
use crate::output::{self, PendingFile, words};
use crate::plan::usage;
use crate::report::Console;
use crate::source::Input;
use crate::stats::row::{self, Check, Row};
use crate::stats::{self, Measures};
use airfoil::Diagnostic;
use airfoil::check::{Outcome, Runs};
use airfoil::passes::registry::Registry;
use clap::{ArgGroup, Args, ValueEnum};
use cost::Cost;
use evaluate::{File, evaluate};
use pipelines::Named;
use shard::Shard;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use stored::Stored;

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("what").required(true).args(["pipelines", "search"]), after_help = "\
Examples:
  airfoil sweep shaders --pipelines orders.txt -o rows.csv          each shader under each pipeline of a file
  airfoil sweep shaders --pipelines orders.txt --time 20 -j 1       with the least time of 20 repetitions
  airfoil sweep shaders --pipelines orders.txt --shard 2/8 -o 2.jsonl
  airfoil sweep shaders --pipelines orders.txt --cache rows -o rows.csv    continues where the last run stopped
  airfoil sweep shaders --search 200 --seed 7 -o rows.csv           look for an order of passes that leaves few lanes
  airfoil sweep shaders --search 200 --cost 'lanes + 0.1*bytes' --pool 'cse, dce, simplify, copy_prop'

A file of pipelines has one in a line, as `NAME = PIPELINE` or without name; `#` starts a comment.")]
pub struct SweepArgs {
    // The inputs are shaders and folders of shaders.
    #[command(flatten)]
    pub read: ReadArgs,
    /// Run the pipelines of this file
    #[arg(long, value_name = "FILE", help_heading = "Sweep")]
    pub pipelines: Option<PathBuf>,
    /// Only this part of the files: shard I of N
    #[arg(long, value_name = "I/N", conflicts_with = "search", help_heading = "Sweep")]
    pub shard: Option<Shard>,
    /// Do not check by execution that the results of the shaders stay
    #[arg(long, help_heading = "Sweep")]
    pub no_check: bool,
    /// Measure the time of the passes: the least of this many repetitions
    #[arg(long, value_name = "N", help_heading = "Sweep")]
    pub time: Option<NonZeroUsize>,
    /// Measure the bitcode that is selected after the rest of the lowering
    #[arg(long, help_heading = "Sweep")]
    pub bytes: bool,
    /// Search: try this many orders of passes
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub search: Option<NonZeroUsize>,
    /// Seed of the search
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Search")]
    pub seed: u64,
    /// Cost that the search minimizes: sizes of `airfoil stats` with weights, added up over all files
    #[arg(long, value_name = "COST", default_value = "lanes", help_heading = "Search")]
    pub cost: Cost,
    /// The passes to order
    #[arg(long, value_name = "PASSES", default_value = search::POOL, help_heading = "Search")]
    pub pool: String,
    /// The pipeline around them; `@` stands for the order that is tried
    #[arg(long, value_name = "PIPELINE", default_value = search::AROUND, help_heading = "Search")]
    pub around: String,
    /// Write the rows to this file [default: the standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Format of the rows [default: by the extension of the file, or csv]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub format: Option<Format>,
    /// Keep each row in this folder when it is measured, and take it from there when file, pipeline, options and the build of Airfoil
    /// are the same again. It is created if necessary, for this user only
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub cache: Option<PathBuf>,
    #[command(flatten)]
    pub jobs: JobArgs,
}

/// Format of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Comma-separated values
    Csv,
    /// One JSON object per line
    Jsonl,
    /// Parquet
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    fn of(args: &SweepArgs) -> Result<Format, Failure> {
        if let Some(format) = args.format {
            return Ok(format);
        }
        let Some(path) = &args.output else { return Ok(Format::Csv) };
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        Format::from_str(ending, true).map_err(|_| {
            let known: Vec<_> =
                Format::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
            let known: Vec<&str> = known.iter().map(|value| value.get_name()).collect();
            let message = format!("the format of `{}` is unknown", path.display());
            usage(message, &format!("expected a file that ends with one of {}", known.join(", ")))
        })
    }

    fn bytes(self, rows: &[Row]) -> Result<Vec<u8>, String> {
        match self {
            Format::Csv => Ok(row::to_csv(rows).into_bytes()),
            Format::Jsonl => Ok(row::to_json_lines(rows).into_bytes()),
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet_file::bytes(rows),
        }
    }
}

/// The files, and how pipelines are tried on them.
struct Sweep<'a> {
    files: Vec<File>,
    measures: Measures,
    runs: Option<Runs>,
    stored: Option<Stored>,
    jobs: Option<NonZeroUsize>,
    console: Console,
    args: &'a SweepArgs,
}

/// Runs the command.
pub fn run(args: &SweepArgs, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    let format = Format::of(args)?;
    let pipelines =
        args.pipelines.as_deref().map(|path| pipelines::read(path, registry, console)).transpose()?;
    let search = match args.search {
        Some(tries) => Some(search::Search::new(args, registry, tries, console)?),
        None => None,
    };
    let mut inputs = stats::inputs(&args.read, console)?;
    if let Some(shard) = args.shard {
        let mut index = 0;
        inputs.retain(|_| {
            index += 1;
            shard.has(index - 1)
        });
    }
    let runs = (!args.no_check).then(Runs::default);
    if !console.quiet {
        let mut seeds = search.iter().map(|_| format!("seed {}\n", args.seed)).collect::<String>();
        if let Some(runs) = &runs {
            seeds += &format!("execution with the seeds 0 to {}\n", runs.seeds - 1);
        }
        console.write(&seeds);
    }
    let work = |input: &Input, log: &mut Log| {
        let loaded = load(std::slice::from_ref(input), &args.read, log)?;
        Ok(File::new(input.name(), loaded.shaders))
    };
    let (read, files) = batch::run(&inputs, Input::name, args.jobs.jobs, console, "read", work);
    let measures = Measures { time: args.time, bytes: args.bytes };
    let measures = if search.is_some() { args.cost.measures(measures) } else { measures };
    let stored = Stored::open(args, measures, runs.as_ref(), console)?;
    let sweep = Sweep { files, measures, runs, stored, jobs: args.jobs.jobs, console, args };
    if sweep.files.is_empty() {
        return Ok(read.exit_code());
    }
    let (swept, rows) = match (search, pipelines) {
        (Some(search), _) => search.run(&sweep),
        (None, pipelines) => sweep.grid(&pipelines.unwrap_or_default()),
    };
    write(args, &format.bytes(&rows).map_err(|e| failed(console, e))?, console)?;
    let differs = rows.iter().any(|row| row.check == Some(Check::Ran(Outcome::Differs)));
    let worst = [read, swept].into_iter().find(|tally| tally.exit_code() != ExitCode::SUCCESS);
    Ok(worst.map_or(if differs { ExitCode::from(1) } else { ExitCode::SUCCESS }, Tally::exit_code))
}

impl Sweep<'_> {
    /// The row of a file and a pipeline, stored or measured.
    fn row(&self, file: &File, named: &Named, log: &mut Log) -> Row {
        let make = |log: &mut Log| evaluate(file, named, self.measures, self.runs.as_ref(), log);
        match &self.stored {
            Some(stored) => stored.row(file, named, log, make),
            None => make(log),
        }
    }

    /// All pipelines on all files.
    fn grid(&self, pipelines: &[Named]) -> (Tally, Vec<Row>) {
        let work = |file: &File, log: &mut Log| {
            Ok(pipelines.iter().map(|named| self.row(file, named, log)).collect())
        };
        let (tally, rows): (_, Vec<Vec<Row>>) =
            batch::run(&self.files, |file| file.name.clone(), self.jobs, self.console, "measured", work);
        (tally, rows.into_iter().flatten().collect())
    }
}

fn failed(console: Console, message: String) -> Failure {
    Failure::Reported(1, console.render(&[Diagnostic::error("E0001", message)], "rows", None))
}

fn write(args: &SweepArgs, bytes: &[u8], console: Console) -> Result<(), Failure> {
    let cannot =
        |name: &str, e: &std::io::Error| failed(console, format!("cannot write {name}: {}", words(e)));
    match &args.output {
        Some(path) => PendingFile::write(path, bytes)
            .and_then(PendingFile::commit)
            .map_err(|e| cannot(&format!("`{}`", path.display()), &e)),
        None => output::print(bytes).map_err(|e| cannot("the rows", &e)),
    }
}
