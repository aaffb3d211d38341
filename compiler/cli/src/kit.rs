//! `airfoil kit`: libraries with expected results for a Mac, and the report about the results that it recorded.

use crate::Failure;
use crate::output::{Sink, words, write_all};
use crate::report::Console;
use airfoil::Diagnostic;
use airfoil_kit::judge::Verdict;
use airfoil_kit::{constructs, kit, report};
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  airfoil kit -o kit                 write the cases; then, on a Mac: swift kit/check.swift kit
  airfoil kit report kit             judge kit/results: kit/report.json, kit/report.md, one line
  airfoil kit constructs a.metallib  the constructs of AIR that libraries use, with counts

Exit status of a report: 1 if a case fails or has no result."
)]
pub struct KitArgs {
    /// Folder of the kit; cases of an older kit in it are replaced
    #[arg(short, long, value_name = "DIR", required = true)]
    pub output: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<KitCommand>,
}

#[derive(Debug, Subcommand)]
pub enum KitCommand {
    /// Judge the results in a kit: writes report.json and report.md
    Report {
        /// Folder of the kit, with `cases` and `results`
        folder: PathBuf,
    },
    /// List the `air.*` functions and metadata words that libraries use, whoever made them
    Constructs {
        /// .metallib files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

/// Runs the command.
pub fn run(args: &KitArgs, console: Console) -> Result<ExitCode, Failure> {
    let reported = |d: Diagnostic| Failure::Reported(1, console.render(&[d], "airfoil kit", None));
    match (&args.command, &args.output) {
        (Some(KitCommand::Report { folder }), _) => {
            let (line, code) = judge(folder).map_err(reported)?;
            crate::modules::print(&line).map(|_| code)
        }
        (Some(KitCommand::Constructs { files }), _) => crate::modules::print(&list(files).map_err(reported)?),
        (None, Some(folder)) => {
            let count = kit::write(folder).map_err(|e| reported(Diagnostic::error("E0005", e)))?;
            if !console.quiet {
                let _ = writeln!(io::stderr(), "{count} cases in {}", folder.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        (None, None) => Ok(ExitCode::from(2)),
    }
}

/// Writes the report; returns the line to paste, and the exit status.
fn judge(folder: &Path) -> Result<(String, ExitCode), Diagnostic> {
    let report = report::report(folder).map_err(|e| Diagnostic::error("E0001", e))?;
    let files = [("report.json", report.to_json()), ("report.md", report.to_markdown())];
    let products = files.map(|(name, text)| (Sink::of(&folder.join(name)), text.into_bytes()));
    write_all(&products)
        .map_err(|(name, e)| Diagnostic::error("E0005", format!("cannot write {name}: {}", words(&e))))?;
    let bad = [Verdict::Fail, Verdict::Missing].iter().any(|&v| report.count(v) > 0);
    Ok((format!("{}\n", report.summary), ExitCode::from(u8::from(bad))))
}

fn list(files: &[PathBuf]) -> Result<String, Diagnostic> {
    let mut counts = BTreeMap::<String, usize>::new();
    for file in files {
        let failed = |e: String| Diagnostic::error("E0001", format!("{}: {e}", file.display()));
        let bytes = fs::read(file).map_err(|e| failed(words(&e)))?;
        for (construct, count) in constructs::counts(&bytes).map_err(failed)? {
            *counts.entry(construct).or_default() += count;
        }
    }
    Ok(counts.iter().map(|(construct, count)| format!("{count:7} {construct}\n")).collect())
}
