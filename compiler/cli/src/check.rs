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
    let jobs = plan::groups(&args.read, args.link)?;
    let options = CompileOptions { air: args.target.options(), ..CompileOptions::default() };
    let compiler = Compiler::new(options);
    let work = |inputs: &Vec<Input>, log: &mut Log| {
        let mut loaded = load(inputs, &args.read, log)?;
        loaded.each(log, |shader| {
            airfoil::validate(shader)?;
            if args.no_compile { Ok(()) } else { compiler.compile(shader).map(drop) }
        })
    };
    let name = |inputs: &Vec<Input>| plan::name(inputs);
    let (tally, _) = batch::run(&jobs, name, args.jobs.jobs, console, "are good", work);
    Ok(tally.exit_code())
}
