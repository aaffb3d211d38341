//! `airfoil-conformance`: runs a suite over a folder of test data.

use airfoil_tests::cli;
use airfoil_tests::suites::airfoil_build;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(&airfoil_build::open)
}
