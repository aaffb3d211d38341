//! Draws of variants by the interpreter.

use airfoil::interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil::interp::run::Vertex;
use airfoil::interp::{Binding, Config, Resources, Space, System};
use airfoil::ir::{Shader, Slot, SystemValue};
use airfoil_gl::{Budget, Device, DriverValues, LinkOptions, Program, Stage, StateKey};
use std::sync::Arc;

/// Pixels of a row and rows of the images.
pub const SIZE: u32 = 8;

/// The descriptor set of the driver's blocks.
const DRIVER: u32 = 0xffff;

/// A program and the vertices of a draw, by attribute.
pub struct Scene {
    pub program: Arc<Program>,
    pub topology: Topology,
    pub vertices: Vec<Vec<[f32; 4]>>,
    pub colors: usize,
    pub resources: Resources,
    /// Samples of a pixel.
    pub samples: u32,
    /// Fragments are shaded: Metal takes no fragment function without rasterisation.
    pub fragments: bool,
}

/// Two triangles that cover the window, at z = 0.
pub const WINDOW: [[f32; 4]; 6] = [
    [-1.0, -1.0, 0.0, 1.0],
    [1.0, -1.0, 0.0, 1.0],
    [-1.0, 1.0, 0.0, 1.0],
    [1.0, -1.0, 0.0, 1.0],
    [1.0, 1.0, 0.0, 1.0],
    [-1.0, 1.0, 0.0, 1.0],
];

/// Links a program of one shader per stage.
pub fn link(sources: &[(Stage, &str)]) -> Arc<Program> {
    let device = Device::default();
    let objects: Vec<_> = sources.iter().map(|(stage, text)| device.compile("o", *stage, &[*text])).collect();
    for object in &objects {
        assert!(object.status(), "{}", object.log());
    }
    let objects: Vec<_> = objects.iter().collect();
    device.link(&objects, &LinkOptions::default()).unwrap_or_else(|log| panic!("{log}"))
}

pub fn link_with(vertex: &str, fragment: &str, options: &LinkOptions) -> Arc<Program> {
    let device = Device::default();
    let objects = [
        device.compile("vertex", Stage::Vertex, &[vertex]),
        device.compile("fragment", Stage::Fragment, &[fragment]),
    ];
    for object in &objects {
        assert!(object.status(), "{}", object.log());
    }
    device.link(&[&objects[0], &objects[1]], options).unwrap_or_else(|log| panic!("{log}"))
}

impl Scene {
    /// A window of triangles.
    pub fn new(vertex: &str, fragment: &str) -> Scene {
        Scene::of(link_with(vertex, fragment, &LinkOptions::default()))
    }

    pub fn of(program: Arc<Program>) -> Scene {
        let vertices = WINDOW.iter().map(|&p| vec![p]).collect();
        Scene {
            program,
            topology: Topology::Triangles,
            vertices,
            colors: 1,
            resources: Resources::new(),
            samples: 1,
            fragments: true,
        }
    }

    /// Binds the values of the driver.
    pub fn values(&mut self, values: &DriverValues) {
        let _ = self.driver(Space::Uniform, DriverValues::BINDING, &values.words());
    }

    /// Binds a block of the driver.
    pub fn driver(&mut self, space: Space, binding: u32, words: &[u32]) -> usize {
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = self.resources.add_buffer(bytes);
        let what = Binding::Buffer { buffer, offset: 0, size: None };
        self.resources.bind(space, DRIVER, binding, 0, what);
        buffer
    }

    /// Binds a storage block of the program.
    pub fn storage(&mut self, binding: u32, words: &[u32]) -> usize {
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = self.resources.add_buffer(bytes);
        let what = Binding::Buffer { buffer, offset: 0, size: None };
        self.resources.bind(Space::Storage, 0, binding, 0, what);
        buffer
    }

    /// The variants of both stages, which are also selected and written.
    pub fn shaders(&self, key: &StateKey) -> Vec<Shader> {
        let stages: Vec<Stage> = self.program.stages().collect();
        let of = |stage| {
            let budget = Budget::default();
            let function =
                self.program.variant(stage, key, &budget).unwrap_or_else(|e| panic!("{stage}: {e}"));
            assert!(function.metallib.starts_with(b"MTLB"));
            let canonical = self.program.stage_canonical(stage, key);
            let same = self.program.variant(stage, &canonical, &budget).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(
                function.metallib, same.metallib,
                "{stage}: {key:?} and its canonical form {canonical:?}"
            );
            self.program.variant_shader(stage, key, &budget).unwrap_or_else(|e| panic!("{e}"))
        };
        stages.into_iter().map(of).collect()
    }

    /// The state of Metal.
    pub fn state(&self) -> State {
        State {
            clip_depth: ClipDepth::ZeroToOne,
            clip_distances: 0xff,
            shader_point_size: true,
            first_provokes: true,
            ..State::new(SIZE, SIZE)
        }
    }

    /// Draws with a key.
    pub fn draw(&mut self, key: &StateKey) -> Target {
        let mut target = Target::new(SIZE, SIZE, 1, self.colors);
        target.depth = Some(vec![1.0; (SIZE * SIZE) as usize]);
        if self.samples > 1 {
            target = target.with_samples(self.samples).unwrap_or_else(|e| panic!("{e:?}"));
        }
        self.draw_to(key, &self.state(), &mut target);
        target
    }

    pub fn draw_to(&mut self, key: &StateKey, state: &State, target: &mut Target) {
        let mut shaders = self.shaders(key);
        shaders.retain(|s| self.fragments || s.stage != Stage::Fragment);
        let mut pipeline = Pipeline::new(&shaders, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
        let vertex = |(n, attributes): (usize, &Vec<[f32; 4]>)| {
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
        let draw =
            Draw { topology: self.topology, vertices: &vertices, indices: None, system: System::new() };
        pipeline.draw(&mut self.resources, &draw, state, target).unwrap_or_else(|e| panic!("{e:?}"));
    }
}

/// Compares an image with a formula over the columns and rows; row 0 is the lowest one of clip space.
pub fn expect(target: &Target, color: usize, want: impl Fn(u32, u32) -> [f32; 4]) {
    for (x, y) in (0..SIZE * SIZE).map(|i| (i % SIZE, i / SIZE)) {
        let found = target.floats(color, x, y, 0).unwrap_or([f32::NAN; 4]);
        assert_eq!(found, want(x, y), "color {color} at ({x}, {y})");
    }
}

pub const WHITE: [f32; 4] = [1.0; 4];
pub const CLEAR: [f32; 4] = [0.0; 4];

pub fn white_if(condition: bool) -> [f32; 4] {
    if condition { WHITE } else { CLEAR }
}

/// Compares an image with a formula; colors may be a few roundings apart.
pub fn expect_close(target: &Target, color: usize, want: impl Fn(u32, u32) -> [f32; 4]) {
    for (x, y) in (0..SIZE * SIZE).map(|i| (i % SIZE, i / SIZE)) {
        let found = target.floats(color, x, y, 0).unwrap_or([f32::NAN; 4]);
        let is_close = found.iter().zip(want(x, y)).all(|(a, b)| (a - b).abs() <= 4.0 * f32::EPSILON);
        assert!(is_close, "color {color} at ({x}, {y}): {found:?}, expected {:?}", want(x, y));
    }
}
