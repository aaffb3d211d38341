//! `airfoil check`: are these shaders valid, and can they be compiled?

use crate::Failure;
use crate::args::CheckArgs;
use crate::batch::{self, Log};
use crate::load::load;
use crate::plan;
use crate::report::Console;
use crate::source::Input;
use airfoil::{CompileOptions, Compiler};
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &CheckArgs, console: Console) -> Result<ExitCode, Failure> {
    let inputs = plan::inputs(&args.read)?;
    let options = CompileOptions { air: args.target.options(), ..CompileOptions::default() };
    let compiler = Compiler::new(options);
    let work = |input: &Input, log: &mut Log| {
        let mut loaded = load(input, &args.read, log)?;
        airfoil::validate(&loaded.shader).map_err(|faults| loaded.refuse(log, &faults))?;
        if !args.no_compile {
            compiler.compile(&mut loaded.shader).map_err(|faults| loaded.refuse(log, &faults))?;
        }
        Ok(())
    };
    let (tally, _) = batch::run(&inputs, Input::name, args.jobs.jobs, console, "are good", work);
    Ok(tally.exit_code())
}
