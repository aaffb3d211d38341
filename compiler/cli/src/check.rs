//! `airfoil check`: are these shaders valid, and can they be compiled?

use crate::Failure;
use crate::args::{JobArgs, ReadArgs, TargetArgs};
use crate::batch::{self, Log};
use crate::load::load_all;
use crate::plan;
use crate::report::Console;
use crate::source::Input;
use airfoil::{CompileOptions, Compiler};
use clap::Args;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil check fade.frag.spv
  airfoil check shaders/*.spv --target ios17 -j 4
  airfoil check fade.foil --message-format json     for editors
  airfoil check shaders/*.vert shaders/*.frag       each on its own
  airfoil check sea.vert sea.frag --link            as one program
  airfoil check sea.frag --message-format gl        the info log of an OpenGL driver")]
pub struct CheckArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    /// The inputs are the GLSL stages of one program
    #[arg(long, help_heading = "GLSL")]
    pub link: bool,
    /// Only read and validate: do not try to compile
    #[arg(long)]
    pub no_compile: bool,
    #[command(flatten)]
    pub jobs: JobArgs,
}

/// Runs the command.
pub fn run(args: &CheckArgs, console: Console) -> Result<ExitCode, Failure> {
    let jobs = plan::groups(&args.read, args.link)?;
    let options = CompileOptions::default()
        .air(args.target.options())
        .state(args.target.state(console)?)
        .clip_planes(args.target.clip_planes());
    let compiler = Compiler::new(options);
    let work = |inputs: &Vec<Input>, log: &mut Log| {
        let mut loaded = load_all(inputs, &args.read, log)?;
        loaded.each(log, |shader| {
            airfoil::steps::validate(shader)?;
            if !args.no_compile {
                let _ = compiler.compile(std::slice::from_mut(shader))?;
            }
            Ok(())
        })
    };
    let name = |inputs: &Vec<Input>| plan::name(inputs);
    let (tally, _) = batch::run(&jobs, name, args.jobs.jobs, console, "are good", work);
    Ok(tally.exit_code())
}
