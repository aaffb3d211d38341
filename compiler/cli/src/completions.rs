//! `airfoil completions`: completion scripts for shells.

use crate::Failure;
use crate::output;
use clap::Args;
use clap_complete::Shell;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil completions bash > ~/.local/share/bash-completion/completions/airfoil
  airfoil completions zsh > ~/.zfunc/_airfoil
  airfoil completions fish > ~/.config/fish/completions/airfoil.fish")]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: Shell,
}

/// Runs the command; `command` is the whole command line.
pub fn run(args: &CompletionsArgs, mut command: clap::Command) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "airfoil", &mut text);
    match output::print(&text) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(e) => Err(Failure::Reported(1, format!("error: cannot print: {}\n", output::words(&e)))),
    }
}
