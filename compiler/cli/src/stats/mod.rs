//! `airfoil stats`: sizes of shaders after pipelines, and the difference of two runs.

pub mod diff;
mod measure;
pub mod row;
pub mod table;

pub use measure::{Measures, measure};

use crate::Failure;
use crate::args::{JobArgs, ReadArgs};
use crate::batch::{self, Log};
use crate::kinds::{InputKind, input_kind};
use crate::load::load;
use crate::output::{self, words};
use crate::plan::{self, usage};
use crate::report::Console;
use crate::source::Input;
use airfoil::Diagnostic;
use airfoil::passes::Pipeline;
use airfoil::passes::registry::Registry;
use clap::{Args, ValueEnum};
use row::{Row, metric};
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil stats shaders                                     every shader of a folder after -O2
  airfoil stats shaders --pipeline O0 --pipeline O2         two pipelines, and what differs
  airfoil stats shaders --pipeline O2 --format csv > before.csv
  airfoil stats --diff before.csv after.csv                 two runs, with the ten best and worst shaders
  airfoil stats --diff before.csv after.csv --by instrs
  airfoil stats shaders --time 20 -j 1                      time of the passes, the least of 20 repetitions
  airfoil stats shaders --bytes --total                     size of the bitcode, only the totals")]
pub struct StatsArgs {
    // The inputs are shaders, folders of shaders, or the two runs of `--diff`.
    #[command(flatten)]
    pub read: ReadArgs,
    /// Passes or a preset to run; can be repeated [default: O2]
    #[arg(long, value_name = "PIPELINE", help_heading = "Passes")]
    pub pipeline: Vec<String>,
    /// Measure the time of the passes: the least of this many repetitions
    #[arg(long, value_name = "N", help_heading = "Statistics")]
    pub time: Option<NonZeroUsize>,
    /// Measure the bitcode that is selected after the rest of the lowering
    #[arg(long, help_heading = "Statistics")]
    pub bytes: bool,
    /// Compare two earlier runs, written as CSV or JSON lines
    #[arg(long, conflicts_with_all = ["pipeline", "time", "bytes"], help_heading = "Statistics")]
    pub diff: bool,
    /// Order and select shaders of a comparison by this size
    #[arg(long, value_name = "SIZE", default_value = "lanes", help_heading = "Statistics")]
    pub by: String,
    /// Only the totals
    #[arg(long, help_heading = "Statistics")]
    pub total: bool,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Statistics")]
    pub format: Format,
    #[command(flatten)]
    pub jobs: JobArgs,
}

/// Format of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned columns; two pipelines are compared
    #[default]
    Table,
    /// Comma-separated values
    Csv,
    /// One JSON object per line
    Jsonl,
}

/// Runs the command.
pub fn run(args: &StatsArgs, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    let by = metric(&args.by).ok_or_else(|| {
        usage(format!("there is no size `{}`", args.by), &format!("there is: {}", row::names().join(", ")))
    })?;
    if args.diff {
        return compare_runs(args, by, console);
    }
    let default = ["O2".to_string()];
    let texts = if args.pipeline.is_empty() { &default[..] } else { &args.pipeline };
    let pipelines = texts.iter().map(|text| Ok((text.clone(), pipeline(text, registry, console)?)));
    let pipelines: Vec<(String, Pipeline)> = pipelines.collect::<Result<_, Failure>>()?;
    let inputs = inputs(&args.read, console)?;
    let work = |input: &Input, log: &mut Log| {
        let loaded = load(std::slice::from_ref(input), &args.read, log)?;
        let measures = Measures { time: args.time, bytes: args.bytes };
        let row = |(name, pipeline): &(String, Pipeline)| {
            measure(&loaded.shaders, pipeline, measures, input.name(), name)
        };
        let rows: Result<Vec<Row>, _> = pipelines.iter().map(row).collect();
        rows.map_err(|faults| loaded.refuse(log, &faults))
    };
    let (tally, rows): (_, Vec<Vec<Row>>) =
        batch::run(&inputs, Input::name, args.jobs.jobs, console, "measured", work);
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    if rows.is_empty() {
        return Ok(tally.exit_code());
    }
    let mut text = match args.format {
        Format::Csv => row::to_csv(&shown(&rows, texts, args.total)),
        Format::Jsonl => row::to_json_lines(&shown(&rows, texts, args.total)),
        Format::Table => table::table(&shown(&rows, texts, args.total), texts.len() > 1),
    };
    if args.format == Format::Table && texts.len() > 1 {
        let run = |name: &String| rows.iter().filter(|r| r.pipeline == *name).cloned().collect::<Vec<_>>();
        for name in &texts[1..] {
            text += &format!("\n{} -> {name}\n", texts[0]);
            text += &diff::report(&run(&texts[0]), &run(name), by);
        }
    }
    print(&text)?;
    Ok(tally.exit_code())
}

/// The pipeline of an option `--pipeline`.
pub fn pipeline(text: &str, registry: &Registry, console: Console) -> Result<Pipeline, Failure> {
    let fail = |fault| Failure::Reported(2, console.render(&[fault], "--pipeline", Some(text)));
    Pipeline::parse_with(text, registry).map_err(fail)
}

/// The rows to print: those of the files, in order, and the totals.
fn shown(rows: &[Row], pipelines: &[String], only_total: bool) -> Vec<Row> {
    let mut shown = if only_total { Vec::new() } else { rows.to_vec() };
    for name in pipelines {
        shown.push(Row::total(name, rows.iter().filter(|r| r.pipeline == *name)));
    }
    shown
}

fn compare_runs(args: &StatsArgs, by: usize, console: Console) -> Result<ExitCode, Failure> {
    let [before, after] = args.read.inputs.as_slice() else {
        return Err(usage("`--diff` compares two runs", "airfoil stats --diff BEFORE.csv AFTER.csv"));
    };
    let read = |path: &Path| {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|e| {
            let fault = Diagnostic::error("E0001", words(&e));
            Failure::Reported(1, console.render(&[fault], &name, None))
        })?;
        row::parse(&text).map_err(|message| {
            let fault = Diagnostic::error("E0004", message)
                .help("`airfoil stats --format csv` and `--format jsonl` write such files");
            Failure::Reported(1, console.render(&[fault], &name, None))
        })
    };
    print(&diff::report(&read(before)?, &read(after)?, by))?;
    Ok(ExitCode::SUCCESS)
}

fn print(text: &str) -> Result<(), Failure> {
    output::print(text.as_bytes())
        .map_err(|e| Failure::Reported(1, format!("error: cannot print: {}\n", words(&e))))
}

/// The inputs, with the shaders of folders in the order of their names.
pub fn inputs(args: &ReadArgs, console: Console) -> Result<Vec<Input>, Failure> {
    let mut list = Vec::new();
    for path in &args.inputs {
        if !path.is_dir() {
            list.push(plan::input(path, args)?);
            continue;
        }
        let mut files = BTreeSet::new();
        collect(path, &mut files).map_err(|e| {
            let fault = Diagnostic::error("E0001", words(&e));
            Failure::Reported(1, console.render(&[fault], &path.display().to_string(), None))
        })?;
        // Files of other kinds, and GLSL whose stage is unknown, are not shaders.
        list.extend(files.iter().filter_map(|file| plan::input(file, args).ok()));
    }
    Ok(list)
}

fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        // An assembly text beside a module is its source.
        } else if input_kind(&path)
            .is_ok_and(|kind| kind != InputKind::Spvasm || !path.with_extension("spv").exists())
        {
            files.insert(path);
        }
    }
    Ok(())
}
