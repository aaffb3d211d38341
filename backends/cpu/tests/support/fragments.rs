//! Fragments of a triangle on both engines.
#![allow(dead_code)] // each test file uses some of it

use airfoil::Shader;
use airfoil_cpu::{Config, Program};
use airfoil_interp::run::{Fragment, FragmentBatch, FragmentOutput, Primitive, Quad};
use airfoil_interp::{Resources, System, Values};
use airfoil_ir::Slot;

/// Where the samples of a pixel are.
pub const SAMPLES: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

pub fn generic(n: u32) -> Slot {
    Slot::generic(n).unwrap()
}

/// A triangle over a window of 8 by 8 whose corners have `values` at location 0.
pub fn triangle(values: [[f32; 4]; 3]) -> Primitive {
    let corner = |v: [f32; 4]| {
        let mut values = Values::new();
        values.set_floats(generic(0), v);
        values
    };
    Primitive {
        vertices: values.map(corner).to_vec(),
        window: vec![[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]],
        inverse_w: vec![1.0, 0.5, 0.25],
        ..Primitive::default()
    }
}

fn quads(primitive: &Primitive, sample: Option<u32>) -> Vec<Quad<'_>> {
    let places = (0..4).map(|n| [n % 2 * 2, n / 2 * 2]);
    places
        .map(|pixel| Quad {
            primitive,
            pixel,
            fragments: std::array::from_fn(|k| Fragment {
                coord: [
                    pixel[0] as f32 + (k & 1) as f32 + 0.5,
                    pixel[1] as f32 + (k >> 1) as f32 + 0.5,
                    0.25,
                    1.0,
                ],
                helper: k == 3,
                coverage: 1,
                centroid: [0.125, -0.25],
                sample,
                ..Fragment::default()
            }),
        })
        .collect()
}

/// Executes on both engines; they must agree.
pub fn both(shader: &Shader, resources: &mut Resources, primitive: &Primitive) -> Vec<[FragmentOutput; 4]> {
    both_of(shader, shader, resources, primitive)
}

/// Executes a shader, and the variant for the interpreter.
pub fn both_of(
    shader: &Shader,
    other: &Shader,
    resources: &mut Resources,
    primitive: &Primitive,
) -> Vec<[FragmentOutput; 4]> {
    both_at(shader, other, resources, primitive, None)
}

/// The same for one of the [`SAMPLES`].
pub fn both_at(
    shader: &Shader,
    other: &Shader,
    resources: &mut Resources,
    primitive: &Primitive,
    sample: Option<u32>,
) -> Vec<[FragmentOutput; 4]> {
    let quads = quads(primitive, sample);
    let batch = FragmentBatch { quads: &quads, sample_positions: &SAMPLES, system: System::new() };
    let program = Program::new(shader, Config::default()).unwrap();
    let out = program.fragments(resources, &batch).unwrap();
    let mut interp = airfoil_interp::Program::new(other, airfoil_interp::Config::default()).unwrap();
    let expected = interp.fragment(resources, &batch).unwrap();
    for (own, other) in out.iter().flatten().zip(expected.iter().flatten()) {
        assert_eq!(own.discarded, other.discarded);
        let slots = |o: &FragmentOutput| {
            let mut slots: Vec<_> = o.outputs.iter().collect();
            slots.sort_by_key(|s| s.0);
            slots
        };
        // Results of discarded fragments are ignored.
        assert!(own.discarded || slots(own) == slots(other), "{own:?}\n{other:?}");
    }
    out
}
