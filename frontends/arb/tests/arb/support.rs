//! Executes programs by the interpreter.

use airfoil_air::plan::pipeline;
use airfoil_arb::{Options, Parameter, Program, Source, read};
use airfoil_interp::run::{Fragment, FragmentBatch, Primitive, Quad, Vertex};
use airfoil_interp::{Binding, Config, Program as Machine, Resources, Space, System, Values};
use airfoil_ir::{Form, Shader, Slot, text, validate::validate};
use airfoil_passes::presets::OptLevel;
use airfoil_passes::{Manager, manager};

/// Reads a program that must be valid.
#[track_caller]
pub fn program(text: &str) -> Program {
    program_with(text, &Options::default())
}

/// Reads a program that must be valid.
#[track_caller]
pub fn program_with(text: &str, options: &Options) -> Program {
    let program = read(&Source { name: "test", text }, options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let violations = validate(&program.shader);
    assert!(violations.is_empty(), "{violations:#?}\n{}", text::print(&program.shader));
    program
}

/// The values of the inputs and parameters of a program.
#[derive(Default)]
pub struct World {
    /// Attributes by slot.
    pub inputs: Values,
    /// `program.local`
    pub local: Vec<[f32; 4]>,
    /// Other parameters, by their names.
    pub named: Vec<(&'static str, [f32; 4])>,
    /// Textures.
    pub resources: Resources,
    /// `gl_FragCoord` of the fragment.
    pub coord: [f32; 4],
}

impl World {
    fn parameter(&self, parameter: &Parameter) -> [f32; 4] {
        match parameter {
            Parameter::Local(n) if (*n as usize) < self.local.len() => self.local[*n as usize],
            Parameter::Constant(value) => *value,
            other => {
                let name = other.to_string();
                let found = self.named.iter().find(|(n, _)| *n == name);
                found.unwrap_or_else(|| panic!("{name} has no value")).1
            }
        }
    }
}

/// The outputs of a program; `None` if it discards the fragment.
pub fn run(program: &Program, world: &World) -> Option<Values> {
    run_shader(&program.shader, program, world)
}

/// The same after optimisation.
pub fn run_optimized(program: &Program, world: &World) -> Option<Values> {
    let mut shader = program.shader.clone();
    let mut manager = Manager::new(manager::Options { validate: true, ..manager::Options::default() });
    let _ =
        manager.run(pipeline(OptLevel::O2, Form::Variables), &mut shader).unwrap_or_else(|e| panic!("{e:?}"));
    run_shader(&shader, program, world)
}

fn run_shader(shader: &Shader, program: &Program, world: &World) -> Option<Values> {
    let mut resources = world.resources.clone();
    let vectors = program.parameters.iter().map(|p| world.parameter(p));
    let bytes = vectors.flatten().flat_map(f32::to_le_bytes).collect();
    let buffer = resources.add_buffer(bytes);
    resources.bind(Space::Uniform, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
    let config = Config { undefined: 0x7fc0_0000, ..Config::default() };
    let mut machine = Machine::new(shader, config).unwrap_or_else(|e| panic!("{e:?}"));
    if program.target == airfoil_arb::Target::Vertex {
        let vertex = Vertex { inputs: world.inputs.clone(), system: System::new() };
        let outputs = machine.vertex(&mut resources, &System::new(), &[vertex]);
        return outputs.unwrap_or_else(|e| panic!("{e:?}")).pop();
    }
    let primitive = Primitive {
        vertices: vec![world.inputs.clone(); 3],
        window: vec![[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]],
        inverse_w: vec![1.0; 3],
        ..Primitive::default()
    };
    let fragment = Fragment { coord: world.coord, coverage: 1, ..Fragment::default() };
    let fragments = std::array::from_fn(|_| fragment.clone());
    let quads = [Quad { primitive: &primitive, pixel: [0, 0], fragments }];
    let batch = FragmentBatch { quads: &quads, sample_positions: &[[0.5, 0.5]], system: System::new() };
    let outcome = machine.fragment(&mut resources, &batch).unwrap_or_else(|e| panic!("{e:?}"));
    let first = &outcome[0][0];
    (!first.discarded).then(|| first.outputs.clone())
}

/// A slot of both executions, which must be equal; `None` if it is not written or the fragment is discarded.
#[track_caller]
pub fn output(program: &Program, world: &World, slot: Slot) -> Option<[f32; 4]> {
    let plain = run(program, world).and_then(|v| v.floats(slot));
    let slot = if slot == Slot::FRAG_COLOR { Slot(Slot::GENERIC) } else { slot };
    let optimized = run_optimized(program, world);
    let optimized = optimized.and_then(|v| v.floats(slot).or_else(|| v.floats(Slot::FRAG_COLOR)));
    match (plain, optimized) {
        (Some(a), Some(b)) => {
            assert!((0..4).all(|c| near(a[c], b[c])), "{a:?} became {b:?}\n{}", text::print(&program.shader));
        }
        (a, b) => assert_eq!(a.is_some(), b.is_some()),
    }
    plain
}

/// Whether numbers are equal but for rounding.
pub fn near(a: f32, b: f32) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 2e-5 * a.abs().max(b.abs()).max(0.05)
}

/// Asserts that vectors are equal but for rounding.
#[track_caller]
pub fn assert_near(found: [f32; 4], expected: [f32; 4], text: &str) {
    assert!((0..4).all(|c| near(found[c], expected[c])), "expected {expected:?}, found {found:?}\n{text}");
}
