//! Random programs ([`airfoil_check::generate`]) through the interpreter and a driver: integers are equal, floats are within the
//! bound of their operation. Each program is written at O0 and O2. `AIRFOIL_PROGRAMS` sets the number of programs per stage. A
//! shader for which the driver gives another result is reduced. Without a device the tests are skipped, with a message.

use airfoil_check::generate::{self, COLUMNS, Dialect, Generated, INVOCATIONS};
use airfoil_check::{Limits, reduce};
use airfoil_glsl::{ProgramOptions, Source};
use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::Format;
use airfoil_interp::{Binding, Config, Program, Resources, Space, System, Values};
use airfoil_ir::{Shader, Stage, SystemValue, text};
use airfoil_passes::manager::Manager;
use airfoil_vulkan::{Device, Module};
use std::io::Write as _;

/// Programs per stage.
fn programs() -> u64 {
    std::env::var("AIRFOIL_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// The precision of the last operations (Vulkan 1.3, "Precision and Operation of SPIR-V Instructions"), relative and absolute:
/// sqrt, which is 1 / inversesqrt, and a division have fewer than 5 ULP, exp2 has 3 + 2 |x| ULP, sin 2^-11.
const BOUNDS: [(f64, f64); 4] = [(5.0, 0.0), (5.0, 0.0), (19.0, 0.0), (0.0, 1.0 / 2048.0)];

/// Programs that a driver gets wrong, by stage and seed: another driver agrees with the interpreter.
const WITNESSED: &[(Stage, u64, &str)] = &[(
    Stage::Compute,
    1419,
    "llvmpipe of Mesa 22.3.6 inserts a bit field with other bits in a loop that is left at once; NVIDIA's driver of an H200 agrees \
     with the interpreter (SPIR-V 3.49.14, OpBitFieldInsert)",
)];

const ULP: f64 = 1.0 / 8_388_608.0;

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

/// The words of all results: integers, exact floats, and floats with a bound.
type Results = [Vec<u32>; 3];

fn buffers() -> Resources {
    let mut resources = Resources::new();
    for binding in 0..3 {
        let buffer = resources.add_buffer(vec![0; INVOCATIONS as usize * 16]);
        let whole = Binding::Buffer { buffer, offset: 0, size: None };
        resources.bind(Space::Storage, 0, binding, 0, whole);
    }
    resources
}

fn of_buffers(resources: &Resources) -> Results {
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
    };
    [0, 1, 2].map(|n: usize| words(&resources.buffers[n].bytes))
}

/// Executes a pipeline by the interpreter, or by a device.
fn execute(stage: Stage, shaders: &[Shader], device: Option<(&Device, bool)>) -> Results {
    execute_with(stage, shaders, device, Config::default())
}

fn execute_with(
    stage: Stage,
    shaders: &[Shader],
    device: Option<(&Device, bool)>,
    config: Config,
) -> Results {
    let mut resources = buffers();
    let modules = |optimize| -> Vec<Module> { shaders.iter().map(|s| module(s, optimize)).collect() };
    if let [kernel] = shaders {
        let groups = [INVOCATIONS / 16, 1, 1];
        match device {
            None => Program::new(kernel, config)
                .expect("it is supported")
                .compute(&mut resources, &System::new(), groups)
                .expect("it is executed"),
            Some((device, optimize)) => {
                device.compute(&modules(optimize)[0], &mut resources, groups).expect("it is executed");
            }
        }
        return of_buffers(&resources);
    }
    let mut target = Target::new(COLUMNS, INVOCATIONS / COLUMNS, 1, 3);
    target.formats = vec![Format::Rgba32i, Format::Rgba32f, Format::Rgba32f];
    let mut state = State::new(target.width, target.height);
    (state.y_down, state.clip_depth, state.first_provokes) = (true, ClipDepth::ZeroToOne, true);
    let (topology, count) = match stage {
        Stage::Fragment => (Topology::Triangles, 3),
        Stage::TessControl | Stage::TessEval => (Topology::Patches(3), INVOCATIONS),
        _ => (Topology::Points, INVOCATIONS),
    };
    let vertex = |n: u32| Vertex {
        inputs: Values::new(),
        system: System::new().with(SystemValue::vertex_id, n.into()),
    };
    let vertices: Vec<Vertex> = (0..count).map(vertex).collect();
    let draw = Draw { topology, vertices: &vertices, indices: None, system: System::new() };
    match device {
        None => {
            let mut pipeline = Pipeline::new(shaders, &config).expect("it is supported");
            let _ = pipeline.draw(&mut resources, &draw, &state, &mut target).expect("it is executed");
        }
        Some((device, optimize)) => {
            let modules = modules(optimize);
            device.draw(&modules, &mut resources, &draw, &state, &mut target).expect("it is executed");
        }
    }
    [0, 1, 2].map(|n: usize| target.colors[n].iter().flatten().copied().collect())
}

/// The first difference.
fn difference(expected: &Results, found: &Results) -> Option<String> {
    let [integers, exact, bounded] = expected;
    for (n, (a, b)) in integers.iter().zip(&found[0]).enumerate() {
        if a != b {
            return Some(format!("integer {n}: {a:#x}, found {b:#x}"));
        }
    }
    for (n, (a, b)) in exact.iter().zip(&found[1]).enumerate() {
        let (a, b) = (f32::from_bits(*a), f32::from_bits(*b));
        // Signs of zeros are not preserved without SignedZeroInfNanPreserve.
        if a != b {
            return Some(format!("float {n}: {a}, found {b}"));
        }
    }
    for (n, (a, b)) in bounded.iter().zip(&found[2]).enumerate() {
        let (a, b) = (f64::from(f32::from_bits(*a)), f64::from(f32::from_bits(*b)));
        let (ulps, absolute) = BOUNDS[n % 4];
        if (a - b).abs() > ulps * ULP * a.abs() + absolute || b.is_nan() {
            return Some(format!("float {n} with a bound: {a}, found {b}"));
        }
    }
    None
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
            let execute = || execute_with(stage, &list, device, config);
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
