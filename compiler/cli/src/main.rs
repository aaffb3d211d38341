//! The `airfoil` command.
//!
//! Outputs go to the standard output, messages to the standard error stream. Exit status: 0 success, 1 an input was
//! rejected, 2 wrong usage, 101 internal error.

mod any_target;
mod args;
mod batch;
mod bisect;
mod cache;
mod changes;
mod check;
mod command;
mod compile;
mod completions;
mod dis;
mod distances;
mod explore;
mod failure;
mod fmt;
mod glsl;
mod graph;
mod inspect;
mod ir_file;
mod kinds;
mod kit;
mod listing;
mod load;
mod man;
mod metallib;
mod mine;
mod modules;
mod opt;
mod output;
mod plan;
mod previous;
mod random;
mod reduce;
mod report;
mod rules;
mod run;
mod run_passes;
mod sampler_words;
mod source;
mod spirv;
mod stats;
mod sweep;
mod test;
mod values;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use command::{Cli, Command};
pub use failure::Failure;
use plan::Link;
use report::Console;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut command = Cli::command();
    let matches = command.clone().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|e| e.format(&mut command).exit());
    let console = Console::new(cli.global.message_format, cli.global.color, cli.global.quiet);
    batch::catch_panics();
    let result = match &cli.command {
        Command::Compile(args) => {
            compile::run(&args.make, if args.link { Link::Always } else { Link::Several }, console)
        }
        Command::Link(args) => compile::run(&args.make, Link::Always, console),
        Command::Opt(args) => opt::run(args, console),
        Command::LowerDistances(args) => distances::run(args, console),
        Command::Run(args) => run::run(args, console),
        Command::Check(args) => check::run(args, console),
        Command::Bisect(args) => bisect::run(args, console),
        Command::Reduce(args) => reduce::run(args, console),
        Command::Test(args) => test::run(args, console),
        Command::Fmt(args) => fmt::run(args, console),
        Command::Passes(args) => listing::passes(args),
        Command::Explain(args) => listing::explain(args),
        Command::Stats(args) => stats::run(args, console),
        Command::Sweep(args) => sweep::run(args, console),
        Command::Rules(args) => rules::run(args, console),
        Command::Metallib(args) => metallib::run(args, console),
        Command::Inspect(args) => inspect::run(args, console),
        Command::Kit(args) => kit::run(args, console),
        Command::Explore(args) => explore::run(args, console),
        Command::Graph(args) => graph::run(args, console),
        Command::Dis(args) => dis::run(args, console),
        Command::Man(args) => man::run(args, Cli::command()),
        Command::Completions(args) => completions::run(args, Cli::command()),
    };
    match result {
        Ok(code) => code,
        Err(Failure::Reported(code, text)) => {
            console.write(&text);
            ExitCode::from(code)
        }
        Err(Failure::Usage(message, advice)) => usage(&message, &advice, command, &matches),
    }
}

/// Exits as clap does for a wrong option, with the usage of the subcommand.
fn usage(message: &str, advice: &str, mut command: clap::Command, matches: &ArgMatches) -> ! {
    command.build();
    let mut matches = matches;
    while let Some((name, inner)) = matches.subcommand()
        && let Some(found) = command.find_subcommand(name).cloned()
    {
        (command, matches) = (found, inner);
    }
    let error = clap::Error::raw(ErrorKind::ValueValidation, format!("{message}\n\n  tip: {advice}"));
    error.format(&mut command).exit()
}
