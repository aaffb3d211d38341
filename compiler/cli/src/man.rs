//! `airfoil man`: manual pages.

use crate::Failure;
use crate::output::{self, words};
use clap::Args;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil man > airfoil.1
  airfoil man --out-dir ~/.local/share/man/man1      a page for each command")]
pub struct ManArgs {
    /// Write the pages of all commands to this folder [default: print the page of `airfoil`]
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,
}

/// Runs the command; `command` is the whole command line.
pub fn run(args: &ManArgs, command: clap::Command) -> Result<ExitCode, Failure> {
    let result = match &args.out_dir {
        Some(folder) => fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder)),
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page).and_then(|()| output::print(&page))
        }
    };
    result
        .map(|()| ExitCode::SUCCESS)
        .map_err(|e| Failure::Reported(1, format!("error: cannot write the manual pages: {}\n", words(&e))))
}
