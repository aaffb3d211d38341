//! The exact form covers the same samples with the same colors as clipping by the driver, and as a reference clipper.

use super::cells::{cell_of, distances, edge_distance, grid, is_cut, normalised};
use super::scene::{Corner, Sources, device, draw, form, is_covered, lowered, modules, report};
use airfoil::Stage;
use airfoil::distances::DistanceForm;
use airfoil_interp::pipeline::Topology;

/// Distances below this part of the largest at the corners are left out.
const NEARLY_ZERO: f64 = 1.0 / 4096.0;

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 tint;
layout(location = 0) out vec4 color;
void main() { color = tint; }";

/// A vertex shader with these members of gl_PerVertex and statements.
fn vertex(members: &str, statements: &str) -> String {
    format!(
        "#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 distances;
layout(location = 2) in vec4 color;
layout(location = 0) out vec4 tint;
out gl_PerVertex {{ vec4 gl_Position; float gl_PointSize; {members} }};
void main() {{ gl_Position = position; gl_PointSize = 9.0; tint = color; {statements} }}"
    )
}

fn clipping(planes: usize) -> String {
    let stores: String = (0..planes).map(|n| format!("gl_ClipDistance[{n}] = distances[{n}]; ")).collect();
    vertex(&format!("float gl_ClipDistance[{planes}];"), &stores)
}

/// Counts of a comparison.
#[derive(Debug, Default)]
struct Tally {
    /// Samples that the primitives cover without distances.
    compared: usize,
    /// Samples that are left out.
    excluded: usize,
    /// Samples that clipping removes.
    clipped: usize,
    /// Samples at edges and ends that clipping moves.
    edges: usize,
}

/// Compares the original pipeline, the exact form and the reference clipper.
fn compare(
    vertex: &str,
    topology: Topology,
    corners: &[Corner],
    planes: usize,
    samples: u32,
) -> Option<Tally> {
    let device = device()?;
    let plain = self::vertex("", "");
    let pipeline = |vertex: &str| modules(&[(Stage::Vertex, vertex), (Stage::Fragment, FRAGMENT)]);
    let original = pipeline(vertex);
    // lavapipe 22.3 interpolates inputs of points and lines at wrong positions if they are taken at samples; the interpreter
    // does not (`t17_points_and_lines_are_clipped_alike`). The distances of a point are constant, and pixels that a line
    // ends in are left out.
    let each = samples > 1 && topology == Topology::Triangles;
    let options = form(DistanceForm::Exact).samples(if each { samples } else { 0 });
    let drawn = |modules: &[_]| draw(&device, modules, topology, corners, samples);
    let (unclipped, expected) = (drawn(&pipeline(&plain)), drawn(&original));
    let found = drawn(&lowered(&original, &options));
    let vertices = match topology {
        Topology::Points => 1,
        Topology::Lines => 2,
        _ => 3,
    };
    let mut tally = Tally::default();
    for (n, &color) in unclipped.iter().enumerate() {
        let at = cell_of(samples, n) * vertices;
        let (corners, at) = (&corners[at..at + vertices], normalised(samples, n));
        // Clipping creates corners, which are rounded to 1/256 of a pixel: the edges of a clipped triangle move a
        // little, and lines end a part of a pixel earlier or later.
        let moved = edge_distance(corners, at) < 1.0 / 128.0 || vertices == 2 && is_cut(corners, planes, at);
        if moved {
            tally.edges += usize::from(is_covered(color));
            continue;
        }
        if !is_covered(color) {
            assert!(
                !is_covered(expected[n]) && !is_covered(found[n]),
                "sample {n} is outside of all primitives"
            );
            continue;
        }
        let distances = distances(corners, planes, at);
        tally.compared += 1;
        if distances.iter().any(|d| d.abs() < NEARLY_ZERO) {
            tally.excluded += 1;
            continue;
        }
        let inside = distances.iter().all(|&d| d >= 0.0);
        tally.clipped += usize::from(!inside);
        assert_eq!(
            is_covered(expected[n]),
            inside,
            "the driver differs from the reference at sample {n}: {distances:?}"
        );
        assert_eq!(is_covered(found[n]), inside, "the exact form differs at sample {n}: {distances:?}");
        for (a, b) in expected[n].iter().zip(&found[n]) {
            assert!(
                (a - b).abs() <= 1.0 / 255.0,
                "colors differ at sample {n}: {:?}, {:?}",
                expected[n],
                found[n]
            );
        }
    }
    assert!(tally.excluded * 200 < tally.compared, "{tally:?}");
    assert!(tally.clipped > 0 && tally.clipped < tally.compared, "{tally:?}");
    report(&format!("{topology:?}, {planes} planes, {samples} samples: {tally:?}"));
    Some(tally)
}

#[test]
fn triangles_are_cut_at_each_plane() {
    for planes in [1, 2, 3, 4] {
        for samples in [1, 4] {
            for perspective in [false, true] {
                let corners =
                    grid(planes as u64, 3, perspective, |numbers, _, _, _| numbers.between(-0.6, 1.0));
                if compare(&clipping(planes), Topology::Triangles, &corners, planes, samples).is_none() {
                    return;
                }
            }
        }
    }
}

#[test]
fn lines_are_cut_at_each_plane() {
    for planes in [1, 2] {
        for samples in [1, 4] {
            let corners = grid(7, 2, true, |numbers, _, _, _| numbers.between(-0.6, 1.0));
            let _ = compare(&clipping(planes), Topology::Lines, &corners, planes, samples);
        }
    }
}

#[test]
fn points_are_clipped_as_a_whole() {
    for planes in [1, 3] {
        for samples in [1, 4] {
            let corners = grid(9, 1, true, |numbers, _, _, _| numbers.between(-0.6, 1.0));
            let _ = compare(&clipping(planes), Topology::Points, &corners, planes, samples);
        }
    }
}

/// Two pipelines draw the same image, except for a few samples at the edges of clipping.
fn same_images(sources: Sources<'_>, topology: Topology, corners: &[Corner], samples: u32) {
    let Some(device) = device() else { return };
    let original = modules(sources);
    let options = form(DistanceForm::Exact).samples(if samples > 1 { samples } else { 0 });
    let drawn = |modules: &[_]| draw(&device, modules, topology, corners, samples);
    let (expected, found) = (drawn(&original), drawn(&lowered(&original, &options)));
    let close = |a: &[f32; 4], b: &[f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1.0 / 255.0);
    let differing = expected.iter().zip(&found).filter(|(a, b)| !close(a, b)).count();
    let covered = expected.iter().filter(|&&color| is_covered(color)).count();
    report(&format!("{topology:?}, {samples} samples: {differing} of {covered} covered samples differ"));
    assert!(covered > 500, "{covered}");
    assert!(differing * 200 < covered, "{differing} of {covered}");
}

/// Two triangles per cell that share the edge between corners 1 and 2.
fn shared_edges(corners: &[Corner]) -> Vec<Corner> {
    corners.chunks(4).flat_map(|c| [c[0], c[1], c[2], c[2], c[1], c[3]]).collect()
}

fn quads(seed: u64) -> Vec<Corner> {
    let corners = grid(seed, 4, true, |numbers, _, _, _| numbers.between(-0.6, 1.0));
    // Around the cell: 0, 1, 3, 2 are the corners of two triangles.
    corners.chunks(4).flat_map(|c| [c[0], c[1], c[3], c[2]]).collect()
}

#[test]
fn edges_that_triangles_share_have_no_gaps() {
    let corners = shared_edges(&quads(3));
    for samples in [1, 4] {
        same_images(
            &[(Stage::Vertex, &clipping(2)), (Stage::Fragment, FRAGMENT)],
            Topology::Triangles,
            &corners,
            samples,
        );
    }
}

#[test]
fn a_primitive_is_culled_only_if_one_distance_is_negative_everywhere() {
    let text = vertex(
        "float gl_CullDistance[2];",
        "gl_CullDistance[0] = distances[0]; gl_CullDistance[1] = distances[1];",
    );
    // Of four cells one is outside of plane 0, one of plane 1, one in parts of each, one inside.
    let sign = |cell: u32, corner: usize, plane: usize| match cell % 4 {
        0 => plane == 0,
        1 => plane == 1,
        2 => (corner + plane).is_multiple_of(2),
        _ => false,
    };
    let distance = |numbers: &mut super::cells::Numbers, cell, corner, plane| {
        let value = numbers.between(0.1, 1.0);
        if sign(cell, corner, plane) { -value } else { value }
    };
    let sources = [(Stage::Vertex, &*text), (Stage::Fragment, FRAGMENT)];
    for samples in [1, 4] {
        same_images(&sources, Topology::Triangles, &grid(5, 3, true, distance), samples);
        same_images(&sources, Topology::Lines, &grid(5, 2, true, distance), samples);
        same_images(&sources, Topology::Points, &grid(5, 1, true, distance), samples);
    }
    let corners = quads(8);
    let shared: Vec<Corner> = shared_edges(&corners)
        .chunks(3)
        .enumerate()
        .flat_map(|(n, c)| {
            [0, 1, 2].map(|k| Corner {
                distances: [if n % 3 == 0 { -1.0 } else { 1.0 }, if k == 0 { -1.0 } else { 1.0 }, 1.0, 1.0],
                ..c[k]
            })
        })
        .collect();
    same_images(&sources, Topology::Triangles, &shared, 1);
}

#[test]
fn fragment_shaders_read_distances() {
    let fragment = "#version 450
        in float gl_ClipDistance[2];
        layout(location = 0) in vec4 tint;
        layout(location = 0) out vec4 color;
        void main() { color = vec4(gl_ClipDistance[0], gl_ClipDistance[1], tint.x, 1.0); }";
    let corners = grid(11, 3, true, |numbers, _, _, _| numbers.between(-0.6, 1.0));
    for samples in [1, 4] {
        same_images(
            &[(Stage::Vertex, &clipping(2)), (Stage::Fragment, fragment)],
            Topology::Triangles,
            &corners,
            samples,
        );
    }
}

#[test]
fn geometry_shaders_read_distances_and_emit_several_vertices() {
    let geometry = "#version 450
        layout(triangles) in;
        layout(triangle_strip, max_vertices = 6) out;
        in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
        layout(location = 0) in vec4 tint[];
        layout(location = 0) out vec4 shade;
        void main() {
            for (int part = 0; part < 2; part++) {
                for (int i = 0; i < 3; i++) {
                    // Before and after the position, at a dynamic index.
                    gl_ClipDistance[part] = gl_in[i].gl_ClipDistance[1 - part];
                    gl_Position = gl_in[i].gl_Position + vec4(0.0, 0.0, 0.0, 0.0);
                    gl_ClipDistance[1 - part] = gl_in[i].gl_ClipDistance[part];
                    shade = tint[i];
                    EmitVertex();
                }
                EndPrimitive();
            }
        }";
    let fragment = "#version 450
        layout(location = 0) in vec4 shade;
        layout(location = 0) out vec4 color;
        void main() { color = shade; }";
    let corners = grid(13, 3, true, |numbers, _, _, _| numbers.between(-0.6, 1.0));
    let sources = [(Stage::Vertex, &*clipping(2)), (Stage::Geometry, geometry), (Stage::Fragment, fragment)];
    same_images(&sources, Topology::Triangles, &corners, 1);
}

#[test]
fn tessellation_passes_distances_on() {
    let control = "#version 450
        layout(vertices = 3) out;
        in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_out[];
        layout(location = 0) in vec4 tint[];
        layout(location = 0) out vec4 shade[];
        void main() {
            gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
            for (int i = 0; i < 2; i++)
                gl_out[gl_InvocationID].gl_ClipDistance[i] = gl_in[gl_InvocationID].gl_ClipDistance[i];
            shade[gl_InvocationID] = tint[gl_InvocationID];
            gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
            gl_TessLevelInner[0] = 2.0;
        }";
    let evaluation = "#version 450
        layout(triangles) in;
        in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
        layout(location = 0) in vec4 shade[];
        layout(location = 0) out vec4 tint;
        void main() {
            vec3 c = gl_TessCoord;
            gl_Position = vec4(0.0);
            gl_ClipDistance[0] = gl_ClipDistance[1] = 0.0;
            tint = vec4(0.0);
            for (int i = 0; i < 3; i++) {
                gl_Position += c[i] * gl_in[i].gl_Position;
                tint += c[i] * shade[i];
                for (int j = 0; j < 2; j++) gl_ClipDistance[j] += c[i] * gl_in[i].gl_ClipDistance[j];
            }
        }";
    let corners = grid(17, 3, true, |numbers, _, _, _| numbers.between(-0.6, 1.0));
    let sources = [
        (Stage::Vertex, &*clipping(2)),
        (Stage::TessControl, control),
        (Stage::TessEval, evaluation),
        (Stage::Fragment, FRAGMENT),
    ];
    same_images(&sources, Topology::Patches(3), &corners, 1);
}

#[test]
fn vertices_outside_of_different_planes_leave_a_visible_part() {
    // One corner outside of each plane.
    let corners = grid(19, 3, true, |numbers, _, corner, plane| {
        if corner == plane { numbers.between(-0.3, -0.1) } else { numbers.between(0.5, 1.0) }
    });
    let _ = compare(&clipping(3), Topology::Triangles, &corners, 3, 1);
}

#[test]
fn the_approximate_form_is_equal_inside_and_outside() {
    let Some(device) = device() else { return };
    // Whole primitives outside of plane `cell modulo 5`; plane 4 does not exist.
    let distance = |numbers: &mut super::cells::Numbers, cell: u32, _: usize, plane: usize| {
        let value = numbers.between(0.1, 1.0);
        if cell as usize % 5 == plane { -value } else { value }
    };
    for planes in [1, 2, 4] {
        for (topology, vertices) in [(Topology::Points, 1), (Topology::Lines, 2), (Topology::Triangles, 3)] {
            let corners = grid(23, vertices, true, distance);
            let original = modules(&[(Stage::Vertex, &clipping(planes)), (Stage::Fragment, FRAGMENT)]);
            let drawn = |modules: &[_]| draw(&device, modules, topology, &corners, 1);
            let expected = drawn(&original);
            assert!(expected.iter().any(|&color| is_covered(color)));
            let found = drawn(&lowered(&original, &form(DistanceForm::WholePrimitive)));
            assert_eq!(found, expected, "{topology:?}, {planes} planes");
        }
    }
}

#[test]
fn the_approximate_form_is_equal_for_points() {
    let Some(device) = device() else { return };
    let corners = grid(29, 1, true, |numbers, _, _, _| numbers.between(-0.6, 1.0));
    let text = vertex(
        "float gl_ClipDistance[3]; float gl_CullDistance[1];",
        "gl_ClipDistance[0] = distances[0]; gl_ClipDistance[1] = distances[1]; gl_ClipDistance[2] = distances[2];
         gl_CullDistance[0] = distances[3];",
    );
    let original = modules(&[(Stage::Vertex, &text), (Stage::Fragment, FRAGMENT)]);
    let drawn = |modules: &[_]| draw(&device, modules, Topology::Points, &corners, 1);
    let expected = drawn(&original);
    assert!(expected.iter().any(|&color| is_covered(color)));
    for mode in [DistanceForm::Points, DistanceForm::WholePrimitive] {
        assert_eq!(drawn(&lowered(&original, &form(mode))), expected, "{mode:?}");
    }
}

/// A NaN neither clips nor culls in any form (the specifications leave it open).
#[test]
fn a_nan_does_not_clip() {
    let Some(device) = device() else { return };
    let corners =
        grid(31, 1, false, |_, cell, _, plane| if plane == 0 && cell % 2 == 0 { f32::NAN } else { 1.0 });
    let original = modules(&[(Stage::Vertex, &clipping(1)), (Stage::Fragment, FRAGMENT)]);
    let plain = modules(&[(Stage::Vertex, &vertex("", "")), (Stage::Fragment, FRAGMENT)]);
    let drawn = |modules: &[_]| draw(&device, modules, Topology::Points, &corners, 1);
    let expected = drawn(&plain);
    for mode in [DistanceForm::Exact, DistanceForm::Points, DistanceForm::WholePrimitive] {
        assert_eq!(drawn(&lowered(&original, &form(mode))), expected, "{mode:?}");
    }
}

#[test]
fn a_disabled_plane_does_not_clip() {
    let Some(device) = device() else { return };
    let corners = grid(37, 3, true, |numbers, _, _, _| numbers.between(-0.6, 1.0));
    let both = modules(&[(Stage::Vertex, &clipping(2)), (Stage::Fragment, FRAGMENT)]);
    let first = modules(&[(Stage::Vertex, &clipping(1)), (Stage::Fragment, FRAGMENT)]);
    let drawn = |modules: &[_]| draw(&device, modules, Topology::Triangles, &corners, 1);
    let expected = drawn(&lowered(&first, &form(DistanceForm::Exact)));
    assert_eq!(drawn(&lowered(&both, &form(DistanceForm::Exact).enabled(1))), expected);
}
