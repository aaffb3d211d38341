//! Every pass alone, and random orders of passes, over generated GLSL, over the same as SPIR-V that is read back, and over shaders
//! of the corpus. After each pass the shader is valid, the pass has kept its promises, and execution gives the same results.
//! `AIRFOIL_ORDERS` sets the number of orders.

#![allow(clippy::print_stdout, reason = "the tests report how much they compared")]

use airfoil::ReadOptions;
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::ir::{Form, Shader};
use airfoil::passes::registry::Registry;
use airfoil::passes::{Pipeline, manager::Manager};
use airfoil_check::generate::{self, Dialect};
use airfoil_check::{Found, Runs, find_in_program};
use airfoil_filetest::harness;
use airfoil_ir::generate::{Choices, Seed};
use airfoil_tests::corpus;

/// Programs per stage.
const PROGRAMS: u64 = 4;

/// Passes before and after the shader leaves the form `variables`.
const LENGTH: u32 = 6;

/// The passes that lower a shader from form `variables` to form `slots`.
const LOWER: &str = "outputs, locals, slots, io";

fn orders() -> u32 {
    std::env::var("AIRFOIL_ORDERS").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

fn runs() -> Runs {
    Runs { seeds: 2, max_steps: 30_000 }
}

/// A name, and the shaders of a program.
type Named = (String, Vec<Shader>);

/// Generated programs as the front end makes them, and as they are read back from SPIR-V.
fn generated() -> Vec<Named> {
    let mut list = Vec::new();
    for stage in generate::STAGES {
        for seed in 0..PROGRAMS {
            let program = generate::program(Dialect::Vulkan, stage, 1000 + seed);
            let sources: Vec<Source<'_>> = program
                .sources
                .iter()
                .map(|(stage, text)| Source { name: "", stage: *stage, text })
                .collect();
            let mut options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
            options.link.raw = true;
            let built = airfoil::glsl::build(&sources, &options).unwrap();
            let read = ReadOptions { raw: true, ..ReadOptions::default() };
            let again = |shader: &Shader| {
                let words = airfoil::to_spirv(shader, &Default::default()).unwrap();
                airfoil::steps::read_spirv(&words, &read).unwrap()
            };
            list.push((format!("{stage} {seed} from SPIR-V"), built.shaders.iter().map(again).collect()));
            list.push((format!("{stage} {seed}"), built.shaders));
        }
    }
    list
}

/// Shaders of the corpus, every eighth file.
fn of_corpus() -> Vec<Named> {
    let folder = harness::corpus().unwrap();
    let mut list = Vec::new();
    for set in ["bench/core60", "real-spv"] {
        for path in corpus::files(&folder.join(set), &["spv"]).unwrap().into_iter().step_by(8) {
            let Ok(words) = airfoil::spirv::from_bytes(&std::fs::read(&path).unwrap()) else { continue };
            if let Ok(shader) = airfoil::steps::read_spirv(&words, &ReadOptions::default()) {
                list.push((path.display().to_string(), vec![shader]));
            }
        }
    }
    list
}

/// The passes of the first two groups, which keep the form, for shaders of a form.
fn pool(registry: &Registry, form: Form) -> Vec<&str> {
    let groups = registry.groups();
    let listed = groups[..2].iter().flat_map(|g| &g.passes);
    listed.filter(|entry| entry.info().takes.contains(&form)).map(|entry| entry.name()).collect()
}

/// Runs a pipeline on a program; how often its shaders were compared.
fn check((name, shaders): &Named, pipeline: &str, wrong: &mut Vec<String>) -> u64 {
    match find_in_program(shaders, &Pipeline::parse(pipeline).unwrap(), &runs()) {
        Found::Nothing { compared, .. } => compared,
        // A pass may reject a shader with a diagnostic.
        Found::Refused(_) => 0,
        Found::Fault { kind, message, trace, .. } => {
            let trace: Vec<_> = trace.iter().map(|step| step.text()).collect();
            wrong.push(format!("{name}: {kind:?}: {message}\n  {pipeline}\n  {}", trace.join(", ")));
            0
        }
    }
}

/// Random orders, each on the next shader.
fn random_orders(programs: &[Named], first: u64) {
    let registry = Registry::builtin();
    let [early, late] = [Form::Variables, Form::Slots].map(|form| pool(registry, form));
    let (mut compared, mut wrong) = (0, Vec::new());
    for n in 0..orders() {
        let mut seed = Seed(first + u64::from(n));
        let mut passes = |of: &[&str]| {
            let list = (0..LENGTH).map(|_| of[seed.below(of.len() as u32) as usize].to_owned());
            list.collect::<Vec<_>>().join(", ")
        };
        let pipeline = format!("{}, {LOWER}, {}", passes(&early), passes(&late));
        compared += check(&programs[n as usize % programs.len()], &pipeline, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} orders:\n{}", wrong.len(), wrong.join("\n"));
    println!("{} random orders, {compared} comparisons by execution, no difference", orders());
    assert!(compared > 2 * u64::from(orders()), "{compared} comparisons");
}

/// Every pass alone, on shaders of the form that it takes.
fn single_passes(programs: &[Named]) {
    let lower = Pipeline::parse(LOWER).unwrap();
    let lowered = programs.iter().map(|(name, shaders)| {
        let mut shaders = shaders.clone();
        let _ = Manager::default().run_program(&lower, &mut shaders).unwrap();
        (name.clone(), shaders)
    });
    let lowered: Vec<Named> = lowered.collect();
    let (mut compared, mut passes, mut wrong) = (0, 0, Vec::new());
    for entry in Registry::builtin().iter() {
        let takes = entry.info().takes;
        if entry.name() == "match_inputs" {
            // Without its option it states that the stage before writes nothing.
            continue;
        }
        let on = if takes.contains(&Form::Variables) { programs } else { &lowered };
        if !takes.contains(&on[0].1[0].form) {
            continue;
        }
        passes += 1;
        for program in on {
            compared += check(program, entry.name(), &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
    println!("{passes} passes alone on {} programs, {compared} comparisons, no difference", programs.len());
    assert!(passes > 60 && compared > 500, "{passes} passes, {compared} comparisons");
}

fn orders_over_generated_shaders() {
    random_orders(&generated(), 0);
}

fn orders_over_the_corpus() {
    random_orders(&of_corpus(), 1 << 32);
}

fn passes_over_generated_shaders() {
    single_passes(&generated());
}

airfoil_filetest::harness! {
    orders_over_generated_shaders;
    orders_over_the_corpus needs(Corpus("real-spv"));
    passes_over_generated_shaders;
}
