//! `airfoil opt`: passes over shaders; IR or SPIR-V in and out.

use crate::any_target::AnyTarget;
use crate::args::{OptimizeArgs, OutArgs, ReadArgs};
use crate::batch::{self, Log};
use crate::compile::{make_folder, write};
use crate::ir_file::ir_file;
use crate::kinds::{OutputKind, output_kind};
use crate::load::{load, load_all, rename};
use crate::plan::{self, Job, Link, Output};
use crate::report::Console;
use crate::run_passes::{Order, PassRun};
use crate::spirv;
use crate::{Failure, plan::usage};
use airfoil::passes::registry::Registry;
use airfoil::{Captures, Diagnostic, SpirvOptions};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
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
  airfoil opt shaders/*.spv --out-dir ir -j 4
  airfoil opt fade.frag.spv -O2 -o fast.frag.spv             SPIR-V to SPIR-V
  airfoil opt fade.foil --passes dce --to spvasm")]
pub struct OptArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// The passes to run instead of a preset, such as `dce, loop(copy_prop, cse)`
    #[arg(long, value_name = "PIPELINE", help_heading = "Passes", conflicts_with = "opt_level")]
    pub passes: Option<String>,
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    /// API of SPIR-V outputs: vulkan1.0 to vulkan1.3, opengl4.5, opengl4.6
    #[arg(long, value_name = "TARGET", help_heading = "Target")]
    pub target: Option<AnyTarget>,
    #[command(flatten)]
    pub out: OutArgs,
    /// Output types, for `-`, folders and other names [default: by extension, or foil]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND", help_heading = "Output")]
    pub to: Vec<OptKind>,
}

/// Type of an output of `airfoil opt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OptKind {
    /// Text form of the IR
    Foil,
    /// Binary form of the IR
    Foilb,
    /// SPIR-V module
    Spv,
    /// SPIR-V assembly in the form of spirv-dis
    Spvasm,
}

impl OptKind {
    /// The type of the file.
    pub fn output(self) -> OutputKind {
        match self {
            OptKind::Foil => OutputKind::Foil,
            OptKind::Foilb => OutputKind::Foilb,
            OptKind::Spv => OutputKind::Spv,
            OptKind::Spvasm => OutputKind::Spvasm,
        }
    }
}

/// Runs the command.
pub fn run(args: &OptArgs, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    for path in &args.out.output {
        if let Ok(kind) = output_kind(path)
            && !kind.is_ir()
            && !kind.is_spirv()
        {
            let fault =
                format!("`{}`: `airfoil opt` writes only .foil, .foilb, .spv and .spvasm", path.display());
            return Err(usage(fault, "`airfoil compile` writes the others"));
        }
    }
    let kind = |path: &PathBuf| output_kind(path).unwrap_or(OutputKind::Foil);
    let kinds: Vec<OutputKind> = args.out.output.iter().map(kind).collect();
    let kinds = if args.to.is_empty() { kinds } else { args.to.iter().map(|kind| kind.output()).collect() };
    let jobs = plan::jobs(&args.read, &args.out, &kinds, OutputKind::Foil, Link::Never)?;
    let spirv = jobs.iter().flat_map(|job| &job.outputs).any(|output| output.kind.is_spirv());
    // Open constants stay open from SPIR-V to SPIR-V.
    let function_constants = args.read.function_constants || spirv;
    let read = ReadArgs { function_constants, workgroup_constants: spirv, ..args.read.clone() };
    let order = match args.passes.as_deref() {
        None if spirv => spirv::order(args.optimize.level),
        None => Order::Preset(args.optimize.level),
        text => Order::new(args.optimize.level, text, registry, console)?,
    };
    let passes = PassRun::new(&args.optimize, order, registry)?;
    make_folder(args.out.out_dir.as_ref(), console)?;
    let work = |job: &Job, log: &mut Log| {
        let read = &read;
        let load = if spirv { load_all } else { load };
        let mut loaded = load(&job.inputs, read, log)?;
        let captures = match spirv {
            true => loaded.captures(read).map_err(|faults| loaded.refuse(log, &faults))?,
            false => Captures::default(),
        };
        let statistics = passes.run(&mut loaded, log)?;
        if spirv {
            if loaded.program.is_some() {
                loaded.shaders.iter_mut().for_each(|shader| rename(shader, "main"));
            }
            let target = spirv::target_of(args.target.unwrap_or_default(), &job.inputs, &args.read);
            let options = SpirvOptions { target, captures, ..SpirvOptions::default() };
            let products = spirv::products(&loaded, &job.outputs, &options, log)?;
            return write(&products, &loaded, log).map(|()| statistics);
        }
        let product = |output: &Output| {
            let bytes = ir_file(output.kind, &loaded.shaders)?;
            Ok::<_, Vec<Diagnostic>>((output.sink.clone(), bytes))
        };
        let products: Result<Vec<_>, _> = job.outputs.iter().map(product).collect();
        let products = products.map_err(|faults| loaded.refuse(log, &faults))?;
        write(&products, &loaded, log).map(|()| statistics)
    };
    let (tally, statistics) = batch::run(&jobs, Job::name, args.out.jobs.jobs, console, "optimised", work);
    passes.report(&statistics, console);
    Ok(tally.exit_code())
}
