//! A draw with both sides of its state.

use crate::programs::{Kind as ProgramKind, Program};
use airfoil_gl::{Budget, Device, DriverValues, LinkOptions, Program as Linked, Stage, StateFlags, StateKey};
use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::Format;
use airfoil_interp::{Binding, Config, Resources, Space, System};
use airfoil_ir::{Slot, SystemValue};
use airfoil_opengl::{Context, Framebuffer, Kind, gl};
use std::sync::Arc;

/// Pixels of a row and rows of an image.
pub const SIZE: u32 = 16;

/// The descriptor set of the driver's block.
const DRIVER: u32 = 0xffff;

/// A draw.
pub struct Scene<'a> {
    pub context: &'a Context,
    pub program: &'a Program,
    linked: Arc<Linked>,
    driven: airfoil_opengl::Program<'a>,
    framebuffer: Framebuffer<'a>,
    kinds: Vec<Kind>,
    /// The key of the functions.
    pub key: StateKey,
    pub values: DriverValues,
    /// State of Metal's pipeline.
    pub state: State,
    /// Vertices of an array: position, color, another vector.
    pub vertices: Vec<[[f32; 4]; 3]>,
}

/// Corners of rectangles: edges do not meet centers of pixels.
fn rectangle(x: [f32; 2], y: [f32; 2], z: f32, turn: bool) -> [[f32; 4]; 6] {
    let at = |x: f32, y: f32| [x / 8.0 - 1.0, y / 8.0 - 1.0, z, 1.0];
    let [a, b, c, d] = [at(x[0], y[0]), at(x[1], y[0]), at(x[0], y[1]), at(x[1], y[1])];
    if turn { [a, c, b, b, c, d] } else { [a, b, c, b, d, c] }
}

fn vertices(kind: ProgramKind) -> Vec<[[f32; 4]; 3]> {
    let positions: Vec<[f32; 4]> = match kind.contains(ProgramKind::POINTS) {
        true => {
            let points =
                [(3.25, 4.125, 0.25), (11.125, 3.375, -0.5), (6.375, 12.25, 0.75), (13.25, 12.125, 0.0)];
            points.iter().map(|&(x, y, z)| [x / 8.0 - 1.0, y / 8.0 - 1.0, z, 1.0]).collect()
        }
        false => [
            rectangle([0.25, 9.75], [1.25, 15.25], 0.5, false),
            rectangle([5.25, 15.25], [0.75, 7.25], -0.25, true),
            rectangle([6.75, 14.25], [4.25, 14.75], 0.25, false),
        ]
        .concat(),
    };
    let value = |n: usize, k: usize| ((n * 7 + k * 5) % 16) as f32 / 16.0;
    let vector = |n: usize, at: usize| [0, 1, 2, 3].map(|k| value(n + at, k + at));
    positions.iter().enumerate().map(|(n, &p)| [p, vector(n, 1), vector(n, 4)]).collect()
}

impl<'a> Scene<'a> {
    pub fn new(context: &'a Context, program: &'a Program) -> Scene<'a> {
        let device = Device::default();
        let objects = [
            device.compile("vertex", Stage::Vertex, &[program.vertex]),
            device.compile("fragment", Stage::Fragment, &[program.fragment]),
        ];
        let mut options = LinkOptions::default();
        for (name, location) in [("p", 0), ("c", 1), ("d", 2)] {
            options.attribute_bindings.push((name.into(), location));
        }
        let linked = device.link(&[&objects[0], &objects[1]], &options).unwrap_or_else(|log| panic!("{log}"));
        let mut sources = vec![(Stage::Vertex, program.vertex)];
        if !program.kind.contains(ProgramKind::FIXED) {
            sources.push((Stage::Fragment, program.fragment));
        }
        let shaders: Vec<_> = sources.iter().map(|(s, text)| context.compile(*s, text).unwrap()).collect();
        let driven = context.link_with(&shaders, |program| {
            for (name, location) in [("p", 0), ("c", 1), ("d", 2)] {
                program.bind_attribute(name, location);
            }
        });
        assert!(driven.status(), "{}", driven.log());
        let kind = match program.kind {
            k if k.contains(ProgramKind::UINTS) => Kind::Uint,
            k if k.contains(ProgramKind::UNORM) => Kind::Unorm8,
            _ => Kind::Float,
        };
        let count = if program.kind.contains(ProgramKind::ONE) { 2 } else { 1 };
        let kinds = vec![kind; count];
        let framebuffer = context.framebuffer(SIZE, SIZE, &kinds).unwrap();
        context.reset_state();
        let mut key = StateKey { flags: StateFlags::HALF_Z, ..StateKey::default() };
        key.color_attachments = count as u8;
        let points = program.kind.contains(ProgramKind::POINTS);
        key.point_size = if points { airfoil_gl::PointSize::State } else { airfoil_gl::PointSize::None };
        // With none enabled, llvmpipe of Mesa 22.3.6 clips by all (OpenGL 4.6 section 13.7; NVIDIA's driver clips by none).
        if program.kind.contains(ProgramKind::DISTANCES) {
            context.enable(gl::CLIP_DISTANCE2);
            key.clip_enable = 4;
        }
        let values = DriverValues {
            height: SIZE as f32,
            width: SIZE as f32,
            point_size: 1.0,
            point_size_max: 64.0,
            ..DriverValues::default()
        };
        let mut state = State {
            clip_depth: ClipDepth::ZeroToOne,
            clip_distances: 0xff,
            shader_point_size: true,
            first_provokes: true,
            ..State::new(SIZE, SIZE)
        };
        state.depth_test = Some(airfoil_interp::texture::Compare::Less);
        state.depth_write = true;
        let vertices = vertices(program.kind);
        Scene { context, program, linked, driven, framebuffer, kinds, key, values, state, vertices }
    }

    /// The words of each attachment by the driver.
    pub fn driven(&self) -> Vec<Vec<u32>> {
        self.framebuffer.clear().unwrap();
        self.driven.make_current().unwrap();
        let mode = if self.program.kind.contains(ProgramKind::POINTS) { gl::POINTS } else { gl::TRIANGLES };
        let attribute = |n: usize| self.vertices.iter().flat_map(|v| v[n]).collect::<Vec<f32>>();
        self.context.draw_with(mode, &[attribute(0), attribute(1), attribute(2)]).unwrap();
        (0..self.kinds.len()).map(|n| self.framebuffer.read(n).unwrap()).collect()
    }

    /// The words of each attachment by the interpreter.
    pub fn interpreted(&self) -> Vec<Vec<u32>> {
        let of = |stage| self.linked.variant_shader(stage, &self.key, &Budget::default());
        let stages: Vec<Stage> = self.linked.stages().collect();
        let shaders: Vec<_> =
            stages.into_iter().map(|stage| of(stage).unwrap_or_else(|e| panic!("{e}"))).collect();
        let mut pipeline = Pipeline::new(&shaders, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
        let mut target = Target::new(SIZE, SIZE, 1, self.kinds.len());
        let format = |kind: &Kind| match kind {
            Kind::Float => Format::Rgba32f,
            Kind::Unorm8 => Format::Rgba8,
            Kind::Int => Format::Rgba32i,
            Kind::Uint => Format::Rgba32ui,
        };
        target.formats = self.kinds.iter().map(format).collect();
        target.depth = Some(vec![1.0; (SIZE * SIZE) as usize]);
        let mut resources = Resources::new();
        let bytes = self.values.words().iter().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = resources.add_buffer(bytes);
        let whole = Binding::Buffer { buffer, offset: 0, size: None };
        resources.bind(Space::Uniform, DRIVER, DriverValues::BINDING, 0, whole);
        let vertex = |(n, attributes): (usize, &[[f32; 4]; 3])| {
            let mut v = Vertex::default();
            for (location, &value) in (0..).zip(attributes) {
                v.inputs.set_floats(Slot::generic(location).unwrap_or(Slot::POSITION), value);
            }
            let n = n as u64;
            v.system = System::new()
                .with(SystemValue::vertex_id, n)
                .with(SystemValue::vertex_id_zero_base, n)
                .with(SystemValue::instance_id, 0)
                .with(SystemValue::instance_index, 0);
            v
        };
        let vertices: Vec<Vertex> = self.vertices.iter().enumerate().map(vertex).collect();
        let points = self.program.kind.contains(ProgramKind::POINTS);
        let topology = if points { Topology::Points } else { Topology::Triangles };
        let draw = Draw { topology, vertices: &vertices, indices: None, system: System::new() };
        let _ = pipeline
            .draw(&mut resources, &draw, &self.state, &mut target)
            .unwrap_or_else(|e| panic!("{e:?}"));
        target.colors.iter().map(|all| all.iter().flatten().copied().collect()).collect()
    }
}

/// The first pixel that differs: floats by more than 1/4096, or 1.5/255 of an attachment of 8 bits.
pub fn difference(scene: &Scene<'_>, expected: &[Vec<u32>], found: &[Vec<u32>]) -> Option<String> {
    for (n, (expected, found)) in expected.iter().zip(found).enumerate() {
        let integers = scene.kinds[n] == Kind::Uint;
        let blends = scene.key.blend != airfoil_gl::BlendEquation::None;
        let bound = match scene.kinds[n] {
            Kind::Unorm8 => 1.5 / 255.0,
            // NVIDIA's driver blends in half precision.
            _ if blends => 1.0 / 256.0,
            _ => 1.0 / 4096.0,
        };
        let pixels = expected.chunks_exact(4).zip(found.chunks_exact(4));
        let equal = |a: u32, b: u32| match integers {
            true => a == b,
            false => {
                let (a, b) = (f32::from_bits(a), f32::from_bits(b));
                a == b || (a - b).abs() <= bound || (a.is_nan() && b.is_nan())
            }
        };
        let all: Vec<usize> = pixels
            .enumerate()
            .filter(|(_, (a, b))| !a.iter().zip(*b).all(|(a, b)| equal(*a, *b)))
            .map(|(at, _)| at)
            .collect();
        if let Some(&at) = all.first() {
            let show = |words: &[u32]| match integers {
                true => format!("{:?}", &words[4 * at..4 * at + 4]),
                false => format!(
                    "{:?}",
                    words[4 * at..4 * at + 4].iter().map(|w| f32::from_bits(*w)).collect::<Vec<_>>()
                ),
            };
            return Some(format!(
                "{} pixels of attachment {n}, the first at {}, {}: {}, found {}",
                all.len(),
                at as u32 % SIZE,
                at as u32 / SIZE,
                show(expected),
                show(found)
            ));
        }
    }
    None
}
