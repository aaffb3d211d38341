//! The `airfoil` command with the pass of this crate.

use airfoil_cli::Command;
use airfoil_passes::registry::Entry;
use std::process::ExitCode;

use add_zero_pass::add_zero::AddZero;

fn main() -> ExitCode {
    let pass = Entry::plain::<AddZero>();
    let command = Command::new().group("Own", "Passes of this crate.");
    command.pass(pass).run()
}
