//! Executes generated shaders by the interpreter, as they are and optimized.

use airfoil::Form;
use airfoil::air::plan::pipeline;
use airfoil::interp::run::{Fragment, FragmentBatch, Primitive, Quad, Vertex};
use airfoil::interp::texture::{Color, Format, Image, Sampler, View};
use airfoil::interp::{Binding, Config, Program, Resources, Space, System, Values};
use airfoil::ir::validate::validate;
use airfoil::ir::{Dim, Shader, text};
use airfoil::passes::presets::OptLevel;
use airfoil::passes::{Manager, manager};
use airfoil_gl::fixed::FixedShader;

/// The outputs of a shader for inputs: of its own code, and after optimization.
pub fn run(fixed: &FixedShader, block: &[u8], resources: &Resources, inputs: &Values) -> [Values; 2] {
    let violations = validate(&fixed.shader);
    assert!(violations.is_empty(), "{violations:#?}\n{}", text::print(&fixed.shader));
    let mut optimized = fixed.shader.clone();
    let mut manager = Manager::new(manager::Options { validate: true, ..manager::Options::default() });
    let _ = manager
        .run(pipeline(OptLevel::O2, Form::Variables), &mut optimized)
        .unwrap_or_else(|e| panic!("{e:?}"));
    [&fixed.shader, &optimized].map(|shader| {
        let mut resources = resources.clone();
        let buffer = resources.add_buffer(block.to_vec());
        let what = Binding::Buffer { buffer, offset: 0, size: None };
        resources.bind(Space::Uniform, 0, fixed.binding, 0, what);
        execute(shader, &mut resources, inputs)
    })
}

fn execute(shader: &Shader, resources: &mut Resources, inputs: &Values) -> Values {
    let config = Config { undefined: 0x7fc0_0000, ..Config::default() };
    let mut machine = Program::new(shader, config).unwrap_or_else(|e| panic!("{e:?}"));
    if shader.stage == airfoil::Stage::Vertex {
        let vertex = Vertex { inputs: inputs.clone(), system: System::new() };
        let outputs = machine.vertex(resources, &System::new(), &[vertex]);
        return outputs.unwrap_or_else(|e| panic!("{e:?}")).remove(0);
    }
    let primitive = Primitive {
        vertices: vec![inputs.clone(); 3],
        window: vec![[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]],
        inverse_w: vec![1.0; 3],
        ..Primitive::default()
    };
    let fragment = Fragment { coverage: 1, ..Fragment::default() };
    let fragments = std::array::from_fn(|_| fragment.clone());
    let quads = [Quad { primitive: &primitive, pixel: [0, 0], fragments }];
    let batch = FragmentBatch { quads: &quads, sample_positions: &[[0.5, 0.5]], system: System::new() };
    let outcome = machine.fragment(resources, &batch).unwrap_or_else(|e| panic!("{e:?}"));
    outcome[0][0].outputs.clone()
}

/// Binds a texture of 8 texels along each axis to a unit.
pub fn bind(
    resources: &mut Resources,
    unit: u32,
    dim: Dim,
    sampler: Sampler,
    texel: impl Fn([u32; 3]) -> [f64; 4],
) {
    let (size, layers) = match dim {
        Dim::D1 => ([8, 1, 1], 1),
        Dim::D3 => ([8, 8, 8], 1),
        Dim::Cube => ([8, 8, 1], 6),
        _ => ([8, 8, 1], 1),
    };
    let image_dim = if dim == Dim::Rect { Dim::D2 } else { dim };
    let mut image = Image::new(image_dim, Format::Rgba32f, size, layers, 1, 1).unwrap();
    for layer in 0..layers {
        for n in 0..size[0] * size[1] * size[2] {
            let [x, y, z] = [n % size[0], n / size[0] % size[1], n / size[0] / size[1]];
            let at = [x, y, if dim == Dim::Cube { layer } else { z }];
            image.set(0, layer, [x, y, z], 0, Color::Float(texel(at)));
        }
    }
    let image = resources.add_image(image);
    let sampler = resources.add_sampler(sampler);
    let what = Binding::Texture { image, view: View::default(), sampler: Some(sampler) };
    resources.bind(Space::Texture, 0, unit, 0, what);
}

/// Asserts that values are equal but for rounding.
#[track_caller]
pub fn assert_near(found: &[f32], expected: &[f64], tolerance: f64, what: &str) {
    let is_near = |(&f, &e): (&f32, &f64)| (f64::from(f) - e).abs() <= tolerance * e.abs().max(1.0);
    assert!(found.iter().zip(expected).all(is_near), "{what}: expected {expected:?}, found {found:?}");
}
