//! The command line of what looks for faults of passes: `bisect`, `reduce`.

use crate::args::{ReadArgs, level_parser};
use airfoil::OptLevel;
use airfoil_check::{Limits, Runs};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Which passes.
#[derive(Args, Debug)]
pub struct OrderArgs {
    /// The passes to run instead of a preset, such as `dce, loop(copy_prop, cse)`
    #[arg(long, value_name = "PIPELINE", help_heading = "Passes", conflicts_with = "opt_level")]
    pub passes: Option<String>,
    /// The passes of this level
    #[arg(short = 'O', value_parser = level_parser(), value_name = "LEVEL", default_value = "2", id = "opt_level", help_heading = "Passes")]
    pub level: OptLevel,
    /// How many inputs the shader is executed on
    #[arg(long, value_name = "N", default_value_t = Runs::default().seeds, help_heading = "Passes",
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub seeds: u64,
}

impl OrderArgs {
    /// How often the shader is executed.
    pub fn runs(&self) -> Runs {
        Runs { seeds: self.seeds, ..Runs::default() }
    }
}

#[derive(Args, Debug)]
#[command(after_help = "\
The shader is executed before and after each pass on several inputs, and validated. The first pass
that changes what it computes, breaks it or panics is named, with the fewest passes that show it.
A test of that pass on the shader just before it is written, as tests/filetests/passes has them.

Examples:
  airfoil bisect wrong.frag.spv
  airfoil bisect wrong.foil --passes 'vars_to_ssa, loop(copy_prop, cse, dce)' -o cse.foil
  airfoil bisect wrong.comp -O1 --seeds 50 -o test.foil

Exit status: 0 no pass is at fault, 1 one is, or the input is refused.")]
pub struct BisectArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub order: OrderArgs,
    /// Where the test goes [default: the standard output]
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true,
        help_heading = "Output"
    )]
    pub output: PathBuf,
}

#[derive(Args, Debug)]
#[command(after_help = "\
With --check, CMD is run for each smaller shader with the name of its file (.foil) as last argument;
exit status 0 means that the fault is still there, as with llvm-reduce and creduce. CMD is split into
words at blanks; quotes keep blanks. No shell is involved.

Examples:
  airfoil reduce wrong.frag.spv --mismatch -o small.foil
  airfoil reduce wrong.foil --mismatch --passes 'vars_to_ssa, cse' -o small.foil
  airfoil reduce crash.spv --check ./crashes.sh --time 60 -o small.foil
  airfoil reduce slow.foil --check 'python3 slow.py --limit 5'")]
pub struct ReduceArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Keep what makes this command succeed
    #[arg(long, value_name = "CMD", required_unless_present = "mismatch", conflicts_with = "mismatch")]
    pub check: Option<String>,
    /// Keep what makes a pass change the result, break the shader or panic
    #[arg(long)]
    pub mismatch: bool,
    #[command(flatten)]
    pub order: OrderArgs,
    /// Longest time, in seconds [default: none]
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub time: Option<u64>,
    /// Most shaders that are tried
    #[arg(long, value_name = "N", default_value_t = Limits::default().tries, help_heading = "Limits")]
    pub tries: u64,
    /// Longest time of one run of the command, in seconds; it fails then
    #[arg(long, value_name = "SECONDS", default_value_t = 10, help_heading = "Limits")]
    pub timeout: u64,
    /// Where the smaller shader goes [default: the standard output]
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true,
        help_heading = "Output"
    )]
    pub output: PathBuf,
}

impl ReduceArgs {
    /// When to stop.
    pub fn limits(&self) -> Limits {
        Limits { tries: self.tries, time: self.time.map(Duration::from_secs) }
    }
}
