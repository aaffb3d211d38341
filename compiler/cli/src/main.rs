//! The `airfoil` command with the built-in passes.

use std::process::ExitCode;

fn main() -> ExitCode {
    airfoil_cli::Command::new().run()
}
