//! Random programs ([`airfoil_check::generate`]) in GLSL through an OpenGL driver, and through Airfoil's front end, O0 and O2, and
//! the interpreter: integers are equal, floats are within the bound of their operation. `AIRFOIL_PROGRAMS` sets the number of
//! programs per stage. A source with another result is reduced. Without a driver the tests are skipped, with a message.

use airfoil_check::generate::{
    self, COLUMNS, Dialect, GROUPS, Generated, INVOCATIONS, Results, difference, words,
};
use airfoil_check::reduce_lines;
use airfoil_glsl::{ProgramOptions, Source};
use airfoil_interp::Config;
use airfoil_ir::{Shader, Stage};
use airfoil_opengl::{Api, Context, Error, Kind, gl};
use airfoil_passes::manager::Manager;
use std::io::Write as _;

/// Programs per stage.
fn programs() -> u64 {
    std::env::var("AIRFOIL_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(25)
}

/// Programs that a driver gets wrong, by stage and seed, with the witness.
const WITNESSED: &[(Stage, u64, &str)] = &[];

/// The stages as Airfoil compiles them.
fn shaders(sources: &[(Stage, String)], optimize: bool) -> Option<Vec<Shader>> {
    let list: Vec<Source<'_>> =
        sources.iter().map(|(stage, text)| Source { name: "", stage: *stage, text }).collect();
    let mut shaders = airfoil_glsl::build(&list, &ProgramOptions::default()).ok()?.shaders;
    if optimize {
        let preset = airfoil_passes::Pipeline::parse("spirv").ok()?;
        for shader in &mut shaders {
            let _ = Manager::default().run(&preset, shader).ok()?;
        }
    }
    Some(shaders)
}

/// The results of Airfoil; `None` if a stage is not compiled or not executed.
fn interpreted(stage: Stage, sources: &[(Stage, String)], optimize: bool, undefined: u64) -> Option<Results> {
    let config = Config { undefined, ..Config::default() };
    generate::interpret(Dialect::OpenGl, stage, &shaders(sources, optimize)?, &config).ok()
}

/// The results of a driver.
fn driven(context: &Context, stage: Stage, sources: &[(Stage, String)]) -> Result<Results, Error> {
    let program = context.build(sources)?;
    program.make_current()?;
    if stage == Stage::Compute {
        let zeros = vec![0; INVOCATIONS as usize * 16];
        let buffers = [0, 1, 2].map(|n| context.buffer(gl::SHADER_STORAGE_BUFFER, n, &zeros));
        context.dispatch(GROUPS)?;
        let [a, b, c] = buffers.map(|buffer| buffer?.read().map(|bytes| words(&bytes)));
        return Ok([a?, b?, c?]);
    }
    let kinds = [Kind::Int, Kind::Float, Kind::Float];
    let framebuffer = context.framebuffer(COLUMNS, INVOCATIONS / COLUMNS, &kinds)?;
    let (mode, count) = match stage {
        Stage::Fragment => (gl::TRIANGLES, 3),
        Stage::TessControl | Stage::TessEval => (gl::PATCHES, INVOCATIONS),
        _ => (gl::POINTS, INVOCATIONS),
    };
    context.draw(mode, count, 3)?;
    let [a, b, c] = [0, 1, 2].map(|n| framebuffer.read(n));
    Ok([a?, b?, c?])
}

/// The source of the stage under test, as small as it can get while the driver differs from the interpreter.
fn reduced(context: &Context, stage: Stage, sources: &[(Stage, String)], optimize: bool) -> String {
    let Some(at) = sources.iter().position(|s| s.0 == stage) else { return String::new() };
    let mut differs = |text: &str| {
        let mut list = sources.to_vec();
        list[at].1 = text.into();
        let run = |undefined| interpreted(stage, &list, optimize, undefined);
        // Results that depend on undefined values show nothing.
        let [Some(expected), Some(other)] = [0, 0x5a5a_5a5a_5a5a_5a5a].map(run) else { return false };
        let found = driven(context, stage, &list);
        expected == other && found.is_ok_and(|found| difference(&expected, &found).is_some())
    };
    reduce_lines(&sources[at].1, 2_000, &mut differs)
}

fn all(stage: Stage) {
    let context = match Context::open(Api::Core) {
        Ok(context) => context,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
            return;
        }
    };
    let (mut wrong, mut equal) = (Vec::new(), 0);
    let mut different = std::collections::BTreeSet::new();
    for seed in 0..programs() {
        let seed = seed * 7 + stage as u64;
        let Generated { sources, .. } = generate::program(Dialect::OpenGl, stage, seed);
        let found = driven(&context, stage, &sources).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let mut same = true;
        for (level, optimize) in [("O0", false), ("O2", true)] {
            let expected = interpreted(stage, &sources, optimize, 0).expect("it is compiled and executed");
            different.insert(expected[0].clone());
            let Some(difference) = difference(&expected, &found) else { continue };
            same = false;
            if let Some((.., why)) = WITNESSED.iter().find(|w| (w.0, w.1) == (stage, seed)) {
                let _ = writeln!(std::io::stderr(), "{stage} {seed} {level} differs: {why}");
                continue;
            }
            let small =
                if wrong.is_empty() { reduced(&context, stage, &sources, optimize) } else { String::new() };
            wrong.push(format!("seed {seed} {level}: {difference}\n{small}"));
        }
        equal += u64::from(same);
    }
    assert!(wrong.is_empty(), "{} {stage} programs differ:\n{}", wrong.len(), wrong.join("\n"));
    let count = different.len() as u64;
    assert!(count > programs() * 9 / 10, "only {count} different results");
    let name = context.renderer();
    let _ = writeln!(std::io::stderr(), "{stage}: {equal} of {} programs are equal on {name}", programs());
}

macro_rules! stages {
    ($( $test:ident $stage:ident; )+) => { $(
        #[test]
        fn $test() {
            all(Stage::$stage);
        }
    )+ };
}

stages! {
    vertex_shaders Vertex;
    tess_control_shaders TessControl;
    tess_eval_shaders TessEval;
    geometry_shaders Geometry;
    fragment_shaders Fragment;
    compute_shaders Compute;
}
