//! Whole draws: shaders in text, pixels worked out by hand.

use super::*;
use crate::run::Vertex;
use crate::texture::Compare;
use airfoil_ir::{Gathered, text};

pub(super) fn shader(stage: &str, declarations: &str, code: &str) -> Shader {
    let source = format!(
        "foil 1\nshader {stage} \"t\" {{\nform slots\n{declarations}\nentry fn main {{\n32x1 %z = const 0\n{code}\n}}\n}}\n"
    );
    text::parse(&source).unwrap_or_else(|e| panic!("{e:?}\n{source}"))
}

const PASS: &str = "32x4 %p = load_input %z io=0 dest_type=float32\n32x4 %c = load_input %z io=1 dest_type=float32\n\
    store_output %p, %z io=position mask=xyzw src_type=float32\nstore_output %c, %z io=0 mask=xyzw src_type=float32";

pub(super) fn vertex_shader() -> Shader {
    let declarations =
        "in vec4 p location=0\nin vec4 c location=1\nout vec4 pos location=position\nout vec4 o location=0";
    shader("vertex", declarations, PASS)
}

/// Writes the interpolated colour.
pub(super) fn fragment_shader() -> Shader {
    let code = "%b = load_barycentric_pixel interp=smooth\n32x4 %c = load_interpolated_input %b, %z io=0 dest_type=float32\n\
        store_output %c, %z io=0 mask=xyzw src_type=float32";
    let mut shader = shader("fragment", "in vec4 c location=0\nout vec4 o location=0", code);
    let mut gathered = Gathered::default();
    gathered.inputs_read.insert(Slot::generic(0).unwrap());
    shader.gathered = Some(gathered);
    shader
}

pub(super) fn vertex(position: [f32; 4], color: f32) -> Vertex {
    let mut v = Vertex::default();
    v.inputs.set_floats(Slot::generic(0).unwrap(), position);
    v.inputs.set_floats(Slot::generic(1).unwrap(), [color, 0.0, 0.0, 1.0]);
    v
}

fn draw(topology: Topology, vertices: &[Vertex], state: &State, target: &mut Target) -> Drawn {
    let shaders = [vertex_shader(), fragment_shader()];
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).expect("prepares");
    let draw = Draw { topology, vertices, indices: None, system: System::new() };
    pipeline.draw(&mut Resources::new(), &draw, state, target).expect("draws")
}

fn reds(target: &Target) -> Vec<f32> {
    (0..target.width * target.height)
        .map(|i| target.floats(0, i % target.width, i / target.width, 0).unwrap()[0])
        .collect()
}

#[test]
fn a_strip_fills_the_window_with_a_ramp() {
    let corners: Vec<Vertex> = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]
        .iter()
        .map(|&(x, y)| vertex([x, y, 0.0, 1.0], x + 1.0))
        .collect();
    let mut target = Target::new(4, 4, 1, 1);
    let drawn = draw(Topology::TriangleStrip, &corners, &State::new(4, 4), &mut target);
    assert_eq!((drawn.primitives, drawn.captured.len()), (2, 6));
    for row in reds(&target).chunks(4) {
        assert!(row.iter().zip([0.25, 0.75, 1.25, 1.75]).all(|(a, b)| (a - b).abs() < 1e-5), "{row:?}");
    }
    // A request for one pixel shades its quad.
    let mut target = Target::new(4, 4, 1, 1);
    target.wanted = Some((0..16).map(|i| i == 5).collect());
    draw(Topology::TriangleStrip, &corners, &State::new(4, 4), &mut target);
    assert!((reds(&target)[5] - 0.75).abs() < 1e-5);
    assert_eq!(reds(&target)[15], 0.0);
}

#[test]
fn what_is_behind_the_eye_is_cut_and_the_rest_in_perspective() {
    // A floor from beyond the near plane to the horizon: colour is the distance w.
    let floor: Vec<Vertex> = [(-10.0, -1.0), (10.0, -1.0), (10.0, 9.0), (-10.0, 9.0)]
        .iter()
        .map(|&(x, w)| vertex([x, -1.0, 0.0, w], w))
        .collect();
    let mut target = Target::new(8, 8, 1, 1);
    draw(Topology::Quads, &floor, &State::new(8, 8), &mut target);
    // y in the window is -1 / w: the centre of row 1 is at -0.625.
    for (row, y) in [(0, -0.875f32), (1, -0.625), (3, -0.125)] {
        assert!((reds(&target)[row * 8 + 4] - -1.0 / y).abs() < 1e-3, "{:?}", reds(&target));
    }
    assert_eq!(reds(&target)[5 * 8 + 4], 0.0);
}

#[test]
fn depth_and_faces() {
    let triangle = |z: f32, color: f32| {
        [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)].map(|(x, y)| vertex([x, y, z, 1.0], color))
    };
    let mut target = Target::new(2, 2, 1, 1);
    target.depth = Some(vec![1.0; 4]);
    let state = State { depth_test: Some(Compare::Less), ..State::new(2, 2) };
    draw(Topology::Triangles, &triangle(0.0, 1.0), &state, &mut target);
    draw(Topology::Triangles, &triangle(0.5, 2.0), &state, &mut target);
    assert_eq!((reds(&target), target.depth.clone()), (vec![1.0; 4], Some(vec![0.5; 4])));
    let culling = State { cull_back: true, front_clockwise: true, ..state.clone() };
    draw(Topology::Triangles, &triangle(-0.5, 3.0), &culling, &mut target);
    assert_eq!(reds(&target), [1.0; 4]);
    draw(Topology::Triangles, &triangle(-0.5, 3.0), &State { y_down: true, ..culling }, &mut target);
    assert_eq!(reds(&target), [3.0; 4]);
}

#[test]
fn patches_need_shaders() {
    let shaders = [vertex_shader()];
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).expect("prepares");
    let vertices = [Vertex::default()];
    let draw =
        Draw { topology: Topology::Patches(1), vertices: &vertices, indices: None, system: System::new() };
    let mut target = Target::new(1, 1, 1, 1);
    let fault = pipeline.draw(&mut Resources::new(), &draw, &State::new(1, 1), &mut target);
    assert!(fault.is_err_and(|f| f.message.contains("patches")));
}

#[test]
fn undefined_colours_are_counted() {
    let code = "32x1 %u = undef\n32x1 %one = const 1.0\n32x4 %c = vec4 %one, %u, %one, %one\n\
        store_output %c, %z io=0 mask=xyzw src_type=float32";
    let shaders = [vertex_shader(), shader("fragment", "out vec4 o location=0", code)];
    for (report_undefined, count) in [(true, 4), (false, 0)] {
        let mut pipeline =
            Pipeline::new(&shaders, &Config { report_undefined, ..Config::default() }).expect("prepares");
        let vertices = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)].map(|(x, y)| vertex([x, y, 0.0, 1.0], 0.0));
        let draw =
            Draw { topology: Topology::Triangles, vertices: &vertices, indices: None, system: System::new() };
        let mut target = Target::new(2, 2, 1, 1);
        pipeline.draw(&mut Resources::new(), &draw, &State::new(2, 2), &mut target).expect("draws");
        assert_eq!((target.undefined, target.floats(0, 0, 0, 0)), (count, Some([1.0, 0.0, 1.0, 1.0])));
    }
}

#[test]
fn without_vertex_shader_the_vertices_are_drawn_as_they_are() {
    let shaders = [fragment_shader()];
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).expect("prepares");
    let corners: Vec<Vertex> = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)]
        .iter()
        .map(|&(x, y)| {
            let mut v = Vertex::default();
            v.inputs.set_floats(Slot::POSITION, [x, y, 0.0, 1.0]);
            v.inputs.set_floats(Slot::generic(0).unwrap(), [x, 0.0, 0.0, 1.0]);
            v
        })
        .collect();
    let draw =
        Draw { topology: Topology::Triangles, vertices: &corners, indices: None, system: System::new() };
    let mut target = Target::new(2, 1, 1, 1);
    pipeline.draw(&mut Resources::new(), &draw, &State::new(2, 1), &mut target).expect("draws");
    assert_eq!(reds(&target), [-0.5, 0.5]);
}

#[test]
fn flat_inputs_are_those_of_the_provoking_vertex() {
    let code =
        "32x4 %c = load_input %z io=0 dest_type=float32\nstore_output %c, %z io=0 mask=xyzw src_type=float32";
    let flat = shader("fragment", "in vec4 c location=0 flat\nout vec4 o location=0", code);
    let shaders = [vertex_shader(), flat];
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).expect("prepares");
    let vertices: Vec<Vertex> = [(-1.0, -1.0, 1.0), (3.0, -1.0, 2.0), (-1.0, 3.0, 3.0)]
        .iter()
        .map(|&(x, y, c)| vertex([x, y, 0.0, 1.0], c))
        .collect();
    let draw =
        Draw { topology: Topology::Triangles, vertices: &vertices, indices: None, system: System::new() };
    for (first_provokes, want) in [(false, 3.0), (true, 1.0)] {
        let state = State { first_provokes, ..State::new(2, 2) };
        let mut target = Target::new(2, 2, 1, 1);
        pipeline.draw(&mut Resources::new(), &draw, &state, &mut target).expect("draws");
        assert_eq!(reds(&target), [want; 4]);
    }
}

#[test]
fn flat_shading_passes_over_stated_interpolations() {
    let code = "32x4 %p = load_input %z io=0 dest_type=float32\n32x4 %c = load_input %z io=1 dest_type=float32\n\
        store_output %p, %z io=position mask=xyzw src_type=float32\nstore_output %c, %z io=color0 mask=xyzw src_type=float32";
    let declarations = "in vec4 p location=0\nin vec4 c location=1\nout vec4 pos location=position\nout vec4 o location=color0";
    let vertex_shader = shader("vertex", declarations, code);
    let vertices: Vec<Vertex> = [(-1.0, -1.0, 0.0), (3.0, -1.0, 1.0), (-1.0, 3.0, 0.0)]
        .iter()
        .map(|&(x, y, c)| vertex([x, y, 0.0, 1.0], c))
        .collect();
    let code = "%b = load_barycentric_pixel interp=smooth\n32x4 %c = load_interpolated_input %b, %z io=color0 dest_type=float32\n\
        store_output %c, %z io=0 mask=xyzw src_type=float32";
    for (stated_colors, want) in [(0, [0.0, 0.0]), (1, [0.125, 0.375]), (2, [0.0, 0.0])] {
        let mut fragment = shader("fragment", "in vec4 c location=color0\nout vec4 o location=0", code);
        fragment.info.stated_colors = stated_colors;
        let shaders = [vertex_shader.clone(), fragment];
        let mut pipeline = Pipeline::new(&shaders, &Config::default()).expect("prepares");
        let draw =
            Draw { topology: Topology::Triangles, vertices: &vertices, indices: None, system: System::new() };
        let mut target = Target::new(2, 1, 1, 1);
        let state = State { flat_colors: true, ..State::new(2, 1) };
        pipeline.draw(&mut Resources::new(), &draw, &state, &mut target).expect("draws");
        assert_eq!(reds(&target), want, "{stated_colors}");
    }
}
