//! `airfoil run`: executes shaders on inputs of the user.
//!
//! * `args.rs`: the command line. `given.rs`, `indirect.rs`, `output_state.rs`: its values and the file of inputs.
//! * `interface.rs`: the resources of shaders; `world.rs`: their contents; `numbers.rs`, `textures.rs`, `png_file.rs`:
//!   the forms of these contents.
//! * `draw.rs`, `attributes.rs`, `capture.rs`: drawing. `vulkan.rs`: execution by a Vulkan driver. `trace.rs`, `profile.rs`, `faults.rs`: traces, counts and errors.

mod args;
mod attributes;
mod builtin;
mod capture;
mod draw;
mod faults;
mod given;
mod indirect;
mod interface;
mod numbers;
mod output_state;
mod png_file;
mod profile;
mod textures;
mod trace;
mod vulkan;
mod world;

pub use args::RunArgs;

use crate::Failure;
use crate::args::ReadArgs;
use crate::batch::{self, Log, Refused};
use crate::compile::write;
use crate::load::{Loaded, load_all};
use crate::output::{Sink, stdout_is_terminal};
use crate::plan::{self, usage};
use crate::report::{Console, MessageFormat};
use crate::run_passes::{Order, PassRun};
use crate::source::Input;
use crate::spirv;
use airfoil::passes::registry::Registry;
use airfoil::{Diagnostic, OptLevel, Stage};
use airfoil_interp::Program;
use airfoil_interp::pipeline::MAX_SAMPLES;
use args::{Api, Engine};
use given::{Document, Plane};
use indirect::Indirect;
use std::path::Path;
use std::process::ExitCode;
use std::sync::PoisonError;
use std::time::Instant;
use world::World;

/// Elements of arrays of open length that a seed fills for a draw.
const OPEN_ELEMENTS: u64 = 16;

/// Most samples of an image, all pixels together.
const MOST_PIXEL_SAMPLES: u64 = 1 << 28;

/// Runs the command.
pub fn run(args: &RunArgs, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    let inputs = plan::inputs(&args.read)?;
    check(args)?;
    let passes = match (&args.passes, args.level) {
        // AIR is generated from the form that backends take.
        (None, None) if args.engine != Engine::Air => None,
        // A driver takes the form that SPIR-V is written from.
        (None, Some(level)) if args.engine == Engine::Vulkan => Some(PassRun::plain(spirv::order(level))),
        (text, level) => {
            let level = level.unwrap_or(OptLevel::O0);
            Some(PassRun::plain(match text {
                None => Order::Optimize(level),
                text => Order::new(level, text.as_deref(), registry, console)?,
            }))
        }
    };
    let work = |inputs: &Vec<Input>, log: &mut Log| execute(inputs, args, passes.as_ref(), log);
    let (tally, _) = batch::run(&[inputs], |i| plan::name(i), None, console, "run", work);
    Ok(tally.exit_code())
}

/// Errors that can be reported before anything is read.
fn check(args: &RunArgs) -> Result<(), Failure> {
    let paths = args.output.iter().map(|o| o.path.as_path());
    let mut all: Vec<&Path> = paths.chain(args.out.iter().map(|o| Path::new(&o.text))).collect();
    if args.output.iter().any(|o| o.path.as_os_str() == "-") && stdout_is_terminal() {
        return Err(usage(
            "a PNG file is binary; it is not written to a terminal",
            "name a file with `-o FILE.png`",
        ));
    }
    all.sort();
    if let Some(pair) = all.windows(2).find(|pair| pair[0] == pair[1]) {
        let fault = format!("the output `{}` is named twice", pair[0].display());
        return Err(usage(fault, "each needs a name of its own"));
    }
    if args.engine == Engine::Air && args.trace.is_some() {
        return Err(usage("AIR is not traced", "leave --trace or --engine air out"));
    }
    if args.engine == Engine::Air && args.profile.is_some() {
        return Err(usage("AIR is not profiled", "leave --profile or --engine air out"));
    }
    if args.engine == Engine::Vulkan {
        vulkan::check(args)?;
    } else if args.device.is_some() {
        return Err(usage("`--device` requires `--engine vulkan`", "omit it or name the engine"));
    }
    for (option, color) in [("clear", &args.clear), ("blend-constant", &args.blend_constant)] {
        if color.len() > 4 {
            return Err(usage("a colour has four components at most", &format!("say `--{option} R,G,B,A`")));
        }
    }
    if !args.samples.is_power_of_two() || args.samples > MAX_SAMPLES {
        return Err(usage(format!("a pixel has no {} samples", args.samples), "1, 2, 4, 8 or 16"));
    }
    let samples = u64::from(args.size.0) * u64::from(args.size.1) * u64::from(args.samples);
    if samples > MOST_PIXEL_SAMPLES {
        let fault = format!("an image of {samples} samples is too large");
        return Err(usage(
            fault,
            &format!("{MOST_PIXEL_SAMPLES} are possible: choose a smaller --size, or fewer --samples"),
        ));
    }
    Ok(())
}

fn execute(inputs: &[Input], args: &RunArgs, passes: Option<&PassRun>, log: &mut Log) -> Result<(), Refused> {
    // A trace shows the variables of the source.
    let read = ReadArgs { keep_locals: args.trace.is_some(), ..args.read.clone() };
    let mut loaded = load_all(inputs, &read, log)?;
    for shader in &loaded.shaders {
        // Only valid shaders are executed.
        if let Err(faults) = airfoil::steps::validate(shader) {
            return Err(loaded.refuse(log, &faults));
        }
    }
    let refuse = |loaded: &Loaded, log: &mut Log, fault| loaded.refuse(log, &[fault]);
    let compute = match loaded.shaders.as_slice() {
        [shader] if shader.stage == Stage::Compute => true,
        shaders => {
            match shaders.iter().find(|s| matches!(s.stage, Stage::Compute | Stage::Task | Stage::Mesh)) {
                None => false,
                Some(other) => {
                    let what = format!("a {} shader cannot be run with others or to draw", other.stage);
                    return Err(refuse(&loaded, log, Diagnostic::error("E0042", what)));
                }
            }
        }
    };
    let document = Document::read(args.document.as_deref()).map_err(|f| refuse(&loaded, log, f))?;
    let system = builtin::system(&args.builtin).map_err(|f| refuse(&loaded, log, f))?;
    let indirect = args.indirect.as_deref().map(Indirect::read).transpose();
    let indirect = indirect.map_err(|f| refuse(&loaded, log, f))?;
    let groups = match &indirect {
        Some(numbers) if compute => numbers.groups().map_err(|f| refuse(&loaded, log, f))?,
        _ => args.groups.0,
    };
    let mut warnings = Vec::new();
    let invocations = if compute {
        let size = loaded.shaders[0].info.workgroup_size.unwrap_or(args.workgroup_size.0);
        Some(size.into_iter().chain(groups).fold(1u64, |n, x| n.saturating_mul(u64::from(x))))
    } else {
        args.seed.map(|_| OPEN_ELEMENTS)
    };
    let world =
        World::new(&loaded.shaders, loaded.program.as_deref(), args, &document, invocations, &mut warnings);
    let mut world = world.map_err(|faults| loaded.refuse(log, &faults))?;
    let declared = draw::declared_inputs(&loaded.shaders);
    let api = args.api.unwrap_or_else(|| api_of(inputs, &loaded, args));
    if let Some(passes) = passes {
        passes.run(&mut loaded, log)?;
    }
    if args.engine == Engine::Vulkan {
        vulkan::number(&mut loaded.shaders, &mut world.interface);
    }
    world.bind();
    let draws = loaded.shaders.iter().any(|s| s.stage == Stage::Fragment);
    if draws
        && args.output.is_empty()
        && args.out.is_empty()
        && args.trace.is_none()
        && args.profile.is_none()
        && !world.writes_buffers()
    {
        let fault = Diagnostic::error("E0040", "expected an output file for the image");
        return Err(refuse(&loaded, log, fault.help("add `-o out.png`")));
    }
    if compute && let Some(image) = args.output.first() {
        let what = format!("a compute shader draws nothing to `{}`", image.path.display());
        let fault = Diagnostic::error("E0040", what).help("`--out NAME=FILE` writes a buffer or an image");
        return Err(refuse(&loaded, log, fault));
    }
    if !compute
        && !draws
        && let Some(out) = args.output.iter().find(|o| o.plane != Plane::Color(0) || is_picture(&o.path))
    {
        let what = format!("without a fragment shader nothing is drawn to `{}`", out.path.display());
        let fault = Diagnostic::error("E0040", what).help("`-o FILE.json` has the vertices");
        return Err(refuse(&loaded, log, fault));
    }
    if !warnings.is_empty() {
        loaded.tell(log, &warnings);
    }
    let counts = args.profile.as_ref().map(|_| profile::Shared::default());
    let start = Instant::now();
    let mut products = Vec::new();
    let steps = if compute {
        run_compute(&loaded, args, groups, &system, &mut world, counts.as_ref(), log.console)
            .map_err(|f| loaded.refuse(log, &f))?
    } else {
        let profile = counts.clone();
        let setting = draw::Setting { args, document: &document, api, declared, system, indirect, profile };
        let drawn = draw::draw(&loaded, &setting, &mut world, log.console);
        let drawn = drawn.map_err(|f| loaded.refuse(log, &f))?;
        for out in args.output.iter().filter(|_| draws) {
            let bytes = drawn.encode(out).map_err(|f| refuse(&loaded, log, f))?;
            products.push((Sink::of(&out.path), bytes));
        }
        if !draws {
            let sink = args.output.first().map_or(Sink::Stdout, |out| Sink::of(&out.path));
            products.push((sink, drawn.captured().into_bytes()));
        }
        if let Some(warning) = drawn.warning() {
            loaded.tell(log, &[warning]);
        }
        if drawn.primitives == 0 {
            let none = Diagnostic::warning("E0044", "no primitive was drawn");
            loaded.tell(log, &[none.help("there are too few vertices for one")]);
        }
        drawn.steps
    };
    let seconds = start.elapsed().as_secs_f64();
    for out in &args.out {
        let path = Path::new(&out.text);
        let bytes = world.product(&out.name, path).map_err(|f| refuse(&loaded, log, f))?;
        products.push((Sink::of(path), bytes));
    }
    if args.out.is_empty() && args.output.is_empty() && (compute || draws) && world.writes_buffers() {
        products.push((Sink::Stdout, world.buffers_json().into_bytes()));
    }
    if let Some((path, counts)) = args.profile.as_ref().zip(counts) {
        let counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        products.push((Sink::of(path), counts.text(path, &loaded).into_bytes()));
    }
    write(&products, &loaded, log)?;
    if log.console.format == MessageFormat::Human && !log.console.quiet && seconds > 1.0 {
        let rate = steps as f64 / seconds / 1e6;
        log.text(&format!("{steps} instructions in {seconds:.1} s, {rate:.0} million a second\n"));
    }
    Ok(())
}

fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png") || e.eq_ignore_ascii_case("raw"))
}

/// Vulkan's rules hold for SPIR-V with its origin, and for GLSL for Vulkan.
fn api_of(inputs: &[Input], loaded: &Loaded, args: &RunArgs) -> Api {
    let glsl = inputs.iter().all(Input::is_glsl);
    let origin = loaded.shaders.iter().any(|s| s.stage == Stage::Fragment && s.info.origin_upper_left);
    if (glsl && args.read.glsl.vulkan) || (!glsl && origin) { Api::Vulkan } else { Api::Gl }
}

fn run_compute(
    loaded: &Loaded,
    args: &RunArgs,
    groups: [u32; 3],
    system: &airfoil_interp::System,
    world: &mut World,
    counts: Option<&profile::Shared>,
    console: Console,
) -> Result<u64, Vec<Diagnostic>> {
    let failed = |f: airfoil_interp::Fault| vec![faults::diagnostic(&f)];
    let shader = &loaded.shaders[0];
    if args.engine == Engine::Air {
        if shader.info.workgroup_size.is_none() {
            let what =
                "the shader leaves the size of its workgroups open, which AIR cannot be executed with yet";
            return Err(vec![Diagnostic::error("E0046", what)]);
        }
        let programs = airfoil_cpu::prepare(&loaded.shaders, &args.air_config()).map_err(failed)?;
        for mut program in programs {
            program.compute(&mut world.resources, system, groups).map_err(failed)?;
        }
        return Ok(0);
    }
    if args.engine == Engine::Vulkan {
        let driver = vulkan::Driver::new(&loaded.shaders, args, true)?;
        driver.compute(&mut world.resources, groups)?;
        return Ok(0);
    }
    let mut program =
        Program::with_workgroup(shader, args.config(), args.workgroup_size.0).map_err(failed)?;
    if let Some(which) = args.trace.filter(|which| which.has(shader.stage)) {
        let size = program.workgroup_size();
        program.observe(Box::new(trace::Tracer::new(which, size, console, &trace::sink(loaded))));
    }
    if let Some(counts) = counts {
        program.observe(Box::new(profile::Profiler::new(counts)));
    }
    program.compute(&mut world.resources, system, groups).map_err(failed)?;
    Ok(program.steps())
}
