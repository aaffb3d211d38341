//! `airfoil opt`: passes over shaders, IR in and out.

use crate::args::{OptimizeArgs, OutArgs, ReadArgs};
use crate::batch::{self, Log};
use crate::compile::{make_folder, write};
use crate::kinds::{OutputKind, output_kind};
use crate::load::load;
use crate::plan::{self, Job, Link, Output};
use crate::report::Console;
use crate::run_passes::{Order, PassRun};
use crate::{Failure, plan::usage};
use clap::Args;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil opt fade.foil                                      the order of -O2
  airfoil opt fade.foil --passes 'vars_to_ssa, loop(copy_prop, cse, dce)'
  airfoil opt fade.frag.spv -O2 --time-passes --stats -o fade.foil
  airfoil opt fade.foil --print-after all --stop-after 5     the effect of the first five passes
  airfoil opt fade.foil --passes dce --validate-each
  airfoil opt fade.foil --check-each                         the results must not change
  airfoil opt lit.frag -O0                                   a GLSL source as IR
  airfoil opt shaders/*.spv --out-dir ir -j 4")]
pub struct OptArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// The passes to run instead of a preset, such as `dce, loop(copy_prop, cse)`
    #[arg(long, value_name = "PIPELINE", help_heading = "Passes", conflicts_with = "opt_level")]
    pub passes: Option<String>,
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    #[command(flatten)]
    pub out: OutArgs,
}

/// Runs the command.
pub fn run(args: &OptArgs, console: Console) -> Result<ExitCode, Failure> {
    for path in &args.out.output {
        if let Ok(kind) = output_kind(path)
            && kind != OutputKind::Foil
        {
            let fault = format!("`{}`: `airfoil opt` writes only .foil", path.display());
            return Err(usage(fault, "`airfoil compile` writes the others"));
        }
    }
    let kinds = vec![OutputKind::Foil; args.out.output.len()];
    let jobs = plan::jobs(&args.read, &args.out, &kinds, OutputKind::Foil, Link::Never)?;
    let order = match args.passes.as_deref() {
        None => Order::Preset(args.optimize.level),
        text => Order::new(args.optimize.level, text, console)?,
    };
    let passes = PassRun::new(&args.optimize, order)?;
    make_folder(args.out.out_dir.as_ref(), console)?;
    let work = |job: &Job, log: &mut Log| {
        let mut loaded = load(&job.inputs, &args.read, log)?;
        let statistics = passes.run(&mut loaded, log)?;
        let text: String = loaded.shaders.iter().map(airfoil::ir::text::print).collect();
        let product = |output: &Output| (output.sink.clone(), text.clone().into_bytes());
        let products: Vec<_> = job.outputs.iter().map(product).collect();
        write(&products, &loaded, log).map(|()| statistics)
    };
    let (tally, statistics) = batch::run(&jobs, Job::name, args.out.jobs.jobs, console, "optimised", work);
    passes.report(&statistics, console);
    Ok(tally.exit_code())
}
