//! SPIR-V as output of `airfoil compile`, `link` and `opt`.

use crate::Failure;
use crate::any_target::AnyTarget;
use crate::args::ReadArgs;
use crate::batch::{self, Log, Refused};
use crate::cache::JobCache;
use crate::compile::{MakeArgs, make_folder, read_plan};
use crate::ir_file::ir_file;
use crate::kinds::OutputKind;
use crate::load::{Loaded, load_all, rename};
use crate::output::Sink;
use crate::plan::{Job, Output, usage};
use crate::report::Console;
use crate::run_passes::{Order, PassRun};
use crate::source::Input;
use airfoil::passes::Pipeline;
use airfoil::passes::registry::Registry;
use airfoil::spirv_out::{self, Target as SpirvTarget};
use airfoil::{Diagnostic, Form, OptLevel, Shader, SpirvOptions};
use std::process::ExitCode;

/// The target of SPIR-V: the requested one, or else that of the sources.
pub fn target_of(target: AnyTarget, inputs: &[Input], read: &ReadArgs) -> SpirvTarget {
    match target {
        AnyTarget::Spirv(target) => target,
        AnyTarget::Metal(_) if inputs.iter().all(Input::is_glsl) && !read.glsl.vulkan => {
            SpirvTarget::OPENGL_4_5
        }
        AnyTarget::Metal(_) => SpirvTarget::default(),
    }
}

/// Whether jobs write SPIR-V; it cannot be mixed with the outputs of Metal.
pub fn is_wanted(jobs: &[Job], target: &AnyTarget) -> Result<bool, Failure> {
    let outputs = || jobs.iter().flat_map(|job| &job.outputs);
    let wanted = outputs().any(|output| output.kind.is_spirv()) || target.is_spirv();
    let other = outputs().find(|o| !o.kind.is_spirv() && !o.kind.is_ir() && o.stage.is_none());
    match other {
        // The reflection of a GLSL program does not depend on the target.
        Some(output) if wanted && output.kind != OutputKind::Json => Err(usage(
            format!("a .{} file and SPIR-V are compiled for different targets", output.kind.ending()),
            "write them by two commands",
        )),
        _ => Ok(wanted),
    }
}

/// The passes of a level: those that keep form `variables`.
pub fn order(level: OptLevel) -> Order {
    let text = match level {
        OptLevel::O0 => "",
        OptLevel::O2 => "spirv",
    };
    Order::Given(Pipeline::parse(text).unwrap_or_default())
}

/// Compiles jobs to SPIR-V.
pub fn compile(
    args: &MakeArgs,
    jobs: &[Job],
    registry: &Registry,
    console: Console,
) -> Result<ExitCode, Failure> {
    let given = args.plan.as_deref().map(|path| read_plan(path, registry, console)).transpose()?;
    let order = given.clone().map_or_else(|| order(args.optimize.level), Order::Given);
    let passes = PassRun::new(&args.optimize, order, registry)?;
    let read = ReadArgs { function_constants: true, workgroup_constants: true, ..args.read.clone() };
    make_folder(args.out.out_dir.as_ref(), console)?;
    let of_jobs = ReadArgs { inputs: Vec::new(), ..read.clone() };
    let settings = (&of_jobs, args.target.target, args.target.strip_names, args.optimize.level, &args.rename);
    let cache = JobCache::open(&args.cache, &[&"spirv", &settings], given.as_ref(), console)?;
    let make = |job: &Job, log: &mut Log| {
        let glsl = job.inputs.iter().all(Input::is_glsl);
        let mut loaded = load_all(&job.inputs, &read, log)?;
        if let Some(name) = &args.rename {
            let [shader] = loaded.shaders.as_mut_slice() else {
                let fault =
                    Diagnostic::error("E0012", "`--rename` names one function, but there are several");
                return Err(loaded.refuse(log, &[fault]));
            };
            rename(shader, name);
        } else if glsl {
            // Entry points of several stages can have one name in SPIR-V.
            loaded.shaders.iter_mut().for_each(|shader| rename(shader, "main"));
        }
        let captures = loaded.captures(&args.read).map_err(|faults| loaded.refuse(log, &faults))?;
        let statistics = passes.run(&mut loaded, log)?;
        let options = SpirvOptions {
            captures,
            target: target_of(args.target.target, &job.inputs, &args.read),
            strip_names: args.target.strip_names,
            ..SpirvOptions::default()
        };
        Ok((products(&loaded, &job.outputs, &options, log)?, statistics))
    };
    let work = |job: &Job, log: &mut Log| cache.run(job, log, |log| make(job, log));
    let (tally, statistics) = batch::run(jobs, Job::name, args.out.jobs.jobs, console, "compiled", work);
    passes.report(&statistics, console);
    Ok(tally.exit_code())
}

/// All outputs of a job.
pub fn products(
    loaded: &Loaded,
    outputs: &[Output],
    options: &SpirvOptions,
    log: &mut Log,
) -> Result<Vec<(Sink, Vec<u8>)>, Refused> {
    let mut products = Vec::with_capacity(outputs.len());
    for output in outputs {
        let of_stage = |s: &&Shader| output.stage.is_none_or(|stage| stage == s.stage);
        let shaders: Vec<Shader> = loaded.shaders.iter().filter(of_stage).cloned().collect();
        let bytes = match output.kind {
            OutputKind::Foil | OutputKind::Foilb => ir_file(output.kind, &shaders),
            OutputKind::Json => Ok(reflection(loaded, &shaders)),
            _ => module(&shaders, options, output.kind == OutputKind::Spvasm),
        };
        products.push((output.sink.clone(), bytes.map_err(|faults| loaded.refuse(log, &faults))?));
    }
    Ok(products)
}

/// The reflection of shaders and of the GLSL program that they are linked to.
fn reflection(loaded: &Loaded, shaders: &[Shader]) -> Vec<u8> {
    let stages: Vec<String> = shaders.iter().map(|s| spirv_out::Reflection::new(s).to_json()).collect();
    let text = match (&loaded.program, stages.as_slice()) {
        (None, [one]) => one.clone(),
        (None, stages) => format!("{{\"stages\":[{}]}}", stages.join(",")),
        (Some(program), stages) => {
            format!("{{\"stages\":[{}],\"program\":{}}}", stages.join(","), program.to_json())
        }
    };
    (text + "\n").into_bytes()
}

/// A module as bytes or as text.
fn module(shaders: &[Shader], options: &SpirvOptions, text: bool) -> Result<Vec<u8>, Vec<Diagnostic>> {
    if let Some(shader) = shaders.iter().find(|s| s.form != Form::Variables) {
        let message = format!("SPIR-V is written from form `variables`, found form `{}`", shader.form);
        let help = "choose passes that keep the form, such as the preset `spirv`";
        return Err(vec![Diagnostic::error("E0520", message).help(help)]);
    }
    let words = spirv_out::write_module(shaders, options)?;
    if text {
        return airfoil_spirv_asm::disassemble(&words, false).map(String::into_bytes);
    }
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}
