//! The `airfoil` command as a library: the whole command with passes of another crate.
//!
//! ```no_run
//! use airfoil_cli::Command;
//! use airfoil_passes::registry::Entry;
//! use airfoil_passes::{Changes, FunctionPass, PassInfo};
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     let info = PassInfo::new("nothing", "leaves the shader as it is", "");
//!     let nothing = FunctionPass::new(info, |_, _| Ok(Changes::NONE));
//!     Command::new().group("Mine", "Passes of this program.").pass(Entry::value(nothing)).run()
//! }
//! ```
//!
//! All subcommands know these passes by name: `opt`, `compile --plan`, `run`, `bisect`, `reduce`, `stats`, `sweep`, `graph`, `test`,
//! `explore`, `passes` and `explain`. `--cache` does not keep outputs of plans with these passes, whose code its keys do not have.
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
mod compare;
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
mod new_pass;
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

use airfoil::Diagnostic;
use airfoil::passes::registry::{Entry, Registry};
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use command::{Action, Cli};
use failure::Failure;
use plan::Link;
use report::Console;
use std::borrow::Cow;
use std::process::ExitCode;

/// The command: built-in passes, and those that are added.
#[derive(Debug)]
pub struct Command {
    registry: Registry,
    group: Cow<'static, str>,
    summary: Cow<'static, str>,
    faults: Vec<Diagnostic>,
}

impl Default for Command {
    fn default() -> Command {
        Command::new()
    }
}

impl Command {
    /// The command with the built-in passes.
    pub fn new() -> Command {
        Command {
            registry: airfoil::air::plan::registry().clone(),
            group: "Other".into(),
            summary: "Passes of this program.".into(),
            faults: Vec::new(),
        }
    }

    /// Heading and purpose of the passes that follow, in lists of passes.
    #[must_use]
    pub fn group(
        mut self,
        name: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
    ) -> Command {
        (self.group, self.summary) = (name.into(), summary.into());
        self
    }

    /// Adds a pass. If its name cannot be registered, [`run`](Command::run) reports that and does nothing else.
    #[must_use]
    pub fn pass(mut self, entry: Entry) -> Command {
        let added = self.registry.add(self.group.clone(), self.summary.clone(), entry);
        self.faults.extend(added.err());
        self
    }

    /// Runs the command on the arguments of the process.
    pub fn run(self) -> ExitCode {
        let mut command = Cli::command();
        let matches = command.clone().get_matches();
        let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|e| e.format(&mut command).exit());
        let console = Console::new(cli.global.message_format, cli.global.color, cli.global.quiet);
        batch::catch_panics();
        if !self.faults.is_empty() {
            console.write(&console.render(&self.faults, "", None));
            return ExitCode::from(2);
        }
        match act(&cli.action, &self.registry, console) {
            Ok(code) => code,
            Err(Failure::Reported(code, text)) => {
                console.write(&text);
                ExitCode::from(code)
            }
            Err(Failure::Usage(message, advice)) => usage(&message, &advice, command, &matches),
        }
    }
}

fn act(action: &Action, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    match action {
        Action::Compile(args) => {
            compile::run(&args.make, if args.link { Link::Always } else { Link::Several }, registry, console)
        }
        Action::Link(args) => compile::run(&args.make, Link::Always, registry, console),
        Action::Opt(args) => opt::run(args, registry, console),
        Action::LowerDistances(args) => distances::run(args, console),
        Action::Run(args) => run::run(args, registry, console),
        Action::Check(args) => check::run(args, console),
        Action::Bisect(args) => bisect::run(args, registry, console),
        Action::Reduce(args) => reduce::run(args, registry, console),
        Action::Test(args) => test::run(args, console),
        Action::Fmt(args) => fmt::run(args, console),
        Action::Passes(args) => listing::passes(args, registry),
        Action::Explain(args) => listing::explain(args, registry),
        Action::NewPass(args) => new_pass::run(args, registry),
        Action::Stats(args) => stats::run(args, registry, console),
        Action::Compare(args) => compare::run(args, registry, console),
        Action::Sweep(args) => sweep::run(args, registry, console),
        Action::Rules(args) => rules::run(args, console),
        Action::Metallib(args) => metallib::run(args, console),
        Action::Inspect(args) => inspect::run(args, console),
        Action::Kit(args) => kit::run(args, console),
        Action::Explore(args) => explore::run(args, registry, console),
        Action::Graph(args) => graph::run(args, registry, console),
        Action::Dis(args) => dis::run(args, console),
        Action::Man(args) => man::run(args, Cli::command()),
        Action::Completions(args) => completions::run(args, Cli::command()),
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
