//! `airfoil bisect`: which pass is at fault?

use crate::Failure;
use crate::args::ReadArgs;
use crate::batch::{self, Log};
use crate::checking_args::BisectArgs;
use crate::compile::write;
use crate::load::load;
use crate::output::Sink;
use crate::plan::{self, usage};
use crate::report::Console;
use crate::run_passes::Order;
use crate::source::Input;
use airfoil_check::{Found, bisect, find};
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &BisectArgs, console: Console) -> Result<ExitCode, Failure> {
    let input = one_input(&args.read)?;
    let order = Order::new(args.order.level, args.order.passes.as_deref(), console)?;
    let runs = args.order.runs();
    let work = |input: &Input, log: &mut Log| {
        let loaded = load(std::slice::from_ref(input), &args.read, log)?;
        let shader = &loaded.shaders[0];
        let pipeline = order.pipeline(shader.form);
        match bisect(shader, pipeline, &runs) {
            Err(faults) => Err(loaded.refuse(log, &faults)),
            Ok(Some(found)) => {
                write(&[(Sink::of(&args.output), found.test().into_bytes())], &loaded, log)?;
                Err(loaded.refuse(log, &[found.diagnostic()]))
            }
            Ok(None) => {
                if let Found::Nothing { compared, warning } = find(shader, pipeline, &runs) {
                    log.diagnostics(warning.as_slice(), &input.name(), None);
                    if !console.quiet {
                        log.text(&format!("no pass is at fault; {compared} comparisons\n"));
                    }
                }
                Ok(())
            }
        }
    };
    let (tally, _) = batch::run(&[input], Input::name, NonZeroUsize::new(1), console, "are good", work);
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
