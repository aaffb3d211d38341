//! Traps about the shapes that remain: cuts, planes, culling, NaN, interpolation, samples, points and lines.

use crate::support::{
    INSIDE, STORES, Scene, clipping, exact, lower, pipeline, points, read, scene, straddling, triangle,
    try_lower, vertex, whole,
};
use airfoil::interp::pipeline::Topology;
use airfoil::ir::{Interpolation, Modes};
use airfoil::{Shader, Stage};

#[test]
fn t01_a_flag_per_vertex_is_not_a_cut() {
    let corners = straddling();
    let scene = scene(Topology::Triangles, &corners);
    let shaders = pipeline(&clipping());
    let cut = scene.assert_exact(&shaders, &exact());
    let plain = scene.draw(&pipeline(&vertex("", "gl_Position = position;")));
    assert!(cut.count() > 50 && cut.count() + 50 < plain.count(), "{} {}", cut.count(), plain.count());
    // The approximate form has another shape.
    assert!(scene.draw(&lower(&shaders, &whole())).covered() != cut.covered());
}

#[test]
fn t02_vertices_outside_of_different_planes_are_not_an_invisible_primitive() {
    let out = |plane: usize| {
        let mut d = INSIDE;
        d[plane] = -0.31;
        d
    };
    let corners = triangle([out(0), out(1), out(2)]);
    let scene = scene(Topology::Triangles, &corners);
    let stores = "gl_Position = position; gl_ClipDistance[0] = d.x; gl_ClipDistance[1] = d.y; gl_ClipDistance[2] = d.z;";
    let shaders = pipeline(&vertex("float gl_ClipDistance[3];", stores));
    assert!(scene.assert_exact(&shaders, &exact()).count() > 50);
    assert!(scene.draw(&lower(&shaders, &whole())).count() > 0, "planes must not act as one");
}

#[test]
fn t03_culling_never_deforms_a_primitive() {
    let shaders =
        pipeline(&vertex("float gl_CullDistance[1];", "gl_Position = position; gl_CullDistance[0] = d.x;"));
    let plain = pipeline(&vertex("", "gl_Position = position;"));
    for options in [exact(), whole()] {
        let corners = straddling();
        let partly = scene(Topology::Triangles, &corners);
        let found = partly.assert_exact(&shaders, &options);
        assert!(found.covered() == partly.draw(&plain).covered());
        let corners = triangle([[-1.0; 4], [-0.5; 4], [-0.1; 4]]);
        assert_eq!(scene(Topology::Triangles, &corners).assert_exact(&shaders, &options).count(), 0);
    }
}

#[test]
fn t05_a_vertex_outside_is_outside_of_the_view_volume() {
    let corners = triangle([[-1.0; 4], [-2.0; 4], [-0.5; 4]]);
    for depth_clamp in [false, true] {
        let scene = Scene { depth_clamp, ..scene(Topology::Triangles, &corners) };
        let found = scene.draw(&lower(&pipeline(&clipping()), &whole()));
        assert_eq!(found.count(), 0);
        for ([x, y, z, w], (expected, _)) in found.positions().into_iter().zip(corners) {
            assert_eq!([x, y, z], expected[..3], "finite positions, not NaN");
            assert_eq!(w, -1.0);
        }
    }
}

#[test]
fn t11_a_nan_does_not_clip_in_any_form() {
    let corners = [([0.0, 0.0, 0.5, 1.0], [f32::NAN; 4])];
    let texts = [
        vertex("float gl_ClipDistance[1];", STORES),
        vertex("float gl_CullDistance[1];", "gl_CullDistance[0] = d.x; gl_Position = position;"),
    ];
    for text in texts {
        let text = text.replace("vec4(d.xyz, 1.0)", "vec4(1.0)");
        for options in [exact(), points(), whole()] {
            let found = scene(Topology::Points, &corners).draw(&lower(&pipeline(&text), &options));
            assert_eq!(found.count(), 25, "{options:?}");
        }
    }
}

#[test]
fn t14_distances_are_perspective_correct_and_flags_linear() {
    let shaders = pipeline(&vertex(
        "float gl_ClipDistance[1]; float gl_CullDistance[1];",
        "gl_Position = position; gl_ClipDistance[0] = d.x; gl_CullDistance[0] = d.y;",
    ));
    let lowered = try_lower(&shaders, &exact()).unwrap_or_else(|e| panic!("{e:?}"));
    let way = |name: &str| {
        let var = lowered[1].vars.values().find(|v| v.mode == Modes::IN && v.name.starts_with(name));
        var.map(|v| v.interpolation)
    };
    assert_eq!(way("clip_distances"), Some(Interpolation::Smooth));
    assert_eq!(way("cull_flags"), Some(Interpolation::NoPerspective));
    let corners = straddling();
    assert!(scene(Topology::Triangles, &corners).assert_exact(&shaders, &exact()).count() > 50);
}

#[test]
fn t15_each_sample_is_tested() {
    let corners = straddling();
    let scene = Scene { samples: 4, ..scene(Topology::Triangles, &corners) };
    let shaders = pipeline(&clipping());
    let cut = scene.assert_exact(&shaders, &exact().samples(4));
    // One test per pixel has another edge.
    assert!(scene.draw(&lower(&shaders, &exact())).covered() != cut.covered());
    // A shader that writes a mask itself.
    let fragment = "#version 450
        layout(location = 0) in vec4 tint;
        layout(location = 0) out vec4 color;
        void main() { gl_SampleMask[0] = gl_SampleMaskIn[0] & 5; color = tint; }";
    let shaders = read(&[(Stage::Vertex, &clipping()), (Stage::Fragment, fragment)]);
    let masked = scene.assert_exact(&shaders, &exact().samples(4));
    assert!(masked.count() > 50 && masked.count() < cut.count());
}

#[test]
fn t17_points_and_lines_are_clipped_alike() {
    let at = |x: f32, d: f32| ([x, 0.1, 0.5, 1.0], [d, 1.0, 1.0, 1.0]);
    let shaders = pipeline(&clipping());
    let corners = [at(-0.5, -0.1), at(0.0, 0.1), at(0.5, 0.7)];
    for options in [exact(), points(), whole()] {
        assert_eq!(scene(Topology::Points, &corners).assert_exact(&shaders, &options).count(), 50);
        let samples = Scene { samples: 4, ..scene(Topology::Points, &corners) };
        assert_eq!(samples.assert_exact(&shaders, &options.samples(4)).count(), 200);
    }
    let corners = [at(-0.83, -0.713), at(0.83, 1.0)];
    let line = scene(Topology::Lines, &corners).assert_exact(&shaders, &exact());
    assert!((10..20).contains(&line.count()), "{}", line.count());
    let samples = Scene { samples: 4, ..scene(Topology::Lines, &corners) };
    assert!(samples.assert_exact(&shaders, &exact().samples(4)).count() > 40);
}

#[test]
fn t18_eight_distances_take_two_locations() {
    let stores = "gl_Position = position; for (int i = 0; i < 8; i++) gl_ClipDistance[i] = d[i % 4];";
    let shaders = pipeline(&vertex("float gl_ClipDistance[8];", stores));
    let added = |shader: &Shader, mode| {
        shader.vars.values().filter(|v| v.mode == mode && v.name.starts_with("clip_distances")).count()
    };
    let lowered = try_lower(&shaders, &exact()).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!((added(&lowered[0], Modes::OUT), added(&lowered[1], Modes::IN)), (2, 2));
    let corners = straddling();
    assert!(scene(Topology::Triangles, &corners).assert_exact(&shaders, &exact()).count() > 50);
    let mut options = exact();
    options.locations = 2;
    let error = format!("{:?}", try_lower(&shaders, &options).expect_err("there is one free location"));
    assert!(error.contains("E0328") && error.contains("no 2 consecutive locations below 2"), "{error}");
}
