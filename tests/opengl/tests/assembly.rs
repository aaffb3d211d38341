//! Assembly programs, read and executed by an OpenGL driver and by `airfoil-arb`, `airfoil-gl` and the interpreter: damaged programs
//! have the same status, and random ones the same results. `AIRFOIL_PROGRAMS` sets their number. Without a driver the tests are skipped.

use airfoil_arb::{Options, Parameter, Source, Target as Kind, read};
use airfoil_gl::{
    AssemblyTarget, Budget, Device, DriverValues, LinkOptions, PointSize, Stage, StateFlags, StateKey,
};
use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::{Binding, Config, Resources, Space, System, Values};
use airfoil_ir::Slot;
use airfoil_ir::generate::{Choices, Seed};
use airfoil_opengl::{Api, Attribute, Context, Input, Kind as Attachment, gl};
use std::fmt::Write as _;
use std::io::Write as _;

const COLUMNS: u32 = 16;
const ROWS: u32 = 4;

fn programs(default: u64) -> u64 {
    std::env::var("AIRFOIL_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn open() -> Option<Context> {
    let context = Context::open(Api::Compatibility);
    if let Err(e) = &context {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
    }
    context.ok()
}

fn target(kind: Kind) -> u32 {
    match kind {
        Kind::Vertex => gl::VERTEX_PROGRAM_ARB,
        Kind::Fragment => gl::FRAGMENT_PROGRAM_ARB,
    }
}

/// The programs that are damaged.
const SAMPLES: [&str; 8] = [
    include_str!("../../../frontends/arb/tests/samples/lighting.vp"),
    include_str!("../../../frontends/arb/tests/samples/skinning.vp"),
    include_str!("../../../frontends/arb/tests/samples/invariant.vp"),
    include_str!("../../../frontends/arb/tests/samples/instructions.vp"),
    include_str!("../../../frontends/arb/tests/samples/instructions.fp"),
    include_str!("../../../frontends/arb/tests/samples/bump.fp"),
    include_str!("../../../frontends/arb/tests/samples/shadow.fp"),
    include_str!("../../../frontends/arb/tests/samples/buffers.fp"),
];

/// The tokens of a line.
fn tokens(line: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for c in line.chars() {
        match all.last_mut() {
            Some(last) if is_word(c) && last.chars().all(is_word) => last.push(c),
            _ => all.push(c.to_string()),
        }
    }
    all
}

/// A program with a token that is left out, repeated, or replaced by another one of the samples.
fn damaged(seed: &mut Seed) -> String {
    let mut pick = |n: usize| seed.below(n.max(1) as u32) as usize;
    let mut lines: Vec<String> = SAMPLES[pick(8)].lines().map(str::to_owned).collect();
    let at = 1 + pick(lines.len() - 1);
    let mut words = tokens(&lines[at]);
    if words.is_empty() {
        lines.remove(at);
        return lines.join("\n");
    }
    let word = pick(words.len());
    match pick(4) {
        0 => {
            words.remove(word);
        }
        1 => words.insert(word, words[word].clone()),
        _ => {
            let other: Vec<&str> = SAMPLES[pick(8)].lines().skip(1).collect();
            let from = tokens(other[pick(other.len())]);
            if !from.is_empty() {
                words[word] = from[pick(from.len())].clone();
            }
        }
    }
    lines[at] = words.concat();
    lines.join("\n")
}

/// Address registers of the driver.
fn registers(context: &Context) -> u32 {
    let mut count = 0;
    // SAFETY: as described in the library: one integer is written.
    unsafe {
        let gl = context.functions();
        gl.GetProgramivARB(gl::VERTEX_PROGRAM_ARB, gl::MAX_PROGRAM_ADDRESS_REGISTERS_ARB, &raw mut count);
    }
    count.unsigned_abs()
}

/// The byte position at the start of a message of [`Context::assembly`].
fn error_position(message: &str) -> usize {
    let digits = message.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
    digits.and_then(|part| part.parse().ok()).unwrap_or(0)
}

#[test]
fn damaged_programs_have_the_status_that_the_driver_finds() {
    let Some(context) = open() else { return };
    let mut options = Options::default();
    // As many as the driver has; it need not have more than one.
    options.limits.address_registers = registers(&context);
    let (mut valid, mut invalid, mut wrong) = (0, 0, Vec::new());
    for n in 0..programs(2_000) {
        let text = damaged(&mut Seed(n));
        let Some(kind) = airfoil_arb::target_of(text.as_bytes()) else { continue };
        let own = read(&Source { name: "", text: &text }, &options);
        let driver = context.assembly(target(kind), &text);
        match (&own, &driver) {
            (Ok(_), Ok(_)) => valid += 1,
            (Err(_), Err(_)) => invalid += 1,
            _ => {
                let message = own.as_ref().map_or_else(ToString::to_string, |_| "read".into());
                let position = match (&own, &driver) {
                    (Err(e), _) => e.position,
                    (_, Err(e)) => error_position(&e.to_string()),
                    _ => 0,
                };
                let line = text[..position.min(text.len())].lines().count().max(1) - 1;
                let line = text.lines().nth(line).unwrap_or("");
                wrong.push(format!("{n}: {message}; the driver: {:?}\n    {line}", driver.map(|_| "read")));
            }
        }
    }
    let name = context.renderer();
    let _ = writeln!(std::io::stderr(), "{valid} programs are valid, {invalid} are not on {name}");
    assert!(wrong.is_empty(), "{} programs differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// A random program.
struct Generator {
    seed: Seed,
    kind: Kind,
    text: String,
}

impl Generator {
    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.seed.below(of.len() as u32) as usize]
    }

    fn swizzle(&mut self) -> String {
        match self.seed.below(3) {
            0 => String::new(),
            1 => format!(".{}", self.pick(&["x", "y", "z", "w"])),
            _ => format!(".{}", (0..4).map(|_| self.pick(&["x", "y", "z", "w"])).collect::<String>()),
        }
    }

    fn input(&mut self) -> String {
        match self.kind {
            Kind::Vertex => self.pick(&["vertex.texcoord[0]", "vertex.texcoord[1]", "vertex.color"]).into(),
            Kind::Fragment => self.pick(&["fragment.texcoord[0]", "fragment.texcoord[1]"]).into(),
        }
    }

    /// An operand whose value is a multiple of 1/16.
    fn exact(&mut self) -> String {
        let sign = self.pick(&["", "-"]);
        let name = match self.seed.below(3) {
            0 => self.pick(&["c[0]", "c[1]", "c[3]"]).into(),
            1 => self.pick(&["program.local[0]", "program.env[1]"]).into(),
            _ => self.input(),
        };
        format!("{sign}{name}{}", self.swizzle())
    }

    fn operand(&mut self) -> String {
        if self.seed.below(2) == 0 {
            return self.exact();
        }
        format!("{}{}{}", self.pick(&["", "-"]), self.pick(&["r0", "r1", "r2", "r3"]), self.swizzle())
    }

    fn instruction(&mut self) {
        let saturate = if self.kind == Kind::Fragment && self.seed.below(4) == 0 { "_SAT" } else { "" };
        let mask = self.pick(&["", ".x", ".yz", ".xw", ".xyz"]);
        let to = format!("{}{mask}", self.pick(&["r0", "r1", "r2", "r3"]));
        let (a, b, c) = (self.operand(), self.operand(), self.operand());
        let (x, y) = (self.exact(), self.exact());
        let _ = match self.seed.below(16) {
            0 => writeln!(self.text, "ABS{saturate} {to}, {a};"),
            1 => writeln!(self.text, "ADD{saturate} {to}, {a}, {b};"),
            2 => writeln!(self.text, "DP3{saturate} {to}, {a}, {x};"),
            3 => writeln!(self.text, "DP4{saturate} {to}, {a}, {x};"),
            4 => writeln!(self.text, "DPH{saturate} {to}, {a}, {x};"),
            5 => writeln!(self.text, "DST{saturate} {to}, {a}, {x};"),
            6 => writeln!(self.text, "FLR{saturate} {to}, {x};"),
            7 => writeln!(self.text, "FRC{saturate} {to}, {x};"),
            8 => writeln!(self.text, "MAD{saturate} {to}, {a}, {x}, {c};"),
            9 => writeln!(self.text, "MAX{saturate} {to}, {a}, {b};"),
            10 => writeln!(self.text, "MIN{saturate} {to}, {a}, {b};"),
            11 => writeln!(self.text, "SGE{saturate} {to}, {x}, {y};"),
            12 => writeln!(self.text, "SLT{saturate} {to}, {x}, {y};"),
            13 => writeln!(self.text, "SUB{saturate} {to}, {a}, {b};"),
            14 => {
                let input = self.input();
                let lanes = [0; 4].map(|_| self.pick(&["x", "-y", "z", "-w", "0", "1", "-1"]));
                writeln!(self.text, "SWZ{saturate} {to}, {input}, {};", lanes.join(", "))
            }
            _ => match (self.kind, self.seed.below(2)) {
                (Kind::Vertex, _) => {
                    let input = self.input();
                    writeln!(self.text, "ARL a.x, {input}.y;\nMUL {to}, {a}, c[a.x+2];")
                }
                (_, 0) => writeln!(self.text, "CMP{saturate} {to}, {x}, {a}, {b};"),
                _ => writeln!(self.text, "LRP{saturate} {to}, {x}, {a}, {b};"),
            },
        };
    }

    /// A result that drivers round.
    fn rounded(&mut self) -> String {
        let (x, y) = (self.exact(), self.exact());
        let (a, b) = (self.input(), self.pick(&["x", "y", "z", "w"]));
        match self.seed.below(if self.kind == Kind::Vertex { 8 } else { 9 }) {
            0 => format!("EX2 r0, {a}.{b}"),
            1 => format!("LG2 r0, |{a}.{b}|").replace('|', ""),
            2 => format!("RCP r0, {a}.{b}"),
            3 => format!("RSQ r0, {a}.{b}"),
            4 => format!("POW r0, c[3].x, {a}.{b}"),
            5 => format!("LIT r0, {a}"),
            6 => format!("XPD r0.xyz, {x}, {y}"),
            7 => format!("MUL r0, {x}, {y}"),
            _ => format!("{} r0, {a}.{b}", self.pick(&["SIN", "COS"])),
        }
    }
}

fn random(kind: Kind, seed: u64) -> String {
    let (header, more) = match kind {
        Kind::Vertex => ("!!ARBvp1.0", "ADDRESS a;\nMOV result.position, vertex.position;\n"),
        Kind::Fragment => ("!!ARBfp1.0", ""),
    };
    let option = if kind == Kind::Fragment { "OPTION ARB_draw_buffers;\n" } else { "" };
    let text = format!(
        "{header}\n{option}TEMP r0, r1, r2, r3;\n\
         PARAM c[5] = {{ {{ 0.5, -1, 2, 0.25 }}, {{ 1 }}, program.local[1], {{ 1.5, 0, -0.75, 3 }}, 2 }};\n{more}"
    );
    let mut g = Generator { seed: Seed(seed), kind, text };
    for r in 0..4 {
        let operand = g.exact();
        let _ = writeln!(g.text, "MOV r{r}, {operand};");
    }
    for _ in 0..8 + g.seed.below(8) {
        g.instruction();
    }
    let (first, second) = match kind {
        Kind::Vertex => ("result.texcoord[0]", "result.texcoord[1]"),
        Kind::Fragment => ("result.color[0]", "result.color[1]"),
    };
    let register = g.pick(&["r0", "r1", "r2", "r3"]);
    let rounded = g.rounded();
    let _ = write!(g.text, "MOV {first}, {register};\n{rounded};\nMOV {second}, r0;\nEND\n");
    g.text
}

const PASS_VERTEX: &str = "!!ARBvp1.0
MOV result.position, vertex.position;
MOV result.texcoord[0], vertex.texcoord[0];
MOV result.texcoord[1], vertex.texcoord[1];
END";

const PASS_FRAGMENT: &str = "!!ARBfp1.0
OPTION ARB_draw_buffers;
MOV result.color[0], fragment.texcoord[0];
MOV result.color[1], fragment.texcoord[1];
END";

const LOCALS: [[f32; 4]; 2] = [[0.25, -0.5, 1.0, 2.0], [-1.0, 0.75, 0.5, 1.25]];
const ENV: [f32; 4] = [2.0, -0.25, 0.0, 0.125];

/// Positions, two texture coordinates and a color of each vertex.
fn vertices() -> Vec<[[f32; 4]; 4]> {
    let value = |n: u32, k: u32| ((n * 13 + k * 29 + n * k) % 64) as f32 / 16.0 - 2.0;
    let vector = |n: u32, at: u32| [0, 1, 2, 3].map(|k| value(n, at * 4 + k));
    let position = |n: u32| {
        let (x, y) = ((n % COLUMNS) as f32 + 0.5, (n / COLUMNS) as f32 + 0.5);
        [x / COLUMNS as f32 * 2.0 - 1.0, y / ROWS as f32 * 2.0 - 1.0, 0.5, 1.0]
    };
    (0..COLUMNS * ROWS).map(|n| [position(n), vector(n, 1), vector(n, 2), vector(n, 3)]).collect()
}

const INPUTS: [(u32, Input); 4] =
    [(0, Input::Vertex), (8, Input::TexCoord(0)), (9, Input::TexCoord(1)), (3, Input::Color)];

/// The words of both attachments by the driver.
fn driven(context: &Context, texts: [&str; 2]) -> [Vec<u32>; 2] {
    context.reset_state();
    context.disable(gl::POINT_SPRITE);
    let framebuffer = context.framebuffer(COLUMNS, ROWS, &[Attachment::Float; 2]).unwrap();
    let programs = [gl::VERTEX_PROGRAM_ARB, gl::FRAGMENT_PROGRAM_ARB];
    let programs = [0, 1]
        .map(|n| context.assembly(programs[n], texts[n]).unwrap_or_else(|e| panic!("{e}\n{}", texts[n])));
    for program in &programs {
        (0..).zip(LOCALS).for_each(|(n, value)| program.set_local(n, value));
        program.set_env(1, ENV);
    }
    let vertices = vertices();
    let attribute = |(n, (_, input)): (usize, (u32, Input))| Attribute {
        input,
        values: vertices.iter().map(|v| v[n].map(f32::to_bits)).collect(),
    };
    let attributes: Vec<Attribute> = INPUTS.into_iter().enumerate().map(attribute).collect();
    context.draw_with(gl::POINTS, &attributes).unwrap();
    [0, 1].map(|n| framebuffer.read(n).unwrap())
}

/// The words of both attachments by the interpreter, with the functions of `airfoil-gl`.
fn interpreted(device: &Device, texts: [&str; 2]) -> [Vec<u32>; 2] {
    let objects = [(AssemblyTarget::Vertex, texts[0]), (AssemblyTarget::Fragment, texts[1])]
        .map(|(target, text)| device.assemble("", target, text));
    for (object, text) in objects.iter().zip(texts) {
        assert!(object.status(), "{}\n{text}", object.log());
    }
    let linked = device.link(&[&objects[0], &objects[1]], &LinkOptions::default());
    let linked = linked.unwrap_or_else(|log| panic!("{log}\n{}\n{}", texts[0], texts[1]));
    let mut resources = Resources::new();
    for (stage, object) in [Stage::Vertex, Stage::Fragment].into_iter().zip(&objects) {
        let Some(block) = linked.parameter_block(stage) else { continue };
        let value = |p: &Parameter| match p {
            Parameter::Env(_) => ENV,
            Parameter::Local(n) => LOCALS[*n as usize],
            Parameter::Constant(value) => *value,
            Parameter::State(state) => panic!("{state}"),
        };
        let parameters = object.assembly().into_iter().flat_map(|a| &a.parameters);
        let bytes = parameters.flat_map(value).flat_map(f32::to_le_bytes).collect();
        let buffer = resources.add_buffer(bytes);
        let whole = Binding::Buffer { buffer, offset: 0, size: None };
        let binding = linked.reflection().uniform_blocks[block as usize].binding;
        resources.bind(Space::Uniform, 0, binding.expect("the linker assigns it"), 0, whole);
    }
    let key = StateKey {
        flags: StateFlags::HALF_Z,
        point_size: PointSize::State,
        color_attachments: 2,
        ..StateKey::default()
    };
    let values = DriverValues { point_size: 1.0, point_size_max: 64.0, ..DriverValues::default() };
    let buffer = resources.add_buffer(values.words().iter().flat_map(|w| w.to_le_bytes()).collect());
    let whole = Binding::Buffer { buffer, offset: 0, size: None };
    resources.bind(Space::Uniform, DriverValues::SET, DriverValues::BINDING, 0, whole);
    let shaders = [Stage::Vertex, Stage::Fragment].map(|stage| {
        linked.variant_shader(stage, &key, &Budget::default()).unwrap_or_else(|e| panic!("{e}"))
    });
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let vertex = |v: [[f32; 4]; 4]| {
        let mut inputs = Values::new();
        for ((slot, _), value) in INPUTS.into_iter().zip(v) {
            inputs.set_floats(Slot::generic(slot).unwrap_or(Slot::POSITION), value);
        }
        Vertex { inputs, system: System::new() }
    };
    let vertices: Vec<Vertex> = vertices().into_iter().map(vertex).collect();
    let mut state = State::new(COLUMNS, ROWS);
    (state.clip_depth, state.shader_point_size) = (ClipDepth::ZeroToOne, true);
    let mut target = Target::new(COLUMNS, ROWS, 1, 2);
    let draw = Draw { topology: Topology::Points, vertices: &vertices, indices: None, system: System::new() };
    let _ = pipeline.draw(&mut resources, &draw, &state, &mut target).unwrap_or_else(|e| panic!("{e:?}"));
    [0, 1].map(|n: usize| target.colors[n].iter().flatten().copied().collect())
}

#[test]
fn random_programs_have_the_results_of_the_driver() {
    let Some(context) = open() else { return };
    let device = Device::default();
    let (mut wrong, mut images) = (Vec::new(), std::collections::BTreeSet::new());
    for n in 0..programs(200) {
        let kind = if n % 2 == 0 { Kind::Vertex } else { Kind::Fragment };
        let text = random(kind, n);
        let texts = match kind {
            Kind::Vertex => [text.as_str(), PASS_FRAGMENT],
            Kind::Fragment => [PASS_VERTEX, text.as_str()],
        };
        let own = interpreted(&device, texts);
        let expected = driven(&context, texts);
        for (attachment, bound) in [(0, 1e-4), (1, 1.0 / 512.0)] {
            let pairs = expected[attachment].iter().zip(&own[attachment]);
            let differs = |(a, b): (&u32, &u32)| {
                let (a, b) = (f32::from_bits(*a), f32::from_bits(*b));
                let finite = a.is_finite() && b.is_finite();
                finite && (a - b).abs() > bound * a.abs().max(1.0)
            };
            if let Some(at) = pairs.clone().position(differs) {
                let [a, b] = [&expected, &own].map(|all| f32::from_bits(all[attachment][at]));
                wrong.push(format!("{n}: result {attachment} of {kind:?} word {at}: {a}, found {b}\n{text}"));
                break;
            }
        }
        images.insert(expected);
    }
    let name = context.renderer();
    let _ = writeln!(std::io::stderr(), "{} programs with {} images on {name}", programs(200), images.len());
    assert!(wrong.is_empty(), "{} programs differ:\n{}", wrong.len(), wrong.join("\n"));
}
