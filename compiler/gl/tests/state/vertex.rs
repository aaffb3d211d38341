//! State of the last stage before rasterisation.

use crate::scene::{SIZE, Scene, WHITE, expect, link_with, white_if};
use airfoil::interp::Space;
use airfoil::interp::pipeline::Topology;
use airfoil::interp::texture::Compare;
use airfoil_gl::{LinkOptions, PointSize, StateFlags, StateKey, TransformFeedback};

const WHITE_FRAGMENT: &str = "#version 330\nout vec4 color; void main() { color = vec4(1.0); }";

fn flags(flags: StateFlags) -> StateKey {
    StateKey { flags, ..StateKey::default() }
}

#[test]
fn flip_y_draws_upside_down() {
    // The lower quarter of the window.
    let vertex = "#version 330\nlayout(location = 0) in vec4 p;
        void main() { gl_Position = vec4(p.x, p.y * 0.25 - 0.75, 0.5, 1.0); }";
    let mut scene = Scene::new(vertex, WHITE_FRAGMENT);
    expect(&scene.draw(&StateKey::default()), 0, |_, y| white_if(y < SIZE / 4));
    expect(&scene.draw(&flags(StateFlags::FLIP_Y)), 0, |_, y| white_if(y >= SIZE - SIZE / 4));
}

#[test]
fn half_z_maps_depths() {
    for z in [-1.0_f32, -0.5, 0.0, 0.75] {
        let vertex = format!(
            "#version 330\nlayout(location = 0) in vec4 p; void main() {{ gl_Position = vec4(2.0 * p.xy, {z:?} * 2.0, 2.0); }}"
        );
        let mut scene = Scene::new(&vertex, WHITE_FRAGMENT);
        let mut state = scene.state();
        state.depth_test = Some(Compare::Always);
        let mut draw = |key: &StateKey| {
            let mut target = airfoil::interp::pipeline::Target::new(SIZE, SIZE, 1, 1);
            target.depth = Some(vec![9.0; (SIZE * SIZE) as usize]);
            scene.draw_to(key, &state, &mut target);
            target.depth.unwrap_or_default()
        };
        // Negative depths are clipped without the state.
        let without = if z < 0.0 { 9.0 } else { z };
        assert!(draw(&StateKey::default()).iter().all(|&d| d == without), "{z}");
        assert!(draw(&flags(StateFlags::HALF_Z)).iter().all(|&d| d == (z + 1.0) / 2.0), "{z}");
    }
}

#[test]
fn only_enabled_clip_distances_clip() {
    let vertex = "#version 330\nlayout(location = 0) in vec4 p; out float gl_ClipDistance[2];
        void main() { gl_Position = vec4(p.xy, 0.5, 1.0); gl_ClipDistance[0] = p.x; gl_ClipDistance[1] = -p.y; }";
    let mut scene = Scene::new(vertex, WHITE_FRAGMENT);
    for clip_enable in 0..=4_u8 {
        let image = scene.draw(&StateKey { clip_enable, ..StateKey::default() });
        let clipped = |x: u32, y: u32| {
            (clip_enable & 1 != 0 && x < SIZE / 2) || (clip_enable & 2 != 0 && y >= SIZE / 2)
        };
        expect(&image, 0, |x, y| white_if(!clipped(x, y)));
    }
}

#[test]
fn points_have_the_size_that_the_shader_writes() {
    let vertex = |size: &str| {
        format!("#version 330\nlayout(location = 0) in vec4 p; void main() {{ gl_Position = p; {size} }}")
    };
    let points = StateKey { point_size: PointSize::Shader, ..StateKey::default() };
    for (size, pixels) in [("", 1), ("gl_PointSize = 4.0;", 16)] {
        let mut scene = Scene::new(&vertex(size), WHITE_FRAGMENT);
        scene.topology = Topology::Points;
        // The centre of a pixel, or a corner that four pixels share.
        let at = if pixels == 1 { 0.125 } else { 0.0 };
        scene.vertices = vec![vec![[at, at, 0.5, 1.0]]];
        let image = scene.draw(&points);
        let half = if pixels == 1 { 4..5 } else { 2..6 };
        expect(&image, 0, |x, y| white_if(half.contains(&x) && half.contains(&y)));
        // Metal requires that the size is written if and only if points are drawn.
        for (key, written) in [(points, true), (StateKey::default(), false)] {
            let function = scene.program.variant(airfoil_gl::Stage::Vertex, &key, &Default::default());
            let reflection = function.unwrap_or_else(|e| panic!("{e}")).reflection;
            let outputs: Vec<&str> = reflection.outputs.iter().map(|o| o.role.name()).collect();
            assert_eq!(outputs.contains(&"point_size"), written, "{outputs:?}");
        }
    }
}

#[test]
fn transform_feedback_captures_what_the_shader_writes() {
    let vertex = "#version 330\nlayout(location = 0) in vec4 p; out vec2 v;
        void main() { gl_Position = p; v = p.xy * 8.0; }";
    let varyings = vec!["v".to_owned(), "gl_Position".to_owned()];
    let transform_feedback = TransformFeedback { varyings, ..TransformFeedback::default() };
    let options = LinkOptions { transform_feedback, ..LinkOptions::default() };
    let mut scene = Scene::of(link_with(vertex, WHITE_FRAGMENT, &options));
    let count = scene.vertices.len();
    scene.driver(Space::Uniform, 16, &[count as u32, 0, count as u32]);
    let buffer = scene.driver(Space::Storage, 20, &vec![0; count * 6]);
    let image = scene.draw(&flags(StateFlags::CAPTURE | StateFlags::FLIP_Y | StateFlags::HALF_Z));
    expect(&image, 0, |_, _| WHITE);
    let want = scene.vertices.iter().flat_map(|v| {
        let [x, y, z, w] = v[0];
        [x * 8.0, y * 8.0, x, y, z, w].into_iter().flat_map(f32::to_le_bytes)
    });
    assert_eq!(scene.resources.buffers[buffer].bytes, want.collect::<Vec<u8>>());
    // Without the state nothing is written.
    scene.resources.buffers[buffer].bytes.fill(0);
    scene.draw(&flags(StateFlags::FLIP_Y));
    assert!(scene.resources.buffers[buffer].bytes.iter().all(|&b| b == 0));
}
