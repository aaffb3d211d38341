//! Lines, points and polygons that mesh functions draw.

use crate::meshes::*;
use crate::scene::{CLEAR, SIZE, Scene, WHITE, expect, link, white_if};
use airfoil::interp::pipeline::{Target, Topology};
use airfoil::interp::run::Program as Runner;
use airfoil::interp::{Binding, Config, Resources, Space, System};
use airfoil::ir::Slot;
use airfoil::passes::stages::stage_buffer::StageBuffer;
use airfoil_gl::{
    Budget, Device, DriverValues, LineMode, LinkOptions, PointSize, PolygonKind, PolygonMode, Stage,
    StateFlags, StateKey, TransformFeedback,
};

/// The center of a pixel.
fn center(x: u32, y: u32) -> [f32; 2] {
    [x as f32 + 0.5, y as f32 + 0.5]
}

#[test]
fn wide_lines_are_extended_along_an_axis() {
    let program = program(FRAGMENT);
    for line_width in [1.0, 2.0, 3.0] {
        let key = lines(LineMode::Aliased);
        let target = draw(&program, &white(&[[1.2, 2.3], [6.8, 4.1]]), &width(line_width), &key);
        expect(&target, 0, |x, y| {
            let [x, y] = center(x, y);
            let line = 2.3 + (x - 1.2) * (4.1 - 2.3) / (6.8 - 1.2);
            white_if((1.2..6.8).contains(&x) && (y - line).abs() < line_width / 2.0)
        });
        let target = draw(&program, &white(&[[4.1, 7.2], [2.3, 0.8]]), &width(line_width), &key);
        expect(&target, 0, |x, y| {
            let [x, y] = center(x, y);
            let line = 2.3 + (y - 0.8) * (4.1 - 2.3) / (7.2 - 0.8);
            white_if((0.8..7.2).contains(&y) && (x - line).abs() < line_width / 2.0)
        });
    }
}

/// The distances of a pixel along a line and across it.
fn distances([x, y]: [f32; 2], [a, b]: [[f32; 2]; 2]) -> (f32, f32, f32) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx.hypot(dy);
    let (px, py) = (x - a[0], y - a[1]);
    ((px * dx + py * dy) / length, (px * dy - py * dx) / length, length)
}

#[test]
fn rectangles_are_extended_at_right_angles() {
    let program = program(FRAGMENT);
    let ends = [[1.3, 1.6], [6.1, 5.2]];
    let target = draw(&program, &white(&ends), &width(3.0), &lines(LineMode::Rectangle));
    expect(&target, 0, |x, y| {
        let (along, across, length) = distances(center(x, y), ends);
        white_if((0.0..length).contains(&along) && across.abs() < 1.5)
    });
}

/// The part of a pixel that satisfies a condition.
fn part(x: u32, y: u32, covers: impl Fn([f32; 2]) -> bool) -> f32 {
    let n = 32;
    let at = |i: u32| (i as f32 + 0.5) / n as f32;
    let covered = (0..n * n).filter(|i| covers([x as f32 + at(i % n), y as f32 + at(i / n)])).count();
    covered as f32 / (n * n) as f32
}

/// Compares alpha with the covered parts of pixels.
fn expect_coverage(target: &Target, tolerance: f32, covers: impl Fn([f32; 2]) -> bool) {
    let mut partial = 0;
    for (x, y) in (0..SIZE * SIZE).map(|i| (i % SIZE, i / SIZE)) {
        let found = target.floats(0, x, y, 0).unwrap_or([f32::NAN; 4])[3];
        let want = part(x, y, &covers);
        assert!((found - want).abs() <= tolerance, "({x}, {y}): {found}, expected about {want}");
        partial += u32::from(found > 0.1 && found < 0.9);
    }
    assert!(partial > 2, "edges have intermediate values");
}

#[test]
fn smooth_lines_have_the_coverage_as_alpha() {
    let program = program(FRAGMENT);
    for (ends, tolerance) in [([[1.3, 2.7], [6.6, 2.7]], 1e-3), ([[1.3, 1.6], [6.1, 5.2]], 0.13)] {
        for line_width in [0.5, 1.0, 2.5] {
            let target = draw(&program, &white(&ends), &width(line_width), &lines(LineMode::Smooth));
            // 32 by 32 points resolve 1/32 of a pixel at an edge.
            expect_coverage(&target, tolerance + 1.0 / 32.0, |point| {
                let (along, across, length) = distances(point, ends);
                (0.0..length).contains(&along) && across.abs() < line_width / 2.0
            });
        }
    }
}

#[test]
fn smooth_points_are_disks() {
    let vertex = "#version 150 compatibility\nin vec4 p; in vec4 c; out vec4 color; flat out vec4 last;
        void main() { gl_Position = p; color = c; last = c; }";
    let mut scene = Scene::of(link(&[(Stage::Vertex, vertex), (Stage::Fragment, FRAGMENT)]));
    for (size, at) in [(1.0, [4.0, 4.2]), (3.0, [3.9, 4.3]), (4.5, [4.5, 3.5])] {
        scene.vertices = vec![vec![pixel(at, 1.0), WHITE]];
        scene.topology = Topology::Points;
        scene.resources = Resources::new();
        scene.values(&DriverValues { point_size: size, ..DriverValues::default() });
        let flags = StateFlags::SMOOTH_POINTS;
        let key = StateKey { flags, point_size: PointSize::State, ..StateKey::default() };
        let target = scene.draw(&key);
        for (x, y) in (0..SIZE * SIZE).map(|i| (i % SIZE, i / SIZE)) {
            let found = target.floats(0, x, y, 0).unwrap_or([f32::NAN; 4])[3];
            let want = part(x, y, |[x, y]| (x - at[0]).hypot(y - at[1]) < size / 2.0);
            assert!((found - want).abs() <= 0.2, "size {size}, ({x}, {y}): {found}, expected about {want}");
        }
    }
}

fn stipple(pattern: u32, factor: u32) -> DriverValues {
    DriverValues { line_width: 1.0, line_stipple: pattern | factor << 16, ..DriverValues::default() }
}

#[test]
fn stipple_patterns_leave_out_fragments_of_lines() {
    let program = program(FRAGMENT);
    let key = StateKey { flags: StateFlags::LINE_STIPPLE, ..StateKey::default() };
    for (pattern, factor) in [(0x5555, 1), (0x3, 2), (0xfff5, 2), (0, 1), (0x1, 0)] {
        // The pattern starts with each line: the second one is drawn downwards.
        let vertices = white(&[[0.0, 1.5], [8.0, 1.5], [4.5, 8.0], [4.5, 3.0]]);
        let target = draw(&program, &vertices, &stipple(pattern, factor), &key);
        let bit = |n: u32| pattern >> (n / factor.max(1) % 16) & 1 != 0;
        expect(&target, 0, |x, y| white_if((y == 1 && bit(x)) || (x == 4 && y >= 3 && bit(7 - y))));
    }
}

#[test]
fn stipple_patterns_continue_along_strips() {
    let program = program(FRAGMENT);
    let flags = StateFlags::LINE_STIPPLE | StateFlags::LINE_STRIP;
    let key = StateKey { flags, ..StateKey::default() };
    // 5 pixels to the right, 3 upwards, and 5 to the left. The shader does not know that they do not meet.
    let strip = [[1.0, 1.5], [6.0, 1.5], [6.5, 1.0], [6.5, 4.0], [6.0, 5.5], [1.0, 5.5]];
    let pattern = 0b1011_0010_1101_0110;
    let target = draw(&program, &white(&strip), &stipple(pattern, 1), &key);
    let bit = |n: u32| pattern >> (n % 16) & 1 != 0;
    expect(&target, 0, |x, y| match (x, y) {
        (1..6, 1) => white_if(bit(x - 1)),
        (6, 1..4) => white_if(bit(5 + y - 1)),
        (1..6, 5) => white_if(bit(8 + 5 - x)),
        _ => CLEAR,
    });
}

#[test]
fn lines_that_pass_the_eye_are_visible_in_front_of_it() {
    let program = program(FRAGMENT);
    // The w of the second end is negative: the line continues to the right.
    let vertices = vec![vec![pixel([2.0, 3.5], 1.0), WHITE], vec![pixel([-6.0, 3.5], -1.0), WHITE]];
    let target = draw(&program, &vertices, &width(1.0), &lines(LineMode::Aliased));
    expect(&target, 0, |x, y| white_if(y == 3 && x >= 2));
    let vertices = vec![vec![pixel([2.0, 3.5], -1.0), WHITE], vec![pixel([6.0, 3.5], -1.0), WHITE]];
    let target = draw(&program, &vertices, &width(1.0), &lines(LineMode::Aliased));
    expect(&target, 0, |_, _| CLEAR);
}

#[test]
fn varyings_are_interpolated_along_expanded_lines() {
    let fragment = "#version 150 compatibility\nin vec4 color; flat in vec4 last; out vec4 o;
        void main() { o = vec4(color.x, last.x, gl_FrontFacing, 1.0); }";
    let program = program(fragment);
    // Color x is the column of the pixel's center.
    let vertices = vec![
        vec![pixel([0.0, 3.5], 1.0), [0.0, 0.0, 0.0, 1.0]],
        vec![pixel([8.0, 3.5], 1.0), [8.0, 0.0, 0.0, 1.0]],
    ];
    for (flags, provoking) in [(StateFlags::empty(), 8.0), (StateFlags::FIRST_PROVOKES, 0.0)] {
        let key = StateKey { flags, ..lines(LineMode::Aliased) };
        let target = draw(&program, &vertices, &width(3.0), &key);
        for (x, y) in (0..SIZE * SIZE).map(|i| (i % SIZE, i / SIZE)) {
            let [color, last, front, alpha] = target.floats(0, x, y, 0).unwrap_or([f32::NAN; 4]);
            if !(2..5).contains(&y) {
                assert_eq!(alpha, 0.0);
                continue;
            }
            assert!((color - (x as f32 + 0.5)).abs() < 1e-4, "({x}, {y}): {color}");
            assert_eq!((last, front), (provoking, 1.0));
        }
    }
}

#[test]
fn lines_of_geometry_shaders_are_expanded() {
    let geometry = "#version 150\nlayout(points) in; layout(line_strip, max_vertices = 3) out;
        in vec4 color[]; out vec4 tint;
        void main() {
            for (int i = 0; i < 3; i++) {
                gl_Position = gl_in[0].gl_Position + vec4(i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0, 0.0, 0.0);
                tint = color[0];
                EmitVertex();
            }
        }";
    let vertex =
        "#version 150\nin vec4 p; in vec4 c; out vec4 color; void main() { gl_Position = p; color = c; }";
    let fragment = "#version 150\nin vec4 tint; out vec4 o; void main() { o = tint; }";
    let sources = [(Stage::Vertex, vertex), (Stage::Geometry, geometry), (Stage::Fragment, fragment)];
    let target = draw(&link(&sources), &white(&[[2.0, 3.4]]), &width(3.0), &lines(LineMode::Aliased));
    expect(&target, 0, |x, y| {
        let [x, y] = center(x, y);
        let first = (2.0..6.0).contains(&x) && (y - 3.4).abs() < 1.5;
        // The second line goes from (6, 3.4) to (2, 7.4).
        let second = (2.0..6.0).contains(&x) && (y - (3.4 + 6.0 - x)).abs() < 1.5;
        white_if(first || second)
    });
}

#[test]
fn meshes_that_are_too_large_are_errors() {
    let geometry = "#version 150\nlayout(points) in; layout(line_strip, max_vertices = 250) out;
        void main() {
            for (int i = 0; i < 250; i++) { gl_Position = gl_in[0].gl_Position * float(i); EmitVertex(); }
        }";
    let vertex = "#version 150\nin vec4 p; void main() { gl_Position = p; }";
    let fragment = "#version 150\nout vec4 o; void main() { o = vec4(1.0); }";
    let program = link(&[(Stage::Vertex, vertex), (Stage::Geometry, geometry), (Stage::Fragment, fragment)]);
    let variant = |key: &StateKey| program.variant(Stage::Geometry, key, &Budget::default());
    assert!(variant(&StateKey::default()).is_ok());
    let error = variant(&lines(LineMode::Smooth)).expect_err("996 vertices").to_string();
    assert!(error.contains("256"), "{error}");
}

fn polygons(polygon_mode: PolygonMode, polygons: PolygonKind, flags: StateFlags) -> StateKey {
    let point_size = if polygon_mode == PolygonMode::Points { PointSize::Shader } else { PointSize::None };
    StateKey { polygon_mode, polygons, flags, point_size, ..StateKey::default() }
}

/// The corners of a quad, counterclockwise, in the centers of pixels.
const QUAD: [[f32; 2]; 4] = [[1.5, 1.5], [6.5, 1.5], [6.5, 5.5], [1.5, 5.5]];

/// The pixels of the edges that are drawn, as lines that no function expands: bit n is the edge from corner n.
fn edge_pixels(edges: u32) -> Target {
    let mut scene = Scene::of(program(FRAGMENT));
    let of_edge = |n: usize| [QUAD[n], QUAD[(n + 1) % 4]];
    let corners: Vec<[f32; 2]> = (0..4).filter(|n| edges >> n & 1 != 0).flat_map(of_edge).collect();
    (scene.topology, scene.vertices) = (Topology::Lines, white(&corners));
    scene.draw(&StateKey::default())
}

/// The triangles of a quad, for both conventions of the provoking vertex.
fn triangles(first_provokes: bool) -> [usize; 6] {
    if first_provokes { [0, 1, 2, 0, 2, 3] } else { [0, 1, 3, 1, 2, 3] }
}

#[test]
fn edges_of_quads_have_edge_flags() {
    let program = program(FRAGMENT);
    for flags in [StateFlags::empty(), StateFlags::FIRST_PROVOKES] {
        for edges in [0b1111, 0b0101, 0b0010, 0b1000, 0] {
            let order = triangles(!flags.is_empty());
            let vertices = white(&order.map(|n| QUAD[n]));
            let edge_flags = order.map(|n| edges >> n & 1);
            let flags = flags | StateFlags::EDGE_FLAGS;
            let key = polygons(PolygonMode::Lines, PolygonKind::Quads, flags);
            let target = draw_with_flags(&program, &vertices, &edge_flags, &width(1.0), &key);
            let lines = edge_pixels(edges);
            expect(&target, 0, |x, y| lines.floats(0, x, y, 0).unwrap_or([f32::NAN; 4]));
            let key = polygons(PolygonMode::Points, PolygonKind::Quads, flags);
            let target = draw_with_flags(&program, &vertices, &edge_flags, &width(1.0), &key);
            expect(&target, 0, |x, y| {
                let at = QUAD.iter().position(|&c| c == center(x, y));
                white_if(at.is_some_and(|n| edges >> n & 1 != 0))
            });
        }
    }
}

#[test]
fn polygons_have_the_index_of_the_polygon() {
    let fragment = "#version 150 compatibility\nin vec4 color; flat in vec4 last; out vec4 o;
        void main() { o = vec4(gl_PrimitiveID, 0.0, 0.0, 1.0); }";
    let program = program(fragment);
    // Two quads of two pixels each way, the second one to the upper right.
    let corner =
        |n: usize, from: f32| [[0.5, 0.5], [1.5, 0.5], [1.5, 1.5], [0.5, 1.5]][n].map(|x: f32| x + from);
    let order = triangles(false);
    let quads: Vec<[f32; 2]> = [0.0, 4.0].iter().flat_map(|&from| order.map(|n| corner(n, from))).collect();
    for (kind, second) in [(PolygonKind::Quads, 1.0), (PolygonKind::Polygon, 0.0)] {
        let key = polygons(PolygonMode::Points, kind, StateFlags::empty());
        let values = DriverValues { polygon_triangles: 4, ..width(1.0) };
        let target = draw(&program, &white(&quads), &values, &key);
        let at = |x: u32, y: u32| target.floats(0, x, y, 0).map(|color| (color[0], color[3]));
        assert_eq!((at(1, 0), at(5, 5)), (Some((0.0, 1.0)), Some((second, 1.0))), "{kind:?}");
    }
}

#[test]
fn edges_inside_of_polygons_are_not_drawn() {
    let program = program(FRAGMENT);
    let corners = [[1.5, 1.5], [4.5, 0.5], [6.5, 2.5], [5.5, 5.5], [2.5, 6.5]];
    for flags in [StateFlags::empty(), StateFlags::FIRST_PROVOKES] {
        let first = !flags.is_empty();
        let order: Vec<[f32; 2]> = (1..4)
            .flat_map(|n| if first { [0, n, n + 1] } else { [n, n + 1, 0] })
            .map(|n| corners[n])
            .collect();
        let values = DriverValues { polygon_triangles: 3, ..width(1.0) };
        let points = polygons(PolygonMode::Points, PolygonKind::Polygon, flags);
        let target = draw(&program, &white(&order), &values, &points);
        expect(&target, 0, |x, y| white_if(corners.contains(&center(x, y))));
        let edges = polygons(PolygonMode::Lines, PolygonKind::Polygon, flags);
        let found = draw(&program, &white(&order), &values, &edges);
        let outline: Vec<[f32; 2]> = (0..5).flat_map(|n| [corners[n], corners[(n + 1) % 5]]).collect();
        let want = draw(&program, &white(&outline), &values, &lines(LineMode::Aliased));
        let covered = |target: &Target| -> Vec<bool> {
            (0..SIZE * SIZE).map(|i| target.floats(0, i % SIZE, i / SIZE, 0) == Some(WHITE)).collect()
        };
        let apart = covered(&found).iter().zip(covered(&want)).filter(|(a, b)| **a != *b).count();
        assert!(apart <= 5, "the ends of five lines may differ, found {apart} pixels");
    }
}

#[test]
fn polygons_are_culled_and_have_a_face() {
    let fragment = "#version 150 compatibility\nin vec4 color; flat in vec4 last; out vec4 o;
        void main() { o = vec4(gl_FrontFacing, !gl_FrontFacing, 0.0, 1.0); }";
    let program = program(fragment);
    // One triangle in each winding.
    let vertices = white(&[[1.5, 1.5], [3.5, 1.5], [1.5, 3.5], [5.5, 5.5], [5.5, 7.5], [7.5, 5.5]]);
    let key = polygons(PolygonMode::Points, PolygonKind::Triangles, StateFlags::empty());
    for (faces, front, back) in [(0, true, true), (1, false, true), (2, true, false), (3, false, false)] {
        for clockwise in [0, 4] {
            let values = DriverValues { faces: faces | clockwise, ..DriverValues::default() };
            let target = draw(&program, &vertices, &values, &key);
            expect(&target, 0, |x, y| {
                let Some(n) = vertices.iter().position(|v| v[0] == pixel(center(x, y), 1.0)) else {
                    return CLEAR;
                };
                let is_front = (n < 3) == (clockwise == 0);
                let drawn = if is_front { front } else { back };
                match (drawn, is_front) {
                    (false, _) => CLEAR,
                    (true, true) => [1.0, 0.0, 0.0, 1.0],
                    (true, false) => [0.0, 1.0, 0.0, 1.0],
                }
            });
        }
    }
}

#[test]
fn expanded_lines_have_clip_distances() {
    let vertex = "#version 150\nin vec4 p; in vec4 c; out vec4 color; out float gl_ClipDistance[5];
        void main() {
            gl_Position = p; color = c;
            for (int i = 0; i < 5; i++) gl_ClipDistance[i] = p.x - float(i);
        }";
    let fragment = "#version 150\nin vec4 color; out vec4 o; void main() { o = color; }";
    let program = link(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)]);
    let vertices = white(&[[0.0, 3.5], [8.0, 3.5]]);
    for clip_enable in [0, 1, 0x12, 0x1f] {
        let key = StateKey { clip_enable, ..lines(LineMode::Aliased) };
        let Made { mesh, corners, .. } = make(&program, &vertices, &[], &width(3.0), &key);
        assert_eq!((mesh.info.clip_distances, corners.len()), (5, 4));
        for (n, corner) in corners.iter().enumerate() {
            let x = if n < 2 { -1.0 } else { 1.0 };
            for i in 0..5_u8 {
                let slot = Slot::CLIP_DIST0.offset(u32::from(i / 4)).unwrap_or(Slot::CLIP_DIST0);
                let found = corner.inputs.get(slot, u32::from(i % 4)).map(f32::from_bits);
                let enabled = clip_enable >> i & 1 != 0;
                assert_eq!(
                    found,
                    Some(if enabled { x - f32::from(i) } else { 0.0 }),
                    "{n}: {i} of {clip_enable}"
                );
            }
        }
    }
}

#[test]
fn evaluation_shaders_get_a_geometry_stage() {
    let evaluation = "#version 430\nlayout(triangles) in;
        void main() { gl_Position = gl_in[0].gl_Position * gl_TessCoord.x; }";
    let fragment =
        "#version 430\nout vec4 o; void main() { o = vec4(gl_PrimitiveID, gl_FrontFacing, 0.0, 1.0); }";
    let vertex = "#version 430\nin vec4 p; void main() { gl_Position = p; }";
    let program =
        link(&[(Stage::Vertex, vertex), (Stage::TessEval, evaluation), (Stage::Fragment, fragment)]);
    let stages = [Stage::Vertex, Stage::TessEval, Stage::Geometry, Stage::Fragment];
    for key in [
        polygons(PolygonMode::Points, PolygonKind::Triangles, StateFlags::empty()),
        StateKey { polygon_mode: PolygonMode::Lines, ..lines(LineMode::Smooth) },
    ] {
        assert!(program.draw_stages(&key).eq(stages));
        for stage in stages {
            let made = |key: &StateKey| {
                program.variant(stage, key, &Budget::default()).unwrap_or_else(|e| panic!("{stage}: {e}"))
            };
            assert_eq!(made(&key).metallib, made(&program.stage_canonical(stage, &key)).metallib, "{stage}");
        }
    }
    // Lines are not drawn, so that their state does not matter.
    let key = lines(LineMode::Smooth);
    assert!(program.draw_stages(&key).eq([Stage::Vertex, Stage::TessEval, Stage::Fragment]));
    assert_eq!(program.canonical(&key), StateKey::default());
}

/// Draws a tessellated line between two pixels, of a patch of two vertices; `u` are the coordinates of the points. With
/// `captured` the program has captures, too.
fn draw_tessellated((layout, captured): (&str, bool), key: &StateKey, u: &[f32]) -> Target {
    let evaluation = format!(
        "#version 430\nlayout({layout}) in; flat out float start;
        void main() {{
            gl_Position = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
            start = gl_TessCoord.x == 0.0 ? 1.0 : 0.0;
        }}"
    );
    let vertex = "#version 430\nin vec4 p; void main() { gl_Position = p; }";
    let fragment = "#version 430\nflat in float start; out vec4 o; void main() { o = vec4(1.0 - start); }";
    let device = Device::default();
    let sources = [(Stage::Vertex, vertex), (Stage::TessEval, &*evaluation), (Stage::Fragment, fragment)];
    let objects = sources.map(|(stage, text)| device.compile("o", stage, &[text]));
    let varyings = if captured { vec!["start".to_owned()] } else { Vec::new() };
    let transform_feedback = TransformFeedback { varyings, ..TransformFeedback::default() };
    let options = LinkOptions { transform_feedback, ..LinkOptions::default() };
    let program = device.link(&objects.each_ref(), &options).unwrap_or_else(|log| panic!("{log}"));
    let key = StateKey { patch_vertices: 2, ..*key };
    assert!(program.draw_stages(&key).eq([Stage::Vertex, Stage::TessEval, Stage::Geometry, Stage::Fragment]));
    let budget = Budget::default();
    let made = |stage| {
        let function = program.variant(stage, &key, &budget).unwrap_or_else(|e| panic!("{stage}: {e}"));
        let same = program.variant(stage, &program.stage_canonical(stage, &key), &budget);
        assert!(same.is_ok_and(|same| same.metallib == function.metallib), "{stage}");
        (function, program.variant_shader(stage, &key, &budget).unwrap_or_else(|e| panic!("{e}")))
    };
    let (function, evaluation) = made(Stage::TessEval);
    let bytes = |name: &str| {
        let found = function.reflection.records.iter().find(|r| r.buffer == name);
        found.unwrap_or_else(|| panic!("{name}")).bytes as usize
    };
    let mut resources = Resources::new();
    driver_block(&mut resources, &width(3.0));
    let bind = |resources: &mut Resources, buffer: StageBuffer, bytes: Vec<u8>| {
        let whole = Binding::Buffer { buffer: resources.add_buffer(bytes), offset: 0, size: None };
        resources.bind(Space::Storage, DRIVER, buffer.binding(), 0, whole);
    };
    // The records of the vertices are the control points; the position is their first slot.
    let mut points = vec![0; 2 * bytes("stage_control_points")];
    for (record, end) in points.chunks_exact_mut(bytes("stage_control_points")).zip([[0.0, 3.5], [8.0, 3.5]])
    {
        let words = pixel(end, 1.0).into_iter().flat_map(f32::to_le_bytes);
        record.iter_mut().zip(words).for_each(|(to, byte)| *to = byte);
    }
    bind(&mut resources, StageBuffer::Vertices, points.clone());
    let (kernel, _) = made(Stage::Vertex);
    let written = kernel.reflection.records.iter().find(|r| r.buffer == "stage_vertices");
    assert_eq!(written.map(|r| r.bytes as usize), Some(bytes("stage_control_points")));
    bind(&mut resources, StageBuffer::ControlPoints, points);
    bind(&mut resources, StageBuffer::Patches, vec![0; bytes("stage_patches")]);
    let coords = u.iter().flat_map(|&u| [u.to_bits(), 0, 0, 0]).flat_map(u32::to_le_bytes).collect();
    bind(&mut resources, StageBuffer::TessPoints, coords);
    bind(&mut resources, StageBuffer::Vertices, vec![0; u.len() * bytes("stage_vertices")]);
    let mut runner = Runner::new(&evaluation, Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    runner
        .compute(&mut resources, &System::new(), [u.len() as u32, 1, 1])
        .unwrap_or_else(|e| panic!("{e:?}"));
    drop(runner);
    let ((_, mesh), (_, fragment)) = (made(Stage::Geometry), made(Stage::Fragment));
    let size = if layout.contains("point_mode") { 1 } else { 2 };
    rasterise(primitives_of(mesh, fragment, resources, u.len() as u32 / size))
}

#[test]
fn isolines_and_points_of_a_tessellator_are_drawn() {
    for captured in [false, true] {
        let draw = |layout, key: &StateKey, u: &[f32]| draw_tessellated((layout, captured), key, u);
        let line = [0.0, 0.5, 0.5, 1.0];
        let target = draw("isolines", &StateKey::default(), &line);
        expect(&target, 0, |_, y| white_if(y == 3));
        // The first vertex of the line on the left has a black varying.
        let first = StateKey { flags: StateFlags::FIRST_PROVOKES, ..StateKey::default() };
        let target = draw("isolines", &first, &line);
        expect(&target, 0, |x, y| white_if(y == 3 && x >= 4));
        let target = draw("isolines", &lines(LineMode::Aliased), &line);
        expect(&target, 0, |_, y| white_if((2..5).contains(&y)));
        for layout in ["isolines, point_mode", "triangles, point_mode"] {
            let target = draw(layout, &StateKey::default(), &[0.1875, 0.8125]);
            expect(&target, 0, |x, y| white_if(y == 3 && (x == 1 || x == 6)));
        }
        // Without rasterisation the functions still exist.
        let key = StateKey { flags: StateFlags::RASTERIZER_DISCARD, ..StateKey::default() };
        let _ = draw("isolines", &key, &[0.0, 1.0]);
    }
}

#[test]
fn capture_and_expansion_need_two_draws() {
    let device = Device::default();
    let objects = [(Stage::Vertex, VERTEX), (Stage::Fragment, FRAGMENT)];
    let objects = objects.map(|(stage, text)| device.compile("o", stage, &[text]));
    let varyings = vec!["gl_Position".to_owned()];
    let feedback = TransformFeedback { varyings, ..TransformFeedback::default() };
    let options = LinkOptions { transform_feedback: feedback, ..LinkOptions::default() };
    let program = device.link(&[&objects[0], &objects[1]], &options).unwrap_or_else(|log| panic!("{log}"));
    let key = StateKey { flags: StateFlags::CAPTURE, ..lines(LineMode::Aliased) };
    let error = program.variant(Stage::Vertex, &key, &Budget::default()).expect_err("refused");
    assert!(error.to_string().contains("E0955"), "{error}");
    // Without rasterisation there are no lines.
    let key = StateKey { flags: key.flags | StateFlags::RASTERIZER_DISCARD, ..key };
    assert!(program.draw_stages(&key).eq([Stage::Vertex, Stage::Fragment]));
    assert!(program.variant(Stage::Vertex, &key, &Budget::default()).is_ok());
}
