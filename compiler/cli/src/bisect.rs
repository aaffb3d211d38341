//! `airfoil bisect`: finds the faulty pass.

use crate::Failure;
use crate::args::{OrderArgs, ReadArgs};
use crate::batch::{self, Log};
use crate::compile::write;
use crate::load::{load, load_all};
use crate::output::Sink;
use crate::plan::{self, usage};
use crate::report::Console;
use crate::run_passes::Order;
use crate::source::Input;
use airfoil::passes::registry::Registry;
use airfoil_check::{Found, bisect_program, find_in_program};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
The shader is validated, and executed on several inputs, before and after each pass. The first pass
that changes the results, breaks the shader or panics is reported, with the shortest list of passes that
reproduces it. The output is a test of that pass on the shader before it, in the format of `airfoil test`.

Examples:
  airfoil bisect wrong.frag.spv
  airfoil bisect wrong.vert wrong.geom wrong.frag     all stages of a program
  airfoil bisect wrong.foil --passes 'vars_to_ssa, loop(copy_prop, cse, dce)' -o cse.foil
  airfoil bisect wrong.comp -O0 --seeds 50 -o test.foil

Exit status: 0 no faulty pass found, 1 a faulty pass, or the input was rejected.")]
pub struct BisectArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub order: OrderArgs,
    /// Output file of the test [default: the standard output]
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

/// Runs the command.
pub fn run(args: &BisectArgs, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    let inputs = plan::inputs(&args.read)?;
    let order = Order::new(args.order.level, args.order.passes.as_deref(), registry, console)?;
    let runs = args.order.runs();
    let work = |inputs: &Vec<Input>, log: &mut Log| {
        let read = if inputs.len() > 1 { load_all } else { load };
        let loaded = read(inputs, &args.read, log)?;
        let pipeline = &*order.pipeline(&loaded.shaders);
        match bisect_program(&loaded.shaders, pipeline, &runs) {
            Err(faults) => Err(loaded.refuse(log, &faults)),
            Ok(Some(found)) => {
                write(&[(Sink::of(&args.output), found.test().into_bytes())], &loaded, log)?;
                Err(loaded.refuse(log, &[found.diagnostic()]))
            }
            Ok(None) => {
                if let Found::Nothing { compared, warning } =
                    find_in_program(&loaded.shaders, pipeline, &runs)
                {
                    log.diagnostics(warning.as_slice(), &plan::name(inputs), None);
                    if !console.quiet {
                        log.text(&format!("no pass is at fault; {compared} comparisons\n"));
                    }
                }
                Ok(())
            }
        }
    };
    let (tally, _) =
        batch::run(&[inputs], |i| plan::name(i), NonZeroUsize::new(1), console, "are good", work);
    Ok(tally.exit_code())
}

/// The only input of a command.
pub fn one_input(args: &ReadArgs) -> Result<Input, Failure> {
    let mut inputs: Vec<Input> = plan::groups(args, false)?.into_iter().flatten().collect();
    match (inputs.pop(), inputs.is_empty()) {
        (Some(input), true) => Ok(input),
        _ => Err(usage("there are several inputs", "this command takes one shader")),
    }
}
