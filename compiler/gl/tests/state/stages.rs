//! State of stages that Metal lacks: their functions are kernels and mesh functions.

use airfoil_gl::{Budget, Device, Function, LinkOptions, Program, Stage, StateFlags, StateKey};
use std::sync::Arc;

fn link(sources: &[(Stage, &str)]) -> Arc<Program> {
    let device = Device::default();
    let objects: Vec<_> = sources.iter().map(|(stage, text)| device.compile("o", *stage, &[*text])).collect();
    for object in &objects {
        assert!(object.status(), "{}", object.log());
    }
    let objects: Vec<_> = objects.iter().collect();
    device.link(&objects, &LinkOptions::default()).unwrap_or_else(|log| panic!("{log}"))
}

fn variant(program: &Program, stage: Stage, key: &StateKey) -> Function {
    program.variant(stage, key, &Budget::default()).unwrap_or_else(|e| panic!("{e}"))
}

const VERTEX: &str = "#version 420\nin vec4 p; void main() { gl_Position = p; }";
const FRAGMENT: &str = "#version 420\nflat in int id; out vec4 c; void main() { c = vec4(id); }";

#[test]
fn the_provoking_vertex_of_geometry() {
    let program = link(&[
        (Stage::Vertex, VERTEX),
        (
            Stage::Geometry,
            "#version 420\nlayout(triangles) in; layout(triangle_strip, max_vertices = 4) out; flat out int id;
            void main() { for (int i = 0; i < 4; i++) { id = i; gl_Position = gl_in[i % 3].gl_Position; EmitVertex(); } }",
        ),
        (Stage::Fragment, FRAGMENT),
    ]);
    let last = variant(&program, Stage::Geometry, &StateKey::default());
    let first = StateKey { flags: StateFlags::FIRST_PROVOKES, ..StateKey::default() };
    assert_ne!(variant(&program, Stage::Geometry, &first).metallib, last.metallib);
    assert_eq!(program.stage_canonical(Stage::Fragment, &first), StateKey::default());
}

#[test]
fn patches_have_the_vertices_of_the_state() {
    let program = link(&[
        (Stage::Vertex, VERTEX),
        (
            Stage::TessEval,
            "#version 420\nlayout(triangles) in; flat out int id;
            void main() { gl_Position = gl_in[gl_PatchVerticesIn - 1].gl_Position; id = gl_PatchVerticesIn; }",
        ),
        (Stage::Fragment, FRAGMENT),
    ]);
    let patch = |patch_vertices| StateKey { patch_vertices, ..StateKey::default() };
    let four = variant(&program, Stage::TessEval, &patch(4));
    assert_ne!(four.metallib, variant(&program, Stage::TessEval, &patch(5)).metallib);
    assert_eq!(
        variant(&program, Stage::TessEval, &patch(0)).metallib,
        variant(&program, Stage::TessEval, &patch(3)).metallib
    );
    // Without a control shader the records of the kernel are the control points of the evaluation function.
    let kernel = variant(&program, Stage::Vertex, &patch(4));
    let bytes = |f: &Function, name: &str| {
        f.reflection.records.iter().find(|r| r.buffer == name).map(|r| (r.bytes, r.slots.clone()))
    };
    let written = bytes(&kernel, "stage_vertices");
    assert!(written.is_some());
    assert_eq!(bytes(&four, "stage_control_points"), written);
}
