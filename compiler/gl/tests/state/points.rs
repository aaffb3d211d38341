//! State of points.

use crate::scene::{SIZE, Scene, expect, expect_close, white_if};
use airfoil::interp::pipeline::Topology;
use airfoil_gl::{DriverValues, PointSize, StateFlags, StateKey};

const WHITE_FRAGMENT: &str = "#version 120\nvoid main() { gl_FragColor = vec4(1.0); }";

/// A point in the middle of the window.
fn point(vertex: &str, fragment: &str) -> Scene {
    let mut scene = Scene::new(vertex, fragment);
    scene.topology = Topology::Points;
    scene.vertices = vec![vec![[0.0, 0.0, 0.5, 1.0]]];
    scene
}

#[test]
fn points_have_the_size_of_the_state() {
    let vertex =
        |size: &str| format!("#version 120\nattribute vec4 p; void main() {{ gl_Position = p; {size} }}");
    let limits =
        DriverValues { point_size: 6.0, point_size_min: 2.0, point_size_max: 4.0, ..DriverValues::default() };
    let square = |size: u32| {
        let inside = SIZE / 2 - size / 2..SIZE / 2 + size / 2;
        move |x: u32, y: u32| white_if(inside.contains(&x) && inside.contains(&y))
    };
    for (size, own, clamped) in [("", 1, 1), ("gl_PointSize = 8.0;", 8, 4), ("gl_PointSize = 0.5;", 0, 2)] {
        let mut scene = point(&vertex(size), WHITE_FRAGMENT);
        scene.values(&limits);
        let mut draw = |point_size| scene.draw(&StateKey { point_size, ..StateKey::default() });
        // The size of the shader does not matter.
        expect(&draw(PointSize::State), 0, square(6));
        if clamped > 1 {
            expect(&draw(PointSize::Clamped), 0, square(clamped));
        }
        if own > 1 {
            expect(&draw(PointSize::Shader), 0, square(own));
        }
    }
    // A shader that does not write the size has the size 1.0 in both cases.
    let scene = point(&vertex(""), WHITE_FRAGMENT);
    let key = |point_size| StateKey { point_size, ..StateKey::default() };
    let canonical = |size| scene.program.canonical(&key(size));
    assert_eq!(canonical(PointSize::Clamped), canonical(PointSize::Shader));
    assert_ne!(canonical(PointSize::State), canonical(PointSize::Shader));
}

#[test]
fn coordinates_are_replaced_in_points() {
    let vertex = "#version 120
        attribute vec4 p; void main() { gl_Position = p; gl_TexCoord[0] = vec4(0.25); gl_TexCoord[1] = vec4(0.5); }";
    let fragment = "#version 120\nvoid main() { gl_FragColor = vec4(gl_TexCoord[0].xy, gl_TexCoord[1].xw); }";
    let all = StateKey { point_size: PointSize::State, ..StateKey::default() };
    let values = DriverValues { point_size: SIZE as f32, height: SIZE as f32, ..DriverValues::default() };
    // s grows to the right, t down from the upper left corner: the last row of the image is the upper one.
    let s = |x: u32| (x as f32 + 0.5) / SIZE as f32;
    let t = |y: u32| 1.0 - s(y);
    let mut scene = point(vertex, fragment);
    scene.values(&values);
    expect(&scene.draw(&all), 0, |_, _| [0.25, 0.25, 0.5, 0.5]);
    let first = StateKey { coord_replace: 1, ..all };
    expect_close(&scene.draw(&first), 0, |x, y| [s(x), t(y), 0.5, 0.5]);
    let second = StateKey { coord_replace: 0xfe, ..all };
    expect_close(&scene.draw(&second), 0, |x, _| [0.25, 0.25, s(x), 1.0]);
    let lower = StateKey { coord_replace: 1, flags: StateFlags::POINT_LOWER_LEFT, ..all };
    expect_close(&scene.draw(&lower), 0, |x, y| [s(x), s(y), 0.5, 0.5]);
    // Without replaced coordinates the origin does not matter, nor do coordinates that the shader does not read.
    let canonical = |key| scene.program.canonical(&key);
    assert_eq!(canonical(StateKey { coord_replace: 0xfc, ..lower }), canonical(all));
}

#[test]
fn coordinates_of_points_need_not_be_written() {
    // The vertex shader does not write the coordinates: they are undefined, but for points.
    let vertex =
        "#version 120\nattribute vec4 p; void main() { gl_Position = p; gl_TexCoord[1] = vec4(0.5); }";
    let fragment = "#version 120\nvoid main() { gl_FragColor = vec4(gl_TexCoord[0].xy, gl_TexCoord[1].xy); }";
    let mut scene = point(vertex, fragment);
    scene.values(&DriverValues { point_size: SIZE as f32, ..DriverValues::default() });
    let key = StateKey { point_size: PointSize::State, ..StateKey::default() };
    expect(&scene.draw(&key), 0, |_, _| [0.0, 0.0, 0.5, 0.5]);
    let s = |x: u32| (x as f32 + 0.5) / SIZE as f32;
    let first = StateKey { coord_replace: 1, ..key };
    expect_close(&scene.draw(&first), 0, |x, y| [s(x), 1.0 - s(y), 0.5, 0.5]);
}

#[test]
fn the_origin_of_points_is_state() {
    let vertex = "#version 120\nattribute vec4 p; void main() { gl_Position = p; }";
    let fragment = "#version 120\nvoid main() { gl_FragColor = vec4(gl_PointCoord, 0.0, 1.0); }";
    let mut scene = point(vertex, fragment);
    scene.values(&DriverValues { point_size: SIZE as f32, ..DriverValues::default() });
    let key = StateKey { point_size: PointSize::State, ..StateKey::default() };
    let s = |x: u32| (x as f32 + 0.5) / SIZE as f32;
    expect_close(&scene.draw(&key), 0, |x, y| [s(x), 1.0 - s(y), 0.0, 1.0]);
    let lower = StateKey { flags: StateFlags::POINT_LOWER_LEFT, ..key };
    expect_close(&scene.draw(&lower), 0, |x, y| [s(x), s(y), 0.0, 1.0]);
    // Two flips are none.
    let flipped = StateKey { flags: StateFlags::POINT_LOWER_LEFT | StateFlags::FLIP_WINDOW, ..key };
    expect_close(&scene.draw(&flipped), 0, |x, y| [s(x), 1.0 - s(y), 0.0, 1.0]);
}
