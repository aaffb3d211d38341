//! State of stages that Metal lacks: their functions are kernels and mesh functions.

use crate::scene::link;
use airfoil_gl::{
    Budget, Device, DeviceOptions, FormatKind, Function, LinkOptions, Program, Stage, StateFlags, StateKey,
    VertexFormat, Workarounds,
};

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

#[test]
fn the_last_stage_has_the_state_of_vertices() {
    let compatibility = |text: &str| format!("#version 150 compatibility\n{text}");
    let vertex = compatibility("in vec4 p; void main() { gl_Position = p; gl_FrontColor = p; }");
    let geometry = compatibility(
        "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
        void main() {
            for (int i = 0; i < 3; i++) {
                gl_Position = gl_in[i].gl_Position; gl_ClipVertex = gl_Position.yxzw;
                gl_FrontColor = gl_in[i].gl_FrontColor * 2.0; gl_BackColor = vec4(1.0); EmitVertex();
            }
        }",
    );
    let fragment = compatibility("void main() { gl_FragColor = gl_Color; }");
    let program =
        link(&[(Stage::Vertex, &vertex), (Stage::Geometry, &geometry), (Stage::Fragment, &fragment)]);
    let default = StateKey::default();
    let format = VertexFormat { kind: FormatKind::Fixed, components: 4 };
    let changes = |key: &StateKey| -> Vec<Stage> {
        let is_changed = |&stage: &Stage| {
            let changed =
                variant(&program, stage, key).metallib != variant(&program, stage, &default).metallib;
            assert_eq!(changed, program.stage_canonical(stage, key) != default, "{stage}: {key:?}");
            changed
        };
        [Stage::Vertex, Stage::Geometry, Stage::Fragment].into_iter().filter(is_changed).collect()
    };
    let flag = |flags| StateKey { flags, ..default };
    assert_eq!(changes(&StateKey { clip_planes: 2, ..default }), [Stage::Geometry]);
    assert_eq!(changes(&flag(StateFlags::CLAMP_VERTEX_COLORS)), [Stage::Geometry]);
    assert_eq!(changes(&StateKey { vertex_formats: [format; 32], ..default }), [Stage::Vertex]);
    assert_eq!(changes(&flag(StateFlags::TWO_SIDED_COLORS)), [Stage::Fragment]);
    // The mesh function emits primitives, which Metal drops.
    assert_eq!(changes(&flag(StateFlags::RASTERIZER_DISCARD)), []);
}

#[test]
fn stages_that_metal_lacks_have_the_lowerings_of_the_device() {
    let vertex = "#version 460
        layout(location = 0) in vec4 p; layout(std430, binding = 0) buffer B { float b[4]; }; uniform int n;
        void main() { gl_Position = p * float(gl_DrawID + gl_BaseVertex) * b[n]; }";
    let geometry = "#version 460
        layout(points) in; layout(points, max_vertices = 1) out; layout(std430, binding = 0) buffer B { float b[4]; };
        uniform int n; void main() { gl_Position = gl_in[0].gl_Position * b[n]; EmitVertex(); }";
    let fragment = "#version 460\nout vec4 c; void main() { c = vec4(1.0); }";
    let workarounds = Workarounds { robust: true, ..Workarounds::default() };
    let device = Device::new(DeviceOptions { workarounds, ..DeviceOptions::default() });
    let sources = [(Stage::Vertex, vertex), (Stage::Geometry, geometry), (Stage::Fragment, fragment)];
    let objects = sources.map(|(stage, text)| device.compile("o", stage, &[text]));
    let program = device.link(&objects.each_ref(), &LinkOptions::default()).unwrap();
    let names = |stage| -> Vec<String> {
        let arguments = variant(&program, stage, &StateKey::default()).reflection.arguments;
        arguments.into_iter().map(|a| a.name.to_string()).collect()
    };
    // The size of a buffer whose accesses are guarded, and the parameters of a draw.
    let [kernel, mesh] = [Stage::Vertex, Stage::Geometry].map(names);
    assert!(["buffer_sizes", "draw"].iter().all(|name| kernel.iter().any(|n| n == name)), "{kernel:?}");
    assert!(mesh.iter().any(|n| n == "buffer_sizes"), "{mesh:?}");
}

#[test]
fn evaluation_without_rasterisation_has_no_outputs() {
    let program = link(&[
        (Stage::Vertex, VERTEX),
        (
            Stage::TessEval,
            "#version 430\nlayout(triangles) in; layout(std430, binding = 0) buffer B { vec4 b[]; };
            void main() { gl_Position = gl_in[0].gl_Position; b[gl_PrimitiveID] = gl_Position; }",
        ),
        (Stage::Fragment, "#version 430\nout vec4 c; void main() { c = vec4(1.0); }"),
    ]);
    let key = StateKey { flags: StateFlags::RASTERIZER_DISCARD, ..StateKey::default() };
    assert!(!variant(&program, Stage::TessEval, &StateKey::default()).reflection.outputs.is_empty());
    assert!(variant(&program, Stage::TessEval, &key).reflection.outputs.is_empty());
}
