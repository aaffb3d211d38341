//! The command line: global options and the subcommands, whose arguments are declared beside the code that runs them.

use crate::bisect::BisectArgs;
use crate::check::CheckArgs;
use crate::compare::CompareArgs;
use crate::compile::{CompileArgs, LinkArgs};
use crate::completions::CompletionsArgs;
use crate::dis::DisArgs;
use crate::distances::DistancesArgs;
use crate::explore::ExploreArgs;
use crate::fmt::FmtArgs;
use crate::graph::GraphArgs;
use crate::inspect::InspectArgs;
use crate::kit::KitArgs;
use crate::listing::{ExplainArgs, PassesArgs};
use crate::man::ManArgs;
use crate::metallib::MetallibArgs;
use crate::new_pass::NewPassArgs;
use crate::opt::OptArgs;
use crate::reduce::ReduceArgs;
use crate::report::{ColorChoice, MessageFormat};
use crate::rules::RulesArgs;
use crate::run::RunArgs;
use crate::stats::StatsArgs;
use crate::sweep::SweepArgs;
use crate::test::TestArgs;
use clap::{Args, Parser, Subcommand};

/// Optimising shader compiler: GLSL and SPIR-V to Apple AIR and .metallib, on any system, without Xcode or LLVM.
#[derive(Debug, Parser)]
#[command(name = "airfoil", version, arg_required_else_help = true, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub action: Action,
}

const EXAMPLES: &str = "\
Examples:
  airfoil compile fade.frag.spv -o fade.metallib     SPIR-V to a library for macOS 13
  airfoil compile sea.vert sea.frag -o sea.metallib  a GLSL program to one library
  airfoil compile *.spv --out-dir build              many files in parallel
  airfoil opt fade.foil --passes 'dce, cse'          run passes, print the IR
  airfoil run image.frag -o out.png                  execute: draw, compute, trace
  airfoil passes                                     list all passes
  airfoil metallib fade.metallib                     show the content of a library

AIRFOIL_DEBUG lists, dumps, replaces and times the shaders of any process that uses Airfoil; `help` lists its words.
Exit status: 0 success, 1 an input was rejected, 2 wrong usage, 101 internal error.
See `airfoil COMMAND --help` for the options and examples of a command.";

/// Options of all commands.
#[derive(Args, Debug)]
pub struct Global {
    /// Format of diagnostics
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "FORMAT",
        default_value_t,
        help_heading = "Messages"
    )]
    pub message_format: MessageFormat,
    /// Use colours; `auto` follows NO_COLOR, CLICOLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t, help_heading = "Messages")]
    pub color: ColorChoice,
    /// Write only diagnostics: no progress, no summary
    #[arg(short, long, global = true, help_heading = "Messages")]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum Action {
    /// Compile shaders to .metallib, .air, .bc, .ll, .foil or .json
    Compile(Box<CompileArgs>),
    /// Link the GLSL stages of a program and compile them to one library
    Link(Box<LinkArgs>),
    /// Run passes over shaders and print the IR
    Opt(Box<OptArgs>),
    /// Rewrite clip and cull distances of a pipeline for devices that have none
    LowerDistances(Box<DistancesArgs>),
    /// Execute a compute shader on buffers, or draw an image with vertex and fragment shaders
    Run(Box<RunArgs>),
    /// Check that shaders are valid and can be compiled; write nothing
    Check(Box<CheckArgs>),
    /// Find the pass that changes the results of a shader, and write a test of it
    Bisect(Box<BisectArgs>),
    /// Shrink a shader that reproduces a fault
    Reduce(Box<ReduceArgs>),
    /// Run tests that are text files: commands, and the output that they must print
    Test(TestArgs),
    /// Format shaders in text form (.foil)
    Fmt(FmtArgs),
    /// Measure shaders after pipelines: instructions, lanes, blocks, registers, bytes, time; compare two runs
    Stats(Box<StatsArgs>),
    /// Show a shader after two pipelines side by side: sizes, check by execution, text
    Compare(Box<CompareArgs>),
    /// Measure and check a corpus under many pipelines, or search for an order of passes
    Sweep(Box<SweepArgs>),
    /// List the passes and presets
    Passes(PassesArgs),
    /// Explain a pass (purpose, options, example), a preset or a diagnostic code
    Explain(ExplainArgs),
    /// Make the files of a new pass: source, registration, tests
    NewPass(NewPassArgs),
    /// List, explain and prove the algebraic rules
    Rules(RulesArgs),
    /// Show, verify, compare, extract and pack .metallib files
    Metallib(MetallibArgs),
    /// Show the entry points of a .metallib or .air file: stage, arguments, resources
    Inspect(InspectArgs),
    /// Write libraries with expected results for a Mac, and judge the results recorded there
    Kit(KitArgs),
    /// Print graphs of a shader for Graphviz: control flow, dominators, loops, liveness, divergence, uses, plan
    Graph(Box<GraphArgs>),
    /// Serve the Explorer to a browser on this machine: source, passes, IR, AIR and image of a shader
    Explore(ExploreArgs),
    /// Print the functions of a .metallib or .air file as LLVM assembly
    Dis(DisArgs),
    /// Print the completions for a shell
    Completions(CompletionsArgs),
    /// Print or write the manual pages
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_declaration_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Words of a shell line up to a comment, redirection or pipe.
    fn words_of(line: &str) -> Vec<String> {
        let line = line.trim();
        let end =
            ["  ", " <", " >", " |"].iter().filter_map(|stop| line.find(stop)).min().unwrap_or(line.len());
        let quoted = line[..end].split('\'').enumerate();
        quoted
            .flat_map(|(i, part)| match i % 2 {
                1 => vec![part.to_string()],
                _ => part.split_whitespace().map(String::from).collect(),
            })
            .collect()
    }

    #[test]
    fn examples_of_the_help_parse() {
        let mut command = Cli::command();
        let helps =
            command.get_subcommands_mut().map(|c| c.render_long_help().to_string()).collect::<String>();
        let mut count = 0;
        for line in (helps + EXAMPLES).lines().filter(|line| line.starts_with("  airfoil ")) {
            Cli::try_parse_from(words_of(line)).unwrap_or_else(|e| panic!("{line}: {e}"));
            count += 1;
        }
        assert!(count > 20, "{count}");
    }

    #[test]
    fn every_command_has_examples() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("airfoil {}", command.get_name())), "{}", command.get_name());
        }
    }
}
