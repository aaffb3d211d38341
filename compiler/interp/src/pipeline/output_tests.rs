//! Whole draws: samples, stencil, blending, with results worked out by hand.

use super::tests::{shader, vertex, vertex_shader};
use super::*;
use crate::run::Vertex;
use crate::texture::{Compare, Format};
use airfoil_ir::text;

/// Colour 0 has the red of the vertices.
const RED: &str = "%b = load_barycentric_pixel interp=smooth\n32x4 %c = load_interpolated_input %b, %z io=0 dest_type=float32\n\
    store_output %c, %z io=0 mask=xyzw src_type=float32";
const COLORS: &str = "in vec4 c location=0\nout vec4 o location=0";

/// Draws with a fragment shader of this code.
fn draw_with(declarations: &str, code: &str, corners: &[Vertex], state: &State, target: &mut Target) {
    let shaders = [vertex_shader(), shader("fragment", declarations, code)];
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).expect("prepares");
    let draw =
        Draw { topology: Topology::Triangles, vertices: corners, indices: None, system: System::new() };
    pipeline.draw(&mut Resources::new(), &draw, state, target).expect("draws");
}

/// A triangle that fills the window, at a depth in clip coordinates.
fn filled(z: f32, red: f32) -> Vec<Vertex> {
    [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)].map(|(x, y)| vertex([x, y, z, 1.0], red)).to_vec()
}

/// The part of a window of one pixel where x, from 0 to 1, is less than this.
fn left_part(x: f32, red: [f32; 2]) -> Vec<Vertex> {
    let edge = 2.0 * x - 1.0;
    let [near, far] = red;
    [
        (-1.0, -1.0, near),
        (edge, -1.0, far),
        (-1.0, 1.0, near),
        (edge, -1.0, far),
        (edge, 1.0, far),
        (-1.0, 1.0, near),
    ]
    .map(|(x, y, red)| vertex([x, y, 0.0, 1.0], red))
    .to_vec()
}

fn target(samples: u32) -> Target {
    Target::new(1, 1, 1, 1).with_samples(samples).expect("is a number of samples")
}

fn reds(target: &Target) -> Vec<f32> {
    target.colors[0].iter().map(|c| f32::from_bits(c[0])).collect()
}

#[test]
fn an_edge_covers_some_samples() {
    // Four samples are at x = 6, 14, 2, 10 sixteenths.
    for (x, want) in [(0.5, [1.0, 0.0, 1.0, 0.0]), (0.75, [1.0, 0.0, 1.0, 1.0]), (0.25, [0.0, 0.0, 1.0, 0.0])]
    {
        let mut target = target(4);
        draw_with(COLORS, RED, &left_part(x, [1.0; 2]), &State::new(1, 1), &mut target);
        assert_eq!(reds(&target), want, "{x}");
        let mean = want.iter().sum::<f32>() / 4.0;
        assert_eq!(target.resolved(0)[0][0], mean.to_bits());
    }
    // With one sample only the centre counts.
    let mut one = target(1);
    draw_with(COLORS, RED, &left_part(0.25, [1.0; 2]), &State::new(1, 1), &mut one);
    assert_eq!(reds(&one), [0.0]);
}

#[test]
fn integers_resolve_to_the_first_sample() {
    let mut target = target(2);
    target.formats[0] = Format::Rgba32i;
    target.colors[0] = vec![[3, 0, 0, 0], [5, 0, 0, 0]];
    assert_eq!(target.resolved(0), [[3, 0, 0, 0]]);
    assert!(Target::new(1, 1, 1, 1).with_samples(3).is_err());
}

#[test]
fn sample_numbers_force_a_run_for_each() {
    let code = "32x1 %s = load_sample_id\n32x2 %at = load_sample_pos\n32x1 %f = u2f %s\n\
        32x4 %o = vec4 %f, %at.x, %at.y, %f\nstore_output %o, %z io=0 mask=xyzw src_type=float32";
    let mut target = target(4);
    draw_with("out vec4 o location=0", code, &filled(0.0, 0.0), &State::new(1, 1), &mut target);
    let got: Vec<[f32; 3]> =
        target.colors[0].iter().map(|c| [0, 1, 2].map(|i| f32::from_bits(c[i]))).collect();
    let want = [[0.0, 0.375, 0.125], [1.0, 0.875, 0.375], [2.0, 0.125, 0.625], [3.0, 0.625, 0.875]];
    assert_eq!(got, want);
}

#[test]
fn inputs_may_be_taken_at_samples_and_centroids() {
    // Red grows from 0 at the left edge of the pixel to 16 at its right edge.
    let ramp = || left_part(1.0, [0.0, 16.0]);
    let take = |op: &str| RED.replace("load_barycentric_pixel", op);
    let mut at_samples = target(4);
    draw_with(COLORS, &take("load_barycentric_sample"), &ramp(), &State::new(1, 1), &mut at_samples);
    assert_eq!(reds(&at_samples), [6.0, 14.0, 2.0, 10.0]);
    // Half of the pixel: the first sample that is covered is at 6, the centre outside is at 8.
    for (op, want) in [("load_barycentric_centroid", 6.0), ("load_barycentric_pixel", 8.0)] {
        let mut half = target(4);
        draw_with(COLORS, &take(op), &left_part(0.5, [0.0, 8.0]), &State::new(1, 1), &mut half);
        assert_eq!(reds(&half), [want, 0.0, want, 0.0], "{op}");
    }
    // All of it: the centroid is the centre.
    let mut whole = target(4);
    draw_with(COLORS, &take("load_barycentric_centroid"), &filled(0.0, 1.0), &State::new(1, 1), &mut whole);
    assert_eq!(reds(&whole), [1.0; 4]);
}

#[test]
fn masks_of_samples_go_in_and_out() {
    let code = "32x1 %m = load_sample_mask_in\n32x1 %f = u2f %m\n32x4 %o = vec4 %f, %f, %f, %f\n\
        32x1 %out = const 0x6\nstore_output %o, %z io=0 mask=xyzw src_type=float32\n\
        store_output %out, %z io=sample_mask mask=x src_type=int32";
    let declarations = "out vec4 o location=0\nout int m location=sample_mask";
    let mut shaded = target(4);
    // One triangle that has the left three quarters of the pixel: samples 0, 2 and 3.
    let wide = [(0.5, -9.0), (0.5, 9.0), (-19.0, 0.0)].map(|(x, y)| vertex([x, y, 0.0, 1.0], 1.0));
    draw_with(declarations, code, &wide, &State::new(1, 1), &mut shaded);
    // The shader keeps 1 and 2.
    assert_eq!(reds(&shaded), [0.0, 0.0, 13.0, 0.0]);
    let mut masked = target(4);
    let state = State { sample_mask: 0b1001, ..State::new(1, 1) };
    draw_with(COLORS, RED, &filled(0.0, 1.0), &state, &mut masked);
    assert_eq!(reds(&masked), [1.0, 0.0, 0.0, 1.0]);
    let code = "32x1 %h = const 0.5\n32x4 %o = vec4 %h, %h, %h, %h\nstore_output %o, %z io=0 mask=xyzw src_type=float32";
    let mut covered = target(4);
    let state = State { alpha_to_coverage: true, ..State::new(1, 1) };
    draw_with("out vec4 o location=0", code, &filled(0.0, 1.0), &state, &mut covered);
    assert_eq!(reds(&covered), [0.5, 0.5, 0.0, 0.0]);
}

#[test]
fn depths_are_those_of_the_samples() {
    // Depth goes from 0 at the left edge to 1 at the right edge, in sixteenths the x of each sample.
    let slope: Vec<Vertex> =
        [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)].map(|(x, y)| vertex([x, y, x, 1.0], 1.0)).to_vec();
    let mut target = target(4);
    target.depth = Some(vec![0.5; 4]);
    let state = State { depth_test: Some(Compare::Less), depth_clamp: true, ..State::new(1, 1) };
    draw_with(COLORS, RED, &slope, &state, &mut target);
    assert_eq!(reds(&target), [1.0, 0.0, 1.0, 0.0]);
    assert_eq!(target.depth, Some(vec![6.0 / 16.0, 0.5, 2.0 / 16.0, 0.5]));
}

#[test]
fn points_and_lines_cover_samples() {
    let shaders = [vertex_shader(), shader("fragment", COLORS, RED)];
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).expect("prepares");
    let mut draw = |topology, vertices: &[Vertex], samples| {
        let mut target = Target::new(2, 1, 1, 1).with_samples(samples).unwrap();
        let draw = Draw { topology, vertices, indices: None, system: System::new() };
        pipeline.draw(&mut Resources::new(), &draw, &State::new(2, 1), &mut target).expect("draws");
        reds(&target)
    };
    // A point of size 1 at (1, 0.5) reaches from 0.5 to 1.5: sixteenths 8 to 16 of the first pixel, 0 to 8 of the second one.
    let point = [vertex([0.0, 0.0, 0.0, 1.0], 1.0)];
    assert_eq!(draw(Topology::Points, &point, 4), [0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
    // A line along the lower edge is half inside: y from 0 to 0.5.
    let line = [vertex([-1.0, -1.0, 0.0, 1.0], 1.0), vertex([1.0, -1.0, 0.0, 1.0], 1.0)];
    assert_eq!(draw(Topology::Lines, &line, 4), [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn stencil_marks_and_masks() {
    let mut target = target(2);
    target.depth = Some(vec![0.5, 1.0]);
    target.stencil = Some(vec![7, 7]);
    let front = StencilFace {
        reference: 3,
        depth_fail: StencilOp::IncrementWrap,
        pass: StencilOp::Replace,
        ..StencilFace::default()
    };
    let stencil = |front| Some(Stencil { front, back: StencilFace { compare: Compare::Never, ..front } });
    let state = State { depth_test: Some(Compare::Less), stencil: stencil(front), ..State::new(1, 1) };
    // At depth 0.75 the first sample fails, the second one passes.
    draw_with(COLORS, RED, &filled(0.5, 1.0), &state, &mut target);
    assert_eq!((reds(&target), target.stencil.clone()), (vec![0.0, 1.0], Some(vec![8, 3])));
    // Only where there is a 3; elsewhere it becomes 0.
    let face = StencilFace {
        compare: Compare::Equal,
        reference: 3,
        fail: StencilOp::Zero,
        ..StencilFace::default()
    };
    let state = State { stencil: stencil(face), ..State::new(1, 1) };
    draw_with(COLORS, RED, &filled(0.0, 2.0), &state, &mut target);
    assert_eq!((reds(&target), target.stencil.clone()), (vec![0.0, 2.0], Some(vec![0, 3])));
    // Back faces have a test of their own.
    let mut turned = filled(0.0, 3.0);
    turned.swap(1, 2);
    draw_with(COLORS, RED, &turned, &state, &mut target);
    assert_eq!((reds(&target), target.stencil), (vec![0.0, 2.0], Some(vec![0, 0])));
}

#[test]
fn shaders_may_say_the_stencil_reference() {
    let code = format!("32x1 %r = const 0x1ff\n{RED}\nstore_output %r, %z io=stencil mask=x src_type=int32");
    let declarations = format!("{COLORS}\nout int r location=stencil");
    let mut target = target(1);
    target.stencil = Some(vec![0]);
    let front = StencilFace { pass: StencilOp::Replace, write_mask: 0x7f, ..StencilFace::default() };
    let state = State { stencil: Some(Stencil { front, ..Stencil::default() }), ..State::new(1, 1) };
    draw_with(&declarations, &code, &filled(0.0, 1.0), &state, &mut target);
    assert_eq!(target.stencil, Some(vec![0x7f]));
}

#[test]
fn early_tests_change_depths_of_what_is_discarded() {
    let code = "discard";
    for (early, want) in [(true, 0.5), (false, 1.0)] {
        let mut fragment = shader("fragment", "", code);
        fragment.info.early_fragment_tests = early;
        let shaders = [vertex_shader(), fragment];
        let mut pipeline = Pipeline::new(&shaders, &Config::default()).expect("prepares");
        let vertices = filled(0.0, 1.0);
        let draw =
            Draw { topology: Topology::Triangles, vertices: &vertices, indices: None, system: System::new() };
        let mut target = target(1);
        target.depth = Some(vec![1.0]);
        let state = State { depth_test: Some(Compare::Less), ..State::new(1, 1) };
        pipeline.draw(&mut Resources::new(), &draw, &state, &mut target).expect("draws");
        assert_eq!((target.depth, target.colors[0][0]), (Some(vec![want]), [0; 4]), "{early}");
    }
}

#[test]
fn colours_are_blended_each_in_its_way() {
    // Both colours are 0.5, 0, 0, 1; the first one's second source is 0.25, 0.25, 0.25, 0.75.
    let code = "32x1 %h = const 0.5\n32x1 %q = const 0.25\n32x1 %t = const 0.75\n32x1 %l = const 1.0\n\
        32x4 %c = vec4 %h, %z, %z, %l\n32x4 %s = vec4 %q, %q, %q, %t\n\
        store_output %c, %z io=0 mask=xyzw src_type=float32\n\
        store_output %s, %z io=(0 dual_source=1) mask=xyzw src_type=float32\n\
        store_output %c, %z io=1 mask=xyzw src_type=float32";
    let declarations = "out vec4 a location=0\nout vec4 s location=0 index=1\nout vec4 b location=1";
    let mut target = Target::new(1, 1, 1, 2);
    target.formats = vec![Format::Rgba32f, Format::Rgba8];
    target.clear(0, [0.25f32, 1.0, 0.0, 0.5].map(f32::to_bits));
    target.clear(1, [1.0f32; 4].map(f32::to_bits));
    let dual = Blend::of(BlendOp::Add, Factor::Source1Color, Factor::OneMinusSource1Alpha);
    let constant = Blend::of(BlendOp::Add, Factor::ConstantColor, Factor::Zero);
    let state = State {
        colors: vec![
            ColorState { blend: Some(dual), ..ColorState::default() },
            ColorState { blend: Some(constant), write_mask: 0b0011 },
        ],
        blend_constant: [0.5, 0.5, 0.5, 0.5],
        ..State::new(1, 1)
    };
    draw_with(declarations, code, &filled(0.0, 0.0), &state, &mut target);
    assert_eq!(target.floats(0, 0, 0, 0), Some([0.1875, 0.25, 0.0, 0.875]));
    // 0.25 is 63.75 of 255.
    assert_eq!(target.floats(1, 0, 0, 0), Some([64.0 / 255.0, 0.0, 1.0, 1.0]));
}

#[test]
fn integer_colours_are_not_blended() {
    let code =
        "32x1 %s = const 7\n32x4 %c = vec4 %s, %s, %s, %s\nstore_output %c, %z io=0 mask=xyzw src_type=int32";
    let mut target = target(1);
    target.formats[0] = Format::Rgba8i;
    target.clear(0, [100; 4]);
    let add =
        ColorState { blend: Some(Blend::of(BlendOp::Add, Factor::One, Factor::One)), write_mask: 0b0101 };
    let state = State { colors: vec![add], ..State::new(1, 1) };
    draw_with("out ivec4 o location=0", code, &filled(0.0, 0.0), &state, &mut target);
    assert_eq!(target.colors[0], [[7, 100, 7, 100]]);
}

#[test]
fn shaders_that_are_read_tell_of_samples_too() {
    let variables = |declarations: &str| {
        let source = format!(
            "foil 1\nshader fragment \"t\" {{\nform variables\n{declarations}\nentry fn main {{\n}}\n}}\n"
        );
        samples::runs_per_sample(&text::parse(&source).unwrap_or_else(|e| panic!("{e:?}")))
    };
    assert!(variables("system_value int s builtin=sample_id"));
    assert!(variables("in vec4 c location=0 sample"));
    assert!(!variables("in vec4 c location=0 centroid\nsystem_value int[1] m builtin=sample_mask_in"));
}
