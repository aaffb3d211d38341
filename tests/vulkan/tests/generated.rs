//! Generated shaders through the interpreter and a driver: integers are equal, floats are within the bound of their operation.
//!
//! The generator writes GLSL whose results the specification determines: integer operations that are defined for all
//! operands, and floats that are multiples of 1/64 below 64, with which no rounding occurs. At the end one operation that
//! rounds is applied to each of four floats. Each shader is written at O0 and O2. Without a device the tests are skipped, with a
//! message.

use airfoil_glsl::{ProgramOptions, Source};
use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::Format;
use airfoil_interp::{Binding, Config, Program, Resources, Space, System, Values};
use airfoil_ir::generate::{Choices, Seed};
use airfoil_ir::{Modes, Shader, Stage, SystemValue, Variable};
use airfoil_passes::manager::Manager;
use airfoil_vulkan::{Device, Module};
use std::fmt::Write as _;
use std::io::Write as _;

/// Shaders per stage.
const SHADERS: u64 = 100;

/// Invocations of a shader: 16 columns and 4 rows of pixels.
const INVOCATIONS: u32 = 64;

/// The precision of the last operations (Vulkan 1.3, "Precision and Operation of SPIR-V Instructions"), relative and absolute:
/// sqrt, which is 1 / inversesqrt, and a division have fewer than 5 ULP, exp2 has 3 + 2 |x| ULP, sin 2^-11.
const BOUNDS: [(f64, f64); 4] = [(5.0, 0.0), (5.0, 0.0), (19.0, 0.0), (0.0, 1.0 / 2048.0)];

const ULP: f64 = 1.0 / 8_388_608.0;

/// Writes the statements of a function.
struct Generator {
    seed: Seed,
    out: String,
    budget: u32,
    loops: u32,
}

impl Generator {
    fn below(&mut self, n: u32) -> u32 {
        self.seed.below(n)
    }

    fn int(&mut self) -> String {
        match self.below(8) {
            0 => ["0", "1", "-1", "7", "0x7fffffff", "-2147483647", "255", "65536"][self.below(8) as usize]
                .into(),
            1 => "int(n)".into(),
            n => format!("i{}", n % 4),
        }
    }

    fn float(&mut self) -> String {
        match self.below(6) {
            0 => ["0.0", "1.0", "-1.5", "0.25", "3.75", "-0.015625"][self.below(6) as usize].into(),
            n => format!("f{}", n % 4),
        }
    }

    fn condition(&mut self) -> String {
        let op = ["<", "<=", ">", ">=", "==", "!="][self.below(6) as usize];
        match self.below(3) {
            0 => format!("({} {op} {})", self.float(), self.float()),
            1 => format!("({} {op} {})", self.int(), self.int()),
            _ => format!("(uint({}) {op} uint({}))", self.int(), self.int()),
        }
    }

    fn int_expression(&mut self) -> String {
        let (a, b, k) = (self.int(), self.int(), 1 + self.below(30));
        match self.below(18) {
            0 => format!("{a} + {b}"),
            1 => format!("{a} - {b}"),
            2 => format!("{a} * {b}"),
            3 => format!("{a} & {b}"),
            4 => format!("{a} | {b}"),
            5 => format!("{a} ^ ~{b}"),
            6 => format!("{a} << ({b} & 31)"),
            7 => format!("{a} >> ({b} & 31)"),
            8 => format!("int(uint({a}) >> (uint({b}) & 31u))"),
            9 => format!("int(uint({a}) / {k}u)"),
            10 => format!("int(uint({a}) % {k}u)"),
            11 => format!("min({a}, {b})"),
            12 => format!("int(max(uint({a}), uint({b})))"),
            13 => format!("bitCount({a}) - findMSB({b})"),
            14 => format!("bitfieldReverse({a}) + findLSB({b})"),
            15 => format!("bitfieldExtract({a}, {k}, {})", 1 + self.below(32 - k)),
            16 => format!("bitfieldInsert({a}, {b}, {k}, {})", 1 + self.below(32 - k)),
            _ => match self.below(3) {
                0 => format!("int({})", self.float()),
                1 => format!("t[{a} & 3]"),
                _ => format!("{} ? {a} : {b}", self.condition()),
            },
        }
    }

    fn float_expression(&mut self) -> String {
        let (a, b) = (self.float(), self.float());
        match self.below(14) {
            0 => format!("{a} + {b}"),
            1 => format!("{a} - {b}"),
            2 => format!("{a} * {b}"),
            3 => format!("min({a}, {b})"),
            4 => format!("max({a}, {b})"),
            5 => format!("floor({a}) + ceil({b})"),
            6 => format!("abs({a}) - fract({b})"),
            7 => format!("trunc({a}) * sign({b})"),
            8 => format!("roundEven({a})"),
            9 => format!("clamp({a}, -2.5, 4.0)"),
            10 => format!("float({} & 63)", self.int()),
            11 => format!("step({a}, {b})"),
            12 => format!("dot(vec2({a}, {b}), vec2(0.5, -0.25))"),
            _ => format!("{} ? {a} : {b}", self.condition()),
        }
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..2 + self.below(4) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            let k = self.below(4);
            match self.below(12) {
                0..=3 => {
                    let value = self.int_expression();
                    let _ = writeln!(self.out, "i{k} = {value};");
                }
                4..=7 => {
                    let value = self.float_expression();
                    let _ =
                        writeln!(self.out, "f{k} = floor(clamp({value}, -63.0, 63.0) * 64.0) * 0.015625;");
                }
                8 => {
                    let (index, value) = (self.int(), self.int_expression());
                    let _ = writeln!(self.out, "t[{index} & 3] = {value};");
                }
                9 | 10 if depth > 0 => {
                    let condition = self.condition();
                    let _ = writeln!(self.out, "if {condition} {{");
                    self.statements(depth - 1);
                    self.out.push_str("} else {\n");
                    self.statements(depth - 1);
                    self.out.push_str("}\n");
                }
                _ if depth > 0 => {
                    let (name, rounds) = (self.loops, 1 + self.below(4));
                    self.loops += 1;
                    let _ = writeln!(self.out, "for (int l{name} = 0; l{name} < {rounds}; l{name}++) {{");
                    self.statements(depth - 1);
                    let (condition, leave) =
                        (self.condition(), ["break", "continue"][self.below(2) as usize]);
                    let _ = writeln!(self.out, "if {condition} {leave};\ni{k} += l{name};\n}}");
                }
                _ => {}
            }
        }
    }
}

/// A function of the index of an invocation.
fn function(seed: u64) -> String {
    let mut g = Generator { seed: Seed(seed), out: String::new(), budget: 60, loops: 0 };
    while g.budget > 0 {
        g.statements(3);
    }
    format!(
        "void run(uint n, out ivec4 i, out vec4 x, out vec4 y) {{
int i0 = int(n * 2654435761u), i1 = int(n), i2 = -3, i3 = int(n) << 20;
float f0 = float(n & 15u) * 0.25, f1 = -1.5, f2 = 2.0, f3 = float(n >> 4u);
int t[4] = int[4](i0, 1, i1, -1);
{}i = ivec4(i0 ^ t[0], i1 ^ t[1], i2 ^ t[2], i3 ^ t[3]);
x = vec4(f0, f1, f2, f3);
y = vec4(sqrt(abs(f0)), f1 / (abs(f2) + 1.0), exp2(f2 * 0.125), sin(f3 * 0.0466));
}}
",
        g.out
    )
}

/// The sources of a pipeline.
fn sources(stage: Stage, seed: u64) -> Vec<(Stage, String)> {
    let function = function(seed);
    let outputs = "layout(location = 0) out ivec4 i;
layout(location = 1) out vec4 x;
layout(location = 2) out vec4 y;
";
    let flat = |direction: &str, prefix: &str| {
        let one = |(n, ty, name): (u32, &str, &str)| {
            format!("layout(location = {n}) flat {direction} {ty} {prefix}{name};\n")
        };
        [(0, "ivec4", "i"), (1, "vec4", "x"), (2, "vec4", "y")].map(one).concat()
    };
    match stage {
        Stage::Compute => vec![(
            stage,
            format!(
                "#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer I {{ ivec4 all_i[]; }};
layout(set = 0, binding = 1) buffer X {{ vec4 all_x[]; }};
layout(set = 0, binding = 2) buffer Y {{ vec4 all_y[]; }};
{function}void main() {{
uint n = gl_GlobalInvocationID.x;
run(n, all_i[n], all_x[n], all_y[n]);
}}
"
            ),
        )],
        Stage::Fragment => vec![
            (
                Stage::Vertex,
                "#version 450
void main() {
gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0);
}
"
                .into(),
            ),
            (
                stage,
                format!(
                    "#version 450
{outputs}{function}void main() {{
run(uint(gl_FragCoord.x) + 16u * uint(gl_FragCoord.y), i, x, y);
}}
"
                ),
            ),
        ],
        _ => vec![
            (
                stage,
                format!(
                    "#version 450
{}{function}void main() {{
uint n = uint(gl_VertexIndex);
run(n, v_i, v_x, v_y);
gl_Position = vec4((float(n & 15u) + 0.5) / 8.0 - 1.0, (float(n >> 4u) + 0.5) / 2.0 - 1.0, 0.5, 1.0);
gl_PointSize = 1.0;
}}
",
                    flat("out", "v_")
                ),
            ),
            (
                Stage::Fragment,
                format!(
                    "#version 450
{}{outputs}void main() {{
i = v_i; x = v_x; y = v_y;
}}
",
                    flat("in", "v_")
                ),
            ),
        ],
    }
}

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

/// Whether a variable is an output with a location.
fn is_result(var: &Variable) -> bool {
    var.mode == Modes::OUT && var.location.is_some_and(|slot| slot.as_generic().is_some())
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
fn execute(shaders: &[Shader], device: Option<(&Device, bool)>) -> Results {
    let mut resources = buffers();
    let modules = |optimize| -> Vec<Module> { shaders.iter().map(|s| module(s, optimize)).collect() };
    if let [kernel] = shaders {
        let groups = [INVOCATIONS / 16, 1, 1];
        match device {
            None => Program::new(kernel, Config::default())
                .expect("it is supported")
                .compute(&mut resources, &System::new(), groups)
                .expect("it is executed"),
            Some((device, optimize)) => {
                device.compute(&modules(optimize)[0], &mut resources, groups).expect("it is executed");
            }
        }
        return of_buffers(&resources);
    }
    let mut target = Target::new(16, INVOCATIONS / 16, 1, 3);
    target.formats = vec![Format::Rgba32i, Format::Rgba32f, Format::Rgba32f];
    let mut state = State::new(target.width, target.height);
    (state.y_down, state.clip_depth, state.first_provokes) = (true, ClipDepth::ZeroToOne, true);
    // Vertex shaders that are tested draw points, the other one a triangle that covers the target.
    let points = shaders.iter().any(|s| s.stage == Stage::Vertex && s.vars.values().any(is_result));
    let count = if points { INVOCATIONS } else { 3 };
    let vertex = |n: u32| Vertex {
        inputs: Values::new(),
        system: System::new().with(SystemValue::vertex_id, n.into()),
    };
    let vertices: Vec<Vertex> = (0..count).map(vertex).collect();
    let topology = if points { Topology::Points } else { Topology::Triangles };
    let draw = Draw { topology, vertices: &vertices, indices: None, system: System::new() };
    match device {
        None => {
            let mut pipeline = Pipeline::new(shaders, &Config::default()).expect("it is supported");
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

fn all(stage: Stage) {
    let device = match Device::open(None) {
        Ok(device) => device,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
            return;
        }
    };
    let mut wrong = Vec::new();
    let mut different = std::collections::BTreeSet::new();
    for seed in 0..SHADERS {
        let sources = sources(stage, seed * 3 + stage as u64);
        let shaders = shaders(&sources);
        let expected = execute(&shaders, None);
        different.insert(expected[0].clone());
        for (level, optimize) in [("O0", false), ("O2", true)] {
            if let Some(difference) = difference(&expected, &execute(&shaders, Some((&device, optimize)))) {
                wrong.push(format!("seed {seed} {level}: {difference}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} {stage} shaders differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(different.len() as u64 > SHADERS * 9 / 10, "only {} different results", different.len());
}

#[test]
fn compute_shaders() {
    all(Stage::Compute);
}

#[test]
fn fragment_shaders() {
    all(Stage::Fragment);
}

#[test]
fn vertex_shaders() {
    all(Stage::Vertex);
}
