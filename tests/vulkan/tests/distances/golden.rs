//! An image of the difference between the approximate form and clipping.

use super::scene::{Corner, SIZE, device, draw, form, is_covered, lowered, modules};
use airfoil::Stage;
use airfoil::distances::DistanceForm;
use airfoil_interp::pipeline::Topology;
use std::fs;
use std::path::Path;

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 distances;
layout(location = 2) in vec4 color;
layout(location = 0) out vec4 tint;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_ClipDistance[0] = distances.x; gl_Position = position; tint = color; }";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 tint;
layout(location = 0) out vec4 color;
void main() { color = tint; }";

/// Pixels per character.
const STEP: u32 = 8;

/// A triangle with one vertex outside of a plane: `#` both forms cover, `-` only clipping, `+` only the approximate form.
#[test]
fn the_approximate_form_bends_straddling_triangles() {
    let Some(device) = device() else { return };
    let corner = |x, y, d| Corner { position: [x, y, 0.5, 1.0], distances: [d; 4], color: [1.0; 4] };
    let corners = [corner(-0.8, 0.8, 1.0), corner(0.8, 0.8, 1.0), corner(0.0, -0.9, -1.0)];
    let original = modules(&[(Stage::Vertex, VERTEX), (Stage::Fragment, FRAGMENT)]);
    let drawn = |modules: &[_]| draw(&device, modules, Topology::Triangles, &corners, 1);
    let clipped = drawn(&original);
    let approximate = drawn(&lowered(&original, &form(DistanceForm::WholePrimitive)));
    let mut text = String::new();
    for y in (STEP / 2..SIZE).step_by(STEP as usize) {
        for x in (STEP / 2..SIZE).step_by(STEP as usize) {
            let at = (y * SIZE + x) as usize;
            text.push(match (is_covered(clipped[at]), is_covered(approximate[at])) {
                (true, true) => '#',
                (true, false) => '-',
                (false, true) => '+',
                (false, false) => '.',
            });
        }
        text.push('\n');
    }
    assert!(text.contains('#') && text.contains('+'), "{text}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/distances/whole_primitive.txt");
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        fs::write(&path, &text).expect("it can be written");
    }
    assert_eq!(
        text,
        fs::read_to_string(&path).unwrap_or_default(),
        "`AIRFOIL_BLESS=1` rewrites {}",
        path.display()
    );
}
