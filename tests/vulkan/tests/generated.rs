//! Random programs ([`airfoil_check::generate`]) through the interpreter and a driver: integers are equal, floats are within the
//! bound of their operation. Each program is written at O0 and O2. `AIRFOIL_PROGRAMS` sets the number of programs per stage. A
//! shader for which the driver gives another result is reduced. Without a device the tests are skipped, with a message.

use airfoil_check::generate::{self, Dialect, GROUPS, Generated, Results, Scene, difference};
use airfoil_check::{Limits, reduce};
use airfoil_glsl::{ProgramOptions, Source};
use airfoil_interp::Config;
use airfoil_ir::{Shader, Stage, text};
use airfoil_passes::manager::Manager;
use airfoil_vulkan::{Device, Module};
use std::io::Write as _;

/// Programs per stage.
fn programs() -> u64 {
    std::env::var("AIRFOIL_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// Programs that a driver gets wrong, by stage and seed: another driver agrees with the interpreter.
const WITNESSED: &[(Stage, u64, &str)] = &[(
    Stage::Compute,
    1419,
    "llvmpipe of Mesa 22.3.6 inserts a bit field with other bits in a loop that is left at once; NVIDIA's driver of an H200 agrees \
     with the interpreter (SPIR-V 3.49.14, OpBitFieldInsert)",
)];

fn shaders(sources: &[(Stage, String)]) -> Vec<Shader> {
    let list: Vec<Source<'_>> =
        sources.iter().map(|(stage, text)| Source { name: "", stage: *stage, text }).collect();
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let program = airfoil_glsl::build(&list, &options);
    let mut shaders = program.unwrap_or_else(|e| panic!("{}\n{}", e[0], sources[0].1)).shaders;
    shaders.iter_mut().for_each(|shader| shader.name = "main".into());
    shaders
}

fn module(shader: &Shader, optimize: bool) -> Module {
    let mut shader = shader.clone();
    if optimize {
        let preset = airfoil_passes::Pipeline::parse("spirv").expect("the preset exists");
        let _ = Manager::default().run(&preset, &mut shader).expect("the passes accept it");
    }
    let words = airfoil_spirv_out::write(&shader, &Default::default()).expect("it is written");
    Module { words, stage: shader.stage, entry: "main".into(), spec: Vec::new() }
}

/// Executes a pipeline by the interpreter, or by a device.
fn execute(stage: Stage, shaders: &[Shader], device: Option<(&Device, bool)>) -> Results {
    execute_with(stage, shaders, device, &Config::default())
}

fn execute_with(
    stage: Stage,
    shaders: &[Shader],
    device: Option<(&Device, bool)>,
    config: &Config,
) -> Results {
    let Some((device, optimize)) = device else {
        return generate::interpret(Dialect::Vulkan, stage, shaders, config).expect("it is executed");
    };
    let modules: Vec<Module> = shaders.iter().map(|s| module(s, optimize)).collect();
    let mut resources = generate::buffers();
    if let [kernel] = &modules[..] {
        device.compute(kernel, &mut resources, GROUPS).expect("it is executed");
        return generate::of_buffers(&resources);
    }
    let scene = Scene::new(Dialect::Vulkan, stage);
    let mut target = scene.target.clone();
    device.draw(&modules, &mut resources, &scene.draw(), &scene.state, &mut target).expect("it is executed");
    generate::of_target(&target)
}

/// Both levels on a device; the first that differs, and how.
fn judge(stage: Stage, shaders: &[Shader], expected: &Results, device: &Device) -> Option<(bool, String)> {
    [false, true].into_iter().find_map(|optimize| {
        let found = execute(stage, shaders, Some((device, optimize)));
        Some((optimize, difference(expected, &found)?))
    })
}

/// The stage under test, as small as it can get while the driver differs from the interpreter.
fn reduced(stage: Stage, shaders: &[Shader], device: &Device, optimize: bool) -> String {
    let Some(at) = shaders.iter().position(|s| s.stage == stage) else { return String::new() };
    let mut differs = |candidate: &Shader| {
        let mut list = shaders.to_vec();
        list[at] = candidate.clone();
        let run = |device, undefined| {
            let config = Config { undefined, ..Config::default() };
            let execute = || execute_with(stage, &list, device, &config);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(execute)).ok()
        };
        // Results that depend on undefined values, and modules that are not supported, show nothing.
        let [Some(expected), Some(other)] = [0, 0x5a5a_5a5a_5a5a_5a5a].map(|bits| run(None, bits)) else {
            return false;
        };
        let found = run(Some((device, optimize)), 0);
        expected == other && found.is_some_and(|found| difference(&expected, &found).is_some())
    };
    let limits = Limits { tries: 2_000, time: Some(std::time::Duration::from_secs(60)) };
    reduce(&shaders[at], limits, &mut differs, &mut |_| {})
        .map_or_else(String::new, |r| text::print(&r.shader))
}

fn all(stage: Stage) {
    let device = match Device::open(None) {
        Ok(device) => device,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
            return;
        }
    };
    let (mut wrong, mut equal) = (Vec::new(), 0);
    let mut different = std::collections::BTreeSet::new();
    for seed in 0..programs() {
        let seed = seed * 7 + stage as u64;
        let Generated { sources, .. } = generate::program(Dialect::Vulkan, stage, seed);
        let shaders = shaders(&sources);
        let expected = execute(stage, &shaders, None);
        different.insert(expected[0].clone());
        if let Some((optimize, difference)) = judge(stage, &shaders, &expected, &device) {
            let level = if optimize { "O2" } else { "O0" };
            if let Some((.., why)) = WITNESSED.iter().find(|w| (w.0, w.1) == (stage, seed)) {
                let _ = writeln!(std::io::stderr(), "{stage} {seed} {level} differs: {why}");
                continue;
            }
            let small =
                if wrong.is_empty() { reduced(stage, &shaders, &device, optimize) } else { String::new() };
            wrong.push(format!("seed {seed} {level}: {difference}\n{small}"));
        } else {
            equal += 1;
        }
    }
    assert!(wrong.is_empty(), "{} {stage} programs differ:\n{}", wrong.len(), wrong.join("\n"));
    let count = different.len() as u64;
    assert!(count > programs() * 9 / 10, "only {count} different results");
    let _ = writeln!(std::io::stderr(), "{stage}: {equal} of {} programs are equal at O0 and O2", programs());
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
