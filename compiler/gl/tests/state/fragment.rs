//! State of the fragment stage.

use crate::scene::{CLEAR, SIZE, Scene, WHITE, expect};
use airfoil_gl::{DriverValues, StateFlags, StateKey};

const VERTEX: &str = "#version 120\nattribute vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";

#[test]
fn frag_color_goes_to_all_attachments() {
    let mut scene = Scene::new(VERTEX, "#version 120\nvoid main() { gl_FragColor = vec4(1.0); }");
    scene.colors = 3;
    for color_attachments in [0, 1, 2, 3] {
        let image = scene.draw(&StateKey { color_attachments, ..StateKey::default() });
        // The interpreter broadcasts `gl_FragColor`, which Metal lacks: only attachment 0 is compared.
        let compared = if color_attachments < 2 { 0..1 } else { 0..3 };
        for n in compared {
            let want = if n < usize::from(color_attachments.max(1)) { WHITE } else { CLEAR };
            expect(&image, n, |_, _| want);
        }
    }
}

#[test]
fn window_coordinates_are_flipped() {
    let fragment = "#version 120
        void main() { gl_FragColor = vec4(gl_FragCoord.xy, dFdx(gl_FragCoord.x), dFdy(gl_FragCoord.y)); }";
    let mut scene = Scene::new(VERTEX, fragment);
    scene.values(&DriverValues { height: SIZE as f32, ..DriverValues::default() });
    let center = |n: u32| n as f32 + 0.5;
    expect(&scene.draw(&StateKey::default()), 0, |x, y| [center(x), center(y), 1.0, 1.0]);
    let flipped = StateKey { flags: StateFlags::FLIP_WINDOW, ..StateKey::default() };
    // The window is as the shader expects it: y and its derivative agree.
    expect(&scene.draw(&flipped), 0, |x, y| [center(x), SIZE as f32 - center(y), 1.0, 1.0]);
}

#[test]
fn faces_are_flipped() {
    let fragment = "#version 120\nvoid main() { gl_FragColor = vec4(gl_FrontFacing ? 1.0 : 0.5); }";
    let mut scene = Scene::new(VERTEX, fragment);
    expect(&scene.draw(&StateKey::default()), 0, |_, _| WHITE);
    let flipped = StateKey { flags: StateFlags::FLIP_FACE, ..StateKey::default() };
    expect(&scene.draw(&flipped), 0, |_, _| [0.5; 4]);
}
