//! Instructions that the interpreter executes in a second, counted once per invocation, on one core:
//! `cargo bench -p airfoil-interp --bench interp`.
//!
//! Each shader is measured as the front end produces it (form `variables`) and after O2 (form `target`).
#![allow(missing_docs)]

use airfoil_interp::run::{Fragment, FragmentBatch, Primitive, Quad};
use airfoil_interp::texture::{Color, Filter, Format, Image, Sampler, View};
use airfoil_interp::{Binding, Config, Program, Resources, Space, System, Values};
use airfoil_ir::{Dim, Shader, Slot};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn shader(text: &str) -> Shader {
    airfoil_ir::text::parse(text).expect("the benches' shaders parse")
}

fn buffer(resources: &mut Resources, space: Space, bytes: Vec<u8>) {
    let buffer = resources.add_buffer(bytes);
    resources.bind(space, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
}

/// A workgroup of one subgroup that computes in a loop.
fn alu(program: &mut Program<'_>) {
    let mut resources = Resources::new();
    buffer(&mut resources, Space::Storage, vec![0; 32 * 4]);
    buffer(&mut resources, Space::Uniform, [200u32.to_le_bytes(), 0.1f32.to_le_bytes()].concat());
    program.compute(&mut resources, &System::new(), [1, 1, 1]).expect("runs");
}

/// Workgroups of four subgroups that add up numbers.
fn shared(program: &mut Program<'_>) {
    let mut resources = Resources::new();
    buffer(&mut resources, Space::Storage, vec![0; 4 * 128 * 4]);
    program.compute(&mut resources, &System::new(), [4, 1, 1]).expect("runs");
}

/// 64 quads that blur a texture.
fn texture(program: &mut Program<'_>) {
    let mut resources = Resources::new();
    let mut image = Image::new(Dim::D2, Format::Rgba8, [64, 64, 1], 1, 1, 1).expect("fits");
    for (x, y) in (0..64).flat_map(|y| (0..64).map(move |x| (x, y))) {
        let color = Color::Float([f64::from(x) / 63.0, f64::from(y) / 63.0, 0.5, 1.0]);
        image.set(0, 0, [x, y, 0], 0, color);
    }
    let image = resources.add_image(image);
    let linear = Sampler { mag: Filter::Linear, min: Filter::Linear, ..Sampler::default() };
    let sampler = Some(resources.add_sampler(linear));
    resources.bind(Space::Texture, 0, 0, 0, Binding::Texture { image, view: View::default(), sampler });
    let corner = |x: f32, y: f32| {
        let mut values = Values::new();
        values.set_floats(Slot::generic(0).expect("exists"), [x, y, 0.0, 1.0]);
        values
    };
    let primitive = Primitive {
        vertices: vec![corner(0.0, 0.0), corner(2.0, 0.0), corner(0.0, 2.0)],
        window: vec![[0.0, 0.0], [32.0, 0.0], [0.0, 32.0]],
        inverse_w: vec![1.0; 3],
        ..Primitive::default()
    };
    let place = |k: i32, from: i32| (from + k) as f32 + 0.5;
    let quads: Vec<Quad<'_>> = (0..64)
        .map(|n| [n % 8 * 2, n / 8 * 2])
        .map(|pixel| Quad {
            primitive: &primitive,
            pixel,
            fragments: std::array::from_fn(|k| Fragment {
                coord: [place(k as i32 % 2, pixel[0]), place(k as i32 / 2, pixel[1]), 0.5, 1.0],
                coverage: 1,
                ..Fragment::default()
            }),
        })
        .collect();
    let batch = FragmentBatch { quads: &quads, sample_positions: &[[0.5, 0.5]], system: System::new() };
    program.fragment(&mut resources, &batch).expect("runs");
}

type Run = fn(&mut Program<'_>);

const SHADERS: &[(&str, &str, Run)] = &[
    ("alu", include_str!("alu.foil"), alu),
    ("alu, O2", include_str!("alu_o2.foil"), alu),
    ("texture", include_str!("texture.foil"), texture),
    ("texture, O2", include_str!("texture_o2.foil"), texture),
    ("shared memory", include_str!("shared.foil"), shared),
    ("shared memory, O2", include_str!("shared_o2.foil"), shared),
];

fn instructions(c: &mut Criterion) {
    let mut group = c.benchmark_group("instructions");
    for (name, text, run) in SHADERS {
        let shader = shader(text);
        let mut program = Program::new(&shader, Config::default()).expect("is supported");
        run(&mut program);
        group.throughput(Throughput::Elements(program.steps()));
        group.bench_function(*name, |b| b.iter(|| run(&mut program)));
    }
    group.finish();
}

criterion_group!(benches, instructions);
criterion_main!(benches);
