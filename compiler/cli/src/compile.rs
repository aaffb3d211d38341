//! `airfoil compile` and `airfoil link`: shaders to libraries and modules.

use crate::Failure;
use crate::args::{DebugArgs, OptimizeArgs, OutArgs, ReadArgs, TargetArgs};
use crate::batch::{self, Log, Refused};
use crate::cache::{CacheArgs, JobCache};
use crate::ir_file::ir_file;
use crate::kinds::OutputKind;
use crate::load::{Loaded, load_program, rename};
use crate::output::{self, Sink, words};
use crate::plan::{self, Job, Link, Output};
use crate::report::Console;
use crate::run_passes::{Order, PassRun};
use crate::source::Input;
use crate::spirv;
use airfoil::air::bitcode;
use airfoil::air::compile::{Layouts, emit, lower};
use airfoil::air::metallib::SourceFile;
use airfoil::air::plan::{metal_plan, optimize_plan};
use airfoil::air::select::{DebugOptions, Selected};
use airfoil::passes::Pipeline;
use airfoil::passes::manager::{Manager, Statistics};
use airfoil::passes::registry::Registry;
use airfoil::{AirOptions, Captures, Diagnostic, Shader, TransformFeedback};
use clap::Args;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
File types are inferred from the extension; --from and --to override that:
  inputs   .spv .foil, assembly programs of OpenGL: .vp .fp, GLSL: .vert .tesc .tese .geom .frag .comp, .frag.glsl, _frag.glsl
  outputs  .metallib .air .bc .ll .foil .json (reflection), .spv .spvasm

Several GLSL sources or SPIR-V modules without --out-dir are the stages of one program: they are linked, and
the library has a function per stage: vertex_main, fragment_main and so on (entry points of SPIR-V
keep their names if these differ).

Examples:
  airfoil compile fade.frag.spv -o fade.metallib
  airfoil compile fade.frag.spv -o fade.metallib -o fade.json     library and reflection
  airfoil compile fade.frag.spv --target ios17 -o fade.air
  airfoil compile post.spv --entry blur --spec 3=16 --spec 4=true -o blur.metallib
  airfoil compile post.spv --function-constants --spec 4=true -o post.metallib    constant 4 is set, the others become function constants
  airfoil compile fade.frag.spv --bind 0,2=texture:5 --bind push=buffer:0 -o fade.metallib
  airfoil compile noise.spv --function turbulence -o noise.metallib    a visible function
  airfoil compile lit.frag.spv --constant-sampler 0,1=linear,mip_linear,repeat -o lit.metallib
  airfoil compile lit.frag.spv --argument-buffers 0,2 --bind set0=buffer:8 -o lit.metallib
  airfoil compile sea.vert sea.frag --half-z --points no --flip-window -o sea.metallib   OpenGL's conventions
  airfoil compile - --to ll < fade.frag.spv | less
  airfoil compile shaders/*.spv --out-dir build --to metallib,json -j 4
  airfoil compile sea.vert sea.frag -o sea.metallib -o sea.json
  airfoil compile old.frag --std '120' -D SHADOWS -D LIGHTS=4 -o old.metallib
  airfoil compile - --from glsl --stage frag --vulkan --to ll < lit.frag
  airfoil compile sea.vert sea.frag --link --out-dir build        linked, a library per stage
  airfoil compile lit.vert lit.frag --vulkan -o lit.metallib      GLSL for Vulkan
  airfoil compile lit.vert.spv lit.frag.spv -o lit.metallib       stages of SPIR-V
  airfoil compile lit.frag --vulkan --target vulkan1.2 -o lit.spv  SPIR-V
  airfoil compile lit.frag.spv --rename lit_fragment -o lit.air   a name for `airfoil metallib pack`
  airfoil compile shaders/*.spv --out-dir build --cache ~/.cache/airfoil    unchanged inputs are not compiled again")]
pub struct CompileArgs {
    #[command(flatten)]
    pub make: MakeArgs,
    /// The inputs are the stages of one program, GLSL also with --out-dir
    #[arg(long, help_heading = "GLSL")]
    pub link: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The same as `airfoil compile --link`. Several sources of one stage are joined. The reflection
(.json) holds the answers of glGetActiveUniform and related queries, and the Metal index of each resource.

Examples:
  airfoil link sea.vert sea.frag -o sea.metallib
  airfoil link sea.vert sea.frag -o sea.metallib -o sea.json
  airfoil link main.frag noise.frag main.vert --std '330 core' -o lit.metallib
  airfoil link sea.vert sea.frag --out-dir build --to ll     one output for each stage, and program.json")]
pub struct LinkArgs {
    #[command(flatten)]
    pub make: MakeArgs,
}

/// Inputs, options and outputs of a compile.
#[derive(Args, Debug)]
pub struct MakeArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub debug: DebugArgs,
    #[command(flatten)]
    pub out: OutArgs,
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Print the compile plan, all passes in order with their options, instead of compiling
    #[arg(long, help_heading = "Passes", conflicts_with = "plan")]
    pub print_plan: bool,
    /// Run a stored plan instead of the one computed from the options
    #[arg(long, value_name = "FILE", help_heading = "Passes", conflicts_with = "opt_level")]
    pub plan: Option<PathBuf>,
    /// Name of the function in the library [default: the name of the entry point]
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    pub rename: Option<String>,
    /// Output types, for `-`, folders and other names [default: by extension, or metallib]
    #[arg(
        long,
        visible_alias = "emit",
        value_enum,
        value_delimiter = ',',
        value_name = "KIND",
        help_heading = "Output"
    )]
    pub to: Vec<OutputKind>,
}

/// Runs the command.
pub fn run(args: &MakeArgs, link: Link, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    let standard = if args.target.target.is_spirv() { OutputKind::Spv } else { OutputKind::Metallib };
    let jobs = plan::jobs(&args.read, &args.out, &args.to, standard, link)?;
    if spirv::is_wanted(&jobs, &args.target.target)? {
        return spirv::compile(args, &jobs, registry, console);
    }
    let level = args.optimize.level;
    let given = args.plan.as_deref().map(|path| read_plan(path, registry, console)).transpose()?;
    let passes = PassRun::new(&args.optimize, Order::Plan(level), registry)?;
    let (options, state) = (args.target.options(), args.target.state(console)?);
    // If it is unknown, file names are used as given.
    let directory = std::env::current_dir().map(|dir| dir.display().to_string()).unwrap_or_default();
    make_folder(args.out.out_dir.as_ref(), console)?;
    // Debug information describes the variables of the source.
    let read = ReadArgs { keep_locals: args.debug.debug, ..args.read.clone() };
    let of_jobs = ReadArgs { inputs: Vec::new(), ..read.clone() };
    let settings = (&of_jobs, &options, &state, args.target.clip_planes(), level, &args.debug, &args.rename);
    let options_of_key: [&dyn std::fmt::Debug; 2] = [&settings, &args.debug.debug.then_some(&directory)];
    let cache = JobCache::open(&args.cache, &options_of_key, given.as_ref(), console)?;
    let make = |job: &Job, log: &mut Log| {
        let mut loaded = load_program(&job.inputs, &read, log)?;
        if let Some(name) = &args.rename {
            let [shader] = loaded.shaders.as_mut_slice() else {
                let fault =
                    Diagnostic::error("E0012", "`--rename` names one function, but there are several");
                return Err(loaded.refuse(log, &[fault]));
            };
            rename(shader, name);
        }
        if args.debug.debug {
            loaded.shaders.iter_mut().for_each(Shader::keep_names);
        }
        let mut options = options.clone();
        options.debug = args.debug.debug.then(|| DebugOptions {
            directory: directory.clone(),
            file: job.inputs.first().map(Input::name).unwrap_or_default(),
        });
        let captures = match state.transform_feedback {
            TransformFeedback::Declared => {
                loaded.captures(&args.read).map_err(|faults| loaded.refuse(log, &faults))?
            }
            _ => Captures::default(),
        };
        let first_provokes = loaded.first_provokes(args.read.glsl.vulkan);
        let choices = state.plan_options(level, captures, first_provokes, args.target.clip_planes());
        // The IR is written between the two parts of the plan.
        let (first, last) = match &given {
            Some(plan) => (plan.clone(), Pipeline::default()),
            None => (optimize_plan(&loaded.shaders, &choices), metal_plan(&loaded.shaders, &choices)),
        };
        let plan = first.clone().then(last.clone());
        if args.print_plan {
            let text = plan_text(&plan, &loaded);
            return Ok((vec![(Sink::Stdout, text.into_bytes())], Statistics::default()));
        }
        let mut between = Vec::new();
        let run = |shaders: &mut [Shader], manager: &mut Manager<'_>| {
            let _ = manager.run_program(&first, shaders)?;
            if job.outputs.iter().any(|output| output.kind.is_ir()) {
                between = shaders.to_vec();
            }
            lower(shaders, &last, &choices, manager)
        };
        let (layouts, statistics) = passes.run_with(&plan, run, &mut loaded, log)?;
        let files = if args.debug.embed_source { sources_of(&loaded, log) } else { Vec::new() };
        let products = products(&mut loaded, job, layouts, &between, &options, &files, log)?;
        Ok((products, statistics))
    };
    let work = |job: &Job, log: &mut Log| cache.run(job, log, |log| make(job, log));
    let (tally, statistics) = batch::run(&jobs, Job::name, args.out.jobs.jobs, console, "compiled", work);
    passes.report(&statistics, console);
    Ok(tally.exit_code())
}

/// The plan of a file.
pub fn read_plan(path: &Path, registry: &Registry, console: Console) -> Result<Pipeline, Failure> {
    let name = path.display().to_string();
    let failed = |fault, text: Option<&str>| Failure::Reported(1, console.render(&[fault], &name, text));
    let text = fs::read_to_string(path).map_err(|e| {
        failed(Diagnostic::error("E0004", format!("cannot read {name}: {}", words(&e))), None)
    })?;
    Pipeline::parse_with(&text, registry).map_err(|fault| failed(fault, Some(&text)))
}

/// A plan with lines of moderate length; the name of the job is a comment.
fn plan_text(plan: &Pipeline, loaded: &Loaded) -> String {
    let names: Vec<String> = loaded.shaders.iter().map(|s| s.stage.to_string()).collect();
    let mut text = format!("# {}\n", names.join(", "));
    let mut width = 0;
    for step in plan.to_string().split_inclusive(", ") {
        if width > 0 && width + step.trim_end().len() > 100 {
            text.truncate(text.trim_end().len());
            text.push('\n');
            width = 0;
        }
        text.push_str(step);
        width += step.len();
    }
    text.push('\n');
    text
}

/// The sources that the library embeds; warns if the inputs have none.
fn sources_of(loaded: &Loaded, log: &mut Log) -> Vec<SourceFile> {
    let sources = loaded.sources();
    if sources.is_empty() {
        let none = Diagnostic::warning("E0015", "there is no source to embed")
            .help("SPIR-V has it in OpSource, which compilers write with `-g`");
        loaded.tell(log, &[none]);
    }
    sources
}

/// All outputs of a job; the backend runs once for them, or not at all.
fn products(
    loaded: &mut Loaded,
    job: &Job,
    layouts: Layouts,
    between: &[Shader],
    options: &AirOptions,
    files: &[SourceFile],
    log: &mut Log,
) -> Result<Vec<(Sink, Vec<u8>)>, Refused> {
    // A text may have several shaders, which is not known when planning.
    if loaded.program.is_none()
        && loaded.shaders.len() > 1
        && let Some(output) = job.outputs.iter().find(|output| output.kind.is_one_stage())
        && !output.kind.is_ir()
    {
        let ending = output.kind.ending();
        let message =
            format!("a .{ending} file holds one stage, but the input has {} shaders", loaded.shaders.len());
        let fault =
            Diagnostic::error("E0016", message).help("choose one with `--stage STAGE` or `--entry NAME`");
        return Err(loaded.refuse(log, &[fault]));
    }
    let wanted = job.outputs.iter().any(|output| !output.kind.is_ir());
    let selected = if wanted { emit(&loaded.shaders, layouts, options) } else { Ok(Vec::new()) };
    let selected = selected.map_err(|faults| loaded.refuse(log, &faults))?;
    let mut products = Vec::with_capacity(job.outputs.len());
    for output in &job.outputs {
        let bytes = encode(output, &selected, between, loaded, options, files);
        products.push((output.sink.clone(), bytes.map_err(|faults| loaded.refuse(log, &faults))?));
    }
    Ok(products)
}

/// Writes the outputs, or reports why that fails.
pub fn write(products: &[(Sink, Vec<u8>)], loaded: &Loaded, log: &mut Log) -> Result<(), Refused> {
    write_of(products, loaded.name(), log)
}

/// The same for the inputs with this name.
pub fn write_of(products: &[(Sink, Vec<u8>)], inputs: &str, log: &mut Log) -> Result<(), Refused> {
    output::write_all(products).map_err(|(name, e)| {
        let fault = Diagnostic::error("E0005", format!("cannot write {name}: {}", words(&e)));
        log.diagnostics(&[fault], inputs, None);
        Refused
    })
}

/// Makes the folder of `--out-dir`.
pub fn make_folder(dir: Option<&PathBuf>, console: Console) -> Result<(), Failure> {
    let Some(dir) = dir else { return Ok(()) };
    fs::create_dir_all(dir).map_err(|e| {
        let fault = Diagnostic::error("E0005", format!("cannot make the folder: {}", words(&e)));
        Failure::Reported(1, console.render(&[fault], &dir.display().to_string(), None))
    })
}

/// Reflection of assembly programs: the functions, and the contents of the vectors of their uniform blocks.
fn arb_json(selected: &[Selected], loaded: &Loaded) -> String {
    let stages: Vec<String> = selected.iter().map(|s| s.reflection.to_json()).collect();
    let programs =
        loaded.arb.iter().map(|p| json!({ "stage": p.stage.to_string(), "parameters": p.parameters }));
    let programs: Vec<String> = programs.map(|p| p.to_string()).collect();
    format!("{{\"stages\":[{}],\"programs\":[{}]}}\n", stages.join(","), programs.join(","))
}

/// Encodes one output. `selected` holds the module of each shader; it is empty if all outputs are IR.
fn encode(
    output: &Output,
    selected: &[Selected],
    between: &[Shader],
    loaded: &Loaded,
    options: &AirOptions,
    files: &[SourceFile],
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let at = output.stage.and_then(|stage| loaded.shaders.iter().position(|s| s.stage == stage));
    let stages = at.map_or(0..selected.len(), |n| n..n + 1);
    // Kinds that hold one stage are written from the first; planning has checked that it is the only one.
    let one = at.unwrap_or(0);
    Ok(match (output.kind, selected.get(one)) {
        (OutputKind::Metallib, _) => {
            airfoil::air::library::library_with_sources(&selected[stages], options, files)?
        }
        (OutputKind::Json, Some(air)) => match &loaded.program {
            None if !loaded.arb.is_empty() => arb_json(&selected[stages], loaded).into_bytes(),
            None if selected.len() > 1 => {
                let list: Vec<String> = selected.iter().map(|s| s.reflection.to_json()).collect();
                format!("{{\"stages\":[{}]}}\n", list.join(",")).into_bytes()
            }
            None => (air.reflection.to_json() + "\n").into_bytes(),
            Some(program) => {
                let list: Vec<String> = selected[stages].iter().map(|s| s.reflection.to_json()).collect();
                let text = format!("{{\"stages\":[{}],\"program\":{}}}\n", list.join(","), program.to_json());
                text.into_bytes()
            }
        },
        (OutputKind::Air, Some(air)) => bitcode::write_wrapped(&air.module),
        (OutputKind::Bc, Some(air)) => air.to_bitcode(),
        (OutputKind::Ll, Some(air)) => air.to_ll().into_bytes(),
        // Jobs with such outputs are compiled by `spirv`.
        (OutputKind::Foilb, _) => {
            ir_file(output.kind, at.map_or(between, |n| between.get(n..n + 1).unwrap_or_default()))?
        }
        (OutputKind::Foil | OutputKind::Spv | OutputKind::Spvasm, _) | (_, None) => {
            let shaders = if loaded.program.is_some() { &between[one..one + 1] } else { between };
            ir_file(OutputKind::Foil, shaders)?
        }
    })
}
