//! `airfoil opt`: passes over shaders, IR in and out.

use crate::args::OptArgs;
use crate::batch::{self, Log};
use crate::compile::{make_folder, write};
use crate::kinds::{OutputKind, output_kind};
use crate::load::load;
use crate::plan::{self, Job, Link, Output};
use crate::report::Console;
use crate::run_passes::PassRun;
use crate::{Failure, plan::usage};
use std::process::ExitCode;

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
    let passes = PassRun::new(&args.optimize, args.passes.as_deref(), console)?;
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
