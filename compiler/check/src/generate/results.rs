//! How a random program is executed, and how its results are compared.

use super::{COLUMNS, Dialect, INVOCATIONS};
use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::Format;
use airfoil_interp::{Binding, Config, Fault, Program, Resources, Space, System, Values};
use airfoil_ir::{Shader, Stage, SystemValue};

/// Workgroups of the dispatch of a compute shader.
pub const GROUPS: [u32; 3] = [INVOCATIONS / 16, 1, 1];

/// The words of all results: integers, exact floats, and floats with a bound.
pub type Results = [Vec<u32>; 3];

/// Relative bounds in ULP and absolute bounds of the operations that round: square root, quotient, exp2 and sin. GLSL 4.60 section
/// 4.7.1, which has none for sin, and Vulkan 1.3, "Precision and Operation of SPIR-V Instructions": a square root is 1 / inversesqrt
/// and has fewer than 5 ULP, like a quotient; exp2 has 3 + 2 |x| ULP, sin an absolute error of 2^-11.
const BOUNDS: [(f64, f64); 4] = [(5.0, 0.0), (5.0, 0.0), (19.0, 0.0), (0.0, 1.0 / 2048.0)];

const ULP: f64 = 1.0 / 8_388_608.0;

/// The draw that executes a program without a compute shader.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Three attachments, which hold the results.
    pub target: Target,
    /// The state of the API.
    pub state: State,
    topology: Topology,
    vertices: Vec<Vertex>,
}

impl Scene {
    /// The draw of a program that tests a stage.
    pub fn new(dialect: Dialect, stage: Stage) -> Scene {
        let mut target = Target::new(COLUMNS, INVOCATIONS / COLUMNS, 1, 3);
        target.formats = vec![Format::Rgba32i, Format::Rgba32f, Format::Rgba32f];
        let mut state = State::new(target.width, target.height);
        match dialect {
            Dialect::Vulkan => {
                (state.y_down, state.clip_depth, state.first_provokes) = (true, ClipDepth::ZeroToOne, true);
            }
            Dialect::OpenGl => state.clip_depth = ClipDepth::MinusOneToOne,
        }
        let (topology, count) = match stage {
            Stage::Fragment => (Topology::Triangles, 3),
            Stage::TessControl | Stage::TessEval => (Topology::Patches(3), INVOCATIONS),
            _ => (Topology::Points, INVOCATIONS),
        };
        let vertex = |n: u32| Vertex {
            inputs: Values::new(),
            system: System::new().with(SystemValue::vertex_id, n.into()),
        };
        Scene { target, state, topology, vertices: (0..count).map(vertex).collect() }
    }

    /// The topology and vertices.
    pub fn draw(&self) -> Draw<'_> {
        Draw { topology: self.topology, vertices: &self.vertices, indices: None, system: System::new() }
    }
}

/// The resources of a program: the storage buffers 0 to 2 of set 0, which are zero.
pub fn buffers() -> Resources {
    let mut resources = Resources::new();
    for binding in 0..3 {
        let buffer = resources.add_buffer(vec![0; INVOCATIONS as usize * 16]);
        let whole = Binding::Buffer { buffer, offset: 0, size: None };
        resources.bind(Space::Storage, 0, binding, 0, whole);
    }
    resources
}

/// The words of a buffer.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

/// The results of a dispatch with the resources of [`buffers`].
pub fn of_buffers(resources: &Resources) -> Results {
    [0, 1, 2].map(|n: usize| words(&resources.buffers[n].bytes))
}

/// The results of the draw of a [`Scene`].
pub fn of_target(target: &Target) -> Results {
    [0, 1, 2].map(|n: usize| target.colors[n].iter().flatten().copied().collect())
}

/// The results of the interpreter for the shaders of a program that tests a stage.
///
/// # Errors
/// A shader is not supported, or its execution fails.
pub fn interpret(
    dialect: Dialect,
    stage: Stage,
    shaders: &[Shader],
    config: &Config,
) -> Result<Results, Fault> {
    let mut resources = buffers();
    if let [kernel] = shaders {
        Program::new(kernel, config.clone())?.compute(&mut resources, &System::new(), GROUPS)?;
        return Ok(of_buffers(&resources));
    }
    let scene = Scene::new(dialect, stage);
    let mut target = scene.target.clone();
    let _ = Pipeline::new(shaders, config)?.draw(&mut resources, &scene.draw(), &scene.state, &mut target)?;
    Ok(of_target(&target))
}

/// The first result that differs by more than the specification allows.
pub fn difference(expected: &Results, found: &Results) -> Option<String> {
    let [integers, exact, bounded] = expected;
    let float = |bits: &u32| f32::from_bits(*bits);
    let differs = integers.iter().zip(&found[0]).position(|(a, b)| a != b);
    if let Some(n) = differs {
        return Some(format!("integer {n}: {:#x}, found {:#x}", integers[n], found[0][n]));
    }
    // Signs of zeros are not preserved: GLSL 4.60 section 4.7.1, and SPIR-V without SignedZeroInfNanPreserve.
    let differs = exact.iter().zip(&found[1]).position(|(a, b)| float(a) != float(b));
    if let Some(n) = differs {
        return Some(format!("float {n}: {}, found {}", float(&exact[n]), float(&found[1][n])));
    }
    bounded.iter().zip(&found[2]).enumerate().find_map(|(n, (a, b))| {
        let (a, b) = (f64::from(float(a)), f64::from(float(b)));
        let (ulps, absolute) = BOUNDS[n % 4];
        let wrong = (a - b).abs() > ulps * ULP * a.abs() + absolute || b.is_nan();
        wrong.then(|| format!("float {n} with a bound: {a}, found {b}"))
    })
}
