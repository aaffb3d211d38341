//! The command line of what looks into libraries and modules: `metallib`, `inspect`, `dis`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  airfoil metallib fade.metallib
  airfoil metallib --extract out fade.metallib     each function's module as out/NAME.air
  airfoil metallib fade.air
  airfoil metallib pack a.air b.air -o ab.metallib
  airfoil metallib extract ab.metallib --out-dir parts
  airfoil metallib verify ab.metallib
  airfoil metallib diff old.metallib new.metallib

Exit status 1: the file cannot be read, a check of it (hashes, sizes, ranges) fails, or files differ."
)]
pub struct MetallibArgs {
    /// A .metallib (or an archive of several), .air or .bc file; - is the standard input
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,
    /// Write the module of each function to this folder
    #[arg(long, value_name = "DIR")]
    pub extract: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<MetallibCommand>,
}

#[derive(Debug, Subcommand)]
pub enum MetallibCommand {
    /// Show what is in a library, as without a command
    Show {
        /// A .metallib (or an archive of several), .air or .bc file; - is the standard input
        file: PathBuf,
    },
    /// Check hashes, sizes and ranges, and read every module
    Verify {
        /// A .metallib, .air or .bc file
        file: PathBuf,
    },
    /// Write the module of each function to a folder
    Extract {
        /// A .metallib file
        file: PathBuf,
        /// The folder, which is made if it is not there
        #[arg(long, value_name = "DIR", default_value = ".")]
        out_dir: PathBuf,
    },
    /// Put modules together to a library
    Pack(PackArgs),
    /// Compare two files function by function; exit status 1 if they differ
    Diff(DiffArgs),
}

#[derive(Args, Debug)]
pub struct PackArgs {
    /// .air or .bc files
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// The library to write, `-` for the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The old .metallib, .air or .bc file
    pub left: PathBuf,
    /// The new one
    pub right: PathBuf,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil inspect fade.metallib
  airfoil inspect fade.air --json | jq '.modules[].functions[].inputs'")]
pub struct InspectArgs {
    /// A .metallib (or an archive of several), .air or .bc file; - is the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil dis fade.metallib
  airfoil dis fade.metallib --function main_0
  airfoil dis fade.air | less")]
pub struct DisArgs {
    /// A .metallib (or an archive of several), .air or .bc file; - is the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Only this function's module
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
}
