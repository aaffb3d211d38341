//! `airfoil compile`: shaders to what Metal loads.

use crate::Failure;
use crate::args::CompileArgs;
use crate::batch::{self, Log, Refused};
use crate::kinds::OutputKind;
use crate::load::{Loaded, load};
use crate::output::{self, Sink, words};
use crate::plan::{self, Job};
use crate::report::Console;
use crate::run_passes::PassRun;
use airfoil::air::bitcode;
use airfoil::air::select::{Selected, select};
use airfoil::{AirOptions, Diagnostic};
use std::fs;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &CompileArgs, console: Console) -> Result<ExitCode, Failure> {
    let jobs = plan::jobs(&args.read, &args.out, &args.to, OutputKind::Metallib)?;
    let passes = PassRun::new(&args.optimize, None, console)?;
    let options = args.target.options();
    make_folder(args.out.out_dir.as_ref(), console)?;
    let work = |job: &Job, log: &mut Log| {
        let mut loaded = load(&job.input, &args.read, log)?;
        let statistics = passes.run(&mut loaded, log)?;
        let products = products(&loaded, job, &options, log)?;
        write(&products, &loaded, log).map(|()| statistics)
    };
    let (tally, statistics) =
        batch::run(&jobs, |job| job.input.name(), args.out.jobs.jobs, console, "compiled", work);
    passes.report(&statistics, console);
    Ok(tally.exit_code())
}

/// All outputs of one input; the backend runs once for them, or not at all.
fn products(
    loaded: &Loaded,
    job: &Job,
    options: &AirOptions,
    log: &mut Log,
) -> Result<Vec<(Sink, Vec<u8>)>, Refused> {
    let mut selected = None;
    let mut products = Vec::with_capacity(job.outputs.len());
    for (kind, sink) in &job.outputs {
        let bytes = encode(*kind, &mut selected, loaded, options);
        products.push((sink.clone(), bytes.map_err(|faults| loaded.refuse(log, &faults))?));
    }
    Ok(products)
}

/// Writes what was made, or says why not.
pub fn write(products: &[(Sink, Vec<u8>)], loaded: &Loaded, log: &mut Log) -> Result<(), Refused> {
    let fail = |log: &mut Log, name: &str, e: &std::io::Error| {
        loaded.refuse(log, &[Diagnostic::error("E0005", format!("cannot write {name}: {}", words(e)))])
    };
    output::write_all(products).map_err(|(name, e)| fail(log, &name, &e))
}

/// Makes the folder of `--out-dir`.
pub fn make_folder(dir: Option<&std::path::PathBuf>, console: Console) -> Result<(), Failure> {
    let Some(dir) = dir else { return Ok(()) };
    fs::create_dir_all(dir).map_err(|e| {
        let fault = Diagnostic::error("E0005", format!("cannot make the folder: {}", words(&e)));
        Failure::Reported(1, console.render(&[fault], &dir.display().to_string(), None))
    })
}

/// One output. `slot` keeps what the backend selected, so that it runs only once.
fn encode(
    kind: OutputKind,
    slot: &mut Option<Selected>,
    loaded: &Loaded,
    options: &AirOptions,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    if kind != OutputKind::Foil && slot.is_none() {
        *slot = Some(select(&loaded.shader, options)?);
    }
    Ok(match (kind, slot) {
        (OutputKind::Metallib, Some(air)) => air.to_metallib(options)?,
        (OutputKind::Air, Some(air)) => bitcode::write_wrapped(&air.module),
        (OutputKind::Bc, Some(air)) => air.to_bitcode(),
        (OutputKind::Ll, Some(air)) => air.to_ll().into_bytes(),
        (OutputKind::Json, Some(air)) => (air.reflection.to_json() + "\n").into_bytes(),
        (OutputKind::Foil, _) | (_, None) => airfoil::ir::text::print(&loaded.shader).into_bytes(),
    })
}
