//! Pipelines of separable programs: variables of two programs meet by name or location.

use crate::scene::{Scene, expect, link_with};
use airfoil::air::select::InterfaceValue;
use airfoil_gl::{Budget, Device, LinkOptions, Log, Program, Stage, StateKey, TransformFeedback, XfbMode};
use std::sync::Arc;

const VERTEX_BIT: u32 = 1;
const FRAGMENT_BIT: u32 = 2;

/// A separable program of one stage.
fn separable(stage: Stage, source: &str) -> Arc<Program> {
    separable_with(stage, source, TransformFeedback::default())
}

fn separable_with(stage: Stage, source: &str, transform_feedback: TransformFeedback) -> Arc<Program> {
    let device = Device::default();
    let object = device.compile("separable", stage, &[source]);
    let options = LinkOptions { separable: true, transform_feedback, ..LinkOptions::default() };
    device.link(&[&object], &options).unwrap_or_else(|log| panic!("{}{log}", object.log()))
}

fn join(programs: &[&Arc<Program>]) -> Result<Arc<Program>, Log> {
    let programs: Vec<(&Program, u32)> = programs.iter().map(|p| (&***p, u32::MAX)).collect();
    Device::default().pipeline(&programs, &Budget::default())
}

fn joined(vertex: &str, fragment: &str) -> Arc<Program> {
    let programs = [separable(Stage::Vertex, vertex), separable(Stage::Fragment, fragment)];
    join(&[&programs[0], &programs[1]]).unwrap_or_else(|log| panic!("{log}"))
}

/// Draws a pipeline; all pixels have this color.
fn draws(vertex: &str, fragment: &str, color: [f32; 4]) {
    let vertex = format!("#version 450\nlayout(location = 0) in vec4 p; {vertex}");
    let fragment = format!("#version 450\nlayout(location = 0) out vec4 color; {fragment}");
    let mut scene = Scene::of(joined(&vertex, &fragment));
    expect(&scene.draw(&StateKey::default()), 0, |_, _| color);
}

#[test]
fn variables_meet_by_name() {
    // In another order, of other types, with outputs that nothing reads between them.
    draws(
        "out vec3 zz; out vec2 aa; out float between; out vec4 b[2];
         void main() { gl_Position = p; zz = vec3(0.25, 0.5, 0.75); aa = vec2(1.0, 0.0); between = 9.0; b[0] = b[1] = vec4(9.0); }",
        "in vec2 aa; in vec3 zz; void main() { color = vec4(zz, aa.x); }",
        [0.25, 0.5, 0.75, 1.0],
    );
    // Blocks meet by the name of the block.
    draws(
        "out Other { vec4 x; }; out Block { float y; vec3 z; } o;
         void main() { gl_Position = p; x = vec4(9.0); o.y = 0.5; o.z = vec3(0.25, 0.75, 1.0); }",
        "in Block { float y; vec3 z; }; void main() { color = vec4(y, z); }",
        [0.5, 0.25, 0.75, 1.0],
    );
}

#[test]
fn variables_meet_by_location() {
    // Names do not count, and those that meet by name make room.
    draws(
        "layout(location = 1) out vec2 a; out vec2 name; layout(location = 0) out vec4 unused;
         void main() { gl_Position = p; a = vec2(0.25, 0.5); name = vec2(0.75, 1.0); unused = vec4(9.0); }",
        "in vec2 name; layout(location = 1) in vec2 b; void main() { color = vec4(b, name); }",
        [0.25, 0.5, 0.75, 1.0],
    );
    draws(
        "layout(location = 3, component = 2) out vec2 a; layout(location = 3) out float b;
         void main() { gl_Position = p; a = vec2(0.25, 0.5); b = 0.75; }",
        "layout(location = 3) in float y; layout(location = 3, component = 2) in vec2 x; void main() { color = vec4(x, y, 1.0); }",
        [0.25, 0.5, 0.75, 1.0],
    );
}

#[test]
fn inputs_that_nothing_writes_are_zero() {
    draws(
        "out vec2 a; void main() { gl_Position = p; a = vec2(0.25, 0.5); }",
        "in vec2 a; in float b; layout(location = 4) in float c; void main() { color = vec4(a, b, c); }",
        [0.25, 0.5, 0.0, 0.0],
    );
    // The types differ: the value is undefined in OpenGL, and must not be another variable's.
    draws(
        "out vec4 a; out vec2 b; void main() { gl_Position = p; a = vec4(9.0); b = vec2(0.25, 0.5); }",
        "in vec2 b; in vec3 a; void main() { color = vec4(b, a.x, 1.0); }",
        [0.25, 0.5, 0.0, 1.0],
    );
}

#[test]
fn a_pipeline_has_the_functions_of_a_whole_program() {
    let vertex = "#version 450\nlayout(location = 0) in vec4 p; out vec4 a; out vec2 b; uniform mat4 m; void main() { gl_Position = m * p; a = p; b = p.xy; }";
    let fragment = "#version 450\nin vec4 a; in vec2 b; uniform float scale; layout(location = 0) out vec4 c; void main() { c = a * b.x * scale; }";
    let (pipeline, whole) = (joined(vertex, fragment), link_with(vertex, fragment, &LinkOptions::default()));
    for stage in [Stage::Vertex, Stage::Fragment] {
        let code = |p: &Program| p.arguments(stage).unwrap().clone();
        assert_eq!(code(&pipeline).inputs, code(&whole).inputs);
        assert_eq!(code(&pipeline).outputs, code(&whole).outputs);
    }
    // Each program has a default block of its own.
    let scale = separable(Stage::Fragment, fragment);
    assert_eq!(scale.reflection().uniforms[0].offset, Some(0));
    assert_eq!(pipeline.reflection().inputs, whole.reflection().inputs);
    assert_eq!(pipeline.reflection().outputs, whole.reflection().outputs);
    assert_eq!(pipeline.reflection().stages, whole.reflection().stages);
}

#[test]
fn three_programs_with_geometry() {
    let vertex = "#version 450\nlayout(location = 0) in vec4 p; out vec2 unused; out vec4 a; void main() { gl_Position = p; a = p; unused = p.xy; }";
    let geometry = "#version 450\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
        in vec4 a[]; out float first; layout(location = 2) out vec4 b;
        void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; first = 1.0; b = a[i]; EmitVertex(); } }";
    let fragment = "#version 450\nlayout(location = 2) in vec4 x; in float first; layout(location = 0) out vec4 c; void main() { c = x * first; }";
    let programs = [
        separable(Stage::Vertex, vertex),
        separable(Stage::Geometry, geometry),
        separable(Stage::Fragment, fragment),
    ];
    let pipeline = join(&[&programs[2], &programs[0], &programs[1]]).unwrap_or_else(|log| panic!("{log}"));
    let stages: Vec<Stage> = pipeline.stages().collect();
    assert_eq!(stages, [Stage::Vertex, Stage::Geometry, Stage::Fragment]);
    for stage in stages {
        let function = pipeline.variant(stage, &StateKey::default(), &Budget::default());
        assert!(function.unwrap_or_else(|e| panic!("{stage}: {e}")).metallib.starts_with(b"MTLB"));
    }
    let read = &pipeline.arguments(Stage::Fragment).unwrap().inputs;
    let written = &pipeline.arguments(Stage::Geometry).unwrap().outputs;
    for input in read.iter().filter(|i| i.location.is_some()) {
        let same = |w: &InterfaceValue| (&w.name, &w.type_name) == (&input.name, &input.type_name);
        assert!(written.iter().any(same), "{input:?} is not in {written:?}");
    }
}

#[test]
fn restored_programs_make_the_same_pipelines() {
    let vertex = "#version 450\nlayout(location = 0) in vec4 p; out vec2 zz; out vec4 aa; void main() { gl_Position = p; zz = p.xy; aa = p; }";
    let fragment = "#version 450\nin vec4 aa; uniform vec4 u; layout(location = 0) out vec4 c; void main() { c = aa * u; }";
    let feedback = TransformFeedback { varyings: vec!["zz".to_owned()], mode: XfbMode::Separate };
    let own = [separable_with(Stage::Vertex, vertex, feedback), separable(Stage::Fragment, fragment)];
    let restore = |program: &Program| Device::default().restore(&program.store().unwrap()).unwrap();
    let restored = own.each_ref().map(|program| restore(program));
    // Sources are stored again.
    let again = restored.each_ref().map(|program| restore(program));
    let all = [&own, &restored, &again].map(|[v, f]| {
        let pipeline = join(&[v, f]).unwrap_or_else(|log| panic!("{log}"));
        [Stage::Vertex, Stage::Fragment].map(|stage| {
            let key = StateKey { flags: airfoil_gl::StateFlags::CAPTURE, ..StateKey::default() };
            pipeline.variant(stage, &key, &Budget::default()).unwrap_or_else(|e| panic!("{e}")).metallib
        })
    });
    let [first, others @ ..] = &all;
    assert!(others.iter().all(|functions| functions == first));
    let mixed = join(&[&own[0], &again[1]]).unwrap_or_else(|log| panic!("{log}"));
    let key = StateKey { flags: airfoil_gl::StateFlags::CAPTURE, ..StateKey::default() };
    let fragment = mixed.variant(Stage::Fragment, &key, &Budget::default()).unwrap();
    assert_eq!(fragment.metallib, first[1]);
    // They can be linked again, too.
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    let relinked = again[0].relink(&options).unwrap_or_else(|log| panic!("{log}"));
    assert!(relinked.reflection().transform_feedback.varyings.is_empty());
}

#[test]
fn captures_follow_their_outputs() {
    let vertex = "#version 450\nlayout(location = 0) in vec4 p; out vec2 zz; out vec4 aa; void main() { gl_Position = p; zz = p.xy; aa = p; }";
    let fragment = "#version 450\nin vec4 aa; layout(location = 0) out vec4 c; void main() { c = aa; }";
    let feedback =
        TransformFeedback { varyings: vec!["zz".to_owned(), "aa".to_owned()], mode: XfbMode::Separate };
    let programs = [separable_with(Stage::Vertex, vertex, feedback), separable(Stage::Fragment, fragment)];
    let pipeline = join(&[&programs[0], &programs[1]]).unwrap_or_else(|log| panic!("{log}"));
    let captured = &pipeline.reflection().transform_feedback;
    let names: Vec<&str> = captured.varyings.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["zz", "aa"]);
    let key = StateKey { flags: airfoil_gl::StateFlags::CAPTURE, ..StateKey::default() };
    let function = pipeline.variant(Stage::Vertex, &key, &Budget::default()).unwrap();
    let records: Vec<u32> = function.reflection.arguments.iter().filter_map(|a| a.binding).collect();
    assert!(!records.is_empty());
}

#[test]
fn pipelines_that_do_not_validate_are_errors() {
    let vertex = "#version 450\nlayout(location = 0) in vec4 p; void main() { gl_Position = p; }";
    let fragment = "#version 450\nlayout(location = 0) out vec4 c; void main() { c = vec4(1.0); }";
    let code = |programs: &[(&Program, u32)]| {
        let log = Device::default().pipeline(programs, &Budget::default()).unwrap_err();
        log.diagnostics()[0].code
    };
    let (v, f) = (separable(Stage::Vertex, vertex), separable(Stage::Fragment, fragment));
    let whole = link_with(vertex, fragment, &LinkOptions::default());
    assert_eq!(code(&[(&whole, u32::MAX)]), "E1130");
    let both = link_with(vertex, fragment, &LinkOptions { separable: true, ..LinkOptions::default() });
    assert_eq!(code(&[(&both, VERTEX_BIT), (&f, FRAGMENT_BIT)]), "E1131");
    assert_eq!(code(&[(&v, 0)]), "E1132");
    assert_eq!(code(&[(&v, u32::MAX), (&v, u32::MAX)]), "E1133");
    let es =
        |stage, source: &str| separable(stage, &format!("#version 310 es\nprecision highp float; {source}"));
    let es_vertex = es(Stage::Vertex, "in vec4 p; out vec2 a; void main() { gl_Position = p; a = p.xy; }");
    let es_fragment = es(Stage::Fragment, "in vec2 b; out vec4 c; void main() { c = b.xyxy; }");
    assert_eq!(code(&[(&es_vertex, u32::MAX), (&es_fragment, u32::MAX)]), "E1134");
    // A restored program that is not separable, and a pipeline, do not have their shaders.
    let restored = Device::default().restore(&whole.store().unwrap()).unwrap();
    assert_eq!(code(&[(&restored, u32::MAX)]), "E0954");
    let pipeline = join(&[&v, &f]).unwrap();
    assert_eq!(code(&[(&pipeline, u32::MAX)]), "E0954");
    assert_eq!(pipeline.relink(&LinkOptions::default()).unwrap_err().diagnostics()[0].code, "E0954");
    let stopped = Budget::within(std::time::Duration::ZERO);
    let log = Device::default().pipeline(&[(&v, u32::MAX), (&f, u32::MAX)], &stopped).unwrap_err();
    assert_eq!(log.diagnostics()[0].code, "E0950");
}
