//! State that decides which fragments, samples and vertices are drawn.

use crate::scene::{CLEAR, SIZE, Scene, WHITE, expect, link_with, white_if};
use airfoil::interp::Space;
use airfoil_gl::{Budget, DriverValues, LinkOptions, Stage, StateFlags, StateKey, TransformFeedback};

const VERTEX: &str = "#version 120\nattribute vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";
const WHITE_FRAGMENT: &str = "#version 120\nvoid main() { gl_FragColor = vec4(1.0); }";

fn flags(flags: StateFlags) -> StateKey {
    StateKey { flags, ..StateKey::default() }
}

#[test]
fn only_samples_of_the_mask_are_written() {
    let own = "#version 400
        out vec4 c; void main() { c = vec4(1.0); gl_SampleMask[0] = 6; }";
    let vertex =
        "#version 400\nlayout(location = 0) in vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";
    for (mut scene, written) in [(Scene::new(VERTEX, WHITE_FRAGMENT), 0xf), (Scene::new(vertex, own), 6_u32)]
    {
        scene.samples = 4;
        for sample_mask in [0, 1, 5, 0xf, u32::MAX] {
            scene.values(&DriverValues { sample_mask, ..DriverValues::default() });
            for (key, mask) in
                [(StateKey::default(), u32::MAX), (flags(StateFlags::SAMPLE_MASK), sample_mask)]
            {
                let image = scene.draw(&key);
                for (n, color) in image.colors[0].iter().enumerate() {
                    let want = white_if(mask & written & 1 << (n % 4) != 0);
                    assert_eq!(color.map(f32::from_bits), want, "sample {n}, mask {sample_mask:#x}");
                }
            }
        }
    }
}

#[test]
fn the_stipple_pattern_leaves_out_fragments() {
    let mut scene = Scene::new(VERTEX, WHITE_FRAGMENT);
    let row = |y: u32| 0x8000_0001_u32.rotate_left(y * 3) | y;
    let polygon_stipple = std::array::from_fn(|y| row(y as u32));
    let values = DriverValues { polygon_stipple, height: SIZE as f32, ..DriverValues::default() };
    scene.values(&values);
    let stipple = flags(StateFlags::POLYGON_STIPPLE);
    expect(&scene.draw(&stipple), 0, |x, y| white_if(row(y) >> x & 1 != 0));
    // An image that is upside down has the pattern of the window.
    let flipped = flags(StateFlags::POLYGON_STIPPLE | StateFlags::FLIP_WINDOW);
    expect(&scene.draw(&flipped), 0, |x, y| white_if(row(SIZE - 1 - y) >> x & 1 != 0));
}

#[test]
fn every_sample_is_shaded() {
    // Samples of a pixel have different coordinates; the four positions are those of the rasteriser.
    let fragment = "#version 400\nin vec2 v; out vec4 c; void main() { c = vec4(v, 0.0, 1.0); }";
    let vertex = "#version 400
        layout(location = 0) in vec4 p; out vec2 v; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); v = (p.xy + 1.0) * 4.0; }";
    let coordinates = "#version 400\nout vec4 c; void main() { c = vec4(gl_FragCoord.xy, 0.0, 1.0); }";
    let plain =
        "#version 400\nlayout(location = 0) in vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";
    for mut scene in [Scene::new(vertex, fragment), Scene::new(plain, coordinates)] {
        scene.samples = 4;
        let image = scene.draw(&StateKey::default());
        let at = |image: &airfoil::interp::pipeline::Target, n: usize| image.colors[0][n].map(f32::from_bits);
        let pixel = |n: usize| [(n / 4 % SIZE as usize) as f32, (n / 4 / SIZE as usize) as f32];
        for n in 0..image.colors[0].len() {
            let [x, y] = pixel(n);
            assert_eq!(at(&image, n), [x + 0.5, y + 0.5, 0.0, 1.0]);
        }
        let image = scene.draw(&flags(StateFlags::SAMPLE_SHADING));
        // The standard positions of four samples, in sixteenths (Vulkan 1.3, section 28.3; Metal has the same).
        let positions = [[6.0, 2.0], [14.0, 6.0], [2.0, 10.0], [10.0, 14.0]];
        for n in 0..image.colors[0].len() {
            let ([x, y], [dx, dy]) = (pixel(n), positions[n % 4]);
            let (found, want) = (at(&image, n), [x + dx / 16.0, y + dy / 16.0]);
            let near = |a: f32, b: f32| (a - b).abs() < 1e-5;
            assert!(near(found[0], want[0]) && near(found[1], want[1]), "sample {n}: {found:?}, {want:?}");
        }
    }
    // A shader that reads the index of the sample runs once per sample already.
    let own = "#version 400\nout vec4 c; void main() { c = vec4(gl_SampleID); }";
    let scene = Scene::new(plain, own);
    let key = flags(StateFlags::SAMPLE_SHADING);
    assert_eq!(scene.program.stage_canonical(Stage::Fragment, &key), StateKey::default());
}

#[test]
fn nothing_is_rasterised() {
    let vertex = "#version 330\nlayout(location = 0) in vec4 p; out vec2 v; out float gl_ClipDistance[1];
        void main() { gl_Position = vec4(p.xy, 0.5, 1.0); v = p.xy * 2.0; gl_ClipDistance[0] = 1.0; }";
    let fragment = "#version 330\nin vec2 v; out vec4 c; void main() { c = vec4(v, 1.0, 1.0); }";
    let transform_feedback = TransformFeedback { varyings: vec!["v".into()], ..TransformFeedback::default() };
    let options = LinkOptions { transform_feedback, ..LinkOptions::default() };
    let mut scene = Scene::of(link_with(vertex, fragment, &options));
    let count = scene.vertices.len() as u32;
    scene.driver(Space::Uniform, 16, &[count, 0, count]);
    let buffer = scene.driver(Space::Storage, 20, &vec![0; count as usize * 2]);
    let key = flags(StateFlags::RASTERIZER_DISCARD | StateFlags::CAPTURE);
    // The vertex function has no result, and captures.
    let function = scene.program.variant(Stage::Vertex, &key, &Budget::default()).unwrap();
    assert!(function.reflection.outputs.is_empty());
    scene.fragments = false;
    expect(&scene.draw(&key), 0, |_, _| CLEAR);
    let want: Vec<u8> = scene
        .vertices
        .iter()
        .flat_map(|v| [v[0][0] * 2.0, v[0][1] * 2.0])
        .flat_map(f32::to_le_bytes)
        .collect();
    assert_eq!(scene.resources.buffers[buffer].bytes, want);
    // Outputs do not matter any more.
    let both = StateKey { clip_enable: 1, flags: key.flags | StateFlags::FLIP_Y, ..key };
    assert_eq!(scene.program.canonical(&both), scene.program.canonical(&key));
}

#[test]
fn planes_clip_vertices() {
    let planes = |list: &[(usize, [f32; 4])]| {
        let mut clip_planes = [[0.0; 4]; 8];
        list.iter().for_each(|&(n, plane)| clip_planes[n] = plane);
        DriverValues { clip_planes, ..DriverValues::default() }
    };
    let values = planes(&[(0, [1.0, 0.0, 0.0, 0.0]), (5, [0.0, -1.0, 0.0, 0.5])]);
    let clipped = |mask: u8, x: f32, y: f32| (mask & 1 != 0 && x < 0.0) || (mask & 32 != 0 && y > 0.5);
    let center = |n: u32| (n as f32 + 0.5) / SIZE as f32 * 2.0 - 1.0;
    let turned = "#version 120\nattribute vec4 p;
        void main() { gl_Position = vec4(p.xy, 0.5, 1.0); gl_ClipVertex = vec4(-p.y, p.x, 0.0, 1.0); }";
    for (vertex, is_turned) in [(VERTEX, false), (turned, true)] {
        let mut scene = Scene::new(vertex, WHITE_FRAGMENT);
        scene.values(&values);
        for clip_planes in [0, 1, 32, 33] {
            for other in [StateFlags::empty(), StateFlags::FLIP_Y] {
                let image = scene.draw(&StateKey { clip_planes, flags: other, ..StateKey::default() });
                expect(&image, 0, |x, y| {
                    let y = if other.is_empty() { center(y) } else { -center(y) };
                    let [x, y] = if is_turned { [-y, center(x)] } else { [center(x), y] };
                    white_if(!clipped(clip_planes, x, y))
                });
            }
        }
    }
    // Clip distances of the shader take precedence.
    let own = "#version 130\nin vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); gl_ClipDistance[0] = 1.0; }";
    let mut scene = Scene::new(own, WHITE_FRAGMENT);
    scene.values(&values);
    expect(&scene.draw(&StateKey { clip_planes: 1, clip_enable: 1, ..StateKey::default() }), 0, |_, _| WHITE);
}

#[test]
fn the_mask_of_clip_distances_can_be_dynamic() {
    let vertex = "#version 330\nlayout(location = 0) in vec4 p; out float gl_ClipDistance[2];
        void main() { gl_Position = vec4(p.xy, 0.5, 1.0); gl_ClipDistance[0] = p.x; gl_ClipDistance[1] = -p.y; }";
    let mut scene = Scene::new(vertex, "#version 330\nout vec4 c; void main() { c = vec4(1.0); }");
    let dynamic = flags(StateFlags::DYNAMIC_CLIP);
    for clip_enable in 0..=4_u32 {
        scene.values(&DriverValues { clip_enable, ..DriverValues::default() });
        let clipped = |x: u32, y: u32| {
            (clip_enable & 1 != 0 && x < SIZE / 2) || (clip_enable & 2 != 0 && y >= SIZE / 2)
        };
        expect(&scene.draw(&dynamic), 0, |x, y| white_if(!clipped(x, y)));
    }
    // The mask of the key does not matter then.
    let other = StateKey { clip_enable: 3, ..dynamic };
    assert_eq!(scene.program.canonical(&other), scene.program.canonical(&dynamic));
}
