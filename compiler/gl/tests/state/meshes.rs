//! Draws by mesh functions, as a driver makes them: kernels, a mesh function, fragments.

use crate::scene::{SIZE, Scene, WHITE, link};
use airfoil::interp::pipeline::{Draw, Pipeline, Target, Topology};
use airfoil::interp::run::{Program as Runner, Vertex};
use airfoil::interp::{Binding, Config, Resources, Space, System, Values};
use airfoil::ir::{Primitive, Shader, Slot, SystemValue};
use airfoil::passes::stages::stage_buffer::StageBuffer;
use airfoil_gl::{Budget, DriverValues, LineMode, PolygonMode, Program, Stage, StateKey};
use std::sync::Arc;

/// The descriptor set of the driver's buffers.
pub const DRIVER: u32 = 0xffff;

pub const VERTEX: &str =
    "#version 150 compatibility\nin vec4 p; in vec4 c; out vec4 color; flat out vec4 last;
    void main() { gl_Position = p; color = c; last = c; }";
pub const FRAGMENT: &str =
    "#version 150 compatibility\nin vec4 color; flat in vec4 last; out vec4 o; void main() { o = color; }";

pub fn program(fragment: &str) -> Arc<Program> {
    link(&[(Stage::Vertex, VERTEX), (Stage::Fragment, fragment)])
}

/// A position in pixels as one in clip coordinates, with a w.
pub fn pixel([x, y]: [f32; 2], w: f32) -> [f32; 4] {
    let half = SIZE as f32 / 2.0;
    [(x / half - 1.0) * w, (y / half - 1.0) * w, 0.0, w]
}

/// Draws vertices (positions in pixels) with a key, as a driver does: a kernel, a mesh function, fragments.
pub fn draw(program: &Program, vertices: &[Vec<[f32; 4]>], values: &DriverValues, key: &StateKey) -> Target {
    draw_with_flags(program, vertices, &[], values, key)
}

pub fn driver_block(resources: &mut Resources, values: &DriverValues) {
    let half = SIZE as f32 / 2.0;
    let values = DriverValues { viewport: [half; 2], ..*values };
    let bytes = values.words().iter().flat_map(|w| w.to_le_bytes()).collect();
    let buffer = resources.add_buffer(bytes);
    let whole = Binding::Buffer { buffer, offset: 0, size: None };
    resources.bind(Space::Uniform, DRIVER, DriverValues::BINDING, 0, whole);
}

/// The primitives of a mesh function.
pub struct Made {
    pub resources: Resources,
    pub mesh: Shader,
    pub fragment: Shader,
    pub corners: Vec<Vertex>,
    pub indices: Vec<u32>,
}

pub fn make(
    program: &Program,
    vertices: &[Vec<[f32; 4]>],
    flags: &[u32],
    values: &DriverValues,
    key: &StateKey,
) -> Made {
    let budget = Budget::default();
    let stages: Vec<Stage> = program.draw_stages(key).collect();
    let mut records = 0;
    let mut made = Vec::new();
    for &stage in &stages {
        let function = program.variant(stage, key, &budget).unwrap_or_else(|e| panic!("{stage}: {e}"));
        let canonical = program.stage_canonical(stage, key);
        let same = program.variant(stage, &canonical, &budget).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(function.metallib, same.metallib, "{stage}: {key:?} and {canonical:?}");
        assert_eq!(program.stage_canonical(stage, &canonical), canonical, "{stage}");
        if stage == Stage::Vertex {
            let written = function.reflection.records.iter().find(|r| r.buffer == "stage_vertices");
            records = written.expect("a kernel").bytes;
        }
        made.push(program.variant_shader(stage, key, &budget).unwrap_or_else(|e| panic!("{e}")));
    }
    assert_eq!(stages, [Stage::Vertex, Stage::Geometry, Stage::Fragment]);
    let Ok([kernel, mesh, fragment]) = <[Shader; 3]>::try_from(made) else { panic!("{stages:?}") };
    let mut resources = Resources::new();
    driver_block(&mut resources, values);
    let buffer = resources.add_buffer(vec![0; vertices.len() * records as usize]);
    let whole = Binding::Buffer { buffer, offset: 0, size: None };
    resources.bind(Space::Storage, DRIVER, StageBuffer::Vertices.binding(), 0, whole);
    run_kernel(&kernel, &mut resources, vertices, flags);
    let primitives = vertices.len() as u32 / primitive_size(program, key);
    primitives_of(mesh, fragment, resources, primitives)
}

/// Runs a mesh function.
pub fn primitives_of(mesh: Shader, fragment: Shader, mut resources: Resources, primitives: u32) -> Made {
    let mut runner = Runner::new(&mesh, Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let meshes = runner.mesh(&mut resources, &System::new(), [primitives, 1, 1], &[]);
    let (mut corners, mut indices) = (Vec::new(), Vec::new());
    for mesh in meshes.unwrap_or_else(|e| panic!("{e:?}")) {
        let first = corners.len() as u32;
        corners.extend(
            mesh.vertices.iter().map(|values| Vertex { inputs: values.clone(), ..Vertex::default() }),
        );
        for primitive in &mesh.primitives {
            let of = (0..).map_while(|c| primitive.get(Slot::PRIMITIVE_INDICES, c)).take(3);
            for n in of.map(|n| first + n) {
                indices.push(n);
                // The vertices of a pipeline have the values of their primitive.
                if let Some(id) = primitive.get(Slot::PRIMITIVE_ID, 0) {
                    corners[n as usize].inputs.set(Slot::PRIMITIVE_ID, 0, id);
                }
            }
        }
    }
    drop(runner);
    Made { resources, mesh, fragment, corners, indices }
}

pub fn draw_with_flags(
    program: &Program,
    vertices: &[Vec<[f32; 4]>],
    flags: &[u32],
    values: &DriverValues,
    key: &StateKey,
) -> Target {
    rasterise(make(program, vertices, flags, values, key))
}

pub fn rasterise(made: Made) -> Target {
    let Made { mut resources, mesh, fragment, corners, indices } = made;
    let topology = match mesh.info.output_primitive {
        Primitive::Points => Topology::Points,
        Primitive::Lines => Topology::Lines,
        _ => Topology::Triangles,
    };
    let scene = Scene::new("void main() {}", "void main() {}");
    let mut target = Target::new(SIZE, SIZE, 1, 1);
    target.depth = Some(vec![1.0; (SIZE * SIZE) as usize]);
    let draw = Draw { topology, vertices: &corners, indices: Some(&indices), system: System::new() };
    let fragment = std::slice::from_ref(&fragment);
    let mut pipeline = Pipeline::new(fragment, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    pipeline.draw(&mut resources, &draw, &scene.state(), &mut target).unwrap_or_else(|e| panic!("{e:?}"));
    target
}

/// Vertices of the primitives that reach the mesh function.
pub fn primitive_size(program: &Program, key: &StateKey) -> u32 {
    if program.stages().any(|s| s == Stage::Geometry) {
        return 1;
    }
    if key.polygon_mode != PolygonMode::Native { 3 } else { 2 }
}

pub fn run_kernel(kernel: &Shader, resources: &mut Resources, vertices: &[Vec<[f32; 4]>], flags: &[u32]) {
    let mut runner = Runner::new(kernel, Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let inputs: Vec<Values> = (0..)
        .zip(vertices)
        .map(|(n, attributes)| {
            let mut values = Values::default();
            for (location, &value) in (0..).zip(attributes) {
                values.set_floats(Slot::generic(location).unwrap_or(Slot::POSITION), value);
            }
            let flag = flags.get(n).copied().unwrap_or(1);
            values.set(Slot::generic(StateKey::EDGE_FLAG_LOCATION).unwrap_or(Slot::POSITION), 0, flag);
            values
        })
        .collect();
    let inputs: Vec<&Values> = inputs.iter().collect();
    let groups = [vertices.len() as u32, 1, 1];
    runner
        .kernel(resources, &System::new().with(SystemValue::base_instance, 0), groups, &inputs)
        .unwrap_or_else(|e| panic!("{e:?}"));
}

pub fn white(points: &[[f32; 2]]) -> Vec<Vec<[f32; 4]>> {
    points.iter().map(|&p| vec![pixel(p, 1.0), WHITE]).collect()
}

pub fn lines(lines: LineMode) -> StateKey {
    StateKey { lines, ..StateKey::default() }
}

pub fn width(line_width: f32) -> DriverValues {
    DriverValues { line_width, ..DriverValues::default() }
}
